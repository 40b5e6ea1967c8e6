"""The code that steps of a controller ran, and the program's state after them."""

from pathlib import Path

import pytest

from sdnloom.check.load import load_scenario
from sdnloom.check.report import Report
from sdnloom.check.run import Run
from sdnloom.check.step_details import StepDetail
from sdnloom.engine.walk import Stepper
from sdnloom.platforms.code_runs import RunLines
from sdnloom.platforms.state_entries import StateReader

EXAMPLES = Path(__file__).parents[2] / "examples"


def _shown(report: Report) -> list[tuple[list[tuple[str, str, int]], list[str]]]:
    (shown,) = report.violations[:1]
    details = report.details[shown]
    assert len(details.steps) == len(shown.transitions)
    for transition, detail in zip(shown.transitions, details.steps, strict=True):
        assert (detail is not None) == (transition.step.component == "controller")
    return [
        (
            [(run.file.name, run.function, run.line) for run in detail.code],
            [f"{each.place} = {each.value}" for each in detail.state],
        )
        for detail in details.steps
        if detail is not None
    ]


@pytest.mark.parametrize(
    ("folder", "handler", "one", "other"),
    [
        ("mac_learning", ("learning.py", "PySwitch.packet_in", 27), "ports[s1][1] = 1", "ports[s1][2] = "),
        ("mac_learning_nox", ("learning.py", "Learning.packet_came", 43), "ports[1][1] = 1", "ports[1][2] = "),
        (
            "mac_learning_osken",
            ("pyswitch.py", "PySwitch.packet_in", 36),
            "ports[1][00:00:00:00:00:01] = 1",
            "ports[1][00:00:00:00:00:02] = ",
        ),
    ],
)
def test_each_platform_tells_handlers_and_tables(
    folder: str, handler: tuple[str, str, int], one: str, other: str
) -> None:
    report = load_scenario(EXAMPLES / folder / "bug1.toml").check()
    assert report.result.statistics.states == 5674
    found = _shown(report)
    assert [code[0] for code, _ in found] == [handler] * 4
    assert [state for _, state in found] == [[one], [one, f"{other}2"], [one, f"{other}2"], [one, f"{other}3"]]
    (shown,) = report.violations
    assert [each.value for each in report.details[shown].initial] == ["{}"]


_DELAYED = """\
properties = ["NoBlackHoles"]
settle_ticks = 0
ticks = 2

[program]
app = "{app}"
threads = "{threads}"

[topology]
shape = "linear"
switches = 2

[[hosts]]
name = "h1"
kind = "arp"
to = ["h2"]

[[hosts]]
name = "h2"
kind = "arp"
"""


@pytest.mark.parametrize("threads", ["settle", "explore"])
def test_code_after_a_sleep_belongs_to_the_step_in_which_it_runs(tmp_path: Path, threads: str) -> None:
    file = tmp_path / "delayed.toml"
    file.write_text(_DELAYED.format(app=EXAMPLES / "apps/delayed_switch.py", threads=threads))
    run = Run(load_scenario(file), ordered=True)
    stepper = Stepper(run.system)
    for component, action in [("h1", "ask"), ("s1", "packets"), ("controller", "handle s1"), ("controller", "tick")]:
        assert stepper.take_first(component, action)
    initial = stepper.semantics.initial()
    details = run.step_details()
    for _ in range(2):  # again, when the threads of the first pass still wait
        found = details.of_path(run.system, initial, stepper.transitions)
        ran = [[run.ran for run in detail.code] for detail in found.steps if detail is not None]
        assert ran == [[(15, 16, 17)], [(18, 19, 20, 21, 22, 23, 25)]]
        waits = [[each.value for each in detail.state] for detail in found.steps if detail is not None]
        assert waits == [["delayed_switch.py:17: hub.sleep(1)"], []]


_CLASS = """\
CALLS = {"n": 0}


class Fragile:
    def __init__(self):
        self.seen = set()

    def packet_in(self, net, switch, message):
        self.seen.add(message.in_port)
        raise ValueError("no")
"""


def test_a_handler_that_raises_has_its_lines(tmp_path: Path) -> None:
    (tmp_path / "fragile.py").write_text(_CLASS)
    file = tmp_path / "fragile.toml"
    file.write_text(
        'properties = ["NoHandlerException"]\n[program]\nfile = "fragile.py"\n'
        '[topology]\nshape = "single"\nhosts = 2\n'
        '[[hosts]]\nname = "h1"\nkind = "arp"\nto = ["h2"]\n[[hosts]]\nname = "h2"\nkind = "arp"\n'
    )
    ((code, state),) = _shown(load_scenario(file).check())
    assert code == [("fragile.py", "Fragile.packet_in", 8)]
    assert state == ["seen = {1}"]


_GLOBALS = """\
from os_ken.base import app_manager
from os_ken.controller import ofp_event
from os_ken.controller.handler import MAIN_DISPATCHER, set_ev_cls
from os_ken.ofproto import ofproto_v1_0

CONSTANT = {"never": "changes"}
count = 0


class Counter(app_manager.OSKenApp):
    OFP_VERSIONS = [ofproto_v1_0.OFP_VERSION]
    macs = {}

    @set_ev_cls(ofp_event.EventOFPPacketIn, MAIN_DISPATCHER)
    def packet_in(self, event):
        global count
        count += 1
        self.macs[event.msg.in_port] = event.msg.datapath
        raise ValueError(count)
"""


def test_variables_of_modules_and_classes_are_shown_once_they_changed(tmp_path: Path) -> None:
    (tmp_path / "counter.py").write_text(_GLOBALS)
    file = tmp_path / "counter.toml"
    file.write_text(
        'properties = ["NoHandlerException"]\n[program]\napp = "counter.py"\n'
        '[topology]\nshape = "single"\nhosts = 2\n'
        '[[hosts]]\nname = "h1"\nkind = "arp"\nto = ["h2"]\n[[hosts]]\nname = "h2"\nkind = "arp"\n'
    )
    report = load_scenario(file).check()
    ((_, state),) = _shown(report)
    assert state == ["count = 1", "Counter.macs[1] = switch s1"]
    assert report.details[report.violations[0]].initial == ()


def test_a_look_into_the_program_that_fails_changes_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> None:
        raise RuntimeError("never seen such an object")

    monkeypatch.setattr(StateReader, "entries", fails)
    monkeypatch.setattr(RunLines, "runs", fails)
    report = load_scenario(EXAMPLES / "load_balancer/bug7.toml").check()
    (shown,) = report.violations
    assert len(shown.path) == 6
    assert {detail for detail in report.details[shown].steps if detail is not None} == {StepDetail((), ())}
