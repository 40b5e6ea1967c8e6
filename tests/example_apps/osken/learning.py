"""A learning switch for OpenFlow 1.3, as one would write it with os-ken."""

from os_ken.base import app_manager
from os_ken.controller import ofp_event
from os_ken.controller.handler import CONFIG_DISPATCHER, MAIN_DISPATCHER, set_ev_cls
from os_ken.lib.packet import ethernet, packet
from os_ken.ofproto import ofproto_v1_3


class Learning(app_manager.OSKenApp):
    OFP_VERSIONS = [ofproto_v1_3.OFP_VERSION]

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.ports = {}

    @set_ev_cls(ofp_event.EventOFPSwitchFeatures, CONFIG_DISPATCHER)
    def features(self, ev):
        datapath = ev.msg.datapath
        everything = datapath.ofproto_parser.OFPMatch()
        self.add(datapath, 0, everything, datapath.ofproto.OFPP_CONTROLLER)

    def add(self, datapath, priority, match, port):
        parser, proto = datapath.ofproto_parser, datapath.ofproto
        actions = [parser.OFPActionOutput(port)]
        todo = [parser.OFPInstructionActions(proto.OFPIT_APPLY_ACTIONS, actions)]
        datapath.send_msg(parser.OFPFlowMod(datapath=datapath, priority=priority, match=match, instructions=todo))

    @set_ev_cls(ofp_event.EventOFPPacketIn, MAIN_DISPATCHER)
    def packet_in(self, ev):
        msg = ev.msg
        datapath = msg.datapath
        parser, proto = datapath.ofproto_parser, datapath.ofproto
        came = msg.match["in_port"]
        eth = packet.Packet(msg.data).get_protocol(ethernet.ethernet)
        known = self.ports.setdefault(datapath.id, {})
        known[eth.src] = came
        out = known.get(eth.dst, proto.OFPP_FLOOD)
        if out != proto.OFPP_FLOOD:
            self.add(datapath, 1, parser.OFPMatch(in_port=came, eth_dst=eth.dst), out)
        data = msg.data if msg.buffer_id == proto.OFP_NO_BUFFER else None
        datapath.send_msg(
            parser.OFPPacketOut(
                datapath=datapath,
                buffer_id=msg.buffer_id,
                in_port=came,
                actions=[parser.OFPActionOutput(out)],
                data=data,
            )
        )
