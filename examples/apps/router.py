"""A router for os-ken: it has one address in each network, answers ARP requests for them, and routes IP packets.

A packet to a host whose MAC address it does not know waits until the host has answered an ARP request.
"""

import ipaddress

from os_ken.base import app_manager
from os_ken.controller import ofp_event
from os_ken.controller.handler import CONFIG_DISPATCHER, MAIN_DISPATCHER, set_ev_cls
from os_ken.lib.packet import arp, ether_types, ethernet, ipv4, packet
from os_ken.ofproto import ofproto_v1_3

MAC = "02:00:00:00:00:fe"
GATEWAYS = ("10.1.0.1", "10.2.0.1")  # each in a network of 24 bits


def gateway_of(address):
    """The router's own address in the network of an address, or None."""
    networks = {gateway: ipaddress.ip_network(f"{gateway}/24", strict=False) for gateway in GATEWAYS}
    return next((gateway for gateway in GATEWAYS if ipaddress.ip_address(address) in networks[gateway]), None)


class Router(app_manager.OSKenApp):
    OFP_VERSIONS = (ofproto_v1_3.OFP_VERSION,)

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.hosts = {}  # IP address -> MAC address and port
        self.waiting = {}  # IP address -> packets to it

    @set_ev_cls(ofp_event.EventOFPSwitchFeatures, CONFIG_DISPATCHER)
    def switch_features(self, ev):
        datapath = ev.msg.datapath
        parser, ofproto = datapath.ofproto_parser, datapath.ofproto
        to_controller = [parser.OFPActionOutput(ofproto.OFPP_CONTROLLER, ofproto.OFPCML_NO_BUFFER)]
        instructions = [parser.OFPInstructionActions(ofproto.OFPIT_APPLY_ACTIONS, to_controller)]
        datapath.send_msg(parser.OFPFlowMod(datapath=datapath, priority=0, instructions=instructions))

    @set_ev_cls(ofp_event.EventOFPPacketIn, MAIN_DISPATCHER)
    def packet_in(self, ev):
        datapath, in_port = ev.msg.datapath, ev.msg.match["in_port"]
        frame = packet.Packet(ev.msg.data)
        message, datagram = frame.get_protocol(arp.arp), frame.get_protocol(ipv4.ipv4)
        if message is not None:
            self.learn(datapath, in_port, message)
        elif datagram is not None and frame.get_protocol(ethernet.ethernet).dst == MAC:
            self.route(datapath, datagram.dst, frame)

    def learn(self, datapath, in_port, message):
        """Learn who sends an ARP message, answer it, and send what has waited for it."""
        self.hosts[message.src_ip] = (message.src_mac, in_port)
        if message.opcode == arp.ARP_REQUEST and message.dst_ip in GATEWAYS:
            answer = arp.arp(
                opcode=arp.ARP_REPLY,
                src_mac=MAC,
                src_ip=message.dst_ip,
                dst_mac=message.src_mac,
                dst_ip=message.src_ip,
            )
            self.send(datapath, in_port, message.src_mac, ether_types.ETH_TYPE_ARP, answer)
        for frame in self.waiting.pop(message.src_ip, ()):
            self.route(datapath, message.src_ip, frame)

    def route(self, datapath, target, frame):
        gateway = gateway_of(target)
        if target in self.hosts:
            mac, port = self.hosts[target]
            self.send(datapath, port, mac, ether_types.ETH_TYPE_IP, *frame.protocols[1:])
        elif gateway is not None:
            self.waiting.setdefault(target, []).append(frame)
            question = arp.arp(opcode=arp.ARP_REQUEST, src_mac=MAC, src_ip=gateway, dst_ip=target)
            self.send(datapath, datapath.ofproto.OFPP_FLOOD, "ff:ff:ff:ff:ff:ff", ether_types.ETH_TYPE_ARP, question)

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
