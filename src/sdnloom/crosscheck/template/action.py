"""Actions and instructions of a test file: `{ action = "output", port = 2 }`, `{ action = "symbolic" }`.

A symbolic action has a symbolic type and symbolic arguments; its length is concrete.
"""

from typing import Any, Final

from sdnloom.crosscheck.switch_test import Overlay, Variable
from sdnloom.crosscheck.template.match import read_oxm_field
from sdnloom.crosscheck.template.octets import NO_OCTETS, SymbolicOctets, join_octets, pack_struct
from sdnloom.crosscheck.template.tables import ACTION_KINDS, INSTRUCTION_KINDS, Kind
from sdnloom.crosscheck.template.values import SYMBOLIC_TEXT, Inputs, read_value
from sdnloom.network.bitstruct import BitStruct
from sdnloom.network.openflow.constants import V10
from sdnloom.network.openflow.layouts import STRUCTS
from sdnloom.network.openflow.oxm import FIELDS
from sdnloom.scenario_file.table import Table

_MOST_ROWS: Final = 16
ELEMENT_HEAD: Final = 32  # bits of type and length

# Defaults of arguments, by the name in a test: harmless values.
_ARGUMENTS: Final = {
    "port": 2, "max_len": 0xFFFF, "vlan_vid": 2, "dl_addr": 0x02, "nw_addr": 0x0A000002, "tp_port": 80, "ttl": 64,
    "ethertype": 0x8100, "mask": (1 << 64) - 1, "table_id": 1,
}  # fmt: skip
# (version, octets of the action) -> type and arguments of a symbolic action in the harmless input.
_HARMLESS: Final = {
    (V10, 8): (0, 3 << 16),  # output to port 3
    (V10, 16): (5, 3 << 80),  # set dl_dst to 00:03:00:00:00:00
}


def read_actions(table: Table, path: str, inputs: Inputs) -> SymbolicOctets:
    """Return the octets of the list `actions` of a table; `path` is that of the list in the message."""
    return join_octets(
        _element(row, f"{path}[{number}]", inputs, "action") for number, row in enumerate(_rows(table, path))
    )


def read_instructions(table: Table, inputs: Inputs) -> SymbolicOctets:
    """Return the octets of the list `instructions` of a table."""
    rows = _rows(table, "instructions")
    return join_octets(
        _element(row, f"instructions[{number}]", inputs, "instruction") for number, row in enumerate(rows)
    )


def _rows(table: Table, path: str) -> list[Table]:
    key = path.rpartition(".")[2]
    rows = table.tables(key)
    if len(rows) > _MOST_ROWS:
        table.refuse(key, f"a list of {len(rows)}", f"at most {_MOST_ROWS}")
    return rows


def _element(table: Table, path: str, inputs: Inputs, what: str) -> SymbolicOctets:
    known = ACTION_KINDS[inputs.version] if what == "action" else INSTRUCTION_KINDS
    name = table.choice(what, (*known, SYMBOLIC_TEXT))
    with inputs.others(symbolic=False):
        if name == SYMBOLIC_TEXT:
            found = _symbolic(table, path, inputs, what)
        else:
            found = _named(table, path, inputs, known[name], name)
    table.close()
    return found


def _symbolic(table: Table, path: str, inputs: Inputs, what: str) -> SymbolicOctets:
    size = table.get("size", "a multiple of 8 from 8 to 64", lambda value: value in range(8, 65, 8), 8)
    code, argument = _HARMLESS.get((inputs.version, size), (0, 0))
    if inputs.version != V10:
        # to port 3, where an output fits; else a type without arguments
        code, argument = (0, 3 << 64) if size == 16 else (24, 0)
        if what == "instruction":
            code, argument = 5, 0  # clear actions
    bits = 8 * size - ELEMENT_HEAD
    layout = BitStruct(what, f"type:16 len:16 argument:{bits}")
    length = _size(table, path, size, inputs)
    with inputs.others(symbolic=True):
        kind = read_value(table, "type", f"{path}.type", 16, code, inputs)
        content = read_value(table, "argument", f"{path}.argument", bits, argument, inputs)
    if not isinstance(kind, Variable):
        table.fail("type", kind, f"a symbolic type; another {what} is named by its name")
    if isinstance(content, Variable):
        inputs.overlays.append(Overlay(content.name, kind.name, what, ELEMENT_HEAD))
    return pack_struct(layout, {"type": kind, "len": length, "argument": content})


def _size(table: Table, path: str, size: int, inputs: Inputs) -> int | Variable:
    """Return the length field: computed unless the test gives another one."""
    return read_value(table, "len", f"{path}.len", 16, size, inputs) if "len" in table else size


def _named(table: Table, path: str, inputs: Inputs, kind: Kind, name: str) -> SymbolicOctets:
    layout = STRUCTS[inputs.version][kind.struct]
    tail = NO_OCTETS
    if name in ("write_actions", "apply_actions"):
        tail = read_actions(table, f"{path}.actions", inputs)
    elif name == "set_field":
        tail = _set_field(table, path, inputs)
    values: dict[str, Any] = {"type": kind.number, "len": _size(table, path, layout.size + len(tail.data), inputs)}
    for slot in layout.slots.values():
        if slot.name not in values:
            key = kind.value if slot.name == "value" else slot.name
            values[slot.name] = read_value(
                table, key, f"{path}.{key}", slot.bits, _ARGUMENTS.get(key, 0) & (1 << slot.bits) - 1, inputs
            )
    return join_octets((pack_struct(layout, values), tail))


def _set_field(table: Table, path: str, inputs: Inputs) -> SymbolicOctets:
    name = table.choice("field", FIELDS)
    found = read_oxm_field(table, "value", name, f"{path}.{name}", inputs)
    return join_octets((found, SymbolicOctets(bytes(-(len(found.data) + 4) % 8))))
