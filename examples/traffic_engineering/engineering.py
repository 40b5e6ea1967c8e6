"""Traffic engineering that saves energy (os-ken, OpenFlow 1.0), with every published defect corrected.

Between the switches there are two sets of paths. The always-on paths carry everything while there is little traffic;
the on-demand paths are woken up when there is much, and new flows are then split evenly over both. The port statistics
of the always-on links tell how much traffic there is. The first packet of a flow makes the program choose a path and
install a rule at each switch on it.

The design is that of the application in section 9.3 of the NICE paper; the code is not. The files bug10.py to bug13.py
put its defects back, one each.
"""

from os_ken.base import app_manager
from os_ken.controller import ofp_event
from os_ken.controller.handler import CONFIG_DISPATCHER, MAIN_DISPATCHER, set_ev_cls
from os_ken.lib import hub
from os_ken.lib.packet import ethernet, packet
from os_ken.ofproto import ofproto_v1_0

# Three switches in a triangle: a sender at the first, two receivers at the second.
HOSTS = {  # address -> switch and port
    "00:00:00:00:00:01": (1, 1),
    "00:00:00:00:00:02": (2, 1),
    "00:00:00:00:00:03": (2, 2),
}
LINKS = {(1, 2): 3, (1, 3): 4, (2, 1): 3, (2, 3): 4, (3, 1): 3, (3, 2): 4}  # (from, to) -> port
ALWAYS_ON = {(1, 2): (1, 2), (2, 1): (2, 1)}  # (first, last) -> switches on the path
ON_DEMAND = {(1, 2): (1, 3, 2), (2, 1): (2, 3, 1)}
MEASURED = (1, 2)  # the link whose load decides

PERIOD = 3  # seconds between two looks at the load; so few because `sdnloom confirm` waits for them
MUCH = 1_000_000  # bytes in one period


class TrafficEngineering(app_manager.OSKenApp):
    """Gives each flow, a pair of addresses, a path of its own."""

    OFP_VERSIONS = (ofproto_v1_0.OFP_VERSION,)

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.datapaths = {}
        self.sent = 0  # bytes that the measured link had carried when it was last looked at
        self.busy = False
        self.wakes = True  # whether the next flow that starts while there is much traffic goes on demand
        self.paths = {}  # flow -> its path

    def start(self):
        super().start()
        hub.spawn_after(PERIOD, self.poll)

    @set_ev_cls(ofp_event.EventOFPSwitchFeatures, CONFIG_DISPATCHER)
    def switch_joined(self, event):
        self.datapaths[event.msg.datapath.id] = event.msg.datapath

    # -- the load -----------------------------------------------------------------------------------------------

    def poll(self):
        datapath = self.datapaths[MEASURED[0]]
        datapath.send_msg(datapath.ofproto_parser.OFPPortStatsRequest(datapath, 0, LINKS[MEASURED]))
        hub.spawn_after(PERIOD, self.poll)

    @set_ev_cls(ofp_event.EventOFPPortStatsReply, MAIN_DISPATCHER)
    def port_stats(self, event):
        for row in event.msg.body:
            if row.port_no == LINKS[MEASURED]:
                self.busy = row.tx_bytes - self.sent > MUCH
                self.sent = row.tx_bytes
                self.load_seen()

    def load_seen(self):
        """Nothing: each flow looks at the load when it starts."""

    # -- flows --------------------------------------------------------------------------------------------------

    @set_ev_cls(ofp_event.EventOFPPacketIn, MAIN_DISPATCHER)
    def packet_in(self, event):
        message = event.msg
        frame = packet.Packet(message.data).get_protocol(ethernet.ethernet)
        if frame is None or frame.src not in HOSTS or frame.dst not in HOSTS:
            self.release(message, [])
        elif (message.datapath.id, message.in_port) == HOSTS[frame.src]:
            self.at_ingress(message, (frame.src, frame.dst))
        else:
            self.on_the_way(message, (frame.src, frame.dst))

    def at_ingress(self, message, flow):
        """Choose a path for a new flow and install it; either way the packet goes along the path."""
        if flow in self.paths:
            self.forward(message, flow, self.paths[flow])
        else:
            path = self.paths[flow] = self.choose(HOSTS[flow[0]][0], HOSTS[flow[1]][0])
            self.install_path(flow, path)
            self.first_packet(message, flow, path)

    def install_path(self, flow, path):
        for datapath_id in path:
            self.install(datapath_id, flow, path)

    def first_packet(self, message, flow, path):
        self.forward(message, flow, path)

    def choose(self, first, last):
        """The path of a new flow: always-on or, while there is much traffic, every other one on demand."""
        if first == last:
            return (first,)
        if not self.busy:
            return ALWAYS_ON[first, last]
        table = ON_DEMAND if self.wakes else ALWAYS_ON
        self.wakes = not self.wakes
        return table[first, last]

    def on_the_way(self, message, flow):
        """A packet was faster than the rule for it: it goes along the path that its flow was given."""
        path = self.paths.get(flow, ())
        if message.datapath.id in path:
            self.forward(message, flow, path)
        else:
            self.release(message, [])

    # -- messages -----------------------------------------------------------------------------------------------

    def way_out(self, datapath, flow, path):
        place = path.index(datapath.id)
        port = HOSTS[flow[1]][1] if place == len(path) - 1 else LINKS[path[place], path[place + 1]]
        return [datapath.ofproto_parser.OFPActionOutput(port)]

    def install(self, datapath_id, flow, path):
        datapath = self.datapaths[datapath_id]
        parser = datapath.ofproto_parser
        match = parser.OFPMatch(dl_src=flow[0], dl_dst=flow[1])
        datapath.send_msg(parser.OFPFlowMod(datapath, match, actions=self.way_out(datapath, flow, path)))

    def forward(self, message, flow, path):
        self.release(message, self.way_out(message.datapath, flow, path))

    def release(self, message, actions):
        """Do this with the packet that a switch sent: the one that waits there or, if none does, what came here."""
        datapath = message.datapath
        data = message.data if message.buffer_id == datapath.ofproto.OFP_NO_BUFFER else None
        datapath.send_msg(
            datapath.ofproto_parser.OFPPacketOut(datapath, message.buffer_id, message.in_port, actions, data)
        )
