"""A limit or Ctrl-C ends a run between steps or inside of user code, never inside of our own work; nothing is lost."""

import signal
import sys

import pytest

from sdnloom.engine import stop_points
from sdnloom.engine.disciplines import Fifo
from sdnloom.engine.limits import LimitWatch
from sdnloom.engine.model import Action, Channel, Component, Needs, Outcome, Property, System
from sdnloom.engine.result import Incomplete, Limits, Progress, SearchOptions, Violated
from sdnloom.engine.search import search
from sdnloom.engine.stop_points import (
    LimitReached,
    call_interruptibly,
    check_limits,
    end_user_code,
    interruptible,
    limits_in_force,
    shielded,
)

pytestmark = pytest.mark.usefixtures("compiled_kernel")
ENGINES = ("loop", "kernel")
SEARCH = sys.modules["sdnloom.engine.search"]  # `sdnloom.engine` has a function of that name


def grid(size):
    """Two components that count; a property that is violated at one value of each, one that is only seen."""

    def count(core, _):
        return [Outcome(core + 1)] if core < size else []

    properties = (
        Property("two", Needs.STATE, lambda _, c: "two" if c["A"] == c["B"] == 2 else None, columns=("A", "B")),
        Property("one", Needs.STATE, lambda _, c: "one" if c["A"] == 1 else None, columns=("A",), sometimes=True),
    )
    return System(tuple(Component(name, 0, (Action("go", count),)) for name in "AB"), (), properties)


class Strike:
    """Lets a watch report a limit from its call number `at` on."""

    def __init__(self, monkeypatch, at):
        self.calls, self.at = 0, at
        monkeypatch.setattr(LimitWatch, "reason_to_stop", self.reason)

    def reason(self):
        self.calls += 1
        return "the limit of the test was reached" if self.calls >= self.at else None


def test_limits_are_checked_only_where_they_are_in_force():
    check_limits()
    with limits_in_force(lambda: "over"):
        with limits_in_force(None):
            check_limits()
        with pytest.raises(LimitReached, match="over"):
            check_limits()
    check_limits()


def test_only_user_code_can_be_ended():
    assert stop_points.under_way() is None
    with limits_in_force(lambda: None), interruptible("a step"):
        assert stop_points.under_way() == "a step"
        with shielded():
            assert stop_points.under_way() is None
            with interruptible():
                assert stop_points.under_way() == "a step"
        with limits_in_force(None):
            assert stop_points.under_way() is None
    assert stop_points.under_way() is None


def test_a_function_that_is_called_interruptibly_is_user_code_while_it_runs():
    def add(one, other):
        assert stop_points.under_way() == "a step"
        return one + other

    def swallow(one, other):
        try:
            end_user_code("struck")
        except LimitReached:
            if other:
                raise ValueError from None

    with limits_in_force(lambda: None):
        assert call_interruptibly("a step", add, 1, 2) == 3
        assert stop_points.under_way() is None
        with pytest.raises(ZeroDivisionError):
            call_interruptibly("a step", lambda one, other: one / other, 1, 0)
        assert stop_points.under_way() is None
    for raises in (False, True):
        with limits_in_force(lambda: None), pytest.raises(LimitReached, match="struck"):
            call_interruptibly("a step", swallow, 1, raises)
    assert stop_points.under_way() is None


def test_what_a_signal_has_ended_leaves_nothing_behind():
    with limits_in_force(lambda: None):
        with shielded():
            stop_points._thread.under_way.append("struck before its entry was removed")
        assert stop_points.under_way() is None


@pytest.mark.parametrize("error", [None, ValueError])
def test_code_that_catches_what_ends_it_is_ended_all_the_same(error):
    def catches():
        try:
            end_user_code("the time is over")
        except BaseException:
            if error is not None:
                raise error from None

    def runs():
        with interruptible("a step"):
            catches()

    with limits_in_force(lambda: None):
        with pytest.raises(LimitReached, match="the time is over"):
            runs()
        with limits_in_force(None), interruptible("a replay"):
            pass


@pytest.mark.parametrize(("order", "most"), [("bfs", (16, 6, 1)), ("dfs", (9, 5, 0))])
def test_wherever_a_limit_strikes_the_states_before_it_are_reported(monkeypatch, order, most):
    options = SearchOptions(engine="loop", order=order, find_all=True)
    whole = search(grid(3), options)
    assert (whole.statistics.states, len(whole.violations), len(whole.witnesses)) == (16, 1, 1)
    sizes = []
    for at in range(1, 30):
        with monkeypatch.context() as patched:
            Strike(patched, at)
            result = search(grid(3), options)
        if result.incomplete is None:
            assert result.statistics.states == 16
            break
        assert result.incomplete == "the limit of the test was reached"
        assert isinstance(result.verdict, Violated if result.violations else Incomplete)
        sizes.append((result.statistics.states, result.statistics.depth, len(result.violations)))
    assert sizes == sorted(sizes)
    assert sizes[0] == (0, 0, 0)
    assert sizes[-1] == most


