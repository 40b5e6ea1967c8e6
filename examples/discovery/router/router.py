"""A router (os-ken, OpenFlow 1.3) between three networks, one of which lies inside another.

    a 10.1.0.0/24 - s1:1 [s1] s1:2 - b 10.2.0.0/16
                              s1:3 - c 10.2.3.0/24

The routes are rules that are there from the start, with the length of the prefix as part of the priority. A rule lowers
the time to live and writes the MAC addresses of the router and of the next hop. The program answers ARP requests and
pings for the router's own addresses, reports packets whose time is up or that have no route, and routes by itself what
comes to it before the rules are there.
"""

import ipaddress

from os_ken.base import app_manager
from os_ken.controller import ofp_event
from os_ken.controller.handler import CONFIG_DISPATCHER, MAIN_DISPATCHER, set_ev_cls
from os_ken.lib.packet import arp, ether_types, ethernet, icmp, ipv4, packet
from os_ken.ofproto import ofproto_v1_3

MAC = "02:00:00:00:00:fe"
INTERFACES = {  # port -> the router's address there, with its network
    1: ipaddress.ip_interface("10.1.0.1/24"),
    2: ipaddress.ip_interface("10.2.0.1/16"),
    3: ipaddress.ip_interface("10.2.3.1/24"),
}
NEXT_HOPS = {1: "00:00:00:00:00:01", 2: "00:00:00:00:00:02", 3: "00:00:00:00:00:03"}  # port -> MAC address
OWN, ROUTE, NO_ROUTE = 200, 100, 10  # priorities


