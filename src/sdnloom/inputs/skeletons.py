"""Symbolic packets: a protocol stack with a domain for each of its fields (NICE, section 3.2.1).

A field whose domain has one value is concrete, the others are symbolic. The default domains have all values, so that
whatever the program compares a field with is among them. The values of the topology are preferred: hosts, switches,
broadcast and one unknown address as destination. Source addresses are the sender's own: hosts do not lie about them,
and send nothing to themselves. Each domain can be overridden, field by field.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from sdnloom.inputs.domains import Domain, ValueNames, domain_without, parse_domain, value_text
from sdnloom.inputs.stacks import (
    EXPERIMENTAL_PROTO,
    EXPERIMENTAL_TYPE,
    FieldFormat,
    Stack,
    StackError,
    StackField,
    stack_of,
)
from sdnloom.network.build import switch_config
from sdnloom.network.network import SwitchOptions
from sdnloom.network.packet import EtherType, IpProto, Packet, decode
from sdnloom.network.topology.spec import HostSpec, Topology
from sdnloom.network.traffic import ARP_REPLY, ARP_REQUEST, BROADCAST

BROADCAST_IP = 0xFFFF_FFFF
_FRESH_MAC = 0x02FF_0000_00FE  # locally administered; no host has it
_FRESH_IP = 0xCB00_7109  # 203.0.113.9, from a block that is reserved for documentation
_LINK_LOCAL = 0xFE80 << 112

# Stacks of discovered packets. Classes that differ only in the stack count once, so a stack whose headers the program
# does not read costs no packets.
DEFAULT_STACKS = ("ethernet", "arp", "ipv4/icmp", "ipv4/tcp", "ipv4/udp", "lldp")
DEFAULT = "default"  # in lists of stacks
_LABELS = (EtherType.MPLS, EtherType.MPLS_MULTICAST)  # their stacks are not among the default ones
_TYPES_WITH_STACKS = (*range(0x600), *(int(each) for each in EtherType if each not in _LABELS))
_PROTOS_WITH_STACKS = (IpProto.ICMP, IpProto.TCP, IpProto.UDP, IpProto.ICMPV6)
_SMALL_DOMAINS: dict[str, tuple[int, ...]] = {
    "arp.op": (ARP_REQUEST, ARP_REPLY),
    "tcp.src_port": (1024, 1025),
    "udp.src_port": (1024, 1025),
    "bpdu.flags": (0, 1, 0x80, 0x81),  # the other bits are zero in a configuration message
}
_ANY_VALUE = (
    *("tcp.dst_port", "udp.dst_port", "icmp.type", "icmpv6.type", "vlan.vid", "mpls.label"),
    *("bpdu.root_priority", "bpdu.root_system_id_extension", "bpdu.root_mac_address", "bpdu.root_path_cost"),
    *("bpdu.bridge_priority", "bpdu.bridge_system_id_extension", "bpdu.bridge_mac_address"),
    *("bpdu.port_priority", "bpdu.port_number"),
)
_OWN = ("eth.src", "arp.sha", "arp.spa", "ipv4.src")
_EVEN_FLAGS = range(0, 8, 2)  # of IPv4; the others are those of fragments, whose content has another structure
# Offsets of fragments; flags of a bridge, of which parsers refuse others; its times: one that waits for no time works
# without end.
_USUAL_VALUE = (
    *("ipv4.offset", "bpdu.flags"),
    *("bpdu.message_age", "bpdu.max_age", "bpdu.hello_time", "bpdu.forward_delay"),
)
FOLLOWED_TYPES = ("eth.type", "vlan.type", "ipv4.proto", "ipv6.proto")
_TYPES = ("eth.type", "vlan.type", "ipv4.proto", "ipv6.proto", "icmp.type", "icmpv6.type")
PAYLOAD = 16  # bytes, in tests of parsers
DESTINATIONS = ("eth.dst", "arp.tpa", "ipv4.dst", "ipv6.dst")  # in order of precedence


@dataclass(frozen=True)
class Skeleton:
    """A stack and the domains of its fields, in the order of the stack's fields.

    With `follows`, a program's branches on fields with one value are recorded too, so that sides of branches that no
    packet takes are known (`branch_sides`).
    """

    stack: Stack
    domains: tuple[Domain, ...]
    follows: bool = False

    @cached_property
    def _hash(self) -> int:
        return hash((self.stack, self.domains, self.follows))

    def __hash__(self) -> int:
        return self._hash  # skeletons are keys of many memos, and have dozens of parts

    def __reduce__(self) -> tuple[type["Skeleton"], tuple[Stack, tuple[Domain, ...], bool]]:
        return Skeleton, (self.stack, self.domains, self.follows)  # hashes differ between processes

    @cached_property
    def symbolic(self) -> tuple[tuple[StackField, Domain], ...]:
        """The fields whose domains have several values, with their domains."""
        return tuple(pair for pair in zip(self.stack.fields, self.domains, strict=True) if not pair[1].pinned)

    @cached_property
    def followed(self) -> tuple[tuple[StackField, Domain], ...]:
        """The fields that exploration sees as variables: the symbolic ones, and some that have one value."""
        if not self.follows:
            return self.symbolic
        return tuple(
            (field, domain)
            for field, domain in zip(self.stack.fields, self.domains, strict=True)
            if not domain.pinned or not field.structural or field.name in FOLLOWED_TYPES
        )

    @cached_property
    def fixed(self) -> dict[str, int]:
        """The values of followed fields that have only one."""
        return {field.name: domain.first for field, domain in self.followed if domain.pinned}

    def domain(self, name: str) -> Domain | None:
        """Return the domain of a field; None if there is no such field."""
        for field, domain in zip(self.stack.fields, self.domains, strict=True):
            if field.name == name:
                return domain
        return None

    @property
    def preferred(self) -> dict[str, int]:
        """The preferred value of every field except symbolic checksums, which are computed from the others."""
        pairs = zip(self.stack.fields, self.domains, strict=True)
        return {field.name: domain.first for field, domain in pairs if not (field.computed and not domain.pinned)}

    def frame(self, values: Mapping[str, int]) -> bytes:
        """Return the frame with these values; other fields have their preferred value, and checksums are right."""
        return self.stack.fill({**self.preferred, **values})

    def packet(self, values: Mapping[str, int]) -> Packet:
        """Return the decoded frame with these values."""
        return decode(self.frame(values))

    def admits(self, values: Mapping[str, int]) -> bool:
        """Whether every value lies in the domain of its field."""
        domains = {field.name: domain for field, domain in zip(self.stack.fields, self.domains, strict=True)}
        return all(value in domains[name] for name, value in values.items())


@dataclass(frozen=True)
class SenderView:
    """The sender of packets: its network and its host, if they are known."""

    topology: Topology | None = None
    host: HostSpec | None = None

    @cached_property
    def words(self) -> ValueNames:
        """The meaning of words in texts of domains, for this sender."""
        hosts = self.topology.hosts if self.topology else ()
        own = (self.host,) if self.host else ()
        macs: dict[str, tuple[int, ...]] = {each.name: (each.mac,) for each in hosts}
        ips: dict[str, tuple[int, ...]] = {each.name: (each.ip,) for each in hosts}
        others = [each for each in hosts if each != self.host]  # no host sends to itself by default
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
            "broadcast": (BROADCAST_IP,),
            "fresh": (_fresh(_FRESH_IP, [each.ip for each in hosts]),),
        }
        for known in (macs, ips):
            groups = ("hosts", "broadcast", "switches", "fresh")
            known["topology"] = tuple(value for name in groups for value in known.get(name, ()))
        return ValueNames(macs, ips)

    @property
    def switch_macs(self) -> tuple[int, ...]:
        """The MAC addresses of the switches' ports; LOCAL is not reached by packets."""
        if self.topology is None:
            return ()
        configs = [switch_config(spec, SwitchOptions(profile="reference")) for spec in self.topology.switches]
        return tuple(desc.hw_addr for config in configs for desc in config.ports)

    @property
    def own_values(self) -> dict[str, int]:
        """The default values of the host's packets: its own addresses as source."""
        if self.host is None:
            return {}
        ips = dict.fromkeys(("arp.spa", "ipv4.src"), self.host.ip)
        return {**dict.fromkeys(("eth.src", "arp.sha"), self.host.mac), **ips, "ipv6.src": _LINK_LOCAL | self.host.mac}

    def names(self, field: StackField) -> dict[int, str]:
        """Return the names of hosts by their addresses of the field's kind."""
        if self.topology is None:
            return {}
        if field.kind is FieldFormat.MAC:
            return {each.mac: each.name for each in self.topology.hosts}
        return {each.ip: each.name for each in self.topology.hosts} if field.kind is FieldFormat.IP4 else {}


