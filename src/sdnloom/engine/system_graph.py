"""A System as a Graph whose states are single integers.

A *place* is a component's core together with the contents of its channels. A state has one column per component (its
place), one per property with a memory, and one for a strategy. Each column is a field of the integer and a
*code* is a field's value where it stands, so a state is the sum of its codes, a transition adds a difference, and one
bit operation tells what a search needs to know of every state: the low bits of a field say whether a MUST is enabled,
whether an IDLE is, and whether the property reports something. The rest is a scrambled number: Python hashes integers
almost linearly, and sums of small numbers would collide.

Memos hold the moves of a component by its place, and the change of a reception by the messages and the place.
"""

from collections.abc import Sequence
from itertools import chain
from operator import getitem
from typing import Any, NamedTuple, TypeAlias

from sdnloom.engine import user_code
from sdnloom.engine.graph import Graph
from sdnloom.engine.memo import LocalOutcome, Memo
from sdnloom.engine.model import Fault, Mode, Needs, Property, Step, Strategy, System
from sdnloom.engine.observers import Observation
from sdnloom.engine.reduction.reduced_moves import Plan, ReducedMoves
from sdnloom.engine.reduction.reduction import Reduction
from sdnloom.engine.reduction.state_classes import StateClasses
from sdnloom.engine.semantics import Finding, State
from sdnloom.engine.strategy import Ranking, least, ranks_of
from sdnloom.errors import SdnloomError

_MUST, _IDLE, _REPORTS = 1, 2, 4
_FLAG_BITS, _NUMBER_BITS = 3, 27  # together one digit of a Python integer
_WIDTH = _FLAG_BITS + _NUMBER_BITS
from_iterable = chain.from_iterable
_NOTHING_TAKEN: tuple[tuple[int, int, Fault | None], ...] = ((0, -1, None),)
_AT_EVENTS = (Needs.EVENT, Needs.ORDER)


class Move(NamedTuple):
    """One component's part of a transition: the difference to the state, and the receptions of the other columns."""

    change: int
    received: tuple[tuple[int, "ReceptionMemo"], ...]  # (column, code there -> what it adds to the state)
    local: LocalOutcome


# A move as the hot loop wants it: (change, first column that receives, its memo, the further ones, the Move).
_Fast: TypeAlias = tuple[int, int, "ReceptionMemo | None", tuple[tuple[int, "ReceptionMemo"], ...], Move]


class _Forked(Exception):  # noqa: N818 (not an error)
    """A reception has several alternatives or a fault, so the move is more than one transition."""


class ReceptionMemo(dict[int, int]):
    """Memo of one reception by one column: code before -> what it adds to the state. Filled on demand."""

    def __init__(self, graph: "SystemGraph", column: int, what: Any) -> None:
        super().__init__()
        self.graph, self.column, self.what = graph, column, what

    def alternatives(self, code: int) -> list[tuple[int, tuple[Fault, ...]]]:
        """Every (change, faults) of the reception."""
        return [(after - code, faults) for after, faults in self.graph.receive(self.column, code, self.what)]

    def __missing__(self, code: int) -> int:
        graph, column = self.graph, self.column
        if column < graph.components:
            after = graph.pushed_plainly(column, graph.values[column][code], self.what)
            if after is None:
                raise _Forked
            change = self[code] = graph.code(column, after) - code
        else:
            ((change, _),) = self.alternatives(code)
            self[code] = change
        return change


class MoveMemo(dict[int, tuple[_Fast, ...]]):
    """Memo of the moves of one component: code -> its moves. Filled on demand."""

    def __init__(self, graph: "SystemGraph", component: int, idle: bool) -> None:
        super().__init__()
        self.graph, self.component, self.idle = graph, component, idle

    def __missing__(self, code: int) -> tuple[_Fast, ...]:
        moves = self[code] = self.graph.moves(self.component, code, self.idle)
        return moves


