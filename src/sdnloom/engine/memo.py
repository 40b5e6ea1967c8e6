"""Interning of values, and the memo of evaluations of user code.

A step is memoised on (action, core, message): handler code runs once per distinct situation, not once per global
transition. Queues are not part of a core, which keeps the number of situations small.
"""

from collections.abc import Callable, Hashable, Sequence
from typing import Any, Generic, NamedTuple, TypeAlias, TypeVar

from sdnloom.engine import user_code
from sdnloom.engine.journal.journal import FOLD, PUSH, RANK, STEP, TAKE, Journal
from sdnloom.engine.model import Action, Component, Core, Event, Fault, Message, Outcome, Step, Strategy, System
from sdnloom.engine.semantics import Semantics
from sdnloom.engine.stop_points import check_limits
from sdnloom.engine.strategy import Ranks, ranks_of
from sdnloom.engine.user_code import StepCall

V = TypeVar("V", bound=Hashable)


class Interner(Generic[V]):
    """Numbers distinct values in the order in which they come."""

    def __init__(self) -> None:
        self.values: list[V] = []
        self._numbers: dict[V, int] = {}

    def __len__(self) -> int:
        return len(self.values)

    def number(self, value: V) -> int:
        """The value's number, a new one if it is new."""
        known = self._numbers.setdefault(value, len(self.values))  # hashed once, new or not
        if known == len(self.values):
            self.values.append(value)
        return known


class MessageBatch(NamedTuple):
    """All the messages that one outcome sends to one component: (slot of the channel there, message number) pairs."""

    to: int
    items: tuple[tuple[int, int], ...]


class LocalOutcome(NamedTuple):
    """An outcome in numbers: one component's part of a transition, independent of the other components."""

    number: int
    action: int
    message: int  # 0 when nothing is taken
    core: int
    own: tuple[tuple[int, int], ...]  # messages of the component to itself, as in a MessageBatch
    batches: tuple[int, ...]  # numbers of the batches to others, in component order
    outcome: Outcome


_Stored: TypeAlias = tuple[tuple[tuple[int, int], ...], tuple[int, ...]]
_NOTHING_SENT: _Stored = ((), ())


