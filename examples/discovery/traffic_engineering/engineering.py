"""Traffic engineering by destination (os-ken, OpenFlow 1.3): offices take the short path, bulk data the long one.

    h1 - s1:1 [s1] s1:3 ------------- s2:3 [s2] s2:1 - offices 10.0.1.0/24
                   s1:4 - s3:3 [s3] s3:4 - s2:4 s2:2 - data centre 10.0.2.0/24, archive 172.16.3.0/24

The company's networks have rules from the start: the data centre is reached by the long path, all others by the short
one. The archive is used so rarely that its addresses get rules one by one, when they are used; it is reached by the
long path, too. The program looks at the load of the long path from time to time: while it is high, the upper half of
the data centre goes the short way.
"""

import netaddr
from os_ken.base import app_manager
from os_ken.controller import ofp_event
from os_ken.controller.handler import CONFIG_DISPATCHER, MAIN_DISPATCHER, set_ev_cls
from os_ken.lib import hub
from os_ken.lib.packet import ether_types, ipv4, packet
from os_ken.ofproto import ofproto_v1_3

INGRESS, EGRESS, DETOUR = 1, 2, 3  # datapath ids
HERE = 1  # the port of s1 at which the senders are
SHORT, LONG = 3, 4  # ports of s1 and s2
THERE, BACK = 4, 3  # ports of s3

CLIENTS = netaddr.IPNetwork("10.0.0.0/24")
OFFICES = netaddr.IPNetwork("10.0.1.0/24")
DATA = netaddr.IPNetwork("10.0.2.0/24")
UPPER_HALF = netaddr.IPNetwork("10.0.2.128/25")
COMPANY = netaddr.IPNetwork("10.0.0.0/16")
ARCHIVE = netaddr.IPNetwork("172.16.3.0/24")
SITES = {OFFICES: 1, DATA: 2, ARCHIVE: 2}  # network -> port of s2

ADDRESS, RELIEF, NETWORK, OTHERS, DEFAULT = 400, 300, 200, 100, 0  # priorities
PERIOD = 10  # seconds between two looks at the load
MUCH = 1_000_000  # bytes in one period


class TrafficEngineering(app_manager.OSKenApp):
    OFP_VERSIONS = (ofproto_v1_3.OFP_VERSION,)

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.datapaths = {}
        self.sent = 0  # bytes that the long path had carried when it was last looked at
        self.relieved = False  # whether the upper half goes the short way

    def start(self):
        super().start()
        hub.spawn_after(PERIOD, self.poll)

    # -- rules that are there from the start ---------------------------------------------------------------------

    @set_ev_cls(ofp_event.EventOFPSwitchFeatures, CONFIG_DISPATCHER)
    def switch_features(self, ev):
        datapath = self.datapaths[ev.msg.datapath.id] = ev.msg.datapath
        if datapath.id == INGRESS:
            self.configure_ingress(datapath)
        elif datapath.id == EGRESS:
            self.configure_egress(datapath)
        elif datapath.id == DETOUR:
            self.install(datapath, NETWORK, THERE, in_port=BACK)
            self.install(datapath, NETWORK, BACK, in_port=THERE)

    def configure_ingress(self, datapath):
        self.install_route(datapath, NETWORK, LONG, self.data_centre())
        self.install_route(datapath, NETWORK, HERE, CLIENTS)
        self.install_route(datapath, OTHERS, SHORT, COMPANY)
        self.install(datapath, DEFAULT, datapath.ofproto.OFPP_CONTROLLER, eth_type=ether_types.ETH_TYPE_IP)

    def data_centre(self):
        """The addresses that go the long way."""
        return DATA

    def configure_egress(self, datapath):
        for network, port in SITES.items():
            self.install_route(datapath, NETWORK, port, network)
        for network in (DATA, ARCHIVE):
            back = (str(network.ip), str(network.netmask))
            self.install_route(datapath, RELIEF, LONG, CLIENTS, ipv4_src=back)
        self.install_route(datapath, NETWORK, SHORT, CLIENTS)

    # -- the archive ---------------------------------------------------------------------------------------------

    @set_ev_cls(ofp_event.EventOFPPacketIn, MAIN_DISPATCHER)
    def packet_in(self, ev):
        message, datapath = ev.msg, ev.msg.datapath
        datagram = packet.Packet(message.data).get_protocol(ipv4.ipv4)
        if datagram is None or datapath.id != INGRESS:
            return
        address = netaddr.IPAddress(datagram.dst)
        if address not in ARCHIVE:
            return  # nothing is there
        out_port = self.path_to(address)
        self.install(datapath, ADDRESS, out_port, eth_type=ether_types.ETH_TYPE_IP, ipv4_dst=str(address))
        parser = datapath.ofproto_parser
        datapath.send_msg(
            parser.OFPPacketOut(
                datapath=datapath,
                buffer_id=datapath.ofproto.OFP_NO_BUFFER,
                in_port=message.match["in_port"],
                actions=[parser.OFPActionOutput(out_port)],
                data=message.data,
            )
        )

    def path_to(self, address):
        """The port of s1 for an address of the archive."""
        return LONG

    # -- the load ------------------------------------------------------------------------------------------------

    def poll(self):
        datapath = self.datapaths[INGRESS]
        datapath.send_msg(datapath.ofproto_parser.OFPPortStatsRequest(datapath, 0, LONG))
        hub.spawn_after(PERIOD, self.poll)

    @set_ev_cls(ofp_event.EventOFPPortStatsReply, MAIN_DISPATCHER)
    def port_stats(self, ev):
        for row in ev.msg.body:
            if row.port_no == LONG:
                self.adapt(ev.msg.datapath, self.load(row.tx_bytes) > MUCH)
                self.sent = row.tx_bytes

    def load(self, sent):
        """The bytes of the last period."""
        return sent - self.sent

    def adapt(self, datapath, much):
        parser, ofproto = datapath.ofproto_parser, datapath.ofproto
        if much and not self.relieved:
            self.install_route(datapath, RELIEF, SHORT, UPPER_HALF)
        elif self.relieved and not much:
            upper_half = (str(UPPER_HALF.ip), str(UPPER_HALF.netmask))
            datapath.send_msg(
                parser.OFPFlowMod(
                    datapath=datapath,
                    command=ofproto.OFPFC_DELETE_STRICT,
                    priority=RELIEF,
                    out_port=ofproto.OFPP_ANY,
                    out_group=ofproto.OFPG_ANY,
                    match=parser.OFPMatch(eth_type=ether_types.ETH_TYPE_IP, ipv4_dst=upper_half),
                )
            )
        self.relieved = much

    # -- messages ------------------------------------------------------------------------------------------------

    def install_route(self, datapath, priority, port, network, **fields):
        target = (str(network.ip), str(network.netmask))
        self.install(datapath, priority, port, eth_type=ether_types.ETH_TYPE_IP, ipv4_dst=target, **fields)

    def install(self, datapath, priority, port, **fields):
        parser, ofproto = datapath.ofproto_parser, datapath.ofproto
        actions = [parser.OFPActionOutput(port, ofproto.OFPCML_NO_BUFFER)]
        instructions = [parser.OFPInstructionActions(ofproto.OFPIT_APPLY_ACTIONS, actions)]
        match = parser.OFPMatch(**fields)
        datapath.send_msg(
            parser.OFPFlowMod(datapath=datapath, priority=priority, match=match, instructions=instructions)
        )
