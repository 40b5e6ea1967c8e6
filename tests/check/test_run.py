"""A scenario is a value, and one use of it builds and replays once."""

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from sdnloom import (
    Client,
    Network,
    NoHandlerException,
    OskenProgram,
    PythonProgram,
    Scenario,
    ScenarioError,
    SearchOptions,
    app_scenario,
    linear,
    load_scenario,
)
from sdnloom.check import run as run_module
from sdnloom.check.load import read_scenario
from sdnloom.check.program_factory import make_program
from sdnloom.check.run import Run
from sdnloom.cli import cli
from sdnloom.engine import path
from sdnloom.engine.memo import MemoSemantics
from sdnloom.engine.model import Restart, RestartRequired
from sdnloom.engine.result import ClusterOptions
from sdnloom.errors import SdnloomError
from sdnloom.report.check.json_format import report_json
from sdnloom.report.check.text import report_text
from tests.check.scenarios import write

pytest.importorskip("os_ken")

# Remembers hosts in the order in which they send, and looks at the first of them.
APP = """
from os_ken.base import app_manager
from os_ken.controller import ofp_event
from os_ken.controller.handler import MAIN_DISPATCHER, set_ev_cls
from os_ken.ofproto import ofproto_v1_0


class Remembering(app_manager.OSKenApp):
    OFP_VERSIONS = [ofproto_v1_0.OFP_VERSION]

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.seen = {}

    @set_ev_cls(ofp_event.EventOFPPacketIn, MAIN_DISPATCHER)
    def packet_in(self, ev):
        self.seen.setdefault(ev.msg.data[6:12], ev.msg.in_port)
        RAISE
        parser = ev.msg.datapath.ofproto_parser
        flood = [parser.OFPActionOutput(ev.msg.datapath.ofproto.OFPP_FLOOD)]
        ev.msg.datapath.send_msg(parser.OFPPacketOut(
            ev.msg.datapath, ev.msg.buffer_id, ev.msg.in_port, flood, ev.msg.data))
"""


def app(folder: Path, raises: str = "") -> Path:
    """Write the app; with `raises` a condition under which its handler fails."""
    file = folder / "remembering.py"
    file.write_text(APP.replace("RAISE", f"assert not ({raises})" if raises else ""))
    return file


def counts(scenario: Scenario) -> tuple[Any, ...]:
    report = scenario.check()
    statistics = report.result.statistics
    return report.verdict, statistics.states, statistics.transitions, report.handler_runs, report.bounds


@pytest.fixture
def calls(monkeypatch):
    """How often a system is built, a path replayed by running the program, and an app loaded."""
    made = {"builds": 0, "replays": 0, "loads": 0}

    def counting(key, function):
        def call(*arguments, **named):
            made[key] += not isinstance(arguments[0], MemoSemantics)
            return function(*arguments, **named)

        return call

    monkeypatch.setattr(run_module, "build_network", counting("builds", run_module.build_network))
    for module in ("sdnloom.engine.counterexample.confirmed_path", "sdnloom.engine.trace", "sdnloom.check.run"):
        monkeypatch.setattr(sys.modules[module], "replay", counting("replays", path.replay))
    monkeypatch.setattr(OskenProgram, "__init__", counting("loads", OskenProgram.__init__))
    return made


@pytest.mark.slow
def test_using_a_scenario_in_any_order_gives_the_same_counts(tmp_path):
    scenario = app_scenario(app(tmp_path), topology="single,3", pings=["h1,h2", "h3,h2"], no_arp=True)
    expected = counts(scenario)
    assert expected[1:3] == (467, 1097)  # with insertion order as part of the state: 692 states, 1,587 transitions
    report = replace(scenario, program=scenario.program).check()
    for use in (
        scenario.ready,
        lambda: scenario.replay(scenario.trace(path.Path(), None, {})),
        scenario.fingerprint,
        scenario.system,
        lambda: report_text(report),
    ):
        use()
        assert counts(scenario) == expected
    again = app_scenario(app(tmp_path), topology="single,3", pings=["h1,h2", "h3,h2"], no_arp=True)
    assert counts(again) == expected


def test_a_program_that_is_given_as_it_is_serves_every_run_unchanged(tmp_path):
    program = OskenProgram([app(tmp_path)])
    scenario = replace(app_scenario(app(tmp_path), topology="single,3"), program=program)
    expected = counts(scenario)
    program.keep_order()
    assert counts(scenario) == expected
    assert make_program(program) is not program


