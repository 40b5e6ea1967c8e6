"""A load balancer for web servers (os-ken, OpenFlow 1.0), with every published defect corrected.

One switch stands between clients and two replicas that share a virtual address. A policy says which replica serves
which group of clients, and each group has one wildcard rule. A timetable changes the policy. The groups that get
another replica are then in transition: their packets go to the controller, which gives each connection a rule of its
own, so that connections stay where they are until the wildcard rule of the new policy takes over.

The design is that of the application in section 9.2 of the NICE paper; the code is not. The files bug4.py to bug9.py
put its defects back, one each.
"""

from typing import NamedTuple

from os_ken.base import app_manager
from os_ken.controller import ofp_event
from os_ken.controller.handler import CONFIG_DISPATCHER, MAIN_DISPATCHER, set_ev_cls
from os_ken.lib import hub
from os_ken.lib.packet import arp, ethernet, ipv4, packet, tcp
from os_ken.ofproto import ofproto_v1_0

VIRTUAL_IP, VIRTUAL_MAC = "10.0.0.100", "00:00:00:00:01:00"
CLIENT_PORT = 1
GROUPS = ("10.0.0.0", "10.0.0.128")  # of clients, by the first 25 bits of their addresses
GROUP_BITS = 25
DAY, NIGHT = (0, 1), (1, 1)  # policies: the replica of each group; at night the first one rests

BALANCED, IN_TRANSITION, CONNECTION = 10, 20, 30  # priorities
PERIOD, TRANSITION, IDLE = 3, 2, 60  # seconds; a real timetable has hours, but `sdnloom confirm` waits for its clock
WHOLE_PACKET = 0xFFFF


class Replica(NamedTuple):
    """A server: its own addresses, and the port that leads to it."""

    ip: str
    mac: str
    port: int


REPLICAS = (Replica("10.0.0.2", "00:00:00:00:00:02", 2), Replica("10.0.0.3", "00:00:00:00:00:03", 3))


