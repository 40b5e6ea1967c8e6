"""Discovered statistics of every kind: apps of both versions are given the counters that break them."""

from typing import NamedTuple

import pytest

from sdnloom import Network, NoHandlerException, ProgramTimer, PythonProgram, Scenario, single
from sdnloom.check.load import read_scenario
from sdnloom.engine.semantics import Finding
from sdnloom.inputs.concolic import ConcolicExplorer
from sdnloom.inputs.explorer import HandlerQuestion
from sdnloom.inputs.options import DiscoverOptions
from sdnloom.inputs.statistics import reply_skeleton
from sdnloom.network.openflow import FlowStats, FlowStatsReply, FlowStatsRequest, Match, TableStats, TableStatsReply
from sdnloom.network.openflow import Output as ToPort
from sdnloom.platforms.python.symbolic import SymbolicPython

APP = """
from os_ken.base import app_manager
from os_ken.controller import ofp_event
from os_ken.controller.handler import CONFIG_DISPATCHER, MAIN_DISPATCHER, set_ev_cls
from os_ken.lib import hub
from os_ken.ofproto import ofproto_v1_{minor}


class Monitor(app_manager.OSKenApp):
    OFP_VERSIONS = [ofproto_v1_{minor}.OFP_VERSION]

    @set_ev_cls(ofp_event.EventOFPSwitchFeatures, CONFIG_DISPATCHER)
    def joined(self, ev):
        dp = ev.msg.datapath
        p, o = dp.ofproto_parser, dp.ofproto
        for port in (1, 2):
            actions = [p.OFPActionOutput(3 - port)]
            given = dict(actions=actions, cookie=0, command=o.OFPFC_ADD)
            if {minor} == 3:
                given = dict(instructions=[p.OFPInstructionActions(o.OFPIT_APPLY_ACTIONS, actions)])
            dp.send_msg(p.OFPFlowMod(datapath=dp, match=p.OFPMatch(in_port=port), priority=port, **given))
        if {minor} == 3:
            buckets = [p.OFPBucket(actions=[p.OFPActionOutput(port)]) for port in (1, 2)]
            dp.send_msg(p.OFPGroupMod(dp, o.OFPGC_ADD, o.OFPGT_ALL, 7, buckets))
            dp.send_msg(p.OFPMeterMod(dp, o.OFPMC_ADD, o.OFPMF_KBPS, 5, [p.OFPMeterBandDrop(100, 10)]))
        hub.spawn_after(1, self.poll, dp)

    def poll(self, dp):
        p, o = dp.ofproto_parser, dp.ofproto
        dp.send_msg({request})

    @set_ev_cls(ofp_event.EventOFP{reply}Reply, MAIN_DISPATCHER)
    def reply(self, ev):
        body = ev.msg.body
        row = body[0] if isinstance(body, list) else body
        if {condition}:
            raise RuntimeError("reached")
"""
SCENARIO = """
ticks = 1
properties = ["NoHandlerException"]
program = { app = "monitor.py" }
topology = { shape = "single", hosts = 2 }
switches = { queues = 2 }
discover = { statistics = true }
"""


class Case(NamedTuple):
    """A reply, requests for it in each version, a condition on it, and the answer that meets it; None if none does."""

    reply: str
    old: str | None
    new: str
    condition: str
    answer: str | None


