"""Some of the comparisons of `every_engine.py`, and systems of unusual size."""

import sys
from collections import Counter

import pytest

from sdnloom.engine.disciplines import Fifo, Lossy
from sdnloom.engine.kernel import growing_arrays, memo, visited_states
from sdnloom.engine.kernel.memo import KernelMemo
from sdnloom.engine.kernel.search import KernelSearch
from sdnloom.engine.limits import LimitWatch
from sdnloom.engine.memo import Memo
from sdnloom.engine.model import Action, Channel, Component, Needs, Outcome, Property, System
from sdnloom.engine.result import Limits, SearchOptions
from sdnloom.engine.search import search
from sdnloom.engine.stop_points import LimitReached
from sdnloom.errors import SdnloomError
from tests.engine.every_engine import THREADS, WORKERS, differences

pytestmark = pytest.mark.usefixtures("compiled_kernel")


def test_every_engine_gives_the_loops_results(tmp_path):
    states, compared = 0, Counter()
    for number in (*range(40, 60), 39, 109):  # questions that wait in a full list, and many faults in one place
        expected, different, engines = differences(number, tmp_path)
        assert not different, number
        states += 0 if expected is None else expected.statistics.states
        compared += engines
    assert states > 200
    assert set(compared) == {*(f"{threads} threads" for threads in THREADS), "resumed", "disk"} | {
        f"{workers} workers" for workers in WORKERS
    }


def sizes(system, engine):
    found = search(system, SearchOptions(engine=engine, order="bfs", threads=2)).statistics
    return found.states, found.transitions


def never(core, message):
    return []


def once(core, message):
    return [Outcome(1)] if core == 0 else []


def sends(*messages):
    """One component sends messages to another one, over channels that may lose each of them once."""
    names = sorted({channel for channel, _ in messages})
    each = len(messages) // len(names)
    return System(
        (
            Component(
                "A",
                0,
                (
                    Action(
                        "send",
                        lambda core, _: [Outcome(1, messages)] if core == 0 else [],
                        sends=frozenset(names),
                    ),
                ),
            ),
            *(Component(f"to {name}", 0, (Action("take", lambda core, _: [Outcome(core)], name),)) for name in names),
        ),
        tuple(Channel(name, f"to {name}", Lossy(each)) for name in names),
    )


@pytest.mark.parametrize(
    ("system", "expected"),
    [
        (
            System(
                (
                    Component(
                        "A",
                        0,
                        (
                            Action(
                                "go",
                                lambda core, _: (
                                    [Outcome(1 + n, choice=str(n)) for n in range(3000)] if core == 0 else []
                                ),
                            ),
                        ),
                    ),
                )
            ),
            (3001, 3000),
        ),
        (sends(*(("c", number) for number in range(11))), (4096, 6131)),
        (
            System(tuple(Component(f"C{n}", 0, (Action("go", once),) if n < 3 else ()) for n in range(2100))),
            (8, 12),
        ),
    ],
    ids=["a place with 3,000 moves", "a delivery with 2,048 alternatives", "2,100 components"],
)
def test_a_large_part_of_a_system_is_as_in_the_loop(system, expected):
    assert [sizes(system, engine) for engine in ("loop", "kernel")] == [expected, expected]


def many_actions():
    """Actions whose numbers differ by 4,096 only: the keys of their steps would be the same."""
    steps = {n: once if n in (0, 4096) else never for n in range(4097)}
    return System((Component("A", 0, tuple(Action(f"a{n}", step) for n, step in steps.items())),))


def test_more_actions_than_the_kernel_has_numbers_for_are_refused_or_left_to_the_loop(monkeypatch):
    monkeypatch.setattr(sys.modules["sdnloom.engine.search"], "SMALL_RUN", 1)
    with pytest.raises(SdnloomError, match=r"the system has 4,097 actions; expected at most 2,048 in the kernel"):
        search(many_actions(), SearchOptions(engine="kernel", reduce=False))
    found = search(many_actions(), SearchOptions(order="bfs", reduce=False)).statistics
    assert (found.engine, found.states, found.transitions) == ("loop", 2, 2)


