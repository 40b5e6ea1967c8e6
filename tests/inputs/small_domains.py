"""Small domains of packet fields, so small that every packet of a stack can be sent."""

import random
from dataclasses import dataclass

from sdnloom.inputs.options import DiscoverOptions
from sdnloom.inputs.skeletons import SenderView, make_skeletons
from sdnloom.inputs.stacks import StackField, stack_of
from sdnloom.network.openflow import VLAN_PRESENT
from sdnloom.network.packet import Packet
from tests.inputs.brute_force import listed_packets

OWN = ("eth.src", "arp.sha", "arp.spa", "ipv4.src", "ipv6.src")  # addresses of the sender: hosts send their own
BROADCAST, FRESH = 0xFFFF_FFFF_FFFF, 0x02FF_0000_00FE
H2 = {"eth.dst": 2, "ipv4.dst": 0x0A00_0002, "arp.tpa": 0x0A00_0002}
_IPV4 = (("eth_type", 0x800),)


@dataclass(frozen=True)
class SmallField:
    """A field with a few values: how a handler reads it (`header`, `attribute`) and how a flow entry matches it."""

    name: str
    header: str
    attribute: str
    values: tuple[int, ...]
    match: str = ""  # "" if no entry can match it
    needs: tuple[tuple[str, int], ...] = ()
    masks: tuple[int, ...] = ()  # in 1.3
    old_masks: tuple[int, ...] = ()  # in 1.0
    settable: bool = True

    @property
    def variable(self) -> str:
        """The name of the field in a handler."""
        return self.name.replace(".", "_")

    @property
    def constants(self) -> tuple[int, ...]:
        """The values that programs and entries ask for: those of the domain, and the address of h1."""
        return (*self.values, H2[self.name] - 1) if self.name in H2 else self.values

    def matched(self, value: int) -> int:
        """The value as an entry matches it or sets it."""
        return value | VLAN_PRESENT if self.match == "vlan_vid" else value


def _ports(proto: str, number: int) -> tuple[SmallField, ...]:
    needs = (*_IPV4, ("ip_proto", number))
    kind = proto.capitalize()
    return (
        SmallField(f"{proto}.dst_port", kind, "dst", (80, 81, 22, 23), f"{proto}_dst", needs),
        SmallField(f"{proto}.src_port", kind, "src", (1024, 1025, 80), f"{proto}_src", needs),
    )


ETH_DST = SmallField(
    "eth.dst",
    "Ethernet",
    "dst",
    (2, BROADCAST, FRESH, 3, 6),
    "eth_dst",
    masks=(1, 4, 7, 1 << 40, BROADCAST ^ 1, 0xFF00_0000_0000),
)
IPV4_DST = SmallField(
    "ipv4.dst",
    "IPv4",
    "dst",
    (0x0A00_0002, 0x0A00_0064, 0x0A00_0003, 0xCB00_7109),
    "ipv4_dst",
    _IPV4,
    masks=(0xFFFF_FF00, 0xFFFF_FFFC, 1, 0xFFFF_FFFE),
    old_masks=(0xFFFF_FF00, 0xFFFF_FFFE),
)
FIELDS: dict[str, tuple[SmallField, ...]] = {
    "ethernet": (
        ETH_DST,
        SmallField("eth.type", "Ethernet", "type", (0x88B5, 0x88B6, 0x9000), "eth_type", settable=False),
    ),
    "vlan/ethernet": (
        ETH_DST,
        SmallField("vlan.vid", "Vlan", "vid", (1, 2, 3, 0), "vlan_vid", masks=(VLAN_PRESENT | 1, VLAN_PRESENT | 2)),
        SmallField("vlan.pcp", "Vlan", "pcp", (0, 1, 7), "vlan_pcp", (("vlan_vid", -1),)),
    ),
    "arp": (
        ETH_DST,
        SmallField("arp.op", "Arp", "op", (1, 2), "arp_op", (("eth_type", 0x806),)),
        SmallField(
            "arp.tpa",
            "Arp",
            "tpa",
            IPV4_DST.values,
            "arp_tpa",
            (("eth_type", 0x806),),
            IPV4_DST.masks,
            IPV4_DST.old_masks,
        ),
    ),
    "ipv4/icmp": (
        ETH_DST,
        IPV4_DST,
        SmallField("icmp.type", "Icmp", "type", (8, 0, 3), "icmpv4_type", (*_IPV4, ("ip_proto", 1))),
        SmallField("icmp.code", "Icmp", "code", (0, 1), "icmpv4_code", (*_IPV4, ("ip_proto", 1))),
    ),
    "ipv4/udp": (
        ETH_DST,
        IPV4_DST,
        *_ports("udp", 17),
        SmallField("ipv4.ecn", "IPv4", "ecn", (0, 1, 2, 3), "ip_ecn", _IPV4),
        SmallField("ipv4.ttl", "IPv4", "ttl", (64, 1, 2)),
    ),
    "ipv4/tcp": (ETH_DST, IPV4_DST, *_ports("tcp", 6), SmallField("tcp.flags", "Tcp", "flags", (2, 16, 18))),
}


