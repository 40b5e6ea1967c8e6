"""Executions against an oracle that runs every order and sorts the runs into traces."""

import random
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from functools import cache
from typing import Any, NamedTuple

import pytest

from sdnloom.engine.disciplines import Bag, BarrierBag, Fifo, Lossy, Ports, Reorder
from sdnloom.engine.executions.dependence import DeclaredDependence, Dependence
from sdnloom.engine.executions.search import ExecutionRules, Executions, ExecutionSearch, executions
from sdnloom.engine.model import (
    ALL,
    NO_FAULT,
    Action,
    Channel,
    Component,
    Mode,
    ModelError,
    Needs,
    Outcome,
    Property,
    System,
)
from sdnloom.engine.path import Path, replay
from sdnloom.engine.reduction.stubborn_sets import ReductionRefused
from sdnloom.engine.result import Limits
from sdnloom.engine.semantics import Semantics, State, Transition

# The oracle.


class TooMany(Exception):  # noqa: N818 (no error: a reason to skip)
    """The system has too many executions to run them all."""


def every_execution(semantics: Semantics, most: int) -> Iterator[list[Transition]]:
    """Every maximal sequence of steps, in every order."""
    path: list[Transition] = []
    runs = 0

    def extend(state: State) -> Iterator[list[Transition]]:
        nonlocal runs
        following = semantics.transitions(state)
        if not following:
            runs += 1
            if runs > most:
                raise TooMany
            yield list(path)
        for transition in following:
            path.append(transition)
            yield from extend(transition.state)
            path.pop()

    return extend(semantics.initial())


def foata(dependence: Dependence, run: Sequence[Transition]) -> Hashable:
    """The trace of a run: each step on the first level after all that it depends on."""
    levels: list[int] = []
    letters = [(transition.step, dependence.done(transition)) for transition in run]
    for place, transition in enumerate(run):
        level = 0
        for earlier in range(place):
            if (
                letters[earlier] == letters[place]
                or Mode.IDLE in (transition.action.mode, run[earlier].action.mode)
                or dependence.conflict(letters[earlier][1], letters[place][1])
            ):
                level = max(level, levels[earlier] + 1)
        levels.append(level)
    return frozenset(Counter(zip(levels, letters, strict=True)).items())


def traces(system: System, most: int = 100_000, dependence: Dependence | None = None) -> dict[Hashable, State]:
    """The traces of a system with the state in which each ends."""
    dependence = dependence or DeclaredDependence(system)
    semantics = Semantics(system)
    found: dict[Hashable, State] = {}
    for run in every_execution(semantics, most):
        last = run[-1].state if run else semantics.initial()
        assert found.setdefault(foata(dependence, run), last) == last, "the dependence is not truthful"
    return found


def explored(system: System, **options: Any) -> tuple[Executions, list[Path]]:
    exploration = ExecutionSearch(system, **options)
    paths = list(exploration.paths())
    return exploration.result(), paths


def check(system: System, most: int = 100_000, dependence: Dependence | None = None) -> Executions:
    """The result, compared in every respect with the oracle."""
    expected = traces(system, most, dependence)
    result, paths = explored(system, dependence=dependence)
    semantics = Semantics(system)
    met = [foata(dependence or DeclaredDependence(system), replay(semantics, path)) for path in paths]
    assert set(met) == set(expected)
    assert result.count == len(paths) == len(expected)
    assert result.final_states == set(expected.values())
    assert result.complete
    return result


# Random systems. A core is the tuple of its cells, so what a step touches is known exactly.


class Effect(NamedTuple):
    """cells[target] := cells[source] + add, or := the message + add."""

    target: int
    source: int | None
    add: int


class Behaviour(NamedTuple):
    """The effect of a step if its guard holds, and the cells of the guard."""

    guard: tuple[tuple[int, int], ...]  # (cell, the value it must have)
    effects: tuple[Effect, ...]
    sends: tuple[tuple[str, int | None, int], ...]  # (channel, cell, add)

    def reads(self) -> set[int]:
        cells = {cell for cell, _ in self.guard} | {e.source for e in self.effects if e.source is not None}
        return cells | {cell for _, cell, _ in self.sends if cell is not None}

    def writes(self) -> set[int]:
        return {effect.target for effect in self.effects}


