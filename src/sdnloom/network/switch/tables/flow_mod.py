"""FlowMod: the effect of each command on the flow entries, by version."""

from dataclasses import replace

from sdnloom.network.openflow import (
    ALL_TABLES,
    NO_BUFFER,
    V10,
    ApplyActions,
    FlowCommand,
    FlowFlag,
    FlowRemovedReason,
    GroupId,
    Match,
    Port,
)
from sdnloom.network.openflow.messages import FlowMod
from sdnloom.network.switch import buffers, pipeline
from sdnloom.network.switch.checks import check_groups, check_instructions, check_match, check_meters
from sdnloom.network.switch.core import EMERGENCY, EXACT, NO_TRAFFIC, FlowEntry
from sdnloom.network.switch.step import RefusedMessage, SwitchStep
from sdnloom.network.switch.tables.flow_table import (
    change_entries,
    entry_cell,
    find_entry,
    instruction_actions,
    outputs_to,
    put_entry,
    uses_group,
    without_entries,
)
from sdnloom.network.switch.tables.lookup import covers, overlap

_V13_FLAGS = (
    FlowFlag.SEND_FLOW_REM
    | FlowFlag.CHECK_OVERLAP
    | FlowFlag.RESET_COUNTS
    | FlowFlag.NO_PKT_COUNTS
    | FlowFlag.NO_BYT_COUNTS
)
_V10_FLAGS = FlowFlag.SEND_FLOW_REM | FlowFlag.CHECK_OVERLAP | FlowFlag.EMERG
_KEPT_V10 = int(FlowFlag.SEND_FLOW_REM)
_STRICT = (FlowCommand.MODIFY_STRICT, FlowCommand.DELETE_STRICT)
# 1.0: the twelve fields of an entry without wildcards, for each transport that has ports or a type and code.
_TUPLE = ("in_port", "eth_dst", "eth_src", "eth_type", "vlan_vid", "ip_dscp", "ip_proto", "ipv4_src", "ipv4_dst")
_TRANSPORTS = (("tcp_src", "tcp_dst"), ("udp_src", "udp_dst"), ("icmpv4_type", "icmpv4_code"))


def apply_flow_mod(step: SwitchStep, message: FlowMod) -> None:
    """Change the flow entries, then process the buffered packet if the message names one."""
    if not FlowCommand.ADD <= message.command <= FlowCommand.DELETE_STRICT:
        raise RefusedMessage("flow_mod_failed", "bad_command")
    old = step.config.version == V10
    if message.flags & ~(_V10_FLAGS if old else _V13_FLAGS):
        raise RefusedMessage("flow_mod_failed", "unsupported" if old else "bad_flags")
    match = check_match(step, message.match)
    table = _table(step, message)
    priority = entry_priority(step, match, message.priority)
    if message.command >= FlowCommand.DELETE:
        _delete(step, message, table, match, priority)
        return
    assert table is not None
    wanted = _new_entry(step, message, table, match, priority)
    _install(step, message, wanted)
    if message.buffer_id != NO_BUFFER and table != EMERGENCY:
        _release(step, message.buffer_id, wanted)


def entry_priority(step: SwitchStep, match: Match, priority: int) -> int:
    """Return the priority of an entry with this match: in 1.0 one without wildcards is above all others."""
    return EXACT if step.config.version == V10 and has_no_wildcards(match) else priority


def has_no_wildcards(match: Match) -> bool:
    """Return whether a match of 1.0 has no wildcards. Without a VLAN tag there is no tag priority to match."""
    given = {name for name, _, mask in match.fields if mask is None}
    if match.exact("vlan_vid") and "vlan_pcp" not in given:
        return False
    return given.issuperset(_TUPLE) and any(given.issuperset(pair) for pair in _TRANSPORTS)


def _table(step: SwitchStep, message: FlowMod) -> int | None:
    """Return the table that a message names; None is all tables, which only a delete may name."""
    if step.config.version == V10:
        if not message.flags & FlowFlag.EMERG:
            return 0
        if message.command < FlowCommand.DELETE and (message.idle_timeout or message.hard_timeout):
            raise RefusedMessage("flow_mod_failed", "bad_emerg_timeout")
        return EMERGENCY
    if message.table_id == ALL_TABLES and message.command >= FlowCommand.DELETE:
        return None
    if message.table_id >= step.config.n_tables:
        raise RefusedMessage("flow_mod_failed", "bad_table_id")
    return message.table_id


def _new_entry(step: SwitchStep, message: FlowMod, table: int, match: Match, priority: int) -> FlowEntry:
    return FlowEntry(
        table=table,
        priority=priority,
        match=match,
        instructions=check_instructions(step, table, match, message.instructions),
        cookie=message.cookie,
        # 1.3 reports all flags of an entry in statistics (7.3.5.2); in 1.0 only this one has a later effect.
        flags=int(message.flags if step.config.version != V10 else message.flags & _KEPT_V10),
        idle_timeout=message.idle_timeout,
        hard_timeout=message.hard_timeout,
        idle_left=_timer(message.idle_timeout),
        hard_left=_timer(message.hard_timeout),
    )