def test_a_command_builds_once_and_replays_once_and_loads_the_app_once(tmp_path, calls, monkeypatch):
    monkeypatch.chdir(tmp_path)
    arguments = ["check", "--app", app(tmp_path, "len(self.seen) == 2").name, "--topology", "single,2"]
    result = CliRunner().invoke(cli, [*arguments, "--property", "NoHandlerException"], standalone_mode=False)
    assert (result.exception, result.return_value) == (None, 1)
    assert calls == {"builds": 1, "replays": 1, "loads": 1}
    (file,) = tmp_path.glob("*.sdnloom-trace.json")
    calls.update(dict.fromkeys(calls, 0))
    result = CliRunner().invoke(cli, ["replay", str(file)], standalone_mode=False)
    assert (result.exception, result.return_value) == (None, 1)
    assert calls == {"builds": 1, "replays": 1, "loads": 1}


def test_an_exception_is_reported_before_the_loss_that_it_causes(tmp_path):
    for engine in ("loop", "kernel"):
        scenario = app_scenario(app(tmp_path, "len(self.seen) == 2"), topology="single,2", no_arp=True)
        report = replace(scenario, options=replace(scenario.options, engine=engine)).check()
        assert [one.property for one in report.violations] == ["NoHandlerException", "NoBlackHoles", "PingsAnswered"]
        assert report.result.verdict.counterexample == report.violations[0]
        assert len({one.path for one in report.violations}) == 1
        lines = report_text(report).splitlines()
        assert lines[0].startswith("VIOLATED NoHandlerException: ")
        assert lines.count("by the same steps") == 2


def test_a_report_is_made_from_results_alone(tmp_path, calls):
    report = app_scenario(app(tmp_path, "len(self.seen) == 2"), topology="single,2").check()
    (found,) = [each for each in report.violations if each.property == "NoHandlerException"]
    calls.update(dict.fromkeys(calls, 0))
    text, document, recorded = report_text(report), json.loads(report_json(report, {})), report.trace(found)
    assert f"{len(found.transitions)} steps" in text
    assert document["violations"][0]["steps"] == len(report.violations[0].path)
    assert recorded.path == found.path == path.Path(tuple(each.step for each in found.transitions))
    assert calls == {"builds": 0, "replays": 0, "loads": 0}
    assert report.scenario.replay(recorded).confirmed


def test_a_discovered_counterexample_has_the_transitions_of_the_program_as_it_was_written(tmp_path):
    scenario = app_scenario(
        app(tmp_path, "len(self.seen) == 2"), topology="single,2", properties=["NoHandlerException"]
    )
    report = scenario.discovering().check()
    (found,) = report.violations
    assert report.result.verdict.counterexample is found
    run = Run(report.scenario, ordered=True)
    assert [each.events for each in path.replay(path.Semantics(run.system), found.path)] == [
        each.events for each in found.transitions
    ]


def test_a_loaded_scenario_is_built_so_that_errors_show_and_its_program_serves_the_first_run(tmp_path, calls):
    file = write(tmp_path)
    file.write_text(
        f'properties = ["NoForwardingLoops"]\n[program]\napp = "{app(tmp_path).name}"\n[topology]\nshape = "single"\n'
    )
    load_scenario(file).check()
    assert calls == {"builds": 2, "replays": 0, "loads": 1}
    calls.update(dict.fromkeys(calls, 0))
    load_scenario(file, build=False).check()
    assert calls == {"builds": 1, "replays": 0, "loads": 1}


def test_errors_of_building_name_the_file_also_when_they_show_late(tmp_path):
    asked = '{ file = "hub.py", name = "quiet", host = "h2" }'
    text = write(tmp_path).read_text()
    file = write(tmp_path, text.replace(asked, '{ name = "Sometimes", event = "Moved" }'))
    with pytest.raises(ScenarioError, match=r"hub\.toml: event is 'Moved'; expected one of") as early:
        load_scenario(file)
    late = load_scenario(file, build=False)
    with pytest.raises(ScenarioError) as raised:
        late.check()
    assert str(raised.value) == str(early.value)


def test_options_and_their_document_are_one_scenario(tmp_path):
    scenario = app_scenario(app(tmp_path), topology="single,3", pings=["h1,h3,2"])
    again = read_scenario(scenario.text, "command line")
    assert (again.document, again.network) == (scenario.document, scenario.network)
    assert json.loads(json.dumps(scenario.document)) == scenario.document
    assert again.fingerprint() == scenario.fingerprint()


