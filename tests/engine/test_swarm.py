"""Swarms: what members visit, what they find, and that the result depends on the system and the options alone."""

import math
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from sdnloom.engine.counterexample.finding_log import FindingLog
from sdnloom.engine.memo import Memo
from sdnloom.engine.model import Action, Component, Mode, Needs, Outcome, Property, System
from sdnloom.engine.path import final_state, replay
from sdnloom.engine.result import SearchOptions, Violated
from sdnloom.engine.search import search
from sdnloom.engine.semantics import Semantics
from sdnloom.engine.swarm.bit_array import BitArray
from sdnloom.engine.swarm.member import BitstateSearch, MemberOutcome
from sdnloom.engine.swarm.options import MemberPlan, SwarmOptions
from sdnloom.engine.swarm.path_choices import choices_of, path_of
from sdnloom.engine.swarm.result import OUTLIVED
from sdnloom.engine.swarm.run import search_swarm
from sdnloom.engine.swarm.state_hash import SLOT_MASK, ContentDigests, StateHash
from sdnloom.engine.system_graph import SystemGraph
from sdnloom.errors import SdnloomError
from tests.engine.systems import random_system
from tests.engine.test_graph import levels_of, some
from tests.engine.test_late import server

ROOT = Path(__file__).parents[2]
LARGE = 1 << 20  # bytes of a bit array in which no state of a random system meets another one
ALONE = SwarmOptions(members=3, jobs=1, memory=LARGE)


def member(
    system: System, plan: MemberPlan, memory: int = LARGE, warm: bool = False
) -> tuple[MemberOutcome, StateHash]:
    """One member that goes on after violations, and its hash function; `warm` if its graph has seen the space."""
    graph = SystemGraph(Memo(system))
    digests = ContentDigests(graph)
    if warm:
        left = list(graph.initial())
        seen = set(left)
        while left:
            fresh = set(graph.successors(left.pop())) - seen
            seen |= fresh
            left += sorted(fresh)
    found = BitstateSearch(digests, plan, memory, 3, FindingLog(system, None, True), lambda states, transitions: None)
    return found.outcome(found.run()), StateHash(digests, plan.seed, 3)


def common_hashes(states, hash_of: StateHash, system: System) -> list[int]:
    """The hashes that all members share, of plain states, by the graph of the hash function."""
    graph = hash_of._columns[0]._digests.graph
    return sorted(hash_of(graph.encode(state)) & SLOT_MASK for state in states)


# -- What a member visits ----------------------------------------------------------------------------------------------


def test_with_a_large_bit_array_a_member_visits_exactly_the_states_of_a_full_search() -> None:
    for number, (system, expected) in enumerate(some(60)):
        outcome, hash_of = member(system, MemberPlan(1, f"{number}", 10_000, 10_000_000))
        assert (outcome.end, outcome.cut) == ("exhausted", False)
        assert (outcome.states, outcome.transitions) == (len(expected), sum(map(len, expected.values())))
        assert list(outcome.sample) == common_hashes(expected, hash_of, system)


def test_a_member_stays_within_its_depth_bound_and_says_that_it_was_cut() -> None:
    cut = 0
    for number, (system, expected) in enumerate(some(60)):
        for depth in (1, 3):
            near = [state for state, level in levels_of(expected).items() if level <= depth]
            outcome, hash_of = member(system, MemberPlan(1, f"{number}", depth, 10_000_000))
            assert outcome.depth <= depth
            assert {*outcome.sample} <= {*common_hashes(near, hash_of, system)}
            assert outcome.cut or outcome.states == len(expected)
            cut += outcome.cut
    assert cut > 50


def test_a_member_ends_at_its_share_of_transitions() -> None:
    system, expected = max(some(60), key=lambda one: len(one[1]))
    most = max(map(len, expected.values()))
    outcome, _ = member(system, MemberPlan(1, "s", 10_000, 100))
    assert outcome.end == "share"
    assert 100 <= outcome.transitions < 100 + most


