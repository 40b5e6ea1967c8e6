"""Search: verdicts against an oracle, shortest counterexamples, events, limits, and mixes that are refused."""

import os
import signal
import subprocess
import sys

import pytest

from sdnloom.engine.disciplines import Fifo, Lossy
from sdnloom.engine.limits import LimitWatch
from sdnloom.engine.model import Action, Channel, Component, Mode, Needs, Outcome, Property, System
from sdnloom.engine.result import (
    CounterexampleFound,
    Finished,
    Holds,
    Incomplete,
    Limits,
    Notice,
    Progress,
    SearchOptions,
    Vacuous,
    Violated,
)
from sdnloom.engine.search import search
from sdnloom.engine.semantics import Finding, Semantics
from sdnloom.errors import SdnloomError
from tests.engine.test_graph import Favour, levels_of, some, transitions_until

LOOP = SearchOptions(engine="loop")
ALL_OF_THEM = SearchOptions(engine="loop", find_all=True)


def findings(system, expected):
    """Each finding with its first state; of a `sometimes` property only the first finding."""
    semantics = Semantics(system)
    sometimes = {prop.name for prop in system.properties if prop.sometimes}
    first = {}
    witnessed = set()
    for state in expected:
        for found in semantics.findings(state):
            if found.property in sometimes:
                if found.property in witnessed:
                    continue
                witnessed.add(found.property)
            first.setdefault(found, state)
    violations = {found: state for found, state in first.items() if found.property not in sometimes}
    witnesses = {found: state for found, state in first.items() if found.property in sometimes}
    return violations, witnesses, sometimes - witnessed


@pytest.mark.slow
def test_the_verdict_and_the_shortest_counterexample_are_those_of_the_oracle():
    verdicts = {Holds: 0, Vacuous: 0, Violated: 0}
    for system, expected in some(400):
        violations, _, never = findings(system, expected)
        levels = levels_of(expected)
        result = search(system, LOOP)
        verdicts[type(result.verdict)] += 1
        assert isinstance(result.verdict, Violated) == bool(violations)
        if not violations:
            assert result.statistics.states == len(expected)
            assert result.statistics.depth == max(levels.values())
            assert result.incomplete is None
            still = not any(expected.values()) and all(prop.has_memory or prop.sometimes for prop in system.properties)
            assert isinstance(result.verdict, Vacuous) == (bool(never) or still)
            continue
        state = next(iter(violations.values()))
        at_rest = {prop.name: prop.needs not in (Needs.EVENT, Needs.ORDER) for prop in system.properties}
        found = min((each for each in violations if violations[each] == state), key=lambda each: at_rest[each.property])
        one = result.verdict.counterexample
        assert (one.property, one.message) == found
        assert one.shortest
        assert len(one.path) == levels[state] == result.statistics.depth
        assert result.statistics.states == list(expected).index(state) + 1
        assert result.statistics.transitions == transitions_until(expected, state)
        assert result.incomplete == "the search ended at the first violation"
    assert min(verdicts.values()) > 40, verdicts


@pytest.mark.slow
@pytest.mark.parametrize("order", ["bfs", "dfs"])
def test_going_on_reports_each_distinct_violation_once(order):
    several = 0
    for system, expected in some(250):
        violations, witnesses, never = findings(system, expected)
        levels = levels_of(expected)
        result = search(system, SearchOptions(engine="loop", find_all=True, order=order))
        assert (result.statistics.states, result.statistics.transitions) == (
            len(expected),
            sum(map(len, expected.values())),
        )
        assert len(result.violations) == len(violations)
        assert {Finding(one.property, one.message) for one in result.violations} == set(violations)
        assert {one.property for one in result.witnesses} == {found.property for found in witnesses}
        assert result.never == tuple(sorted(never))
        assert result.incomplete is None
        if order == "bfs":
            for one in (*result.violations, *result.witnesses):
                found = Finding(one.property, one.message)
                assert len(one.path) == levels[{**violations, **witnesses}[found]]
        else:
            assert not any(one.shortest for one in result.violations)
        several += len(violations) > 1
    assert several > 20


