"""Conditions of matches as terms: whether a symbolic match matches a packet, covers another match and so on.

A match has a part for each field that it may have, with the condition that the field is there. The functions are pure
and remember their results, because every run of an exploration asks about the same terms. Law: each condition has the
value that the model's function of the same question returns for the concrete match; the tests compare them.
"""

from functools import lru_cache
from typing import Final, NamedTuple

from sdnloom.network.openflow.constants import V10, VLAN_PRESENT
from sdnloom.network.openflow.layouts import STRUCTS
from sdnloom.network.openflow.match import FOREIGN, field_order
from sdnloom.network.openflow.match10 import ARP, IPV4, VLAN_NONE
from sdnloom.network.openflow.oxm import FIELDS
from sdnloom.symbolic.terms.constructors import (
    FALSE,
    TRUE,
    Term,
    all_,
    any_,
    bv_and,
    bv_or,
    concat,
    const,
    eq,
    extract,
    ite,
    not_,
    shl,
    ult,
    zero_extend,
)

_SIZE: Final = 1 << 12  # conditions remembered for each question
_STRUCT: Final = STRUCTS[V10]["match"]
# Slot -> its bit in `wildcards`; address -> offset of its six bits there.
_WILDCARDS: Final = {
    "in_port": 0, "dl_vlan": 1, "dl_src": 2, "dl_dst": 3, "dl_type": 4, "nw_proto": 5, "tp_src": 6, "tp_dst": 7,
    "dl_vlan_pcp": 20, "nw_tos": 21,
}  # fmt: skip
_PREFIXES: Final = {"nw_src": 8, "nw_dst": 14}
_TRANSPORTS: Final = {6: ("tcp_src", "tcp_dst"), 17: ("udp_src", "udp_dst"), 1: ("icmpv4_type", "icmpv4_code")}
# 1.0: the fields of an entry without wildcards, besides those of its transport.
_TUPLE: Final = ("in_port", "eth_dst", "eth_src", "eth_type", "vlan_vid", "ip_dscp", "ip_proto", "ipv4_src", "ipv4_dst")


class PartTerms(NamedTuple):
    """A field: whether it is there, its value without bits outside of the mask, and its mask, of equal width."""

    present: Term
    value: Term
    mask: Term


class MatchTerms:
    """The parts of a match by name; of 1.0 also the slots of its wire form. Equal only if it is the same object."""

    def __init__(self, parts: dict[str, PartTerms], slots: dict[str, Term] | None = None) -> None:
        self.parts, self.slots = parts, slots or {}


def field_bits(name: str) -> int:
    """Return the bits that a field may have in a message; 1.0 has 16 for the type and code of ICMP."""
    if name in _TRANSPORTS[1]:
        return 16
    if name in FIELDS:
        return FIELDS[name].bits
    found = FOREIGN.fullmatch(name)
    assert found is not None, f"{name} is no field"
    return 8 * int(found[3])


@lru_cache(maxsize=_SIZE)
def given_match(rows: tuple[tuple[str, Term, Term], ...]) -> MatchTerms:
    """Return the match of fields with their values and masks; a field with an empty mask is not there."""
    parts = {}
    for name, value, mask in rows:
        parts[name] = PartTerms(not_(eq(mask, const(0, mask.width))), value, mask)
    return MatchTerms(parts)


# Questions.


@lru_cache(maxsize=_SIZE)
def packet_condition(match: MatchTerms, fields: tuple[tuple[str, Term], ...]) -> Term:
    """Return whether the match matches a packet with these fields."""
    have = dict(fields)
    conditions = []
    for name, part in match.parts.items():
        fits = eq(bv_and(have[name], part.mask), part.value) if name in have else FALSE
        conditions.append(any_(not_(part.present), fits))
    return all_(*conditions)


@lru_cache(maxsize=_SIZE)
def cover_condition(general: MatchTerms, special: MatchTerms) -> Term:
    """Return whether the second match is equal to or more specific than the first."""
    conditions = []
    for name, part in general.parts.items():
        have = special.parts.get(name)
        inside = FALSE
        if have is not None:
            masked = eq(bv_and(part.mask, have.mask), part.mask)
            inside = all_(have.present, masked, eq(bv_and(have.value, part.mask), part.value))
        conditions.append(any_(not_(part.present), inside))
    return all_(*conditions)