CASES = {
    "flows": Case(
        "FlowStats",
        "p.OFPFlowStatsRequest(dp, 0, p.OFPMatch(), 0xff, o.OFPP_NONE)",
        "p.OFPFlowStatsRequest(dp)",
        "sum(each.byte_count for each in body) == 12345",
        "flow2.byte_count=12345",
    ),
    "one flow": Case(
        "FlowStats",
        None,
        "p.OFPFlowStatsRequest(dp, match=p.OFPMatch(in_port=2))",
        "len(body) == 1 and row.packet_count * 100 < row.byte_count - 7 and row.priority == 2",
        "flow1.byte_count=8",
    ),
    "nanoseconds": Case(
        "FlowStats", None, "p.OFPFlowStatsRequest(dp)", "row.duration_nsec >= 10**9 or row.priority == 3", None
    ),
    "tables": Case(
        "TableStats",
        "p.OFPTableStatsRequest(dp, 0)",
        "p.OFPTableStatsRequest(dp, 0)",
        "row.active_count == 2 and row.lookup_count - row.matched_count == 77",
        "table0.lookup_count=77",
    ),
    "more matches than lookups": Case(
        "TableStats",
        "p.OFPTableStatsRequest(dp, 0)",
        "p.OFPTableStatsRequest(dp, 0)",
        "row.lookup_count < row.matched_count",
        None,
    ),
    "aggregate": Case(
        "AggregateStats",
        "p.OFPAggregateStatsRequest(dp, 0, p.OFPMatch(), 0xff, o.OFPP_NONE)",
        "p.OFPAggregateStatsRequest(dp, 0, o.OFPTT_ALL, o.OFPP_ANY, o.OFPG_ANY, 0, 0, p.OFPMatch())",
        "row.flow_count == 2 and row.byte_count > 10 * row.packet_count + 1000",
        "aggregate.byte_count=1001",
    ),
    "queues": Case(
        "QueueStats",
        "p.OFPQueueStatsRequest(dp, 0, o.OFPP_ALL, o.OFPQ_ALL)",
        "p.OFPQueueStatsRequest(dp, 0, o.OFPP_ANY, o.OFPQ_ALL)",
        "any(each.queue_id == 1 and each.port_no == 2 and each.tx_errors == 9 for each in body)",
        "port2.queue1.tx_errors=9",
    ),
    "groups": Case(
        "GroupStats",
        None,
        "p.OFPGroupStatsRequest(dp, 0, o.OFPG_ALL)",
        "row.packet_count == 4 and row.bucket_stats[1].byte_count == row.bucket_stats[0].byte_count + 5",
        "group7.packet_count=4 group7.bucket2.byte_count=5",
    ),
    "meters": Case(
        "MeterStats",
        None,
        "p.OFPMeterStatsRequest(dp, 0, o.OFPM_ALL)",
        "row.band_stats[0].packet_band_count == 8 and row.byte_in_count > 5",
        "meter5.byte_in_count=6 meter5.band1.packet_count=8",
    ),
}


@pytest.mark.parametrize(
    ("name", "minor"),
    [(name, minor) for name, case in CASES.items() for minor in (0, 3) if minor or case.old is not None],
)
def test_an_app_is_given_the_counters_that_break_it_and_none_that_a_switch_cannot_have(tmp_path, name, minor):
    case = CASES[name]
    parts = {"minor": minor, "request": case.new if minor else case.old, "reply": case.reply}
    text = APP
    for key, value in {**parts, "condition": case.condition}.items():
        text = text.replace(f"{{{key}}}", str(value))
    (tmp_path / "monitor.py").write_text(text)
    scenario = read_scenario(SCENARIO, tmp_path / "scenario.toml")
    report = scenario.check()
    if case.answer is None:
        assert (report.verdict, report.result.incomplete) == ("holds", None)
        return
    (found,) = report.violations
    labels = [step.choice for step in found.path.steps if step.choice.startswith("statistics")]
    assert labels == [f"statistics {case.answer}"]
    assert scenario.replay(scenario.trace(found.path, Finding(found.property, found.message), {})).confirmed


class Elephants:
    """Knows the flow that has carried most since the last report, and raises when it is the same one three times."""

    def __init__(self):
        self.seen, self.first, self.times = (0, 0), 0, 0

    def switch_join(self, net, switch, features):
        for port in (1, 2):
            net.install(switch, Match.of(in_port=port), ToPort(3 - port))

    def timer(self, net, name):
        net.send("s1", FlowStatsRequest())

    def stats(self, net, switch, message):
        counts = tuple(row.byte_count for row in message.flows)
        rises = [now - before for now, before in zip(counts, self.seen, strict=True)]
        self.seen = counts
        if max(rises) < 1000:
            self.times = 0
            return
        first = 1 if rises[0] > rises[1] else 2
        self.times, self.first = (self.times + 1 if first == self.first else 1), first
        if self.times == 3:
            raise RuntimeError("a long elephant")


