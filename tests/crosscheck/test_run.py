"""Both phases in one run: replays, limits and Ctrl-C, and what is said of what was not compared."""

import struct
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sdnloom.crosscheck import run
from sdnloom.crosscheck.agent import Agent, AgentError, Observed
from sdnloom.crosscheck.agents.load import class_in_file
from sdnloom.crosscheck.comparison import CompareProgress
from sdnloom.crosscheck.exploration import ExploreOptions, ExploreProgress, explore_agent
from sdnloom.crosscheck.partition import Partition
from sdnloom.crosscheck.result import CrosscheckOptions, CrosscheckResult
from sdnloom.crosscheck.root_causes.cause import merged_causes
from sdnloom.crosscheck.run import ConfirmProgress, crosscheck_agents, try_witness
from sdnloom.crosscheck.switch_test import SwitchTest
from sdnloom.crosscheck.test_document import load_test
from sdnloom.crosscheck.witness_file import SwitchWitness

EXAMPLES = Path(__file__).parents[2] / "examples" / "crosscheck"
PORTS = load_test(str(EXAMPLES / "ports.toml"))
VLAN = load_test(str(EXAMPLES / "vlan.toml"))


def old() -> Any:
    return class_in_file(EXAMPLES / "tiny_switch.py", "TinySwitch", "old")


def new() -> Any:
    return class_in_file(EXAMPLES / "tiny_switch_fixed.py", "TinySwitch", "new")


def stopping_at(kind: type, test: str | None = None, agent: str | None = None) -> Callable[[Any], None]:
    """Ctrl-C at the first event of a kind, perhaps about a test or an agent."""

    def look(event: Any) -> None:
        if isinstance(event, kind) and test in (None, event.test) and agent in (None, getattr(event, "agent", None)):
            raise KeyboardInterrupt

    return look


def words(result: CrosscheckResult) -> tuple[str, bool, int, int]:
    [comparison] = result.comparisons
    return result.verdict, result.complete, len(comparison.root_causes), len(comparison.inconsistencies)


def test_what_is_found_is_confirmed_on_both_agents() -> None:
    result = crosscheck_agents([old(), new()], [PORTS])
    assert words(result) == ("differ", True, 2, 3)
    [comparison] = result.comparisons
    assert {one.confirmed for one in (*comparison.inconsistencies, *comparison.root_causes)} == {True}
    assert [(each.agent, each.test, each.classes) for each in result.partitions] == [
        ("old", "ports", 4),
        ("new", "ports", 5),
    ]


class Pretender:
    """A source whose agents do in an exploration what they do not do otherwise."""

    black_box = False
    versions = frozenset({1})
    name = "pretender"

    def symbolic(self, version: int) -> Callable[[], Agent]:
        return old().symbolic(version)  # type: ignore[no-any-return]

    @contextmanager
    def open(self, version: int) -> Iterator[Agent]:
        with new().open(version) as agent:
            yield agent


def test_what_does_not_replay_as_predicted_is_reported_as_not_confirmed() -> None:
    [comparison] = crosscheck_agents([Pretender(), new()], [PORTS]).comparisons
    assert {one.confirmed for one in (*comparison.inconsistencies, *comparison.root_causes)} == {False}
    assert len(comparison.inconsistencies) == 3  # and not hidden


@pytest.mark.parametrize(
    ("states", "merged"),
    [((True, True), True), ((None, True), None), ((True, None), None), ((None, False), False), ((False, True), False)],
)
def test_a_cause_of_several_tests_is_confirmed_only_if_all_are(
    states: tuple[bool | None, bool | None], merged: bool | None
) -> None:
    cause = crosscheck_agents([old(), new()], [VLAN]).comparisons[0].root_causes[0]
    [one] = merged_causes([replace(cause, confirmed=state) for state in states])
    assert one.confirmed is merged


class Silent:
    """A black box that does nothing but crash every second time that it gets a Packet Out."""

    def __init__(self) -> None:
        self.count = 0

    def reset(self) -> Iterable[Observed]:
        return [struct.pack("!BBHI", 1, 0, 8, 0)]

    def message(self, data: bytes) -> Iterable[Observed]:
        self.count += data[1] == 13
        if data[1] == 13 and self.count % 2:
            raise ValueError
        return []

    def packet(self, port: int, frame: bytes) -> Iterable[Observed]:
        return []

    def advance(self, milliseconds: int) -> Iterable[Observed]:
        return []