@dataclass(frozen=True)
class SmallDomain:
    """Stacks, and the fields of each that have several values; every other field has one."""

    stacks: tuple[str, ...]
    fields: tuple[SmallField, ...]  # with the values that are in use

    @property
    def options(self) -> DiscoverOptions:
        """The domain as options of discovery."""
        names = {one.name: one for one in self.fields}
        texts = {}
        for stack in self.stacks:
            for field in stack_of(stack).fields:
                if field.name in names:
                    texts[field.name] = ",".join(_text(field.name, value) for value in names[field.name].values)
                elif _is_free(field):
                    texts[field.name] = _text(field.name, _usual_value(field, stack))
        return DiscoverOptions(stacks=self.stacks, fields=tuple(texts.items()))

    def packets(self, sender: SenderView) -> tuple[Packet, ...]:
        """Every packet that the sender can send."""
        wanted = self.options
        skeletons = make_skeletons(wanted.stacks, sender, wanted.packet_domains)
        return tuple(
            dict.fromkeys(skeleton.packet(values) for skeleton in skeletons for values in listed_packets(skeleton))
        )


def _text(name: str, value: int) -> str:
    """The value in a domain. The address of h2 stands for those of all other hosts: no host sends to itself."""
    return "hosts" if H2.get(name) == value else str(value)


def _is_free(field: StackField) -> bool:
    return not field.structural and not field.computed and field.name not in OWN


def _usual_value(field: StackField, stack: str) -> int:
    """The value of a field that has only one; packets go to h2."""
    return H2.get(field.name) or field.read(stack_of(stack).template)


def random_domain(chance: random.Random, most: int) -> SmallDomain:
    """A domain of at most that many packets, of one or two stacks."""
    stacks = tuple(chance.sample(sorted(FIELDS), chance.choice((1, 1, 2))))
    candidates = {field.name: field for stack in stacks for field in FIELDS[stack]}
    found: list[SmallField] = []
    for name in chance.sample(sorted(candidates), len(candidates)):
        field = candidates[name]
        count = chance.randint(2, min(4, len(field.values)))
        first, *rest = field.values
        values = tuple(chance.sample(rest, count - 1))
        chosen = SmallField(**{**vars(field), "values": (first, *values)})
        if _size(stacks, [*found, chosen]) <= most:
            found.append(chosen)
    return SmallDomain(stacks, tuple(found))


def _size(stacks: tuple[str, ...], fields: list[SmallField]) -> int:
    total = 0
    for stack in stacks:
        names = {field.name for field in FIELDS[stack]}
        size = 1
        for field in fields:
            if field.name in names:
                size *= len(field.values)
        total += size
    return total
