"""The reference semantics: a slow, obvious definition of the transitions of a system, on plain values.

Both engines are tested against it. Replay, stepping and walks use it, so a counterexample is confirmed by code that
shares nothing with the search except the user's steps.
"""

import itertools
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from typing import Any, NamedTuple

from sdnloom.engine import user_code
from sdnloom.engine.model import (
    NO_FAULT,
    Action,
    Component,
    Content,
    Core,
    Event,
    Fault,
    FaultKind,
    Message,
    Mode,
    Needs,
    Outcome,
    Property,
    Step,
    System,
    fault_text,
)

AT_REST = (Needs.QUIESCENT, Needs.SETTLED)
_ACTIVE = (Mode.MUST, Mode.MAY)


class State(NamedTuple):
    """A state: cores in component order, contents in channel order, memories of the properties that have one."""

    cores: tuple[Core, ...]
    contents: tuple[Content, ...]
    memories: tuple[Hashable, ...]


class Transition(NamedTuple):
    """An enabled step, the state that it leads to, and its events."""

    step: Step
    state: State
    events: tuple[Event, ...]
    component: Component
    action: Action
    outcome: Outcome


class Finding(NamedTuple):
    """A property that reports a violation in a state, or for a `sometimes` property a witness."""

    property: str
    message: str


