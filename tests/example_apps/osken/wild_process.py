"""Does to its process what the first byte of a packet says: raises in every place, ends it, answers requests late."""

import os
import sys
import threading

from os_ken.app.wsgi import ControllerBase, Response, WSGIApplication, route
from os_ken.base import app_manager
from os_ken.controller import ofp_event
from os_ken.controller.handler import DEAD_DISPATCHER, MAIN_DISPATCHER, set_ev_cls
from os_ken.lib import hub
from os_ken.lib.packet import packet
from os_ken.ofproto import ofproto_v1_3


def fail(key):
    return {}[key]


def send_barrier(app):
    app.datapaths[1].send_barrier()


ORDERS = {
    0: send_barrier,
    1: lambda app: fail(1),
    2: lambda app: packet.Packet(bytes(12) + bytes.fromhex("890200630000") + bytes(50)),  # fails in the library
    3: lambda app: hub.spawn(fail, 3),
    4: lambda app: sys.exit(4),
    5: lambda app: threading.Thread(target=fail, args=(5,)).start(),
    6: lambda app: hub.spawn(fail, 6, raise_error=True),
    7: lambda app: hub.spawn(sys.exit, 7),
    8: lambda app: threading.Thread(target=sys.exit, args=(8,)).start(),
    9: lambda app: fail("two\nlines\x07"),
    10: lambda app: hub.spawn(send_barrier, app),
    11: lambda app: app.datapaths[2].send_barrier(),
    12: lambda app: os._exit(12),
}


class WildProcess(app_manager.OSKenApp):
    OFP_VERSIONS = (ofproto_v1_3.OFP_VERSION,)
    _CONTEXTS = {"wsgi": WSGIApplication}

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.datapaths, self.asked = {}, hub.Event()
        kwargs["wsgi"].register(Interface, {"app": self})

    @set_ev_cls(ofp_event.EventOFPStateChange, [MAIN_DISPATCHER, DEAD_DISPATCHER])
    def changed(self, event):
        if event.state == MAIN_DISPATCHER:
            self.datapaths[event.datapath.id] = event.datapath
        else:
            self.datapaths[1].send_barrier()

    @set_ev_cls(ofp_event.EventOFPPacketIn, MAIN_DISPATCHER)
    def packet_in(self, event):
        ORDERS[event.msg.data[0]](self)

    @set_ev_cls(ofp_event.EventOFPBarrierReply, MAIN_DISPATCHER)
    def barrier_reply(self, event):
        self.asked.set()


class Interface(ControllerBase):
    def __init__(self, req, link, data, **config):
        super().__init__(req, link, data, **config)
        self.app = data["app"]

    @route("echo", "/echo/{name}", methods=["POST"])
    def echo(self, req, name, **kwargs):
        return Response(status=201, text=f"{name}, {req.query_string}, {req.text}, {req.content_type}, {req.host}")

    @route("fail", "/fail", methods=["GET"])
    def get_fail(self, req, **kwargs):
        fail("request")

    @route("barrier", "/barrier", methods=["GET"])
    def get_barrier(self, req, **kwargs):
        self.app.datapaths[1].send_barrier()
        self.app.asked.wait()
        return Response(text="passed")
