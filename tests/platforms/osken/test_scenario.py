"""os-ken apps inside of a search: the same verdicts and the same states as the program in plain Python."""

import pytest

from sdnloom.check.scenario import Scenario
from sdnloom.engine.model import Mode
from sdnloom.engine.result import Limits, SearchOptions
from sdnloom.engine.semantics import Finding
from sdnloom.network.build import build
from sdnloom.network.hosts import Client, Replier
from sdnloom.network.network import External, Network, NetworkError, ProgramTimer, SwitchOptions
from sdnloom.network.topology.shapes import linear, ring, single
from sdnloom.platforms.osken.errors import AppError
from sdnloom.properties import DirectPaths, NoForwardingLoops, NoHandlerException
from tests.platforms.osken.helpers import program

ONE_PING = (Client("h1", ("h2",)), Replier("h2"))
PINGS = (Client("h1", ("h2",), sends=2), Replier("h2"))


OPTIONS = SearchOptions(limits=Limits(states=200_000))
USUAL = (NoForwardingLoops(), NoHandlerException())


def scenario(under_test, topology=None, properties=USUAL, **network):
    hosts = network.pop("hosts", PINGS)
    options = SwitchOptions(version=under_test.version)
    return Scenario(Network(topology or linear(2), hosts, options, **network), under_test, properties, OPTIONS)


@pytest.mark.parametrize("name", ["learning", "learning10"])
def test_the_published_defect_of_mac_learning_is_found(name):
    report = scenario(program(name), properties=(DirectPaths(),)).check()
    assert report.verdict == "violated"
    (found,) = {each.property for each in report.violations}
    assert found == "DirectPaths"


def test_a_ring_has_a_loop_and_the_trace_replays():
    checked = scenario(program("learning"), ring(3), hosts=ONE_PING)
    report = checked.check()
    found = next(each for each in report.violations if each.property == "NoForwardingLoops")
    trace = checked.trace(found.path, Finding(found.property, found.message), {})
    replayed = scenario(program("learning"), ring(3), hosts=ONE_PING).replay(
        trace
    )  # another instance, as in another process
    assert (replayed.confirmed, replayed.diverged, replayed.warnings) == (True, None, ())
    assert len(replayed.transitions) == len(found.path)


def test_states_and_transitions_are_those_of_every_run():
    counts = {
        (report.result.statistics.states, report.result.statistics.transitions, report.handler_runs)
        for report in (scenario(program("learning")).check() for _ in range(2))
    }
    assert len(counts) == 1


def test_a_version_that_the_switches_do_not_speak_is_refused():
    network = Network(linear(2), PINGS, SwitchOptions(version="1.0"))
    with pytest.raises(NetworkError, match=r"program 'Learning' speaks OpenFlow 1.3, the switches 1.0; expected one"):
        build(network, program("learning"))


def actions(system):
    (controller,) = (each for each in system.components if each.name == "controller")
    return {action.name: action.mode for action in controller.actions}


def test_ticks_and_turns_are_actions_only_where_they_can_happen():
    late = {"tick when nothing else happens": Mode.LATE}
    assert actions(scenario(program("learning")).system()) == {"handle s1": Mode.MUST, "handle s2": Mode.MUST, **late}
    timed = scenario(program("sleeper", version="1.3", threads="explore"), ticks=2)
    assert actions(timed.system()) == {
        "handle s1": Mode.MUST,
        "handle s2": Mode.MUST,
        "tick": Mode.MAY,
        "turn": Mode.MUST,
        **late,
    }
    still = scenario(program("learning"), settle_ticks=0)
    assert actions(still.system()) == {"handle s1": Mode.MUST, "handle s2": Mode.MUST}


def test_time_passes_as_often_as_the_budget_says_and_no_more():
    def runs(ticks):
        under_test = program("sleeper", version="1.3")
        return scenario(under_test, single(1), hosts=(), ticks=ticks).check().result.statistics

    # A barrier is on its way, its answer is, or neither. After the second tick two can be under way: five states in
    # which the second one is number 2; and three in which it was sent when the first was answered, as number 1.
    assert [runs(ticks).states for ticks in (0, 1, 2)] == [1, 4, 12]


def test_a_verdict_says_that_time_stood_still():
    under_test = program("sleeper", version="1.3")
    bounds = scenario(under_test, single(1), hosts=()).check().bounds
    before = "before a violation at rest is reported, time passes 3 times in a row, in one order"
    assert bounds[0] == f"ticks = 0, so these timers do not fire: wake Sleeper.poll; but {before}"
    assert bounds[1].startswith("threads of the program run first come first served")
    bounds = scenario(under_test, single(1), hosts=(), ticks=1).check().bounds
    assert bounds[:2] == ("time passes to the program's next timer at most once", before)
    bounds = scenario(under_test, single(1), hosts=(), settle_ticks=0).check().bounds
    assert bounds[0] == "ticks = 0, so these timers never fire: wake Sleeper.poll"


def test_ticks_are_checked():
    with pytest.raises(NetworkError, match="ticks is -1; expected a whole number of at least 0"):
        Network(linear(2), ticks=-1)


def test_requests_are_events_of_the_scenario():
    calls = (External("PUT /table/a", ("1",)), External("GET /table/a"))
    report = scenario(program("web", version="1.3"), single(1), hosts=(), externals=calls).check()
    assert report.verdict == "holds"
    assert report.result.statistics.states == 4  # neither, one, the other, both
    assert report.bounds[:2] == ("PUT /table/a is called at most once", "GET /table/a is called at most once")


@pytest.mark.parametrize(
    ("outside", "expected"),
    [
        ({"timers": (ProgramTimer("t"),)}, "timer 't': an os-ken app has no timers of that kind"),
        ({"externals": (External("go"),)}, "call 'go' with 0 arguments; expected METHOD /path and a body: none"),
    ],
    ids=["timer", "call"],
)
def test_what_apps_can_never_be_given_is_refused_before_the_search(outside, expected):
    with pytest.raises(AppError, match=expected):
        scenario(program("learning"), **outside).system()