@pytest.mark.parametrize("at", [1, 2, 3, 5, 8])
def test_the_kernel_keeps_its_states_too(monkeypatch, at):
    Strike(monkeypatch, at)
    result = search(grid(3), SearchOptions(engine="kernel", find_all=True))
    assert result.verdict == Incomplete("the limit of the test was reached")
    assert 1 <= result.statistics.states <= 16


def changing(monkeypatch, transitions):
    """Let the kernel take over after so many transitions."""
    monkeypatch.setattr(SEARCH, "SMALL_RUN", transitions)
    monkeypatch.setattr("sdnloom.engine.loop.BATCH", 1)


def test_a_limit_that_strikes_before_the_kernel_has_caught_up_leaves_what_the_loop_found(monkeypatch):
    changing(monkeypatch, 20)
    kernel = SEARCH._Run._kernel

    def struck(self):
        monkeypatch.setattr(LimitWatch, "reason_to_stop", lambda watch: "the time is over")
        return kernel(self)

    monkeypatch.setattr(SEARCH._Run, "_kernel", struck)
    result = search(grid(3), SearchOptions(find_all=True))
    assert isinstance(result.verdict, Violated)
    assert (result.incomplete, result.statistics.engine) == ("the time is over", "loop")
    assert (result.statistics.states, result.statistics.transitions, len(result.witnesses)) == (15, 21, 1)


def test_the_kernel_has_the_counts_and_findings_of_the_loop_when_it_takes_over(monkeypatch):
    whole = search(grid(3), SearchOptions(engine="loop", find_all=True))
    changing(monkeypatch, 20)
    result = search(grid(3), SearchOptions(find_all=True))
    assert (result.statistics.engine, result.incomplete) == ("kernel", None)
    assert (result.violations, result.witnesses) == (whole.violations, whole.witnesses)
    assert result.statistics.states == whole.statistics.states


def test_progress_does_not_fall_back_when_the_kernel_takes_over(monkeypatch):
    changing(monkeypatch, 20)
    monkeypatch.setattr(LimitWatch, "progress_due", lambda watch: True)
    events = []
    search(grid(3), SearchOptions(find_all=True), events.append)
    shown = [event for event in events if isinstance(event, Progress)]
    sizes = [(event.states, event.depth) for event in shown]
    assert sizes == sorted(sizes)
    again = [event for event in shown if event.again is not None]
    assert {(event.engine, event.states) for event in again} == {("kernel", 15)}
    assert [event.again for event in again] == sorted(event.again for event in again)
    assert shown[-1].again is None


def test_progress_is_told_after_each_step_of_user_code(monkeypatch):
    monkeypatch.setattr(LimitWatch, "progress_due", lambda watch: True)
    events = []
    result = search(grid(3), SearchOptions(engine="loop", find_all=True), events.append)
    told = sum(isinstance(event, Progress) for event in events)
    assert told >= sum(result.statistics.evaluations.values())


class NeverCompiled:
    """A compilation that does not end."""

    is_over, stopped = False, False

    def stop(self):
        NeverCompiled.stopped = True


def test_the_loop_goes_on_while_the_kernel_is_compiled(monkeypatch):
    changing(monkeypatch, 20)
    monkeypatch.setattr(SEARCH, "KernelCompilation", NeverCompiled)
    events = []
    result = search(grid(3), SearchOptions(find_all=True), events.append)
    assert (result.statistics.engine, result.statistics.states, result.incomplete) == ("loop", 16, None)
    notices = [event.text for event in events if hasattr(event, "text")]
    assert notices == [
        "compiling the kernel engine, once for this installation: about half a minute; "
        "the loop engine searches meanwhile"
    ]
    assert NeverCompiled.stopped


def test_a_limit_ends_the_wait_for_the_kernel(monkeypatch):
    monkeypatch.setattr(SEARCH, "KernelCompilation", NeverCompiled)
    result = search(grid(3), SearchOptions(engine="kernel", limits=Limits(seconds=0.01)))
    assert result.verdict == Incomplete("the time limit of 0.01 s was reached while the kernel engine was compiled")
    assert result.statistics.states == 0


