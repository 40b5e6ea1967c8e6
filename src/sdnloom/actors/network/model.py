"""The one switch model of sdnloom as actors use it: a flow table of given entries, a packet or a message, outcomes.

The switch speaks OpenFlow 1.3 and has one table. A packet that no entry matches goes to the controller, by a
table-miss entry of priority 0 that is there as long as no other takes its place.
"""

from collections.abc import Callable, Iterable, Mapping

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
from sdnloom.network.switch import (
    BufferedPacket,
    FlowEntry,
    SwitchCore,
    SwitchOutcome,
    plain_ports,
    receive_message,
    receive_packet,
)
from sdnloom.network.switch import Switch as SwitchConfig
from sdnloom.network.switch_events import whole_packet
from sdnloom.network.topology import SwitchSpec

Actions = tuple[OpenFlowAction, ...]
EntryKey = tuple[int, Match]  # priority and match: a table has one entry per key
TableEntries = Mapping[EntryKey, Actions]
FieldValues = tuple[tuple[str, int], ...]
Lookup = Callable[[FieldValues], TableEntries]  # the entries that match a packet with these fields
_MISS = {(0, Match()): (Output(int(Port.CONTROLLER), 0),)}
_ONLY_BUFFER = 0  # the id of the one buffered packet of a PacketOut


class TableModel:
    """The model of one switch. All values are plain; answers are remembered, because searches repeat questions."""

    def __init__(self, spec: SwitchSpec, lowest_port: int = 1) -> None:
        self.config = SwitchConfig(spec.dpid, plain_ports(*spec.ports), n_tables=1, lowest_port=lowest_port)
        self._installed: dict[tuple[Match, Actions, int], tuple[EntryKey, Actions]] = {}
        self._runs: dict[object, tuple[tuple[SwitchOutcome, ...], frozenset[FieldValues]]] = {}

    def installed(self, match: Match, actions: Actions, priority: int) -> tuple[EntryKey, Actions]:
        """The key and the actions of an entry as the switch keeps it. Raises ActorError if the switch refuses it."""
        asked = match, actions, priority
        if asked not in self._installed:
            message = FlowMod(match, FlowCommand.ADD, (ApplyActions(actions),), priority)
            (entry,) = self._accepted(SwitchCore(), message)[0].core.flows
            self._installed[asked] = (entry.priority, entry.match), _actions(entry)
        return self._installed[asked]

    def remaining(self, entries: TableEntries, match: Match, priority: int | None) -> set[EntryKey]:
        """The keys of the entries that are left after a removal; with a priority only that very entry is removed."""
        command = FlowCommand.DELETE if priority is None else FlowCommand.DELETE_STRICT
        message = FlowMod(match, command, priority=0 if priority is None else priority)
        after = self._accepted(SwitchCore(_flows(entries)), message)[0].core
        return {(entry.priority, entry.match) for entry in after.flows}

    def check_packet_out(self, packet: Packet, actions: Actions, in_port: int) -> None:
        """Raise ActorError if the switch refuses to send the packet out."""
        self._run(packet, in_port, actions, {})

    def outcomes(
        self, packet: Packet, in_port: int, actions: Actions | None, lookup: Lookup
    ) -> tuple[SwitchOutcome, ...]:
        """What a packet leads to: one that comes in at a port, or one that the controller sends out with actions.

        The model runs again and again until its table has all entries that it has asked for.
        """
        entries: dict[EntryKey, Actions] = {}
        asked: frozenset[FieldValues] = frozenset()
        while True:
            outcomes, wanted = self._run(packet, in_port, actions, entries)
            if wanted <= asked:
                return outcomes
            for fields in sorted(wanted - asked):
                entries.update(lookup(fields))
            asked |= wanted

    def _run(
        self, packet: Packet, in_port: int, actions: Actions | None, entries: TableEntries
    ) -> tuple[tuple[SwitchOutcome, ...], frozenset[FieldValues]]:
        """The outcomes with these entries, and the fields of every packet that was looked up."""
        asked = packet, in_port, actions, frozenset(entries.items())
        if asked not in self._runs:
            table = _MISS | {key: _buffering(does) for key, does in entries.items()}
            if actions is None:
                found = receive_packet(self.config, SwitchCore(_flows(table)), in_port, packet)
            else:
                message = _packet_out(_buffering(actions), in_port)
                found = self._accepted(_holding(packet, in_port, table), message)
            cells = (cell for outcome in found for cell in outcome.reads if isinstance(cell, tuple))
            self._runs[asked] = found, frozenset(cell[2] for cell in cells if cell[0] == "lookup")
        return self._runs[asked]

    def _accepted(self, core: SwitchCore, message: OpenFlowMessage) -> tuple[SwitchOutcome, ...]:
        """The outcomes of a message. Raises ActorError if the switch refuses it."""
        outcomes = receive_message(self.config, core, message)
        for reply in outcomes[0].messages:
            if isinstance(reply, Error):
                raise ActorError(f"the switch refuses {message!r}: {reply.type}/{reply.code}{self._hint(reply)}")
        return outcomes

    def _hint(self, refusal: Error) -> str:
        """What was expected, for the refusals that beginners meet."""
        if refusal.code == "bad_prereq":
            return "; expected the fields that another one needs too, such as eth_type=0x0800 for ipv4_dst"
        if refusal.code in ("bad_out_port", "bad_port"):
            return f"; expected a port of the switch: {', '.join(str(port.port_no) for port in self.config.ports)}"
        return ""


def packets_in(outcome: SwitchOutcome) -> list[tuple[Packet, bool]]:
    """The packets for the controller, and whether each is there because no entry matched it."""
    return [
        (whole_packet(message, outcome.core), message.reason == PacketInReason.NO_MATCH)
        for message in outcome.messages
        if isinstance(message, PacketIn)
    ]


def _holding(packet: Packet, in_port: int, entries: TableEntries) -> SwitchCore:
    return SwitchCore(_flows(entries), buffers=(BufferedPacket(_ONLY_BUFFER, in_port, packet),))


def _flows(entries: TableEntries) -> tuple[FlowEntry, ...]:
    found = [
        FlowEntry(0, priority, match, (ApplyActions(actions),) if actions else ())
        for (priority, match), actions in entries.items()
    ]
    return tuple(sorted(found, key=lambda entry: entry.order))


def _actions(entry: FlowEntry) -> Actions:
    return tuple(action for each in entry.instructions if isinstance(each, ApplyActions) for action in each.actions)


def _buffering(actions: Iterable[OpenFlowAction]) -> Actions:
    """The actions with packets for the controller buffered: the model then answers with the packet itself."""
    return tuple(
        Output(action.port, 0) if isinstance(action, Output) and action.port == Port.CONTROLLER else action
        for action in actions
    )


def _packet_out(actions: Actions, in_port: int) -> PacketOut:
    return PacketOut(actions, in_port=in_port, buffer_id=_ONLY_BUFFER)
