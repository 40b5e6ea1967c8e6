"""A system in which nothing comes from outside but the inputs of one path, in any order.

An input is a step by a MAY action, or a fault of a channel. Each may happen at most as often as on the path. What is
left is part of the state: of the core of the component, or of the content of the channel. MUST, IDLE and LATE actions
are as before, so a state is quiescent or settled if it was.

Law: a path of the new system is a path of the old one, step by step, and leads to the same findings.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeAlias

from sdnloom.engine.disciplines import Bag, BarrierBag, Fifo, Ports
from sdnloom.engine.model import (
    ALL,
    Action,
    Cell,
    Channel,
    Component,
    Content,
    Core,
    Discipline,
    FaultKind,
    Footprint,
    ListsContent,
    Message,
    Mode,
    Outcome,
    Property,
    Restart,
    Step,
    System,
)
from sdnloom.engine.path import Path

InputOf: TypeAlias = Callable[[Step], Hashable]  # what counts as the same input

_LEFT = "inputs left"
_FAULTLESS = (Fifo, Bag, Ports, BarrierBag)


class BudgetedCore(NamedTuple):
    """A core, and how often each input of its component may still happen."""

    core: Core
    left: tuple[int, ...]


class BudgetedContent(NamedTuple):
    """The content of a channel, and how often each of its faults may still happen."""

    content: Content
    left: tuple[int, ...]


def input_by_choice(step: Step) -> Hashable:
    """Steps of one action are the same input if they have the same choice."""
    return step.component, step.action, step.choice


def with_inputs_of(system: System, path: Path, input_of: InputOf = input_by_choice) -> System:
    """The system with the inputs of the path only. Inputs that the system does not know are left out."""
    modes = {(each.name, action.name): action.mode for each in system.components for action in each.actions}
    inputs: dict[str, Counter[Hashable]] = {each.name: Counter() for each in system.components}
    for step in path.steps:
        if modes.get((step.component, step.action)) is Mode.MAY:
            inputs[step.component][input_of(step)] += 1
    faults: dict[str, Counter[str]] = {}
    for step in path.steps:
        for text in step.faults:
            for channel, kind in fault_kinds(text):
                faults.setdefault(channel, Counter())[kind] += 1
    components = tuple(_budgeted_component(each, inputs[each.name], input_of) for each in system.components)
    channels = tuple(_budgeted_channel(each, faults.get(each.name, Counter())) for each in system.channels)
    hidden = {new.name for new, old in zip(components, system.components, strict=True) if new is not old}
    hidden |= {channel.name for channel in channels if isinstance(channel.discipline, _FaultBudget)}
    return System(components, channels, tuple(_unwrapping(prop, hidden) for prop in system.properties))


def fault_kinds(text: str) -> list[tuple[str, str]]:
    """The kinds of a fault as a step names it, each with the channel: [("a.in", "drop")] of "a.in:drop 2"."""
    channel, _, kind = text.rpartition(":")
    return [(channel, word) for word in _words(kind)]


def _words(kind: str) -> list[str]:
    """The kinds of a fault, without how far a message is overtaken, and where."""
    return [part.split(" ", 1)[0] for part in kind.split("+")]


# Components


def _budgeted_component(component: Component, inputs: Mapping[Hashable, int], input_of: InputOf) -> Component:
    """The component with budgets for its MAY actions; itself if it has none."""
    if not any(action.mode is Mode.MAY for action in component.actions):
        return component
    budget = _Budget(component, inputs, input_of)
    canonical, waits, conflict, cell_text = (
        component.canonical,
        component.waits,
        component.conflict,
        component.cell_text,
    )

    def apart(one: Any, other: Any) -> bool:
        assert conflict is not None
        return not (_is_left(one) or _is_left(other)) and conflict(one, other)

    def text(cell: Any) -> str:
        assert cell_text is not None
        return f"{_LEFT} of {cell[1]}" if _is_left(cell) else cell_text(cell)

    return Component(
        component.name,
        BudgetedCore(component.initial, budget.full),
        tuple(budget.action(action) for action in component.actions),
        lambda core: core._replace(core=canonical(core.core)),
        None if conflict is None else apart,
        None if cell_text is None else text,
        None if waits is None else lambda core: waits(core.core),
    )


def _is_left(cell: Any) -> bool:
    return isinstance(cell, tuple) and cell[:1] == (_LEFT,)


class _Budget:
    """The inputs of one component, numbered in the order of the path."""

    def __init__(self, component: Component, inputs: Mapping[Hashable, int], input_of: InputOf) -> None:
        self.component, self.input_of = component, input_of
        self.numbers = {each: number for number, each in enumerate(inputs)}
        self.full = tuple(inputs.values())

    def action(self, action: Action) -> Action:
        """The action on cores with a budget."""
        footprint = action.footprint
        changed = replace(
            action,
            step=self._spending(action) if action.mode is Mode.MAY else self._keeping(action),
            footprint=None if footprint is None else self._footprint(action, footprint),
        )
        if action.mode is not Mode.MAY:
            return changed
        return replace(changed, reads=_with_cell(action, action.reads), writes=_with_cell(action, action.writes))

    def _keeping(self, action: Action) -> Callable[[Any, Any], Sequence[Outcome] | Restart]:
        def step(core: BudgetedCore, message: Any) -> Sequence[Outcome] | Restart:
            outcomes = action.step(core.core, message)
            if isinstance(outcomes, Restart):
                return outcomes
            return [replace(each, core=core._replace(core=each.core)) for each in outcomes]

        return step

    def _spending(self, action: Action) -> Callable[[Any, Any], Sequence[Outcome] | Restart]:
        def step(core: BudgetedCore, message: Any) -> Sequence[Outcome] | Restart:
            if not any(core.left):
                return []
            outcomes = action.step(core.core, message)
            if isinstance(outcomes, Restart):
                return outcomes
            results = []
            for each in outcomes:
                taken = Step(self.component.name, action.name, message, each.choice)
                number = self.numbers.get(self.input_of(taken))
                if number is not None and core.left[number]:
                    left = tuple(count - (place == number) for place, count in enumerate(core.left))
                    reads = None if each.reads is None else _with_cell(action, each.reads)
                    writes = None if each.writes is None else _with_cell(action, each.writes)
                    results.append(replace(each, core=BudgetedCore(each.core, left), reads=reads, writes=writes))
            return results

        return step

    def _footprint(
        self, action: Action, footprint: Callable[[Any, tuple[Any, ...], Any], Footprint]
    ) -> Callable[[Any, tuple[Any, ...], Any], Footprint]:
        def of_message(core: BudgetedCore, before: tuple[Any, ...], message: Any) -> Footprint:
            found = footprint(core.core, before, message)
            if action.mode is not Mode.MAY:
                return found
            return found._replace(reads=_with_cell(action, found.reads), writes=_with_cell(action, found.writes))

        return of_message


def _with_cell(action: Action, cells: frozenset[Cell]) -> frozenset[Cell]:
    return cells if cells == ALL else cells | {(_LEFT, action.name)}


# Channels


def _budgeted_channel(channel: Channel, faults: Mapping[str, int]) -> Channel:
    """The channel with these faults; itself if it has none anyway."""
    if isinstance(channel.discipline, _FAULTLESS):
        return channel
    kind: type[_WithoutFaults]
    if faults:
        kind = _ListingFaultBudget if isinstance(channel.discipline, ListsContent) else _FaultBudget
    else:
        kind = _ListingWithoutFaults if isinstance(channel.discipline, ListsContent) else _WithoutFaults
    return replace(channel, discipline=kind(channel.discipline, tuple(faults.items())))


@dataclass(frozen=True)
class _WithoutFaults:
    """A discipline without its faults. Content: as the discipline has it."""

    inner: Discipline
    faults: tuple[tuple[str, int], ...] = ()

    @property
    def empty(self) -> Content:
        return self.inner.empty

    @property
    def many_senders(self) -> bool:
        return self.inner.many_senders

    @property
    def push_keeps(self) -> bool:
        return self.inner.push_keeps

    def undisturbed(self, content: Any) -> frozenset[str] | None:
        return self.inner.undisturbed(content)

    def push(self, content: Any, message: Message) -> tuple[tuple[FaultKind, Content], ...]:
        return tuple(each for each in self.inner.push(content, message) if not each[0])

    def take(self, content: Any) -> tuple[tuple[FaultKind, Message, Content], ...]:
        return tuple(each for each in self.inner.take(content) if not each[0])


@dataclass(frozen=True)
class _ListingWithoutFaults(_WithoutFaults):
    def waiting(self, content: Any) -> tuple[tuple[Message, ...], tuple[Message, ...]]:
        return _listed(self.inner, content)


@dataclass(frozen=True)
class _FaultBudget(_WithoutFaults):
    """A discipline whose faults happen at most so often each. Content: a BudgetedContent."""

    @property
    def empty(self) -> Content:
        return BudgetedContent(self.inner.empty, tuple(count for _, count in self.faults))

    @property
    def many_senders(self) -> bool:
        return False  # senders share the budgets, so their pushes do not commute

    def undisturbed(self, content: BudgetedContent) -> frozenset[str] | None:
        return self.inner.undisturbed(content.content)

    def push(self, content: BudgetedContent, message: Message) -> tuple[tuple[FaultKind, Content], ...]:
        return tuple(
            (kind, BudgetedContent(after, left))
            for kind, after in self.inner.push(content.content, message)
            if (left := self._after(content.left, kind)) is not None
        )

    def take(self, content: BudgetedContent) -> tuple[tuple[FaultKind, Message, Content], ...]:
        return tuple(
            (kind, message, BudgetedContent(rest, left))
            for kind, message, rest in self.inner.take(content.content)
            if (left := self._after(content.left, kind)) is not None
        )

    def _after(self, left: tuple[int, ...], kind: FaultKind) -> tuple[int, ...] | None:
        """What is left after a fault; None if it may not happen."""
        if not kind:
            return left
        spent = Counter(_words(kind.text))
        if spent - Counter(dict(zip((word for word, _ in self.faults), left, strict=True))):
            return None
        return tuple(count - spent[word] for (word, _), count in zip(self.faults, left, strict=True))


@dataclass(frozen=True)
class _ListingFaultBudget(_FaultBudget):
    def waiting(self, content: BudgetedContent) -> tuple[tuple[Message, ...], tuple[Message, ...]]:
        return _listed(self.inner, content.content)


def _listed(inner: Discipline, content: Any) -> tuple[tuple[Message, ...], tuple[Message, ...]]:
    assert isinstance(inner, ListsContent)
    return inner.waiting(content)


# Properties


def _unwrapping(prop: Property, budgeted: set[str]) -> Property:
    """The property, which sees the columns as they are without budgets."""
    hidden = budgeted.intersection(prop.columns)
    if not hidden:
        return prop
    violated = prop.violated

    def seen(memory: Any, columns: Mapping[str, Any]) -> str | None:
        return violated(memory, {name: each[0] if name in hidden else each for name, each in columns.items()})

    return replace(prop, violated=seen)