def test_a_full_bit_array_leaves_states_out_and_never_counts_one_twice() -> None:
    system, expected = max(some(60), key=lambda one: len(one[1]))
    outcome, hash_of = member(system, MemberPlan(1, "s", 10_000, 10_000_000), memory=16)
    assert outcome.end == "exhausted"
    assert 0 < outcome.states < len(expected)
    assert len({*outcome.sample}) == outcome.states
    assert {*outcome.sample} < {*common_hashes(expected, hash_of, system)}
    assert outcome.bits_set <= 128
    assert 0 < outcome.odds <= 1
    assert 0 < outcome.share_omitted < 1


def test_a_bit_array_without_a_free_bit_leaves_all_out_in_processes_too() -> None:
    system, expected = max(some(60), key=lambda one: len(one[1]))
    outcome, _ = member(system, MemberPlan(1, "s", 10_000, 10_000_000), memory=1)
    assert (outcome.end, outcome.bits_set, outcome.odds) == ("exhausted", 8, 1)
    assert 0 < outcome.states <= 8 < len(expected)
    assert (outcome.omitted, outcome.share_omitted) == (math.inf, 1)
    options = replace(ALONE, memory=1)
    alone, forked = (search_swarm(system, replace(options, jobs=jobs)) for jobs in (1, 2))
    assert alone == forked
    assert math.inf in [each.omitted for each in alone.members]


# -- Hashes depend on contents alone -----------------------------------------------------------------------------------


def test_a_member_does_not_depend_on_what_the_process_has_seen_before() -> None:
    plan = MemberPlan(1, "s", 40, 300)
    for system, _ in some(30):
        for memory in (64, LARGE):
            assert member(system, plan, memory)[0] == member(system, plan, memory, warm=True)[0]


def test_other_seeds_give_other_orders_and_other_hashes_of_the_same_states() -> None:
    system, expected = max(some(60), key=lambda one: len(one[1]))
    (one, first), (other, second) = (member(system, MemberPlan(1, seed, 40, 200)) for seed in "ab")
    assert one.sample != other.sample
    assert common_hashes(expected, first, system) == common_hashes(expected, second, system)
    graph = first._columns[0]._digests.graph
    assert all(first(state) >> 64 != second(state) >> 64 for state in graph.initial())


def test_values_that_print_alike_and_differ_are_told_apart() -> None:
    class Hidden:
        def __init__(self, value: int) -> None:
            self.value = value

        def __eq__(self, other: object) -> bool:
            return isinstance(other, Hidden) and self.value == other.value

        def __hash__(self) -> int:
            return hash(self.value)

        def __repr__(self) -> str:
            return "hidden"

    def count(core: Hidden, _: None) -> list[Outcome]:
        return [Outcome(Hidden(core.value + 1))] if core.value < 5 else []

    outcome, _ = member(System((Component("a", Hidden(0), (Action("count", count),)),)), MemberPlan(1, "s", 99, 99))
    assert outcome.states == 6


SCRIPT = """
from sdnloom.engine.swarm.options import SwarmOptions
from sdnloom.engine.swarm.run import search_swarm
from tests.engine.systems import random_system

options = SwarmOptions(members=4, transitions=60, memory=64, jobs={jobs})
for seed in range(4, 12):
    found = search_swarm(random_system(seed), options)
    print(found.members, found.violation, found.walked, found.notes)
"""


def test_results_depend_neither_on_the_hash_seed_nor_on_the_number_of_processes() -> None:
    printed = {
        subprocess.run(
            [sys.executable, "-c", SCRIPT.format(jobs=jobs)],
            capture_output=True,
            text=True,
            check=True,
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": hash_seed},
        ).stdout
        for hash_seed, jobs in (("1", 1), ("2", 3))
    }
    [text] = printed
    assert "Counterexample" in text
    assert "MemberOutcome" in text


# -- Bit arrays --------------------------------------------------------------------------------------------------------


def test_a_bit_array_never_takes_a_known_hash_for_a_new_one() -> None:
    array = BitArray(4, 3)
    hashes = [number * 0x9E3779B97F4A7C15F39CC0605CEDC8341082276BF3A27251F86C6A11D0C18E95 for number in range(1, 40)]
    new = [each for each in hashes if array.add(each)]
    assert 5 < len(new) < len(hashes)
    assert not any(map(array.add, hashes))
    assert array.odds == (array.bits_set / 32) ** 3


