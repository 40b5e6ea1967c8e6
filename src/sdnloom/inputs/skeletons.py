"""Symbolic packets: a protocol stack with a domain for each of its fields (NICE, section 3.2.1).

What has one value is concrete, the rest is symbolic. The domains come from the topology, as a host at some place would
send: its own addresses as source; hosts, switches, everybody and one address of nobody as destination. Anything can be
said otherwise, field by field.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from sdnloom.inputs.domains import Domain, ValueNames, parse_domain, value_text, without
from sdnloom.inputs.stacks import FREE_PROTO, FREE_TYPE, FieldFormat, Stack, StackError, StackField, stack_of
from sdnloom.network.build import switch_config
from sdnloom.network.network import SwitchOptions
from sdnloom.network.packet import EtherType, IpProto, Packet, decode
from sdnloom.network.topology.spec import HostSpec, Topology
from sdnloom.network.traffic import ARP_REPLY, ARP_REQUEST, BROADCAST

EVERY_IP = 0xFFFF_FFFF
_FRESH_MAC = 0x02FF_0000_00FE  # locally administered; of nobody
_FRESH_IP = 0xCB00_7109  # 203.0.113.9, from a block that documentation reserves
_LINK_LOCAL = 0xFE80 << 112

# Stacks that a discovering client sends if nothing else is said. Classes that differ in nothing but the stack count
# once, so a stack that the program does not look into costs no packets.
USUAL = ("ethernet", "arp", "ipv4/icmp", "ipv4/tcp", "ipv4/udp", "lldp")
_TYPES_WITH_STACKS = (*range(0x600), *(int(each) for each in EtherType))
_PROTOS_WITH_STACKS = (IpProto.ICMP, IpProto.TCP, IpProto.UDP, IpProto.ICMPV6)
_FEW: dict[str, tuple[int, ...]] = {
    "arp.op": (ARP_REQUEST, ARP_REPLY),
    "tcp.src_port": (1024, 1025),
    "udp.src_port": (1024, 1025),
    "bpdu.flags": (0, 1, 0x80, 0x81),  # the other bits are zero in a configuration message
}
_FREE = (
    *("tcp.dst_port", "udp.dst_port", "icmp.type", "icmpv6.type", "vlan.vid"),
    *("bpdu.root_priority", "bpdu.root_system_id_extension", "bpdu.root_mac_address", "bpdu.root_path_cost"),
    *("bpdu.bridge_priority", "bpdu.bridge_system_id_extension", "bpdu.bridge_mac_address"),
    *("bpdu.port_priority", "bpdu.port_number"),
)
_OWN = ("eth.src", "arp.sha", "arp.spa", "ipv4.src")
_TYPES = ("eth.type", "vlan.type", "ipv4.proto", "ipv6.proto", "icmp.type", "icmpv6.type")
PAYLOAD = 16  # bytes, for parsers
TARGETS = ("eth.dst", "arp.tpa", "ipv4.dst", "ipv6.dst")  # whom a packet is for, in this order


@dataclass(frozen=True)
class Skeleton:
    """A stack and what each of its fields may be, in the order of the stack's fields."""

    stack: Stack
    domains: tuple[Domain, ...]

    @cached_property
    def symbolic(self) -> tuple[tuple[StackField, Domain], ...]:
        """The fields that have several values, with their domains."""
        return tuple(pair for pair in zip(self.stack.fields, self.domains, strict=True) if not pair[1].pinned)

    def domain(self, name: str) -> Domain | None:
        """The domain of a field; None if there is no such field."""
        for field, domain in zip(self.stack.fields, self.domains, strict=True):
            if field.name == name:
                return domain
        return None

    @property
    def preferred(self) -> dict[str, int]:
        """The preferred value of every field but the checksums, which follow from the others."""
        pairs = zip(self.stack.fields, self.domains, strict=True)
        return {field.name: domain.first for field, domain in pairs if not (field.computed and not domain.pinned)}

    def frame(self, values: Mapping[str, int]) -> bytes:
        """The frame with these values; what is not among them has its preferred value, and checksums are right."""
        return self.stack.filled({**self.preferred, **values})

    def packet(self, values: Mapping[str, int]) -> Packet:
        """The same as a packet."""
        return decode(self.frame(values))

    def admits(self, values: Mapping[str, int]) -> bool:
        """Whether every value lies in the domain of its field."""
        domains = {field.name: domain for field, domain in zip(self.stack.fields, self.domains, strict=True)}
        return all(value in domains[name] for name, value in values.items())


