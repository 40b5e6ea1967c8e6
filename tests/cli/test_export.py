"""`--export` and `sdnloom export`: files for other tools, checked before anything is searched."""

import json
from pathlib import Path

import pytest

from sdnloom import read_results
from sdnloom.report.exports import EXPORTS
from tests.check.scenarios import BUFFERED, PROGRAM, write
from tests.cli.running import CommandLine
from tests.cli.test_replay import OTHERWISE

EXAMPLES = Path(__file__).parents[2] / "examples"
TRACE = "hub.quiet-h2.sdnloom-trace.json"
SUFFIXES = [suffix for suffix in EXPORTS if suffix != ".json"]


@pytest.fixture
def scenario(tmp_path: Path) -> Path:
    write(tmp_path, BUFFERED)
    return tmp_path


def test_a_check_writes_every_format_beside_its_report(sdnloom: CommandLine, scenario: Path) -> None:
    plain = sdnloom("check", "hub.toml", "--no-trace")
    files = [f"new/folder/x{suffix}" for suffix in EXPORTS]
    run = sdnloom("check", "hub.toml", "--no-trace", *(part for file in files for part in ("--export", file)))
    assert run.code == plain.code == 1
    assert [line for line in run.out.splitlines() if "searched" not in line] == [
        line for line in plain.out.splitlines() if "searched" not in line
    ]
    assert [line for line in run.err.splitlines() if line.startswith("exported: ")] == [f"exported: {f}" for f in files]
    assert all((scenario / file).stat().st_size > 100 for file in files)


def test_export_makes_the_same_files_from_the_result_document(sdnloom: CommandLine, scenario: Path) -> None:
    sdnloom("check", "hub.toml", "--export", "x.json", *(p for s in SUFFIXES for p in ("--export", f"x{s}")))
    run = sdnloom("export", "x.json", *(f"y{suffix}" for suffix in SUFFIXES), "y.json")
    assert (run.code, run.out) == (0, "")
    for suffix in EXPORTS:
        assert (scenario / f"y{suffix}").read_bytes() == (scenario / f"x{suffix}").read_bytes()


def test_export_replays_a_trace(sdnloom: CommandLine, scenario: Path) -> None:
    sdnloom("check", "hub.toml", "--export", "x.json")
    run = sdnloom("export", TRACE, "t.json")
    assert (run.code, run.err) == (0, "exported: t.json\n")
    [checked], [replayed] = read_results(scenario / "x.json"), read_results(scenario / "t.json")
    assert (replayed.kind, replayed.verdict, replayed.headline) == (
        "trace",
        "violated",
        "CONFIRMED quiet h2: h2 received 1",
    )
    assert replayed.findings[0].trace is not None
    assert checked.findings[0].trace is not None
    assert replayed.findings[0].trace.steps == checked.findings[0].trace.steps
    assert replayed.findings[0].trace.initial == checked.findings[0].trace.initial


def test_a_trace_that_diverges_or_has_no_scenario_is_exported_as_it_was_recorded(
    sdnloom: CommandLine, scenario: Path
) -> None:
    sdnloom("check", "hub.toml", "--export", "x.json")
    [checked] = read_results(scenario / "x.json")
    steps = checked.findings[0].trace.steps
    (scenario / "hub.py").write_text(PROGRAM.replace("net.flood(switch, message)", "net.packet_out(switch, message)"))
    changed = sdnloom("export", TRACE, "a.json", "a.mmd", "a.shiviz")
    assert changed.code == 0
    assert "step 4 of 8 cannot be taken any more; shown as it was recorded, without states" in changed.err
    (scenario / "hub.toml").unlink()
    missing = sdnloom("export", TRACE, "b.json")
    assert "its scenario 'hub.toml' is not there" in missing.err
    for name in ("a.json", "b.json"):
        [view] = read_results(scenario / name)
        trace = view.findings[0].trace
        assert (view.verdict, view.findings[0].property, trace.initial) == ("incomplete", "quiet h2", {})
        assert [step.lane for step in trace.steps] == [step.lane for step in steps]
        assert [step.clock for step in trace.steps] == [step.clock for step in steps]
        assert [step.causes for step in trace.steps] == [step.causes for step in steps]
        arrows = [(sent.to, sent.taken) for step in trace.steps for sent in step.transfers]
        assert arrows == [(sent.to, sent.taken) for step in steps for sent in step.transfers if sent.taken]
    assert sdnloom("export", TRACE, "c.json", "--scenario", "hub.toml").code == 2


def test_export_explains_a_trace_if_it_is_asked(sdnloom: CommandLine, scenario: Path) -> None:
    sdnloom("check", EXAMPLES / "actors/first_program.py")
    [trace] = scenario.glob("*.sdnloom-trace.json")
    assert sdnloom("export", trace, "plain.json").code == 0
    assert sdnloom("export", trace, "e.json", "e.mmd", "e.puml", "e.xml", "--explain").code == 0
    [plain], [explained] = read_results(scenario / "plain.json"), read_results(scenario / "e.json")
    assert plain.findings[0].trace.orderings == ()
    told = [each.text for each in explained.findings[0].trace.orderings if each.matters]
    assert told
    for name in ("e.mmd", "e.puml", "e.xml"):
        assert told[0].split()[0] in (scenario / name).read_text()


