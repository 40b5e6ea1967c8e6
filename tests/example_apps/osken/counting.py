"""Numbers packets with a generator that it makes when it is made; all that the generator knows is in variables."""

from os_ken.base import app_manager
from os_ken.controller import ofp_event
from os_ken.controller.handler import MAIN_DISPATCHER, set_ev_cls


def ports(last):
    port = 0
    while True:
        port = port % last + 1
        yield port


class Counting(app_manager.OSKenApp):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.ports = ports(3)

    @set_ev_cls(ofp_event.EventOFPPacketIn, MAIN_DISPATCHER)
    def packet_in(self, ev):
        datapath = ev.msg.datapath
        out = datapath.ofproto_parser.OFPActionOutput(1 + next(self.ports) % 2)
        data = ev.msg.data if ev.msg.buffer_id == datapath.ofproto.OFP_NO_BUFFER else None
        datapath.send_msg(datapath.ofproto_parser.OFPPacketOut(datapath, ev.msg.buffer_id, 1, [out], data))
