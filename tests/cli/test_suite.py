"""Suites: several scenarios and programs in one command."""

import json
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from sdnloom import read_results
from sdnloom.check.options.search_options import CheckOptions
from sdnloom.cli.suite import suite_run
from sdnloom.cli.suite.subject import Subject
from sdnloom.cli.suite.subject_check import CheckRequest
from sdnloom.report.suite.result import SuiteResult, SuiteRow
from sdnloom.report.text_style import TextStyle
from tests.cli.running import CommandLine

EXAMPLES = Path(__file__).parents[2] / "examples"
SCENARIO = """\
properties = [{properties}]
[program]
file = "{program}.py"
[topology]
shape = "single"
[[hosts]]
name = "h1"
kind = "client"
to = ["h2"]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Four scenarios in two folders, one with a mistake, a fragment and a file that is no scenario."""
    (tmp_path / "nets" / "more").mkdir(parents=True)
    for name, call in (("hub", "flood"), ("silent", "drop")):
        for place in ("nets", "nets/more"):
            (tmp_path / place / f"{name}.py").write_text(
                f"class Own:\n    def packet_in(self, net, switch, message):\n        net.{call}(switch, message)\n"
            )
    holes = '"NoBlackHoles"'
    never = '"NoBlackHoles", { name = "Sometimes", event = "HostMoved" }'
    (tmp_path / "nets" / "good.toml").write_text(SCENARIO.format(properties=holes, program="hub"))
    (tmp_path / "nets" / "bad.toml").write_text(SCENARIO.format(properties=holes, program="silent"))
    (tmp_path / "nets" / "base.part.toml").write_text("")
    (tmp_path / "nets" / "other.toml").write_text("[tool]\nname = 1\n")
    (tmp_path / "nets" / "more" / "empty.toml").write_text(SCENARIO.format(properties=never, program="hub"))
    (tmp_path / "nets" / "more" / "wrong.toml").write_text(SCENARIO.format(properties=holes, program="nothing"))
    return tmp_path / "nets"


def without_seconds(text: str) -> list[str]:
    return [re.sub(r" +(seconds|\d+\.\d)$", "", line) for line in text.splitlines()]


TABLE = """\
scenario              verdict   property      steps  states
nets/bad.toml         VIOLATED  NoBlackHoles      3       4
nets/good.toml        HOLDS                               6
nets/more/empty.toml  VACUOUS                             6
nets/more/wrong.toml  ERROR

4 scenarios: 1 with an error, 1 violated, 1 vacuous, 1 holds"""


def test_a_folder_is_a_suite_with_a_table_at_the_end(sdnloom: CommandLine, folder: Path) -> None:
    run = sdnloom("check", "nets")
    lines = without_seconds(run.out)
    assert (run.code, "\n".join(lines[-7:])) == (2, TABLE)
    assert [line for line in lines if line.startswith("== ")] == [
        *("== nets/bad.toml", "== nets/more/empty.toml", "== nets/more/wrong.toml")
    ]
    assert "VIOLATED NoBlackHoles: " in run.out
    assert "replay: sdnloom replay bad.NoBlackHoles.sdnloom-trace.json" in lines
    assert "error: nets/more/wrong.toml: " in run.out
    notes = [line for line in run.err.splitlines() if line.startswith(("note:", "4/4"))]
    assert notes[0] == "note: nets/other.toml is left out: it has no [program] table"
    assert notes[1].startswith("4/4 nets/more/wrong.toml: ERROR (")


def test_the_worst_of_them_is_the_exit_code(sdnloom: CommandLine, folder: Path) -> None:
    good, bad, empty = folder / "good.toml", folder / "bad.toml", folder / "more" / "empty.toml"
    assert [sdnloom("check", *files).code for files in ((good, good), (good, empty), (empty, bad, good))] == [0, 3, 1]
    assert sdnloom("check", good, "missing.toml", "--max-states", "1").code == 2
    assert sdnloom("check", good, good.parent / "bad.toml", "--max-states", "1").code == 3


def test_one_export_has_every_result_and_an_error_is_an_error_of_ci(
    sdnloom: CommandLine, folder: Path, tmp_path: Path
) -> None:
    run = sdnloom("check", "nets", "--export", "all.json", "--export", "all.xml")
    assert run.code == 2
    views = read_results(tmp_path / "all.json")
    assert [(view.name, view.verdict) for view in views] == [
        ("nets/bad.toml", "violated"),
        ("nets/good.toml", "holds"),
        ("nets/more/empty.toml", "vacuous"),
        ("nets/more/wrong.toml", "incomplete"),
    ]
    assert views[-1].headline.startswith("ERROR nets/more/wrong.toml: ")
    suites = ElementTree.parse(tmp_path / "all.xml").getroot()
    counts = [(suite.get("failures"), suite.get("errors")) for suite in suites]
    assert counts == [("1", "0"), ("0", "0"), ("0", "1"), ("0", "1")]


def test_each_subject_runs_once(sdnloom: CommandLine, folder: Path) -> None:
    run = sdnloom("check", "nets/good.toml", "./nets/good.toml", "nets/more/../good.toml", "nets/more/empty.toml")
    assert run.out.splitlines()[-1] == "2 scenarios: 1 vacuous, 1 holds"


