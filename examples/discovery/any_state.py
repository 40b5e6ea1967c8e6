"""A switch that blocks hosts which send frames of an experimental type twice, with a mistake that needs two tables.

The second such frame of a host blocks it: a rule drops what comes next, and the host's warning is forgotten. A third
frame that was faster than the rule still finds the host's strikes, but no warning.
"""

from os_ken.base import app_manager
from os_ken.controller import ofp_event
from os_ken.controller.handler import CONFIG_DISPATCHER, MAIN_DISPATCHER, set_ev_cls
from os_ken.lib.packet import ethernet, packet
from os_ken.ofproto import ofproto_v1_3

EXPERIMENT = 0x88B5


class Quarantine(app_manager.OSKenApp):
    OFP_VERSIONS = (ofproto_v1_3.OFP_VERSION,)

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.strikes = {}  # address of a host -> frames of the type
        self.warnings = {}  # address of a host -> destination of the frame that it was warned for

    @set_ev_cls(ofp_event.EventOFPSwitchFeatures, CONFIG_DISPATCHER)
    def switch_features(self, ev):
        datapath = ev.msg.datapath
        parser, ofproto = datapath.ofproto_parser, datapath.ofproto
        to_controller = [parser.OFPActionOutput(ofproto.OFPP_CONTROLLER, ofproto.OFPCML_NO_BUFFER)]
        self.install(datapath, 0, parser.OFPMatch(), to_controller)

    @set_ev_cls(ofp_event.EventOFPPacketIn, MAIN_DISPATCHER)
    def packet_in(self, ev):
        message, datapath = ev.msg, ev.msg.datapath
        frame = packet.Packet(message.data).get_protocol(ethernet.ethernet)
        if frame.ethertype != EXPERIMENT:
            self.flood(message)
            return
        strikes = self.strikes.get(frame.src, 0) + 1
        self.strikes[frame.src] = strikes
        if strikes == 1:
            self.warnings[frame.src] = frame.dst
            self.flood(message)
        elif strikes < 1:
            self.logger.error("a host with %d strikes", strikes)
        else:
            self.logger.info("%s was warned for a frame to %s", frame.src, self.warnings[frame.src])
            del self.warnings[frame.src]
            self.install(datapath, 1, datapath.ofproto_parser.OFPMatch(eth_src=frame.src), [])

    def install(self, datapath, priority, match, actions):
        parser, ofproto = datapath.ofproto_parser, datapath.ofproto
        instructions = [parser.OFPInstructionActions(ofproto.OFPIT_APPLY_ACTIONS, actions)] if actions else []
        datapath.send_msg(
            parser.OFPFlowMod(datapath=datapath, priority=priority, match=match, instructions=instructions)
        )

    def flood(self, message):
        datapath, parser = message.datapath, message.datapath.ofproto_parser
        actions = [parser.OFPActionOutput(datapath.ofproto.OFPP_FLOOD)]
        out = parser.OFPPacketOut(
            datapath=datapath,
            buffer_id=message.buffer_id,
            in_port=message.match["in_port"],
            actions=actions,
            data=message.data,
        )
        datapath.send_msg(out)
