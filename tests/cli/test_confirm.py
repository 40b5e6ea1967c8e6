"""`sdnloom confirm` and `check --confirm` on parts of the model that stand for real ones: what users see."""

import json
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from sdnloom import read_results
from sdnloom.check.load import load_scenario
from sdnloom.check.run import Run
from sdnloom.cli.traces import TraceRecord, save
from sdnloom.confirm.open_parts import OpenParts
from sdnloom.confirm.outcome import Confirmation, ConfirmOutcome, Impossible, Obstacle
from sdnloom.confirm.run import confirm_with
from sdnloom.engine.semantics import Finding
from sdnloom.engine.trace import load_trace
from sdnloom.switches.bridge import SwitchReaction
from tests.check.scenarios import BUFFERED, PROGRAM, SCENARIO, write
from tests.cli.running import CommandLine
from tests.confirm.model_parts import model_parts

TRACE = "hub.quiet-h2.sdnloom-trace.json"
ENTRY = "sdnloom.api.confirm.confirm_trace"
EXAMPLES = Path(__file__).parents[2] / "examples"


def without_frames(reaction: SwitchReaction) -> SwitchReaction:
    return replace(reaction, frames=())


def use(monkeypatch: pytest.MonkeyPatch, change: Callable[[SwitchReaction], SwitchReaction] | None = None) -> None:
    """Let parts of the model stand for the real ones; `change` is a defect of the switches."""

    def parts(*given: Any) -> AbstractContextManager[OpenParts]:
        return model_parts(*given) if change is None else model_parts(*given, change)

    monkeypatch.setattr(ENTRY, partial(confirm_with, parts))