def test_a_restart_while_the_system_is_built_is_no_error_of_the_scenario(tmp_path, monkeypatch):
    """Start-up runs the program, so insertion order may turn out to matter before the search."""
    build, restarts = run_module.build_network, [Restart("Hub depends on insertion order")]

    def restarting(*arguments):
        if restarts:
            raise RestartRequired(restarts.pop())
        return build(*arguments)

    monkeypatch.setattr(run_module, "build_network", restarting)
    report = load_scenario(write(tmp_path), build=False).check()
    assert (report.verdict, report.result.restarts) == ("violated", ("Hub depends on insertion order",))


@pytest.mark.parametrize(
    ("body", "refuted"),
    [
        ("self.ports.setdefault(switch, {})[1] = 1", ()),
        ("self.seen = getattr(self, 'seen', 0) + 1", ("s1 and s2 share seen",)),
    ],
    ids=["independent", "shared"],
)
def test_a_report_says_what_refuted_the_independence_of_handlers(body, refuted):
    names: dict[str, Any] = {}
    text = "def __init__(self): self.ports = {}; self.seen = 0\ndef packet_in(self, net, switch, message):\n"
    exec(f"{text}    {body}\n    net.flood(switch, message)", names)
    program = PythonProgram(type("Hub", (), {name: names[name] for name in ("__init__", "packet_in")}))
    network = Network(linear(2), (Client("h1", to=("h2",)), Client("h2", to=("h1",))))
    report = Scenario(network, program, (NoHandlerException(),), SearchOptions(reduce=True)).check()
    assert report.reduction is not None
    assert report.reduction.used[0] == "stubborn sets"
    assert (report.reduction.refuted, report.result.restarts) == (refuted, refuted)
    line = next(line for line in report_text(report).splitlines() if line.startswith("reduction: "))
    assert ("handlers of different switches are not independent: s1 and s2 share" in line) == bool(refuted)
    assert json.loads(report_json(report))["reduction"]["refuted"] == list(refuted)
    assert Scenario(network, program, (NoHandlerException(),)).check().reduction is None


def test_assumptions_that_the_start_up_refutes_are_dropped_one_by_one(tmp_path, monkeypatch):
    build, reasons = run_module.build_network, ["s1 and s2 share seen", "Hub sends to s2 for a message from s1"]

    def refuting(network, program, properties, use):
        if reasons:
            program.refuted += (reasons.pop(0),)
            raise RestartRequired(Restart(program.refuted[-1]))
        return build(network, program, properties, use)

    monkeypatch.setattr(run_module, "build_network", refuting)
    scenario = load_scenario(write(tmp_path), build=False)
    report = replace(scenario, options=SearchOptions(reduce=True)).check()
    assert report.verdict == "violated"
    assert report.reduction is not None
    assert report.reduction.refuted == report.result.restarts
    assert report.reduction.refuted == ("s1 and s2 share seen", "Hub sends to s2 for a message from s1")


@pytest.mark.parametrize(
    ("change", "how", "message"),
    [
        (
            lambda scenario: scenario,
            {"coverage": True},
            "--coverage and --cluster are given; expected one or the other: workers tell only numbers",
        ),
        (
            lambda scenario: scenario,
            {"show_output": True},
            "--show-output and --cluster are given; expected one or the other: workers tell only numbers",
        ),
        (
            lambda scenario: scenario,
            {},
            "the scenario was made in Python; expected SearchOptions(cluster=ClusterOptions(..., scenario=function))",
        ),
        (
            lambda scenario: scenario.discovering(),
            {},
            "--discover and --cluster are given; expected one or the other: discovery needs all states in one process",
        ),
        (
            lambda scenario: replace(scenario, network=scenario.discovering().network),
            {},
            "a scenario with discovered inputs and --cluster are given; expected one or the other: "
            "discovery needs all states in one process",
        ),
    ],
)
def test_what_a_cluster_refuses_names_the_options(tmp_path, change, how, message):
    scenario = change(load_scenario(write(tmp_path)))
    with pytest.raises(SdnloomError) as refused:
        replace(scenario, options=SearchOptions(cluster=ClusterOptions("local"))).check(**how)
    assert str(refused.value) == message
