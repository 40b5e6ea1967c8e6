"""Lines and exceptions from any state: the answers, the runs that lead there, and what they are relative to."""

from contextlib import suppress
from dataclasses import replace

import pytest

from sdnloom.check.any_state import TargetStatus, survey_any_state
from sdnloom.check.line_reach import RaisedAt
from sdnloom.check.scenario import Scenario
from sdnloom.engine.limits import LimitWatch
from sdnloom.engine.result import Limits, SearchOptions
from sdnloom.inputs.any_state.state_shapes import StateBounds
from sdnloom.inputs.clients import DiscoveryError
from sdnloom.inputs.concolic import ConcolicOptions
from sdnloom.inputs.options import DiscoverOptions
from sdnloom.inputs.skeletons import SenderView, make_skeletons
from sdnloom.network.hosts import Client
from sdnloom.network.network import Network
from sdnloom.network.openflow import Output
from sdnloom.network.packet import decode
from sdnloom.network.topology import SwitchPort, single
from sdnloom.platforms.line_trace import Line
from sdnloom.platforms.python.program import PythonProgram
from sdnloom.symbolic.options import ExplorationOptions

PORT = SwitchPort("s1", 1)
FILE = "test_any_state.py"
FIELDS = {"eth.type": "0x88b5", "eth.dst": "h2"}


class Strikes:
    """Blocks a host at its second packet; the third one, if it is faster than the block, finds no warning."""

    def __init__(self):
        self.strikes = {}
        self.warnings = {}
        self.most = 7

    def packet_in(self, net, switch, message):
        source = decode(message.data).headers[0].src
        strikes = self.strikes.get(source, 0) + 1
        self.strikes[source] = strikes
        if strikes == 1:
            self.warnings[source] = True
        elif strikes < 1 or self.most < 7:
            self.impossible(net)
        elif strikes == 9:
            net.packet_out(switch, message, Output(2))
        else:
            del self.warnings[source]

    def impossible(self, net):
        net.flood("s1", None)


class Other(Strikes):
    """Another program of this file."""

    def impossible(self, net):
        net.flood("s2", None)


FIRST = Strikes.packet_in.__code__.co_firstlineno


def line(text):
    """The line of the handler, or of what it calls, that has this text."""
    with open(__file__) as file:
        return Line(FILE, next(n for n, each in enumerate(file, 1) if n > FIRST and each.strip() == text))


def scenario(kind=Strikes, sends=2, **options):
    network = Network(single(2), (Client("h1", sends=sends, discover=True),))
    return Scenario(
        network,
        PythonProgram(kind),
        (),
        SearchOptions(**options),
        discovery=DiscoverOptions(("ethernet",), tuple(FIELDS.items())),
    )


def survey(described, states=2_000, entries=1, paths=2_000, watch=None):
    topology = described.network.topology
    skeletons = make_skeletons(["ethernet"], SenderView(topology, topology.host("h1")), FIELDS)
    means = ConcolicOptions(ExplorationOptions(paths=paths))
    return survey_any_state(described, PORT, skeletons, means, StateBounds(entries), watch, states)


def answers(found):
    return {each.target: each.status for each in found.answers}


def test_each_line_and_exception_has_the_strongest_answer_that_was_shown():
    found = survey(scenario())
    by = answers(found)
    assert by[RaisedAt(line("del self.warnings[source]"), "KeyError")] is TargetStatus.POSSIBLE
    assert by[line("del self.warnings[source]")] is TargetStatus.REACHED
    assert by[line("net.packet_out(switch, message, Output(2))")] is TargetStatus.POSSIBLE
    assert by[line("self.impossible(net)")] is TargetStatus.IMPOSSIBLE
    assert by[line('net.flood("s1", None)')] is TargetStatus.IMPOSSIBLE
    assert line('net.flood("s2", None)') not in by
    assert sorted(status.name for status in by.values()) == ["IMPOSSIBLE"] * 2 + ["POSSIBLE"] * 2 + ["REACHED"] * 8
    assert found.complete
    assert not found.decided


def test_the_state_and_the_packet_of_a_possible_line_lead_there():
    found = survey(scenario())
    pairs = {each.target: each.pair for each in found.answers}
    raised = pairs[RaisedAt(line("del self.warnings[source]"), "KeyError")]
    assert dict(raised.state) == {"Strikes.strikes": "{1: 1}", "Strikes.warnings": "{}"}
    assert dict(pairs[line("net.packet_out(switch, message, Output(2))")].state) == {"Strikes.strikes": "{1: 8}"}


