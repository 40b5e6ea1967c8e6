"""A table that is read and changed over the web, and a question that has to be put to a switch first."""

import json

from ryu.app.wsgi import ControllerBase, Response, WSGIApplication, route
from ryu.base import app_manager
from ryu.controller import ofp_event
from ryu.controller.handler import MAIN_DISPATCHER, set_ev_cls
from ryu.lib import hub


class Web(app_manager.RyuApp):
    _CONTEXTS = {"wsgi": WSGIApplication}

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.table = {}
        self.datapaths = {}
        self.waiting = {}
        kwargs["wsgi"].register(Controller, {"app": self})

    @set_ev_cls(ofp_event.EventOFPStateChange, MAIN_DISPATCHER)
    def joined(self, ev):
        self.datapaths[ev.datapath.id] = ev.datapath

    @set_ev_cls(ofp_event.EventOFPBarrierReply, MAIN_DISPATCHER)
    def barrier(self, ev):
        self.waiting.pop(ev.msg.xid).set()

    def ask(self, dpid):
        datapath = self.datapaths[dpid]
        request = datapath.ofproto_parser.OFPBarrierRequest(datapath)
        datapath.set_xid(request)
        done = self.waiting[request.xid] = hub.Event()
        datapath.send_msg(request)
        done.wait()


class Controller(ControllerBase):
    def __init__(self, req, link, data, **config):
        super().__init__(req, link, data, **config)
        self.app = data["app"]

    @route("table", "/table/{key}", methods=["GET"])
    def read(self, req, key, **_):
        if key not in self.app.table:
            return Response(status=404)
        return Response(content_type="application/json", body=json.dumps(self.app.table[key]).encode())

    @route("table", "/table/{key}", methods=["PUT"], requirements={"key": "[a-z]+"})
    def write(self, req, key, **_):
        self.app.table[key] = req.json
        return Response(status=201)

    @route("barrier", "/barrier/{dpid}", methods=["POST"])
    def wait(self, req, dpid, **_):
        self.app.ask(int(dpid))
        return Response(text="done")
