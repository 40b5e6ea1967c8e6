"""Traces of the published defects as regression tests: gone with the correction, still there with another defect."""

from dataclasses import replace

import pytest

from sdnloom import load_scenario
from sdnloom.engine.result import Incomplete, Limits, Violated
from sdnloom.engine.semantics import Finding
from tests.examples.expected import EXAMPLES

# Defect, correction, states of the search of all orders of the trace's inputs.
CURES = [
    ("mac_learning/bug2", "mac_learning/bug2_fixed", 361),
    ("mac_learning/bug3", "mac_learning/bug3_fixed", 69),
    ("mac_learning_osken/bug3", "mac_learning_osken/bug3_fixed", 69),
    ("load_balancer/bug4", "load_balancer/bug4_fixed", 8),
    ("load_balancer/bug5", "load_balancer/bug5_fixed", 5),
    ("load_balancer/bug6", "load_balancer/bug6_fixed", 30),
    ("load_balancer/bug7", "load_balancer/bug7_fixed", 48),
    ("load_balancer/bug8", "load_balancer/bug8_fixed", 30),
    ("load_balancer/bug9", "load_balancer/bug9_fixed", 255),
    ("load_balancer/bug9_duplicated", "load_balancer/bug9_duplicated_fixed", 299),
    ("traffic_engineering/bug10", "traffic_engineering/bug10_fixed", 15),
    ("traffic_engineering/bug11", "traffic_engineering/bug11_fixed", 15),
    ("traffic_engineering/bug13", "traffic_engineering/bug13_fixed", 708),
]
# Defect, another defect that the same inputs show, states and steps.
STILL = [
    ("load_balancer/bug6", "load_balancer/bug5", 10, 3),
    ("load_balancer/bug8", "load_balancer/bug7", 24, 6),
    ("load_balancer/bug7", "load_balancer/bug8", 22, 6),
]


def scenario(name):
    """The scenario of that name."""
    return load_scenario(EXAMPLES / f"{name}.toml")


def traced(name):
    """A trace of the defect."""
    report = scenario(name).check()
    return report.trace(report.violations[0])


@pytest.mark.parametrize(("defect", "cured", "states"), CURES)
def test_with_the_correction_no_order_of_the_inputs_violates_it(defect, cured, states):
    trace, now = traced(defect), scenario(cured)
    assert not now.replay(trace).confirmed
    result = now.search_inputs_of(trace)
    assert (result.violations, result.incomplete, result.statistics.states) == ((), None, states)


@pytest.mark.parametrize(("defect", "other", "states", "steps"), STILL)
def test_with_another_defect_the_violation_is_still_there(defect, other, states, steps):
    trace, now = traced(defect), scenario(other)
    assert not now.replay(trace).confirmed
    result = now.search_inputs_of(trace)
    assert isinstance(result.verdict, Violated)
    one = result.verdict.counterexample
    assert (one.property, result.statistics.states, len(one.path)) == (trace.finding.property, states, steps)
    again = replace(trace, path=one.path, finding=Finding(one.property, one.message))
    assert now.replay(again).confirmed


def test_the_search_of_the_inputs_is_a_check_with_no_other_inputs():
    now = scenario("mac_learning/bug3_fixed")
    result = now.search_inputs_of(traced("mac_learning/bug3"))
    hosts = tuple(replace(host, sends=1) if host.name == "h1" else host for host in now.network.hosts)
    loops = tuple(each for each in now.properties if each.name == "NoForwardingLoops")
    whole = replace(now, network=replace(now.network, hosts=hosts), properties=loops).check()
    assert whole.verdict == "holds"
    sizes = [(one.states, one.transitions, one.depth) for one in (result.statistics, whole.result.statistics)]
    assert sizes[0] == sizes[1] == (69, 116, 20)


def test_a_limit_ends_the_search_of_the_inputs():
    result = scenario("mac_learning/bug2_fixed").search_inputs_of(traced("mac_learning/bug2"), Limits(states=100))
    assert result.verdict == Incomplete("the limit of 100 states was reached")
