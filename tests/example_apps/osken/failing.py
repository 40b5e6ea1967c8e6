"""Parses what it gets, and trusts it; raises by itself for an empty frame."""

from os_ken.base import app_manager
from os_ken.controller import ofp_event
from os_ken.controller.handler import MAIN_DISPATCHER, set_ev_cls
from os_ken.lib.packet import packet


class Failing(app_manager.OSKenApp):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.handled = 0

    @set_ev_cls(ofp_event.EventOFPPacketIn, MAIN_DISPATCHER)
    def packet_in(self, ev):
        if not ev.msg.data:
            raise ValueError("nothing in it")
        packet.Packet(ev.msg.data)
        self.handled += 1
        datapath = ev.msg.datapath
        datapath.send_msg(datapath.ofproto_parser.OFPBarrierRequest(datapath))