def test_progress_does_not_go_back_when_the_kernel_takes_over(monkeypatch):
    changing(monkeypatch, 100)
    monkeypatch.setattr("sdnloom.engine.limits._PROGRESS_SECONDS", 0.0)
    events = []
    search(grid(12), SearchOptions(find_all=True), events.append)
    progress = [(event.engine, event.states) for event in events if hasattr(event, "frontier")]
    assert {engine for engine, _ in progress} == {"loop", "kernel"}
    assert [states for _, states in progress] == sorted(states for _, states in progress)


def endless(when):
    """A component whose step from 2 never ends; `when` is called in it again and again."""

    def go(core, _):
        while core == 2:
            when()
        return [Outcome(core + 1)]

    return System((Component("A", 0, (Action("go", go),)),))


def test_a_second_interrupt_ends_a_step_that_never_ends_and_the_states_are_reported():
    result = search(endless(lambda: signal.raise_signal(signal.SIGINT)), SearchOptions(engine="loop"))
    assert result.verdict == Incomplete("interrupted in 'go' of 'A'")
    assert result.statistics.states == 2  # a step is evaluated when the state before it is expanded


def test_a_path_to_a_violation_asks_nothing_that_a_limit_has_ended():
    """The reduction leaves a step of B and R out in the states of the path, so not all is known of these."""
    ended = []

    def count(core, _):
        if core == 3:
            ended.append(None)
        while core == 3:
            signal.raise_signal(signal.SIGINT)
        return [Outcome(core + 1, (), ("passed",) if core == 1 else ())]

    def cells(name):
        return {"reads": frozenset({name}), "writes": frozenset({name})}

    system = System(
        (
            Component("A", 0, (Action("count", count, **cells("a")),)),
            Component("B", 0, (Action("send", lambda core, _: [Outcome(1, (("q", "m"),))] if core == 0 else [],
                                      sends=frozenset({"q"}), **cells("b")),)),
            Component("R", 0, (Action("take", lambda core, _: [Outcome(core)], "q", **cells("r")),)),
        ),
        (Channel("q", "R", Fifo()),),
        (Property("passed", Needs.EVENT, lambda memory, _: memory or None, fold=lambda *_: "passed", initial=""),),
    )  # fmt: skip
    for engine in ENGINES:
        ended.clear()
        result = search(system, SearchOptions(engine=engine, order="bfs", find_all=True, reduce=True))
        assert isinstance(result.verdict, Violated)
        assert result.incomplete == "interrupted in 'count' of 'A'"
        assert len(ended) == 1


def test_the_memory_limit_ends_a_step_that_never_ends(monkeypatch):
    used = []
    monkeypatch.setattr("sdnloom.engine.limits.resident_bytes", lambda: 10_000_000 * len(used))
    system = endless(lambda: used or used.append(1))
    result = search(system, SearchOptions(engine="loop", limits=Limits(memory=5_000_000)))
    assert result.verdict == Incomplete("the memory limit of 5 MB was reached in 'go' of 'A'")
    assert result.statistics.states == 2  # a step is evaluated when the state before it is expanded


def test_a_counterexample_is_shown_as_it_was_found_when_there_is_no_time_to_shorten_it(monkeypatch):
    monkeypatch.setattr("sdnloom.engine.counterexample.found_paths.SHORTENING", -1e9)
    options = SearchOptions(engine="loop", order="dfs", limits=Limits(seconds=1e6))
    shown = search(grid(3), options).verdict.counterexample
    assert (shown.minimal, shown.shortest) == (False, False)
    monkeypatch.undo()
    assert search(grid(3), options).verdict.counterexample.minimal


def test_a_limit_that_strikes_in_a_destructor_is_no_error_and_strikes_again(monkeypatch):
    monkeypatch.setattr("sdnloom.engine.limits._GRACE_SECONDS", 0.0)
    monkeypatch.setattr("sdnloom.engine.limits._STRIKE_SECONDS", 0.01)
    seen = []
    monkeypatch.setattr("sys.unraisablehook", seen.append)
    before = sys.unraisablehook

    class Destructor:
        def __del__(self):
            while stop_points._thread.struck is None:
                pass

    def endless():
        Destructor()
        while True:
            pass

    watch = LimitWatch(Limits(seconds=0.01))
    with watch.in_force(), pytest.raises(LimitReached, match="was reached in the program"), interruptible():
        endless()
    assert seen == []
    assert sys.unraisablehook is before
