"""Messages of a test file: fields by the names of the layouts, lists of actions, and data; lengths are computed."""

from typing import Any, Final

from sdnloom.crosscheck.switch_test import MessageStep, Overlay, Variable
from sdnloom.crosscheck.template.action import read_actions, read_instructions
from sdnloom.crosscheck.template.match import read_match
from sdnloom.crosscheck.template.octets import NO_OCTETS, Hole, SymbolicOctets, join_octets, pack_struct
from sdnloom.crosscheck.template.packet import read_packet_octets
from sdnloom.crosscheck.template.tables import MESSAGE_KINDS, RAW, STATS_KINDS, Kind
from sdnloom.crosscheck.template.values import MOST_BITS, SYMBOLIC_TEXT, Inputs, read_octets_text, read_value
from sdnloom.network.openflow.constants import NO_BUFFER, V10, GroupId, Port
from sdnloom.network.openflow.layouts import HEADER, STRUCTS
from sdnloom.scenario_file.document import Entries
from sdnloom.scenario_file.table import Table

MOST_OCTETS: Final = 4096  # of a message
HW_ADDR: Final = 0x020000000000  # the address of port n of an agent under test is this number + n

# Defaults: with them, a message is valid and does nothing unusual. Ports in 16 bits are cut.
_NO_PORT: Final = int(Port.ANY)
_USUAL: Final[dict[tuple[str, str], int]] = {
    ("packet_out", "buffer_id"): NO_BUFFER,
    ("packet_out", "in_port"): _NO_PORT,
    ("flow_mod", "buffer_id"): NO_BUFFER,
    ("flow_mod", "out_port"): _NO_PORT,
    ("flow_mod", "out_group"): int(GroupId.ANY),
    ("flow_mod", "priority"): 0x8000,
    ("port_mod", "port_no"): 1,
    ("port_mod", "hw_addr"): HW_ADDR + 1,
    ("queue_config_request", "port"): 1,
    ("switch_config", "miss_send_len"): 128,
    ("flow_stats_request", "table_id"): 0xFF,
    ("flow_stats_request", "out_port"): _NO_PORT,
    ("flow_stats_request", "out_group"): int(GroupId.ANY),
    ("port_stats_request", "port_no"): _NO_PORT,
    ("queue_stats_request", "port_no"): _NO_PORT,
    ("queue_stats_request", "queue_id"): 0xFFFFFFFF,
    ("group_mod", "group_id"): 1,
    ("group_stats_request", "group_id"): int(GroupId.ALL),
    ("meter_mod", "meter_id"): 1,
    ("meter_mod", "flags"): 1,
    ("meter_request", "meter_id"): 0xFFFFFFFF,
}
_USUAL13: Final = {("packet_out", "in_port"): int(Port.CONTROLLER)}  # 1.3 refuses ANY
_WITH_DATA: Final = ("error", "echo_request", "echo_reply", "experimenter", "packet_out")
_WITH_BODY: Final = ("hello", RAW)


def read_message(table: Table, number: int, version: int) -> tuple[MessageStep, Inputs]:
    """Return the message of a table, which is step `number` of its case, and its symbolic fields."""
    known = MESSAGE_KINDS[version]
    name = table.choice("message", (*known, RAW))
    inputs = Inputs(f"m{number}.", version, name)
    if "octets" in table and name == RAW:
        octets = _pattern(table, inputs)
    else:
        inputs.rest = table.get("rest", f'"{SYMBOLIC_TEXT}"', lambda value: value == SYMBOLIC_TEXT, None) is not None
        octets = _structured(table, name, known.get(name, Kind(0, "empty")), number, inputs)
    if len(octets.data) > MOST_OCTETS:
        table.refuse("message", f"{len(octets.data)} octets long", f"at most {MOST_OCTETS} octets")
    table.close()
    return MessageStep(name, octets.parts(), tuple(inputs.overlays)), inputs


def _structured(table: Table, name: str, kind: Kind, number: int, inputs: Inputs) -> SymbolicOctets:
    content = _stats(table, inputs) if name == "stats_request" else _content(table, name, kind.struct, inputs, {})
    content = join_octets((content, read_octets(table, "tail", inputs)))
    header = table.table("header")
    usual = {"version": inputs.version, "type": kind.number, "length": HEADER.size + len(content.data), "xid": number}
    with inputs.others(symbolic=False):
        values: dict[str, Any] = {
            slot.name: read_value(header, slot.name, f"header.{slot.name}", slot.bits, usual[slot.name], inputs)
            for slot in HEADER.slots.values()
        }
    header.close()
    body = inputs.variables.get(f"{inputs.prefix}body")
    if name == RAW and body is not None and isinstance(values["type"], Variable):
        inputs.overlays.append(Overlay(body.name, values["type"].name, "message"))
    return join_octets((pack_struct(HEADER, values), content))


