"""The one switch model of sdnloom as actors use it: a flow table of given entries, a packet or a message, outcomes.

The switch speaks OpenFlow 1.3 and has one table. A packet that no entry matches goes to the controller, by a
table-miss entry of priority 0 that is there as long as no other takes its place.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import lru_cache

from sdnloom.actors.actor import ActorError
from sdnloom.network.openflow import (
    ApplyActions,
    Error,
    FlowCommand,
    FlowMod,
    Match,
    OpenFlowAction,
    OpenFlowMessage,
    Output,
    PacketIn,
    PacketInReason,
    PacketOut,
    Port,
)
from sdnloom.network.packet import Packet
from sdnloom.network.switch import BufferedPacket, FlowEntry, SwitchCore, SwitchOutcome, plain_ports
from sdnloom.network.switch import Switch as SwitchConfig
from sdnloom.network.switch.handlers import handle_message
from sdnloom.network.switch.pipeline import process_packet
from sdnloom.network.switch.step import SwitchStep, all_outcomes
from sdnloom.network.switch_events import whole_packet
from sdnloom.network.topology import SwitchSpec

EntryKey = tuple[int, Match]  # priority and match: a table has one entry per key
TableEntries = Mapping[EntryKey, tuple[OpenFlowAction, ...]]
FieldValues = tuple[tuple[str, int], ...]
_MISS = (Output(int(Port.CONTROLLER), 0),)
_ONLY_BUFFER = 0  # the id of the one buffered packet of a PacketOut


def table_config(spec: SwitchSpec, lowest_port: int = 1) -> SwitchConfig:
    """The configuration of a switch. Of overlapping entries of equal priority, any may apply."""
    return SwitchConfig(spec.dpid, plain_ports(*spec.ports), n_tables=1, lowest_port=lowest_port)


@lru_cache(maxsize=1 << 14)
def installed_entry(
    config: SwitchConfig, match: Match, actions: tuple[OpenFlowAction, ...], priority: int
) -> tuple[EntryKey, tuple[OpenFlowAction, ...]]:
    """The key and the actions of an entry as the switch keeps it. Raises ActorError if the switch refuses it."""
    message = FlowMod(match, FlowCommand.ADD, (ApplyActions(actions),), priority)
    (entry,) = _accepted(config, SwitchCore(), message).core.flows
    return (entry.priority, entry.match), _actions(entry)


def remaining_keys(config: SwitchConfig, entries: TableEntries, match: Match, priority: int | None) -> set[EntryKey]:
    """The keys of the entries that are left after a removal; with a priority only that very entry is removed."""
    command = FlowCommand.DELETE if priority is None else FlowCommand.DELETE_STRICT
    message = FlowMod(match, command, priority=0 if priority is None else priority)
    after = _accepted(config, SwitchCore(_flows(entries)), message).core
    return {(entry.priority, entry.match) for entry in after.flows}


def check_packet_out(config: SwitchConfig, packet: Packet, actions: tuple[OpenFlowAction, ...], in_port: int) -> None:
    """Raise ActorError if the switch refuses to send the packet out."""
    core = SwitchCore(buffers=(BufferedPacket(_ONLY_BUFFER, in_port, packet),))
    _accepted(config, core, _packet_out(actions, in_port))


def arrival_outcomes(
    config: SwitchConfig, packet: Packet, in_port: int, select: Callable[[FieldValues], TableEntries]
) -> tuple[SwitchOutcome, ...]:
    """What a packet that comes in at a port leads to. `select` gives the entries that match a packet."""
    return _outcomes(config, SwitchCore(), lambda step: process_packet(step, in_port, packet), select)


def release_outcomes(
    config: SwitchConfig,
    packet: Packet,
    actions: tuple[OpenFlowAction, ...],
    in_port: int,
    select: Callable[[FieldValues], TableEntries],
) -> tuple[SwitchOutcome, ...]:
    """What a packet leads to that the controller sends out with actions; the port TABLE looks the packet up."""
    core = SwitchCore(buffers=(BufferedPacket(_ONLY_BUFFER, in_port, packet),))
    message = _packet_out(_buffering(actions), in_port)
    return _outcomes(config, core, lambda step: handle_message(step, message), select)


def packets_in(outcome: SwitchOutcome) -> list[tuple[Packet, bool]]:
    """The packets for the controller, and whether each is there because no entry matched it."""
    return [
        (whole_packet(message, outcome.core), message.reason == PacketInReason.NO_MATCH)
        for message in outcome.messages
        if isinstance(message, PacketIn)
    ]


def _outcomes(
    config: SwitchConfig,
    core: SwitchCore,
    run: Callable[[SwitchStep], None],
    select: Callable[[FieldValues], TableEntries],
) -> tuple[SwitchOutcome, ...]:
    """Run the model, again and again until the table has all entries that it has asked for."""
    entries: dict[EntryKey, tuple[OpenFlowAction, ...]] = {}
    asked: set[FieldValues] = set()
    while True:
        outcomes = all_outcomes(config, replace(core, flows=_flows({(0, Match()): _MISS} | entries)), run)
        wanted = {
            cell[2] for each in outcomes for cell in each.reads if isinstance(cell, tuple) and cell[0] == "lookup"
        } - asked
        if not wanted:
            return outcomes
        for fields in sorted(wanted):
            asked.add(fields)
            entries.update((key, _buffering(actions)) for key, actions in select(fields).items())


def _flows(entries: TableEntries) -> tuple[FlowEntry, ...]:
    found = [
        FlowEntry(0, priority, match, (ApplyActions(actions),) if actions else ())
        for (priority, match), actions in entries.items()
    ]
    return tuple(sorted(found, key=lambda entry: entry.order))


def _actions(entry: FlowEntry) -> tuple[OpenFlowAction, ...]:
    return tuple(action for each in entry.instructions if isinstance(each, ApplyActions) for action in each.actions)


def _buffering(actions: Iterable[OpenFlowAction]) -> tuple[OpenFlowAction, ...]:
    """The actions with packets for the controller buffered: the model then answers with the packet itself."""
    return tuple(
        Output(action.port, 0) if isinstance(action, Output) and action.port == Port.CONTROLLER else action
        for action in actions
    )


def _packet_out(actions: tuple[OpenFlowAction, ...], in_port: int) -> PacketOut:
    return PacketOut(actions, in_port=in_port, buffer_id=_ONLY_BUFFER)


def _accepted(config: SwitchConfig, core: SwitchCore, message: OpenFlowMessage) -> SwitchOutcome:
    outcome = all_outcomes(config, core, lambda step: handle_message(step, message))[0]
    for reply in outcome.messages:
        if isinstance(reply, Error):
            ports = ", ".join(str(port.port_no) for port in config.ports) or "none"
            raise ActorError(f"{message!r}: the switch refuses it: {reply.type}/{reply.code} (its ports: {ports})")
    return outcome
