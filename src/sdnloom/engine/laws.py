"""Checks of what reductions believe: the laws of disciplines, and that actions declared independent commute.

They run on what a search meets, so they find a wrong declaration where it matters; they prove nothing beyond it.
"""

from collections.abc import Iterable
from typing import Any

from sdnloom.engine.model import Channel, Message, ModelError
from sdnloom.engine.path import describe, same_step
from sdnloom.engine.semantics import Semantics, State, Transition
from sdnloom.engine.stubborn import Class, Status, Stubborn


def check_discipline(channel: Channel, content: Any, message: Message, sender: str) -> None:
    """Raise ModelError if the discipline breaks one of its laws when the sender pushes the message on this content."""
    discipline = channel.discipline
    offered = {(taken, rest) for _, taken, rest in discipline.take(content)}
    if not offered:
        return
    kept = {(taken, after) for taken, rest in offered for _, after in discipline.push(rest, message)}
    offers = {
        (taken, rest) for _, after in discipline.push(content, message) for _, taken, rest in discipline.take(after)
    }
    where = f"channel {channel.name!r} with content {content!r}, push of {message!r} by {sender!r}"
    if discipline.push_keeps and not kept <= offers:
        raise ModelError(f"{where}: the discipline says push_keeps, but {sorted(kept - offers, key=repr)} is lost")
    undisturbed = discipline.undisturbed(content)
    if (undisturbed is None or sender in undisturbed) and kept != offers:
        raise ModelError(f"{where}: the discipline says that the sender disturbs nothing, but what is offered changes")


def check_senders(channel: Channel, content: Any, one: Message, other: Message) -> None:
    """Raise ModelError if pushes of two different senders do not commute although the discipline says so."""
    discipline = channel.discipline
    if not discipline.many_senders:
        return
    orders = []
    for first, second in ((one, other), (other, one)):
        orders.append({b for _, a in discipline.push(content, first) for _, b in discipline.push(a, second)})
    if orders[0] != orders[1]:
        raise ModelError(
            f"channel {channel.name!r} with content {content!r}: the discipline says many_senders, "
            f"but pushes of {one!r} and {other!r} by different components do not commute"
        )


def check_commutation(semantics: Semantics, states: Iterable[State]) -> None:
    """Raise ModelError if two steps that the declarations call independent do not commute in one of the states.

    This checks cells, sends and channel laws at once, without believing any of them. Memories are left out: their order
    is a matter of `watches`.
    """
    stubborn = Stubborn(semantics.system, keep_state_properties=True)
    numbers = {acting.name: acting.number for acting in stubborn.actions}
    for state in states:
        transitions = semantics.transitions(state)
        needed = stubborn.needed(classes_of(semantics, state))
        for place, one in enumerate(transitions):
            for other in transitions[place + 1 :]:
                first = numbers[one.component.name, one.action.name]
                second = numbers[other.component.name, other.action.name]
                if first != second and not needed[first] >> second & 1 and not needed[second] >> first & 1:
                    _check_pair(semantics, one, other)


def _check_pair(semantics: Semantics, one: Transition, other: Transition) -> None:
    reached = []
    for first, second in ((one, other), (other, one)):
        after = [t.state for t in semantics.transitions(first.state) if same_step(t.step, second.step)]
        reached.append({(state.cores, state.contents) for state in after})
    if reached[0] != reached[1]:
        raise ModelError(
            f"the declarations call these steps independent, but they do not commute: {describe(one.step)} / "
            f"{describe(other.step)}; check the cells, sends and channels that the actions declare"
        )


def classes_of(semantics: Semantics, state: State) -> tuple[Class, ...]:
    """The classes of the components in a state, computed from the values."""
    results = []
    for number, component in enumerate(semantics.system.components):
        statuses = []
        for action in component.actions:
            if any(semantics.instances(state, number, action)):
                statuses.append(Status.ENABLED)
            elif action.take is None or _offers(semantics, action.take, state):
                statuses.append(Status.REFUSED)
            else:
                statuses.append(Status.EMPTY)
        undisturbed = tuple(
            channel.discipline.undisturbed(state.contents[place])
            if _offers(semantics, channel.name, state)
            else frozenset()
            for place, channel in enumerate(semantics.system.channels)
            if channel.to == component.name
        )
        results.append(Class(tuple(statuses), undisturbed))
    return tuple(results)


def _offers(semantics: Semantics, channel: str, state: State) -> bool:
    place = semantics.channel_index[channel]
    return bool(semantics.system.channels[place].discipline.take(state.contents[place]))
