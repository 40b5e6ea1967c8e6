"""Monitors for networks: properties of what happens on the way. Each says exactly when it reports.

They write sets only, so that steps of different packets stay independent.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from sdnloom.actors.network.events import EntryWritten, Revisited
from sdnloom.actors.network.host import host_names
from sdnloom.actors.network.packets import NamedPacket
from sdnloom.actors.network.queries import OverlappingEntries, stored_rows
from sdnloom.actors.program import Monitor
from sdnloom.network.events import EntryRemoved, Received
from sdnloom.network.openflow import Match, OpenFlowAction
from sdnloom.network.text import actions_words, match_words


@dataclass(frozen=True)
class EntryPair:
    """Two entries, in no order: their matches and actions."""

    entries: frozenset[tuple[Match, tuple[OpenFlowAction, ...]]]

    def __repr__(self) -> str:
        return " and ".join(
            sorted(f"{match_words(match)} -> {actions_words(actions)}" for match, actions in self.entries)
        )


class NoForwardingLoop(Monitor):
    """Reports a packet that reaches a switch for the second time, itself or a copy of it."""

    def on_event(self, event: Any) -> None:
        """Look at an event."""
        if isinstance(event, Revisited):
            self.report("packet {} reaches the switch {} for the second time", event.packet.name, event.switch)


class NoContradictoryEntries(Monitor):
    """Reports two entries that a switch has at once, of equal priority, for some packet both, with different actions.

    One forwards and one drops, or they have different outputs. An entry that takes the place of one with the same match
    and priority contradicts nothing: the last write wins.
    """

    entries: dict[tuple[str, int, Match], Any] = {}  # noqa: RUF012 (the declaration of a field)

    def on_event(self, event: Any) -> None:
        """Look at an event."""
        if isinstance(event, EntryRemoved):
            self.entries.pop((event.switch, event.priority, event.match), None)
        elif isinstance(event, EntryWritten):
            key = event.switch, event.priority, event.match
            for other, actions in self._overlapping(key):
                if other != key and actions != event.actions:
                    pair = EntryPair(frozenset({(event.match, event.actions), (other[-1], actions)}))
                    text = "switch {} has contradictory entries of priority {}: {}"
                    self.report(text, event.switch, event.priority, pair)
            self.entries[key] = event.actions

    def _overlapping(self, key: tuple[str, int, Match]) -> list[tuple[Any, Any]]:
        run = self._running
        *start, match = key
        query = OverlappingEntries(run.freeze(tuple(start)), stored_rows((run.freeze(match),)), run.naming)
        return self.entries.select(query)  # type: ignore[attr-defined, no-any-return]


class NoDelivery(Monitor):
    """Reports a packet that a host receives, if the condition holds for the packet; given hosts, only at these.

    `NoDelivery(lambda packet: packet.get("tcp_dst") == 22, hosts=["R1"])`
    """

    hosts: tuple[str, ...] = ()

    def __init__(self, condition: Callable[[NamedPacket], bool], hosts: Iterable[str] = (), name: str = "") -> None:
        super().__init__(name, hosts=host_names(hosts))
        object.__setattr__(self, "condition", condition)

    def on_event(self, event: Any) -> None:
        """Look at an event."""
        if isinstance(event, Received):
            declared: Any = self._running.program.actor(str(self.name))
            packet: Any = event.packet
            hosts = self.fields["hosts"].declared(declared)
            if declared.condition(packet) and (not hosts or event.host in hosts):
                self.report("host {} receives the packet {}", event.host, packet.name)
