"""A firewall for two switches (os-ken, OpenFlow 1.3): a service for the world, and replies for those who ask.

    the world - s1:1 [edge] s1:2 - s2:3 [inside] s2:1 - web
                                                 s2:2 - other machines

The edge filters in table 0 and forwards in table 1. From the world, only TCP to the web server comes in, and not to
its administration port. A machine inside may open TCP connections to the world: the controller sees the first packet
and opens the edge for the connection, in both directions. The inside switch forwards IPv4 by address and floods ARP.
"""

import ipaddress

from os_ken.base import app_manager
from os_ken.controller import ofp_event
from os_ken.controller.handler import CONFIG_DISPATCHER, MAIN_DISPATCHER, set_ev_cls
from os_ken.lib.packet import ether_types, in_proto, ipv4, packet, tcp
from os_ken.ofproto import ofproto_v1_3

EDGE, INSIDE = 1, 2  # datapath ids
WORLD, TRUNK = 1, 2  # ports of the edge
UPLINK = 3  # port of the inside switch
MACHINES = {"10.0.0.80": 1, "10.0.0.20": 2}  # address -> port of the inside switch
NETWORK = ipaddress.ip_network("10.0.0.0/24")
WEB = "10.0.0.80"
ADMINISTRATION = 8443

FILTER, FORWARD = 0, 1  # tables of the edge
CONNECTION, ARP, DENY, ALLOW, ASK, DEFAULT = 500, 400, 300, 200, 100, 0  # priorities in the filter
IDLE = 60  # seconds until a connection is forgotten
TCP = {"eth_type": ether_types.ETH_TYPE_IP, "ip_proto": in_proto.IPPROTO_TCP}


class Firewall(app_manager.OSKenApp):
    OFP_VERSIONS = (ofproto_v1_3.OFP_VERSION,)

    @set_ev_cls(ofp_event.EventOFPSwitchFeatures, CONFIG_DISPATCHER)
    def switch_features(self, ev):
        datapath = ev.msg.datapath
        if datapath.id == EDGE:
            self.configure_filter(datapath)
            self.configure_edge(datapath)
        elif datapath.id == INSIDE:
            self.configure_inside(datapath)

    # -- rules that are there from the start ---------------------------------------------------------------------

    def configure_filter(self, datapath):
        """What may pass the edge: everything else that comes from the world is dropped by the last rule."""
        parser, ofproto = datapath.ofproto_parser, datapath.ofproto
        self.admit(datapath, ARP, parser.OFPMatch(eth_type=ether_types.ETH_TYPE_ARP))
        self.close_administration(datapath)
        self.admit(datapath, ALLOW, self.web_traffic(parser))
        self.admit(datapath, ALLOW, parser.OFPMatch(in_port=TRUNK, ipv4_src=WEB, **TCP))
        to_controller = [parser.OFPActionOutput(ofproto.OFPP_CONTROLLER, ofproto.OFPCML_NO_BUFFER)]
        self.install(datapath, FILTER, ASK, parser.OFPMatch(in_port=TRUNK, **TCP), self.apply(datapath, to_controller))
        self.install(datapath, FILTER, DEFAULT, parser.OFPMatch(), [])

    def web_traffic(self, parser):
        """The packets from the world that the web server may get."""
        return parser.OFPMatch(in_port=WORLD, ipv4_dst=WEB, **TCP)

    def close_administration(self, datapath):
        self.deny_administration(datapath, DENY, in_port=WORLD)

    def deny_administration(self, datapath, priority, **where):
        match = datapath.ofproto_parser.OFPMatch(ipv4_dst=WEB, tcp_dst=ADMINISTRATION, **TCP, **where)
        self.install(datapath, FILTER, priority, match, [])

    def configure_edge(self, datapath):
        for in_port, out_port in ((WORLD, TRUNK), (TRUNK, WORLD)):
            self.forward(datapath, FORWARD, 1, out_port, in_port=in_port)

    def configure_inside(self, datapath):
        for address, port in MACHINES.items():
            self.forward(datapath, 0, 2, port, eth_type=ether_types.ETH_TYPE_IP, ipv4_dst=address)
        self.forward(datapath, 0, 1, UPLINK, eth_type=ether_types.ETH_TYPE_IP)
        self.forward(datapath, 0, 1, datapath.ofproto.OFPP_FLOOD, eth_type=ether_types.ETH_TYPE_ARP)

    # -- connections from inside ---------------------------------------------------------------------------------

    @set_ev_cls(ofp_event.EventOFPPacketIn, MAIN_DISPATCHER)
    def packet_in(self, ev):
        """The first packet of a connection from inside: let the connection pass, then the packet."""
        message, datapath = ev.msg, ev.msg.datapath
        if (datapath.id, message.match["in_port"]) != (EDGE, TRUNK):
            return
        frame = packet.Packet(message.data)
        datagram = frame.get_protocol(ipv4.ipv4)
        segment = frame.get_protocol(tcp.tcp)
        if segment is None or ipaddress.ip_address(datagram.dst) in NETWORK:
            return  # nobody inside is reached by way of the world
        self.open_connection(datapath, datagram, segment)
        parser, ofproto = datapath.ofproto_parser, datapath.ofproto
        datapath.send_msg(
            parser.OFPPacketOut(
                datapath=datapath,
                buffer_id=ofproto.OFP_NO_BUFFER,
                in_port=TRUNK,
                actions=[parser.OFPActionOutput(ofproto.OFPP_TABLE)],
                data=message.data,
            )
        )

    def open_connection(self, datapath, datagram, segment):
        parser = datapath.ofproto_parser
        there = {"ipv4_src": datagram.src, "ipv4_dst": datagram.dst}
        there |= {"tcp_src": segment.src_port, "tcp_dst": segment.dst_port}
        self.admit(datapath, CONNECTION, parser.OFPMatch(in_port=TRUNK, **TCP, **there), IDLE)
        back = {"ipv4_src": datagram.dst, "ipv4_dst": datagram.src, **self.ports_of_replies(segment)}
        self.admit(datapath, CONNECTION, parser.OFPMatch(in_port=WORLD, **TCP, **back), IDLE)

    def ports_of_replies(self, segment):
        return {"tcp_src": segment.dst_port, "tcp_dst": segment.src_port}

    # -- messages ------------------------------------------------------------------------------------------------

    def apply(self, datapath, actions):
        return [datapath.ofproto_parser.OFPInstructionActions(datapath.ofproto.OFPIT_APPLY_ACTIONS, actions)]

    def admit(self, datapath, priority, match, idle_timeout=0):
        """Let packets pass the filter."""
        onwards = [datapath.ofproto_parser.OFPInstructionGotoTable(FORWARD)]
        self.install(datapath, FILTER, priority, match, onwards, idle_timeout)

    def forward(self, datapath, table, priority, port, **fields):
        parser = datapath.ofproto_parser
        actions = self.apply(datapath, [parser.OFPActionOutput(port)])
        self.install(datapath, table, priority, parser.OFPMatch(**fields), actions)

    def install(self, datapath, table, priority, match, instructions, idle_timeout=0):
        datapath.send_msg(
            datapath.ofproto_parser.OFPFlowMod(
                datapath=datapath,
                table_id=table,
                priority=priority,
                match=match,
                instructions=instructions,
                idle_timeout=idle_timeout,
            )
        )