def all_stacks(names: Iterable[str]) -> tuple[str, ...]:
    """Return the names of stacks, each once, with the usual ones in place of "default"."""
    found = (each for name in names for each in (DEFAULT_STACKS if name == DEFAULT else (name,)))
    return tuple(dict.fromkeys(found))


def make_skeletons(
    stacks: Iterable[str],
    sender: SenderView,
    overrides: Mapping[str, str],
    robust: bool = False,
    constants: bool = True,
) -> list[Skeleton]:
    """Return one skeleton for each stack; "default" stands for all usual ones. `overrides` has domains, by field.

    Without `constants` the default domains have their preferred values only. With `robust`, which tests parsers,
    structural fields and a few bytes of payload have all values, so that lengths and types need not match the frame;
    the other fields are fixed.
    """
    found = [stack_of(name, PAYLOAD if robust else 0) for name in all_stacks(stacks)]
    known = {field.name for stack in found for field in stack.fields}
    for name in overrides:
        if name not in known:
            raise StackError(
                f"{name!r} is no field of {_stack_names(found)}; expected one of {', '.join(sorted(known))}"
            )
    words, wide = sender.words, constants and not robust

    def domain(field: StackField, stack: Stack) -> Domain:
        usual = _preferred_domain(field, stack, sender, words, robust)
        if field.name in overrides:
            return _override(field, overrides[field.name], words, usual)
        return _default_domain(field, usual, sender) if wide else usual

    return [Skeleton(stack, tuple(domain(field, stack) for field in stack.fields), wide) for stack in found]