def counter(limit, **knobs):
    """A component that counts to the limit, and a property that its last value breaks."""

    def go(core, _):
        return [Outcome(core + 1, (), (("at", core + 1),))] if core < limit else []

    at_end = Property("below", Needs.STATE, lambda _, columns: "end" if columns["A"] == limit else None, columns=("A",))
    return System((Component("A", 0, (Action("go", go, **knobs),)),), (), (at_end,))


@pytest.mark.parametrize("order", ["bfs", "dfs"])
def test_a_limit_ends_as_incomplete_with_its_reason(order):
    for limits, reason in (
        (Limits(states=3), "the limit of 3 states was reached"),
        (Limits(depth=2), "the depth limit of 2 was reached"),
        (Limits(seconds=1e-9), "the time limit of 1e-09 s was reached"),
        (Limits(memory=1), "the memory limit of 0 MB was reached"),
    ):
        result = search(counter(10), SearchOptions(engine="loop", order=order, limits=limits))
        assert isinstance(result.verdict, Incomplete)
        assert result.verdict.reason == result.incomplete
        assert result.verdict.reason == reason
        assert result.statistics.cores["A"] >= result.statistics.states


def test_a_step_that_never_ends_is_ended_with_the_time_limit():
    def go(core, _):
        while core == 2:
            try:
                hash(core)
            except Exception:  # as programs write it
                continue
        return [Outcome(core + 1)]

    system = System((Component("A", 0, (Action("go", go),)),))
    before = signal.getsignal(signal.SIGALRM)
    result = search(system, SearchOptions(engine="loop", limits=Limits(seconds=0.01)))
    assert result.verdict == Incomplete("the time limit of 0.01 s was reached in 'go' of 'A'")
    assert signal.getsignal(signal.SIGALRM) is before


def test_a_violation_counts_even_when_a_limit_ended_the_search():
    result = search(counter(2), SearchOptions(engine="loop", find_all=True, limits=Limits(states=3)))
    assert isinstance(result.verdict, Violated)
    assert result.incomplete == "the limit of 3 states was reached"


def test_a_violation_in_the_initial_state_has_an_empty_path():
    result = search(counter(0), LOOP)
    assert isinstance(result.verdict, Violated)
    assert len(result.verdict.counterexample.path) == 0
    assert (result.statistics.states, result.statistics.transitions, result.statistics.depth) == (1, 0, 0)


@pytest.mark.parametrize("depth", range(1, 5))
def test_a_depth_first_search_goes_back_at_its_depth_limit(depth):
    # The first branch goes on for long; the violation is in the second.
    def left(core, _):
        return [Outcome(core + 1)] if 0 <= core < 100 else []

    def right(core, _):
        return [Outcome(-1)] if core == 0 else [Outcome(-2)] if core == -1 else []

    broken = Property("p", Needs.STATE, lambda _, columns: "deep" if columns["A"] == -2 else None, columns=("A",))
    system = System((Component("A", 0, (Action("left", left), Action("right", right))),), (), (broken,))
    result = search(system, SearchOptions(engine="loop", order="dfs", limits=Limits(depth=depth)))
    assert isinstance(result.verdict, Violated if depth >= 2 else Incomplete)


@pytest.mark.slow
@pytest.mark.parametrize("depth", range(1, 8))
def test_a_depth_limit_with_reduction_never_claims_too_much(depth):
    for system, expected in some(80):
        if any(prop.needs is Needs.STATE for prop in system.properties):
            continue
        violations, _, _ = findings(system, expected)
        result = search(system, SearchOptions(engine="loop", reduce=True, limits=Limits(depth=depth)))
        assert isinstance(result.verdict, (Violated, Incomplete) if violations else (Holds, Vacuous, Incomplete))