class Router(app_manager.OSKenApp):
    OFP_VERSIONS = (ofproto_v1_3.OFP_VERSION,)

    # -- rules that are there from the start ---------------------------------------------------------------------

    @set_ev_cls(ofp_event.EventOFPSwitchFeatures, CONFIG_DISPATCHER)
    def switch_features(self, ev):
        datapath = ev.msg.datapath
        parser, ofproto = datapath.ofproto_parser, datapath.ofproto
        to_controller = [parser.OFPActionOutput(ofproto.OFPP_CONTROLLER, ofproto.OFPCML_NO_BUFFER)]
        routed = {"eth_dst": MAC, "eth_type": ether_types.ETH_TYPE_IP}
        self.install(datapath, OWN, to_controller, eth_type=ether_types.ETH_TYPE_ARP)
        for port, interface in INTERFACES.items():
            self.install(datapath, OWN, to_controller, ipv4_dst=str(interface.ip), **routed)
            prefix = (str(interface.network.network_address), str(interface.network.netmask))
            self.install(datapath, self.priority(interface), self.to_hop(parser, port), ipv4_dst=prefix, **routed)
        self.install(datapath, NO_ROUTE, to_controller, **routed)
        reasons = (ofproto.OFPR_NO_MATCH, ofproto.OFPR_ACTION, ofproto.OFPR_INVALID_TTL)
        wanted = sum(1 << reason for reason in reasons)
        datapath.send_msg(parser.OFPSetAsync(datapath, [wanted, 0], [0, 0], [0, 0]))

    def priority(self, interface):
        """The longest prefix wins."""
        return ROUTE + interface.network.prefixlen

    def to_hop(self, parser, port):
        return [
            parser.OFPActionDecNwTtl(),
            parser.OFPActionSetField(eth_src=MAC),
            parser.OFPActionSetField(eth_dst=self.next_hop(port)),
            parser.OFPActionOutput(port),
        ]

    def next_hop(self, port):
        return NEXT_HOPS[port]

    # -- packets for the router ----------------------------------------------------------------------------------

    @set_ev_cls(ofp_event.EventOFPPacketIn, MAIN_DISPATCHER)
    def packet_in(self, ev):
        message, in_port = ev.msg, ev.msg.match["in_port"]
        frame = packet.Packet(message.data)
        question, datagram = frame.get_protocol(arp.arp), frame.get_protocol(ipv4.ipv4)
        if question is not None:
            if question.opcode == arp.ARP_REQUEST and self.is_asked(INTERFACES[in_port], question.dst_ip):
                self.answer_arp(message.datapath, in_port, question)
        elif datagram is not None and frame.get_protocol(ethernet.ethernet).dst == MAC:
            self.handle_datagram(message, in_port, frame, datagram)

    def is_asked(self, interface, address):
        """Whether an ARP request at an interface is for the router."""
        return ipaddress.ip_address(address) == interface.ip

    def answer_arp(self, datapath, in_port, question):
        answer = arp.arp(
            opcode=arp.ARP_REPLY,
            src_mac=MAC,
            src_ip=question.dst_ip,
            dst_mac=question.src_mac,
            dst_ip=question.src_ip,
        )
        self.send(datapath, in_port, question.src_mac, ether_types.ETH_TYPE_ARP, answer)

    def handle_datagram(self, message, in_port, frame, datagram):
        target = ipaddress.ip_address(datagram.dst)
        out_port = self.route(target)
        if self.expired(message):
            self.report(message.datapath, in_port, frame, icmp.ICMP_TIME_EXCEEDED, icmp.TimeExceeded)
        elif any(target == interface.ip for interface in INTERFACES.values()):
            self.answer_ping(message.datapath, in_port, frame, datagram)
        elif out_port is None:
            self.report(message.datapath, in_port, frame, icmp.ICMP_DEST_UNREACH, icmp.dest_unreach)
        else:
            datagram.ttl = max(datagram.ttl, 1) - 1
            datagram.csum = 0
            headers = frame.protocols[1:]
            self.send(message.datapath, out_port, self.next_hop(out_port), ether_types.ETH_TYPE_IP, *headers)

    def expired(self, message):
        """Whether the switch sends a packet because its time to live is up."""
        return message.reason == message.datapath.ofproto.OFPR_INVALID_TTL

    def route(self, target):
        """The port of the longest prefix, or None."""
        found = [(each.network.prefixlen, port) for port, each in INTERFACES.items() if target in each.network]
        return max(found)[1] if found else None

    def answer_ping(self, datapath, in_port, frame, datagram):
        message = frame.get_protocol(icmp.icmp)
        if message is not None and message.type == icmp.ICMP_ECHO_REQUEST:
            reply = ipv4.ipv4(src=datagram.dst, dst=datagram.src, proto=datagram.proto)
            echo = icmp.icmp(icmp.ICMP_ECHO_REPLY, icmp.ICMP_ECHO_REPLY_CODE, data=message.data)
            mac = frame.get_protocol(ethernet.ethernet).src
            self.send(datapath, in_port, mac, ether_types.ETH_TYPE_IP, reply, echo)

    def report(self, datapath, in_port, frame, kind, body):
        """Tell the sender of a packet what became of it."""
        sender = frame.get_protocol(ethernet.ethernet).src
        datagram = frame.get_protocol(ipv4.ipv4)
        header = ipv4.ipv4(src=str(INTERFACES[in_port].ip), dst=datagram.src, proto=1)
        self.send(datapath, in_port, sender, ether_types.ETH_TYPE_IP, header, icmp.icmp(kind, 0, data=body()))

    # -- messages ------------------------------------------------------------------------------------------------

    def install(self, datapath, priority, actions, **fields):
        parser = datapath.ofproto_parser
        instructions = [parser.OFPInstructionActions(datapath.ofproto.OFPIT_APPLY_ACTIONS, actions)]
        match = parser.OFPMatch(**fields)
        datapath.send_msg(
            parser.OFPFlowMod(datapath=datapath, priority=priority, match=match, instructions=instructions)
        )

    def send(self, datapath, port, mac, kind, *headers):
        frame = packet.Packet()
        for header in (ethernet.ethernet(dst=mac, src=MAC, ethertype=kind), *headers):
            frame.add_protocol(header)
        frame.serialize()
        parser, ofproto = datapath.ofproto_parser, datapath.ofproto
        datapath.send_msg(
            parser.OFPPacketOut(
                datapath=datapath,
                buffer_id=ofproto.OFP_NO_BUFFER,
                in_port=ofproto.OFPP_CONTROLLER,
                actions=[parser.OFPActionOutput(port)],
                data=frame.data,
            )
        )
