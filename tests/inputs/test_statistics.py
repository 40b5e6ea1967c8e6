"""Discovered statistics: classes of replies, one answer for each in the state that handles it, and labels."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdnloom.check.discovery_table import check_discover_options
from sdnloom.check.load import read_scenario
from sdnloom.check.scenario import Scenario
from sdnloom.engine.semantics import Finding
from sdnloom.errors import SdnloomError
from sdnloom.inputs.concolic import ConcolicExplorer
from sdnloom.inputs.explorer import HandlerQuestion
from sdnloom.inputs.options import DiscoverOptions
from sdnloom.inputs.statistics import answer_label, parse_answer_label, reply_skeleton
from sdnloom.network.network import Network, PortCounter, ProgramTimer
from sdnloom.network.openflow import Port, PortStats, PortStatsReply, PortStatsRequest
from sdnloom.network.program import MessageIn
from sdnloom.network.statistics import COUNTERS
from sdnloom.network.topology import SwitchPort, single
from sdnloom.platforms.capture.freeze import restore
from sdnloom.platforms.python.program import PythonProgram
from sdnloom.platforms.python.symbolic import SymbolicPython
from sdnloom.properties import NoHandlerException


class Load:
    """Raises when the load of a port has risen twice in a row by more than three."""

    def __init__(self):
        self.seen, self.rises = 0, 0

    def timer(self, net, name):
        net.send("s1", PortStatsRequest(Port.ANY))

    def stats(self, net, switch, message):
        for row in message.ports:
            if row.port_no == 2:
                self.rises = self.rises + 1 if row.tx_bytes - self.seen > 3 else 0
                self.seen = row.tx_bytes
        if self.rises == 2:
            raise RuntimeError("too much")


REPLY = PortStatsReply((PortStats(1), PortStats(2)))
POLLED = Network(single(2), timers=(ProgramTimer("poll", 2),), answers=())


def outcome(core, value):
    """What the program knows after a reply, without exploring anything."""
    (reaction, *_) = PythonProgram(Load).handle(core, _came(value))
    return restore(object.__new__(Load), reaction.core).rises, bool(reaction.events)


def _came(value):
    return MessageIn("s1", replace(REPLY, ports=(PortStats(1), PortStats(2, tx_bytes=value))))


@pytest.mark.parametrize("values", [(), (5,), (2, 1)])
def test_classes_are_those_of_brute_force(values):
    program, core = PythonProgram(Load), PythonProgram(Load).initial()
    for value in values:
        core = program.handle(core, _came(value))[0].core
    pinned = {f"port{port}.{name}": "0" for port in (1, 2) for name in COUNTERS if (port, name) != (2, "tx_bytes")}
    skeleton = reply_skeleton(REPLY, {**pinned, "port2.tx_bytes": "0-15"}, "1.0")
    answer = ConcolicExplorer(SymbolicPython(Load)).explore(HandlerQuestion(core, "s1", REPLY, skeleton))
    assert not answer.gaps
    for value in range(16):
        (mine,) = [one for one in answer.classes if one.contains({"port2.tx_bytes": value})]
        assert outcome(core, value) == outcome(core, mine.witness["port2.tx_bytes"])
    assert len(answer.classes) == len({outcome(core, value) for value in range(16)})


def test_discovered_counters_lead_to_the_violation_and_its_trace_replays():
    scenario = Scenario(POLLED, PythonProgram(Load), (NoHandlerException(),))
    report = scenario.check()
    assert report.verdict == "violated"
    found = report.violations[0]
    assert [step.choice for step in found.path.steps if step.choice] == [
        "statistics port2.tx_bytes=4",
        "statistics port2.tx_bytes=8",
    ]
    assert scenario.replay(scenario.trace(found.path, Finding(found.property, found.message), {})).confirmed
    assert report.bounds[-1] == (
        "3 answers to requests for statistics discovered so far, one for each class that the program tells apart "
        "when it handles them (1 round, 2 questions)"
    )


def test_a_corrected_program_holds_for_all_counters_in_one_round():
    once = replace(POLLED, timers=(ProgramTimer("poll", 1),))
    report = Scenario(once, PythonProgram(Load), (NoHandlerException(),)).check()
    assert (report.verdict, len(report.discovery.rounds), report.discovery.answers) == ("holds", 1, 2)


def test_discovered_statistics_replace_configured_ones():
    told = Network(single(2), timers=(ProgramTimer("poll", 2),), statistics=(PortCounter(SwitchPort("s1", 2), (1,)),))
    scenario = Scenario(told, PythonProgram(Load), (NoHandlerException(),))
    assert scenario.check().verdict == "holds"
    assert scenario.discovering().check().verdict == "violated"


def test_a_narrower_domain_bounds_the_discovered_answers():
    narrow = DiscoverOptions(fields=(("port2.tx_bytes", "0-7"),))
    report = Scenario(POLLED, PythonProgram(Load), (NoHandlerException(),), discovery=narrow).check()
    assert (report.verdict, report.discovery.answers) == ("holds", 2)


APP = """
from os_ken.base import app_manager
from os_ken.controller import ofp_event
from os_ken.controller.handler import MAIN_DISPATCHER, set_ev_cls
from os_ken.lib import hub
from os_ken.ofproto import ofproto_v{version}