def number(message: Any) -> int:
    """A number for any message: Ports gives several (port, payload) at once."""
    if isinstance(message, tuple):
        return sum(payload + 2 * place for place, (_, payload) in enumerate(message))
    return message or 0


class Program(NamedTuple):
    """A step: one or several behaviours to choose from, taken when `turn` has its value, which it then adds one to."""

    name: str
    turn: int
    at: int
    behaviours: tuple[Behaviour, ...]
    refuses: int | None  # messages it does not take
    by_cell: int | None  # a cell whose value chooses the behaviour; None: any may happen
    tells: bool  # whether it reports what it touched
    ports: dict[str, int]  # the port on which the component sends, for the channels that want one

    def step(self, cells: tuple[int, ...], message: Any) -> list[Outcome]:
        value = number(message)
        if cells[self.turn] != self.at or value == self.refuses:
            return []
        chosen = list(enumerate(self.behaviours))
        if self.by_cell is not None:
            chosen = [chosen[cells[self.by_cell] % len(chosen)]]
        return [
            self.outcome(cells, value, behaviour, str(place) if self.by_cell is None else "")
            for place, behaviour in chosen
            if all(cells[cell] == wanted for cell, wanted in behaviour.guard)
        ]

    def outcome(self, cells: tuple[int, ...], value: int, behaviour: Behaviour, choice: str) -> Outcome:
        after = list(cells)
        for target, source, add in behaviour.effects:
            after[target] = ((value if source is None else cells[source]) + add) % 3
        after[self.turn] = cells[self.turn] + 1
        sends = []
        for channel, cell, add in behaviour.sends:
            payload = ((value if cell is None else cells[cell]) + add) % 3
            sends.append((channel, (self.ports[channel], payload) if channel in self.ports else payload))
        reads = {self.turn} | behaviour.reads() | ({self.by_cell} if self.by_cell is not None else set())
        writes = {self.turn} | behaviour.writes()
        told = (frozenset(reads), frozenset(writes)) if self.tells else (None, None)
        return Outcome(tuple(after), tuple(sends), ((self.name, choice),), *told, choice=choice)

    def declared(self) -> tuple[frozenset[int], frozenset[int]]:
        reads = {self.turn} | ({self.by_cell} if self.by_cell is not None else set())
        reads = reads.union(*(behaviour.reads() for behaviour in self.behaviours))
        return frozenset(reads), frozenset({self.turn}.union(*(b.writes() for b in self.behaviours)))


DISCIPLINES: tuple[Callable[[], Any], ...] = (
    Fifo,
    Fifo,
    Bag,
    Bag,
    Ports,
    lambda: Lossy(drop=1),
    lambda: Lossy(duplicate=1, inner=Bag()),
    lambda: Reorder(1),
    lambda: BarrierBag(lambda message: message == 2),
)


