"""Crosschecks as they are shown: the test's messages, what each agent answers, and where they differ first."""

from dataclasses import replace
from pathlib import Path

from sdnloom.crosscheck import crosscheck_agents, load_agent, load_test
from sdnloom.crosscheck.result import CrosscheckResult
from sdnloom.report.crosscheck.view import CrosscheckView
from sdnloom.report.view.document import result_document
from sdnloom.report.view.document_reader import parse_results
from sdnloom.report.view.of_crosscheck import crosscheck_result_view
from tests.report.crosscheck.test_reports import AGREE, CAUSE, DIFFER, INCOMPLETE, result

EXAMPLES = Path(__file__).parents[3] / "examples" / "crosscheck"


def tiny() -> CrosscheckResult:
    agents = [load_agent(f"{EXAMPLES / file}.py:TinySwitch") for file in ("tiny_switch", "tiny_switch_fixed")]
    return crosscheck_agents(agents, [load_test(str(EXAMPLES / "ports.toml"))])


def test_a_root_cause_is_a_finding_with_the_exchange() -> None:
    found = tiny()
    view = crosscheck_result_view(found)
    first, second = found.agents
    assert (view.kind, view.verdict, view.properties, len(view.findings)) == ("crosscheck", "violated", ("ports",), 2)
    finding = view.findings[1]
    assert finding.property == "ports"
    assert finding.message.startswith("Packet Out, vlan_vid > 0x0fff: ")
    facts = dict(finding.facts)
    assert (facts["fields"], facts["example"]) == ("vlan_vid", "ports: actions[0].vlan_vid=0x1000")
    assert facts["field actions[0].vlan_vid"] == "0x1000"
    trace = finding.trace
    assert trace is not None
    assert [(lane.name, lane.kind) for lane in trace.lanes] == [
        ("test", "environment"),
        (first, "agent"),
        (second, "agent"),
    ]
    send, one, other = trace.steps
    assert (send.lane, send.action, one.lane, other.lane, trace.marked) == ("test", "send", first, second, (2, 3))
    assert [(sent.to, sent.taken, sent.kind) for sent in send.transfers] == [
        (first, 2, "openflow"),
        (second, 3, "openflow"),
    ]
    assert send.transfers[0].data == send.transfers[1].data
    assert send.transfers[0].data[1] == 13
    [frame] = one.transfers
    assert (frame.to, frame.kind, frame.port, frame.taken, len(frame.data)) == ("test", "packet", "2", 2, 58)
    assert [sent.text for sent in other.transfers] == ["Error bad_action bad_argument"]
    assert [step.causes for step in trace.steps] == [(), (1,), (1,)]
    assert [dict(step.clock) for step in trace.steps] == [{"test": 1}, {"test": 1, first: 1}, {"test": 1, second: 1}]


def test_a_crash_is_an_effect_and_nothing_is_said_too() -> None:
    trace = crosscheck_result_view(result(DIFFER)).findings[0].trace
    assert trace is not None
    assert [step.effects for step in trace.steps[:6]] == [
        (),
        ("nothing",),
        ("nothing",),
        (),
        ("crashes",),
        ("nothing",),
    ]
    assert trace.marked == (5, 6)


def test_verdicts_inconsistencies_and_the_command_to_try_again() -> None:
    assert [crosscheck_result_view(result(each)).verdict for each in (AGREE, INCOMPLETE, DIFFER)] == [
        "holds",
        "incomplete",
        "violated",
    ]
    assert ("not complete", "a: the budget is used up") in crosscheck_result_view(result(INCOMPLETE)).facts
    shown = CrosscheckView(every=True, witnesses={(0, 0): Path("w.json")}, given={"b": "b.py:B"})
    view = crosscheck_result_view(result(DIFFER), shown)
    assert len(view.findings) == 2
    assert ("try", "sdnloom crosscheck try w.json b=b.py:B") in view.findings[0].facts
    alone = replace(DIFFER, root_causes=())
    assert [finding.message for finding in crosscheck_result_view(result(alone)).findings] == ["a: crashes; b: nothing"]


def test_agents_with_odd_names_have_lanes_of_their_own() -> None:
    for names in (("test", "test"), ("a", "a"), ("test", "b")):
        view = crosscheck_result_view(result(replace(DIFFER, agents=names), agents=names))
        assert parse_results(result_document([view]).encode()) == (view,)
        trace = view.findings[0].trace
        assert trace is not None
        assert len({lane.name for lane in trace.lanes}) == 3
    assert CAUSE.condition in view.findings[0].message