def _stack_names(stacks: list[Stack]) -> str:
    names = ", ".join(stack.name for stack in stacks)
    return f"the stack {names}" if len(stacks) == 1 else f"the stacks {names}"


def _override(field: StackField, text: str, words: ValueNames, default: Domain) -> Domain:
    """Return the domain of a text; `any` keeps the preferred value of the default domain."""
    domain = parse_domain(field, text, words)
    return Domain((default.ranges[0], *domain.ranges)) if domain.ranges[0] == (0, field.max_value) else domain


def _default_domain(field: StackField, preferred: Domain, sender: SenderView) -> Domain:
    """Return the domain of a field that is not overridden: all values that do not change what the packet is."""
    name, own = field.name, sender.own_values
    if field.structural or field.computed or name in own or name in FOLLOWED_TYPES or name in _USUAL_VALUE:
        return preferred
    if name == "ipv4.flags":
        return replace(Domain.of(*preferred.listed, *_EVEN_FLAGS), preferred=1)
    end, _, part = name.partition(".")
    return preferred.widened(field, [own[f"{end}.src"]] if part == "dst" and f"{end}.src" in own else ())


def _preferred_domain(field: StackField, stack: Stack, sender: SenderView, words: ValueNames, robust: bool) -> Domain:
    """Return the values of a field that packets usually have in the network."""
    name, template = field.name, field.read(stack.template)
    if robust:
        structural = field.structural or name in _TYPES
        return Domain.anything(field, template) if structural else Domain.of(sender.own_values.get(name, template or 1))
    if field.computed:
        return Domain.anything(field, template)
    if name in sender.own_values:
        return Domain.of(sender.own_values[name])
    if name in _OWN:
        return Domain.anything(field, 2)
    if name == "arp.tha":
        return Domain.of(0, *(words.values(field, "topology") or ())) if sender.topology else Domain.anything(field)
    if name in DESTINATIONS and template == 0:
        listed = words.values(field, "topology") if sender.topology else None
        return Domain.of(*listed) if listed else Domain.anything(field, 1)
    if name in _SMALL_DOMAINS:
        return Domain.of(*_SMALL_DOMAINS[name])
    if name in _ANY_VALUE:
        return Domain.anything(field, template)
    if field.structural:
        return Domain.of(template)
    if name in ("eth.type", "vlan.type"):
        return domain_without(field, _TYPES_WITH_STACKS, EXPERIMENTAL_TYPE)
    if name in ("ipv4.proto", "ipv6.proto"):
        return domain_without(field, _PROTOS_WITH_STACKS, EXPERIMENTAL_PROTO)
    if name == "tcp.flags":
        return Domain(((2, 2), (0, 0x3F)))
    return Domain.of(template)


def _fresh(value: int, taken: list[int]) -> int:
    while value in taken:
        value -= 1
    return value


# -- labels: discovered packets as text, in traces ---------------------------------------------------------------------


def packet_label(stack: Stack, values: Mapping[str, int], sender: SenderView) -> str:
    """Return the stack and every value that is not the default of the sender, such as "ethernet eth.dst=B"."""
    parts = [stack.name]
    for field in stack.fields:
        value = values.get(field.name)
        if value is not None and value != sender.own_values.get(field.name, field.read(stack.template)):
            parts.append(f"{field.name}={value_text(field, value, sender.names(field))}")
    return " ".join(parts)


def parse_packet_label(label: str, sender: SenderView) -> Packet:
    """Return the packet of a label. Raises StackError or DomainError for a text that is no label."""
    name, *parts = label.split() or [""]
    stack = stack_of(name)
    values = {field.name: sender.own_values[field.name] for field in stack.fields if field.name in sender.own_values}
    for part in parts:
        key, sign, text = part.partition("=")
        domain = parse_domain(stack.field(key), text, sender.words) if sign else None
        if domain is None or not domain.pinned:
            raise StackError(f"{part!r} in the packet {label!r}; expected a field and its value such as eth.dst=B")
        values[key] = domain.first
    return decode(stack.fill(values))
