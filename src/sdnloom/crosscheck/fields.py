"""The fields of an input: how people name the bits of its variables, which depends on the types in the message.

Law: the fields of an input cover every bit of every variable exactly once.
"""

import itertools
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from sdnloom.crosscheck.switch_test import Case, MessageStep, Overlay, Variable, template_bytes
from sdnloom.crosscheck.template.match import WILDCARD_BITS
from sdnloom.crosscheck.template.tables import (
    ACTION_KINDS,
    INSTRUCTION_KINDS,
    MESSAGE_KINDS,
    MESSAGE_TYPES,
    STATS_KINDS,
    Kind,
)
from sdnloom.crosscheck.template.value_names import constants, field_kind, shown_value
from sdnloom.network.bitstruct import Slot
from sdnloom.network.openflow.constants import V10, V13, VERSIONS, FlowFlag, PortConfig
from sdnloom.network.openflow.layouts import HEADER, STRUCTS, struct_layout


@dataclass(frozen=True, slots=True)
class Field:
    """Some bits of a variable under a name such as `actions[0].vlan_vid`; `low` is the lowest of them.

    `tag` says that the field is a type or a command: it decides what other fields mean. `kind` says how its values are
    written. In a case with several symbolic steps the name starts with that of the step, as variables do.
    """

    name: str
    variable: str
    low: int
    bits: int
    tag: bool = False
    kind: str = ""
    message: str = ""  # the kind of the message that has the field

    def value(self, values: Mapping[str, int]) -> int:
        """Return the value of the field in an input."""
        return values[self.variable] >> self.low & (1 << self.bits) - 1

    def replaced(self, values: Mapping[str, int], value: int) -> dict[str, int]:
        """Return the input with another value of the field."""
        others = values[self.variable] & ~((1 << self.bits) - 1 << self.low)
        return {**values, self.variable: others | value << self.low}


@dataclass(frozen=True, slots=True)
class _Row:
    """A field inside a layout: its name and its bits, most significant first."""

    name: str
    bits: int


def input_fields(case: Case, values: Mapping[str, int], version: int) -> tuple[Field, ...]:
    """Return the fields of an input in the order of the wire. Types in the input decide the names of arguments."""
    messages: dict[str, str] = {}
    overlays: dict[str, Overlay] = {}
    for number, step in enumerate(case.steps, 1):
        if isinstance(step, MessageStep):
            messages[f"m{number}"] = step.kind
            overlays |= {overlay.variable: overlay for overlay in step.overlays}
    symbolic = {variable.name.partition(".")[0] for variable in case.variables}
    return tuple(
        field
        for variable in case.variables
        for field in _fields(variable, overlays, values, version, messages, len(symbolic) > 1)
    )


def _fields(
    variable: Variable,
    overlays: Mapping[str, Overlay],
    values: Mapping[str, int],
    version: int,
    messages: Mapping[str, str],
    prefixed: bool,
) -> Iterator[Field]:
    step, _, path = variable.name.partition(".")
    message = messages.get(step, "")
    overlay = overlays.get(variable.name)
    rows = list[_Row]()
    if overlay is not None:
        outer = path.rpartition(".")[0]
        rows = [
            _Row(f"{outer}.{row.name}" if outer else row.name, row.bits)
            for row in _overlay_rows(overlay, values[overlay.tag], variable.bits, version)
        ]
    rows = rows or [_Row(path, variable.bits)]
    at = variable.bits
    for row in itertools.chain.from_iterable(_split(each, message, version) for each in rows):
        at -= row.bits
        name = f"{step}.{row.name}" if prefixed else row.name
        kind = "" if row.name.rpartition(".")[0].endswith(_SPLIT) else field_kind(row.name)
        yield Field(name, variable.name, at, row.bits, kind in _TAGS, kind, message)


_TAGS: Final = ("message", "stats", "actions", "instructions", "command")


# ---- Layouts by type -------------------------------------------------------------------------------------------------


def _overlay_rows(overlay: Overlay, tag: int, bits: int, version: int) -> list[_Row]:
    """Return the fields of a variable for the value of its tag; none if the type is unknown or has another length."""
    match overlay.kind:
        case "action":
            kinds: Iterable[Kind] = ACTION_KINDS[version].values()
        case "instruction":
            kinds = INSTRUCTION_KINDS.values()
        case "stats":
            kinds = STATS_KINDS[version].values()
        case _:
            kinds = MESSAGE_KINDS[version].values()
    kind = next((kind for kind in kinds if kind.number == tag), None)
    if kind is None:
        return []
    if kind.struct == "set_field":
        return _set_field_rows(bits)
    rows = _layout_rows(kind, overlay.skip, version)
    used = sum(row.bits for row in rows)
    if used == bits:
        return rows
    tail = _TAILS.get(kind.struct, "match" if version == V13 and kind.struct == "flow_stats_request" else "")
    return [*rows, _Row(tail, bits - used)] if tail and used < bits else []