@lru_cache(maxsize=_SIZE)
def overlap_condition(one: MatchTerms, other: MatchTerms) -> Term:
    """Return whether some packet may match both."""
    conditions = []
    for name, part in one.parts.items():
        have = other.parts.get(name)
        if have is not None:
            both = bv_and(part.mask, have.mask)
            agree = eq(bv_and(part.value, both), bv_and(have.value, both))
            conditions.append(any_(not_(part.present), not_(have.present), agree))
    return all_(*conditions)


@lru_cache(maxsize=_SIZE)
def same_condition(one: MatchTerms, other: MatchTerms) -> Term:
    """Return whether the matches are equal."""
    if one is other:
        return TRUE
    conditions = []
    for name in {**one.parts, **other.parts}:
        part, have = _part(one, name), _part(other, name)
        both = all_(part.present, have.present, eq(part.mask, have.mask), eq(part.value, have.value))
        conditions.append(any_(both, all_(not_(part.present), not_(have.present))))
    return all_(*conditions)


@lru_cache(maxsize=_SIZE)
def order_condition(one: MatchTerms, other: MatchTerms) -> Term:
    """Return whether the first match is before the other in the canonical order of entries (`core.match_order`)."""
    names = sorted({**one.parts, **other.parts}, key=field_order)
    return ult(_order(one, names), _order(other, names)) if names else FALSE


def _order(match: MatchTerms, names: list[str]) -> Term:
    """Return a number that is in the order of the tuples (field, value, mask) of the fields that are there.

    Where both matches have a field, its value and mask count. Where one lacks it, that one comes first if it has no
    later field, because its tuple ends there, and last otherwise, because its next field is a later one.
    """
    codes, later = [], FALSE
    for name in reversed(names):
        part = _part(match, name)
        bits = part.value.width
        mask = zero_extend(part.mask, bits + 1)
        # A mask of all bits is -1 in the model's order.
        place = ite(_is_full(part), const(0, bits + 1), mask)
        code = concat(const(1, 2), part.value, place)
        absent = concat(ite(later, const(2, 2), const(0, 2)), const(0, 2 * bits + 1))
        codes.append(ite(part.present, code, absent))
        later = any_(later, part.present)
    return concat(*reversed(codes))


@lru_cache(maxsize=_SIZE)
def exact_condition(match: MatchTerms) -> Term:
    """Return whether a match of 1.0 has no wildcards."""
    parts = match.parts
    exact = {name: all_(part.present, _is_full(part)) for name, part in parts.items()}
    pairs = [all_(*(exact[name] for name in pair)) for pair in _TRANSPORTS.values()]
    untagged = eq(parts["vlan_vid"].value, const(0, 13))
    return all_(*(exact[name] for name in _TUPLE), any_(*pairs), any_(untagged, parts["vlan_pcp"].present))


def _is_full(part: PartTerms) -> Term:
    return eq(part.mask, const(-1, part.mask.width))


def _part(match: MatchTerms, name: str) -> PartTerms:
    nothing = const(0, field_bits(name))
    return match.parts.get(name, PartTerms(FALSE, nothing, nothing))


# The match of 1.0 on the wire.


@lru_cache(maxsize=_SIZE)
def wide_port(port: Term) -> Term:
    """Return the 32-bit number of a 16-bit port."""
    return ite(ult(port, const(0xFF00, 16)), zero_extend(port, 32), concat(const(0xFFFF, 16), port))