def test_a_replay_is_exported_with_what_its_search_found(sdnloom: CommandLine, scenario: Path) -> None:
    sdnloom("check", "hub.toml")
    assert sdnloom("replay", TRACE, "--export", "same.json").code == 1
    (scenario / "hub.py").write_text(OTHERWISE)
    assert sdnloom("replay", TRACE, "--export", "still.json", "--export", "still.xml").code == 1
    (scenario / "hub.py").write_text(PROGRAM.replace("net.flood(switch, message)", "net.packet_out(switch, message)"))
    assert sdnloom("replay", TRACE, "--export", "gone.json", "--export", "gone.xml").code == 0
    same, still, gone = (read_results(scenario / f"{name}.json")[0] for name in ("same", "still", "gone"))
    assert [view.verdict for view in (same, still, gone)] == ["violated", "violated", "holds"]
    assert [view.headline for view in (same, still, gone)] == [
        "CONFIRMED quiet h2: h2 received 1",
        "STILL THERE quiet h2: h2 received 1",
        "GONE quiet h2: h2 received 1",
    ]
    # What is left of a trace that is gone violates nothing: CI is green.
    assert [view.findings[0].property for view in (same, still, gone)] == ["quiet h2", "quiet h2", ""]
    assert [view.properties for view in (same, still, gone)] == [("quiet h2",)] * 3
    assert [len(view.findings[0].trace.steps) for view in (same, still, gone)] == [8, 8, 3]
    assert any(step.code for step in still.findings[0].trace.steps)
    assert 'failures="1"' in (scenario / "still.xml").read_text()
    assert 'tests="1" failures="0" errors="0" skipped="0"' in (scenario / "gone.xml").read_text()


@pytest.mark.parametrize(
    ("file", "message"),
    [
        ("x.svg", "'x.svg': the suffix '.svg' is no export; expected one of .html, .json, .mmd"),
        ("result", "'result': no suffix says which export is meant; expected one of .html, .json"),
        ("folder.json", "folder.json: is a folder; expected a file to write"),
        ("hub.toml/x.json", "hub.toml/x.json: cannot be written; expected a file in a folder that can be written"),
        ("/proc/x.json", "/proc/x.json: cannot be written"),
    ],
)
def test_a_file_that_cannot_be_written_ends_the_command_before_the_search(
    sdnloom: CommandLine, scenario: Path, file: str, message: str
) -> None:
    (scenario / "folder.json").mkdir()
    if file == "/proc/x.json":
        message = "/proc/x.json: "  # root may write there, as far as the system says beforehand
    for command in (
        ("check", "hub.toml", "--export", file),
        ("races", EXAMPLES / "races/firewall.races", "--export", file),
        ("walk", "hub.toml", "--export", file),
        ("export", "none.json", file),
    ):
        if file == "/proc/x.json" and command[0] != "check":
            continue
        run = sdnloom(*command)
        assert run.code == 2
        assert f"error: {message}" in run.err
        assert run.out == "" or file == "/proc/x.json"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[]", "schema is missing; expected 'sdnloom-result-1' or 'sdnloom-trace'"),
        ('{"schema": "sdnloom-check-1"}', "what --format json prints cannot be shown: write a result with --export"),
        ('{"schema": "sdnloom-result-1"}', "results is missing; expected the keys schema, results"),
        ('{"schema": "sdnloom-trace", "version": 1}', "steps is None; expected a list"),
        ("{", "not a whole JSON document"),
    ],
)
def test_a_file_that_is_no_result_is_refused(sdnloom: CommandLine, tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "r.json").write_text(text)
    run = sdnloom("export", "r.json", "x.mmd")
    assert (run.code, run.out) == (2, "")
    assert run.err.startswith("error: r.json: ")
    assert message in run.err
    assert not (tmp_path / "x.mmd").exists()


def test_several_findings_are_numbered_files_where_a_file_holds_one(sdnloom: CommandLine, tmp_path: Path) -> None:
    run = sdnloom("races", EXAMPLES / "races/hierarchy.races", "--export", "r.mmd", "--export", "r.puml")
    assert run.err.split() == [
        part for n in range(1, 10) for part in ("exported:", "r.mmd" if n == 1 else f"r-{n}.mmd")
    ] + ["exported:", "r.puml"]
    assert (tmp_path / "r.puml").read_text().count("@startuml") == 9


def test_a_result_without_a_finding_is_exported_too(sdnloom: CommandLine, scenario: Path) -> None:
    names = [f"h{suffix}" for suffix in EXPORTS]
    sdnloom("walk", "hub.toml", "--runs", 1, "--max-steps", 1, *(part for name in names for part in ("--export", name)))
    assert all((scenario / name).exists() for name in names)
    assert "INCOMPLETE no violation" in (scenario / "h.mmd").read_text()
    assert json.loads((scenario / "h.sarif").read_text())["runs"][0]["results"] == []


def test_walks_are_exported_with_the_code_that_ran(sdnloom: CommandLine, scenario: Path) -> None:
    for subject, options in (("hub.toml", ()), (EXAMPLES / "actors/first_program.py", ("--seed", 3))):
        assert sdnloom("walk", subject, *options, "--export", "w.json").code == 1
        [view] = read_results(scenario / "w.json")
        assert (view.kind, view.verdict, len(view.findings)) == ("trace", "violated", 1)
        assert any(step.code for step in view.findings[0].trace.steps)


def test_a_program_of_actors_is_exported(sdnloom: CommandLine, tmp_path: Path) -> None:
    program = EXAMPLES / "actors/first_program.py"
    assert sdnloom("check", program, "--export", "a.json").code == 1
    trace = next(tmp_path.glob("*.sdnloom-trace.json"))
    assert sdnloom("export", trace.name, "b.json").code == 0
    [checked], [replayed] = read_results(tmp_path / "a.json"), read_results(tmp_path / "b.json")
    assert checked.kind == "actors"
    assert replayed.findings[0].trace.steps == checked.findings[0].trace.steps
