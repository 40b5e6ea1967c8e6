"""Checks of the final states of networks: functions of the state that a program ends in."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from typing import Any

from sdnloom.actors.network.host import Host, host_names
from sdnloom.actors.network.packets import NamedPacket
from sdnloom.actors.network.switch import Switch
from sdnloom.network.switch.tables.lookup import overlap
from sdnloom.network.text import match_words


class NetworkCheck(ABC):
    """Base of the checks below; they are named as their class unless they are given another name."""

    def __init__(self, name: str = "") -> None:
        self.__name__ = name or type(self).__name__

    @abstractmethod
    def __call__(self, view: Any) -> str | None:
        """What is wrong with a state, or None."""


class AllDelivered(NetworkCheck):
    """Every packet that a host has sent was received by another host.

    Given a condition, every packet for which it holds; given hosts, by one of these.
    """

    def __init__(
        self, condition: Callable[[NamedPacket], bool] | None = None, hosts: Iterable[str] = (), name: str = ""
    ) -> None:
        super().__init__(name)
        self.condition, self.hosts = condition, host_names(hosts)

    def __call__(self, view: Any) -> str | None:
        """What is wrong with a state, or None."""
        hosts = {str(each): each for each in view.of(Host)}
        missing = [
            str(packet)
            for sender, host in hosts.items()
            for packet, sent in sorted(host.sent.items())
            if (self.condition is None or self.condition(sent))
            and not any(
                packet in other.received
                for name, other in hosts.items()
                if name != sender and (not self.hosts or name in self.hosts)
            )
        ]
        return f"not delivered: {', '.join(missing)}" if missing else None


class Balanced(NetworkCheck):
    """The numbers of packets that these hosts have received differ by at most `most`."""

    def __init__(self, hosts: Iterable[str], most: int = 1, name: str = "") -> None:
        super().__init__(name)
        self.hosts, self.most = host_names(hosts), most

    def __call__(self, view: Any) -> str | None:
        """What is wrong with a state, or None."""
        counts = {host: len(view[host].received) for host in self.hosts}
        if not counts or max(counts.values()) - min(counts.values()) <= self.most:
            return None
        shown = ", ".join(f"{host} {count}" for host, count in counts.items())
        return f"packets received: {shown}; expected a difference of at most {self.most}"


class ConsistentTables(NetworkCheck):
    """No switch ends with two entries of equal priority, for some packet both, that have different actions."""

    def __call__(self, view: Any) -> str | None:
        """What is wrong with a state, or None."""
        for switch in view.of(Switch):
            entries = sorted(switch.table.items(), key=repr)
            for number, ((priority, match), actions) in enumerate(entries):
                for (other_priority, other), theirs in entries[number + 1 :]:
                    if priority == other_priority and actions != theirs and overlap(match, other):
                        shown = f"{match_words(match)} and {match_words(other)}"
                        return f"{switch} has contradictory entries of priority {priority}: {shown}"
        return None