class Box:
    """A source of a black box that counts how often it is opened."""

    black_box = True
    versions = frozenset({1})
    name = "box"

    def __init__(self, agent: Callable[[], Any]) -> None:
        self.agent, self.opened, self.closed = agent, 0, 0

    def symbolic(self, version: int) -> Callable[[], Agent]:
        raise AssertionError("a black box cannot be explored")

    @contextmanager
    def open(self, version: int) -> Iterator[Agent]:
        self.opened += 1
        try:
            yield self.agent()
        finally:
            self.closed += 1


def test_a_black_box_is_opened_once_for_all_tests_and_closed() -> None:
    box = Box(lambda: old().symbolic(1)())  # an agent in Python, of which only what it does is seen
    result = crosscheck_agents([box, new()], [PORTS, VLAN], CrosscheckOptions(inputs=200))
    assert (box.opened, box.closed) == (1, 1)
    assert result.verdict == "differ"
    assert not result.complete
    [comparison] = result.comparisons
    assert comparison.agents == ("box", "new")
    assert [(each.agent, each.kind) for each in result.partitions] == [
        *(("new", "paths"), ("box", "inputs")),
        *(("new", "paths"), ("box", "inputs")),
    ]
    assert {one.confirmed for one in comparison.root_causes} == {True}
    assert any("vlan_vid" in cause.condition for cause in comparison.root_causes)


def test_a_black_box_that_agrees_so_far_is_incomplete() -> None:
    result = crosscheck_agents([Box(lambda: new().symbolic(1)()), new()], [VLAN], CrosscheckOptions(inputs=50))
    assert words(result) == ("incomplete", False, 0, 0)
    assert "a black box: 50 inputs tried" in result.comparisons[0].reasons[0]


def test_a_black_box_that_does_not_do_the_same_again_is_not_confirmed() -> None:
    result = crosscheck_agents([Box(Silent), new()], [PORTS], CrosscheckOptions(inputs=20))
    [comparison] = result.comparisons
    assert False in {one.confirmed for one in comparison.inconsistencies}


class Mortal(Silent):
    """A black box whose harness fails at the test with a VLAN tag in the packet."""

    def message(self, data: bytes) -> Iterable[Observed]:
        if b"\x81\x00" in data:
            raise AgentError("the switch has ended")
        return []


def test_a_switch_that_fails_late_does_not_take_earlier_findings_with_it() -> None:
    agents = [Box(Mortal), new()]
    result = crosscheck_agents(agents, [PORTS, VLAN], CrosscheckOptions(inputs=20))
    assert result.verdict == "differ"
    assert "test vlan was not compared: the switch has ended" in result.comparisons[0].reasons
    with pytest.raises(AgentError, match="the switch has ended"):
        crosscheck_agents([Box(Mortal), new()], [VLAN], CrosscheckOptions(inputs=20))


# -- Limits ------------------------------------------------------------------------------------------------------------