class Monitor(app_manager.OSKenApp):
    OFP_VERSIONS = [ofproto_v{version}.OFP_VERSION]

    @set_ev_cls(ofp_event.EventOFPStateChange, MAIN_DISPATCHER)
    def joined(self, ev):
        hub.spawn_after(1, self.poll, ev.datapath)

    def poll(self, datapath):
        datapath.send_msg(datapath.ofproto_parser.OFPPortStatsRequest(datapath, 0, {any}))

    @set_ev_cls(ofp_event.EventOFPPortStatsReply, MAIN_DISPATCHER)
    def reply(self, ev):
        total = sum(row.rx_errors for row in ev.msg.body)
        if total == 7:
            raise RuntimeError("seven")
"""


@pytest.mark.parametrize(("version", "anyport"), [("1_0", "0xffff"), ("1_3", "0xffffffff")])
def test_an_app_of_either_version_is_given_the_counters_that_break_it(tmp_path, version, anyport):
    (tmp_path / "monitor.py").write_text(APP.replace("{version}", version).replace("{any}", anyport))
    text = """
        ticks = 1
        properties = ["NoHandlerException"]
        program = { app = "monitor.py" }
        topology = { shape = "single", hosts = 2 }
        discover = { statistics = true }
    """
    report = read_scenario(text, tmp_path / "scenario.toml").check()
    assert report.verdict == "violated"
    labels = [step.choice for step in report.violations[0].path.steps if step.choice.startswith("statistics")]
    (answer,) = [parse_answer_label(label) for label in labels]
    assert {counter.partition(".")[2] for counter, _ in answer} == {"rx_errors"}
    assert sum(value for _, value in answer) == 7


NAMES = st.one_of(
    st.builds("port{}.{}".format, st.integers(1, 0xFF00), st.sampled_from(COUNTERS[:12])),
    st.builds("port{}.queue{}.tx_errors".format, st.integers(1, 9), st.integers(0, 9)),
    st.builds("flow{}.{}".format, st.integers(1, 2000), st.sampled_from(["packet_count", "byte_count"])),
    st.builds("table{}.{}".format, st.integers(0, 253), st.sampled_from(["lookup_count", "matched_count"])),
    st.builds("group{}.bucket{}.byte_count".format, st.integers(0, 99), st.integers(1, 9)),
    st.builds("meter{}.band{}.packet_count".format, st.integers(1, 99), st.integers(1, 9)),
    st.just("aggregate.byte_count"),
)
ANSWERS = st.lists(st.tuples(NAMES, st.integers(1, 2**64 - 1)), unique_by=lambda each: each[0], max_size=4).map(tuple)


@given(ANSWERS)
def test_an_answer_label_parses_to_the_same_answer(answer):
    assert parse_answer_label(answer_label(answer)) == answer


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ((("port3.bytes", "1"),), "'port3.bytes' is no counter; expected port3. and one of rx_packets, tx_packets, "),
        ((("port0.tx_bytes", "1"),), "'port0.tx_bytes' is no counter; expected a name such as port3.tx_bytes"),
        ((("queue1.tx_bytes", "1"),), "'queue1.tx_bytes' is no counter; expected a name such as port3.tx_bytes"),
        ((("port.queue1.tx_bytes", "1"),), "'port.queue1.tx_bytes' is no counter; expected a name such as"),
        ((("aggregate1.byte_count", "1"),), "'aggregate1.byte_count' is no counter; expected a name such as"),
        ((("aggregate.flow_count", "1"),), "expected aggregate. and one of packet_count, byte_count"),
        (
            (("flow1.priority", "1"),),
            "expected flow1. and one of packet_count, byte_count, duration_sec, duration_nsec",
        ),
        ((("port3.tx_bytes", "many"),), "port3.tx_bytes=many: 'many' is not a value of the field"),
        ((("port3.duration_sec", "0x100000000"),), "'0x100000000' is out of range"),
    ],
)
def test_invalid_counters_are_refused(fields, message):
    with pytest.raises(SdnloomError) as caught:
        check_discover_options(DiscoverOptions(fields=fields), single(2))
    assert message in str(caught.value)


@pytest.mark.parametrize(
    "label", ["statistics port3", "statistics port3.tx_bytes=1-5", "statistics x=1", "statistics port.tx_bytes=1"]
)
def test_an_invalid_answer_label_in_a_trace_is_refused(label):
    with pytest.raises(SdnloomError):
        parse_answer_label(label)