def test_a_bit_array_that_cannot_be_had_is_one_message() -> None:
    with pytest.raises(SdnloomError, match=r"--memory is \d+ MiB, more than this machine gives; expected less"):
        BitArray(1 << 62, 3)


# -- Violations --------------------------------------------------------------------------------------------------------


def test_a_swarm_that_is_large_enough_finds_a_violation_if_there_is_one_and_it_replays() -> None:
    violated = 0
    for seed in range(80):
        system = random_system(seed)
        expected = search(system, SearchOptions(engine="loop", order="bfs"))
        found = search_swarm(system, replace(ALONE, seed=seed))
        assert (found.violation is not None) == isinstance(expected.verdict, Violated)
        if found.violation is None:
            assert found.verdict == "incomplete"
            assert {each.end for each in found.members} == {"exhausted"}
            continue
        violated += 1
        semantics = Semantics(system)
        end = final_state(semantics, replay(semantics, found.violation.path))
        assert found.violation.property in {each.property for each in semantics.findings(end)}
        assert found.members[-1].end == "violation"
        assert all(each.end != "violation" for each in found.members[:-1])
        assert len(found.violation.path) <= found.walked
    assert 20 < violated < 70


def test_a_violation_at_rest_counts_only_if_it_outlasts_late_actions() -> None:
    answered = search_swarm(server(ticks=3, after=1), ALONE)
    assert (answered.verdict, answered.notes) == ("incomplete", (OUTLIVED,))
    too_late = search_swarm(server(ticks=1, after=2), ALONE)
    assert too_late.violation is not None
    assert [step.action for step in too_late.violation.path.steps] == ["send", "take", "late tick"]


def test_paths_are_told_to_other_processes_as_the_places_of_their_steps() -> None:
    for seed in range(40):
        system = random_system(seed)
        result = search(system, SearchOptions(engine="loop"))
        semantics = Semantics(system)
        for shown in result.violations:
            assert path_of(semantics, choices_of(semantics, shown.path)) == shown.path


def deep(length: int) -> System:
    """A counter that is violated at its end, beside many others that lead nowhere."""

    def step(core: int, _: None) -> list[Outcome]:
        return [Outcome(core + 1)] if core < length else []

    def spoil(core: int, _: None) -> list[Outcome]:
        return [Outcome(-core)] if 0 < core < length else []

    def at_end(memory: None, columns: Mapping[str, int]) -> str | None:
        return "end" if columns["a"] == length else None

    wanted = Property("end", Needs.STATE, at_end, columns=("a",))
    return System((Component("a", 0, (Action("step", step), Action("spoil", spoil, mode=Mode.MAY))),), (), (wanted,))


def test_members_of_less_depth_take_their_turn() -> None:
    options = SwarmOptions(members=5, depth=200)
    assert [options.plan(number, 100).depth for number in range(1, 6)] == [200, 80, 60, 50, 200]
    assert [options.plan(number, 900).depth for number in range(1, 6)] == [200, 160, 120, 100, 200]
    assert search_swarm(deep(50), replace(ALONE, depth=49)).violation is None
    found = search_swarm(deep(50), replace(ALONE, depth=50))
    assert found.violation is not None
    assert len(found.violation.path) == 50


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"members": 0}, "swarm: members is 0; expected a whole number of at least 1"),
        ({"memory": 1.5}, "swarm: memory is 1.5; expected a whole number of at least 1"),
        ({"bits_per_state": 8}, "swarm: bits_per_state is 8; expected at most 7"),
        ({"seconds": 0}, "swarm: seconds is 0; expected a positive number"),
        ({"jobs": True}, "swarm: jobs is True; expected a whole number of at least 1"),
    ],
)
def test_bad_options_are_one_message(options: dict[str, object], message: str) -> None:
    with pytest.raises(SdnloomError) as refused:
        SwarmOptions(**options)
    assert str(refused.value) == message
