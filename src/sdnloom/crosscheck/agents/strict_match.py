"""Matches of the explored copy of `strict`: each question about a match is one condition, not a branch for each field.

The model makes of a match the list of the fields that it has, so a symbolic match of 1.0 would fork for each wildcard.
Here a match has all fields that it may have, each with the truth whether it is there. Law: every function has the
result of a function of the model (in `openflow.match10`, `switch.tables.lookup`, `flow_mod`); tests compare them.
"""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from sdnloom.network.openflow.constants import V10, VLAN_PRESENT
from sdnloom.network.openflow.layouts import STRUCTS
from sdnloom.network.openflow.match import FOREIGN
from sdnloom.network.openflow.match10 import ALL_WILDCARDS, ARP, IPV4, VLAN_NONE
from sdnloom.network.openflow.oxm import FIELDS
from sdnloom.symbolic.values.sym_int import SymInt
from sdnloom.symbolic.values.truth import (
    ALWAYS,
    NEVER,
    Truth,
    all_of,
    any_of,
    below,
    equal,
    holds,
    negated,
    select,
)

_STRUCT: Final = STRUCTS[V10]["match"]
_WILDCARDS: Final = {
    "in_port": 0, "dl_vlan": 1, "dl_src": 2, "dl_dst": 3, "dl_type": 4, "nw_proto": 5, "tp_src": 6, "tp_dst": 7,
    "dl_vlan_pcp": 20, "nw_tos": 21,
}  # fmt: skip
_PREFIXES: Final = {"nw_src": 8, "nw_dst": 14}
# Fields of 1.3 whose mask may stay open: no other field depends on them.
OPEN_MASKS: Final = frozenset(
    ("metadata", "eth_dst", "eth_src", "ipv4_src", "ipv4_dst", "arp_spa", "arp_tpa", "arp_sha", "arp_tha", "ipv6_src",
     "ipv6_dst", "ipv6_flabel")
)  # fmt: skip
_ALL_32: Final = 0xFFFFFFFF
_SIXTEEN: Final = 0xFFFF  # 1.0 has 16 bits for the type and code of ICMP
# 1.0: the twelve fields of an entry without wildcards.
_TUPLE: Final = ("in_port", "eth_dst", "eth_src", "eth_type", "vlan_vid", "ip_dscp", "ip_proto", "ipv4_src", "ipv4_dst")
_TRANSPORTS: Final = {6: ("tcp_src", "tcp_dst"), 17: ("udp_src", "udp_dst"), 1: ("icmpv4_type", "icmpv4_code")}


class MatchPart(NamedTuple):
    """A field of a match: whether it is there, its value without bits outside of the mask, and its mask."""

    present: Truth
    value: int
    mask: int


class MergedMatch:
    """A match whose fields may be there or not, made of the model's match of 1.3 or of the slots of a 1.0 match."""

    def __init__(
        self, parts: Mapping[str, MatchPart], source: Any = None, slots: Mapping[str, int] | None = None
    ) -> None:
        self.parts, self.source, self.slots = parts, source, slots or {}

    @property
    def fields(self) -> Any:
        """The fields of a match of 1.3, those of an open mask included; none only if there are none."""
        if any(part.present is ALWAYS for part in self.parts.values()):
            return self.source.fields
        return tuple(row for row in self.source.fields if holds(self.parts[row[0]].present))

    def get(self, name: str) -> Any:
        """Return (value, mask) of a field of 1.3, or None."""
        return self.source.get(name)

    def exact(self, name: str) -> Any:
        """Return the value of a field of 1.3 that is matched on all its bits, else None."""
        return self.source.exact(name)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, MergedMatch) and (self is other or holds(same_match(self, other)))

    __hash__ = object.__hash__  # no set of the explored copy looks matches up


def merged(match: Any) -> MergedMatch:
    """Return a match of 1.3, or one that the model has made itself, in merged form."""
    if isinstance(match, MergedMatch):
        return match
    parts = {}
    for name, value, mask in match.fields:
        present = negated(equal(mask, 0)) if is_open(mask) else ALWAYS
        parts[name] = MatchPart(present, value, full_part(name) if mask is None else mask)
    return MergedMatch(parts, match)


def is_open(mask: int | None) -> bool:
    """Return whether a mask of 1.3 is symbolic, so that it may be empty or full too."""
    return type(mask) is SymInt


def full_part(name: str) -> int:
    """Return the mask of all bits that a field may have in a message."""
    if name in _TRANSPORTS[1]:
        return _SIXTEEN
    found = FOREIGN.fullmatch(name)
    return FIELDS[name].full if name in FIELDS else (1 << 8 * int(found[3])) - 1 if found else 0


# Questions.


