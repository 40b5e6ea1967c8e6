"""Phase 1 of the compact agents is complete, with exact numbers of classes and outputs."""

import pytest

from sdnloom.crosscheck.agent import AgentError
from sdnloom.crosscheck.agents.load import load_agent
from sdnloom.crosscheck.exploration import ExploreOptions, explore_agent
from sdnloom.crosscheck.test_document import load_test

QUICK = {
    ("set-config", "reference-like"): (110, 110),
    ("hello", "reference-like"): (2, 2),
    ("queue-config", "reference-like"): (3, 3),
    ("queue-config", "ovs-like"): (2, 2),
    ("concrete", "ovs-like"): (1, 1),
    ("short-symb", "reference-like"): (44, 15),
    ("port-mod", "reference-like"): (20, 10),
    ("stats-request", "reference-like"): (38, 15),
    ("stats-request", "ovs-like"): (38, 23),
    ("self-description", "ovs-like"): (11, 11),
    ("timeouts", "reference-like"): (30, 10),
    ("eth-flow-mod", "reference-like"): (172, 38),
    ("packet-out-13", "reference-like"): (111, 32),
    ("flow-mod-13", "reference-like"): (161, 41),
}


@pytest.mark.parametrize(("test", "agent"), QUICK)
def test_an_exploration_is_complete_and_its_classes_are_pure(test: str, agent: str) -> None:
    checked = 0 if "flow-mod" in test else 2  # drawing further matches takes seconds
    found = explore_agent(load_agent(agent), load_test(test), ExploreOptions(check_classes=checked))
    assert (found.complete, found.reasons) == (True, ())
    assert (len(found.classes), len({each.output for each in found.classes})) == QUICK[test, agent]


@pytest.mark.parametrize("name", ["modified:nothing", "reference-like:x", "ovs-like:1.3"])
def test_a_name_that_no_agent_has_is_refused_with_the_names_there_are(name: str) -> None:
    with pytest.raises(AgentError, match="expected one of reference-like, ovs-like, modified, modified:hello"):
        load_agent(name)


def test_a_version_that_an_agent_does_not_speak_is_refused() -> None:
    with pytest.raises(AgentError, match="does not speak OpenFlow version 5"):
        load_agent("ovs-like").symbolic(5)
