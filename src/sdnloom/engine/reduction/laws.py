"""Checks of the laws that reductions rely on: laws of disciplines, and commutation of independent actions.

They run on the values that a search meets, and prove nothing beyond them.
"""

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from sdnloom.engine import user_code
from sdnloom.engine.model import Channel, Event, Message, ModelError, Needs, Property
from sdnloom.engine.path import describe, same_step
from sdnloom.engine.reduction.place_classes import Classifier, ClassRules, PlaceClass
from sdnloom.engine.reduction.stubborn_sets import StubbornSets
from sdnloom.engine.semantics import Semantics, State, Transition
from sdnloom.engine.stable_text import stable_text

if TYPE_CHECKING:
    from sdnloom.engine.memo import Memo

# How many of the memories met, and of the event tuples of each action, `check_memories` checks.
_MEMORY_SAMPLE, _EVENT_SAMPLE = 500, 20
# How many pairs of event tuples it folds in both orders: for a memory, for one of many memories, and about in all.
_PAIR_SAMPLE, _FEWEST_PAIRS, _PAIRS_IN_ALL = 200, 20, 5_000
# How many of the contents and messages of a channel `check_channels` checks.
_CONTENT_SAMPLE, _MESSAGE_SAMPLE = 200, 12


def check_channels(tables: "Memo") -> None:
    """Raise ModelError if a discipline breaks one of its laws on the contents and messages that were met.

    Every content is tried with every message, not only those that the search pushed on it: a search that relies on a
    wrong law may never reach the state that refutes it.
    """
    for number, channel in enumerate(tables.system.channels):
        messages = list(itertools.islice(tables.sent[number].items(), _MESSAGE_SAMPLE))
        for content in itertools.islice(tables.contents[number].values, _CONTENT_SAMPLE):
            for message, senders in messages:
                if _accepts(channel, content, message):
                    for sender in sorted(senders):
                        check_discipline(channel, content, message, sender)
            for (one, senders), (other, rest) in itertools.combinations(messages, 2):
                if len(senders | rest) > 1 and _accepts(channel, content, one, other):
                    check_senders(channel, content, one, other)


def _accepts(channel: Channel, content: Any, *messages: Message) -> bool:
    """Whether the messages can be pushed one after the other; the search may never have done that."""
    try:
        for message in messages:
            for _, after in user_code.push_message(channel, content, message):
                content = after
    except ModelError:
        return False
    return True


