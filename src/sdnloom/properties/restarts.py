"""What a switch that fails, disconnects or joins excuses: losses that no program can prevent."""

from collections.abc import Callable, Hashable
from typing import NamedTuple

from sdnloom.engine.model import Event
from sdnloom.network.build import NetworkView
from sdnloom.network.events import Dropped, EntryInstalled, SwitchFailed, SwitchJoined, SwitchLeft
from sdnloom.network.packet import Packet
from sdnloom.properties.base import component_actions


class Restarts(NamedTuple):
    """Switches that joined and have no entry yet, and what they dropped since then."""

    young: frozenset[str] = frozenset()
    early: frozenset[tuple[str, Hashable]] = frozenset()


class RestartEffect(NamedTuple):
    """The memory after an event, what it excuses, and whether it excuses everything that is under way."""

    memory: Restarts
    excused: frozenset[Hashable] = frozenset()
    all_under_way: bool = False


def can_restart(view: NetworkView) -> bool:
    """Return whether switches fail, disconnect or join during the search."""
    return view.network.joining or any(faults.any for _, faults in view.network.switch_faults)


def restart_actions(view: NetworkView) -> frozenset[tuple[str, str]]:
    """Return the actions on whose order the memory depends; none if no switch restarts."""
    return component_actions(view, "host", "switch") if can_restart(view) else frozenset()


def fold_restart(memory: Restarts, event: Event, key_of: Callable[[Packet], Hashable | None]) -> RestartEffect:
    """Return what an event changes. `key_of` gives what a property knows a packet by; None if it does not judge it.

    A failure excuses what is under way: it may be in the switch or on the control channel. A drop by a switch that has
    joined is excused when the program installs an entry there, its first after the join: the packet was faster.
    """
    if isinstance(event, SwitchFailed | SwitchLeft):
        early = frozenset(each for each in memory.early if each[0] != event.switch)
        return RestartEffect(Restarts(memory.young - {event.switch}, early), all_under_way=True)
    if isinstance(event, SwitchJoined):
        return RestartEffect(memory._replace(young=memory.young | {event.switch}))
    if isinstance(event, Dropped) and event.switch in memory.young:
        key = key_of(event.packet)
        return RestartEffect(memory if key is None else memory._replace(early=memory.early | {(event.switch, key)}))
    if isinstance(event, EntryInstalled) and event.switch in memory.young:
        mine = frozenset(each for each in memory.early if each[0] == event.switch)
        return RestartEffect(
            Restarts(memory.young - {event.switch}, memory.early - mine), frozenset(key for _, key in mine)
        )
    return RestartEffect(memory)