class Memo:
    """The numbered values of one system and everything that user code was asked about them; shared by both engines.

    Law: a value gets its number in the answer to a question (step, push, take, fold, rank), so the same questions in
    the same order give the same numbers in every process. A `journal` records them; nothing else may number values
    while there is one.
    """

    def __init__(self, system: System, checked: bool = False, strategy: Strategy | None = None) -> None:
        self.system, self.strategy = system, strategy
        self.journal: Journal | None = None
        self.sent: list[dict[Any, set[str]]] = [{} for _ in system.channels]  # message -> components that sent it
        self.semantics = Semantics(system, checked)
        self.checked = checked
        self.pause: Callable[[], None] = lambda: None  # called after each evaluation of user code, which may take long
        self.actions: list[tuple[int, Action]] = [
            (number, action) for number, component in enumerate(system.components) for action in component.actions
        ]
        self._calls = [StepCall(system.components[number], action) for number, action in self.actions]
        self._hashes: list[dict[int, int]] = [{} for _ in system.components]  # of cores, by number
        # How an outcome's only message is stored: (component, channel, number of the message) -> own, batches.
        self._alone: dict[tuple[int, str, int], _Stored] = {}
        # Channels by receiver: a channel is (component, slot).
        self.inbox: list[list[int]] = [[] for _ in system.components]
        self.slot: list[tuple[int, int]] = []
        for number, channel in enumerate(system.channels):
            to = self.semantics.index[channel.to]
            self.slot.append((to, len(self.inbox[to])))
            self.inbox[to].append(number)
        self.taken_slot = [
            -1 if action.take is None else self.slot[self.semantics.channel_index[action.take]][1]
            for _, action in self.actions
        ]
        self.cores: list[Interner[Any]] = [Interner() for _ in system.components]
        self.contents: list[Interner[Any]] = [Interner() for _ in system.channels]
        self.messages: Interner[Any] = Interner()
        self.messages.number(_NO_MESSAGE)
        self.batches: Interner[MessageBatch] = Interner()
        self.locals: list[LocalOutcome] = []
        self.evaluations = [0] * len(system.components)
        self._steps: dict[tuple[int, int, int], tuple[LocalOutcome, ...]] = {}
        self._pushes: dict[tuple[int, int, int], tuple[tuple[int, Fault | None], ...]] = {}
        self._takes: dict[tuple[int, int], tuple[tuple[int, int, Fault | None], ...]] = {}
        self._folds: dict[tuple[int, int, int], int] = {}
        self._ranks: dict[tuple[int, int], tuple[Ranks, int]] = {}
        # Tuples of events: those of an outcome, or one fault.
        self.events: Interner[tuple[Event, ...]] = Interner()
        self.events.number(())
        # Memories of the properties that have one, in the order of `semantics.with_memory`, and of the strategy.
        self.memories: list[Interner[Hashable]] = [Interner() for _ in self.semantics.with_memory]
        self.plans: Interner[Hashable] = Interner()
        if strategy is not None:
            self.plans.number(strategy.initial)
        initial = self.semantics.initial()
        self.initial_cores = [table.number(core) for table, core in zip(self.cores, initial.cores, strict=True)]
        for table, content in zip(self.contents, initial.contents, strict=True):
            table.number(content)
        for interner, memory in zip(self.memories, initial.memories, strict=True):
            interner.number(memory)

    def step(self, action: int, core: int, message: int) -> tuple[LocalOutcome, ...]:
        """The numbered outcomes of an action on a core and a message."""
        try:
            return self._steps[action, core, message]
        except KeyError:
            known = self._steps[action, core, message] = self._evaluate(action, core, message)
            if self.journal is not None:
                self._note(STEP, action, core, message, [local.outcome.events for local in known])
            return known

    def push(self, channel: int, content: int, message: int) -> tuple[tuple[int, Fault | None], ...]:
        """The contents that a push may leave, each with the fault that happened."""
        try:
            return self._pushes[channel, content, message]
        except KeyError:
            sent = self.messages.values[message]
            where = self.system.channels[channel]
            known = self._pushes[channel, content, message] = tuple(
                (self.contents[channel].number(after), Fault(where.name, kind, sent) if kind else None)
                for kind, after in user_code.push_message(where, self.contents[channel].values[content], sent)
            )
            if self.journal is not None:
                self._note(PUSH, channel, content, message, [(fault,) for _, fault in known if fault])
        return known

    def take(self, channel: int, content: int) -> tuple[tuple[int, int, Fault | None], ...]:
        """The (message, rest, fault) alternatives of a reception."""
        try:
            return self._takes[channel, content]
        except KeyError:
            where = self.system.channels[channel]
            known = self._takes[channel, content] = tuple(
                (
                    self.messages.number(message),
                    self.contents[channel].number(rest),
                    Fault(where.name, kind, message) if kind else None,
                )
                for kind, message, rest in user_code.take_message(where, self.contents[channel].values[content])
            )
            if self.journal is not None:
                self._note(TAKE, channel, content, 0, [(fault,) for _, _, fault in known if fault])
        return known

    def fold(self, index: int, memory: int, events: int) -> int:
        """The memory after a tuple of events, of the property of that index in `semantics.with_memory`."""
        try:
            return self._folds[index, memory, events]
        except KeyError:
            prop, value = self.semantics.with_memory[index], self.memories[index].values[memory]
            for event in self.events.values[events]:
                value = user_code.fold_event(prop, value, event)
            known = self._folds[index, memory, events] = self.memories[index].number(value)
            if self.journal is not None:
                self._note(FOLD, index, memory, events)
            return known

    def rank(self, plan: int, local: int) -> tuple[Ranks, int]:
        """The ranks that the strategy gives the outcome of that number under a memory, and its memory after it."""
        try:
            return self._ranks[plan, local]
        except KeyError:
            assert self.strategy is not None
            memory, outcome = self.plans.values[plan], self.locals[local].outcome
            step = self.step_of(self.locals[local])
            ranks = ranks_of(self.strategy, memory, step, outcome)
            after = self.plans.number(user_code.after(self.strategy, memory, step, outcome))
            known = self._ranks[plan, local] = (ranks, after)
            if self.journal is not None:
                self._note(RANK, plan, local)
            return known

    def knows(self, kind: int, one: int, other: int, third: int) -> bool:
        """Whether a question, in the numbers of a `Question`, is answered."""
        if kind == STEP:
            return (one, other, third) in self._steps
        if kind == PUSH:
            return (one, other, third) in self._pushes
        if kind == TAKE:
            return (one, other) in self._takes
        return (one, other, third) in self._folds if kind == FOLD else (one, other) in self._ranks

    def undisturbed(self, channel: int, content: int) -> frozenset[str] | None:
        """The senders whose pushes leave what the channel offers now as it is; empty if it offers nothing."""
        if not self.take(channel, content):
            return frozenset()
        return self.system.channels[channel].discipline.undisturbed(self.contents[channel].values[content])

    def offering(self, channel: int) -> list[int]:
        """The contents of a channel that were met and offer something."""
        return [content for (number, content), offers in self._takes.items() if number == channel and offers]

    def step_of(self, local: LocalOutcome) -> Step:
        """The trace line of a local outcome, without faults."""
        component, action = self.actions[local.action]
        return Step(
            self.system.components[component].name,
            action.name,
            None if local.message == 0 else self.messages.values[local.message],
            local.outcome.choice,
        )

    def events_by_action(self) -> dict[int, set[tuple[Event, ...]]]:
        """The tuples of events that each action emitted, with the faults of messages that it sent or took."""
        results: dict[int, set[tuple[Event, ...]]] = {number: set() for number in range(len(self.actions))}
        for local in self.locals:
            if local.outcome.events:
                results[local.action].add(local.outcome.events)
        dropped = {fault for pushed in self._pushes.values() for _, fault in pushed if fault}
        overtaken = {fault for taken in self._takes.values() for _, _, fault in taken if fault}
        for number, (owner, action) in enumerate(self.actions):
            name = self.system.components[owner].name
            for fault in dropped:
                senders = self.sent[self.semantics.channel_index[fault.channel]][fault.message]
                if fault.channel in action.sends and name in senders:
                    results[number].add((fault,))
            results[number] |= {(fault,) for fault in overtaken if fault.channel == action.take}
        return results

    def _note(self, kind: int, one: int, other: int, third: int = 0, events: Sequence[tuple[Event, ...]] = ()) -> None:
        """Record a question that was answered just now; its events get their numbers with it."""
        assert self.journal is not None
        for each in events:
            self.events.number(each)
        self.journal.asked(kind, one, other, third)

    def _evaluate(self, action: int, core: int, message: int) -> tuple[LocalOutcome, ...]:
        check_limits()  # a step may take long, and a state has many
        number, declared = self.actions[action]
        component = self.system.components[number]
        self.evaluations[number] += 1
        value = self.cores[number].values[core]
        taken = None if message == 0 else self.messages.values[message]
        if self.checked:
            outcomes = user_code.evaluate(component, declared, value, taken, checked=True)
        else:
            hashes = self._hashes[number]
            if core not in hashes:
                hashes[core] = hash(value)
            outcomes = self._calls[action].outcomes(value, hashes[core], taken)
        self.pause()
        try:
            return tuple([self._local(action, number, message, outcome) for outcome in outcomes])
        except TypeError:
            user_code.refuse_unhashable(component, declared, value, taken, outcomes)
            raise

    def _local(self, action: int, component: int, message: int, outcome: Outcome) -> LocalOutcome:
        core = self.cores[component].number(outcome.core)
        own, batches = self._stored(component, outcome) if outcome.sends else _NOTHING_SENT
        local = LocalOutcome(len(self.locals), action, message, core, own, batches, outcome)
        self.locals.append(local)
        return local

    def _stored(self, component: int, outcome: Outcome) -> _Stored:
        """The outcome's messages to the component itself, and the batches of the others."""
        sends = outcome.sends
        alone = None
        if len(sends) == 1:
            alone = component, sends[0][0], self.messages.number(sends[0][1])
            if alone in self._alone:
                return self._alone[alone]
        else:
            sends = tuple(self.semantics.in_storage_order(component, outcome))
        own: list[tuple[int, int]] = []
        others: dict[int, list[tuple[int, int]]] = {}
        for name, sent in sends:
            channel = self.semantics.channel_index[name]
            to, slot = self.slot[channel]
            self.sent[channel].setdefault(sent, set()).add(self.system.components[component].name)
            (own if to == component else others.setdefault(to, [])).append((slot, self.messages.number(sent)))
        batches = [self.batches.number(MessageBatch(to, tuple(items))) for to, items in others.items()]
        stored = tuple(own), tuple(batches)
        if alone is not None:
            self._alone[alone] = stored
        return stored


class MemoSemantics(Semantics):
    """The semantics of a memo's system; a step that the memo knows is not evaluated again."""

    def __init__(self, tables: Memo) -> None:
        super().__init__(tables.system)
        self._tables = tables
        components = tables.system.components
        self._numbers = {(components[owner].name, a.name): n for n, (owner, a) in enumerate(tables.actions)}

    def outcomes(self, component: Component, action: Action, core: Core, message: Message | None) -> Sequence[Outcome]:
        """The outcomes in the memo."""
        tables = self._tables
        known = tables.step(
            self._numbers[component.name, action.name],
            tables.cores[self.index[component.name]].number(core),
            0 if action.take is None else tables.messages.number(message),
        )
        return tuple(local.outcome for local in known)


class _NoMessage:
    """Placeholder for the message of an action that takes none; equal to no user value."""

    def __repr__(self) -> str:
        return "<no message>"


_NO_MESSAGE: Message = _NoMessage()