class SystemGraph(Graph[int]):
    """The state space of a system, optionally reduced and narrowed by a strategy."""

    def __init__(self, tables: Memo, reduction: Reduction | None = None, strategy: Strategy | None = None) -> None:
        self.tables = tables
        self.system: System = tables.system
        self.reduction, self.strategy = reduction, strategy
        if reduction is None and strategy is None:
            self.successors = self._all  # type: ignore[method-assign] # one call less in the innermost loop
        self.components = len(self.system.components)
        self._with_memory = tables.semantics.with_memory
        columns = self.components + len(self._with_memory) + (strategy is not None)
        self._memory_columns = range(self.components, self.components + len(self._with_memory))
        self._shifts = [column * _WIDTH for column in range(columns)]
        self._fields = [((1 << _WIDTH) - 1) << shift for shift in self._shifts]
        self._must = sum(_MUST << shift for shift in self._shifts)
        self._idle = sum(_IDLE << shift for shift in self._shifts)
        self._reports = sum(_REPORTS << shift for shift in self._shifts)
        # A column's values by code: (core, contents...) numbers for a component, the memory for the others.
        self.values: list[dict[int, Any]] = [{} for _ in range(columns)]
        self._codes: list[dict[Any, int]] = [{} for _ in range(columns)]
        flags = {Mode.MUST: _MUST, Mode.MAY: 0, Mode.IDLE: _IDLE}
        self._actions: list[list[tuple[int, int, int]]] = [[] for _ in range(self.components)]
        for number, (owner, action) in enumerate(tables.actions):
            self._actions[owner].append((number, tables.taken_slot[number], flags[action.mode]))
        self._active = [MoveMemo(self, component, idle=False) for component in range(self.components)]
        self._waiting = [MoveMemo(self, component, idle=True) for component in range(self.components)]
        self._received_from: dict[int, tuple[tuple[int, ReceptionMemo], ...]] = {}  # by number of the outcome
        self._receptions: dict[tuple[int, Any], ReceptionMemo] = {}
        # With a reduction: the number of the class of each code, and what to explore for each combination of classes.
        self._state_classes = None if reduction is None else StateClasses(tables, reduction)
        self._classed: list[dict[int, int]] = [{} for _ in range(self.components)]
        self._plans: dict[tuple[int, ...], Plan] = {}
        self._steps = [[ReducedMoves(moves) for moves in table] for table in (self._active, self._waiting)]
        self.cycle_proviso = reduction is not None and reduction.cycle_proviso
        self._ranking = None if strategy is None else Ranking(strategy, tables)
        self.checks_states = bool(self.system.properties)
        self._checks = [_PropertyCheck(self, prop) for prop in self.system.properties]
        needs = {prop.needs for prop in self.system.properties}
        self._at_rest = bool(needs & {Needs.QUIESCENT, Needs.SETTLED})
        self._always = Needs.STATE in needs or any(
            prop.needs in _AT_EVENTS and not prop.has_memory for prop in self.system.properties
        )

    @property
    def masks(self) -> list[int]:
        """For each column the bits of a state that are its code."""
        return self._fields

    # Graph

    def initial(self) -> list[int]:
        """The one initial state."""
        places: list[Any] = [
            (core, *(0 for _ in inbox))
            for core, inbox in zip(self.tables.initial_cores, self.tables.inbox, strict=True)
        ]
        memories = [prop.initial for prop in self._with_memory]
        start = [self.strategy.initial] if self.strategy else []
        return [self.state(places + memories + start)]

    def state(self, values: Sequence[Any]) -> int:
        """The state with these values in its columns: (core, contents...) numbers, then memories."""
        return sum(self.code(column, value) for column, value in enumerate(values))

    def successors(self, state: int) -> list[int]:
        """The next states, one per transition that the reduction and the strategy keep."""
        if self.strategy is not None:
            return self._after(state, self._chosen(state)[0])
        kept = self._kept(state)
        return self._all(state) if kept is None else self._subset(state, kept)

    def is_reduced(self, state: int) -> bool:
        """Whether the reduction left out a transition."""
        if self.strategy is not None:
            return bool(self._chosen(state)[1])
        return self._kept(state) is not None

    def remainder(self, state: int) -> list[int]:
        """The next states by transitions that the reduction left out."""
        if self.strategy is not None:
            return self._after(state, self._chosen(state)[1])
        kept = self._kept(state)
        return [] if kept is None else self._subset(state, ~kept)

    def labelled(self, state: int) -> list[tuple[Step, int]]:
        """Every (step, next state), or with a strategy those it keeps, computed by the reference semantics."""
        transitions = self.tables.semantics.transitions(self.value(state))
        if self.strategy is None:
            return [(t.step, self.encode(t.state)) for t in transitions]
        column = len(self.values) - 1
        memory = self.values[column][state & self._fields[column]]
        plain = [t.step._replace(faults=()) for t in transitions]
        ranks = [ranks_of(self.strategy, memory, s, t.outcome) for s, t in zip(plain, transitions, strict=True)]
        return [
            (t.step, self.encode(t.state) + self.code(column, self.strategy.after(memory, step, t.outcome)))
            for t, step, here in zip(transitions, plain, least(ranks), strict=True)
            if here
        ]

    def findings(self, state: int) -> Sequence[Finding]:
        """The properties that report something in the state, in declaration order."""
        if state & self._reports or self._always or (self._at_rest and not state & self._must):
            return [
                Finding(check.prop.name, message)
                for check in self._checks
                if (message := check.message(state)) is not None
            ]
        return ()

    def encode(self, value: State) -> int:
        """The state with these plain values; the strategy's column is left empty."""
        tables = self.tables
        contents = [table.number(content) for table, content in zip(tables.contents, value.contents, strict=True)]
        places = [
            (table.number(core), *(contents[channel] for channel in inbox))
            for table, core, inbox in zip(tables.cores, value.cores, tables.inbox, strict=True)
        ]
        return self.state([*places, *value.memories])

    def memories(self) -> dict[str, list[Any]]:
        """The memories met, by property."""
        return {
            prop.name: list(self._codes[column])
            for prop, column in zip(self._with_memory, self._memory_columns, strict=True)
        }

    def value(self, state: int) -> State:
        """The state in plain values."""
        tables = self.tables
        contents: list[Any] = [None] * len(self.system.channels)
        cores = []
        for component in range(self.components):
            core, *numbers = self.values[component][state & self._fields[component]]
            cores.append(tables.cores[component].values[core])
            for channel, number in zip(tables.inbox[component], numbers, strict=True):
                contents[channel] = tables.contents[channel].values[number]
        memories = [self.values[column][state & self._fields[column]] for column in self._memory_columns]
        return State(tuple(cores), tuple(contents), tuple(memories))

    def columns_of(self, prop: Property) -> set[int]:
        """The columns that a property depends on."""
        columns = self.columns_named(prop.columns)
        if prop.has_memory:
            columns.add(self.components + self.tables.semantics.with_memory.index(prop))
        return columns

    def columns_named(self, names: Sequence[str]) -> set[int]:
        """The columns that hold these components and channels."""
        semantics = self.tables.semantics
        return {
            semantics.index[name] if name in semantics.index else self.tables.slot[semantics.channel_index[name]][0]
            for name in names
        }

    def is_quiescent(self, state: int) -> bool:
        """Whether no MUST is enabled."""
        return not state & self._must

    def is_settled(self, state: int) -> bool:
        """Whether no MUST and no IDLE is enabled."""
        return not state & (self._must | self._idle)

    # Expansion

    def _all(self, state: int) -> list[int]:
        """The next states by every enabled action. This is the hot loop, so most of it runs in C."""
        codes = [*map(state.__and__, self._fields)]
        results: list[int] = []
        append = results.append
        enabled = from_iterable(map(getitem, self._active, codes))
        if not state & self._must:
            enabled = chain(enabled, from_iterable(map(getitem, self._waiting, codes)))
        for change, column, changes, more, move in enabled:
            if changes is None:
                append(state + change)
                continue
            try:
                after = state + change + changes[codes[column]]
                if more:
                    for column, changes in more:
                        after += changes[codes[column]]
            except _Forked:
                results += [branch for branch, _ in self._branches(state, move)]
            else:
                append(after)
        return results

    def awake(self, state: int, asleep: int) -> list[tuple[int, int]]:
        """(next state, its sleep set) for the actions that the reduction keeps and that are not asleep."""
        codes = [*map(state.__and__, self._fields)]
        classes = tuple(map(getitem, self._classed, codes))
        kept, commuting, tables = self._plans.get(classes) or self._plan(state, classes)
        kept &= ~asleep
        results: list[tuple[int, int]] = []
        last, sleeping = -1, asleep  # the previous action; the sleep set so far, of which the part that commutes stays
        after_it = 0
        for component, steps in tables:
            for bit, action, change, received, move in steps[codes[component]]:
                if not bit & kept:
                    continue
                if action != last:
                    if last >= 0:
                        sleeping |= 1 << last
                    last = action
                    after_it = sleeping & commuting[action]
                after = state + change
                try:
                    for column, changes in received:
                        after += changes[codes[column]]
                except _Forked:
                    results += [(branch, after_it) for branch, _ in self._branches(state, move)]
                else:
                    results.append((after, after_it))
        return results

    def _plan(self, state: int, numbers: tuple[int, ...]) -> "Plan":
        """What to explore in a state whose places have these classes, which say what is enabled."""
        assert self._state_classes is not None
        kept, commuting = self.kept(numbers), self.commuting(numbers)
        every = -1 if kept is None else kept
        enabled = self._state_classes.enabled(numbers)
        tables = self._steps[:1] if state & self._must else self._steps
        steps = [
            (component, steps)
            for table in tables
            for component, steps in enumerate(table)
            if any(every & enabled & 1 << action for action, _, _ in self._actions[component])
        ]
        plan = self._plans[numbers] = Plan(every, commuting, tuple(steps))
        return plan

    def _subset(self, state: int, kept: int) -> list[int]:
        """The next states by the actions in the bit set `kept`."""
        return [
            after
            for move in self._enabled(state)
            if kept >> move.local.action & 1
            for after, _ in self._branches(state, move)
        ]

    def _enabled(self, state: int) -> list[Move]:
        tables = (self._active,) if state & self._must else (self._active, self._waiting)
        return [
            fast[4]
            for table in tables
            for moves, field in zip(table, self._fields)  # noqa: B905 (only components move)
            for fast in moves[state & field]
        ]

    def _branches(self, state: int, move: Move) -> list[tuple[int, tuple[Fault, ...]]]:
        """Every (next state, faults of sending) of a move: the product of the receivers' alternatives."""
        after = state + move.change
        try:
            for column, changes in move.received:
                after += changes[state & self._fields[column]]
        except _Forked:
            reached: list[tuple[int, tuple[Fault, ...]]] = [(state + move.change, ())]
            for column, changes in move.received:
                reached = [
                    (before + change, faults + more)
                    for before, faults in reached
                    for change, more in changes.alternatives(state & self._fields[column])
                ]
            return [(self._fold_faults(after, faults), faults) for after, faults in reached]
        return [(after, ())]

    def _fold_faults(self, state: int, faults: tuple[Fault, ...]) -> int:
        if faults:
            for column in self._memory_columns:
                state += self._reception(column, faults)[state & self._fields[column]]
        return state

    # Filling the memos

    def code(self, column: int, value: Any) -> int:
        """The code of a column's value, a new one if it is new."""
        known = self._codes[column].get(value)
        if known is None:
            if column < self.components:
                flags = self._place_flags(column, value)
            elif column in self._memory_columns:
                flags = self._memory_flags(self._with_memory[column - self.components], value)
            else:
                flags = 0
            number = len(self._codes[column])
            if number >> _NUMBER_BITS:
                raise SdnloomError(f"more than {number:,} different places of one component; set a limit on states")
            known = self._codes[column][value] = (_scramble(number) << _FLAG_BITS | flags) << self._shifts[column]
            self.values[column][known] = value
            if self.reduction is not None and column < self.components:
                self._classed[column][known] = self.class_of(column, value)
        return known

    def moves(self, component: int, code: int, idle: bool) -> tuple[_Fast, ...]:
        """The moves of a component from a place, in canonical order."""
        place = self.values[component][code]
        tables = self.tables
        results: list[_Fast] = []
        for action, slot, flag in self._actions[component]:
            if (flag == _IDLE) != idle:
                continue
            for message, rest, fault in self._offers(component, slot, place):
                left = [*place]
                if slot >= 0:
                    left[slot + 1] = rest
                faults = (fault,) if fault else ()
                for local in tables.step(action, place[0], message):
                    left[0] = local.core
                    plain = None if faults else self.pushed_plainly(component, left, local.own)
                    ways = self._pushed(component, left, local.own) if plain is None else [(plain, ())]
                    for after, own_faults in ways:
                        # Faults in what a component sends itself fold with the events.
                        received = self._received(local, faults + own_faults)
                        change = self.code(component, after) - code
                        column, changes = received[0] if received else (-1, None)
                        results.append((change, column, changes, received[1:], Move(change, received, local)))
        return tuple(results)

    def _offers(self, component: int, slot: int, place: Sequence[int]) -> tuple[tuple[int, int, Fault | None], ...]:
        """What a channel at a place offers: (message, rest, fault). Slot -1 is an action that takes no message."""
        if slot < 0:
            return _NOTHING_TAKEN
        return self.tables.take(self.tables.inbox[component][slot], place[slot + 1])

    def _received(self, local: LocalOutcome, faults: tuple[Fault, ...]) -> tuple[tuple[int, ReceptionMemo], ...]:
        """The receptions of an outcome by the columns other than the component's own."""
        known = None if faults else self._received_from.get(local.number)
        if known is None:
            batches = self.tables.batches.values
            received = [(batches[number].to, self._reception(*batches[number])) for number in local.batches]
            events = local.outcome.events + faults
            if events:
                received += [(column, self._reception(column, events)) for column in self._memory_columns]
            known = tuple(received)
            if not faults:
                self._received_from[local.number] = known
        return known

    def pushed_plainly(
        self, component: int, place: Sequence[int], items: tuple[tuple[int, int], ...]
    ) -> tuple[int, ...] | None:
        """The place after receiving the (slot, message) items, None if there are alternatives or faults."""
        if not items:
            return tuple(place)
        inbox, push = self.tables.inbox[component], self.tables.push
        after = [*place]
        for slot, message in items:
            alternatives = push(inbox[slot], after[slot + 1], message)
            if len(alternatives) > 1 or alternatives[0][1]:
                return None
            after[slot + 1] = alternatives[0][0]
        return tuple(after)

    def _pushed(
        self, component: int, place: Sequence[int], items: tuple[tuple[int, int], ...]
    ) -> list[tuple[tuple[int, ...], tuple[Fault, ...]]]:
        """Every place that receiving the (slot, message) items may give, with the faults."""
        inbox, push = self.tables.inbox[component], self.tables.push
        reached: list[tuple[list[int], tuple[Fault, ...]]] = [([*place], ())]
        for slot, message in items:
            channel = inbox[slot]
            forked: list[tuple[list[int], tuple[Fault, ...]]] = []
            for before, faults in reached:
                alternatives = push(channel, before[slot + 1], message)
                for content, fault in alternatives:
                    after = before if len(alternatives) == 1 else before.copy()  # usually there is one
                    after[slot + 1] = content
                    forked.append((after, (*faults, fault) if fault else faults))
            reached = forked
        return [(tuple(after), faults) for after, faults in reached]

    def _reception(self, column: int, what: Any) -> ReceptionMemo:
        known = self._receptions.get((column, what))
        if known is None:
            known = self._receptions[column, what] = ReceptionMemo(self, column, what)
        return known

    def receive(self, column: int, code: int, what: Any) -> list[tuple[int, tuple[Fault, ...]]]:
        """Every (code, faults) after a column received a batch's items or a transition's events."""
        value = self.values[column][code]
        if column < self.components:
            return [(self.code(column, place), faults) for place, faults in self._pushed(column, value, what)]
        prop = self._with_memory[column - self.components]
        for event in what:
            value = user_code.fold_event(prop, value, event)
        return [(self.code(column, value), ())]

    def _place_flags(self, component: int, place: tuple[int, ...]) -> int:
        """The modes that are enabled at a place, as flags."""
        flags = 0
        for action, slot, flag in self._actions[component]:
            if flag and any(self.tables.step(action, place[0], m) for m, _, _ in self._offers(component, slot, place)):
                flags |= flag
        return flags

    def class_of(self, component: int, place: tuple[int, ...]) -> int:
        """The number of a place's class."""
        assert self._state_classes is not None
        return self._state_classes.class_of(component, place)

    def commuting(self, numbers: tuple[int, ...]) -> list[int]:
        """For each action, those that commute with it where the places have these classes."""
        assert self._state_classes is not None
        return self._state_classes.commuting(numbers)

    def kept(self, numbers: tuple[int, ...]) -> int | None:
        """The bit set of actions that the reduction keeps where the places have these classes, None for all."""
        assert self._state_classes is not None
        return self._state_classes.kept(numbers)

    def _memory_flags(self, prop: Property, memory: Any) -> int:
        if prop.needs not in _AT_EVENTS:
            return 0
        return 0 if user_code.violated(prop, memory, {}) is None else _REPORTS

    # Reduction and strategy

    def _kept(self, state: int) -> int | None:
        """The bit set of actions that the reduction keeps, None where it keeps all."""
        if self.reduction is None:
            return None
        return self.kept(tuple(map(getitem, self._classed, map(state.__and__, self._fields))))

    def _chosen(self, state: int) -> tuple[list[tuple[Move, int]], list[tuple[Move, int]]]:
        """The moves that strategy and reduction choose, and those that only the strategy would.

        Each with the change of the strategy's memory.
        """
        assert self._ranking is not None
        code = state & self._fields[-1]
        memory, column = self.values[-1][code], len(self.values) - 1
        moves = self._enabled(state)
        ranked = [self._ranking.of(memory, move.local) for move in moves]
        left = least([ranks for ranks, _ in ranked])
        changed = [(move, self.code(column, after) - code) for move, (_, after) in zip(moves, ranked, strict=True)]
        kept = self._kept(state)
        within = [kept is None or bool(kept >> move.local.action & 1) for move in moves]
        if any(inside and not here for inside, here in zip(within, left, strict=True)):
            within = left
        return (
            [one for one, inside, here in zip(changed, within, left, strict=True) if here and inside],
            [one for one, inside, here in zip(changed, within, left, strict=True) if here and not inside],
        )

    def _after(self, state: int, moves: list[tuple[Move, int]]) -> list[int]:
        """The next states by these moves."""
        return [after + change for move, change in moves for after, _ in self._branches(state, move)]


