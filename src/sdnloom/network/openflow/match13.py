"""OXM, the extensible match of OpenFlow 1.3: TLVs of class, field number, optional mask."""

from sdnloom.network.bitstruct import EncodeError
from sdnloom.network.openflow.constants import V13, VLAN_PRESENT
from sdnloom.network.openflow.errors import DecodeError
from sdnloom.network.openflow.layouts import STRUCTS
from sdnloom.network.openflow.match import FOREIGN, Match, canonical
from sdnloom.network.openflow.oxm import BY_NUMBER, FIELDS, OPENFLOW_BASIC, MatchField

EXPERIMENTER_CLASS = 0xFFFF
OXM_MATCH = 1

_HEAD = STRUCTS[V13]["match"]
_OXM = STRUCTS[V13]["oxm"]
# Fault of a TLV -> the error that answers it, in a match and in a set-field action.
_IN_MATCH = {
    "length": ("bad_match", "bad_len"),
    "masked": ("bad_match", "bad_mask"),
    "value": ("bad_match", "bad_value"),
    "outside mask": ("bad_match", "bad_wildcards"),
}
_IN_ACTION = {
    "length": ("bad_action", "bad_set_len"),
    "masked": ("bad_action", "bad_set_type"),
    "value": ("bad_action", "bad_set_argument"),
    "outside mask": ("bad_action", "bad_set_argument"),
}


def read_match13(data: bytes, at: int, end: int) -> tuple[Match, int]:
    """Return a match and the end of its padding; TLVs must come after those that they depend on."""
    if end - at < _HEAD.size:
        raise DecodeError("bad_match", "bad_len", f"match at byte {at}: {end - at} bytes are left, expected 8 or more")
    head = _HEAD.unpack(data, at)
    stop = at + head["length"]
    padded = at + (head["length"] + 7) // 8 * 8
    if head["type"] != OXM_MATCH:
        raise DecodeError("bad_match", "bad_type", f"match at byte {at} has type {head['type']}: expected 1 (OXM)")
    if head["length"] < _HEAD.size or padded > end:
        raise DecodeError(
            "bad_match", "bad_len", f"match at byte {at} has length {head['length']}, {end - at} are left"
        )
    at += _HEAD.size
    seen: dict[str, tuple[int, int | None]] = {}
    while at < stop:
        start = at
        name, value, mask, at = read_oxm(data, at, stop, _IN_MATCH)
        if name in seen:
            raise DecodeError("bad_match", "dup_field", f"field {name} at byte {start} comes twice")
        if name in FIELDS and not _met(name, seen):
            raise DecodeError("bad_match", "bad_prereq", f"field {name} at byte {start} lacks a field it depends on")
        seen[name] = value, mask
    return canonical([(name, *content) for name, content in seen.items()]), padded


def write_match13(match: Match) -> bytes:
    """Return a match with its padding."""
    body = b"".join(write_oxm(*field) for field in match.fields)
    length = _HEAD.size + len(body)
    return _HEAD.pack({"type": OXM_MATCH, "length": length}) + body + bytes(-length % 8)


def _met(name: str, seen: dict[str, tuple[int, int | None]]) -> bool:
    needs = FIELDS[name].needs
    if not needs:
        return True
    for other, wanted in needs:
        value, mask = seen.get(other, (0, 0))
        if mask == 0:  # not matched at all
            continue
        if other == "vlan_vid":
            return bool(value & VLAN_PRESENT)
        if wanted < 0 or (value == wanted and mask is None):
            return True
    return False


def read_oxm(data: bytes, at: int, end: int, errors: dict[str, tuple[str, str]]) -> tuple[str, int, int | None, int]:
    """Return name, value, mask and end of the TLV at an offset. The name of an unknown field is made of its numbers."""

    def fault(kind: str, detail: str) -> DecodeError:
        return DecodeError(*errors[kind], f"field at byte {start}: {detail}")

    start = at
    if end - at < _OXM.size:
        raise fault("length", f"{end - at} bytes are left, expected 4 or more")
    head = _OXM.unpack(data, at)
    at += _OXM.size
    stop = at + head["length"]
    if stop > end:
        raise fault("length", f"its length is {head['length']}, {end - at} bytes are left")
    field = BY_NUMBER.get(head["field"]) if head["class"] == OPENFLOW_BASIC else None
    suffix = ""
    if head["class"] == EXPERIMENTER_CLASS:
        if stop - at < 4:
            raise fault("length", "an experimenter's field is too short for its number")
        suffix = f"_{data[at : at + 4].hex()}"
        at += 4
    size = field.size if field else (stop - at) >> head["hasmask"]
    if stop - at != size << head["hasmask"]:
        raise fault("length", f"{stop - at} bytes of content, expected {size << head['hasmask']}")
    value = int.from_bytes(data[at : at + size], "big")
    mask = int.from_bytes(data[at + size : stop], "big") if head["hasmask"] else None
    if mask is not None and value & ~mask:
        raise fault("outside mask", f"value {value:#x} has bits outside its mask {mask:#x}")
    if field is not None and value > field.full:
        raise fault("value", f"{field.name} = {value:#x} is too large, expected at most {field.full:#x}")
    if field is not None and mask is not None:
        mask = plain_mask(field, mask)
        if not field.maskable and mask:
            raise fault("masked", f"{field.name} takes no mask but all ones or all zeros")
    name = field.name if field else f"oxm_{head['class']:04x}_{head['field']}_{size}{suffix}"
    return name, value, mask, stop


def plain_mask(field: MatchField, mask: int) -> int | None:
    """Return the mask of a field without bits that it lacks; all ones are the same as no mask."""
    return None if mask & field.full == field.full else mask & field.full


def write_oxm(name: str, value: int, mask: int | None) -> bytes:
    """Return the TLV of a field."""
    field = FIELDS.get(name)
    foreign = None if field else FOREIGN.fullmatch(name)
    if field is not None:
        kind, number, size, full, prefix = OPENFLOW_BASIC, field.number, field.size, field.full, b""
    elif foreign is not None:
        kind, number, size = int(foreign[1], 16), int(foreign[2]), int(foreign[3])
        full, prefix = (1 << 8 * size) - 1, bytes.fromhex(foreign[4] or "")
    else:
        raise EncodeError(f"match field {name!r} has no form in OpenFlow 1.3: expected one of {', '.join(FIELDS)}")
    for number_ in (value,) if mask is None else (value, mask):
        if not 0 <= number_ <= full:
            raise EncodeError(f"match field {name} = {number_!r}: expected a number from 0 to {full:#x}")
    body = prefix + b"".join(part.to_bytes(size, "big") for part in ((value,) if mask is None else (value, mask)))
    head = {"class": kind, "field": number, "hasmask": int(mask is not None), "length": len(body)}
    return _OXM.pack(head) + body


def read_set_field(data: bytes, at: int, end: int) -> tuple[str, int, int]:
    """Return name, value and end of the TLV inside a set-field action, which takes no mask."""
    name, value, _, stop = read_oxm(data, at, end, _IN_ACTION)
    if _OXM.unpack(data, at)["hasmask"]:  # not even one of all ones
        raise DecodeError("bad_action", "bad_set_type", f"set-field at byte {at} has a mask")
    return name, value, stop