@pytest.fixture
def recorded(sdnloom: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a scenario and a trace of its violation, and parts of the model instead of real ones."""
    write(tmp_path, BUFFERED)
    assert sdnloom("check", "hub.toml").code == 1
    use(monkeypatch)
    return tmp_path


def test_a_trace_is_confirmed_step_by_step(sdnloom: CommandLine, recorded: Path) -> None:
    run = sdnloom("confirm", TRACE)
    lines = run.out.splitlines()
    assert (run.code, run.err) == (1, "")
    assert lines[:2] == ["CONFIRMED quiet h2: h2 received 1", "switches: the model; controller: the model"]
    place = lines.index("it happened on the real system: all 8 steps went as the trace says:")
    assert lines[place + 1 :] == sdnloom("replay", TRACE).out.splitlines()[1:]
    assert "supplied by sdnloom:" in run.out


def test_steps_are_shown_as_they_are_taken(sdnloom: CommandLine, recorded: Path) -> None:
    run = sdnloom("confirm", TRACE, "--show")
    lines = run.out.splitlines()
    shown, report = lines[: lines.index("")], lines[lines.index("") + 1 :]
    assert "start-up 1  s1: connects to the controller -> sends nothing" in shown[0]
    assert shown[-1].endswith("8  h2: receives h1 > h2 ICMP echo request")
    assert report[0] == "CONFIRMED quiet h2: h2 received 1"
    assert report[-1] == "it happened on the real system: all 8 steps went as the trace says"
    as_json = sdnloom("confirm", TRACE, "--show", "--format", "json")
    assert json.loads(as_json.out)["outcome"] == "confirmed"
    assert "start-up 1" in as_json.err


def test_the_observed_run_is_recorded_as_captures_and_a_trace(sdnloom: CommandLine, recorded: Path) -> None:
    run = sdnloom("confirm", TRACE, "--record", "seen/now")
    assert (run.code, run.err) == (1, "recorded: 6 files in seen/now\n")
    assert sorted(file.name for file in (recorded / "seen/now").iterdir()) == [
        "h1-s1_1.pcapng",
        "h2-s2_1.pcapng",
        "observed.json",
        "s1-controller.pcapng",
        "s1_2-s2_2.pcapng",
        "s2-controller.pcapng",
    ]
    given, seen = (json.loads(Path(file).read_text()) for file in (TRACE, "seen/now/observed.json"))
    assert seen == {**given, "source": {"scenario": "../../hub.toml"}}
    assert sdnloom("replay", "seen/now/observed.json").out == sdnloom("replay", TRACE).out
    assert sdnloom("confirm", "seen/now/observed.json").code == 1
    assert sdnloom("export", "seen/now/observed.json", "seen.mmd").code == 0


def test_a_switch_that_does_something_else_is_named(
    sdnloom: CommandLine, recorded: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    use(monkeypatch, without_frames)
    run = sdnloom("confirm", TRACE, "--record", "seen")
    lines = run.out.splitlines()
    assert (run.code, lines[0]) == (4, "DIFFERENT quiet h2: the switch s1 did something else in step 4 of 8")
    assert lines[1] == "not confirmed: h2 received 1"
    assert "step 4: s1: obeys PacketOut of step 3 -> out 2" in lines
    assert "the 3 steps before it went as the trace says:" in lines
    again = sdnloom("replay", "seen/observed.json")
    assert (again.code, again.out.splitlines()[0]) == (0, "REPLAYED all 4 steps can be taken")
    assert "Forwarded" not in json.dumps(json.loads(Path("seen/observed.json").read_text())["steps"][3]["events"])


def test_a_step_that_cannot_be_enforced_has_exit_code_3(
    sdnloom: CommandLine, recorded: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*given: Any) -> Confirmation:
        whole = confirm_with(model_parts, *given)
        step = whole.steps[-1]
        found = Impossible(step.number, False, step.transition, Obstacle.APP_TIMER, "nobody can wait that long")
        return replace(whole, outcome=ConfirmOutcome.NOT_POSSIBLE, steps=whole.steps[:-1], impossible=found)

    monkeypatch.setattr(ENTRY, refused)
    run = sdnloom("confirm", TRACE)
    assert run.code == 3
    assert run.out.startswith(
        "NOT POSSIBLE quiet h2: step 8 of 8 cannot be enforced from outside: a timer of the app\n"
    )
    assert "\n  nobody can wait that long\n" in run.out


def test_a_trace_without_a_property_agrees_and_a_witness_is_confirmed(sdnloom: CommandLine, recorded: Path) -> None:
    (recorded / "hub.toml").write_text(BUFFERED.replace('name = "quiet", host = "h2"', 'name = "reached"'))
    run = Run(load_scenario(Path("hub.toml")), ordered=True)
    steps = load_trace(TRACE).path
    transitions = run.scenario.check().result.witnesses[0].transitions
    assert len(transitions) == len(steps)
    for name, found, code, first in (
        ("plain.json", None, 0, "AGREED all 8 steps went as the trace says"),
        ("seen.json", Finding("h2 is reached", "h2 received a packet"), 0, "CONFIRMED h2 is reached: h2 received a"),
    ):
        save(TraceRecord(run.scenario, run.fingerprints, transitions, found), Path(name))
        confirmed = sdnloom("confirm", name)
        assert (confirmed.code, confirmed.out[: len(first)]) == (code, first)


def test_what_the_model_does_not_do_any_more_is_not_tried(sdnloom: CommandLine, recorded: Path) -> None:
    advice = (
        "because the program or the scenario has changed; `sdnloom replay TRACE -o FILE` looks for the violation "
        "again, and what it writes can be confirmed\n"
    )
    (recorded / "hub.py").write_text(PROGRAM.replace("net.flood(switch, message)", "pass"))
    run = sdnloom("confirm", TRACE)
    assert (run.code, run.out) == (2, "")
    assert run.err == f"error: {TRACE}: step 4 cannot be taken on the model any more, {advice}"
    (recorded / "hub.py").write_text(PROGRAM)
    document = json.loads((recorded / TRACE).read_text())
    (recorded / TRACE).write_text(json.dumps({**document, "steps": document["steps"][:3]}))
    run = sdnloom("confirm", TRACE)
    assert run.err == f"error: {TRACE}: its steps do not violate quiet h2 on the model any more, {advice}"


def test_changed_code_that_does_the_same_is_a_warning(sdnloom: CommandLine, recorded: Path) -> None:
    (recorded / "hub.py").write_text(PROGRAM.replace("self.ports = {}", "self.ports = {}\n        self.more = 1"))
    run = sdnloom("confirm", TRACE)
    assert (run.code, run.err) == (1, "warning: the code has changed since the trace was recorded\n")


def test_a_trace_of_actors_is_refused(sdnloom: CommandLine, tmp_path: Path) -> None:
    assert sdnloom("check", EXAMPLES / "actors/first_program.py").code == 1
    [trace] = tmp_path.glob("*.json")
    run = sdnloom("confirm", trace.name)
    assert (run.code, run.out) == (2, "")
    assert run.err.startswith(f"error: {trace.name}: is a trace of a program of actors, ")
    assert run.err.endswith("; expected one of a scenario, because actors have no OpenFlow connections\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("nothing.json",), "nothing.json: cannot read the trace: No such file or directory"),
        (("hub.toml",), "hub.toml: not JSON"),
        ((TRACE, "--record", "hub.py"), "Directory 'hub.py' is a file"),
        ((TRACE, "--record", "hub.py/x"), "hub.py/x: cannot write traces there; expected a folder that can be written"),
        ((TRACE, "--switch", "other"), "'other' is not 'openvswitch'"),
        ((TRACE, "--wait", "-1"), "-1.0 is not in the range x>=0"),
        ((TRACE, "--wait", "nan"), "nan is not in the range x>=0"),
        ((TRACE, "--scenario", EXAMPLES / "actors/first_program.py"), "is a trace of a program of actors"),
    ],
)
def test_a_mistake_is_one_message(
    sdnloom: CommandLine, recorded: Path, arguments: tuple[object, ...], message: str
) -> None:
    run = sdnloom("confirm", *arguments)
    assert (run.code, run.out, run.err.count("\n")) == (2, "", 1)
    assert message in run.err


def test_a_check_confirms_what_it_found(sdnloom: CommandLine, recorded: Path) -> None:
    run = sdnloom("check", "hub.toml", "--confirm")
    lines = run.out.splitlines()
    place = lines.index("CONFIRMED on the real system: all 8 steps went as the trace says")
    assert run.code == 1
    assert lines[place - 2 : place] == ["  8  h2: receives h1 > h2 ICMP echo request", ""]
    assert lines[place + 1] == "switches: the model; controller: the model"
    [violation] = json.loads(sdnloom("check", "hub.toml", "--confirm", "--format", "json").out)["violations"]
    assert (violation["confirmation"]["outcome"], violation["confirmation"]["taken"]) == ("confirmed", 8)
    [violation] = json.loads(sdnloom("check", "hub.toml", "--format", "json").out)["violations"]
    assert violation["confirmation"] is None


def test_violations_by_the_same_steps_are_taken_once(
    sdnloom: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[str] = []

    def parts(*given: Any) -> AbstractContextManager[OpenParts]:
        started.append("parts")
        return model_parts(*given)

    monkeypatch.setattr(ENTRY, partial(confirm_with, parts))
    app = str(EXAMPLES / "apps" / "learning_switch.py")
    run = sdnloom("check", "--app", app, "--topology", "linear,2", "--confirm", "--format", "json")
    found = json.loads(run.out)["violations"]
    assert [(each["property"], each["confirmation"]["outcome"]) for each in found] == [
        ("NoBlackHoles", "confirmed"),
        ("PingsAnswered", "confirmed"),
    ]
    assert started == ["parts"]


def test_pages_and_exports_say_what_became_of_it(
    sdnloom: CommandLine, recorded: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    confirmed = "CONFIRMED on the real system: all 8 steps went as the trace says"
    assert sdnloom("check", "hub.toml", "--confirm", "--export", "a.xml", "--export", "a.json").code == 1
    assert f"on the real system: {confirmed}" in Path("a.xml").read_text()
    [view] = read_results(Path("a.json"))
    assert ("on the real system", confirmed) in view.findings[0].facts
    assert ("switches", "the model") in view.findings[0].facts
    use(monkeypatch, without_frames)
    assert sdnloom("confirm", TRACE, "--export", "b.json", "--export", "b.html").code == 4
    [view] = read_results(Path("b.json"))
    assert view.headline == "DIFFERENT quiet h2: the switch s1 did something else in step 4 of 8"
    facts = dict(view.facts)
    assert facts["on the real system"] == "DIFFERENT the switch s1 did something else in step 4 of 8"
    assert facts["differs"].startswith("s1 out of port 2: expected ")
    assert facts["differs"].endswith(", observed nothing")
    assert "outcome" not in facts


def test_a_check_that_the_real_system_contradicts_has_exit_code_4(
    sdnloom: CommandLine, recorded: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    use(monkeypatch, without_frames)
    (recorded / "silent.toml").write_text(SCENARIO.replace("h2", "h1").replace('"h1"]', '"h2"]'))
    run = sdnloom("check", "hub.toml", "--confirm")
    assert run.code == 4
    assert "\nDIFFERENT the switch s1 did something else in step 4 of 8\n" in run.out
    assert "\nstep 4: s1: obeys PacketOut of step 3 -> out 2\n" in run.out
    suite = sdnloom("check", "hub.toml", "silent.toml", "--confirm")
    assert suite.code == 4
    assert "hub.toml     VIOLATED (DIFFERENT)  quiet h2" in suite.out
    rows = json.loads(sdnloom("check", "hub.toml", "silent.toml", "--confirm", "--format", "json").out)["results"]
    assert [row["confirmation"] for row in rows] == ["different", None]
    known = ("--baseline", "known.toml")
    assert sdnloom("check", "hub.toml", *known, "--update-baseline").code == 0
    assert sdnloom("check", "hub.toml", *known, "--confirm").code == 4


def test_a_check_whose_violation_cannot_be_tried_still_reports_it(
    sdnloom: CommandLine, recorded: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from sdnloom.confirm.real_parts import RealPartError

    def broken(*given: Any) -> Confirmation:
        raise RealPartError("the controller did not listen")

    monkeypatch.setattr(ENTRY, broken)
    run = sdnloom("check", "hub.toml", "--confirm")
    assert (run.code, run.out.splitlines()[0]) == (1, "VIOLATED quiet h2: h2 received 1")
    assert "warning: quiet h2 is not confirmed: the controller did not listen\n" in run.err


def test_a_missing_open_vswitch_is_named_before_the_search(
    sdnloom: CommandLine, recorded: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sdnloom.switches.daemons._search_path", lambda: "")
    run = sdnloom("check", "hub.toml", "--confirm")
    assert (run.code, run.out) == (2, "")
    assert run.err == (
        "error: ovsdb-tool, ovsdb-server, ovs-vsctl, ovs-vswitchd: not installed; install the package "
        "openvswitch-switch (apt-get install openvswitch-switch; it need not run as a service)\n"
    )


def test_confirm_without_open_vswitch_is_one_message_and_leaves_nothing(
    sdnloom: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, BUFFERED)
    checked = sdnloom("check", "hub.toml")
    assert f"\nconfirm: sdnloom confirm {TRACE}\n" in checked.out
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    monkeypatch.setattr("sdnloom.switches.daemons._search_path", lambda: "")
    run = sdnloom("confirm", TRACE)
    assert (run.code, run.out, run.err.count("\n")) == (2, "", 1)
    assert run.err.endswith("(apt-get install openvswitch-switch; it need not run as a service)\n")
    assert [*(tmp_path / "temporary").iterdir()] == []


def test_a_program_of_actors_cannot_be_confirmed(sdnloom: CommandLine) -> None:
    run = sdnloom("check", EXAMPLES / "actors/first_program.py", "--confirm")
    assert run.code == 2
    assert "--confirm is for scenarios and apps" in run.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--wait", "5"), "--wait is given without --confirm; expected --confirm as well"),
        (("--controller-command", "x {port}"), "--controller-command is given without --confirm"),
    ],
)
def test_options_that_do_not_go_together_are_refused(
    sdnloom: CommandLine, recorded: Path, arguments: tuple[str, ...], message: str
) -> None:
    run = sdnloom("check", "hub.toml", *arguments)
    assert (run.code, run.out) == (2, "")
    assert message in run.err
