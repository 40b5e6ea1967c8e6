"""The order `auto` for programs of actors: the answers of a breadth-first search, and dives that find what is deep."""

from typing import Any

import pytest

from sdnloom.actors.actor import Actor
from sdnloom.actors.program import Program
from sdnloom.actors.run import check_program
from sdnloom.actors.search.options import ActorOptions
from sdnloom.actors.search.search import search_program
from sdnloom.actors.semantics import ActorSemantics
from sdnloom.engine.dives import schedule
from sdnloom.engine.path import replay
from sdnloom.engine.result import Limits, Progress, Violated
from tests.actors.random_programs import PROFILES, random_program


@pytest.fixture
def early_dives(monkeypatch):
    """Dives from the first level on."""
    monkeypatch.setattr(schedule, "FIRST", 60)


def counts(found: Any) -> tuple[int, ...]:
    """What a whole search has counted."""
    statistics = found.result.statistics
    return statistics.states, statistics.transitions, statistics.depth, found.rounds, found.final_states


@pytest.mark.usefixtures("early_dives")
def test_verdicts_are_those_of_a_breadth_first_search_and_counts_too_if_nothing_is_found():
    dived = held = 0
    for seed in range(2):
        for profile in PROFILES:
            limits = Limits(states=150)
            breadth = search_program(random_program(seed, profile), ActorOptions(order="bfs", limits=limits))
            if breadth.result.incomplete is not None and "limit" in breadth.result.incomplete:
                continue
            program = random_program(seed, profile)
            auto = search_program(program)
            assert type(auto.result.verdict) is type(breadth.result.verdict)
            if not isinstance(auto.result.verdict, Violated):
                assert counts(auto) == counts(breadth)
                assert auto.result.statistics.evaluations == breadth.result.statistics.evaluations
                held += auto.result.statistics.dives > 0
                continue
            one = auto.result.verdict.counterexample
            semantics = ActorSemantics(program)
            transitions = replay(semantics, one.path)
            end = transitions[-1].state if transitions else semantics.initial()
            assert (one.property, one.message) in semantics.findings(end)
            dived += counts(auto) != counts(breadth)
    assert (held, dived) == (11, 11)


class Climber(Actor):
    """Takes so many steps up."""

    height: int = 0

    async def climb(self, left: int) -> None:
        self.height += 1
        if left > 1:
            self.later.climb(left - 1)


def tower(number: int, height: int) -> Program:
    """Climbers who must not all be at the top."""

    def not_all_at_the_top(view: Any) -> str | None:
        at_top = all(view[f"c{each}"].height == height for each in range(number))
        return "all are at the top" if at_top else None

    climbers = [Climber(f"c{each}") for each in range(number)]
    start = [climber.climb(height) for climber in climbers]
    return Program(actors=climbers, start=start, always=[not_all_at_the_top])


def test_what_is_deep_is_found_by_a_dive(monkeypatch):
    monkeypatch.setattr(schedule, "FIRST", 2_000)
    monkeypatch.setattr("sdnloom.engine.limits.LimitWatch.progress_due", lambda self: True)
    events: list[Any] = []
    report = check_program(tower(5, 5), ActorOptions(symmetry=False), events.append)
    one = report.violations[0]
    assert (len(one.path), one.minimal, one.shortest) == (25, True, False)
    statistics = report.result.statistics
    assert (statistics.states, statistics.transitions, statistics.dives, statistics.dive_states) == (56, 105, 1, 98)
    shown = {(event.dive is not None, event.round) for event in events if isinstance(event, Progress)}
    assert shown == {(False, 1), (True, 1)}