def test_an_interrupt_ends_the_search_cleanly_with_its_statistics():
    def go(core, _):
        if core == 5:
            signal.raise_signal(signal.SIGINT)
        return [Outcome(core + 1)] if core < 10_000 else []

    before, events = signal.getsignal(signal.SIGINT), []
    result = search(System((Component("A", 0, (Action("go", go),)),)), LOOP, events.append)
    assert events[0] == Notice("stopping after the present step; press Ctrl-C again to stop at once")
    assert isinstance(result.verdict, Incomplete)
    assert result.verdict.reason == "interrupted"
    assert result.statistics.states >= 5
    assert signal.getsignal(signal.SIGINT) is before


def test_a_second_interrupt_is_not_swallowed():
    watch = LimitWatch(Limits())
    with watch.catching_interrupts():
        signal.raise_signal(signal.SIGINT)
        assert watch.interrupted
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)


def test_the_events_of_a_search_end_with_its_result():
    events = []
    result = search(counter(3), LOOP, events.append)
    assert events == [CounterexampleFound(result.verdict.counterexample, witness=False), Finished(result)]
    assert not any(isinstance(event, Progress | Notice) for event in events)


def test_progress_is_reported_when_it_is_due(monkeypatch):
    monkeypatch.setattr("sdnloom.engine.limits._PROGRESS_SECONDS", 0.0)
    events = []
    search(counter(5), LOOP, events.append)
    progress = [event for event in events if isinstance(event, Progress)]
    assert [event.depth for event in progress] == sorted(event.depth for event in progress)
    assert {event.engine for event in progress} == {"loop"}
    assert all(event.memory > 0 for event in progress)


def test_a_sometimes_property_without_a_witness_is_named():
    seen = Property("seen", Needs.STATE, lambda _, c: "yes" if c["A"] == 1 else None, columns=("A",), sometimes=True)
    unseen = Property(
        "unseen", Needs.STATE, lambda _, c: "yes" if c["A"] == 7 else None, columns=("A",), sometimes=True
    )
    component = counter(3).components[0]
    result = search(System((component,), (), (seen, unseen)), LOOP)
    assert result.verdict == Vacuous(("unseen was never seen",))
    assert [(one.property, one.message, len(one.path)) for one in result.witnesses] == [("seen", "yes", 1)]
    assert result.never == ("unseen",)


def test_a_system_in_which_nothing_happens_is_vacuous_unless_a_property_looks_at_its_one_state():
    idle = (Component("A", 0, ()),)
    event = Property("event", Needs.EVENT, lambda memory, _: None, fold=lambda memory, event: memory)
    state = Property("state", Needs.QUIESCENT, lambda _, columns: None, columns=("A",))
    assert search(System(idle, (), (event,)), LOOP).verdict == Vacuous(("nothing ever happens",))
    assert search(System(idle, (), (event, state)), LOOP).verdict == Holds()


def test_a_strategy_never_says_holds():
    result = search(System(counter(3).components), SearchOptions(engine="loop", strategy=Favour("A")))
    assert result.verdict == Incomplete("the strategy FAVOUR skips the others")
    violated = search(counter(3), SearchOptions(engine="loop", strategy=Favour("A")))
    assert isinstance(violated.verdict, Violated)
    assert not violated.verdict.counterexample.shortest


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (SearchOptions(engine="kernel", order="dfs"), "the kernel engine searches breadth first"),
        (SearchOptions(engine="magic"), "option engine is 'magic'; expected one of auto, loop, kernel"),
        (SearchOptions(order="random"), "option order is 'random'; expected one of auto, bfs, dfs"),
        (SearchOptions(engine="kernel", checked=True), "use the loop engine"),
    ],
)
def test_options_that_do_not_go_together_are_refused_by_name(options, message):
    with pytest.raises(SdnloomError, match=message):
        search(counter(1), options)


