"""Switches: actors around the one switch model.

Each flow entry is a cell of its own. A packet reads the entries that match it, an installation writes its own entry and
reads none, a removal reads what its match covers.
"""

from collections.abc import Mapping
from typing import Any

from sdnloom.actors.actor import ActorError
from sdnloom.actors.network.events import EntryWritten, Revisited
from sdnloom.actors.network.model import FieldValues, TableEntries, TableModel, packets_in
from sdnloom.actors.network.network import NetworkActor
from sdnloom.actors.network.packets import NamedPacket
from sdnloom.actors.network.queries import CoveredEntries, MatchingEntries, stored_rows
from sdnloom.actors.network.tags import plain
from sdnloom.network.events import Arrived, Dropped, EntryRemoved, Forwarded, Lost, OverlapMattered, ToController
from sdnloom.network.openflow import ANY_PACKET, Match, OpenFlowAction, Output, Port
from sdnloom.network.switch import Ambiguous, SwitchOutcome
from sdnloom.network.topology import SwitchPort

DEFAULT_PRIORITY = 0x8000  # of OpenFlow
_FLOOD = (Output(int(Port.FLOOD)),)


class Alternative:
    """One of several outcomes, of overlapping entries of equal priority; it prints as the entry that applies."""

    def __init__(self, outcome: SwitchOutcome) -> None:
        self.outcome = outcome

    def __repr__(self) -> str:
        return self.outcome.choice


