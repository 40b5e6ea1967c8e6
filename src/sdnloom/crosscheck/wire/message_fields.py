"""The fields of a message that an agent sent, by the names of the layout table; any byte of it may be symbolic.

What says where other fields are (lengths, types of elements, headers of match fields) is decided by forks, which are
exact: other values are other paths. All other symbolic fields become terms and cost no path. Law: for each input the
fields of the symbolic message have the values that the fields of the concrete message have. Ports and flow entries are
sorted, because their order has no meaning.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

from sdnloom.crosscheck.output import OutputValue
from sdnloom.crosscheck.wire.match_fields import match_fields10, match_fields13
from sdnloom.crosscheck.wire.symbolic_value import as_octets, as_output, comparable, known_number, settled
from sdnloom.network.bitstruct import Slot
from sdnloom.network.openflow.action_codec import Entry10, SetField13
from sdnloom.network.openflow.errors import DecodeError
from sdnloom.network.openflow.layouts import HEADER
from sdnloom.network.openflow.records import BAD_LENGTH, Many, Record, RecordPart, Rest, Variant
from sdnloom.network.openflow.tables import MESSAGES, STATS, STATS_REPLY, STATS_REQUEST, Match13

NamedValues = list[tuple[str, OutputValue]]

_TYPE_BITS: Final = 16
# List -> the field that its elements are sorted by; flow entries by all their fields.
_SORTED: Final = {"ports": "port_no", "tables": "table_id", "queues": "queue_id", "groups": "group_id", "flows": None}
_KNOWN: Final[dict[int, dict[int, tuple[str, Record]]]] = {
    version: {code: (kind.__name__, record) for kind, (code, record) in table.items()}
    for version, table in MESSAGES.items()
}


def message_fields(data: bytes, version: int) -> tuple[str, NamedValues]:
    """Return the class name of a whole message of this version and its fields without the header.

    Raises DecodeError if the bytes are no message that the codec knows.
    """
    code = known_number(HEADER.unpack(data)["type"], [*_KNOWN[version], STATS_REQUEST[version], STATS_REPLY[version]])
    name, record = _known_message(data, version, code)
    found, stop = _record_fields(record, data, HEADER.size, len(data))
    if stop != len(data):
        raise DecodeError(*BAD_LENGTH, f"{name} has {len(data) - stop} bytes too many")
    return name, found


def _known_message(data: bytes, version: int, code: int | None) -> tuple[str, Record]:
    if code in (STATS_REQUEST[version], STATS_REPLY[version]) and len(data) >= HEADER.size + 2:
        kind = known_number(as_number(data, HEADER.size, HEADER.size + 2), STATS[version])
        if kind is not None:
            record = STATS[version][kind][code == STATS_REPLY[version]]
            return getattr(record.build, "__name__", "Stats"), record
    elif code is not None and code in _KNOWN[version]:
        return _KNOWN[version][code]
    raise DecodeError("bad_request", "bad_type", "no type that the codec knows")


def as_number(data: bytes, start: int, stop: int) -> int:
    """Return some bytes as a number, symbolic if they are."""
    from sdnloom.symbolic.values.sym_bytes import int_of_bytes  # as in `bitstruct`: slow to import

    return int_of_bytes(data[start:stop], "big")


def _record_fields(record: Record, data: bytes, at: int, end: int) -> tuple[NamedValues, int]:
    """Return the fields of a record and its end."""
    if end - at < record.struct.size:
        raise DecodeError(*BAD_LENGTH, f"{record.struct.name}: {end - at} bytes are left")
    raw = record.struct.unpack(data, at)
    if record.length is not None:
        length = settled(raw[record.length])
        if not record.struct.size <= length <= end - at:
            raise DecodeError(*BAD_LENGTH, f"{record.struct.name} has length {length}")
        end = at + length
    found: NamedValues = []
    for slot in record.struct.slots.values():
        if slot.kind != "size" and slot.name not in record.constants:
            found += _slot_fields(slot, raw[slot.name], data, at)
    at += record.struct.size
    for part in record.parts:
        stop = end if part.size is None else at + settled(raw[part.size])
        if stop > end:
            raise DecodeError(*BAD_LENGTH, f"{part.name} has {stop - at} bytes, {end - at} are left")
        inner, at = _part_fields(part, data, at, stop)
        found += inner
    if record.length is not None and at != end:
        raise DecodeError(*BAD_LENGTH, f"{record.struct.name} has {end - at} bytes too many")
    return found, at


def _slot_fields(slot: Slot, number: int, data: bytes, at: int) -> NamedValues:
    """Return the fields of one slot of a structure."""
    if slot.kind == "match":
        start = at + slot.offset // 8
        return [(f"match.{name}", value) for name, value in match_fields10(data[start : start + slot.bits // 8])]
    if slot.kind == "in_port":
        return [("in_port", as_output(number, slot.bits))]
    if slot.kind == "words":
        shifts = range(slot.bits - 32, -1, -32)
        words = enumerate(number >> shift & 0xFFFFFFFF for shift in shifts)
        return [(f"{slot.name}[{index}]", as_output(word, 32)) for index, word in words]
    if slot.kind == "text":
        text = settled(number).to_bytes(slot.bits // 8, "big").partition(b"\0")[0]
        return [(slot.name, text.decode("utf-8", "backslashreplace"))]
    return [(slot.name, as_output(number, slot.bits))]


def _part_fields(part: RecordPart, data: bytes, at: int, end: int) -> tuple[NamedValues, int]:
    """Return the fields of what follows a structure, and its end."""
    codec = part.codec
    if isinstance(codec, Rest):
        return [(part.name, as_octets(data[at:end]))], end
    if isinstance(codec, Record):
        inner, at = _record_fields(codec, data, at, end)
        return [(f"{part.name}.{name}", value) for name, value in inner], at
    if isinstance(codec, Match13):
        inner, at = match_fields13(data, at, end - codec.pad)
        return [(f"match.{name}", value) for name, value in inner], at + codec.pad
    if isinstance(codec, Entry10):
        return _list_fields("actions", codec.actions.element, data, at, end), end
    assert isinstance(codec, Many), f"{part.name} is no part of a message that a switch sends"
    return _list_fields(part.name, codec.element, data, at, end), end


def _list_fields(name: str, element: Any, data: bytes, at: int, end: int) -> NamedValues:
    read: Callable[..., tuple[NamedValues, int]] = _variant_fields if isinstance(element, Variant) else _record_fields
    elements: list[NamedValues] = []
    while at < end:
        inner, at = read(element, data, at, end)
        elements.append(inner)
    if len(elements) > 1 and name in _SORTED:
        elements = sorted(elements, key=lambda each: _sort_key(each, _SORTED[name]))
    found: NamedValues = [(f"{name}.count", len(elements))]
    for index, inner in enumerate(elements):
        found += [(f"{name}[{index}].{field}", value) for field, value in inner]
    return found


def _sort_key(element: NamedValues, field: str | None) -> Any:
    values: Mapping[str, OutputValue] = dict(element)
    if field is not None and field in values:
        return comparable(values[field])
    return tuple((name, comparable(value)) for name, value in element)


def _variant_fields(variant: Variant, data: bytes, at: int, end: int) -> tuple[NamedValues, int]:
    """Return the fields of an action or instruction and its end. An unknown type stays a term."""
    kind = as_number(data, at, at + 2)
    size = settled(as_number(data, at + 2, at + 4))
    if end - at < 8 or size < 8 or size % 8 or size > end - at:
        raise DecodeError("bad_action", "bad_len", f"the length of an element is {size}, {end - at} bytes are left")
    found: NamedValues = [("type", as_output(kind, _TYPE_BITS))]
    for code, record in variant.by_code.items():
        if kind == code:  # a fork for each type that there is
            if isinstance(record, SetField13):
                break
            assert isinstance(record, Record)
            inner, stop = _record_fields(record, data, at, at + size)
            if stop != at + size:
                raise DecodeError("bad_action", "bad_len", f"type {code}: its length is {size}, expected {stop - at}")
            return found + inner, stop
    return [*found, ("data", as_octets(data[at + 4 : at + size]))], at + size
