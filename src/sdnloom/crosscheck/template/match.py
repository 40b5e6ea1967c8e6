"""Match fields of a test file: the 40 octets of 1.0, and 1.3's list of fields with optional masks."""

from typing import Final

from sdnloom.crosscheck.switch_test import Variable
from sdnloom.crosscheck.template.octets import SymbolicOctets, join_octets, pack_struct
from sdnloom.crosscheck.template.packet import IP_1, IP_2, MAC_1, MAC_2
from sdnloom.crosscheck.template.values import SYMBOLIC_TEXT, Inputs, read_value
from sdnloom.network.bitstruct import BitStruct
from sdnloom.network.openflow.constants import V10, V13
from sdnloom.network.openflow.layouts import STRUCTS
from sdnloom.network.openflow.match10 import ALL_WILDCARDS
from sdnloom.network.openflow.match13 import OXM_MATCH
from sdnloom.network.openflow.oxm import FIELDS, OPENFLOW_BASIC
from sdnloom.scenario_file.document import Entries
from sdnloom.scenario_file.table import Table

# Field -> its bits in `wildcards`.
WILDCARD_BITS: Final = {
    "in_port": 1 << 0, "dl_vlan": 1 << 1, "dl_src": 1 << 2, "dl_dst": 1 << 3, "dl_type": 1 << 4, "nw_proto": 1 << 5,
    "tp_src": 1 << 6, "tp_dst": 1 << 7, "nw_src": 0x3F << 8, "nw_dst": 0x3F << 14, "dl_vlan_pcp": 1 << 20,
    "nw_tos": 1 << 21,
}  # fmt: skip
# Defaults of symbolic fields: those of the standard packet, so that a rule matches it whatever is not a wildcard.
_USUAL10: Final = {
    "in_port": 1, "dl_src": MAC_1, "dl_dst": MAC_2, "dl_vlan": 0xFFFF, "dl_type": 0x0800, "nw_proto": 6,
    "nw_src": IP_1, "nw_dst": IP_2, "tp_src": 1024, "tp_dst": 80,
}  # fmt: skip
_USUAL13: Final = {
    "in_port": 1, "eth_src": MAC_1, "eth_dst": MAC_2, "eth_type": 0x0800, "ip_proto": 6, "ipv4_src": IP_1,
    "ipv4_dst": IP_2, "tcp_src": 1024, "tcp_dst": 80,
}  # fmt: skip


def read_match(table: Table, inputs: Inputs) -> SymbolicOctets:
    """Return the octets of the field `match` of a message, with the padding of 1.3."""
    everything = table.get("match", "a table of match fields", lambda value: True, None)
    symbolic = everything == SYMBOLIC_TEXT and inputs.version == V10
    inner = table.table("" if symbolic else "match")
    with inputs.others(symbolic or inputs.rest):
        found = _match10(inner, inputs) if inputs.version == V10 else _match13(inner, inputs)
    inner.close()
    return found


def _match10(table: Table, inputs: Inputs) -> SymbolicOctets:
    layout = STRUCTS[V10]["match"]
    values: dict[str, int | Variable] = {}
    for slot in layout.slots.values():
        if slot.name != "wildcards":
            given = slot.name in table or inputs.rest
            usual = _USUAL10.get(slot.name, 0) if given else 0
            values[slot.name] = read_value(table, slot.name, f"match.{slot.name}", slot.bits, usual, inputs)
    wildcards = ALL_WILDCARDS
    if not inputs.rest:
        for name, bits in WILDCARD_BITS.items():
            wildcards &= ~bits if name in table else -1
    values["wildcards"] = read_value(table, "wildcards", "match.wildcards", 32, wildcards, inputs)
    return pack_struct(layout, values)


def _match13(table: Table, inputs: Inputs) -> SymbolicOctets:
    given = [name for name in FIELDS if table.get(name, "a value", lambda value: True, None) is not None]
    fields = [read_oxm_field(table, name, name, f"match.{name}", inputs, masked=True) for name in given]
    content = join_octets(fields)
    size = STRUCTS[V13]["match"].size + len(content.data)
    head = pack_struct(STRUCTS[V13]["match"], {"type": OXM_MATCH, "length": size})
    return join_octets((head, content, SymbolicOctets(bytes(-size % 8))))


def read_oxm_field(
    table: Table, key: str, name: str, path: str, inputs: Inputs, masked: bool = False
) -> SymbolicOctets:
    """Return the octets of one field, header included. In a match, a table with `value` and `mask` gives a mask."""
    field = FIELDS[name]
    bits = 8 * field.size
    usual = _USUAL13.get(name, 0)
    given = table.get(key, "", lambda value: True, None)
    with inputs.others(symbolic=False):
        if masked and isinstance(given, Entries) and "mask" in given.entries:
            inner = table.table(key)
            values: dict[str, int | Variable] = {
                "value": read_value(inner, "value", path, bits, usual, inputs),
                "mask": read_value(inner, "mask", f"{path}_mask", bits, field.full, inputs),
            }
            inner.close()
        else:
            values = {"value": read_value(table, key, path, bits, usual, inputs)}
    text = " ".join(f"{part}:{bits}" for part in values)
    layout = BitStruct(name, f"class:16 field:7 hasmask:1 length:8 {text}")
    head = {"class": OPENFLOW_BASIC, "field": field.number, "hasmask": len(values) - 1}
    return pack_struct(layout, {**head, "length": layout.size - 4, **values})
