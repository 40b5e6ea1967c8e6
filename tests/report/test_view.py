"""Results as they are shown: views of scenarios and of programs of actors."""

from pathlib import Path

import pytest

from sdnloom.actors.load import load_program
from sdnloom.actors.run import check_program
from sdnloom.check.load import load_scenario
from sdnloom.network.openflow.codec import decode
from sdnloom.network.packet import decode as decode_packet
from sdnloom.report.check.text import traffic_lines
from sdnloom.report.view.of_actors import actors_view
from sdnloom.report.view.of_check import check_view
from sdnloom.report.view.result_view import ResultView, TraceView

EXAMPLES = Path(__file__).parents[2] / "examples"
SCENARIOS = [
    "mac_learning/bug1.toml",
    "mac_learning/bug3.toml",
    "load_balancer/bug7.toml",
    "traffic_engineering/bug10.toml",
]


def scenario_view(name: str) -> ResultView:
    return check_view(load_scenario(EXAMPLES / name).check())


def program_view(name: str) -> ResultView:
    return actors_view(check_program(load_program(EXAMPLES / name)))


def only_trace(view: ResultView) -> TraceView:
    trace = view.findings[0].trace
    assert trace is not None
    return trace


@pytest.mark.parametrize("name", [*SCENARIOS, "actors/first_program.py", "actors/load_balancer.py"])
def test_transfers_lead_to_the_steps_that_receive_them(name: str) -> None:
    trace = only_trace(program_view(name) if name.endswith(".py") else scenario_view(name))
    lanes = {lane.name for lane in trace.lanes}
    transfers = [(step, each) for step in trace.steps for each in step.transfers]
    assert transfers
    for step, each in transfers:
        assert each.to in lanes - {step.lane}
        if each.taken is not None:
            taker = trace.steps[each.taken - 1]
            assert taker.lane == each.to
            assert taker.number > step.number
            assert step.number in taker.causes


@pytest.mark.parametrize("name", SCENARIOS)
def test_causes_clocks_and_changes_belong_together(name: str) -> None:
    trace = only_trace(scenario_view(name))
    counts = {lane.name: 0 for lane in trace.lanes}
    states = dict(trace.initial)
    for step in trace.steps:
        counts[step.lane] += 1
        assert step.clock[step.lane] == counts[step.lane]
        assert all(cause < step.number for cause in step.causes)
        assert all(states[lane] != state for lane, state in step.changes.items())
        states |= step.changes
    assert set(states) == {lane.name for lane in trace.lanes}


def test_octets_of_packets_and_messages_decode() -> None:
    kinds = set()
    for name in SCENARIOS:
        for step in only_trace(scenario_view(name)).steps:
            for each in step.transfers:
                kinds.add(each.kind)
                if each.kind == "openflow":
                    assert type(decode(each.data)).__name__ in each.text
                elif each.kind == "packet":
                    assert decode_packet(each.data).headers
    assert kinds == {"packet", "openflow"}


def test_a_move_changes_the_wires() -> None:
    trace = only_trace(scenario_view("mac_learning/bug1.toml"))
    moves = [step for step in trace.steps if step.wires is not None]
    assert [step.action for step in moves] == ["move"]
    before, after = ({(wire.one, wire.other_port) for wire in wires} for wires in (trace.wires, moves[0].wires or ()))
    assert (before - after, after - before) == ({("B", "2")}, {("B", "3")})


def test_the_packet_of_a_buffer_is_known() -> None:
    trace = only_trace(scenario_view("mac_learning/bug1.toml"))
    assert [(each.text.split()[0], each.packet) for each in trace.steps[2].transfers] == [("PacketOut", "A:1")]


def test_a_result_that_holds_has_facts_and_no_findings() -> None:
    report = load_scenario(EXAMPLES / "mac_learning/bug1_fixed.toml").check()
    view = check_view(report)
    assert (view.verdict, view.findings) == ("holds", ())
    assert view.headline.startswith("HOLDS NoBlackHolesMobile")
    assert dict(view.facts)["searched"]
    tried = [text for label, text in view.facts if label == "tried"]
    assert tried == traffic_lines(report.traffic) != []
    assert (
        [text for label, text in view.facts if label == "not tried"] == [str(each) for each in report.omissions] != []
    )


def test_steps_of_the_controller_show_the_lines_that_ran_and_the_tables_of_the_program() -> None:
    trace = only_trace(scenario_view("mac_learning_osken/bug1.toml"))
    handled = [step for step in trace.steps if step.lane == "controller"]
    code = handled[0].code[0]
    assert (Path(code.file).name, code.function, code.first) == ("pyswitch.py", "PySwitch.packet_in", 35)
    assert code.lines[0].lstrip().startswith("@set_ev_cls")
    assert code.ran == (37, 38, 39, 40, 41, 42, 43)
    tables = [[line.text for line in step.changes["controller"] if line.part == "ports"] for step in handled]
    assert tables[1:] == [
        ["ports[1][A] = 1", "ports[1][B] = 2"],
        ["ports[1][A] = 1", "ports[1][B] = 2"],
        ["ports[1][A] = 1", "ports[1][B] = 3"],
    ]
    assert [step.number for step in trace.steps if step.code] == [step.number for step in handled]


def test_steps_of_actors_show_the_lines_of_their_tasks() -> None:
    trace = only_trace(program_view("actors/first_program.py"))
    assert [step.lane for step in trace.steps if step.code] == ["ctrl", "ctrl"]
    assert [code.function for step in trace.steps for code in step.code] == ["LoadBalancer.packet_in"] * 2
