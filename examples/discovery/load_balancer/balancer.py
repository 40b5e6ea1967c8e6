"""A load balancer (os-ken, OpenFlow 1.3): one address for a service that two servers give.

    clients - s1:1 [s1] s1:2 - one
                        s1:3 - two

Clients know one address, for which the program answers ARP requests. The first packet of a TCP connection to the
service makes the program choose a server and install two rules: one that sends the connection there, one that lets the
answers come back from the address of the service. Questions to the name service, one UDP packet each, need no
connection: a group of type SELECT spreads them, with rules that are there from the start.
"""

from os_ken.base import app_manager
from os_ken.controller import ofp_event
from os_ken.controller.handler import CONFIG_DISPATCHER, MAIN_DISPATCHER, set_ev_cls
from os_ken.lib.packet import arp, ether_types, ethernet, in_proto, ipv4, packet, tcp
from os_ken.ofproto import ofproto_v1_3

SERVICE_IP, SERVICE_MAC = "10.0.0.100", "02:00:00:00:00:64"
SERVERS = (  # address, MAC address, port of the switch
    ("10.0.0.2", "00:00:00:00:00:02", 2),
    ("10.0.0.3", "00:00:00:00:00:03", 3),
)
CLIENTS = 1  # the port of the switch at which all clients are
WEB, NAMES = 80, 53  # ports of the service: TCP, UDP
GROUP = 1


class LoadBalancer(app_manager.OSKenApp):
    OFP_VERSIONS = (ofproto_v1_3.OFP_VERSION,)

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.turn = 0  # the server that gets the next connection
        self.chosen = {}  # a client's address and port -> its server

    # -- rules that are there from the start ---------------------------------------------------------------------

    @set_ev_cls(ofp_event.EventOFPSwitchFeatures, CONFIG_DISPATCHER)
    def switch_features(self, ev):
        datapath = ev.msg.datapath
        parser, ofproto = datapath.ofproto_parser, datapath.ofproto
        to_controller = [parser.OFPActionOutput(ofproto.OFPP_CONTROLLER, ofproto.OFPCML_NO_BUFFER)]
        self.install(datapath, 0, to_controller)
        self.configure_names(datapath)

    def configure_names(self, datapath):
        """Spread the questions to the name service; answers come from its address."""
        parser, ofproto = datapath.ofproto_parser, datapath.ofproto
        buckets = [self.bucket(parser, server) for server in SERVERS]
        datapath.send_msg(
            parser.OFPGroupMod(datapath, ofproto.OFPGC_ADD, ofproto.OFPGT_SELECT, group_id=GROUP, buckets=buckets)
        )
        datagram = {"eth_type": ether_types.ETH_TYPE_IP, "ip_proto": in_proto.IPPROTO_UDP}
        self.install(
            datapath,
            100,
            [parser.OFPActionGroup(GROUP)],
            in_port=CLIENTS,
            eth_dst=SERVICE_MAC,
            ipv4_dst=SERVICE_IP,
            udp_dst=NAMES,
            **datagram,
        )
        for address, _, port in SERVERS:
            back = self.to_client(parser)
            self.install(datapath, 100, back, in_port=port, ipv4_src=address, udp_src=NAMES, **datagram)

    def bucket(self, parser, server):
        return parser.OFPBucket(weight=1, actions=self.to_server(parser, server))

    def to_server(self, parser, server):
        address, mac, port = server
        return [
            parser.OFPActionSetField(eth_dst=mac),
            parser.OFPActionSetField(ipv4_dst=address),
            parser.OFPActionOutput(port),
        ]

    def to_client(self, parser):
        return [
            parser.OFPActionSetField(eth_src=SERVICE_MAC),
            parser.OFPActionSetField(ipv4_src=SERVICE_IP),
            parser.OFPActionOutput(CLIENTS),
        ]

    # -- packets without a rule ----------------------------------------------------------------------------------

    @set_ev_cls(ofp_event.EventOFPPacketIn, MAIN_DISPATCHER)
    def packet_in(self, ev):
        datapath, in_port = ev.msg.datapath, ev.msg.match["in_port"]
        frame = packet.Packet(ev.msg.data)
        question, datagram = frame.get_protocol(arp.arp), frame.get_protocol(ipv4.ipv4)
        segment = frame.get_protocol(tcp.tcp)
        if question is not None:
            self.handle_arp(datapath, in_port, question, ev.msg.data)
        elif in_port != CLIENTS or segment is None:
            return  # servers speak when they are spoken to, and there are no other services
        elif datagram.dst == SERVICE_IP and segment.dst_port == WEB:
            self.connect(datapath, datagram.src, segment.src_port)
            self.release(datapath, in_port, datapath.ofproto.OFPP_TABLE, ev.msg.data)

    def handle_arp(self, datapath, in_port, question, data):
        if question.opcode != arp.ARP_REQUEST or question.dst_ip != SERVICE_IP:
            self.release(datapath, in_port, datapath.ofproto.OFPP_FLOOD, data)
            return
        answer = packet.Packet()
        answer.add_protocol(
            ethernet.ethernet(dst=question.src_mac, src=SERVICE_MAC, ethertype=ether_types.ETH_TYPE_ARP)
        )
        answer.add_protocol(
            arp.arp(
                opcode=arp.ARP_REPLY,
                src_mac=SERVICE_MAC,
                src_ip=SERVICE_IP,
                dst_mac=question.src_mac,
                dst_ip=question.src_ip,
            )
        )
        answer.serialize()
        self.answer_arp(datapath, in_port, answer.data)

    def answer_arp(self, datapath, in_port, data):
        self.release(datapath, datapath.ofproto.OFPP_CONTROLLER, in_port, data)

    def connect(self, datapath, address, client_port):
        """Install the rules of a connection; a repeated first packet finds the server that was chosen."""
        if (address, client_port) not in self.chosen:
            self.chosen[address, client_port] = SERVERS[self.turn]
            self.turn = (self.turn + 1) % len(SERVERS)
        server = self.chosen[address, client_port]
        parser = datapath.ofproto_parser
        segment = {"eth_type": ether_types.ETH_TYPE_IP, "ip_proto": in_proto.IPPROTO_TCP}
        there = {"ipv4_src": address, "ipv4_dst": SERVICE_IP, "tcp_src": client_port, "tcp_dst": WEB}
        self.install(datapath, 200, self.to_server(parser, server), in_port=CLIENTS, **segment, **there)
        back = {"ipv4_src": server[0], "ipv4_dst": address, "tcp_src": WEB, "tcp_dst": client_port}
        self.install(datapath, 200, self.to_client(parser), in_port=server[2], **segment, **back)

    # -- messages ------------------------------------------------------------------------------------------------

    def install(self, datapath, priority, actions, **fields):
        parser = datapath.ofproto_parser
        instructions = [parser.OFPInstructionActions(datapath.ofproto.OFPIT_APPLY_ACTIONS, actions)]
        match = parser.OFPMatch(**fields)
        datapath.send_msg(
            parser.OFPFlowMod(datapath=datapath, priority=priority, match=match, instructions=instructions)
        )

    def release(self, datapath, in_port, out_port, data):
        parser = datapath.ofproto_parser
        datapath.send_msg(
            parser.OFPPacketOut(
                datapath=datapath,
                buffer_id=datapath.ofproto.OFP_NO_BUFFER,
                in_port=in_port,
                actions=[parser.OFPActionOutput(out_port)],
                data=data,
            )
        )
