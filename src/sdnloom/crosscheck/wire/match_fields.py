"""The fields of a match that an agent sent, in a form in which matches with the same meaning are equal.

A field that is not matched is 0, bits that do not matter are 0. All of it is computed on terms without a fork, except
for the headers of 1.3's fields.
"""

from typing import Final

from sdnloom.crosscheck.output import OutputValue
from sdnloom.crosscheck.wire.symbolic_value import as_octets, as_output, as_term, plain_or_term, settled
from sdnloom.network.openflow.constants import V10, V13
from sdnloom.network.openflow.errors import DecodeError
from sdnloom.network.openflow.layouts import STRUCTS
from sdnloom.network.openflow.match10 import ARP, IPV4, VLAN_NONE
from sdnloom.network.openflow.oxm import BY_NUMBER, OPENFLOW_BASIC
from sdnloom.symbolic.terms.constructors import (
    TRUE,
    all_,
    any_,
    bv_and,
    concat,
    const,
    eq,
    extract,
    ite,
    lshr,
    not_,
    shl,
    ult,
    zero_extend,
)
from sdnloom.symbolic.terms.node import Term
from sdnloom.symbolic.values.sym_bytes import int_of_bytes

_STRUCT10: Final = STRUCTS[V10]["match"]
_HEAD13: Final = STRUCTS[V13]["match"]
_OXM: Final = STRUCTS[V13]["oxm"]
# Slot -> its bit in `wildcards`, as 5.2.3 of OpenFlow 1.0 has them.
_BITS: Final = {
    "in_port": 0, "dl_vlan": 1, "dl_src": 2, "dl_dst": 3, "dl_type": 4, "nw_proto": 5, "tp_src": 6, "tp_dst": 7,
    "dl_vlan_pcp": 20, "nw_tos": 21,
}  # fmt: skip
_PREFIXES: Final = {"nw_src": 8, "nw_dst": 14}
_USED_BITS: Final = {"dl_vlan_pcp": 7, "nw_tos": 0xFC}
_TRANSPORT: Final = (1, 6, 17)
_MOST_OCTETS: Final = 16  # an IPv6 address; a longer value of a field that nobody knows is no number


def match_fields10(data: bytes) -> list[tuple[str, OutputValue]]:
    """Return the fields of a 1.0 match of 40 bytes and its wildcards."""
    raw = _STRUCT10.unpack(data)
    slots = {name: as_term(raw[name], slot.bits) for name, slot in _STRUCT10.slots.items()}
    wildcards = slots.pop("wildcards")
    given = {name: eq(extract(wildcards, bit, bit), const(0, 1)) for name, bit in _BITS.items()}
    counts = {name: extract(wildcards, low + 5, low) for name, low in _PREFIXES.items()}
    given |= {name: ult(count, const(32, 6)) for name, count in counts.items()}
    given = {name: all_(given[name], needed) for name, needed in _prerequisites(slots, given).items()}
    found: dict[str, Term] = {}
    for name, value in slots.items():
        if name in _USED_BITS:
            value = bv_and(value, const(_USED_BITS[name], value.width))
        elif name == "dl_vlan":
            tag = bv_and(value, const(0xFFF, 16))
            value = ite(eq(value, const(VLAN_NONE, 16)), value, tag)
        elif name in counts:
            ignored = zero_extend(counts[name], 32)
            value = shl(lshr(value, ignored), ignored)
        found[name] = ite(given[name], value, const(0, value.width))
    found["wildcards"] = _wildcards(given, counts)
    return [(name, plain_or_term(value)) for name, value in found.items()]


def _prerequisites(slots: dict[str, Term], given: dict[str, Term]) -> dict[str, Term]:
    """Return for each slot the condition under which it means something."""
    ipv4 = all_(given["dl_type"], eq(slots["dl_type"], const(IPV4, 16)))
    network = any_(ipv4, all_(given["dl_type"], eq(slots["dl_type"], const(ARP, 16))))
    known = any_(*(eq(slots["nw_proto"], const(number, 8)) for number in _TRANSPORT))
    transport = all_(ipv4, given["nw_proto"], known)
    tagged = not_(all_(given["dl_vlan"], eq(slots["dl_vlan"], const(VLAN_NONE, 16))))
    special = {"dl_vlan_pcp": tagged, "nw_tos": ipv4, "tp_src": transport, "tp_dst": transport}
    special |= dict.fromkeys(("nw_proto", "nw_src", "nw_dst"), network)
    return {name: special.get(name, TRUE) for name in slots}


def _wildcards(given: dict[str, Term], counts: dict[str, Term]) -> Term:
    """Return the wildcards in which everything that does not matter is a wildcard."""
    parts: list[Term] = []
    places = {**_BITS, **_PREFIXES}
    for name in sorted(places, key=places.__getitem__, reverse=True):
        if name in counts:
            parts.append(ite(given[name], counts[name], const(32, 6)))
        else:
            parts.append(ite(given[name], const(0, 1), const(1, 1)))
    return concat(*parts)


def match_fields13(data: bytes, at: int, end: int) -> tuple[list[tuple[str, OutputValue]], int]:
    """Return the fields of a 1.3 match with their masks, by name, and the end of its padding."""
    if end - at < _HEAD13.size:
        raise DecodeError("bad_match", "bad_len", f"{end - at} bytes are left")
    head = _HEAD13.unpack(data, at)
    kind, length = settled(head["type"]), settled(head["length"])
    padded = at + (length + 7) // 8 * 8
    if kind != 1 or length < _HEAD13.size or padded > end:
        raise DecodeError("bad_match", "bad_len", f"a match of type {kind} and length {length}")
    stop, at = at + length, at + _HEAD13.size
    found: list[tuple[str, OutputValue]] = []
    while at < stop:
        inner, at = _oxm_fields(data, at, stop)
        found += inner
    return sorted(found, key=lambda each: each[0]), padded


def _oxm_fields(data: bytes, at: int, end: int) -> tuple[list[tuple[str, OutputValue]], int]:
    if end - at < _OXM.size:
        raise DecodeError("bad_match", "bad_len", f"{end - at} bytes are left")
    head = {name: settled(value) for name, value in _OXM.unpack(data, at).items()}
    at += _OXM.size
    stop = at + head["length"]
    size = head["length"] >> head["hasmask"]
    if stop > end or head["length"] != size << head["hasmask"] or not size:
        raise DecodeError("bad_match", "bad_len", f"a field of {head['length']} bytes")
    known = BY_NUMBER.get(head["field"]) if head["class"] == OPENFLOW_BASIC else None
    name = known.name if known else f"oxm_{head['class']:04x}_{head['field']}"
    if size > _MOST_OCTETS:
        return [(f"{name}.data", as_octets(data[at:stop]))], stop
    value, mask = int_of_bytes(data[at : at + size], "big"), (1 << 8 * size) - 1
    if head["hasmask"]:
        mask = int_of_bytes(data[at + size : stop], "big")
        if mask == 0:  # a fork if the mask is symbolic
            return [], stop
    return [(name, as_output(value & mask, 8 * size)), (f"{name}.mask", as_output(mask, 8 * size))], stop