class Switch(NetworkActor):
    """A switch with one flow table.

    `table` maps (priority, match) to actions, `buffer` the names of packets that wait for the controller to (packet,
    port), `seen` has the names of packets that have reached the switch. `links` are (port, actor at the other end, its
    port or None).
    """

    control = frozenset({"install", "remove", "send_out", "packet_out", "flood"})
    table: dict[tuple[int, Match], tuple[OpenFlowAction, ...]] = {}  # noqa: RUF012 (the declaration of a field)
    buffer: dict[str, tuple[NamedPacket, int]] = {}  # noqa: RUF012 (the declaration of a field)
    seen: set[str] = set()  # noqa: RUF012 (the declaration of a field)
    links: frozenset[tuple[int, Any, int | None]]
    controller: Any

    # Packets.

    async def receive(self, packet: NamedPacket, in_port: int) -> None:
        """Take a packet from a link. No barrier holds it back."""
        self.emit(Arrived(self.name, in_port, packet))  # type: ignore[arg-type]
        if packet.name in self.seen:
            self.emit(Revisited(self.name, in_port, packet))
            if self._network.stops_loops:
                return
        self.seen.add(packet.name)
        found = self._model.outcomes(plain(packet.packet), int(in_port), None, self._matching)
        self._follow(found, packet, in_port)

    # Control messages: a barrier holds back those that come after it.

    async def install(
        self, match: Any = ANY_PACKET, actions: tuple[OpenFlowAction, ...] = (), priority: int = DEFAULT_PRIORITY
    ) -> None:
        """Install an entry; it takes the place of one with the same match and priority. No actions drop packets.

        The match is a Match or a dict of its fields: `{"in_port": 1, "eth_dst": "00:00:00:00:00:01"}`.
        """
        key, kept = self._model.installed(plain(match), plain(actions), priority)
        tags, name = self._network.tags, self.name
        entry, does = (key[0], tags.match(name, key[1])), tags.actions(name, kept)
        self.table[entry] = does
        self.emit(EntryWritten(name, 0, *entry, does))

    async def remove(self, match: Any = ANY_PACKET, priority: int | None = None) -> None:
        """Remove every entry that the match covers; with a priority only the one with this match and priority."""
        run = self._running
        if priority is None:
            rows = stored_rows((run.freeze(match),))
            found = dict(self.table.select(CoveredEntries(rows, run.naming)))  # type: ignore[attr-defined]
        else:
            key, _ = self._model.installed(plain(match), (), priority)
            entry = key[0], self._network.tags.match(self.name, key[1])
            found = {entry: self.table[entry]} if entry in self.table else {}
        left = self._model.remaining(_plain_entries(found), plain(match), priority)
        for entry in found:
            if plain(entry) not in left:
                del self.table[entry]
                self.emit(EntryRemoved(self.name, 0, entry[0], entry[1], "by message"))

    async def send_out(self, name: str) -> None:
        """Send the waiting packet of that name through the flow table; without an entry for it, it is lost."""
        if name not in self.buffer:
            raise ActorError(
                f"{self.name} holds no packet of the name {name!r}; expected one that it sent to the controller"
            )
        packet, in_port = self.buffer.pop(name)
        self._release(packet, (Output(int(Port.TABLE)),), in_port)

    async def packet_out(
        self, packet: NamedPacket, actions: tuple[OpenFlowAction, ...], in_port: int = int(Port.CONTROLLER)
    ) -> None:
        """Apply actions to a packet. If the switch holds a packet of that name, it gives it up."""
        self.buffer.discard(packet.name)  # type: ignore[attr-defined]
        self._release(packet, actions, in_port)

    async def flood(self, packet: NamedPacket, in_port: int) -> None:
        """Send a packet out of every port but one. If the switch holds a packet of that name, it gives it up."""
        self.buffer.discard(packet.name)  # type: ignore[attr-defined]
        self._release(packet, _FLOOD, in_port)

    async def barrier(self) -> None:
        """Done when every control message before it is; those after it wait for it."""

    # Messages are checked where they are sent, so that an error has the line of the sender.

    def prepared(self, method: str, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """What a message carries: matches and actions in the form that switches keep, with their owners' tags."""
        if method == "install":
            match, actions, priority = checked_entry(*args)
            if self._run is None:
                return match, actions, priority
            (priority, match), kept = self._model.installed(match, actions, priority)
            tags = self._network.tags
            return tags.match(self.name, match), tags.actions(self.name, kept), priority
        if method == "remove":
            match, only = plain(_checked_match(args[0])), None if args[1] is None else _priority(args[1])
            if self._run is None:
                return match, only
            self._model.remaining({}, match, only)
            return self._network.tags.match(self.name, match), only
        if method == "send_out" and not isinstance(args[0], str):
            raise ActorError(
                f"send_out({args[0]}) is given a {type(args[0]).__name__}; expected the name of a packet: packet.name"
            )
        if method == "packet_out":
            packet, actions, in_port = args[0], plain(_checked_actions(args[1])), args[2]
            packet, in_port = self._prepared_packet(packet, in_port, actions)
            return packet, actions if self._run is None else self._network.tags.actions(self.name, actions), in_port
        if method in ("flood", "receive"):
            return self._prepared_packet(args[0], args[1], _FLOOD if method == "flood" else None)
        return args

    def _prepared_packet(
        self, packet: Any, in_port: Any, actions: tuple[OpenFlowAction, ...] | None
    ) -> tuple[NamedPacket, int]:
        packet, in_port = _checked_packet(packet), _checked_port(in_port)
        if self._run is None:
            return packet, in_port
        bare, tags = plain(packet.packet), self._network.tags
        if actions is not None:
            self._model.check_packet_out(bare, actions, in_port)
        return tags.named_packet(packet.name, bare), tags.port(self.name, in_port)

    # What the model says.

    @property
    def _model(self) -> TableModel:
        return self._network.models[str(self.name)]

    def _matching(self, fields: FieldValues) -> TableEntries:
        run, tags, name = self._running, self._network.tags, self.name
        stored = tuple((field, run.freeze(tags.field(name, field, value))) for field, value in fields)
        return _plain_entries(dict(self.table.select(MatchingEntries(stored, run.naming))))  # type: ignore[attr-defined]

    def _release(self, packet: NamedPacket, actions: tuple[OpenFlowAction, ...], in_port: int) -> None:
        found = self._model.outcomes(plain(packet.packet), int(in_port), plain(actions), self._matching)
        self._follow(found, packet, in_port, released=True)

    def _follow(
        self, outcomes: tuple[SwitchOutcome, ...], packet: NamedPacket, in_port: int, released: bool = False
    ) -> None:
        """Do what the model says; of several outcomes, any one."""
        outcome = outcomes[0]
        if len(outcomes) > 1:
            outcome = self.choose(*map(Alternative, outcomes)).outcome
        for event in outcome.events:
            if isinstance(event, Ambiguous):
                matches = tuple(self._network.tags.match(self.name, each) for each in event.matches)
                self.emit(OverlapMattered(self.name, event.table, event.priority, matches))
        tags, asked = self._network.tags, False
        for number, out in outcome.outputs:
            self._forward(tags.port(self.name, number), tags.named_packet(packet.name, out))
        for found, missed in packets_in(outcome):
            if missed and released:
                continue
            asked, named = True, tags.named_packet(packet.name, found)
            self.buffer[packet.name] = named, in_port
            self.emit(ToController(self.name, in_port, named))  # type: ignore[arg-type]
            self.controller.packet_in(self.later, in_port, named)
        if not outcome.outputs and not asked:
            self.emit(Dropped(self.name, packet))  # type: ignore[arg-type]

    def _forward(self, port: int, packet: NamedPacket) -> None:
        self.emit(Forwarded(self.name, port, packet))  # type: ignore[arg-type]
        end = self._network.end(str(self.name), int(port))
        if end is None:
            self.emit(Lost(SwitchPort(self.name, port), packet, "no host"))  # type: ignore[arg-type]
        elif isinstance(end, SwitchPort):
            self._actor(end.switch).receive(packet, end.port)
        else:
            self._actor(end).receive(packet)


def _plain_entries(entries: Mapping[Any, Any]) -> TableEntries:
    return {plain(key): plain(actions) for key, actions in entries.items()}


def checked_entry(match: Any, actions: Any, priority: Any) -> tuple[Match, tuple[OpenFlowAction, ...], int]:
    """An entry as users write it, with plain numbers. Raises ActorError if a part of it is none."""
    return plain(_checked_match(match)), plain(_checked_actions(actions)), _priority(priority)


def _checked_match(match: Any) -> Match:
    if isinstance(match, Mapping):
        return Match.of(**match)
    if not isinstance(match, Match):
        raise ActorError(f"match {match!r}; expected a Match or a dict of its fields")
    return match


def _checked_actions(actions: Any) -> tuple[OpenFlowAction, ...]:
    if not isinstance(actions, tuple | list) or not all(isinstance(each, OpenFlowAction) for each in actions):
        raise ActorError(f"actions {actions!r}; expected a tuple of OpenFlow actions, such as (Output(1),)")
    for action in actions:
        if isinstance(action, Output) and not isinstance(action.port, int):
            raise ActorError(f"{action!r}: port {action.port!r}; expected the number of a port")
    return tuple(actions)


def _checked_packet(packet: Any) -> NamedPacket:
    if not isinstance(packet, NamedPacket):
        raise ActorError(f"packet {packet!r}; expected a NamedPacket, such as the one that packet_in got")
    return packet


def _priority(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= 0xFFFF:
        raise ActorError(f"priority {value!r}; expected a number from 0 to 65535")
    return int(value)


def _checked_port(port: Any) -> int:
    if not isinstance(port, int) or isinstance(port, bool) or port < 0:
        raise ActorError(f"port {port!r}; expected a number of a port")
    return int(port)