class LoadBalancer(app_manager.OSKenApp):
    """Balances the connections to the virtual address. No rule balances anything before the first policy."""

    OFP_VERSIONS = (ofproto_v1_0.OFP_VERSION,)
    first_policy = None
    controller_bytes = WHOLE_PACKET  # how much of a packet in transition the controller wants to see

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.datapath = None
        self.policy = self.first_policy
        self.leaving = {}  # group in transition -> the replica it had, None for none

    def start(self):
        super().start()
        hub.spawn_after(PERIOD, self.change_policy)

    # -- the policy ---------------------------------------------------------------------------------------------

    @set_ev_cls(ofp_event.EventOFPSwitchFeatures, CONFIG_DISPATCHER)
    def switch_joined(self, event):
        self.datapath = event.msg.datapath
        for replica in REPLICAS:
            self.install_way_back(replica)
        for group in GROUPS if self.policy else ():
            if group in self.leaving:
                self.install_transition(group)
            else:
                self.install_balanced(group)

    def change_policy(self):
        """The timetable's next policy; groups that get another replica go into transition."""
        before, self.policy = self.policy, NIGHT if self.policy == DAY else DAY
        for place, group in enumerate(GROUPS):
            replica = before[place] if before else None
            if replica != self.policy[place]:
                self.leaving[group] = replica
                self.divert(group, installed=replica is not None)
        hub.spawn_after(TRANSITION, self.end_transition)
        hub.spawn_after(PERIOD, self.change_policy)

    def divert(self, group, installed):
        """Packets of the group go to the controller before the old rule is gone, so none is without a rule."""
        self.install_transition(group)
        if installed:
            self.remove(BALANCED, group)

    def end_transition(self):
        for group in sorted(self.leaving):
            self.install_balanced(group)
            self.remove(IN_TRANSITION, group)
        self.leaving.clear()

    def choose(self, group, segment):
        """The replica for a connection that has no rule.

        In a transition it is the old one, also for a SYN: that may be the copy of one that opened a connection there.
        """
        old = self.leaving.get(group)
        return REPLICAS[self.policy[GROUPS.index(group)] if old is None else old]

    # -- packets ------------------------------------------------------------------------------------------------

    @set_ev_cls(ofp_event.EventOFPPacketIn, MAIN_DISPATCHER)
    def packet_in(self, event):
        message = event.msg
        headers = packet.Packet(message.data)
        question, ip, segment = (headers.get_protocol(kind) for kind in (arp.arp, ipv4.ipv4, tcp.tcp))
        if question is not None:
            self.arp_in(message, question)
        elif ip is not None and segment is not None:
            self.tcp_in(message, ip, segment)
        else:
            self.unreadable(message)

    def unreadable(self, message):
        self.discard(message)

    def arp_in(self, message, question):
        """Answer who asks for the virtual address; pass on what clients and replicas ask each other."""
        if question.opcode == arp.ARP_REQUEST and question.dst_ip == VIRTUAL_IP:
            self.answer(message, question)
        else:
            ports = {replica.ip: replica.port for replica in REPLICAS}
            self.pass_on(message, ports.get(question.dst_ip, CLIENT_PORT))

    def answer(self, message, question):
        self.send_answer(message, question)
        self.discard(message)  # the question itself goes nowhere

    def send_answer(self, message, question):
        answer = packet.Packet()
        answer.add_protocol(ethernet.ethernet(question.src_mac, VIRTUAL_MAC, 0x0806))
        answer.add_protocol(
            arp.arp(
                opcode=arp.ARP_REPLY,
                src_mac=VIRTUAL_MAC,
                src_ip=VIRTUAL_IP,
                dst_mac=question.src_mac,
                dst_ip=question.src_ip,
            )
        )
        answer.serialize()
        self.send_data(answer.data, message.in_port)

    def pass_on(self, message, port):
        self.release(message, [self.parser.OFPActionOutput(port)])

    def tcp_in(self, message, ip, segment):
        group = self.group_of(ip.src)
        if self.policy is None or group is None or ip.dst != VIRTUAL_IP:
            self.discard(message)  # nobody to send it to
        else:
            self.connect(message, ip, segment, self.choose(group, segment))

    def connect(self, message, ip, segment, replica):
        """Give a connection a rule of its own, and send the packet the same way."""
        self.install_connection(ip, segment, replica)
        self.release(message, self.to(replica))

    def group_of(self, address):
        first, _, last = address.rpartition(".")
        group = f"{first}.{int(last) & 0x80}"
        return group if group in GROUPS else None

    # -- rules --------------------------------------------------------------------------------------------------

    @property
    def parser(self):
        return self.datapath.ofproto_parser

    @property
    def ofp(self):
        return self.datapath.ofproto

    def to(self, replica):
        parser = self.parser
        return [
            parser.OFPActionSetDlDst(replica.mac),
            parser.OFPActionSetNwDst(replica.ip),
            parser.OFPActionOutput(replica.port),
        ]

    def group_match(self, group):
        return self.parser.OFPMatch(dl_type=0x0800, nw_proto=6, nw_src=group, nw_src_mask=GROUP_BITS, nw_dst=VIRTUAL_IP)

    def install_way_back(self, replica):
        """What a replica sends to clients comes from the virtual address."""
        parser = self.parser
        match = parser.OFPMatch(in_port=replica.port, dl_type=0x0800, nw_proto=6)
        actions = [
            parser.OFPActionSetDlSrc(VIRTUAL_MAC),
            parser.OFPActionSetNwSrc(VIRTUAL_IP),
            parser.OFPActionOutput(CLIENT_PORT),
        ]
        self.install(match, BALANCED, actions)

    def install_balanced(self, group):
        self.install(self.group_match(group), BALANCED, self.to(REPLICAS[self.policy[GROUPS.index(group)]]))

    def install_transition(self, group):
        output = self.parser.OFPActionOutput(self.ofp.OFPP_CONTROLLER, self.controller_bytes)
        self.install(self.group_match(group), IN_TRANSITION, [output])

    def install_connection(self, ip, segment, replica):
        match = self.parser.OFPMatch(
            dl_type=0x0800,
            nw_proto=6,
            nw_src=ip.src,
            nw_dst=VIRTUAL_IP,
            tp_src=segment.src_port,
            tp_dst=segment.dst_port,
        )
        self.install(match, CONNECTION, self.to(replica), idle_timeout=IDLE)

    def install(self, match, priority, actions, idle_timeout=0):
        self.datapath.send_msg(
            self.parser.OFPFlowMod(self.datapath, match, priority=priority, actions=actions, idle_timeout=idle_timeout)
        )

    def remove(self, priority, group):
        command = self.ofp.OFPFC_DELETE_STRICT
        self.datapath.send_msg(
            self.parser.OFPFlowMod(self.datapath, self.group_match(group), command=command, priority=priority)
        )

    # -- single packets -----------------------------------------------------------------------------------------

    def release(self, message, actions):
        """Do this with the packet that a switch sent: the one that waits there or, if none does, what came here."""
        data = message.data if message.buffer_id == self.ofp.OFP_NO_BUFFER else None
        self.datapath.send_msg(
            self.parser.OFPPacketOut(self.datapath, message.buffer_id, message.in_port, actions, data)
        )

    def discard(self, message):
        if message.buffer_id != self.ofp.OFP_NO_BUFFER:
            self.release(message, [])

    def send_data(self, data, port):
        actions = [self.parser.OFPActionOutput(port)]
        self.datapath.send_msg(
            self.parser.OFPPacketOut(self.datapath, self.ofp.OFP_NO_BUFFER, self.ofp.OFPP_NONE, actions, data)
        )