def _timer(seconds: int) -> int | None:
    return seconds * 1000 or None


def _install(step: SwitchStep, message: FlowMod, wanted: FlowEntry) -> None:
    if message.command == FlowCommand.ADD:
        _add(step, message, wanted)
    else:
        _modify(step, message, wanted)


def _add(step: SwitchStep, message: FlowMod, entry: FlowEntry) -> None:
    check_meters(step, entry.instructions)
    check_groups(step, instruction_actions(entry.instructions))
    _refuse_overlap(step, message, entry)
    before = find_entry(step.core.flows, entry)
    if before is None:
        _refuse_when_full(step, entry.table)
    elif step.config.version != V10 and not message.flags & FlowFlag.RESET_COUNTS:
        entry = replace(entry, traffic=before.traffic)
    step.writes.add(entry_cell(entry))
    if step.config.counters or entry.idle_left or entry.hard_left:
        step.reads.add("time")
    step.update(flows=put_entry(step.core.flows, entry))


def _refuse_overlap(step: SwitchStep, message: FlowMod, entry: FlowEntry) -> None:
    """Refuse an entry that overlaps, on request; one with the same match overlaps too (1.0, 4.6; 1.3, 6.4)."""
    if not message.flags & FlowFlag.CHECK_OVERLAP:
        return
    step.reads.add(("overlap", entry.table, entry.priority, entry.match))
    for other in step.core.flows:
        same_level = (other.table, other.priority) == (entry.table, entry.priority)
        if same_level and overlap(other.match, entry.match):
            raise RefusedMessage("flow_mod_failed", "overlap")


def _refuse_when_full(step: SwitchStep, table: int) -> None:
    limit = step.config.emergency_entries if table == EMERGENCY else step.config.max_entries
    if limit is None:
        return
    step.writes.add(("room", table))
    if sum(entry.table == table for entry in step.core.flows) >= limit:
        raise RefusedMessage("flow_mod_failed", "table_full")


def _modify(step: SwitchStep, message: FlowMod, wanted: FlowEntry) -> None:
    """Give the selected entries new actions; timers, flags and counters stay. If there are none, 1.0 adds one."""
    found = _selected(step, message, wanted.table, wanted.match, wanted.priority)
    old = step.config.version == V10
    if not found:
        if old:
            _add(step, message, wanted)
        return
    check_meters(step, wanted.instructions)
    check_groups(step, instruction_actions(wanted.instructions))
    reset = not old and message.flags & FlowFlag.RESET_COUNTS
    step.writes.update(entry_cell(entry) for entry in found)
    step.update(
        flows=change_entries(
            step.core.flows,
            found,
            lambda entry: replace(
                entry,
                instructions=wanted.instructions,
                cookie=message.cookie if old else entry.cookie,
                traffic=NO_TRAFFIC if reset else entry.traffic,
            ),
        )
    )


def _delete(step: SwitchStep, message: FlowMod, table: int | None, match: Match, priority: int) -> None:
    found = [
        entry
        for entry in _selected(step, message, table, match, priority)
        if (message.out_port == Port.ANY or outputs_to(entry, message.out_port))
        and (message.out_group == GroupId.ANY or uses_group(entry, message.out_group))
    ]
    remove_entries(step, found, FlowRemovedReason.DELETE)


def remove_entries(step: SwitchStep, entries: list[FlowEntry], reason: int) -> None:
    """Remove entries and report the removals that are to be reported."""
    step.writes.update(entry_cell(entry) for entry in entries)
    if step.config.max_entries is not None or step.config.emergency_entries is not None:
        step.writes.update(("room", entry.table) for entry in entries)
    step.update(flows=without_entries(step.core.flows, entries))
    for entry in entries:
        step.report_removal(entry, reason)


def _selected(step: SwitchStep, message: FlowMod, table: int | None, match: Match, priority: int) -> list[FlowEntry]:
    """Return the entries that a modify or delete selects, by match and, in 1.3, by cookie."""
    strict = message.command in _STRICT
    if strict and table is not None:
        step.reads.add(("flow", table, priority, match))
    else:
        step.reads.add(("region", table, match))
    mask = 0 if step.config.version == V10 else message.cookie_mask
    return [
        entry
        for entry in step.core.flows
        if (entry.table == table or (table is None and entry.table != EMERGENCY))
        and ((entry.priority, entry.match) == (priority, match) if strict else covers(match, entry.match))
        and not (entry.cookie ^ message.cookie) & mask
    ]


def _release(step: SwitchStep, buffer_id: int, entry: FlowEntry) -> None:
    """Apply the message's actions to a buffered packet (1.0), or send it through the tables (1.3, 6.4)."""
    waiting = buffers.take_buffered(step, buffer_id)
    flight = pipeline.Flight(waiting.packet, waiting.in_port, waiting.packet)
    if step.config.version != V10:
        pipeline.through_tables(step, flight)
        return
    present = find_entry(step.core.flows, entry)
    if present is not None:
        pipeline.touch(step, present, waiting.packet)
    for instruction in entry.instructions:
        if isinstance(instruction, ApplyActions):
            pipeline.apply_actions(step, flight, instruction.actions)