def test_more_successors_than_there_are_numbers_are_refused():
    broadcast = sends(*((f"c{number}", "all") for number in range(64)))
    with pytest.raises(SdnloomError, match="one state has more than 16,777,216 successors"):
        search(broadcast, SearchOptions(engine="kernel"))


def counters(ending=None, components="ABC"):
    """Components that count to five; the evaluation of that number is ended by a limit."""
    calls = 0

    def step(core, message):
        nonlocal calls
        calls += 1
        if calls == ending:
            raise LimitReached("over")
        return [Outcome(core + 1)] if core < 5 else []

    return System(tuple(Component(name, 0, (Action("go", step),)) for name in components))


def kernel_of(system, threads=1):
    return KernelSearch(
        Memo(system),
        None,
        limits=Limits(),
        watch=LimitWatch(Limits()),
        on_finding=lambda found, number: False,
        on_pause=lambda: None,
        threads=threads,
    )


def test_what_a_limit_has_ended_can_be_asked_again():
    """Paths are found again after the search, where a reduction may have left steps out."""
    for ending in range(1, 19):
        search = kernel_of(counters(ending))
        search.run()
        assert search.stopped == "over"
        state, steps = search._initial, 0
        while (found := search._expander.successors(state)).count:
            state, steps = found.part(found.count - 1, found.count), steps + 1
        assert steps == 15


def test_masks_of_many_classes_have_room(monkeypatch):
    """The arrays of a mask have rows of different length, so one of them gets an area before the others do."""
    monkeypatch.setattr(memo, "_FIRST_ROWS", 4)
    monkeypatch.setattr(growing_arrays, "LONG", 1000)
    parts = tuple(Component(f"c{n}", 0, (Action("go", once),)) for n in range(8))
    watched = frozenset((part.name, "go") for part in parts)
    ordered = Property("ordered", Needs.ORDER, lambda memory, _: None, watched, lambda memory, _: memory, 0)
    found = search(System(parts, (), (ordered,)), SearchOptions(engine="kernel", order="bfs", reduce=True)).statistics
    assert (found.states, found.transitions) == (2**8, 8 * 2**7)


def test_only_what_is_full_grows(monkeypatch):
    doubled = []
    grow = KernelMemo._grow_scratch
    monkeypatch.setattr(KernelMemo, "_grow_scratch", lambda kept: (doubled.append(None), grow(kept)))

    def ask(core, _):
        return [Outcome(core + 1, ((f"q{core}", n),), choice=str(n)) for n in range(300)] if core < 3 else []

    hub = Component("hub", 0, (Action("ask", ask, sends=frozenset({"q0", "q1", "q2"})),))
    others = (Component(f"r{n}", 0, (Action("get", lambda core, _: [Outcome(core)], f"q{n}"),)) for n in range(3))
    system = System((hub, *others), tuple(Channel(f"q{n}", f"r{n}", Fifo()) for n in range(3)))
    options = SearchOptions(engine="kernel", order="bfs", reduce=False, limits=Limits(states=20_000))
    assert search(system, options).statistics.states == 20_000
    assert not doubled  # a place has 300 moves, for which there is room from the beginning


def test_a_search_ends_before_it_has_no_numbers_left(monkeypatch):
    monkeypatch.setattr(visited_states, "MOST_VISITED", 600)
    monkeypatch.setattr(visited_states, "_FIRST_SLOTS", 64)
    found = search(counters(), SearchOptions(engine="kernel", threads=1))
    assert found.verdict.reason == "the kernel engine has room for 600 states; --disk has more"
    assert 0 < found.statistics.states < 216


def test_a_search_that_is_over_leaves_no_threads(monkeypatch):
    monkeypatch.setattr("sdnloom.engine.kernel.block.PARALLEL_FROM", 2)
    monkeypatch.setattr(visited_states, "_PART", 1)
    search = kernel_of(counters(), threads=3)
    search.run()
    assert search.count() == 216
    search.visited.rebuild([1 << 20] * 3, 1)  # as when a path needs another layout
    assert search.value(215).cores == (5, 5, 5)
    assert search._team._pool is None


def test_a_block_that_found_much_does_not_make_the_next_one_large():
    search = kernel_of(counters())
    search._expander._growth = 1 << 30
    search.run()
    assert search.count() == 216
    assert len(search._expander._new.keys) < 10_000