@lru_cache(maxsize=_SIZE)
def wire_match(number: Term) -> MatchTerms:
    """Return the match of 40 bytes."""
    raw = {
        slot.name: extract(number, 319 - slot.offset, 320 - slot.offset - slot.bits) for slot in _STRUCT.slots.values()
    }
    given = {slot: _is_given(raw, slot) for slot in _WILDCARDS}
    untagged = all_(given["dl_vlan"], eq(raw["dl_vlan"], const(VLAN_NONE, 16)))
    tag = const(VLAN_PRESENT, 13)
    vlan = ite(untagged, const(0, 13), bv_or(zero_extend(extract(raw["dl_vlan"], 11, 0), 13), tag))
    parts = {
        "in_port": _exact(given["in_port"], wide_port(raw["in_port"])),
        "eth_src": _exact(given["dl_src"], raw["dl_src"]),
        "eth_dst": _exact(given["dl_dst"], raw["dl_dst"]),
        "vlan_vid": PartTerms(
            any_(given["dl_vlan"], given["dl_vlan_pcp"]),
            ite(given["dl_vlan"], vlan, tag),
            ite(given["dl_vlan"], const(-1, 13), tag),
        ),
        "vlan_pcp": _exact(all_(given["dl_vlan_pcp"], not_(untagged)), extract(raw["dl_vlan_pcp"], 2, 0)),
        "eth_type": _exact(given["dl_type"], raw["dl_type"]),
    }
    is_ip = all_(given["dl_type"], eq(raw["dl_type"], const(IPV4, 16)))
    is_arp = all_(given["dl_type"], eq(raw["dl_type"], const(ARP, 16)))
    parts["ip_proto"] = _exact(all_(is_ip, given["nw_proto"]), raw["nw_proto"])
    parts["arp_op"] = _exact(all_(is_arp, given["nw_proto"]), zero_extend(raw["nw_proto"], 16))
    for slot, names in (("nw_src", ("ipv4_src", "arp_spa")), ("nw_dst", ("ipv4_dst", "arp_tpa"))):
        ignored = _ignored(raw, slot)
        mask = shl(const(-1, 32), zero_extend(ignored, 32))
        for kind, name in zip((is_ip, is_arp), names, strict=True):
            matched = all_(kind, ult(ignored, const(32, 6)))
            parts[name] = PartTerms(matched, bv_and(raw[slot], mask), mask)
    parts["ip_dscp"] = _exact(all_(is_ip, given["nw_tos"]), extract(raw["nw_tos"], 7, 2))
    for proto, pair in _TRANSPORTS.items():
        used = all_(is_ip, given["nw_proto"], eq(raw["nw_proto"], const(proto, 8)))
        for slot, name in zip(("tp_src", "tp_dst"), pair, strict=True):
            parts[name] = _exact(all_(used, given[slot]), raw[slot])
    return MatchTerms(parts, raw)


def _is_given(raw: dict[str, Term], slot: str) -> Term:
    bit = _WILDCARDS[slot]
    return eq(extract(raw["wildcards"], bit, bit), const(0, 1))


def _ignored(raw: dict[str, Term], slot: str) -> Term:
    """Return how many low bits of an address are not matched."""
    return extract(raw["wildcards"], _PREFIXES[slot] + 5, _PREFIXES[slot])


def _exact(present: Term, value: Term) -> PartTerms:
    return PartTerms(present, value, const(-1, value.width))


@lru_cache(maxsize=_SIZE)
def wire_term(match: MatchTerms) -> Term:
    """Return the 40 bytes of a match of 1.0; a slot that is not matched is 0, its wildcard is set."""
    raw, parts = match.slots, match.parts
    present = {
        "in_port": parts["in_port"].present,
        "dl_vlan": _is_given(raw, "dl_vlan"),
        "dl_src": parts["eth_src"].present,
        "dl_dst": parts["eth_dst"].present,
        "dl_type": parts["eth_type"].present,
        "nw_proto": any_(parts["ip_proto"].present, parts["arp_op"].present),
        "tp_src": any_(*(parts[pair[0]].present for pair in _TRANSPORTS.values())),
        "tp_dst": any_(*(parts[pair[1]].present for pair in _TRANSPORTS.values())),
        "dl_vlan_pcp": parts["vlan_pcp"].present,
        "nw_tos": parts["ip_dscp"].present,
        "nw_src": any_(parts["ipv4_src"].present, parts["arp_spa"].present),
        "nw_dst": any_(parts["ipv4_dst"].present, parts["arp_tpa"].present),
    }
    none = const(VLAN_NONE, 16)
    cleaned = raw | {
        "dl_vlan": ite(eq(raw["dl_vlan"], none), none, bv_and(raw["dl_vlan"], const(0xFFF, 16))),
        "dl_vlan_pcp": bv_and(raw["dl_vlan_pcp"], const(7, 8)),
        "nw_tos": bv_and(raw["nw_tos"], const(0xFC, 8)),
        "nw_src": parts["ipv4_src"].value,
        "nw_dst": parts["ipv4_dst"].value,
    }
    number = const(0, 320)
    wildcards = const(0, 32)
    for slot, given in present.items():
        if slot in _WILDCARDS:
            wildcards = bv_or(wildcards, ite(given, const(0, 32), const(1 << _WILDCARDS[slot], 32)))
        else:
            bits = ite(given, _ignored(raw, slot), const(0x3F, 6))
            wildcards = bv_or(wildcards, shl(zero_extend(bits, 32), const(_PREFIXES[slot], 32)))
        place = _STRUCT.slots[slot]
        value = ite(given, cleaned[slot], const(0, place.bits))
        number = bv_or(number, shl(zero_extend(value, 320), const(320 - place.offset - place.bits, 320)))
    return bv_or(number, shl(zero_extend(wildcards, 320), const(288, 320)))
