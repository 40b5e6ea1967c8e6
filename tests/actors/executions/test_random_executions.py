"""Counts of executions against an oracle that runs every interleaving, on random programs and on small ones by hand."""

import pytest

from sdnloom.actors import Actor, Program
from sdnloom.actors.executions import step_cells
from sdnloom.actors.executions.count import count_executions
from sdnloom.actors.executions.enough_tasks import EnoughTasks
from sdnloom.actors.executions.named_semantics import NamedSemantics
from sdnloom.actors.executions.step_cells import BarrierCell, ResultCell, TaskCell
from sdnloom.actors.program import PLAIN
from sdnloom.actors.search.actor_graph import ActorGraph
from sdnloom.actors.semantics import ActorSemantics, state_of
from sdnloom.actors.task import Location
from sdnloom.engine.executions.search import ExecutionSearch
from sdnloom.engine.result import Limits
from sdnloom.engine.semantics import reachable
from tests.actors.executions.interleavings import check_swaps, counted, every_run
from tests.actors.executions.scripts import scripted_program
from tests.actors.random_programs import random_program

MOST = 60  # interleavings
LEVELS = ("none", "actor", "entry", "context")


def check(program: Program) -> list[int]:
    """The counts at the four levels, compared in every respect with what counts them in another way."""
    counts = []
    for level in LEVELS:
        found = count_executions(program, level)
        assert found.complete
        assert found.count == counted(program, level, MOST), level
        counts.append(found.count)
    for level in ("actor", "entry"):
        semantics = NamedSemantics(program, level)
        check_swaps(semantics, list(every_run(semantics, MOST)))
        stateless = ExecutionSearch(semantics, dependence=semantics.dependence, essence=semantics.essence)
        assert sum(1 for _ in stateless.paths()) == counts[LEVELS.index(level)]
    assert counts == sorted(counts, reverse=True)
    assert counts[-1] >= count_executions(program, "context").final_states
    return counts


def check_states(program: Program) -> None:
    """With and without history, the states without names are those of the plain semantics."""
    graph = ActorGraph(program, PLAIN, "none")
    plain = reachable(ActorSemantics(program))
    expected = {graph.encoded(state_of(state)) for state in plain}
    finals = {graph.encoded(state_of(state)) for state, following in plain.items() if not following}
    for level in ("entry", "context"):
        semantics = NamedSemantics(program, level)
        found = reachable(semantics)
        assert {graph.encoded(state_of(semantics.without_names(state))) for state in found} == expected
        ends = [state for state, following in found.items() if not following]
        assert {graph.encoded(state_of(semantics.without_names(state))) for state in ends} == finals


@pytest.mark.parametrize(
    ("profile", "seeds"),
    [
        ("mixed", range(4)),
        ("conditions", range(4)),
        ("futures", range(4)),
        ("barriers", range(4)),
        ("rivals", range(4)),
        ("symmetric", range(4)),
        ("monitors", range(4)),
        ("failures", range(4)),
        ("queries", range(4)),
    ],
)
def test_random_programs_have_the_executions_of_the_definition(profile, seeds):
    several = 0
    for seed in seeds:
        program = random_program(seed, profile)
        first = count_executions(program, "none", Limits(states=400))
        if first.complete and first.count <= MOST:
            several += check(program)[2] > 1
            check_states(program)
    assert several >= 1


def compare(seeds: range) -> tuple[int, int]:
    """How many counts that explore some tasks of a state were compared with those that explore all; how many differ."""
    compared = wrong = 0
    for seed in seeds:
        program = scripted_program(seed)
        every = count_executions(program, "entry", Limits(states=160), reduced=False)
        if every.complete and every.count > 1:
            some = count_executions(program, "entry")
            assert some.points < every.points
            compared, wrong = compared + 1, wrong + (some != every)
    return compared, wrong


def test_some_tasks_of_a_state_are_enough():
    assert compare(range(24)) == (8, 0)


def test_the_comparison_notices_when_tasks_are_missing(monkeypatch):
    monkeypatch.setattr(EnoughTasks, "_needed", lambda self, *args: set())
    _, wrong = compare(range(10))
    assert wrong >= 1


class Cell(Actor):
    x: int = 0
    log: list = []  # noqa: RUF012 (a field)
    control = frozenset({"put"})

    async def put(self, value):
        self.x = value

    async def look(self):
        return self.x

    async def double(self):
        self.x = 2 * self.x

    async def add(self, value):
        self.x += value

    async def ask(self, other):
        self.log.append(await other.look())

    async def order(self, other, value):
        other.put(value)
        await other.barrier()
        other.put(value + 1)

    async def barrier(self):
        pass


def cells(*names: str) -> list[Cell]:
    return [Cell(name) for name in names]


def test_steps_that_read_what_they_write_commute_in_their_context():
    (a,) = cells("a")
    assert check(Program((a,), (a.add(1), a.add(2), a.add(4)))) == [6, 6, 6, 1]


def test_zero_doubled_is_zero_before_and_after():
    (a,) = cells("a")
    assert check(Program((a,), (a.double(), a.double(), a.put(1)))) == [6, 6, 6, 4]


class Chooser(Actor):
    x: int = 0

    async def pick(self):
        self.x = self.choose(1, 1, 2)

    async def fail(self):
        raise ValueError("no")


def test_a_choice_between_equal_options_is_none_and_failures_do_not_conflict():
    chooser = Chooser("c")
    program = Program((chooser,), (chooser.pick(), chooser.fail(), chooser.fail()))
    assert check(program) == [12, 12, 2, 2]
    assert count_executions(program).violating == {"NoTaskErrors": 2}


def test_who_awaits_a_result_follows_the_task_that_has_it():
    a, b = cells("a", "b")
    assert check(Program((a, b), (a.ask(b), b.put(1)))) == [4, 2, 2, 2]


def test_control_messages_of_two_senders_wait_for_the_barriers_between_them():
    """Either order of the first messages; the second one of the first sender before or after the other's barrier."""
    a, b, c = cells("a", "b", "c")
    counts = check(Program((a, b, c), (a.order(c, 10), b.order(c, 20))))
    assert counts[2:] == [8, 8]  # and in each of these four cases two values that no barrier separates


class Drops:
    """The cells of steps without those of one kind."""

    def __init__(self, kind: type) -> None:
        self._kind, self._cells = kind, step_cells.step_cells

    def __call__(self, *args):
        reads, writes = self._cells(*args)
        kept = {(at, value) for at, value in writes if not isinstance(at, self._kind)}
        return {at for at in reads if not isinstance(at, self._kind)}, kept


@pytest.mark.parametrize("kind", [TaskCell, ResultCell, BarrierCell, Location])
def test_the_oracle_notices_when_a_kind_of_cell_is_forgotten(monkeypatch, kind):
    a, b, c = cells("a", "b", "c")
    programs = [
        Program((a, b), (a.ask(b), b.put(1))),
        Program((a, b, c), (a.order(c, 10), b.order(c, 20))),
        Program((a,), (a.add(1), a.put(4))),
    ]
    monkeypatch.setattr(step_cells, "step_cells", Drops(kind))
    wrong = 0
    for program in programs:
        try:
            semantics = NamedSemantics(program, "entry")
            check_swaps(semantics, list(every_run(semantics, MOST)))
            counted(program, "entry", MOST)
        except AssertionError:
            wrong += 1
    assert wrong >= 1