def _content(table: Table, name: str, struct: str, inputs: Inputs, known: dict[str, Any]) -> SymbolicOctets:
    """Return the octets after the header: a structure and what follows it. `known` are fields that are read already."""
    version = inputs.version
    layout = STRUCTS[version][struct]
    before = after = NO_OCTETS
    values = dict(known)
    if "actions_len" in layout.slots:
        after = read_actions(table, "actions", inputs)
        size = len(after.data)
        given = "actions_len" in table
        values["actions_len"] = read_value(table, "actions_len", "actions_len", 16, size, inputs) if given else size
    elif name == "flow_mod":
        after = read_actions(table, "actions", inputs) if version == V10 else read_instructions(table, inputs)
    if version != V10 and struct in ("flow_mod", "flow_stats_request"):
        before = read_match(table, inputs)
    if name in _WITH_DATA or struct == "experimenter_stats":
        after = join_octets((after, read_octets(table, "data", inputs)))
    elif name in _WITH_BODY:
        after = join_octets((after, read_octets(table, "body", inputs)))
    return join_octets((_struct(table, struct, values, inputs), before, after))


def _struct(table: Table, struct: str, values: dict[str, Any], inputs: Inputs) -> SymbolicOctets:
    layout = STRUCTS[inputs.version][struct]
    holes: list[Hole] = []
    for slot in layout.slots.values():
        if slot.kind == "match":
            match = read_match(table, inputs)
            values[slot.name] = int.from_bytes(match.data, "big")
            holes += (Hole(slot.offset + hole.offset, hole.bits, hole.variable) for hole in match.holes)
        elif slot.name not in values:
            usual = _usual(struct, slot.name, inputs.version) & (1 << slot.bits) - 1
            values[slot.name] = read_value(table, slot.name, slot.name, slot.bits, usual, inputs)
    packed = pack_struct(layout, values)
    return SymbolicOctets(packed.data, tuple(sorted((*packed.holes, *holes), key=lambda hole: hole.offset)))


def _usual(struct: str, name: str, version: int) -> int:
    known = _USUAL if version == V10 else {**_USUAL, **_USUAL13}
    return known.get((struct, name), 0)


def _stats(table: Table, inputs: Inputs) -> SymbolicOctets:
    """Return the body of a request for statistics: structured by its type, or one variable if that is symbolic."""
    layout = STRUCTS[inputs.version]["stats"]
    kind = read_value(table, "stats_type", "stats_type", 16, 0, inputs)
    kinds = {each.number: each.struct for each in STATS_KINDS[inputs.version].values()}
    if isinstance(kind, int) and kind in kinds:
        return _content(table, "stats_request", kinds[kind], inputs, {"stats_type": kind})
    body = read_octets(table, "body", inputs)
    variable = inputs.variables.get(f"{inputs.prefix}body")
    if variable is not None and isinstance(kind, Variable):
        inputs.overlays.append(Overlay(variable.name, kind.name, "stats", 8 * layout.size))
    return join_octets((_struct(table, "stats", {"stats_type": kind}, inputs), body))


def read_octets(table: Table, key: str, inputs: Inputs) -> SymbolicOctets:
    """Return octets: hexadecimal digits, a packet, or symbolic ones of a given size."""
    expected = 'hexadecimal digits, a packet such as { packet = "tcp" }, or symbolic octets such as { size = 2 }'
    value = table.get(key, expected, lambda value: isinstance(value, str | Entries), "")
    if isinstance(value, str):
        return SymbolicOctets(read_octets_text(table, key, value, MOST_OCTETS))
    inner = table.table(key)
    if "packet" in inner:
        with inputs.others(symbolic=False):
            found = read_packet_octets(inner, inputs, f"{key}.")
    else:
        inner.get(SYMBOLIC_TEXT, "true", lambda value: value is True, True)
        size = inner.whole("size", 1, MOST_BITS // 8)
        text = inner.get("default", "a text of hexadecimal digits", lambda value: isinstance(value, str), "00" * size)
        data = read_octets_text(inner, "default", text, MOST_OCTETS)
        if len(data) != size:
            inner.fail("default", text, f"{size} octets")
        variable = Variable(inputs.prefix + key, 8 * size, int.from_bytes(data, "big"))
        found = SymbolicOctets(data, (Hole(0, 8 * size, inputs.add(inner, "", variable).name),))
    inner.close()
    return found


def _pattern(table: Table, inputs: Inputs) -> SymbolicOctets:
    """Return the octets of `01 ?? ??`: each row of question marks is a variable."""
    text = "".join(table.text("octets").split())
    data, holes = bytearray(), list[Hole]()
    pairs = [text[at : at + 2] for at in range(0, len(text), 2)]
    if len(pairs) > MOST_OCTETS:
        table.refuse("octets", f"{len(pairs)} octets long", f"at most {MOST_OCTETS}")
    starts = [at for at, pair in enumerate(pairs) if pair == "??" and (not at or pairs[at - 1] != "??")]
    for at in starts:
        end = next((each for each in range(at, len(pairs)) if pairs[each] != "??"), len(pairs))
        variable = Variable(f"{inputs.prefix}octets[{at}]", 8 * (end - at))
        holes.append(Hole(8 * at, variable.bits, inputs.add(table, "octets", variable).name))
    for pair in pairs:
        data += b"\0" if pair == "??" else read_octets_text(table, "octets", pair, 1)
    return SymbolicOctets(bytes(data), tuple(holes))