@pytest.mark.parametrize(
    "limit",
    [
        {"states": 0},
        {"states": 2.5},
        {"depth": -1},
        {"depth": 1.5},
        {"seconds": 0},
        {"seconds": float("nan")},
        {"memory": "1G"},
        {"states": True},
    ],
)
def test_a_limit_that_makes_no_sense_is_refused_by_name(limit):
    (name,) = limit
    with pytest.raises(SdnloomError, match=f"limit {name} is "):
        Limits(**limit)


def test_every_dropped_message_has_a_counterexample_that_replays():
    # Which of two messages was dropped must show in the trace.
    def send(core, _):
        return [Outcome(1, (("c", "x"), ("c", "y")))] if core == 0 else []

    system = System(
        (
            Component("A", 0, (Action("send", send, None, frozenset({"c"})),)),
            Component("B", (), (Action("take", lambda core, message: [Outcome((*core, message))], "c"),)),
        ),
        (Channel("c", "B", Lossy(drop=1)),),
        (Property("end", Needs.QUIESCENT, lambda _, columns: "".join(columns["B"]), columns=("B",)),),
    )
    assert {one.message for one in search(system, ALL_OF_THEM).violations} == {"xy", "x", "y"}


def test_quiescent_and_settled_properties_are_checked_where_they_should_be():
    def once(core, _):
        return [Outcome(core + 1)] if core == 0 else []

    idle = Component("I", 0, (Action("rest", once, mode=Mode.IDLE),))
    may = Component("M", 0, (Action("may", once, mode=Mode.MAY),))
    must = Component("W", 0, (Action("work", once),))

    def said(_, columns):
        return "".join(str(columns[name]) for name in "IMW")

    for needs, messages in (
        (Needs.QUIESCENT, {"001", "011", "101", "111"}),
        (Needs.SETTLED, {"101", "111"}),
        (Needs.STATE, {"000", "001", "010", "011", "101", "111"}),
    ):
        prop = Property("p", needs, said, columns=("I", "M", "W"))
        assert {
            one.message for one in search(System((idle, may, must), (), (prop,)), ALL_OF_THEM).violations
        } == messages


_SCRIPT = """
from sdnloom.engine.path import describe
from sdnloom.engine.result import Limits, SearchOptions
from sdnloom.engine.search import search
from tests.engine.systems import REDUCIBLE, random_system
for seed in range(40):
    system = random_system(seed, needs=REDUCIBLE)
    for reduce in (False, True):
        result = search(system, SearchOptions(engine="loop", reduce=reduce, find_all=True, limits=Limits(states=200)))
        print(seed, reduce, result.statistics.states, result.statistics.transitions, result.never, result.incomplete)
        for one in (*result.violations, *result.witnesses):
            print(one.property, one.message, [describe(step) for step in one.path.steps])
"""


@pytest.mark.slow
def test_a_search_says_the_same_under_any_hash_seed():
    outputs = {
        subprocess.run(
            [sys.executable, "-c", _SCRIPT],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(outputs) == 1


def test_a_queue_between_two_components_is_searched_to_its_end():
    def send(core, _):
        return [Outcome(core + 1, (("c", core),))] if core < 3 else []

    def take(core, message):
        return [Outcome((*core, message))]

    system = System(
        (
            Component("A", 0, (Action("send", send, None, frozenset({"c"})),)),
            Component("B", (), (Action("take", take, "c"),)),
        ),
        (Channel("c", "B", Fifo()),),
        (Property("order", Needs.QUIESCENT, lambda _, columns: str(columns["B"]), columns=("B",)),),
    )
    result = search(system, ALL_OF_THEM)
    assert [one.message for one in result.violations] == ["(0, 1, 2)"]
    assert (result.statistics.states, result.statistics.transitions, result.statistics.depth) == (10, 12, 6)