def random_system(rng: random.Random) -> System:
    names = [f"C{n}" for n in range(rng.choice((1, 1, 2, 3)))]
    channels = tuple(
        Channel(f"ch{n}", rng.choice(names), rng.choice(DISCIPLINES)()) for n in range(rng.choice((0, 0, 1, 1, 2)))
    )
    ports = {channel.name for channel in channels if isinstance(channel.discipline, Ports)}
    shared = rng.choice((1, 2, 3))  # cells that the processes of a component share
    events = rng.choice((3, 4, 5, 5, 6))
    idle = rng.random() < 0.15
    components = []
    for place, name in enumerate(names):
        inbox = [channel.name for channel in channels if channel.to == name]
        processes = rng.randint(1, 3)
        actions = []
        for n in range(events // len(names) + 1):
            process = rng.randrange(processes) if rng.random() < 0.5 else processes + n
            turn = shared + process
            program = random_program(rng, turn, shared, [channel.name for channel in channels], bool(inbox))
            program = program._replace(at=rng.choice((0, 0, 0, 1)) if turn < shared + processes else 0)
            program = program._replace(name=f"{name} a{n}", ports=dict.fromkeys(ports, place))
            reads, writes = program.declared()
            take = rng.choice(inbox) if inbox and rng.random() < 0.6 else None
            mode = rng.choices((Mode.MUST, Mode.MAY, Mode.IDLE), (6, 3, 2 if idle else 0))[0]
            sends = frozenset(channel for b in program.behaviours for channel, _, _ in b.sends)
            actions.append(Action(f"a{n}", program.step, take, sends, reads, writes, mode))
        components.append(Component(name, (0,) * (shared + processes + len(actions)), tuple(actions)))
    return System(tuple(components), channels, random_properties(rng, components))


def random_program(rng: random.Random, turn: int, shared: int, channels: list[str], receives: bool) -> Program:
    def cell() -> int:
        return rng.randrange(shared)

    def behaviour() -> Behaviour:
        guard = tuple((cell(), rng.choice((0, 1, 1, 2))) for _ in range(rng.choice((0, 0, 1, 1, 2))))
        effects = [
            Effect(cell(), rng.choice((cell(), None)), rng.randint(0, 2)) for _ in range(rng.choice((0, 1, 1, 2)))
        ]
        sends = [
            (rng.choice(channels), rng.choice((cell(), None)), rng.randint(0, 2))
            for _ in range(rng.choice((0, 1, 1, 2)) if channels else 0)
        ]
        return Behaviour(guard, tuple(effects), tuple(sends))

    behaviours = tuple(behaviour() for _ in range(rng.choice((1, 1, 1, 2))))
    refuses = rng.randrange(3) if receives and rng.random() < 0.2 else None
    by_cell = cell() if rng.random() < 0.5 else None
    return Program("", turn, 0, behaviours, refuses, by_cell, rng.random() < 0.5, {})


def random_properties(rng: random.Random, components: Sequence[Component]) -> tuple[Property, ...]:
    if rng.random() < 0.8:
        return ()
    pairs = [(component.name, action.name) for component in components for action in component.actions]
    watched = frozenset(rng.sample(pairs, min(3, len(pairs))))
    names = {" ".join(pair) for pair in watched}

    def fold(memory: tuple[Any, ...], event: Any) -> tuple[Any, ...]:
        return (*memory, event) if event[0] in names else memory

    return (Property("order", Needs.ORDER, lambda memory, columns: None, watched, fold, ()),)


# Textbook programs: threads over one memory, whose accesses are recorded as they happen.


class Memory:
    """The cells of a core during one step, with those that were read and written."""

    def __init__(self, cells: tuple[tuple[str, Any], ...]) -> None:
        self.cells = dict(cells)
        self.reads: set[str] = set()
        self.writes: set[str] = set()

    def __getitem__(self, cell: str) -> Any:
        self.reads.add(cell)
        return self.cells[cell]

    def __setitem__(self, cell: str, value: Any) -> None:
        self.writes.add(cell)
        self.cells[cell] = value


Statement = Callable[[Memory], Any]  # False: it waits; a number: the statement to go on with; else the next one


def threads(cells: dict[str, Any], declared: dict[str, set[str]] | None = None, **programs: Any) -> System:
    """Each program runs its statements in order. The cells they touch are reported and, on request, declared."""

    def step(thread: str) -> Callable[[Any, Any], list[Outcome]]:
        def run(core: tuple[tuple[str, Any], ...], message: None) -> list[Outcome]:
            memory = Memory(core)
            at = memory[f"at {thread}"]
            if at == len(programs[thread]):
                return []
            following = programs[thread][at](memory)
            if following is False:
                return []
            memory[f"at {thread}"] = at + 1 if following is None else following
            after = tuple(sorted(memory.cells.items()))
            return [Outcome(after, (), (), frozenset(memory.reads), frozenset(memory.writes))]

        return run

    core = tuple(sorted((cells | {f"at {thread}": 0 for thread in programs}).items()))
    actions = []
    for thread in programs:
        touched = frozenset(declared[thread] | {f"at {thread}"}) if declared is not None else ALL
        actions.append(Action(thread, step(thread), reads=touched, writes=touched))
    return System((Component("memory", core, tuple(actions)),))


def write(cell: str, value: Any) -> Statement:
    return lambda memory: memory.__setitem__(cell, value)


def read(cell: str) -> Statement:
    def run(memory: Memory) -> None:
        memory[cell]

    return run


def wait_for(cell: str, value: Any) -> Statement:
    return lambda memory: None if memory[cell] == value else False


def lastzero(n: int, declare: bool = True) -> System:
    """One thread looks for the last zero of an array, the others each write one more than their left neighbour."""

    def load(place: int) -> Statement:
        return lambda memory: memory.__setitem__(f"local {place}", memory[f"array {place - 1}"] + 1)

    def store(place: int) -> Statement:
        return lambda memory: memory.__setitem__(f"array {place}", memory[f"local {place}"])

    def look(place: int) -> Statement:
        return lambda memory: n + 1 if memory[f"array {place}"] == 0 else None

    cells = {f"{kind} {place}": 0 for kind in ("array", "local") for place in range(n + 1)}
    fillers = {f"filler {place}": [load(place), store(place)] for place in range(1, n + 1)}
    declared = {
        f"filler {place}": {f"array {place - 1}", f"array {place}", f"local {place}"} for place in range(1, n + 1)
    }
    declared["seeker"] = {f"array {place}" for place in range(n + 1)}
    seeker = [look(place) for place in range(n, -1, -1)]
    return threads(cells, declared if declare else None, seeker=seeker, **fillers)


def indexer(n: int) -> System:
    """Each thread puts four values into a hash table by compare and swap, and on failure tries the next slot."""

    def swap(thread: int, turn: int) -> Statement:
        value = (turn + 1) * 11 + thread

        def run(memory: Memory) -> int | None:
            place = memory[f"place {thread}"]
            place = (value * 7) % 128 if place is None else place
            cell = f"table {place}"
            taken = memory[cell]
            memory[cell] = taken or value
            memory[f"place {thread}"] = (place + 1) % 128 if taken else None
            return turn if taken else None

        return run

    cells = {f"table {place}": 0 for place in range(128)} | {f"place {thread}": None for thread in range(n)}
    programs = {f"t{thread}": [swap(thread, turn) for turn in range(4)] for thread in range(n)}
    declared = {
        f"t{thread}": {f"place {thread}"}
        | {f"table {((turn + 1) * 11 + thread) * 7 % 128 + tries}" for turn in range(4) for tries in range(2)}
        for thread in range(n)
    }
    return threads(cells, declared, **programs)


# Claims.


@pytest.mark.slow
def test_random_systems_have_one_execution_for_each_trace_and_the_same_final_states():
    checked = nontrivial = blocked = counted = 0
    for seed in range(2_250):
        try:
            result = check(random_system(random.Random(seed)), most=80)
        except TooMany:
            continue
        checked += 1
        nontrivial += result.count > 1
        counted += result.count
        blocked += result.blocked
    assert checked >= 2_000
    assert nontrivial >= 1_000
    assert blocked * 20 < counted  # lost effort, not lost traces: it stays a small part


@cache
def count_of(seed: int) -> int | None:
    """How many executions the random system of a seed has; None if there are too many."""
    result, _ = explored(random_system(random.Random(seed)), limits=Limits(states=2_000))
    return result.count if result.complete else None


@pytest.mark.slow
@pytest.mark.parametrize("rule", ["race", "lost", "waiting"])
def test_leaving_out_a_rule_misses_traces_of_random_systems(rule):
    short = 0
    for seed in range(300):
        count = count_of(seed)
        if count is not None:
            mutant, _ = explored(random_system(random.Random(seed)), rules=ExecutionRules(**{rule: False}))
            assert mutant.count <= count
            short += mutant.count < count
    assert short >= 2


def test_the_cautious_answer_of_the_waiting_rule_loses_no_trace(monkeypatch):
    monkeypatch.setattr("sdnloom.engine.executions.search._MOST_CAUSES", -1)
    for seed in range(150):
        try:
            check(random_system(random.Random(seed)), most=120)
        except TooMany:
            continue


@pytest.mark.parametrize(("n", "count"), [(1, 1), (2, 2), (3, 6), (4, 24), (5, 120)])
def test_writers_of_one_cell_come_in_every_order(n, count):
    result = executions(threads({"x": 0}, **{f"w{k}": [write("x", k)] for k in range(n)}))
    assert (result.count, result.blocked) == (count, 0)


def test_independent_threads_have_one_execution():
    programs = {f"t{k}": [write(f"x{k}", 1), write(f"x{k}", 2)] for k in range(4)}
    declared = {f"t{k}": {f"x{k}"} for k in range(4)}
    result = executions(threads({f"x{k}": 0 for k in range(4)}, declared, **programs))
    assert (result.count, result.blocked, result.transitions) == (1, 0, 8)


@pytest.mark.parametrize(("n", "count"), [(1, 2), (2, 4), (3, 8), (6, 64)])
def test_each_reader_comes_before_or_after_the_writer(n, count):
    readers = {f"r{k}": [read("x")] for k in range(n)}
    declared = {f"r{k}": {"x"} for k in range(n)} | {"writer": {"x"}}
    result = executions(threads({"x": 0}, declared, writer=[write("x", 1)], **readers))
    assert (result.count, result.blocked) == (count, 0)


@pytest.mark.parametrize(("n", "count"), [(1, 2), (2, 5), (3, 12), (4, 28), (5, 64)])
def test_lastzero_has_its_known_number_of_traces(n, count):
    result = executions(lastzero(n)) if n > 2 else check(lastzero(n))
    assert result.count == count == (n + 3) * 2**n // 4


def test_declarations_change_the_effort_but_not_the_count():
    declared, reported = executions(lastzero(4)), executions(lastzero(4, declare=False))
    assert (declared.count, declared.final_states) == (reported.count, reported.final_states)


@pytest.mark.slow
@pytest.mark.parametrize(("n", "count"), [(11, 1), (12, 8), (13, 64)])
def test_each_collision_of_the_indexer_doubles_the_traces(n, count):
    result = executions(indexer(n))
    assert (result.count, result.blocked) == (count, 0)  # from the twelfth thread on, each has three collisions


TEXTBOOK = ExecutionRules(lost=False, waiting=False)


def test_textbook_rules_miss_the_wait_that_a_later_writer_ends():
    system = threads({"x": 0}, one=[write("x", 1)], two=[write("x", 2)], waiter=[wait_for("x", 1)])
    assert check(system).count == 3  # one waiter two / one two / two one waiter
    assert explored(system, rules=TEXTBOOK)[0].count == 2


def test_textbook_rules_miss_the_wait_that_needs_one_writer_without_the_other():
    def both(memory: Memory) -> bool | None:
        return None if memory["a"] == 1 and memory["b"] == 0 else False

    system = threads({"a": 0, "b": 0}, hinder=[write("b", 1)], help=[write("a", 1)], waiter=[both])
    assert check(system).count == 2  # hinder help / help waiter hinder
    assert explored(system, rules=ExecutionRules(waiting=False))[0].count == 1


def test_a_wait_for_a_count_is_compared_with_every_earlier_writer():
    def add(memory: Memory) -> None:
        memory["x"] = memory["x"] + 1

    waiter = [lambda memory: None if memory["x"] >= 2 else False]
    system = threads({"x": 0}, a=[add], b=[add], c=[add], waiter=waiter)
    assert check(system).count == 12  # 3! orders of the writers, the waiter after the second or the third


def test_executions_without_declared_cells_match_the_oracle():
    rng = random.Random(7)
    for _ in range(60):
        programs = {}
        for thread in range(3):
            statements = []
            for _ in range(rng.randint(1, 2)):
                cell, value = rng.choice("xy"), rng.randint(0, 2)
                statements.append(rng.choice((write(cell, value), read(cell), wait_for(cell, value))))
            programs[f"t{thread}"] = statements
        check(threads({"x": 0, "y": 0}, **programs))


def choosing(*outcomes: Outcome, mode: Mode = Mode.MUST, name: str = "go", **declared: Any) -> Action:
    return Action(name, lambda core, message: list(outcomes) if core == 0 else [], mode=mode, **declared)


def test_each_outcome_and_each_fault_is_an_execution():
    one = Component("A", 0, (choosing(Outcome(1, choice="a"), Outcome(2, choice="b")),))
    assert check(System((one,))).count == 2
    sender = Component("A", 0, (choosing(Outcome(1, (("c", "m"),)), sends=frozenset({"c"})),))
    taker = Component("B", 0, (Action("take", lambda core, message: [Outcome(core + 1)], "c"),))
    for drop, duplicate, count in ((0, 0, 1), (1, 0, 2), (1, 1, 3)):
        system = System((sender, taker), (Channel("c", "B", Lossy(drop, duplicate)),))
        assert check(system).count == count


def test_faults_that_share_a_budget_are_ordered():
    senders = [Component(name, 0, (choosing(Outcome(1, (("c", name),)), sends=frozenset({"c"})),)) for name in "AB"]
    system = System((*senders, Component("C", 0, ())), (Channel("c", "C", Lossy(1, 0, Bag())),))
    result = check(system)
    # Senders that share a budget never count as independent: two orders without a fault, and with one either
    # message may be lost, before or after the other is sent.
    assert (result.count, len(result.final_states)) == (6, 3)


def test_a_may_action_is_an_event_like_any_other():
    parts = [
        Component(name, 0, (choosing(Outcome(1), mode=mode),)) for name, mode in (("A", Mode.MUST), ("B", Mode.MAY))
    ]
    result, paths = explored(System(tuple(parts)))
    assert (result.count, len(paths[0])) == (1, 2)


def test_an_idle_action_comes_only_when_nothing_must_happen():
    must = Component("A", 0, (choosing(Outcome(1)),))
    idle = Component("B", 0, (choosing(Outcome(1), mode=Mode.IDLE),))
    may = Component("C", 0, (choosing(Outcome(1), mode=Mode.MAY),))
    assert check(System((must, idle))).count == 1
    assert check(System((idle, may))).count == 2
    assert check(System((must, idle, may))).count == 2


def test_an_order_property_makes_what_it_watches_dependent():
    parts = [Component(name, 0, (choosing(Outcome(1, (), (name,))),)) for name in "ABC"]
    watched = frozenset({("A", "go"), ("B", "go")})

    def fold(memory: str, event: str) -> str:
        return memory + event if event in "AB" else memory

    prop = Property("first A", Needs.ORDER, lambda memory, columns: None, watched, fold, "")
    result = check(System(tuple(parts), (), (prop,)))
    assert {state.memories for state in result.final_states} == {("AB",), ("BA",)}
    assert result.count == 2


class Messages(DeclaredDependence):
    """A finer dependence: a bag lets different messages be sent and taken in any order."""

    def done(self, transition: Transition) -> Any:
        taken = None if transition.action.take is None else transition.step.message
        return (super().done(transition), taken, transition.outcome.sends)

    def possible(self, component: Component, action: Action) -> Any:
        return (super().possible(component, action), None, None)

    def awaited(self, component: Component, action: Action) -> Any:
        return (super().awaited(component, action), None, None)

    def conflict(self, one: Any, other: Any) -> bool:
        if one[2] is None or other[2] is None or one[0].component == other[0].component:
            return super().conflict(one[0], other[0])
        return any(send == ("c", a[1]) for a, b in ((one, other), (other, one)) for send in b[2])


def test_a_finer_dependence_can_be_plugged_in():
    senders = [Component(name, 0, (choosing(Outcome(1, (("c", name),)), sends=frozenset({"c"})),)) for name in "AB"]
    taker = Component("C", "", (Action("take", lambda core, message: [Outcome(core + message)], "c"),))
    system = System((*senders, taker), (Channel("c", "C", Bag()),))
    assert check(system).count == 4  # received at once or after both were sent, in either order
    assert check(system, dependence=Messages(system)).count == 2


def test_iteration_over_paths_is_lazy_and_says_so():
    exploration = ExecutionSearch(threads({"x": 0}, **{f"w{k}": [write("x", k)] for k in range(8)}))
    paths = exploration.paths()
    assert next(paths) != next(paths)
    result = exploration.result()
    assert (result.count, result.incomplete) == (2, "not every path was asked for")


def test_a_system_that_does_nothing_has_one_empty_execution():
    result, paths = explored(System((Component("A", 0, ()),)))
    assert (result.count, paths, result.transitions) == (1, [Path()], 0)


def test_executions_that_need_not_end_are_reported_as_such():
    system = System((Component("A", 0, (Action("flip", lambda core, message: [Outcome(1 - core)]),)),))
    result = executions(system)
    assert (result.count, result.complete) == (0, False)
    assert result.incomplete is not None
    assert "A: flip, step 2 of a path, leads back to a state" in result.incomplete


@pytest.mark.parametrize(
    ("limits", "reason"),
    [
        (Limits(depth=3), "the depth limit of 3 was reached"),
        (Limits(states=5), "the limit of 5 states was reached"),
        (Limits(seconds=1e-9), "the time limit of 1e-09 s was reached"),
    ],
)
def test_a_limit_ends_the_run_as_incomplete(limits, reason):
    system = System((Component("A", 0, (Action("count", lambda core, message: [Outcome(core + 1)]),)),))
    assert executions(system, limits=limits).incomplete == reason


@pytest.mark.parametrize(
    ("needs", "mode", "part"),
    [
        (Needs.STATE, Mode.MUST, "is checked in every state"),
        (Needs.ORDER, Mode.MUST, "watches no action"),
        (Needs.QUIESCENT, Mode.MAY, "is checked in quiescent states"),
        (Needs.QUIESCENT, Mode.IDLE, "is checked in quiescent states"),
        (Needs.SETTLED, Mode.MAY, "is checked in settled states"),
    ],
)
def test_a_property_that_traces_do_not_keep_is_refused_by_name(needs, mode, part):
    prop = Property("mine", needs, lambda memory, columns: None)
    with pytest.raises(ReductionRefused, match=f"property 'mine' .*{part}"):
        executions(System((Component("A", 0, (choosing(Outcome(1), mode=mode),)),), (), (prop,)))


def test_a_property_of_final_states_is_kept():
    prop = Property("mine", Needs.SETTLED, lambda memory, columns: None)
    assert executions(System((Component("A", 0, (choosing(Outcome(1)),)),), (), (prop,))).count == 1


def test_steps_that_say_they_are_independent_and_are_not_are_named():
    def step(core: int, message: None) -> list[Outcome]:
        return [Outcome(1)] if core == 0 else []

    actions = tuple(Action(name, step, reads=frozenset({name}), writes=frozenset({name})) for name in ("one", "two"))
    with pytest.raises(ModelError, match="A: one disables A: two, although their footprints do not conflict"):
        executions(System((Component("A", 0, actions),)))


def test_a_step_that_is_enabled_by_what_it_says_it_does_not_read_is_named():
    def secret(memory: Memory) -> bool | None:
        memory["b"] = 1
        return None if memory.cells["c"] == 1 else False  # a look that is not recorded

    def last(memory: Memory) -> None:
        memory["b"] = memory["c"]

    system = threads({"b": 0, "c": 0}, one=[write("c", 1)], two=[secret], three=[last])
    with pytest.raises(ModelError, match="memory: two is possible only after steps that its footprint does not"):
        executions(system)


def test_steps_that_cannot_be_told_apart_are_named():
    class Vague(Fifo):
        def take(self, content: Any) -> Any:
            return ((NO_FAULT, content[0], content[1:]), (NO_FAULT, content[0], ())) if content else ()

    sends = (("c", "m"), ("c", "n"))
    sender = Component("A", 0, (choosing(Outcome(1, sends), sends=frozenset({"c"})),))
    taker = Component("B", 0, (Action("take", lambda core, message: [Outcome(core + 1)], "c"),))
    with pytest.raises(ModelError, match=r"channel 'c'.*alternatives share fault and message"):
        executions(System((sender, taker), (Channel("c", "B", Vague()),)))


def test_cells_that_share_a_part_conflict_where_the_component_says_so():
    """One writes the whole and the other reads a part of it, so their order matters."""

    def whole(core: tuple[int, int], _: None) -> list[Outcome]:
        return [] if core[0] else [Outcome((1, core[1]))]

    def part(core: tuple[int, int], _: None) -> list[Outcome]:
        return [] if core[1] else [Outcome((core[0], 1 + core[0]))]

    actions = (
        Action("whole", whole, reads=frozenset({"whole"}), writes=frozenset({"whole"})),
        Action("part", part, reads=frozenset({"part", "own"}), writes=frozenset({"own"})),
    )
    kinds = frozenset({"whole", "part"})
    system = System((Component("A", (0, 0), actions, conflict=lambda one, other: {one, other} == kinds),))
    result = executions(system)
    assert (result.count, len(result.final_states)) == (2, 2)
