"""A search that chooses: without a reduction while it is small, with one where a trial shows that it costs less."""

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from sdnloom.engine.model import (
    Action,
    Component,
    ModelError,
    Needs,
    Observer,
    Outcome,
    Property,
    Restart,
    System,
)
from sdnloom.engine.reduction import auto_reduction
from sdnloom.engine.reduction.auto_reduction import NoReduction, TrialSchedule
from sdnloom.engine.result import Holds, Incomplete, Limits, Notice, Result, SearchOptions, Violated
from sdnloom.engine.search import search
from tests.engine.systems import REDUCIBLE, random_system
from tests.engine.test_late import server, with_late

LOOP = SearchOptions(engine="loop")
FULL, REDUCED = replace(LOOP, reduce=False), replace(LOOP, reduce=True)


@pytest.fixture
def eager(monkeypatch: pytest.MonkeyPatch) -> None:
    """Trials from the first level on, all of which are worth it."""
    monkeypatch.setattr(auto_reduction, "FIRST_TRIAL", 1)
    monkeypatch.setattr(auto_reduction, "MOST_OF_TRIAL", 1e9)
    monkeypatch.setattr(auto_reduction, "MOST_TO_TAKE", 1e9)


def tallies(parts: int, steps: int, **properties: Any) -> System:
    """Independent components, each of which counts to `steps`: (steps + 1) ** parts states, and one way is enough."""

    def count(core: int, _: object) -> list[Outcome]:
        return [Outcome(core + 1, events=(core,))] if core < steps else []

    components = tuple(Component(f"part {number}", 0, (Action("count", count),)) for number in range(parts))
    return System(components, (), (Property(**{"name": "p", "needs": Needs.QUIESCENT, **silent, **properties}),))


silent: dict[str, Any] = {"violated": lambda memory, columns: None}


def ends(memory: Any, columns: Any) -> str:
    """A property that reports every state that it is asked about."""
    return "the end"


def sizes(result: Result) -> tuple[int, int]:
    return result.statistics.states, result.statistics.transitions


def test_a_search_chooses_unless_it_is_told() -> None:
    assert SearchOptions().reduce == "auto"
    assert [search(tallies(2, 2), options).choice for options in (LOOP, FULL, REDUCED)] == ["small search", None, None]


def test_a_small_search_is_that_without_a_reduction() -> None:
    assert search(tallies(3, 3), LOOP).statistics.transitions == 3 * 3 * 4**2
    found = search(tallies(3, 3, violated=ends), LOOP).violations[0]
    assert (len(found.path), found.shortest) == (9, True)


def test_a_search_that_grows_ends_as_the_reduced_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(auto_reduction, "FIRST_TRIAL", 5_000)
    notices: list[str] = []

    def told(event: object) -> None:
        notices.extend([event.text] if isinstance(event, Notice) else [])

    system = tallies(6, 6)
    result = search(system, LOOP, told)
    assert (result.verdict, sizes(result)) == (Holds(), (37, 36))
    assert (result.reduction, result.choice) == (("stubborn sets", "sleep sets"), "taken at 5,538 transitions")
    assert notices == ["reduction taken at 5,538 transitions: the search begins again and leaves orders out"]
    assert replace(result, choice=None, statistics=replace(search(system, REDUCED).statistics, seconds=0)) == replace(
        search(system, REDUCED), statistics=replace(search(system, REDUCED).statistics, seconds=0)
    )
    violated = search(tallies(6, 6, violated=ends), LOOP).violations[0]
    assert (len(violated.path), violated.shortest) == (36, False)


def test_both_engines_take_it_at_a_place_that_does_not_depend_on_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(auto_reduction, "FIRST_TRIAL", 5_000)
    choices = {search(tallies(6, 6), replace(LOOP, engine=engine)).choice for engine in ("loop", "kernel")}
    assert choices == {"taken at 5,538 transitions"}


