"""Footprints of messages and packets that hold in every core: the cells and the ports that a step may use.

Law: a cell that conflicts with a cell that the step touches in some core conflicts with its footprint (`cells.py`).
None means that nothing is known: the step may touch everything.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from sdnloom.engine.model import ALL
from sdnloom.network.openflow import (
    ALL_TABLES,
    NO_BUFFER,
    V10,
    ApplyActions,
    BarrierRequest,
    EchoRequest,
    FeaturesRequest,
    FlowCommand,
    FlowMod,
    GetConfigRequest,
    OpenFlowAction,
    OpenFlowMessage,
    Output,
    PacketOut,
    Port,
    SetField,
    StatsRequest,
)
from sdnloom.network.packet import Packet
from sdnloom.network.switch.cells import Cell
from sdnloom.network.switch.config import Switch
from sdnloom.network.switch.core import SwitchCore, initial_switch_core
from sdnloom.network.switch.handlers import handle_message
from sdnloom.network.switch.step import SwitchOutcome, all_outcomes
from sdnloom.network.switch.tables.lookup import packet_fields

_READ_ONLY = (BarrierRequest, EchoRequest, FeaturesRequest, GetConfigRequest, StatsRequest)
_SIMPLE_ACTIONS = (SetField, Output)  # their ports are known without the core
_LATER = ("later",)
_COMMON = frozenset(
    {"ports", "config", "connection", "time", "groups", "meters"}
)  # cells that nearly every step may read


class MessageFootprint(NamedTuple):
    """The cells that may be read and written, the ports that may send (None: any), and whether it may be answered."""

    reads: frozenset[Cell]
    writes: frozenset[Cell]
    ports: frozenset[int] | None
    answers: bool


def of_packet(config: Switch, in_port: int, packet: Packet) -> MessageFootprint | None:
    """Return the footprint of a packet that arrives: a lookup in the first table, then whatever its entries do.

    In 1.3 they may change the packet and send it to any later table, or to groups and meters, which count.
    """
    fields = tuple(sorted(packet_fields(packet, in_port, 0, zero_ports=config.version == V10).items()))
    reads: set[Cell] = {("lookup", 0, fields, -1), *_COMMON}
    writes: set[Cell] = {("touch", 0, fields), "macs", "counts"}
    if config.buffers:
        writes.add("buffers")
    if config.version != V10:
        reads.add(_LATER)
        writes |= {_LATER, "groups", "meters"} if config.counters else {_LATER}
    return MessageFootprint(frozenset(reads), frozenset(writes), None, True)


def of_message(config: Switch, message: OpenFlowMessage) -> MessageFootprint | None:
    """Return the footprint of a message from the controller."""
    if isinstance(message, _READ_ONLY):
        return MessageFootprint(ALL, frozenset(), frozenset(), True)
    if isinstance(message, FlowMod):
        return _of_flow_mod(config, message)
    if isinstance(message, PacketOut):
        ports = _ports(message.actions)
        if ports is None:
            return None
        if message.buffer_id != NO_BUFFER:
            return MessageFootprint(ALL, frozenset({"buffers", "counts"}), ports, True)
        outcome = _in_empty_switch(config, message)  # without a buffer it reads no entries
        return MessageFootprint(outcome.reads | _COMMON, outcome.writes | {"counts"}, ports, True)
    return None


def is_quiet(config: Switch, core: SwitchCore, before: Sequence[OpenFlowMessage], message: OpenFlowMessage) -> bool:
    """Return whether a message causes no answer, whatever packets arrive first and after the messages before it.

    That is so if it causes none now, and the messages before it neither take the buffer that it names nor change
    anything else that it depends on. The caller makes sure that no timer expires and no power is lost in between.
    """
    if not isinstance(message, PacketOut | FlowMod) or not all(
        isinstance(each, PacketOut | FlowMod) for each in before
    ):
        return False
    if message.buffer_id != NO_BUFFER and any(getattr(each, "buffer_id", None) == message.buffer_id for each in before):
        return False
    # Flags ask for reports of removals or for the overlap check; a bounded table can be full.
    if any(isinstance(each, FlowMod) and each.flags for each in (*before, message)) or config.max_entries is not None:
        return False
    return not any(each.messages for each in all_outcomes(config, core, lambda step: handle_message(step, message)))


def _of_flow_mod(config: Switch, message: FlowMod) -> MessageFootprint | None:
    """Return the footprint of a FlowMod: the entries that it would select or add in an empty switch."""
    outcome = _in_empty_switch(config, message)
    if config.version != V10 and (outcome.messages or config.max_entries is not None or message.table_id == ALL_TABLES):
        return None  # it may depend on groups or on several tables
    entries = [cell for cell in outcome.reads | outcome.writes if isinstance(cell, tuple)]
    adds = message.command == FlowCommand.ADD
    writes: set[Cell] = {("room", message.table_id)}
    writes |= {cell if adds else ("beneath", cell[1], cell[-1]) for cell in entries if cell[0] in ("flow", "region")}
    if message.buffer_id == NO_BUFFER:
        silent = adds and not message.flags and config.max_entries is None and not outcome.messages
        return MessageFootprint(outcome.reads | _COMMON, frozenset(writes), frozenset(), not silent)
    ports = _ports(action for each in message.instructions if isinstance(each, ApplyActions) for action in each.actions)
    if ports is None or any(not isinstance(each, ApplyActions) for each in message.instructions):
        return None
    return MessageFootprint(ALL, frozenset({*writes, "buffers", "counts"}), ports, True)


def _ports(actions: Iterable[OpenFlowAction]) -> frozenset[int] | None:
    """Return the ports that actions send to, or None if they depend on the core or the packet."""
    ports = set()
    for action in actions:
        if not isinstance(action, _SIMPLE_ACTIONS):
            return None
        if isinstance(action, Output):
            if not 0 < action.port < Port.MAX:
                return None
            ports.add(action.port)
    return frozenset(ports)


def _in_empty_switch(config: Switch, message: OpenFlowMessage) -> SwitchOutcome:
    """Return the outcome of a message in a switch without entries."""
    return all_outcomes(config, initial_switch_core(config), lambda step: handle_message(step, message))[0]
