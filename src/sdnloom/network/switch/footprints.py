"""What a switch may do about a message or a packet, whatever its tables hold: cells, and ports it may send from.

Law: whatever conflicts with what a step touched, in any core, conflicts with what is said of it here (`cells.py`).
Where nothing better is known the answer is None: everything.
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

_READING = (BarrierRequest, EchoRequest, FeaturesRequest, GetConfigRequest, StatsRequest)
_HARMLESS = (SetField, Output)
_LATER = ("later",)
_COMMON = frozenset({"ports", "config", "connection", "time", "groups"})  # what nearly every step may look at


class MessageFootprint(NamedTuple):
    """The cells that may be touched, the ports that packets may leave from (None: any), and whether it may answer."""

    reads: frozenset[Cell]
    writes: frozenset[Cell]
    ports: frozenset[int] | None
    answers: bool


def of_packet(config: Switch, in_port: int, packet: Packet) -> MessageFootprint | None:
    """What may become of a packet that arrives: it meets the first table as it is; what its entries say is not known.

    In 1.3 they may change the packet and send it on to any later table, or to groups, which count.
    """
    fields = tuple(sorted(packet_fields(packet, in_port, 0, zero_ports=config.version == V10).items()))
    reads: set[Cell] = {("lookup", 0, fields, -1), *_COMMON}
    writes: set[Cell] = {("touch", 0, fields), "buffers", "macs", "counts"}
    if config.version != V10:
        reads.add(_LATER)
        writes |= {_LATER, "groups"} if config.counters else {_LATER}
    return MessageFootprint(frozenset(reads), frozenset(writes), None, True)


def of_message(config: Switch, message: OpenFlowMessage) -> MessageFootprint | None:
    """What may come of a message from the controller."""
    if isinstance(message, _READING):
        return MessageFootprint(ALL, frozenset(), frozenset(), True)
    if isinstance(message, FlowMod):
        return _of_flow_mod(config, message)
    if isinstance(message, PacketOut):
        ports = _ports(message.actions)
        if ports is None:
            return None
        if message.buffer_id != NO_BUFFER:
            return MessageFootprint(ALL, frozenset({"buffers", "counts"}), ports, True)
        outcome = _alone(config, message)  # it looks at no entries
        return MessageFootprint(outcome.reads | _COMMON, outcome.writes | {"counts"}, ports, True)
    return None


def is_quiet(config: Switch, core: SwitchCore, before: Sequence[OpenFlowMessage], message: OpenFlowMessage) -> bool:
    """Whether a message will not be answered, though packets come until then and the messages before it are obeyed.

    It would not be now, and none of those takes away the buffer that it names, or changes what else it depends on. That
    nothing runs out of time or power in between is for the caller to know.
    """
    if not isinstance(message, PacketOut | FlowMod) or not all(isinstance(one, PacketOut | FlowMod) for one in before):
        return False
    if message.buffer_id != NO_BUFFER and any(getattr(one, "buffer_id", None) == message.buffer_id for one in before):
        return False
    # Who asks to be told of removals, or not to overlap, may be answered; so may all when there is no room left.
    if any(isinstance(one, FlowMod) and one.flags for one in (*before, message)) or config.max_entries is not None:
        return False
    return not any(one.messages for one in all_outcomes(config, core, lambda step: handle_message(step, message)))


def _of_flow_mod(config: Switch, message: FlowMod) -> MessageFootprint | None:
    """The entries are those that a switch without any would look for or make."""
    outcome = _alone(config, message)
    if config.version != V10 and (outcome.messages or config.max_entries is not None or message.table_id == ALL_TABLES):
        return None  # it may depend on groups, or reach into several tables
    entries = [cell for cell in outcome.reads | outcome.writes if isinstance(cell, tuple)]
    adds = message.command == FlowCommand.ADD
    writes: set[Cell] = {("room", message.table_id)}
    writes |= {cell if adds else ("beneath", cell[1], cell[-1]) for cell in entries if cell[0] in ("flow", "region")}
    if message.buffer_id == NO_BUFFER:
        sure = adds and not message.flags and config.max_entries is None and not outcome.messages
        return MessageFootprint(outcome.reads | _COMMON, frozenset(writes), frozenset(), not sure)
    ports = _ports(action for one in message.instructions if isinstance(one, ApplyActions) for action in one.actions)
    if ports is None or any(not isinstance(one, ApplyActions) for one in message.instructions):
        return None
    return MessageFootprint(ALL, frozenset({*writes, "buffers", "counts"}), ports, True)


def _ports(actions: Iterable[OpenFlowAction]) -> frozenset[int] | None:
    """The ports that actions send to, None if that cannot be said."""
    ports = set()
    for action in actions:
        if not isinstance(action, _HARMLESS):
            return None
        if isinstance(action, Output):
            if not 0 < action.port < Port.MAX:
                return None
            ports.add(action.port)
    return frozenset(ports)


def _alone(config: Switch, message: OpenFlowMessage) -> SwitchOutcome:
    """What a switch without any entries does."""
    return all_outcomes(config, initial_switch_core(config), lambda step: handle_message(step, message))[0]