def test_options_vary_each_scenario_of_a_suite(sdnloom: CommandLine, folder: Path) -> None:
    files = ("nets/good.toml", "nets/more/empty.toml")
    run = sdnloom("check", *files, "--property", "NoForwardingLoops", "--ping", "h1,h2,3", "--format", "json")
    found = json.loads(run.out)
    assert (run.code, [row["states"] for row in found["results"]]) == (0, [661, 661])


def test_json_has_the_json_of_each(sdnloom: CommandLine, folder: Path) -> None:
    run = sdnloom("check", "nets", "--format", "json", "--no-trace")
    found: dict[str, Any] = json.loads(run.out)
    rows = found.pop("results")
    assert found == {
        "schema": "sdnloom-suite-1",
        "verdict": "error",
        "counts": {"error": 1, "violated": 1, "vacuous": 1, "holds": 1},
        "left": [],
    }
    assert [(row["name"], row["verdict"], row["property"], row["steps"]) for row in rows] == [
        ("nets/bad.toml", "violated", "NoBlackHoles", 3),
        ("nets/good.toml", "holds", None, None),
        ("nets/more/empty.toml", "vacuous", None, None),
        ("nets/more/wrong.toml", "error", None, None),
    ]
    alone = json.loads(sdnloom("check", "nets/bad.toml", "--format", "json", "--no-trace").out)
    assert {**rows[0]["report"], "seconds": 0} == {**alone, "seconds": 0}
    assert (rows[3]["report"], rows[3]["error"].startswith("nets/more/wrong.toml: ")) == (None, True)


def test_programs_of_actors_and_scenarios_run_together(sdnloom: CommandLine, folder: Path) -> None:
    program = EXAMPLES / "actors" / "ssh.py"
    run = sdnloom("check", program, "nets/good.toml", "--no-trace")
    assert (run.code, run.out.splitlines()[-1]) == (1, "2 scenarios: 1 violated, 1 holds")
    refused = sdnloom("check", program, "nets/good.toml", "--ping", "h1,h2")
    assert (refused.code, "--ping is for scenarios and apps, but" in refused.err) == (2, True)
    refused = sdnloom("check", "nets", "--symmetry")
    assert (refused.code, "--symmetry/--no-symmetry is for programs of actors" in refused.err) == (2, True)


@pytest.mark.parametrize("option", [("--tree", "t.svg"), ("--print-scenario",)])
def test_options_for_one_subject_are_refused(sdnloom: CommandLine, folder: Path, option: tuple[str, ...]) -> None:
    program = EXAMPLES / "actors" / "ssh.py"
    files = (program, program.with_name("account.py")) if option[0] == "--tree" else ("nets",)
    run = sdnloom("check", *files, *option)
    assert (run.code, run.out) == (2, "")
    assert f"{option[0]}: " in run.err
    assert "subjects are given; expected one" in run.err


def test_a_folder_without_scenarios_is_a_mistake(sdnloom: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "none").mkdir()
    run = sdnloom("check", "none")
    assert (run.code, "the folder 'none' has no scenario" in run.err) == (2, True)


def test_processes_give_the_same_rows_in_the_same_order(sdnloom: CommandLine, folder: Path) -> None:
    def rows(*options: str) -> list[Any]:
        run = sdnloom("check", "nets/bad.toml", "nets/more", "--format", "json", "--no-trace", *options)
        found = json.loads(run.out)
        return [{**row, "seconds": 0, "report": {**(row["report"] or {}), "seconds": 0}} for row in found["results"]]

    assert rows() == rows("--jobs", "2")


def test_after_an_interrupt_the_rest_does_not_run(monkeypatch: pytest.MonkeyPatch) -> None:
    subjects = [Subject(name) for name in "abc"]
    seen = []

    def ran(subject: Subject, *_: Any) -> Any:
        seen.append(subject.name)
        return suite_run._Finished(SuiteRow(subject.name, "incomplete", 0.0), subject.name == "b")

    monkeypatch.setattr(suite_run, "_finished", ran)
    result = suite_run.run_suite(subjects, CheckRequest(CheckOptions()), 1, TextStyle(), False)
    assert (seen, result.left, result.exit_code) == (["a", "b"], ("c",), 3)


def test_a_suite_of_which_something_did_not_run_does_not_hold() -> None:
    row = SuiteRow("a", "holds", 0.0)
    assert (SuiteResult((row,)).exit_code, SuiteResult((row,), ("b",)).exit_code) == (0, 3)


def test_a_defect_of_sdnloom_loses_no_other_row(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(subject: Subject, *_: Any) -> None:
        raise RuntimeError(f"cannot check {subject.name}")

    monkeypatch.setattr(suite_run, "check_subject", fail)
    subjects = [Subject(name, Path(name)) for name in ("one.toml", "two.toml")]
    request = CheckRequest(CheckOptions())
    result = suite_run.run_suite(subjects, request, 1, TextStyle(), views=False)
    assert [(row.name, row.verdict, row.error) for row in result.rows] == [
        (name, "error", f"RuntimeError: cannot check {name}; this is a defect of sdnloom")
        for name in ("one.toml", "two.toml")
    ]
    assert "cannot check two.toml" in capsys.readouterr().err
