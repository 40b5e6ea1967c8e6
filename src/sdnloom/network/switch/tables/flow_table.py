"""Flow entries as a sorted tuple: equal sets of entries are equal values."""

from bisect import bisect_left
from collections.abc import Callable, Iterable

from sdnloom.network.openflow import (
    ApplyActions,
    Enqueue,
    Group,
    Instruction,
    Meter,
    OpenFlowAction,
    Output,
    WriteActions,
)
from sdnloom.network.switch.cells import Cell
from sdnloom.network.switch.core import FlowEntry
from sdnloom.network.switch.tables.lookup import PacketFields, matches

Flows = tuple[FlowEntry, ...]


def put_entry(flows: Flows, entry: FlowEntry) -> Flows:
    """Return the flows with an entry, which replaces the one with the same table, priority and match."""
    index = bisect_left(flows, entry.order, key=lambda each: each.order)
    same = index < len(flows) and flows[index].key == entry.key
    return (*flows[:index], entry, *flows[index + same :])


def find_entry(flows: Flows, entry: FlowEntry) -> FlowEntry | None:
    """Return the entry with the same table, priority and match, or None."""
    index = bisect_left(flows, entry.order, key=lambda each: each.order)
    return flows[index] if index < len(flows) and flows[index].key == entry.key else None


def without_entries(flows: Flows, gone: Iterable[FlowEntry]) -> Flows:
    """Return the flows without some entries."""
    keys = {entry.key for entry in gone}
    return tuple(entry for entry in flows if entry.key not in keys)


def change_entries(flows: Flows, entries: Iterable[FlowEntry], changed: Callable[[FlowEntry], FlowEntry]) -> Flows:
    """Return the flows with `changed` applied to some entries."""
    keys = {entry.key for entry in entries}
    return tuple(changed(entry) if entry.key in keys else entry for entry in flows)


def best_entries(flows: Flows, table: int, fields: PacketFields) -> tuple[FlowEntry, ...]:
    """Return all matching entries of the highest priority that matches, in canonical order; empty for a miss."""
    found: list[FlowEntry] = []
    for entry in flows:
        if entry.table != table:
            if entry.table > table:
                break
            continue
        if found and entry.priority < found[0].priority:
            break
        if matches(entry.match, fields):
            found.append(entry)
    return tuple(found)


def entry_cell(entry: FlowEntry) -> Cell:
    """Return the cell of an entry."""
    return ("flow", entry.table, entry.priority, entry.match)


def instruction_actions(instructions: Iterable[Instruction]) -> list[OpenFlowAction]:
    """Return all actions of the instructions, applied and written."""
    return [
        action
        for instruction in instructions
        if isinstance(instruction, ApplyActions | WriteActions)
        for action in instruction.actions
    ]


def outputs_to(entry: FlowEntry, port: int) -> bool:
    """Return whether an entry has an output action to a port."""
    return any(
        isinstance(each, Output | Enqueue) and each.port == port for each in instruction_actions(entry.instructions)
    )


def uses_meter(entry: FlowEntry, meter_id: int) -> bool:
    """Return whether an entry sends packets through a meter."""
    return any(isinstance(each, Meter) and each.meter_id == meter_id for each in entry.instructions)


def uses_group(entry: FlowEntry, group_id: int) -> bool:
    """Return whether an entry sends packets to a group."""
    return any(
        isinstance(each, Group) and each.group_id == group_id for each in instruction_actions(entry.instructions)
    )
