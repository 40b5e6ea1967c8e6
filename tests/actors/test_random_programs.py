"""Random programs: the search, reduced and with symmetry or not, finds what visiting every state finds.

Programs whose full search is too large are left out; the first test says how few, and what the others are good for.
"""

from collections import Counter
from functools import cache
from typing import Any

import pytest

from sdnloom.actors.search.options import ActorOptions
from sdnloom.actors.search.search import search_program
from sdnloom.actors.semantics import ActorSemantics
from sdnloom.engine.path import replay
from sdnloom.engine.semantics import Finding
from tests.actors.comparison import Found, differences, searched, up_to_names
from tests.actors.exhaustive import Facts, TooManyStatesError, explored
from tests.actors.random_programs import PROFILES, program_source, random_program

SEEDS = range(22)
MOST_STATES = 60
LEAST = {
    "programs": 200,
    "more than 15 states": 90,
    "several final states": 60,
    "deadlock": 75,
    "failed task": 8,
    "wrong final state": 30,
    "report of the monitor": 12,
    "cycle": 4,
    "reduced": 170,
    "reduced to half": 50,
    "more than two rounds": 8,
    "symmetric": 12,
    "fewer states by symmetry": 12,
    "unfair": 2,
}
WITH_PEERS = ("symmetric", "unfair", "peers")


@cache
def facts(seed: int, profile: str) -> Facts | None:
    """Everything that the program can do, None if that is too much."""
    try:
        return explored(random_program(seed, profile), MOST_STATES)
    except TooManyStatesError:
        return None


@cache
def found(seed: int, profile: str, level: str, symmetry: bool) -> Found:
    return searched(random_program(seed, profile), level, symmetry)


def small(profile: str) -> list[tuple[int, Facts]]:
    return [(seed, known) for seed in SEEDS if (known := facts(seed, profile)) is not None]


def modes(seed: int, profile: str) -> list[tuple[str, bool]]:
    """Symmetry both ways for programs with peers, else in turns: few of the others have interchangeable actors."""
    symmetries = (False, True) if profile in WITH_PEERS else (bool(seed % 2),)
    levels = ("none", "context", "actor" if seed % 4 < 2 else "entry")
    return [(level, symmetry) for level in levels for symmetry in symmetries]


@pytest.mark.parametrize("profile", PROFILES)
def test_the_search_finds_the_final_states_events_and_violations_of_a_full_search(profile: str) -> None:
    for seed, expected in small(profile):
        for mode in modes(seed, profile):
            lost = differences(expected, found(seed, profile, *mode))
            assert not lost, (lost, seed, mode, program_source(seed, profile))


def measured() -> Counter[str]:
    counts: Counter[str] = Counter()
    for profile in PROFILES:
        for seed, known in small(profile):
            symmetry = profile in WITH_PEERS or bool(seed % 2)
            plain, reduced = (found(seed, profile, level, symmetry) for level in ("none", "context"))
            names = {name for name, _ in known.violations}
            seen: dict[str, Any] = {
                "programs": True,
                "several final states": len(known.finals) > 1,
                "deadlock": known.deadlocks,
                "failed task": "NoTaskErrors" in names,
                "wrong final state": "right" in names,
                "report of the monitor": "watch" in names,
                "cycle": known.has_cycle,
                "more than 15 states": known.states > 15,
                "reduced": reduced.states < plain.states,
                "reduced to half": reduced.states * 2 <= plain.states,
                "more than two rounds": reduced.rounds > 2,
                "symmetric": plain.is_symmetric,
                "unfair": plain.is_unfair,
                "fewer states by symmetry": plain.is_symmetric and plain.states < known.states,
            }
            counts.update(name for name, is_so in seen.items() if is_so)
    return counts


def test_the_programs_are_small_enough_and_not_trivial() -> None:
    counts = measured()
    assert {name: (counts[name], number) for name, number in LEAST.items() if counts[name] < number} == {}


@pytest.mark.parametrize("profile", PROFILES)
def test_every_violation_has_a_counterexample_that_replays(profile: str) -> None:
    for seed, expected in small(profile)[:3]:
        program = random_program(seed, profile)
        result = search_program(program, ActorOptions(find_all=True)).result
        messages = {(each.property, each.message) for each in result.violations}
        assert messages <= expected.violations
        assert up_to_names(messages) == up_to_names(expected.violations)
        semantics = ActorSemantics(program)
        for each in result.violations:
            state = replay(semantics, each.path)[-1].state
            assert Finding(each.property, each.message) in semantics.findings(state)