def merged_matches(match: Any, fields: Mapping[str, int]) -> bool:
    """Return whether a match matches a packet with these fields."""
    return holds(match_of(match, fields))


def match_of(match: Any, fields: Mapping[str, int]) -> Truth:
    """Return the truth whether a match matches a packet with these fields."""
    conditions = []
    for name, part in merged(match).parts.items():
        have = fields.get(name)
        fits = NEVER if have is None else equal(have & part.mask, part.value)
        conditions.append(any_of(negated(part.present), fits))
    return all_of(*conditions)


def merged_covers(general: Any, special: Any) -> bool:
    """Return whether `special` is equal to or more specific than `general`."""
    inner = merged(special).parts
    conditions = []
    for name, part in merged(general).parts.items():
        have = inner.get(name)
        inside = NEVER
        if have is not None:
            inside = all_of(
                have.present, equal(part.mask & have.mask, part.mask), equal(have.value & part.mask, part.value)
            )
        conditions.append(any_of(negated(part.present), inside))
    return holds(all_of(*conditions))


def merged_overlap(one: Any, other: Any) -> bool:
    """Return whether some packet may match both."""
    return holds(overlap_of(one, other))


def overlap_of(one: Any, other: Any) -> Truth:
    """Return the truth whether some packet may match both."""
    theirs = merged(other).parts
    conditions = []
    for name, part in merged(one).parts.items():
        have = theirs.get(name)
        if have is not None:
            both = part.mask & have.mask
            agree = equal(part.value & both, have.value & both)
            conditions.append(any_of(negated(part.present), negated(have.present), agree))
    return all_of(*conditions)


def same_match(one: MergedMatch, other: MergedMatch) -> Truth:
    """Return whether two matches are equal."""
    if one is other:
        return ALWAYS
    conditions = []
    for name in {**one.parts, **other.parts}:
        part, have = one.parts.get(name, _ABSENT), other.parts.get(name, _ABSENT)
        both = all_of(part.present, have.present, equal(part.mask, have.mask), equal(part.value, have.value))
        conditions.append(any_of(both, all_of(negated(part.present), negated(have.present))))
    return all_of(*conditions)


def comes_before(one: MergedMatch, other: MergedMatch) -> Truth:
    """Return whether a match is before another one in the canonical order of entries (`core.match_order`)."""
    names = sorted({**one.parts, **other.parts}, key=lambda name: FIELDS[name].number)
    return below(_order(one, names), _order(other, names))


def _order(match: MergedMatch, names: list[str]) -> int:
    """Return a number that is in the order of the tuples (field, value, mask) of the fields that are there.

    Where both matches have a field, its value and mask count. Where one lacks it, that one comes first if it has no
    later field, because its tuple ends there, and last otherwise, because its next field is a later one.
    """
    number, later = 0, NEVER
    shift = 0
    for name in reversed(names):
        part = match.parts.get(name, _ABSENT)
        bits = full_part(name).bit_length()
        # A mask of all bits is -1 in the model's order.
        mask = select(equal(part.mask, full_part(name)), 0, part.mask + 1)
        code = select(part.present, 1 << 2 * bits + 1 | part.value << bits + 1 | mask, 0)
        tagged = select(all_of(negated(part.present), later), 2 << 2 * bits + 1, code)
        number = number + (tagged << shift)
        shift += 2 * bits + 3
        later = any_of(later, part.present)
    return number


def without_wildcards(match: MergedMatch) -> Truth:
    """Return whether a match of 1.0 has no wildcards."""
    conditions = [_is_exact(match, name) for name in _TUPLE]
    conditions.append(any_of(*(all_of(*(_is_exact(match, name) for name in pair)) for pair in _TRANSPORTS.values())))
    conditions.append(any_of(equal(match.parts["vlan_vid"].value, 0), match.parts["vlan_pcp"].present))
    return all_of(*conditions)


def _is_exact(match: MergedMatch, name: str) -> Truth:
    part = match.parts[name]
    return all_of(part.present, equal(part.mask, full_part(name)))


# The match of 1.0 on the wire.


