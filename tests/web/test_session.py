"""Sessions of the explorer: steps, positions, addresses and searches."""

import random

import pytest

from sdnloom.engine.counterexample.rooted_system import rooted_system
from sdnloom.engine.path import replay
from sdnloom.engine.result import SearchOptions
from sdnloom.engine.search import search
from sdnloom.engine.semantics import Semantics, reachable
from sdnloom.engine.walk import Stepper, random_walk
from sdnloom.web import session as session_module
from sdnloom.web.path_address import PathAddressError, StepToken, follow_tokens, read_tokens, token_of
from tests.web.explorer import explored, new_session


def texts(document, key="text") -> list[str]:
    return [each[key] for each in document["enabled"]]


def shown_steps(document) -> int:
    (result,) = document["data"]["results"]
    return len(result["findings"][0]["trace"]["steps"])


def test_steps_are_taken_looked_at_and_dropped() -> None:
    session = new_session("mac_learning/bug1.toml")
    start = session.show()
    assert (start["position"], start["address"], shown_steps(start), start["violated"]) == (0, "", 0, False)
    assert len(start["enabled"]) == 2
    one = session.take(0, 0)
    two = session.take(1, 0)
    assert (two["position"], shown_steps(two), len(two["address"])) == (2, 2, 8)
    assert two["address"].startswith(one["address"])
    looked = session.look(0)
    assert texts(looked) == texts(start)
    assert [each["taken"] for each in looked["enabled"]] == [True, False]
    other = session.take(0, 1)  # another step there: what came behind is dropped
    assert (other["position"], shown_steps(other)) == (1, 1)
    assert session.back(1)["address"] == ""
    assert session.back(0)["address"] == ""
    assert session.serial == 4  # three steps and one undone; at the start there is nothing to undo


def test_properties_say_whether_they_hold_here() -> None:
    session = new_session("mac_learning/bug1.toml")
    words = {each["name"]: each["word"] for each in session.show()["properties"]}
    assert words == {"NoBlackHolesMobile": "holds", "sometimes HostMoved": "not seen"}
    moved = session.take(0, 1)
    words = {each["name"]: each["word"] for each in moved["properties"]}
    assert words == {"NoBlackHolesMobile": "not yet", "sometimes HostMoved": "seen"}
    memories = {each["name"]: each["memory"] for each in moved["properties"]}
    assert memories["sometimes HostMoved"] == ("True",)
    assert "moved = {B}" in memories["NoBlackHolesMobile"]


def test_a_search_goes_to_the_nearest_violation_from_the_start_or_from_here() -> None:
    session = new_session("load_balancer/bug7.toml")
    found = session.search(None)
    assert (found["violated"], shown_steps(found)) == (True, 6)
    assert found["note"].startswith("a violation after 6 more steps")
    assert [each["word"] for each in found["properties"]] == ["violated", "holds", "holds", "not seen"]
    again = session.search(4)  # from the middle of that path
    assert shown_steps(again) == 6
    assert session.search(6)["note"] == "a property is violated here already"


def test_a_search_that_finds_nothing_leaves_the_path() -> None:
    session = new_session("load_balancer/bug7_fixed.toml")
    session.take(0, 0)
    answer = session.search(1)
    assert answer["note"].startswith("no violation found (")
    assert answer["note"].endswith("all that there are)")
    assert shown_steps(answer) == 1


def test_a_search_can_be_cancelled_before_it_begins() -> None:
    session = new_session("mac_learning/bug1.toml")
    session.prepare_search()
    assert session.cancel() == {"searching": True}
    session.run_search(None)
    progress = session.progress()
    assert progress["searching"] is False
    assert "it ended early: interrupted" in progress["answer"]["note"]


def test_a_rooted_system_has_the_rest_of_the_states_with_the_same_findings() -> None:
    system = explored("load_balancer/bug7.toml").semantics.system
    semantics = Semantics(system)
    known = reachable(semantics)
    chance = random.Random(1)
    for state in chance.sample(list(known), 2):
        rooted = Semantics(rooted_system(system, state))
        assert rooted.initial() == state
        part = reachable(rooted)
        assert part.keys() <= known.keys()
        for each, transitions in part.items():
            assert [(t.step, t.state) for t in transitions] == [(t.step, t.state) for t in known[each]]
            assert rooted.findings(each) == semantics.findings(each)
        violated = any(f.property != "sometimes" for each in part for f in semantics.findings(each))
        result = search(rooted.system, SearchOptions(engine="loop"))
        assert bool(result.violations) <= violated
        assert result.violations or result.statistics.states == len(part)


def test_programs_of_actors_are_searched_from_any_state() -> None:
    session = new_session("actors/first_program.py")
    found = session.search(None)
    assert (found["violated"], shown_steps(found)) == (True, 10)
    again = session.search(8)
    assert (again["violated"], shown_steps(again)) == (True, 10)


def test_it_runs_to_rest_and_takes_random_steps() -> None:
    session = new_session("mac_learning/bug1.toml")
    assert session.rest(0)["note"] == "it rests"
    session.take(0, 0)
    rested = session.rest(1)
    semantics = session.explored.semantics
    assert semantics.is_quiescent(session._state(rested["position"]))
    count = shown_steps(rested)
    assert shown_steps(session.random(count)) == count + 1


def test_a_path_may_have_a_limited_number_of_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session_module, "MOST_PATH", 1)
    session = new_session("mac_learning/bug1.toml")
    session.take(0, 0)
    with pytest.raises(session_module.CommandError, match="expected at most 1"):
        session.take(1, 0)


@pytest.mark.parametrize("name", ["mac_learning_osken/bug1.toml", "actors/first_program.py"])
def test_addresses_lead_to_the_same_path_in_another_session(name: str) -> None:
    session = new_session(name)
    for _ in range(6):
        document = session.random(session.show()["position"])
    other = new_session(name)
    opened = other.open(document["address"])
    assert opened["note"] == ""
    assert [t.step for t in other._path] == [t.step for t in session._path]
    assert opened["data"] == document["data"]


def test_an_address_of_another_scenario_is_followed_as_far_as_it_goes() -> None:
    session = new_session("load_balancer/bug7.toml")
    found = session.search(None)
    other = new_session("load_balancer/bug7_fixed.toml")
    opened = other.open(found["address"])
    taken, wanted = shown_steps(opened), shown_steps(found)
    assert 0 < taken < wanted
    assert f"step {taken + 1} of the {wanted} steps in the address cannot be taken here" in opened["note"]


def test_addresses_are_read_back_whatever_steps_collide() -> None:
    tokens = [StepToken("abcd"), StepToken("0000", 3), StepToken("vvvv", 12)]
    assert read_tokens("".join(map(str, tokens))) == tuple(tokens)
    for text in ("abc", "abcd~", "abcd~~", "ABCD", "abcd efgh", "abcd~9999999~"):
        with pytest.raises(PathAddressError, match="goes wrong at character"):
            read_tokens(text)


def test_steps_of_the_same_hash_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sdnloom.web.path_address.step_letters", lambda transition: "same")
    semantics = Semantics(explored("mac_learning/bug1.toml").semantics.system)
    for seed in range(2):
        walk = random_walk(semantics, seed, 30)
        stepper = Stepper(semantics)
        tokens = []
        for transition in replay(semantics, walk.path):
            tokens.append(token_of(transition, stepper.enabled()))
            stepper.take([each.step for each in stepper.enabled()].index(transition.step))
        followed = follow_tokens(semantics, tokens)
        assert [each.step for each in followed.transitions] == list(walk.path.steps)