def test_a_longer_run_that_leads_there_is_found_and_replayed():
    found = survey(scenario(sends=3))
    raised = RaisedAt(line("del self.warnings[source]"), "KeyError")
    (one,) = [each for each in found.answers if each.target == raised]
    assert one.status is TargetStatus.REACHED
    assert len(one.run.path) == len(found.replayed[one.run]) == 9
    steps = [transition.step for transition in found.replayed[one.run]]
    assert [(step.component, step.action) for step in steps].count(("h1", "send")) == 3


def test_two_entries_lead_nowhere_else_but_are_part_of_the_bound():
    one, two = survey(scenario(), entries=1), survey(scenario(), entries=2)
    assert answers(one) == answers(two)
    assert one.paths < two.paths
    assert [str(attribute) for attribute, _ in two.shape.free] == ["Strikes.strikes", "Strikes.warnings"]
    assert [(str(attribute), why) for attribute, why in two.shape.kept] == [("Strikes.most", "nothing writes it")]


def test_nothing_is_called_impossible_if_paths_were_left_out():
    found = survey(scenario(), paths=2)
    by = answers(found)
    assert TargetStatus.IMPOSSIBLE not in by.values()
    assert by[line("self.impossible(net)")] is TargetStatus.UNDECIDED
    assert found.gaps == ("ethernet: the budget of 2 paths is used up",)
    assert not found.decided


def test_a_limit_on_states_is_the_reason_why_a_run_may_be_missing():
    found = survey(scenario(sends=3), states=5)
    assert found.searches[0].result.incomplete == "the limit of 5 states was reached"
    assert answers(found)[RaisedAt(line("del self.warnings[source]"), "KeyError")] is TargetStatus.POSSIBLE


def test_a_watch_that_was_interrupted_leaves_everything_undecided():
    watch = LimitWatch(Limits())
    watch.interrupted = True
    found = survey(scenario(), watch=watch)
    assert found.gaps == ("nothing was explored, interrupted",)
    assert set(answers(found).values()) == {TargetStatus.REACHED, TargetStatus.UNDECIDED}


def test_violations_and_strategies_of_the_scenario_do_not_end_the_search():
    plain, reduced = survey(scenario()), survey(scenario(reduce=True, find_all=False))
    assert answers(plain) == answers(reduced)
    assert plain.searches[0].result.statistics.states == reduced.searches[0].result.statistics.states


def test_without_a_client_everything_is_only_possible():
    described = replace(scenario(), network=Network(single(2), ()))
    found = survey(described)
    assert TargetStatus.REACHED not in answers(found).values()
    assert found.shape.states == 1
    assert [(str(attribute), why) for attribute, why in found.shape.kept] == [
        ("Strikes.most", "nothing writes it"),
        ("Strikes.strikes", "it was empty in every state met"),
        ("Strikes.warnings", "it was empty in every state met"),
    ]


class Constructs:
    """Statements of every kind, which rewritten code must show as the original does."""

    def __init__(self):
        self.number = 0
        self.table = {}

    def packet_in(self, net, switch, message):
        global FIRST
        kept: int
        source = decode(message.data).headers[0].src
        for each in range(3):
            if each == source:
                continue
            if each > 2:
                break
        else:
            self.number += 1
        try:
            with suppress(KeyError):
                self.table[source] += 1
                self.number = 0
            if self.number == 7:
                raise ValueError(
                    "seven",
                )
        except ValueError:
            self.number = 0
        finally:
            kept = self.number
        match source:
            case 0 | 1:
                self.table[source] = kept
            case 2 if self.number > 1:
                pass
            case _:
                self.impossible()
        while True:
            source -= 1
            if source < 0:
                break

    def impossible(self):
        if type(self) is not Constructs:
            self.number = 5


def test_statements_of_every_kind_are_shown_alike_by_rewritten_code():
    found = survey(scenario(Constructs))
    assert found.complete
    start = Constructs.packet_in.__code__.co_firstlineno
    by = {each.target.number - start: each.status.name for each in found.answers if not each.is_exception}
    assert {line for line, status in by.items() if status == "IMPOSSIBLE"} == {8, 27, 29, 36, 37}
    assert {line for line, status in by.items() if status == "POSSIBLE"} == {16, 20}
    assert not {1, 2} & by.keys()


class Deaf:
    """Handles no packet."""

    def switch_join(self, net, switch, features):
        pass


def test_a_program_without_a_handler_for_packets_has_no_lines():
    found = survey(scenario(Deaf))
    assert found.answers == ()
    assert found.decided


class Custom:
    """A program of a platform that neither rewrites code nor opens its state."""

    name = "Custom"

    def initial(self):
        return ()

    def handle(self, core, given):
        raise AssertionError


def test_a_program_whose_state_cannot_be_changed_is_refused():
    described = replace(scenario(), program=lambda: Custom())
    with pytest.raises(DiscoveryError, match="state of program 'Custom' cannot be changed: it is a Custom; expected"):
        survey(described)
