"""Which step of a path receives what another one sent, and which steps each step depends on."""

from collections.abc import Sequence
from typing import NamedTuple

from sdnloom.engine.disciplines import message_parts
from sdnloom.engine.model import Fault, Message
from sdnloom.engine.semantics import Transition


class RoutedMessage(NamedTuple):
    """A message, the positions in the path where it was sent and received, and its place among the sends of its step.

    `received` is None if no step of the path receives it.
    """

    channel: str
    message: Message
    sent: int
    place: int
    received: int | None


class _Waiting(NamedTuple):
    message: Message
    sent: int
    place: int


def routed_messages(transitions: Sequence[Transition]) -> list[RoutedMessage]:
    """What the steps of a path send, in the order of sending; a duplicated message twice, a dropped one never received.

    Of equal messages in a channel, the one that was sent first is received first.
    """
    waiting: dict[str, list[_Waiting]] = {}
    results: list[RoutedMessage] = []
    for position, transition in enumerate(transitions):
        if transition.action.take is not None:
            queue = waiting.get(transition.action.take, [])
            for part in message_parts(transition.step.message, [entry.message for entry in queue]):
                entry = next((entry for entry in queue if entry.message == part), None)
                if entry is not None:
                    queue.remove(entry)
                    results.append(RoutedMessage(transition.action.take, *entry, position))
        for place, (channel, message) in enumerate(transition.outcome.sends):
            waiting.setdefault(channel, []).append(_Waiting(message, position, place))
        for fault in transition.events:
            if isinstance(fault, Fault) and fault.kind.copies != 1:
                queue = waiting[fault.channel]
                entry = next(each for each in queue if (each.message, each.sent) == (fault.message, position))
                if fault.kind.copies == 0:
                    queue.remove(entry)
                    results.append(RoutedMessage(fault.channel, *entry, None))
                else:
                    queue.extend([entry] * (fault.kind.copies - 1))
    results += [RoutedMessage(channel, *entry, None) for channel, queue in waiting.items() for entry in queue]
    last = len(transitions)
    return sorted(results, key=lambda each: (each.sent, each.place, last if each.received is None else each.received))


def causes(transitions: Sequence[Transition]) -> list[set[int]]:
    """For each step, the earlier steps that it depends on directly: the component's previous one, and the senders."""
    previous: dict[str, int] = {}
    results = senders(transitions)
    for position, transition in enumerate(transitions):
        component = transition.component.name
        if component in previous:
            results[position].add(previous[component])
        previous[component] = position
    return results


def senders(transitions: Sequence[Transition]) -> list[set[int]]:
    """For each step, the earlier steps that sent what it takes."""
    results: list[set[int]] = [set() for _ in transitions]
    for each in routed_messages(transitions):
        if each.received is not None:
            results[each.received].add(each.sent)
    return results
