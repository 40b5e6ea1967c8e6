"""A learning switch for os-ken, with a mistake that is easy to make and hard to see in a test bed.

When the way to a host is known, a rule is installed for the packets to come, but the packet that is waiting in the
switch is not told to go. Its sender will repeat it in most test beds, and nobody notices.
"""

from os_ken.base import app_manager
from os_ken.controller import ofp_event
from os_ken.controller.handler import CONFIG_DISPATCHER, MAIN_DISPATCHER, set_ev_cls
from os_ken.lib.packet import ethernet, packet
from os_ken.ofproto import ofproto_v1_3


class LearningSwitch(app_manager.OSKenApp):
    OFP_VERSIONS = (ofproto_v1_3.OFP_VERSION,)

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.ports = {}  # datapath id -> address -> port

    @set_ev_cls(ofp_event.EventOFPSwitchFeatures, CONFIG_DISPATCHER)
    def switch_features(self, ev):
        datapath = ev.msg.datapath
        parser, ofproto = datapath.ofproto_parser, datapath.ofproto
        to_controller = [parser.OFPActionOutput(ofproto.OFPP_CONTROLLER, ofproto.OFPCML_NO_BUFFER)]
        self.install(datapath, 0, parser.OFPMatch(), to_controller)

    @set_ev_cls(ofp_event.EventOFPPacketIn, MAIN_DISPATCHER)
    def packet_in(self, ev):
        message, datapath = ev.msg, ev.msg.datapath
        parser, ofproto = datapath.ofproto_parser, datapath.ofproto
        in_port = message.match["in_port"]
        frame = packet.Packet(message.data).get_protocol(ethernet.ethernet)
        known = self.ports.setdefault(datapath.id, {})
        known[frame.src] = in_port
        if frame.dst in known:
            match = parser.OFPMatch(in_port=in_port, eth_dst=frame.dst)
            self.forward(message, match, [parser.OFPActionOutput(known[frame.dst])])
        else:
            self.release(message, in_port, [parser.OFPActionOutput(ofproto.OFPP_FLOOD)])

    def forward(self, message, match, actions):
        self.install(message.datapath, 1, match, actions)

    def install(self, datapath, priority, match, actions):
        parser, ofproto = datapath.ofproto_parser, datapath.ofproto
        instructions = [parser.OFPInstructionActions(ofproto.OFPIT_APPLY_ACTIONS, actions)]
        datapath.send_msg(
            parser.OFPFlowMod(datapath=datapath, priority=priority, match=match, instructions=instructions)
        )

    def release(self, message, in_port, actions):
        """Say what to do with the packet of a PacketIn."""
        datapath = message.datapath
        kept = message.buffer_id != datapath.ofproto.OFP_NO_BUFFER
        datapath.send_msg(
            datapath.ofproto_parser.OFPPacketOut(
                datapath=datapath,
                buffer_id=message.buffer_id,
                in_port=in_port,
                actions=actions,
                data=None if kept else message.data,
            )
        )
