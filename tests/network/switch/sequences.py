"""Seeded random sequences of stimuli for a switch, from small domains so that entries match packets."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace

from sdnloom.network.openflow import (
    NO_BUFFER,
    V10,
    VLAN_PRESENT,
    AggregateRequest,
    ApplyActions,
    BarrierRequest,
    Bucket,
    ClearActions,
    DecNwTtl,
    EchoRequest,
    Enqueue,
    Experimenter,
    FlowCommand,
    FlowFlag,
    FlowMod,
    FlowStatsRequest,
    GetAsyncRequest,
    GetConfigRequest,
    GotoTable,
    Group,
    GroupCommand,
    GroupDescRequest,
    GroupId,
    GroupMod,
    GroupType,
    Instruction,
    Match,
    OpenFlowAction,
    OpenFlowMessage,
    Output,
    PacketOut,
    PopVlan,
    Port,
    PortConfig,
    PortMod,
    PushVlan,
    Role,
    RoleRequest,
    SetAsync,
    SetConfig,
    SetField,
    SetNwTtl,
    SetQueue,
    WriteActions,
    WriteMetadata,
)
from sdnloom.network.packet import (
    Arp,
    Ethernet,
    Header,
    Icmp,
    Icmpv6,
    IPv4,
    IPv6,
    Packet,
    Tcp,
    Udp,
    Vlan,
    encode,
    stack,
)
from sdnloom.network.switch import Switch
from sdnloom.network.switch.tables.lookup import packet_fields

PORTS = (1, 2, 3)
MACS = (0x020000000001, 0x020000000002, 0x020000000003, 0xFFFFFFFFFFFF)
IPS = (0x0A000001, 0x0A000002, 0x0A000101)
IPS6 = (0xFD000000000000000000000000000001, 0xFD000000000000000000000000010002)
L4 = (80, 81)
VIDS = (5, 6)
TABLES = (0, 1, 2, 3)
PRIORITIES = (0, 1, 2, 0x8000, 0xFFFF)
COOKIES = (0, 1, 0x11, 0x2000000000000001)
GROUPS = (1, 2, 3)
SPECIAL = (Port.IN_PORT, Port.FLOOD, Port.ALL, Port.CONTROLLER, Port.NORMAL, Port.LOCAL)


@dataclass(frozen=True)
class Arrival:
    """A packet comes in."""

    port: int
    packet: Packet


@dataclass(frozen=True)
class Send:
    """The controller sends a message."""

    message: OpenFlowMessage


@dataclass(frozen=True)
class Wait:
    """Time passes: whole seconds, and one millisecond so that deadlines are over."""

    milliseconds: int


Stimulus = Arrival | Send | Wait


class Generator:
    """All choices come from one seeded source: the same seed gives the same sequence everywhere."""

    def __init__(self, config: Switch, seed: int) -> None:
        version = config.version
        self.addresses = {port.port_no: port.hw_addr for port in config.ports}
        self.version = version
        self.old = version == V10
        self.random = random.Random(f"{version} {seed}")
        self.xid = 0

    def sequence(self) -> list[Stimulus]:
        """Return a sequence that ends by asking for all entries."""
        steps = [self.stimulus() for _ in range(self.random.randint(4, 12))]
        return [*steps, Send(FlowStatsRequest(xid=self._next_xid()))]

    def stimulus(self) -> Stimulus:
        kinds = (self._arrival, self._flow_mod, self._packet_out, self._wait, self._group_mod, self._request)
        weights = (30, 40, 10, 7, 0 if self.old else 8, 6)
        return self.random.choices(kinds, weights)[0]()

    def _next_xid(self) -> int:
        self.xid += 1
        return self.xid

    def _one_in(self, number: int) -> bool:
        return self.random.randrange(number) == 0

    def _arrival(self) -> Stimulus:
        return Arrival(self.random.choice(PORTS), self.packet())

    def _wait(self) -> Stimulus:
        return Wait(self.random.choice((1, 1, 2)) * 1000 + 1)

    # -- packets --------------------------------------------------------------------------------------------------

    def packet(self) -> Packet:
        pick = self.random.choice
        headers: list[Header] = [Ethernet(pick(MACS), pick(MACS[:3]), 0x88B5)]
        if self._one_in(3):
            headers.append(Vlan(pick(VIDS), pick((0, 3)), 0, 0x88B5))
            if self._one_in(6):
                headers.append(Vlan(pick(VIDS), pick((0, 3)), 0, 0x88B5))
        kind = self.random.choices(("tcp", "udp", "icmp", "ip", "arp", "other", "ipv6"), (6, 4, 3, 1, 4, 1, 3))[0]
        if kind == "arp":
            headers.append(Arp(pick((1, 2)), pick(MACS[:3]), pick(IPS), pick((0, *MACS[:3])), pick(IPS)))
        elif kind == "ipv6":
            headers.append(
                IPv6(pick(IPS6), pick(IPS6), 59, ttl=pick((1, 2, 64)), dscp=pick((0, 8)), label=pick((0, 7)))
            )
            headers += pick(
                ([Tcp(pick(L4), pick(L4), window=9)], [Udp(pick(L4), pick(L4))], [Icmpv6(128, pick((0, 1)))])
            )
        elif kind != "other":
            ip = IPv4(pick(IPS), pick(IPS), 99, ttl=pick((1, 2, 64)), dscp=pick((0, 8)), ecn=pick((0, 1)))
            if self._one_in(12):  # a fragment: what it carries is opaque
                ip = replace(ip, proto=pick((1, 6, 17)), flags=pick((0, 1)), offset=pick((1, 9)))
                kind = "ip"
            headers.append(ip)
            if kind == "tcp":
                headers.append(Tcp(pick(L4), pick(L4), seq=1, flags=2, window=9))
            elif kind == "udp":
                headers.append(Udp(pick(L4), pick(L4)))
            elif kind == "icmp":
                headers.append(Icmp(pick((0, 8)), pick((0, 1)), 1))
        # 46 bytes and more: nothing on the way needs to pad the frame.
        return stack(*headers, payload=bytes(range(46)))

    # -- matches --------------------------------------------------------------------------------------------------

    def match(self) -> Match:
        """Return a match, often one that matches a generated packet."""
        pick = self.random.choice
        if self.old and self._one_in(15):
            return self._exact_match()
        fields: dict[str, object] = {}
        if self._one_in(3):
            fields["in_port"] = pick(PORTS)
        if self._one_in(4):
            fields["eth_dst"] = self._masked(pick(MACS), (0xFFFFFFFFFFFF, 0x010000000000, 0xFFFFFFFFFFFE))
        if self._one_in(5):
            fields["eth_src"] = self._masked(pick(MACS[:3]), (0xFFFFFFFFFFFF, 0xFFFFFFFFFFFE))
        if self._one_in(5):
            self._match_vlan(fields)
        if not self.old and self._one_in(8):
            fields["metadata"] = self._masked(pick((1, 2, 3)), (0xFFFFFFFFFFFFFFFF, 1, 2))
        if self._one_in(2):
            self._match_network(fields)
        if not self.old and self._one_in(25):
            fields.pop("eth_type", None)  # what needs it is refused
        return Match.of(**fields)  # type: ignore[arg-type]

    def _exact_match(self) -> Match:
        """Return a match of 1.0 without wildcards, that of a packet."""
        packet = self.packet()
        fields: dict[str, int] = dict(packet_fields(packet, self.random.choice(PORTS), zero_ports=True))
        for name in ("metadata", "ip_ecn"):
            fields.pop(name, None)
        if fields["eth_type"] not in (0x0800, 0x0806):
            fields = {name: fields[name] for name in ("in_port", "eth_src", "eth_dst", "eth_type", "vlan_vid")}
        return Match.of(**{name: value for name, value in fields.items() if name not in ("arp_sha", "arp_tha")})

    def _masked(self, value: int, masks: tuple[int, ...]) -> int | tuple[int, int]:
        mask = masks[0] if self.old or self._one_in(2) else self.random.choice(masks)
        return value if mask == masks[0] else (value & mask, mask)

    def _match_vlan(self, fields: dict[str, object]) -> None:
        pick = self.random.choice
        options: list[object] = [0, *(VLAN_PRESENT | vid for vid in VIDS), (VLAN_PRESENT, VLAN_PRESENT)]
        if self.old:
            options.pop()
        vlan = fields["vlan_vid"] = pick(options)
        if vlan != 0 and self._one_in(2):
            fields["vlan_pcp"] = pick((0, 3))
            if self.old and self._one_in(3):
                fields["vlan_vid"] = (VLAN_PRESENT, VLAN_PRESENT)

    def _match_network(self, fields: dict[str, object]) -> None:
        pick = self.random.choice
        kind = pick(("ip", "ip", "ip", "arp", "other") if self.old else ("ip", "ip", "ip", "arp", "other", "ipv6"))
        if kind == "other":
            fields["eth_type"] = pick((0x88B5, 0x86DD, 0x0800))
            return
        fields["eth_type"] = {"ip": 0x0800, "arp": 0x0806, "ipv6": 0x86DD}[kind]
        masks = (0xFFFFFFFF, 0xFFFFFF00, 0xFFFFFFFE) if self.old else (0xFFFFFFFF, 0xFFFFFF00, 0x00000003, 0xFFFFFFFE)
        src, dst = {"ip": ("ipv4_src", "ipv4_dst"), "arp": ("arp_spa", "arp_tpa"), "ipv6": ("ipv6_src", "ipv6_dst")}[
            kind
        ]
        for name in (src, dst):
            if self._one_in(3):
                if kind == "ipv6":
                    fields[name] = self._masked(pick(IPS6), ((1 << 128) - 1, 0xFFFF, ((1 << 64) - 1) << 64))
                else:
                    mask = pick(masks)
                    fields[name] = (pick(IPS) & mask, mask)
        if kind == "arp":
            self._maybe(fields, "arp_op", (1, 2))
            if not self.old:
                self._maybe(fields, "arp_sha", MACS[:3])
            return
        self._maybe(fields, "ip_dscp", (0, 8))
        if not self.old:
            self._maybe(fields, "ip_ecn", (0, 1))
            if kind == "ipv6":
                self._maybe(fields, "ipv6_flabel", (0, 7))
        if self._one_in(2):
            self._match_transport(fields, kind)

    def _match_transport(self, fields: dict[str, object], kind: str) -> None:
        proto = self.random.choice((6, 17, 1 if kind == "ip" else 58))
        fields["ip_proto"] = proto
        names = {6: ("tcp_src", "tcp_dst"), 17: ("udp_src", "udp_dst")}.get(proto)
        if names:
            for name in names:
                self._maybe(fields, name, L4)
        else:
            family = "icmpv4" if kind == "ip" else "icmpv6"
            self._maybe(fields, f"{family}_type", (0, 8) if kind == "ip" else (128,))
            self._maybe(fields, f"{family}_code", (0, 1))

    def _maybe(self, fields: dict[str, object], name: str, values: tuple[int, ...]) -> None:
        if self._one_in(3):
            fields[name] = self.random.choice(values)

    # -- actions --------------------------------------------------------------------------------------------------

    def output(self, packet_out: bool = False) -> Output:
        pick = self.random.choice
        ports = (*PORTS, *PORTS, *SPECIAL, Port.CONTROLLER)
        port = pick((*ports, Port.TABLE)) if packet_out else pick(ports)
        if self._one_in(40):
            port = pick((7, 0, 0xFFFFFF07, Port.ANY, Port.TABLE))
        return Output(port, pick((0, 20, 0xFFFF)) if port == Port.CONTROLLER else (0 if self.old else 0xFFFF))

    def actions(self, packet_out: bool = False, fields: dict[str, object] | None = None) -> tuple[OpenFlowAction, ...]:
        count = self.random.choices((0, 1, 2, 3), (1, 4, 3, 2))[0]
        chosen = [self.output(packet_out) if self._one_in(2) else self._change(fields or {}) for _ in range(count)]
        if not any(isinstance(each, Output | Group) for each in chosen) and not self._one_in(4):
            chosen.append(self.output(packet_out))
        return tuple(chosen)

    def _change(self, fields: dict[str, object]) -> OpenFlowAction:
        pick = self.random.choice
        if self.old:
            return pick(
                (
                    Enqueue(pick((*PORTS, Port.IN_PORT, Port.LOCAL)), 0 if not self._one_in(30) else 5),
                    SetField("eth_dst", pick(MACS)),
                    SetField("eth_src", pick(MACS)),
                    SetField("vlan_vid", VLAN_PRESENT | pick(VIDS)),
                    SetField("vlan_pcp", pick((0, 3))),
                    SetField("ipv4_src", pick(IPS)),
                    SetField("ipv4_dst", pick(IPS)),
                    SetField("ip_dscp", pick((0, 8))),
                    SetField("tp_src", pick(L4)),
                    SetField("tp_dst", pick(L4)),
                    PopVlan(),
                )
            )
        options: list[OpenFlowAction] = [SetField("eth_dst", pick(MACS)), SetField("eth_src", pick(MACS)), SetQueue(0)]
        options += [Group(pick(GROUPS)), PushVlan(pick((0x8100, 0x8100, 0x88A8)))]
        family: list[OpenFlowAction] = [SetField("ip_dscp", pick((0, 8))), SetNwTtl(pick((1, 9))), DecNwTtl()]
        by_type: dict[object, list[OpenFlowAction]] = {
            0x0800: [*family, SetField("ipv4_src", pick(IPS)), SetField("ipv4_dst", pick(IPS)), SetField("ip_ecn", 1)],
            0x86DD: [*family, SetField("ipv6_src", pick(IPS6)), SetField("ipv6_flabel", 7)],
            0x0806: [SetField("arp_op", 2), SetField("arp_spa", pick(IPS)), SetField("arp_tha", pick(MACS))],
        }
        by_proto: dict[object, list[OpenFlowAction]] = {
            6: [SetField("tcp_src", pick(L4)), SetField("tcp_dst", pick(L4))],
            17: [SetField("udp_src", pick(L4)), SetField("udp_dst", pick(L4))],
            1: [SetField("icmpv4_type", 0), SetField("icmpv4_code", 1)],
        }
        tagged: list[OpenFlowAction] = [
            SetField("vlan_vid", VLAN_PRESENT | pick(VIDS)),
            SetField("vlan_pcp", 3),
            PopVlan(),
        ]
        if self._one_in(20):  # refused unless it happens to fit
            return pick([*options, *tagged, *by_type[0x0800], *by_type[0x0806], *by_proto[6], *by_proto[1]])
        options += by_type.get(fields.get("eth_type"), []) + by_proto.get(fields.get("ip_proto"), [])
        if fields.get("vlan_vid"):
            options += tagged
        return pick(options)

    def instructions(self, table: int, match: Match) -> tuple[Instruction, ...]:
        fields = {name: value for name, value, _ in match.fields}
        if self.old:
            actions = self.actions(fields=fields)
            return (ApplyActions(actions),) if actions else ()
        chosen: list[Instruction] = []
        if not self._one_in(4):
            chosen.append(ApplyActions(self.actions(fields=fields)))
        if self._one_in(3):
            chosen.append(WriteActions(self.actions(fields=fields)))
        if self._one_in(8):
            chosen.append(ClearActions())
        if self._one_in(6):
            chosen.append(WriteMetadata(self.random.choice((1, 2, 3)), self.random.choice((3, 1, 0xFFFFFFFFFFFFFFFF))))
        if self._one_in(3) and table < TABLES[-1]:
            chosen.append(GotoTable(self.random.choice(TABLES[table + 1 :])))
        if self._one_in(60):
            chosen = [GotoTable(table)]
        return _with_one_group(chosen)

    # -- messages -------------------------------------------------------------------------------------------------

    def _flow_mod(self) -> Stimulus:
        pick = self.random.choice
        commands = tuple(FlowCommand)
        command = self.random.choices(commands, (12, 3, 2, 2, 2))[0]
        deletes = command in (FlowCommand.DELETE, FlowCommand.DELETE_STRICT)
        table = 0 if self.old else self.random.choices(TABLES, (6, 3, 2, 1))[0]
        match = self._known_match() if self._one_in(3) else self.match()
        flags = 0
        if self._one_in(2):
            flags |= FlowFlag.SEND_FLOW_REM
        if self._one_in(8):
            flags |= FlowFlag.CHECK_OVERLAP
        if not self.old and self._one_in(10):
            flags |= FlowFlag.RESET_COUNTS
        extra: dict[str, int] = {}
        if not self.old:
            extra["table_id"] = table
            if deletes and self._one_in(2):
                extra["table_id"] = 0xFF
            if self._one_in(60):
                extra["table_id"] = 255
            if command != FlowCommand.ADD and self._one_in(4):
                extra["cookie_mask"] = pick((1, 0x10, 0xFFFFFFFFFFFFFFFF))
            if deletes and self._one_in(6):
                extra["out_group"] = pick(GROUPS)
        if deletes and self._one_in(5):
            extra["out_port"] = pick((*PORTS, *SPECIAL))
        message = FlowMod(
            match=match,
            command=int(command),
            instructions=() if deletes else self.instructions(table, match),
            priority=pick(PRIORITIES),
            idle_timeout=pick((0, 0, 0, 1, 2, 3)) if not deletes else 0,
            hard_timeout=pick((0, 0, 0, 1, 2, 3)) if not deletes else 0,
            cookie=pick(COOKIES),
            flags=int(flags),
            xid=self._next_xid(),
            **extra,
        )
        return Send(message)

    def _known_match(self) -> Match:
        """Return one of very few matches, so that entries repeat."""
        return self.random.choice((Match(), Match.of(in_port=1), Match.of(eth_type=0x0800), Match.of(eth_dst=MACS[0])))

    def _packet_out(self) -> Stimulus:
        pick = self.random.choice
        packet = self.packet()
        outside = Port.ANY if self.old else Port.CONTROLLER
        fields: dict[str, object] = {}
        for header in packet.headers:
            if isinstance(header, Ethernet | Vlan):
                fields["eth_type"] = header.type
            if isinstance(header, Vlan):
                fields["vlan_vid"] = VLAN_PRESENT
            if isinstance(header, IPv4 | IPv6):
                fields["ip_proto"] = header.proto
        message = PacketOut(
            actions=self.actions(packet_out=True, fields=fields),
            data=encode(packet),
            in_port=pick((*PORTS, outside, outside, Port.LOCAL)) if not self._one_in(40) else pick((77, Port.ANY)),
            buffer_id=NO_BUFFER if not self._one_in(60) else 3,
            xid=self._next_xid(),
        )
        return Send(message)

    def _group_mod(self) -> Stimulus:
        pick = self.random.choice
        command = self.random.choices(tuple(GroupCommand), (6, 2, 2))[0]
        group_id = pick(GROUPS)
        if command == GroupCommand.DELETE:
            return Send(GroupMod(pick((group_id, group_id, GroupId.ALL)), int(command), xid=self._next_xid()))
        kind = pick((GroupType.ALL, GroupType.INDIRECT))
        count = 1 if kind == GroupType.INDIRECT and not self._one_in(12) else pick((0, 1, 2, 2))
        buckets = tuple(Bucket(self._bucket_actions(group_id)) for _ in range(count))
        return Send(GroupMod(group_id, int(command), int(kind), buckets, xid=self._next_xid()))

    def _bucket_actions(self, group_id: int) -> tuple[OpenFlowAction, ...]:
        pick = self.random.choice
        chosen: list[OpenFlowAction] = []
        if self._one_in(3):
            chosen.append(pick((SetField("eth_dst", pick(MACS)), PushVlan(0x8100))))
        if self._one_in(6):
            chosen.append(Group(pick([each for each in GROUPS if each != group_id])))
        elif not self._one_in(10):
            chosen.append(self.output())
        return tuple(chosen)

    def _request(self) -> Stimulus:
        pick = self.random.choice
        xid = self._next_xid()
        options: list[OpenFlowMessage] = [
            BarrierRequest(xid=xid),
            EchoRequest(b"ping", xid=xid),
            GetConfigRequest(xid=xid),
            AggregateRequest(self.match(), xid=xid),
            FlowStatsRequest(self.match(), out_port=pick((Port.ANY, *PORTS)), xid=xid),
            SetConfig(pick((0, 0, 1, 2)), pick((0, 64, 128)), xid=xid),
            self._port_mod(xid),
            self._port_mod(xid),
            self._port_mod(xid),
            Experimenter(0x1234, b"data", xid=xid),
        ]
        if not self.old:
            options += [
                RoleRequest(int(pick((Role.NOCHANGE, Role.EQUAL, Role.MASTER))), pick((1, 2, 3)), xid=xid),
                SetAsync((pick((3, 1, 7)), pick((0, 3))), (7, pick((7, 0))), (pick((15, 7)), pick((0, 15))), xid=xid),
                GetAsyncRequest(xid=xid),
                GroupDescRequest(xid=xid),
            ]
        return Send(pick(options))

    def _port_mod(self, xid: int) -> PortMod:
        pick = self.random.choice
        bits = [PortConfig.NO_FWD, PortConfig.NO_PACKET_IN]  # the others deviate at every packet: not at random
        if self.old:
            bits.append(PortConfig.NO_FLOOD)
        number = pick(PORTS)
        mask = int(pick(bits) | pick(bits))
        wrong = self._one_in(12)
        return PortMod(
            port_no=number if not self._one_in(15) else 9,
            hw_addr=self.addresses[number] + wrong,
            config=pick((mask, mask, 0)),
            mask=mask,
            xid=xid,
        )


def _with_one_group(instructions: list[Instruction]) -> tuple[Instruction, ...]:
    """Return the instructions with all group actions but the first left out.

    Open vSwitch 3.1 ends itself by a failed assertion when groups are deleted while an entry uses groups twice.
    """
    kept: list[Instruction] = []
    used = False
    for instruction in instructions:
        if isinstance(instruction, ApplyActions | WriteActions):
            actions = []
            for action in instruction.actions:
                if not isinstance(action, Group) or not used:
                    actions.append(action)
                used |= isinstance(action, Group)
            kept.append(replace(instruction, actions=tuple(actions)))
        else:
            kept.append(instruction)
    return tuple(kept)
