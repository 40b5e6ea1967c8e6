"""What a system does, said slowly and obviously on plain values.

This is the reference that both engines are tested against. Replay, stepping and walks run on it, so a counterexample is
confirmed by code that shares nothing with the search that found it except the user's steps.
"""

import itertools
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from typing import Any, NamedTuple

from sdnloom.engine import user_code as evaluate
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


class State(NamedTuple):
    """A whole state: cores in component order, contents in channel order, memories of the properties that remember."""

    cores: tuple[Core, ...]
    contents: tuple[Content, ...]
    memories: tuple[Hashable, ...]


class Transition(NamedTuple):
    """One enabled step, the state it leads to and what happened on the way."""

    step: Step
    state: State
    events: tuple[Event, ...]
    component: Component
    action: Action
    outcome: Outcome


class Finding(NamedTuple):
    """A property that speaks in a state: a violation, or for a `sometimes` property a witness."""

    property: str
    message: str


class Semantics:
    """The transition relation of a system, in canonical order: components, actions, messages, outcomes, faults."""

    def __init__(self, system: System, checked: bool = False) -> None:
        self.system = system
        self.checked = checked
        self.index = {component.name: number for number, component in enumerate(system.components)}
        self.channel_index = {channel.name: number for number, channel in enumerate(system.channels)}
        self.remembering = tuple(prop for prop in system.properties if prop.remembers)

    def initial(self) -> State:
        """The state before any step."""
        return State(
            tuple(evaluate.initial_core(component) for component in self.system.components),
            tuple(channel.discipline.empty for channel in self.system.channels),
            tuple(evaluate.initial_memory(prop) for prop in self.remembering),
        )

    def transitions(self, state: State) -> list[Transition]:
        """Every transition from the state: IDLE actions come last and only if the state is quiescent."""
        active = list(self._enabled(state, idle=False))
        if any(transition.action.mode is Mode.MUST for transition in active):
            return active
        return active + list(self._enabled(state, idle=True))

    def named(self, state: State, step: Step) -> Iterator[Transition]:
        """Those of the transitions from the state that are by the action that the step names."""
        number = self.index.get(step.component)
        for action in () if number is None else self.system.components[number].actions:
            if action.name == step.action and (action.mode is not Mode.IDLE or self.is_quiescent(state)):
                yield from self.instances(state, number or 0, action)

    def is_quiescent(self, state: State) -> bool:
        """Whether no MUST is enabled."""
        return all(t.action.mode is not Mode.MUST for t in self._enabled(state, idle=False))

    def is_settled(self, state: State) -> bool:
        """Whether no MUST and no IDLE is enabled."""
        return self.is_quiescent(state) and not any(self._enabled(state, idle=True))

    def speaking(self, state: State) -> tuple[Finding, ...]:
        """The properties that speak in this state, in declaration order."""
        quiescent = self.is_quiescent(state)
        settled = self.is_settled(state)
        results = []
        for prop in self.system.properties:
            asked = {Needs.QUIESCENT: quiescent, Needs.SETTLED: settled}.get(prop.needs, True)
            if asked:
                message = evaluate.violated(prop, self.memory(prop, state), self.columns(prop, state))
                if message is not None:
                    results.append(Finding(prop.name, message))
        return tuple(results)

    def memory(self, prop: Property, state: State) -> Hashable:
        """The property's memory in the state."""
        return state.memories[self.remembering.index(prop)] if prop.remembers else prop.initial

    def columns(self, prop: Property, state: State) -> dict[str, Any]:
        """The values of the columns that the property reads."""
        return {name: self.column(name, state) for name in prop.columns}

    def column(self, name: str, state: State) -> Any:
        """The core of a component or the content of a channel, by name."""
        if name in self.index:
            return state.cores[self.index[name]]
        return state.contents[self.channel_index[name]]

    def _enabled(self, state: State, idle: bool) -> Iterator[Transition]:
        for number, component in enumerate(self.system.components):
            for action in component.actions:
                if (action.mode is Mode.IDLE) == idle:
                    yield from self.instances(state, number, action)

    def instances(self, state: State, number: int, action: Action) -> Iterator[Transition]:
        """The transitions by one action of the component with that number, whether or not the state is quiescent."""
        component, core = self.system.components[number], state.cores[number]
        if action.take is None:
            takes: list[tuple[FaultKind, Message, tuple[Content, ...]]] = [(NO_FAULT, None, state.contents)]
        else:
            place = self.channel_index[action.take]
            takes = [
                (kind, message, _replace(state.contents, place, rest))
                for kind, message, rest in evaluate.take(self.system.channels[place], state.contents[place])
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
        return evaluate.evaluate(component, action, core, message, self.checked)

    def _sent(
        self, contents: tuple[Content, ...], sender: int, outcome: Outcome
    ) -> list[tuple[tuple[Content, ...], tuple[Fault, ...], tuple[str, ...]]]:
        """Every way in which the outcome's messages may be stored, with the faults that happened and their names."""
        reached: list[tuple[tuple[Content, ...], tuple[Fault, ...], tuple[str, ...]]] = [(contents, (), ())]
        sent: Counter[str] = Counter()
        for name, message in self.in_storage_order(sender, outcome):
            place = self.channel_index[name]
            channel = self.system.channels[place]
            sent[name] += 1
            following = []
            for before, faults, names in reached:
                for kind, after in evaluate.push(channel, before[place], message):
                    fault = (Fault(name, kind, message),) if kind else ()
                    named = tuple(fault_text(one, sent[name]) for one in fault)
                    following.append((_replace(before, place, after), faults + fault, names + named))
            reached = following
        return reached

    def in_storage_order(self, sender: int, outcome: Outcome) -> list[tuple[str, Message]]:
        """The outcome's messages receiver by receiver: the sender's own channels first, then in component order."""

        def receiver(send: tuple[str, Message]) -> tuple[bool, int]:
            to = self.index[self.system.channels[self.channel_index[send[0]]].to]
            return to != sender, to

        return sorted(outcome.sends, key=receiver)

    def _folded(self, memories: tuple[Hashable, ...], events: tuple[Event, ...]) -> tuple[Hashable, ...]:
        for event in events:
            memories = tuple(
                evaluate.fold(prop, memory, event) for prop, memory in zip(self.remembering, memories, strict=True)
            )
        return memories


def _replace(values: tuple[Any, ...], place: int, value: Any) -> tuple[Any, ...]:
    return (*values[:place], value, *values[place + 1 :])


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