def test_a_reduction_that_saves_too_little_is_not_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(auto_reduction, "FIRST_TRIAL", 1_000)
    every = frozenset((f"part {number}", "count") for number in range(4))
    watched = tallies(4, 6, needs=Needs.ORDER, watches=every, fold=lambda memory, event: 0, initial=0)
    result, full = search(watched, LOOP), search(watched, FULL)
    assert sizes(result) == sizes(full)
    assert (result.reduction, result.choice) == ((), "tried at 4,116 transitions, where it saved too little")


def test_verdicts_are_those_of_the_full_search(eager: None) -> None:
    seen: Counter[tuple[str, bool]] = Counter()
    for seed in range(300):
        system = random_system(seed, needs=REDUCIBLE)
        every = search(system, replace(FULL, find_all=True, limits=Limits(states=400)))
        if isinstance(every.incomplete, str):
            continue
        result = search(system, LOOP)
        assert type(result.verdict) is type(every.verdict), seed
        assert {one.property for one in result.violations} <= {one.property for one in every.violations}, seed
        if not result.violations:
            assert result.never == every.never, seed
        seen[type(result.verdict).__name__, bool(result.reduction)] += 1
    assert min(seen["Violated", True], seen["Holds", True], seen["Vacuous", True]) > 10, seen


def test_verdicts_are_those_of_the_full_search_whether_or_not_it_is_worth_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(auto_reduction, "FIRST_TRIAL", 8)
    monkeypatch.setattr(auto_reduction, "AGAIN", 2)
    for name in ("TRANSITION", "DERIVATION"):
        monkeypatch.setattr(auto_reduction, name, 1)
    chosen: Counter[bool] = Counter()
    for seed in range(200):
        system = random_system(seed, needs=REDUCIBLE)
        full = search(system, replace(FULL, limits=Limits(states=400)))
        if isinstance(full.verdict, Incomplete):
            continue
        result = search(system, LOOP)
        assert type(result.verdict) is type(full.verdict), seed
        if not result.reduction and not result.statistics.dives:
            assert sizes(result) == sizes(full), seed
        chosen[bool(result.reduction)] += 1
    assert min(chosen[True], chosen[False]) > 10, chosen


def test_late_actions_matter_as_in_the_full_search(eager: None) -> None:
    result = search(server(), LOOP)
    assert (result.verdict, result.late_explored, sizes(result)) == (Holds(), True, (13, 14))
    for seed in range(100):
        system = with_late(random_system(seed, cyclic=False, needs=REDUCIBLE))
        if system is not None and system.properties:
            full, result = (search(system, replace(options, limits=Limits(states=400))) for options in (FULL, LOOP))
            if not isinstance(full.verdict, Incomplete):
                assert type(result.verdict) is type(full.verdict), seed
                assert result.late_explored == full.late_explored, seed


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"order": "bfs"}, "the order is bfs"),
        ({"order": "dfs"}, "the order is dfs"),
        ({"find_all": True}, "all violations are asked for, and a reduction may find fewer"),
        ({"limits": Limits(depth=50)}, "a depth limit has no meaning with one"),
        ({"checked": True}, "a checked run sees every order"),
    ],
)
def test_what_a_reduction_does_not_keep_is_named(eager: None, options: dict[str, Any], reason: str) -> None:
    result = search(tallies(2, 2), replace(LOOP, **options))
    assert (result.choice, result.reduction, sizes(result)) == (reason, (), (9, 12))


def test_a_property_of_every_state_is_searched_in_every_state(eager: None) -> None:
    result = search(tallies(2, 2, needs=Needs.STATE), LOOP)
    assert result.choice == "property 'p' is checked in every state, and a reduction leaves states out"
    unwatched = {"needs": Needs.ORDER, "fold": lambda memory, event: event, "initial": 0}
    assert search(tallies(2, 2, **unwatched), LOOP).choice == (
        "property 'p' depends on the order of events but watches no action"
    )


