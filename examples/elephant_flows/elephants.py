"""Moves large flows to another path (os-ken, OpenFlow 1.3), with a mistake that little traffic never shows.

Packets from h1 to h2 and h3 take the link from s1 to s2. Every ten seconds the program asks s1 how much each of its
entries has carried, and moves a flow that is faster than the limit to the path over s3: first it tells s1, then s3. A
packet that is faster than the second message finds no entry at s3 and is dropped.

`elephants_fixed.py` has the correction.
"""

from os_ken.base import app_manager
from os_ken.controller import ofp_event
from os_ken.controller.handler import CONFIG_DISPATCHER, MAIN_DISPATCHER, set_ev_cls
from os_ken.lib import hub
from os_ken.ofproto import ofproto_v1_3

HOSTS = {"00:00:00:00:00:02": 1, "00:00:00:00:00:03": 2}  # address -> port of s2
DIRECT, DETOUR = 3, 4  # ports of s1, to s2 and to s3
ONWARD = 4  # the port of s3 to s2
PERIOD = 10  # seconds
LIMIT = 80.0  # Mbit/s


class Elephants(app_manager.OSKenApp):
    OFP_VERSIONS = (ofproto_v1_3.OFP_VERSION,)

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.datapaths = {}
        self.carried = {}  # address -> bytes that its entry had carried when it was last looked at
        self.moved = set()

    def start(self):
        super().start()
        hub.spawn_after(PERIOD, self.poll)

    @set_ev_cls(ofp_event.EventOFPSwitchFeatures, CONFIG_DISPATCHER)
    def switch_joined(self, event):
        datapath = event.msg.datapath
        self.datapaths[datapath.id] = datapath
        for address, port in HOSTS.items():
            if datapath.id == 1:
                self.install(datapath, address, DIRECT)
            elif datapath.id == 2:
                self.install(datapath, address, port)

    def poll(self):
        datapath = self.datapaths[1]
        datapath.send_msg(datapath.ofproto_parser.OFPFlowStatsRequest(datapath))
        hub.spawn_after(PERIOD, self.poll)

    @set_ev_cls(ofp_event.EventOFPFlowStatsReply, MAIN_DISPATCHER)
    def flow_stats(self, event):
        for row in event.msg.body:
            address = row.match["eth_dst"]
            rate = (row.byte_count - self.carried.get(address, 0)) * 8 / PERIOD / 1e6
            self.carried[address] = row.byte_count
            if rate > LIMIT and address not in self.moved:
                self.moved.add(address)
                self.move(address)

    def move(self, address):
        self.install(self.datapaths[1], address, DETOUR)
        self.install(self.datapaths[3], address, ONWARD)

    def install(self, datapath, address, port):
        parser, ofproto = datapath.ofproto_parser, datapath.ofproto
        actions = [parser.OFPActionOutput(port)]
        instructions = [parser.OFPInstructionActions(ofproto.OFPIT_APPLY_ACTIONS, actions)]
        match = parser.OFPMatch(eth_dst=address)
        datapath.send_msg(parser.OFPFlowMod(datapath=datapath, match=match, instructions=instructions))