def read_merged_match(number: int) -> MergedMatch:
    """Return the match of 40 bytes, given as one number."""
    raw = {slot.name: number >> 320 - slot.offset - slot.bits & (1 << slot.bits) - 1 for slot in _STRUCT.slots.values()}
    given = {slot: equal(raw["wildcards"] >> bit & 1, 0) for slot, bit in _WILDCARDS.items()}
    untagged = all_of(given["dl_vlan"], equal(raw["dl_vlan"], VLAN_NONE))
    vlan = select(untagged, 0, raw["dl_vlan"] & 0xFFF | VLAN_PRESENT)
    parts = {
        "in_port": _part("in_port", given["in_port"], merged_port(raw["in_port"])),
        "eth_src": _part("eth_src", given["dl_src"], raw["dl_src"]),
        "eth_dst": _part("eth_dst", given["dl_dst"], raw["dl_dst"]),
        "vlan_vid": MatchPart(
            any_of(given["dl_vlan"], given["dl_vlan_pcp"]),
            select(given["dl_vlan"], vlan, VLAN_PRESENT),
            select(given["dl_vlan"], FIELDS["vlan_vid"].full, VLAN_PRESENT),
        ),
        "vlan_pcp": _part("vlan_pcp", all_of(given["dl_vlan_pcp"], negated(untagged)), raw["dl_vlan_pcp"] & 7),
        "eth_type": _part("eth_type", given["dl_type"], raw["dl_type"]),
    }
    is_ip = all_of(given["dl_type"], equal(raw["dl_type"], IPV4))
    is_arp = all_of(given["dl_type"], equal(raw["dl_type"], ARP))
    for kind, names in ((is_ip, ("ip_proto", "ipv4_src", "ipv4_dst")), (is_arp, ("arp_op", "arp_spa", "arp_tpa"))):
        parts[names[0]] = _part(names[0], all_of(kind, given["nw_proto"]), raw["nw_proto"])
        for name, slot in zip(names[1:], _PREFIXES, strict=True):
            ignored = raw["wildcards"] >> _PREFIXES[slot] & 0x3F
            mask = _ALL_32 << select(below(ignored, 32), ignored, 32) & _ALL_32
            parts[name] = MatchPart(all_of(kind, below(ignored, 32)), raw[slot] & mask, mask)
    parts["ip_dscp"] = _part("ip_dscp", all_of(is_ip, given["nw_tos"]), raw["nw_tos"] >> 2)
    for proto, (source, target) in _TRANSPORTS.items():
        used = all_of(is_ip, given["nw_proto"], equal(raw["nw_proto"], proto))
        parts[source] = _part(source, all_of(used, given["tp_src"]), raw["tp_src"])
        parts[target] = _part(target, all_of(used, given["tp_dst"]), raw["tp_dst"])
    return MergedMatch(parts, slots=raw)


def merged_port(number: int) -> int:
    """Return the 32-bit number of a 16-bit port."""
    return select(below(number, 0xFF00), number, number | 0xFFFF0000)


def _part(name: str, present: Truth, value: int) -> MatchPart:
    return MatchPart(present, value, full_part(name))


def write_merged_match(match: MergedMatch) -> int:
    """Return 40 bytes as one number; a slot that is not matched is 0."""
    raw, parts = match.slots, match.parts
    present = {
        "in_port": parts["in_port"].present,
        "dl_vlan": equal(raw["wildcards"] >> _WILDCARDS["dl_vlan"] & 1, 0),
        "dl_src": parts["eth_src"].present,
        "dl_dst": parts["eth_dst"].present,
        "dl_type": parts["eth_type"].present,
        "nw_proto": any_of(parts["ip_proto"].present, parts["arp_op"].present),
        "tp_src": any_of(*(parts[source].present for source, _ in _TRANSPORTS.values())),
        "tp_dst": any_of(*(parts[target].present for _, target in _TRANSPORTS.values())),
        "dl_vlan_pcp": parts["vlan_pcp"].present,
        "nw_tos": parts["ip_dscp"].present,
    }
    cleaned = {
        "dl_vlan": select(equal(raw["dl_vlan"], VLAN_NONE), VLAN_NONE, raw["dl_vlan"] & 0xFFF),
        "dl_vlan_pcp": raw["dl_vlan_pcp"] & 7,
        "nw_tos": raw["nw_tos"] & 0xFC,
    }
    values = {slot: select(given, cleaned.get(slot, raw[slot]), 0) for slot, given in present.items()}
    wildcards = sum(select(given, 0, 1 << _WILDCARDS[slot]) for slot, given in present.items())
    for slot, ip_name, arp_name in (("nw_src", "ipv4_src", "arp_spa"), ("nw_dst", "ipv4_dst", "arp_tpa")):
        given = any_of(parts[ip_name].present, parts[arp_name].present)
        values[slot] = select(given, parts[ip_name].value, 0)
        ignored = select(given, raw["wildcards"] >> _PREFIXES[slot] & 0x3F, 0x3F)
        wildcards = wildcards | ignored << _PREFIXES[slot]
    values["wildcards"] = wildcards & ALL_WILDCARDS
    number = 0
    for place in _STRUCT.slots.values():
        number = number | values[place.name] << 320 - place.offset - place.bits
    return number


_ABSENT: Final = MatchPart(NEVER, 0, 0)