@dataclass(frozen=True)
class SenderView:
    """Where packets come from: the network, if there is one, and the host that sends them, if there is one."""

    topology: Topology | None = None
    host: HostSpec | None = None

    @cached_property
    def words(self) -> ValueNames:
        """What the words in texts of domains mean here."""
        hosts = self.topology.hosts if self.topology else ()
        own = (self.host,) if self.host else ()
        macs: dict[str, tuple[int, ...]] = {each.name: (each.mac,) for each in hosts}
        ips: dict[str, tuple[int, ...]] = {each.name: (each.ip,) for each in hosts}
        others = [each for each in hosts if each != self.host]  # nobody sends to himself, unless that is said
        macs |= {
            "own": tuple(each.mac for each in own),
            "hosts": tuple(each.mac for each in others),
            "switches": self.switch_macs,
            "broadcast": (BROADCAST,),
            "fresh": (_fresh(_FRESH_MAC, [each.mac for each in hosts]),),
        }
        ips |= {
            "own": tuple(each.ip for each in own),
            "hosts": tuple(each.ip for each in others),
            "broadcast": (EVERY_IP,),
            "fresh": (_fresh(_FRESH_IP, [each.ip for each in hosts]),),
        }
        for known in (macs, ips):
            groups = ("hosts", "broadcast", "switches", "fresh")
            known["topology"] = tuple(value for name in groups for value in known.get(name, ()))
        return ValueNames(macs, ips)

    @property
    def switch_macs(self) -> tuple[int, ...]:
        """The addresses of the switches' ports."""
        if self.topology is None:
            return ()
        configs = [switch_config(spec, SwitchOptions()) for spec in self.topology.switches]
        return tuple(desc.hw_addr for config in configs for desc in config.ports)

    @property
    def plain(self) -> dict[str, int]:
        """The values that a host's packets have unless something else is said: its own addresses as source."""
        if self.host is None:
            return {}
        ips = dict.fromkeys(("arp.spa", "ipv4.src"), self.host.ip)
        return {**dict.fromkeys(("eth.src", "arp.sha"), self.host.mac), **ips, "ipv6.src": _LINK_LOCAL | self.host.mac}

    def names(self, field: StackField) -> dict[int, str]:
        """Whose address is which, for texts."""
        if self.topology is None:
            return {}
        if field.kind is FieldFormat.MAC:
            return {each.mac: each.name for each in self.topology.hosts}
        return {each.ip: each.name for each in self.topology.hosts} if field.kind is FieldFormat.IP4 else {}


def skeletons(
    stacks: Iterable[str], setting: SenderView, said: Mapping[str, str], robust: bool = False
) -> list[Skeleton]:
    """One skeleton for each stack. `said` has the texts of domains that are not the usual ones, by field.

    With `robust` it is the other way round: what shapes a frame is free, and a few bytes of payload, so that a parser
    meets lengths and types that do not fit; what it only hands on is fixed.
    """
    found = [stack_of(name, PAYLOAD if robust else 0) for name in stacks]
    known = {field.name for stack in found for field in stack.fields}
    for name in said:
        if name not in known:
            raise StackError(f"{name!r} is no field of {_several(found)}; expected one of {', '.join(sorted(known))}")
    words = setting.words
    return [
        Skeleton(
            stack,
            tuple(
                _said(field, said[field.name], words, _usual(field, stack, setting, words, robust))
                if field.name in said
                else _usual(field, stack, setting, words, robust)
                for field in stack.fields
            ),
        )
        for stack in found
    ]


def _several(stacks: list[Stack]) -> str:
    names = ", ".join(stack.name for stack in stacks)
    return f"the stack {names}" if len(stacks) == 1 else f"the stacks {names}"


def _said(field: StackField, text: str, words: ValueNames, usual: Domain) -> Domain:
    """The domain that a text means; where anything goes, the usual value is still the preferred one."""
    domain = parse_domain(field, text, words)
    return Domain((usual.ranges[0], *domain.ranges)) if domain.ranges[0] == (0, field.most) else domain


def _usual(field: StackField, stack: Stack, setting: SenderView, words: ValueNames, robust: bool) -> Domain:
    """The domain of a field of which nothing was said."""
    name, template = field.name, field.read(stack.template)
    if robust:
        shaping = field.shaping or name in _TYPES
        return Domain.anything(field, template) if shaping else Domain.of(setting.plain.get(name, template or 1))
    if field.computed:
        return Domain.anything(field, template)
    if name in setting.plain:
        return Domain.of(setting.plain[name])
    if name in _OWN:
        return Domain.anything(field, 2)
    if name == "arp.tha":
        return Domain.of(0, *(words.values(field, "topology") or ())) if setting.topology else Domain.anything(field)
    if name in TARGETS and template == 0:
        listed = words.values(field, "topology") if setting.topology else None
        return Domain.of(*listed) if listed else Domain.anything(field, 1)
    if name in _FEW:
        return Domain.of(*_FEW[name])
    if name in _FREE:
        return Domain.anything(field, template)
    if field.shaping:
        return Domain.of(template)
    if name in ("eth.type", "vlan.type"):
        return without(field, _TYPES_WITH_STACKS, FREE_TYPE)
    if name in ("ipv4.proto", "ipv6.proto"):
        return without(field, _PROTOS_WITH_STACKS, FREE_PROTO)
    if name == "tcp.flags":
        return Domain(((2, 2), (0, 0x3F)))
    return Domain.of(template)


def _fresh(value: int, taken: list[int]) -> int:
    while value in taken:
        value -= 1
    return value


# -- one packet as a line of text: what a trace keeps of a packet that was discovered ----------------------------------


def packet_label(stack: Stack, values: Mapping[str, int], setting: SenderView) -> str:
    """The stack and every value that is not the usual one of the host, such as "ethernet eth.dst=B"."""
    parts = [stack.name]
    for field in stack.fields:
        value = values.get(field.name)
        if value is not None and value != setting.plain.get(field.name, field.read(stack.template)):
            parts.append(f"{field.name}={value_text(field, value, setting.names(field))}")
    return " ".join(parts)


def labelled_packet(label: str, setting: SenderView) -> Packet:
    """The packet of a label. Raises StackError or DomainError for a text that is none."""
    name, *parts = label.split() or [""]
    stack = stack_of(name)
    values = {field.name: setting.plain[field.name] for field in stack.fields if field.name in setting.plain}
    for part in parts:
        key, sign, text = part.partition("=")
        domain = parse_domain(stack.field(key), text, setting.words) if sign else None
        if domain is None or not domain.pinned:
            raise StackError(f"{part!r} in the packet {label!r}; expected a field and its value such as eth.dst=B")
        values[key] = domain.first
    return decode(stack.filled(values))