class Clock:
    """A clock that goes on by a second at each look."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        self.now += 1
        return self.now


def test_without_time_no_test_is_compared_and_each_is_named() -> None:
    result = crosscheck_agents([old(), new()], [PORTS, VLAN], CrosscheckOptions(seconds=0.5), clock=Clock())
    assert words(result) == ("incomplete", False, 0, 0)
    assert result.comparisons[0].reasons == (
        "test ports was not compared: the time limit of 0.5 s was reached",
        "test vlan was not compared: the time limit of 0.5 s was reached",
    )


def test_time_that_is_left_is_shared(monkeypatch: pytest.MonkeyPatch) -> None:
    """Six pieces of work, two explorations and a comparison for each test; here none of them takes any time.

    An exploration may take a quarter of what is left, or its equal share if that is more.
    """
    shares = []

    def spy(source: Any, test: SwitchTest, options: ExploreOptions, *rest: Any) -> Partition:
        shares.append(options.seconds)
        return explore_agent(source, test, replace(options, seconds=None), *rest)

    monkeypatch.setattr(run, "explore_agent", spy)
    result = crosscheck_agents([old(), new()], [PORTS, VLAN], CrosscheckOptions(seconds=600), clock=lambda: 0.0)
    assert shares == [150, 150, 200, 300]
    assert (result.verdict, result.complete) == ("differ", True)


def test_a_share_that_was_too_short_says_whose_it_is() -> None:
    options = CrosscheckOptions(ExploreOptions(seconds=0.0), seconds=600)
    [comparison] = crosscheck_agents([old(), old()], [PORTS], options).comparisons
    assert comparison.reasons[0] == "old: the time limit of 0 s is reached (a share of 600 s)"


def test_a_limit_of_paths_makes_the_result_incomplete() -> None:
    result = crosscheck_agents([old(), old()], [PORTS], CrosscheckOptions(ExploreOptions(paths=2)))
    assert words(result) == ("incomplete", False, 0, 0)
    assert all("the budget of 2 paths is used up" in reason for reason in result.comparisons[0].reasons[:2])


# -- Ctrl-C ------------------------------------------------------------------------------------------------------------


def test_ctrl_c_in_an_exploration_ends_the_run_with_what_was_compared_before() -> None:
    result = crosscheck_agents([old(), new()], [PORTS, VLAN], on_event=stopping_at(ExploreProgress, "vlan"))
    verdict, complete, causes, found = words(result)
    assert (verdict, complete, causes, found) == ("differ", False, 2, 3)
    assert result.comparisons[0].reasons == (
        "test vlan was not compared: interrupted from the keyboard",
        "old: interrupted from the keyboard",
    )


def test_ctrl_c_in_the_first_exploration_is_no_agreement() -> None:
    result = crosscheck_agents([old(), old()], [PORTS], on_event=stopping_at(ExploreProgress))
    assert words(result) == ("incomplete", False, 0, 0)


def test_ctrl_c_in_a_comparison_keeps_what_was_found() -> None:
    result = crosscheck_agents([old(), new()], [PORTS, VLAN], on_event=stopping_at(CompareProgress))
    assert (result.verdict, result.complete) == ("differ", False)
    reasons = result.comparisons[0].reasons
    assert any("interrupted from the keyboard" in reason for reason in reasons)
    assert reasons[-1] == "test vlan was not compared: interrupted from the keyboard"


def test_ctrl_c_in_the_replays_keeps_what_was_found() -> None:
    result = crosscheck_agents([old(), new()], [PORTS], on_event=stopping_at(ConfirmProgress))
    assert words(result) == ("differ", True, 2, 3)
    assert {one.confirmed for one in result.comparisons[0].inconsistencies} == {None}


# -- Mistakes ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("agents", "tests", "message"),
    [
        (["strict"], [PORTS], "found 1 agent, expected two or more to compare"),
        (["strict", "strict"], [], "found no test, expected one or more"),
        (["strict", "nothing"], [PORTS], "agent 'nothing': expected one of strict"),
    ],
)
def test_what_cannot_be_run_is_refused(agents: list[str], tests: list[SwitchTest], message: str) -> None:
    with pytest.raises(AgentError, match=message):
        crosscheck_agents(agents, tests)


def test_a_witness_is_tried_on_an_agent_by_name_or_source() -> None:
    case = PORTS.cases[0]
    witness = SwitchWitness(PORTS, case.name, case.defaults() | {"m1.actions[1].port": 7}, ("old",), (((),),))
    [[crash]] = try_witness(witness, f"{EXAMPLES / 'tiny_switch.py'}:TinySwitch")
    assert (crash.kind, crash.note) == ("crash", "KeyError: 7 (tiny_switch.py, line 46)")
    [[error]] = try_witness(witness, new())
    assert (error.kind, error.values()["code"]) == ("Error", 4)
    other = load_test("packet-out-13")
    with pytest.raises(AgentError, match=r"test packet-out-13 is for OpenFlow 1\.3, but agent new speaks 1\.0"):
        try_witness(SwitchWitness(other, "test", {}, ("old",), (((),),)), new())
