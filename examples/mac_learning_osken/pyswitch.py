"""A MAC-learning switch (os-ken, OpenFlow 1.0) with the three published defects of NOX's pyswitch.

It follows figure 3 of the NICE paper. A host that moves stays unreachable (BUG-I), the direct path comes too late
(BUG-II), and packets go round for ever where the network has a cycle (BUG-III). The files bug1_fixed.py, bug2_fixed.py
and bug3_fixed.py mend one defect each; bug1_hard_timeout.py and bug2_reverse_second.py only seem to.
"""

from os_ken.base import app_manager
from os_ken.controller import ofp_event
from os_ken.controller.handler import CONFIG_DISPATCHER, MAIN_DISPATCHER, set_ev_cls
from os_ken.lib.packet import ethernet, packet
from os_ken.ofproto import ofproto_v1_0


def is_group(address):
    """Return whether an address is a group's or the broadcast address."""
    return bool(int(address[:2], 16) & 1)


class PySwitch(app_manager.OSKenApp):
    """Learns the port of each address, and installs a rule for a packet whose destination it knows."""

    OFP_VERSIONS = (ofproto_v1_0.OFP_VERSION,)
    idle_timeout = 5
    hard_timeout = 0

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.ports = {}  # switch -> address -> port

    @set_ev_cls(ofp_event.EventOFPSwitchFeatures, CONFIG_DISPATCHER)
    def switch_joined(self, event):
        self.ports[event.msg.datapath.id] = {}

    @set_ev_cls(ofp_event.EventOFPPacketIn, MAIN_DISPATCHER)
    def packet_in(self, event):
        message = event.msg
        frame = packet.Packet(message.data).get_protocol(ethernet.ethernet)
        ports = self.ports[message.datapath.id]
        self.learn(message.datapath, frame.src, message.in_port)
        out = ports.get(frame.dst)
        if is_group(frame.dst) or out is None or out == message.in_port:
            self.flood(message)
        else:
            self.forward(message, frame, out)

    def learn(self, datapath, address, port):
        if not is_group(address):
            self.ports[datapath.id][address] = port

    def flood(self, message):
        self.packet_out(message, [message.datapath.ofproto.OFPP_FLOOD])

    def forward(self, message, frame, out):
        """Install the way from source to destination; the packet goes the same way."""
        self.install(message.datapath, (frame.src, frame.dst), frame.ethertype, message.in_port, out, message.buffer_id)
        if message.buffer_id == message.datapath.ofproto.OFP_NO_BUFFER:
            self.packet_out(message, [out])

    def install(self, datapath, ends, kind, in_port, out, buffer_id=ofproto_v1_0.OFP_NO_BUFFER):
        parser = datapath.ofproto_parser
        match = parser.OFPMatch(in_port=in_port, dl_src=ends[0], dl_dst=ends[1], dl_type=kind)
        datapath.send_msg(
            parser.OFPFlowMod(
                datapath,
                match,
                idle_timeout=self.idle_timeout,
                hard_timeout=self.hard_timeout,
                buffer_id=buffer_id,
                actions=[parser.OFPActionOutput(out)],
            )
        )

    def packet_out(self, message, ports):
        datapath = message.datapath
        parser = datapath.ofproto_parser
        data = message.data if message.buffer_id == datapath.ofproto.OFP_NO_BUFFER else None
        actions = [parser.OFPActionOutput(port) for port in ports]
        datapath.send_msg(parser.OFPPacketOut(datapath, message.buffer_id, message.in_port, actions, data))
