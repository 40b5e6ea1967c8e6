"""Random programs: the search, reduced and with symmetry or not, finds what visiting every state finds.

`compare_random.py` does the same for as many programs as one likes. A test says what the chosen ones are good for.
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
from tests.actors.exhaustive import Facts, explored
from tests.actors.random_programs import PROFILES, program_source, random_program

MOST_STATES = 44
SEEDS = {  # of programs that have at least 8 and at most MOST_STATES states; of those below 60 the most interesting
    "mixed": "2 3 5 8 13 15 18 22 23 24 27 31 37 38 39 41",
    "conditions": "1 3 5 6 8 10 13 16 17 18 22 23 24 27 50 55",
    "futures": "2 6 7 11 14 15 17 22 25 30 34 35 39 40 42 54",
    "barriers": "2 5 11 12 18 28 32 35 39 40 41 42 43 48 53 56",
    "rivals": "1 2 4 7 8 10 14 19 22 26 28 33 34 37 42 58",
    "cycle": "0 4 7 14 15 16 17 28 32 34 43 45 47 52 53 56",
    "symmetric": "0 1 2 9 12 13 19 21 30 31 33 36 37 42 44 55",
    "unfair": "4 5 6 8 9 10 12 15 20 21 23 32 39 40 44 47",
    "peers": "4 5 11 20 29 32 33 38 40 41 42 45 47 49 54 59",
    "monitors": "2 3 6 11 12 14 15 16 17 33 34 39 45 48 53 55",
    "returns": "3 10 11 17 18 22 26 29 35 36 38 41 44 49 55 57",
    "failures": "2 6 7 10 17 18 22 23 24 28 31 32 42 49 50 58",
    "queries": "1 2 3 4 7 8 9 12 13 24 25 32 36 37 53 57",
}
LEAST = {
    "programs": 200,
    "more than 15 states": 130,
    "several final states": 110,
    "deadlock": 100,
    "failed task": 6,
    "wrong final state": 50,
    "report of the monitor": 14,
    "cycle": 10,
    "reduced": 170,
    "reduced to half": 60,
    "more than two rounds": 15,
    "symmetric": 40,
    "fewer states by symmetry": 40,
    "unfair": 3,
}
WITH_PEERS = ("symmetric", "unfair", "peers")


@cache
def facts(seed: int, profile: str) -> Facts:
    """Everything that the program can do."""
    return explored(random_program(seed, profile), MOST_STATES)


@cache
def found(seed: int, profile: str, level: str, symmetry: bool) -> Found:
    return searched(random_program(seed, profile), level, symmetry)


def programs(profile: str) -> list[tuple[int, Facts]]:
    return [(int(seed), facts(int(seed), profile)) for seed in SEEDS[profile].split()]


def modes(seed: int, profile: str) -> list[tuple[str, bool]]:
    """Symmetry both ways for programs with peers, else in turns: few of the others have interchangeable actors."""
    symmetries = (False, True) if profile in WITH_PEERS else (bool(seed % 2),)
    levels = ("none", "context", "actor" if seed % 4 < 2 else "entry")
    return [(level, symmetry) for level in levels for symmetry in symmetries]


@pytest.mark.parametrize("profile", PROFILES)
def test_the_search_finds_the_final_states_events_and_violations_of_a_full_search(profile: str) -> None:
    for seed, expected in programs(profile):
        for mode in modes(seed, profile):
            lost = differences(expected, found(seed, profile, *mode))
            assert not lost, (lost, seed, mode, program_source(seed, profile))


def measured() -> Counter[str]:
    counts: Counter[str] = Counter()
    for profile in PROFILES:
        for seed, known in programs(profile):
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


def test_the_programs_are_not_trivial() -> None:
    counts = measured()
    assert {name: (counts[name], number) for name, number in LEAST.items() if counts[name] < number} == {}


@pytest.mark.parametrize("profile", PROFILES)
def test_every_violation_has_a_counterexample_that_replays(profile: str) -> None:
    for seed, expected in programs(profile)[:3]:
        program = random_program(seed, profile)
        result = search_program(program, ActorOptions(find_all=True)).result
        messages = {(each.property, each.message) for each in result.violations}
        assert messages <= expected.violations
        assert up_to_names(messages) == up_to_names(expected.violations)
        semantics = ActorSemantics(program)
        for each in result.violations:
            state = replay(semantics, each.path)[-1].state
            assert Finding(each.property, each.message) in semantics.findings(state)