@pytest.mark.parametrize(("polls", "verdict"), [(2, "holds"), (3, "violated")])
def test_differences_to_what_the_program_remembers_are_followed(polls, verdict):
    network = Network(single(2), timers=(ProgramTimer("poll", polls),), answers=())
    scenario = Scenario(network, PythonProgram(Elephants), (NoHandlerException(),))
    report = scenario.check()
    assert report.verdict == verdict
    for found in report.violations:
        assert [step.choice for step in found.path.steps if step.choice] == [
            f"statistics flow1.byte_count={number}000" for number in (1, 2, 3)
        ]
        assert scenario.replay(scenario.trace(found.path, Finding(found.property, found.message), {})).confirmed


def test_a_domain_for_all_rows_and_one_for_a_single_row():
    fields = (("flow.byte_count", "0-1999"), ("flow1.byte_count", "0"), ("port.tx_bytes", "7"))
    network = Network(single(2), timers=(ProgramTimer("poll", 2),), answers=())
    scenario = Scenario(network, PythonProgram(Elephants), (NoHandlerException(),))
    report = scenario.check()
    narrow = Scenario(
        network, PythonProgram(Elephants), (NoHandlerException(),), discovery=DiscoverOptions(fields=fields)
    )
    ((_, pool),) = narrow.check().discovery.network.answers
    assert {name for _, answer in pool for name, _ in answer} == {"flow2.byte_count"}
    assert max(value for _, answer in pool for _, value in answer) == 1001
    assert "flow1.byte_count" in {name for _, answer in report.discovery.network.answers[0][1] for name, _ in answer}


class ByTable:
    """Tells four cases of lookups and matches apart."""

    def __init__(self):
        self.case = 0

    def stats(self, net, switch, message):
        row = message.tables[0]
        self.case = 1 if row.matched_count > 3 else 2 if row.lookup_count == 5 else 3
        if row.lookup_count == row.matched_count:
            self.case += 3


def test_classes_under_a_law_are_those_of_brute_force():
    reply = TableStatsReply((TableStats(0),))
    skeleton = reply_skeleton(reply, {"table.lookup_count": "0-7", "table0.matched_count": "0-7"}, "1.3")
    program = SymbolicPython(ByTable)
    answer = ConcolicExplorer(program).explore(HandlerQuestion(program.initial(), "s1", reply, skeleton))
    assert not answer.gaps

    def case(lookups, matches):
        instance = ByTable()
        instance.stats(None, "s1", TableStatsReply((TableStats(0, lookup_count=lookups, matched_count=matches),)))
        return instance.case

    pairs = [(lookups, matches) for lookups in range(8) for matches in range(lookups + 1)]
    for lookups, matches in pairs:
        values = {"table0.lookup_count": lookups, "table0.matched_count": matches}
        (mine,) = [one for one in answer.classes if one.contains(values)]
        assert case(lookups, matches) == case(mine.witness["table0.lookup_count"], mine.witness["table0.matched_count"])
    witnesses = [(one.witness["table0.lookup_count"], one.witness["table0.matched_count"]) for one in answer.classes]
    assert all(matches <= lookups for lookups, matches in witnesses)
    assert {case(*each) for each in witnesses} == {case(*each) for each in pairs}


def test_matches_that_are_given_leave_only_lookups_that_are_not_fewer():
    reply = TableStatsReply((TableStats(0),))
    skeleton = reply_skeleton(reply, {"table0.matched_count": "4"}, "1.3")
    program = SymbolicPython(ByTable)
    answer = ConcolicExplorer(program).explore(HandlerQuestion(program.initial(), "s1", reply, skeleton))
    assert not answer.gaps
    assert sorted(one.witness["table0.lookup_count"] for one in answer.classes)[0] == 4


def test_the_same_reply_about_other_entries_is_another_question():
    one, two = (FlowStatsReply((FlowStats(Match.of(in_port=port)),)) for port in (1, 2))
    skeletons = [reply_skeleton(each, {}, "1.3") for each in (one, two)]
    assert skeletons[0] == skeletons[1]
    assert HandlerQuestion(0, "s1", one, skeletons[0]) != HandlerQuestion(0, "s1", two, skeletons[1])