# Layouts that data follows -> the name of the data.
_TAILS: Final = {
    "experimenter_action": "data", "experimenter_stats": "data", "experimenter": "data",
    "experimenter_instruction": "data", "actions_instruction": "actions",
}  # fmt: skip


def _layout_rows(kind: Kind, skip: int, version: int) -> list[_Row]:
    struct = STRUCTS[version][kind.struct]
    slots = {name: slot for name, slot in struct_layout(version, kind.struct).items() if slot.kind != "match"}
    rows = []
    at, pads = skip, 0
    for slot in (*sorted(slots.values(), key=_offset), Slot("", 8 * struct.size, 0)):
        if slot.offset > at:
            pads += 1
            rows.append(_Row("pad" if pads == 1 else f"pad{pads}", slot.offset - at))
        if slot.bits and slot.offset >= skip:
            rows.append(_Row(kind.value if slot.name == "value" else slot.name, slot.bits))
        at = max(at, slot.offset + slot.bits)
    return rows


def _offset(slot: Slot) -> int:
    return slot.offset


def _set_field_rows(bits: int) -> list[_Row]:
    head = [_Row(slot.name, slot.bits) for slot in STRUCTS[V13]["oxm"].slots.values()]
    rest = bits - 8 * STRUCTS[V13]["oxm"].size
    return [*head, *([_Row("value", rest)] if rest else [])]


# ---- Fields of several meanings --------------------------------------------------------------------------------------

# Last parts of names whose fields are split, so that a difference can name one bit.
_SPLIT: Final = ("wildcards", "flags", "config", "mask")
_FLOW_FLAGS: Final = {
    V10: {"send_flow_rem": 1, "check_overlap": 2, "emerg": 4},
    V13: {each.name.lower(): int(each) for each in FlowFlag if each.name and each is not FlowFlag.EMERG},
}
_PORT_BITS: Final = {each.name.lower(): int(each) for each in PortConfig if each.name}
_ONLY_IN_10: Final = ("no_stp", "no_recv_stp", "no_flood")
_PORT_FLAGS: Final = {
    V10: _PORT_BITS,
    V13: {name: bit for name, bit in _PORT_BITS.items() if name not in _ONLY_IN_10},
}


def _split(row: _Row, message: str, version: int) -> list[_Row]:
    name = row.name.rpartition(".")[2]
    if name == "wildcards" and row.bits == 32:
        return _bits(row, WILDCARD_BITS)
    if name == "flags" and message == "flow_mod":
        return _bits(row, _FLOW_FLAGS[version])
    if name == "flags" and message == "set_config":
        return _bits(row, {"fragments": 3})
    if name in ("config", "mask") and message == "port_mod":
        return _bits(row, _PORT_FLAGS[version])
    return [row]


def _bits(row: _Row, masks: Mapping[str, int]) -> list[_Row]:
    """Return the named bits of a row and the unused ones between them, most significant first."""
    found: list[_Row] = []
    at, unused = 0, 0
    for name, mask in (*sorted(masks.items(), key=lambda item: item[1]), ("", 1 << row.bits)):
        low = (mask & -mask).bit_length() - 1
        if low > at:
            unused += 1
            found.append(_Row(f"{row.name}.unused" + (str(unused) if unused > 1 else ""), low - at))
        if name:
            found.append(_Row(f"{row.name}.{name}", mask.bit_count()))
        at = mask.bit_length()
    return found[::-1]


# ---- Names -----------------------------------------------------------------------------------------------------------


def field_text(field: Field, value: int, version: int) -> str:
    """Return a value of the field as people write it: `SET_VLAN_VID`, `OFPP_CONTROLLER`, `0x0fff`, `10.0.0.1`."""
    return shown_value(field.kind, field.bits, value, version, field.message)


def message_name(step: MessageStep, values: Mapping[str, int]) -> str:
    """Return what the message is in an input: `Packet Out`, `FlowMod ADD`, `Stats Request FLOW`."""
    data = template_bytes(step.parts, values)
    if len(data) < HEADER.size:
        return f"{len(data)} octets"
    version = data[0] if data[0] in VERSIONS else V10
    names = MESSAGE_TYPES[version]
    name = names[data[1]] if data[1] < len(names) else f"message of type {data[1]}"
    kind = next((each for each in MESSAGE_KINDS[version].items() if each[1].number == data[1]), None)
    if kind is None:
        return name
    struct = STRUCTS[version][kind[1].struct]
    for slot, what in (("command", "command"), ("stats_type", "type")):
        if slot in struct.slots and len(data) >= HEADER.size + struct.size:
            number = struct.unpack(data, HEADER.size)[slot]
            known = constants("command" if slot == "command" else "stats", version, kind[0])
            text = next((each for each, one in known.items() if one == number), f"{what} {number}")
            return f"{name} {text}"
    return name
