"""A learning switch for OpenFlow 1.0 under the names that Ryu had."""

import ryu.lib.mac
from ryu.base import app_manager
from ryu.controller import ofp_event
from ryu.controller.handler import MAIN_DISPATCHER, set_ev_cls
from ryu.exception import RyuException
from ryu.lib.packet import ethernet, packet
from ryu.ofproto import ofproto_v1_0


class Unused(RyuException):
    message = "never raised"


class Learning10(app_manager.RyuApp):
    OFP_VERSIONS = [ofproto_v1_0.OFP_VERSION]

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.ports = {}

    @set_ev_cls(ofp_event.EventOFPPacketIn, MAIN_DISPATCHER)
    def packet_in(self, ev):
        msg = ev.msg
        datapath = msg.datapath
        parser, proto = datapath.ofproto_parser, datapath.ofproto
        eth = packet.Packet(msg.data).get_protocol(ethernet.ethernet)
        self.ports[datapath.id, eth.src] = msg.in_port
        out = self.ports.get((datapath.id, eth.dst), proto.OFPP_FLOOD)
        actions = [parser.OFPActionOutput(out)]
        if out != proto.OFPP_FLOOD:
            match = parser.OFPMatch(in_port=msg.in_port, dl_dst=ryu.lib.mac.haddr_to_bin(eth.dst))
            datapath.send_msg(
                parser.OFPFlowMod(datapath=datapath, match=match, cookie=0, command=proto.OFPFC_ADD, actions=actions)
            )
        data = msg.data if msg.buffer_id == proto.OFP_NO_BUFFER else None
        datapath.send_msg(parser.OFPPacketOut(datapath, msg.buffer_id, msg.in_port, actions, data))
