"""An app to begin with: a learning switch for os-ken with a defect that only some orders of events show."""

EXAMPLE_NAME = "my_switch"
EXAMPLE_TOPOLOGY = "single,2"
EXAMPLE_APP = '''\
"""A learning switch for os-ken that never installs the same rule twice. It has a defect: some order loses a packet."""

from os_ken.base import app_manager
from os_ken.controller import ofp_event
from os_ken.controller.handler import CONFIG_DISPATCHER, MAIN_DISPATCHER, set_ev_cls
from os_ken.lib.packet import ethernet, packet
from os_ken.ofproto import ofproto_v1_3


class MySwitch(app_manager.OSKenApp):
    OFP_VERSIONS = [ofproto_v1_3.OFP_VERSION]

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.ports = {}  # switch -> address -> port
        self.installed = set()  # rules that were sent: switch, source, destination

    @set_ev_cls(ofp_event.EventOFPSwitchFeatures, CONFIG_DISPATCHER)
    def switch_features(self, event):
        datapath = event.msg.datapath
        self.add_rule(datapath, 0, datapath.ofproto_parser.OFPMatch(), datapath.ofproto.OFPP_CONTROLLER)

    @set_ev_cls(ofp_event.EventOFPPacketIn, MAIN_DISPATCHER)
    def packet_in(self, event):
        message = event.msg
        datapath, in_port = message.datapath, message.match["in_port"]
        frame = packet.Packet(message.data).get_protocol(ethernet.ethernet)
        ports = self.ports.setdefault(datapath.id, {})
        ports[frame.src] = in_port
        if frame.dst not in ports:
            self.send(message, in_port, datapath.ofproto.OFPP_FLOOD)
            return
        rule = datapath.id, frame.src, frame.dst
        if rule in self.installed:
            return  # the switch has this rule, so it forwards the packet itself
        self.installed.add(rule)
        match = datapath.ofproto_parser.OFPMatch(eth_src=frame.src, eth_dst=frame.dst)
        self.add_rule(datapath, 1, match, ports[frame.dst])
        self.send(message, in_port, ports[frame.dst])

    def add_rule(self, datapath, priority, match, port):
        parser = datapath.ofproto_parser
        actions = [parser.OFPActionOutput(port, datapath.ofproto.OFPCML_NO_BUFFER)]
        instructions = [parser.OFPInstructionActions(datapath.ofproto.OFPIT_APPLY_ACTIONS, actions)]
        datapath.send_msg(parser.OFPFlowMod(datapath, priority=priority, match=match, instructions=instructions))

    def send(self, message, in_port, port):
        datapath = message.datapath
        parser = datapath.ofproto_parser
        actions = [parser.OFPActionOutput(port)]
        data = message.data if message.buffer_id == datapath.ofproto.OFP_NO_BUFFER else None
        datapath.send_msg(parser.OFPPacketOut(datapath, message.buffer_id, in_port, actions, data))
'''