class Semantics:
    """The transition relation of a system, in canonical order: components, actions, messages, outcomes, faults."""

    def __init__(self, system: System, checked: bool = False) -> None:
        self.system = system
        self.checked = checked
        self.index = {component.name: number for number, component in enumerate(system.components)}
        self.channel_index = {channel.name: number for number, channel in enumerate(system.channels)}
        self._receivers = {channel.name: self.index[channel.to] for channel in system.channels}
        self.with_memory = tuple(prop for prop in system.properties if prop.has_memory)
        self._waits = [(n, each.waits) for n, each in enumerate(system.components) if each.waits is not None]

    def initial(self) -> State:
        """The state before any step."""
        return State(
            tuple(user_code.initial_core(component) for component in self.system.components),
            tuple(channel.discipline.empty for channel in self.system.channels),
            tuple(user_code.initial_memory(prop) for prop in self.with_memory),
        )

    def transitions(self, state: State) -> list[Transition]:
        """Every transition from the state. IDLE and LATE actions come last, and only if the state is quiescent."""
        active = list(self.enabled(state, *_ACTIVE))
        if any(transition.action.mode is Mode.MUST for transition in active):
            return active
        return active + list(self.enabled(state, Mode.IDLE)) + list(self.enabled(state, Mode.LATE))

    def named(self, state: State, step: Step) -> Iterator[Transition]:
        """The transitions from the state by the action that the step names."""
        number = self.index.get(step.component)
        for action in () if number is None else self.system.components[number].actions:
            if action.name == step.action and (action.mode in _ACTIVE or self.is_quiescent(state)):
                yield from self.instances(state, number or 0, action)

    def is_quiescent(self, state: State) -> bool:
        """Whether no MUST is enabled."""
        return not any(self.enabled(state, Mode.MUST))

    def is_settled(self, state: State) -> bool:
        """Whether no MUST and no IDLE is enabled."""
        return self.is_quiescent(state) and not any(self.enabled(state, Mode.IDLE))

    def findings(self, state: State) -> tuple[Finding, ...]:
        """The findings in this state, in declaration order of the properties.

        A violation at rest is one only if no LATE action is enabled.
        """
        quiescent = self.is_quiescent(state)
        settled = quiescent and not any(self.enabled(state, Mode.IDLE))
        over = quiescent and not any(self.enabled(state, Mode.LATE))
        results = []
        for prop in self.system.properties:
            asked = {Needs.QUIESCENT: quiescent, Needs.SETTLED: settled}.get(prop.needs, True)
            if asked and (over or prop.sometimes or prop.needs not in AT_REST):
                message = self.message(prop, state)
                if message is not None:
                    results.append(Finding(prop.name, message))
        return tuple(results)

    def message(self, prop: Property, state: State) -> str | None:
        """The property's message in a state in which it is checked; at rest with what components still wait for."""
        found = user_code.violated(prop, self.memory(prop, state), self.columns(prop, state))
        if found is None or prop.sometimes or prop.needs not in AT_REST:
            return found
        waits = [text for number, of in self._waits if (text := of(state.cores[number])) is not None]
        return f"{found} ({'; '.join(waits)})" if waits else found

    def memory(self, prop: Property, state: State) -> Hashable:
        """The property's memory in the state."""
        return state.memories[self.with_memory.index(prop)] if prop.has_memory else prop.initial

    def columns(self, prop: Property, state: State) -> dict[str, Any]:
        """The values of the columns that the property reads."""
        return {name: self.column(name, state) for name in prop.columns}

    def column(self, name: str, state: State) -> Any:
        """The core of a component or the content of a channel, by name."""
        if name in self.index:
            return state.cores[self.index[name]]
        return state.contents[self.channel_index[name]]

    def enabled(self, state: State, *modes: Mode) -> Iterator[Transition]:
        """The transitions by actions of these modes; whether the state is quiescent is not asked here."""
        for number, component in enumerate(self.system.components):
            for action in component.actions:
                if action.mode in modes:
                    yield from self.instances(state, number, action)

    def instances(self, state: State, number: int, action: Action) -> Iterator[Transition]:
        """The transitions by an action of the component with that number; IDLE and LATE ones count as enabled."""
        component, core = self.system.components[number], state.cores[number]
        if action.take is None:
            takes: list[tuple[FaultKind, Message, tuple[Content, ...]]] = [(NO_FAULT, None, state.contents)]
        else:
            index = self.channel_index[action.take]
            takes = [
                (kind, message, _replace(state.contents, index, rest))
                for kind, message, rest in user_code.take_message(self.system.channels[index], state.contents[index])
            ]
        for kind, message, contents in takes:
            fault = (Fault(action.take or "", kind, message),) if kind else ()
            taken = tuple(map(fault_text, fault))
            for outcome in self.outcomes(component, action, core, message):
                cores = _replace(state.cores, number, outcome.core)
                for after, faults, names in self._sent(contents, number, outcome):
                    events = outcome.events + fault + faults
                    step = Step(component.name, action.name, message, outcome.choice, taken + names)
                    memories = self._folded(state.memories, events)
                    yield Transition(step, State(cores, after, memories), events, component, action, outcome)

    def outcomes(self, component: Component, action: Action, core: Core, message: Message | None) -> Sequence[Outcome]:
        """The outcomes of one step of one component."""
        return user_code.evaluate(component, action, core, message, self.checked)

    def _sent(
        self, contents: tuple[Content, ...], sender: int, outcome: Outcome
    ) -> list[tuple[tuple[Content, ...], tuple[Fault, ...], tuple[str, ...]]]:
        """Every way to store the outcome's messages, with the faults and their texts."""
        reached: list[tuple[tuple[Content, ...], tuple[Fault, ...], tuple[str, ...]]] = [(contents, (), ())]
        sent: Counter[str] = Counter()
        for name, message in self.in_storage_order(sender, outcome):
            index = self.channel_index[name]
            channel = self.system.channels[index]
            sent[name] += 1
            following = []
            for before, faults, names in reached:
                for kind, after in user_code.push_message(channel, before[index], message):
                    fault = (Fault(name, kind, message),) if kind else ()
                    named = tuple(fault_text(one, sent[name]) for one in fault)
                    following.append((_replace(before, index, after), faults + fault, names + named))
            reached = following
        return reached

    def in_storage_order(self, sender: int, outcome: Outcome) -> list[tuple[str, Message]]:
        """The outcome's messages receiver by receiver: the sender's own channels first, then in component order."""

        receivers = self._receivers

        def receiver(send: tuple[str, Message]) -> int:
            to = receivers[send[0]]
            return -1 if to == sender else to

        return sorted(outcome.sends, key=receiver)

    def _folded(self, memories: tuple[Hashable, ...], events: tuple[Event, ...]) -> tuple[Hashable, ...]:
        for event in events:
            memories = tuple(
                user_code.fold_event(prop, memory, event)
                for prop, memory in zip(self.with_memory, memories, strict=True)
            )
        return memories


def _replace(values: tuple[Any, ...], index: int, value: Any) -> tuple[Any, ...]:
    return (*values[:index], value, *values[index + 1 :])


def reachable(semantics: Semantics, limit: int = 1_000_000) -> dict[State, list[Transition]]:
    """Every reachable state with its transitions, breadth first; raises OverflowError past the limit."""
    found: dict[State, list[Transition]] = {}
    frontier = [semantics.initial()]
    while frontier:
        for state in frontier:
            if state not in found:
                found[state] = semantics.transitions(state)
        if len(found) > limit:
            raise OverflowError(f"more than {limit} states")
        frontier = list(
            dict.fromkeys(
                t.state
                for t in itertools.chain.from_iterable(found[state] for state in frontier)
                if t.state not in found
            )
        )
    return found