class _PropertyCheck:
    """A property with a memo of its messages, by the columns that it reads."""

    def __init__(self, graph: SystemGraph, prop: Property) -> None:
        self.graph, self.prop = graph, prop
        self.field = sum(graph._fields[column] for column in graph.columns_of(prop))
        self.answers: dict[int, str | None] = {}

    def message(self, state: int) -> str | None:
        """The property's message in a state, None for nothing."""
        needs = self.prop.needs
        if needs is Needs.QUIESCENT and not self.graph.is_quiescent(state):
            return None
        if needs is Needs.SETTLED and not self.graph.is_settled(state):
            return None
        key = state & self.field
        if key not in self.answers:
            semantics, value = self.graph.tables.semantics, self.graph.value(state)
            self.answers[key] = user_code.violated(
                self.prop, semantics.memory(self.prop, value), semantics.columns(self.prop, value)
            )
        return self.answers[key]


class StateObserver:
    """Passes states to an observer, once for each combination of places."""

    def __init__(self, graph: SystemGraph, observation: Observation) -> None:
        self.graph, self.observation = graph, observation
        self.field = sum(graph._fields[column] for column in graph.columns_named(observation.observer.columns))
        self._passed: set[int] = set()

    def observe(self, state: int) -> None:
        """Pass the state on."""
        if self.observation.observer.quiescent and not self.graph.is_quiescent(state):
            return
        key = state & self.field
        if key not in self._passed:
            self._passed.add(key)
            self.observation.observe(self.graph.value(state))


def _scramble(number: int) -> int:
    """A bijection on numbers that spreads small ones over all bits."""
    mask = (1 << _NUMBER_BITS) - 1
    number = (number ^ number >> 13) * 0x5EBCA6B & mask
    number = (number ^ number >> 14) * 0x2B2AE35 & mask
    return number ^ number >> 13