def test_observers_and_callers_may_want_every_state(eager: None) -> None:
    met: list[Any] = []
    observer = Observer("all", ("part 0", "part 1"), lambda columns: met.append(dict(columns)))
    assert search(tallies(2, 2), LOOP, observers=[observer]).choice == "every state is asked about"
    assert len(met) == 9
    assert search(tallies(2, 2), LOOP, reduced=NoReduction("because")).choice == "because"


def test_a_property_that_breaks_a_law_is_no_error_but_a_reason(eager: None) -> None:
    """Its memory depends on the order of events, which it does not say."""
    lies = {"needs": Needs.QUIESCENT, "fold": lambda memory, event: (3 * memory + event + 1) % 50, "initial": 0}
    system = tallies(2, 2, **lies)
    with pytest.raises(ModelError, match="depends on the order of events"):
        search(system, REDUCED)
    result = search(system, LOOP)
    assert result.choice is not None
    assert result.choice.startswith("property 'p' in memory 0 depends on the order")
    assert (result.verdict, sizes(result)) == (Holds(), sizes(search(system, FULL)))


class Assuming:
    """The systems of a test: the first assumption is refuted when it is settled, or by a step."""

    footprints = 0
    assumed = None

    def __init__(self, refuted_by_a_step: bool, unsettled: int = 0) -> None:
        self.by_step, self.made, self.settled, self._unsettled = refuted_by_a_step, 0, 0, unsettled

    def assume(self, saved: Any) -> None:
        raise AssertionError("there is no checkpoint")

    def system(self) -> System:
        self.made += 1
        found = tallies(3, 3)
        if self.by_step and self.made == 1:
            restart = Action("count", lambda core, _: Restart("refuted"))
            found = replace(found, components=(replace(found.components[0], actions=(restart,)), *found.components[1:]))
        return found

    @property
    def unsettled(self) -> int:
        return self._unsettled if self.made else 0

    def settle(self) -> Restart | None:
        self.settled += 1
        return Restart("refuted") if self.made == 1 else None

    def concerns(self, restart: Restart) -> bool:
        return self.made == 1


@pytest.mark.parametrize(("by_step", "settled"), [(True, 1), (False, 2)])
def test_a_refuted_assumption_leads_to_another_trial(eager: None, by_step: bool, settled: int) -> None:
    systems = Assuming(by_step)
    result = search(tallies(3, 3), LOOP, reduced=systems)
    assert (result.verdict, bool(result.reduction)) == (Holds(), True)
    assert (systems.made, systems.settled) == (2, settled)


def test_footprints_that_cost_too_much_are_not_looked_for(eager: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(auto_reduction, "MOST_TO_TAKE", 1_000)
    systems = Assuming(False, unsettled=1_000_000)
    result = search(tallies(3, 3), LOOP, reduced=systems)
    assert (result.reduction, systems.settled) == ((), 0)
    assert result.choice is not None
    assert result.choice.endswith("where it saved too little")


def test_trials_come_each_time_the_effort_is_four_times_as_much() -> None:
    loop, kernel = TrialSchedule(with_kernel=False), TrialSchedule(with_kernel=True)
    steps = [199_999, 200_000, 799_999, 800_000, 3_000_000, 6_200_000]
    assert [loop.is_due(step) for step in steps] == [False, False, False, True, False, True]
    assert [kernel.is_due(step) for step in steps] == [False, False, False, False, False, True]
    assert kernel.effort(6_200_000) == 800_000


def test_a_limit_ends_the_search_that_took_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(auto_reduction, "FIRST_TRIAL", 5_000)
    options = replace(LOOP, limits=Limits(states=3_000))
    assert sizes(search(tallies(6, 6), options)) == (37, 36)
    assert search(tallies(6, 6), replace(options, reduce=False)).incomplete == "the limit of 3,000 states was reached"
    assert isinstance(search(tallies(6, 6, violated=ends), options).verdict, Violated)