def check_discipline(channel: Channel, content: Any, message: Message, sender: str) -> None:
    """Raise ModelError if the discipline breaks one of its laws when the sender pushes the message on this content."""
    discipline = channel.discipline
    offered = set(discipline.take(content))
    if not offered:
        return
    kept = {(fault, taken, after) for fault, taken, rest in offered for _, after in discipline.push(rest, message)}
    offers = {offer for _, after in discipline.push(content, message) for offer in discipline.take(after)}
    where = f"channel {channel.name!r} with content {content!r}, push of {message!r} by {sender!r}"
    if discipline.push_keeps and not kept <= offers:
        raise ModelError(f"{where}: the discipline says push_keeps, but {sorted(kept - offers, key=repr)} is lost")
    undisturbed = discipline.undisturbed(content)
    if (undisturbed is None or sender in undisturbed) and kept != offers:
        raise ModelError(f"{where}: the discipline says that the sender disturbs nothing, but the offers change")


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

    This checks cells, sends and the laws of channels at once. Memories are left out: `watches` decides on their order.
    """
    stubborn = StubbornSets(semantics.system, keep_state_properties=True)
    numbers = {acting.name: acting.number for acting in stubborn.actions}
    for state in states:
        transitions = semantics.transitions(state)
        commuting = stubborn.commuting(place_classes_of(semantics, state))
        for position, one in enumerate(transitions):
            for other in transitions[position + 1 :]:
                first = numbers[one.component.name, one.action.name]
                second = numbers[other.component.name, other.action.name]
                if commuting[first] >> second & 1:
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


def check_memories(tables: "Memo", memories: Mapping[str, Iterable[Any]]) -> None:
    """Raise ModelError if a property's fold depends on an order that a reduction does not keep.

    For the memories met by a property of that name and the events met: an action that it does not watch leaves its
    memory alone; without `watches`, the events of different actions commute; for EVENT, a violation stays.
    """
    emitted = [
        (number, events)
        for number, tuples in tables.events_by_action().items()
        for events in sorted(tuples, key=stable_text)[:_EVENT_SAMPLE]
    ]
    names = [(tables.system.components[owner].name, action.name) for owner, action in tables.actions]
    for prop in tables.semantics.with_memory:
        sample = list(itertools.islice(memories[prop.name], _MEMORY_SAMPLE))
        for turn, memory in enumerate(sample):
            after = {(number, events): folded(prop, memory, events) for number, events in emitted}
            moved = {key: value for key, value in after.items() if value != memory}
            violated = prop.needs is Needs.EVENT and user_code.violated(prop, memory, {}) is not None
            for (number, events), value in moved.items():
                if prop.watches and names[number] not in prop.watches:
                    raise ModelError(
                        f"property {prop.name!r} remembers events {events!r} of {names[number]}, which it does not "
                        "watch; add the action to its `watches` or search without reduction"
                    )
                if violated and user_code.violated(prop, value, {}) is None:
                    raise ModelError(
                        f"property {prop.name!r} takes back its violation in memory {memory!r} at events {events!r}; "
                        "an event property must keep it, or search without reduction"
                    )
            if not prop.watches:
                _check_folds_commute(prop, memory, _some_pairs(moved, turn, len(sample)))


_Moved: TypeAlias = tuple[tuple[int, tuple[Event, ...]], Any]  # an action and its events, the memory after them


def _some_pairs(
    moved: Mapping[tuple[int, tuple[Event, ...]], Any], turn: int, memories: int
) -> Iterator[tuple[_Moved, _Moved]]:
    """Pairs of what moves a memory; if there are many, other ones for the next memory."""
    most = min(_PAIR_SAMPLE, max(_FEWEST_PAIRS, _PAIRS_IN_ALL // memories))
    stride = max(1, -(-len(moved) * (len(moved) - 1) // 2 // most))
    return itertools.islice(itertools.combinations(moved.items(), 2), turn % stride, None, stride)


def _check_folds_commute(prop: Property, memory: Any, pairs: Iterable[tuple[_Moved, _Moved]]) -> None:
    for ((one, first), after_first), ((other, second), after_second) in pairs:
        if one != other and folded(prop, after_first, second) != folded(prop, after_second, first):
            raise ModelError(
                f"property {prop.name!r} in memory {memory!r} depends on the order of events {first!r} and {second!r}; "
                "name their actions in its `watches` or search without reduction"
            )


def folded(prop: Property, memory: Any, events: Sequence[Event]) -> Any:
    """The property's memory after these events."""
    for event in events:
        memory = user_code.fold_event(prop, memory, event)
    return memory


def place_classes_of(semantics: Semantics, state: State, rules: ClassRules | None = None) -> tuple[PlaceClass, ...]:
    """The classes of the components in a state, computed from the values."""
    results = []
    for number, component in enumerate(semantics.system.components):
        classifier = Classifier(component, semantics.system.channels, rules)
        contents = [semantics.column(channel.name, state) for channel in classifier.inbox]
        results.append(
            classifier.class_of(
                state.cores[number],
                contents,
                [action.take is None or _offers(semantics, action.take, state) for action in component.actions],
                [[t.outcome for t in semantics.instances(state, number, action)] for action in component.actions],
                [
                    channel.discipline.undisturbed(content) if _offers(semantics, channel.name, state) else frozenset()
                    for channel, content in zip(classifier.inbox, contents, strict=True)
                ],
            )
        )
    return tuple(results)


def _offers(semantics: Semantics, channel: str, state: State) -> bool:
    number = semantics.channel_index[channel]
    return bool(semantics.system.channels[number].discipline.take(state.contents[number]))
