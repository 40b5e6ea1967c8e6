"""`check --checkpoint` and `resume`: the same report, and what is refused."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from sdnloom import load_scenario, run_check, run_resume
from sdnloom.check.options.keywords import CheckCallError
from sdnloom.engine.checkpoint import file as format_of
from sdnloom.engine.checkpoint import keeper as keeping
from sdnloom.engine.checkpoint.file import CheckpointError, read_checkpoint, write_checkpoint
from sdnloom.engine.reduction import auto_reduction
from sdnloom.engine.search import _Run

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture(autouse=True)
def checkpoints_everywhere(monkeypatch):
    """A checkpoint at every boundary."""
    monkeypatch.setattr(_Run, "_compiled", lambda self, meanwhile: True)
    monkeypatch.setattr(keeping, "INTERVAL", 0)
    monkeypatch.setattr(keeping, "REST_FACTOR", 0)
    monkeypatch.setattr(format_of.os, "fsync", lambda descriptor: None)


@pytest.fixture
def app(tmp_path):
    """The folder of an app in plain Python with its scenarios."""
    shutil.copytree(EXAMPLES / "mac_learning", tmp_path / "app")
    return tmp_path / "app"


class EndedError(Exception):
    """The process ends here."""


def ended_at(monkeypatch, number):
    """The process ends after so many checkpoints."""
    written = 0

    def write(*given):
        nonlocal written
        write_checkpoint(*given)
        written += 1
        if written == number:
            raise EndedError

    monkeypatch.setattr(keeping, "write_checkpoint", write)


def without_times(document):
    """A report as JSON without what depends on time."""
    report = json.loads(document)
    report["seconds"] = 0
    return report


@pytest.mark.parametrize(
    ("options", "code"),
    [
        (("app/bug2.toml",), 1),
        (("app/bug2.toml", "--all", "--ping", "A,B,2"), 1),
        (("app/bug2_fixed.toml", "--reduce"), 0),
        (("app/bug2_fixed.toml", "--strategy", "no-delay", "--seed", "3"), 3),
        (("app/bug2_fixed.toml", "--max-states", "200"), 3),
        (("--app", str(EXAMPLES / "apps" / "learning_switch_fixed.py"), "--topology", "linear,2", "--reduce"), 0),
    ],
)
def test_a_search_that_was_ended_in_the_middle_gives_the_report_of_a_whole_one(
    sdnloom, app, monkeypatch, options, code
):
    whole = sdnloom("check", *options, "--format", "json", "--checkpoint", "whole.ckpt")
    assert whole.code == code
    with monkeypatch.context() as process, pytest.raises(EndedError):  # noqa: PT012
        ended_at(process, 4)
        sdnloom("check", *options, "--checkpoint", "search.ckpt")
    assert read_checkpoint(Path("search.ckpt")).manifest["ended"] is None
    resumed = sdnloom("resume", "search.ckpt", "--format", "json")
    assert resumed.code == code
    assert without_times(resumed.out) == without_times(whole.out)
    again = sdnloom("resume", "whole.ckpt", "--format", "json")  # it was over
    assert without_times(again.out) == without_times(whole.out)


def test_a_check_that_took_a_reduction_goes_on_whole_and_reduced(sdnloom, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(auto_reduction, "FIRST_TRIAL", 100)
    for name in ("MOST_OF_TRIAL", "MOST_TO_TAKE"):
        monkeypatch.setattr(auto_reduction, name, 1e9)
    kept = {}  # the last checkpoint of the whole search, and of the reduced one, that is not over

    def write(file, manifest, arrays):
        write_checkpoint(file, manifest, arrays)
        if manifest["ended"] is None:
            kept[manifest["choice"]["whole"] is not None] = file.read_bytes()

    options = ("--app", str(EXAMPLES / "apps" / "learning_switch_fixed.py"), "--topology", "linear,2")
    with monkeypatch.context() as process:
        process.setattr(keeping, "write_checkpoint", write)
        whole = sdnloom("check", *options, "--no-trace", "--format", "json", "--checkpoint", "whole.ckpt")
    assert json.loads(whole.out)["reduction_choice"].startswith("taken at ")
    assert kept.keys() == {False, True}
    for content in kept.values():
        Path("search.ckpt").write_bytes(content)
        resumed = sdnloom("resume", "search.ckpt", "--no-trace", "--format", "json")
        assert (resumed.code, without_times(resumed.out)) == (whole.code, without_times(whole.out))
    Path("search.ckpt").write_bytes(kept[True])
    refused = sdnloom("resume", "search.ckpt", "--coverage")
    assert refused.code == 2
    assert "has taken a reduction, and none is possible now: coverage counts what runs in every order" in refused.err


def test_the_text_and_the_traces_are_those_of_the_check(sdnloom, app):
    checked = sdnloom("check", "app/bug2.toml", "--checkpoint", "search.ckpt")
    trace = Path("bug2.StrictDirectPaths.sdnloom-trace.json").read_text()
    resumed = sdnloom("resume", "search.ckpt", "--trace-dir", "again")
    assert resumed.out.replace("again/", "") == checked.out
    assert sdnloom("replay", "again/bug2.StrictDirectPaths.sdnloom-trace.json").code == 1
    assert json.loads(trace)["steps"] == json.loads(next(Path("again").iterdir()).read_text())["steps"]


def test_a_limited_search_goes_on_with_another_limit_each_time(sdnloom, app):
    assert sdnloom("check", "app/bug2_fixed.toml", "--max-states", "50", "--checkpoint", "search.ckpt").code == 3
    assert sdnloom("resume", "search.ckpt").code == 3
    for states in (100, 200):
        found = sdnloom("resume", "search.ckpt", "--max-states", states, "--format", "json")
        assert json.loads(found.out)["states"] == states
    assert sdnloom("resume", "search.ckpt", "--max-states", 100_000).code == 0


def test_a_search_that_a_limit_has_ended_begins_its_hints_with_how_to_go_on(sdnloom, app):
    checked = sdnloom("check", "app/bug2_fixed.toml", "--max-states", "50", "--checkpoint", "my search.ckpt")
    assert checked.out.splitlines()[1:3] == [
        "to go on: sdnloom resume 'my search.ckpt' --max-states N",
        "or search less, or deeper:",
    ]
    resumed = sdnloom("resume", "my search.ckpt", "--max-states", "60")
    assert resumed.out.splitlines()[1:3] == [checked.out.splitlines()[1], "or another check:"]
    for run in (checked, resumed):
        assert "--order" not in run.out
        assert "--disk" not in run.out


def test_a_file_of_another_search_is_not_what_to_go_on_from(sdnloom, app, monkeypatch):
    assert sdnloom("check", "app/bug2.toml", "--checkpoint", "search.ckpt").code == 1
    monkeypatch.setattr(keeping, "write_checkpoint", lambda *given: fails("no room"))
    failed = sdnloom("check", "app/bug2_fixed.toml", "--max-states", "50", "--checkpoint", "search.ckpt")
    assert failed.out.splitlines()[1] == "to see more, raise --max-states"


def fails(text):
    """Writing a checkpoint fails."""
    raise CheckpointError(text)


def test_what_has_changed_is_named_before_any_of_it_runs(sdnloom, app):
    assert sdnloom("check", "app/bug2.toml", "--max-states", "50", "--checkpoint", "search.ckpt").code == 3
    code = app / "learning.py"
    kept = code.read_text()
    for changed, what in (("raise SystemExit('it runs')\n", "has changed"), (None, "is not there any more")):
        code.unlink() if changed is None else code.write_text(changed)
        refused = sdnloom("resume", "search.ckpt")
        assert refused.code == 2
        assert f"search.ckpt: cannot be resumed: the file '{code}' {what}" in refused.err
        assert len(refused.err.splitlines()) == 1
    code.write_text(kept)
    assert sdnloom("resume", "search.ckpt").code == 3
    part = app / "two_hosts.part.toml"
    part.write_text(part.read_text() + "\n# another\n")
    assert f"the file '{part}' has changed" in sdnloom("resume", "search.ckpt").err


def test_app_and_checkpoint_can_be_moved_together(sdnloom, app, tmp_path):
    assert sdnloom("check", "app/bug2.toml", "--max-states", "50", "--checkpoint", "app/search.ckpt").code == 3
    app.rename(tmp_path / "moved")
    assert sdnloom("resume", "moved/search.ckpt", "--max-states", "100").code == 3


@pytest.mark.parametrize(
    ("key", "value", "reason"),
    [
        ("sdnloom", "0.0", "search.ckpt: cannot be resumed: sdnloom 0.0 has written it and this is "),
        ("python", "2.7", "cannot be resumed: it was written under Python 2.7 and this is "),
        ("scenario", None, "its manifest is not one of this sdnloom"),
        ("fingerprints", {"scenario": "x"}, "the scenario has changed"),
        ("run", [], "its manifest is not one of this sdnloom"),
        ("search", {}, "its manifest is not one of this sdnloom"),
    ],
)
def test_another_manifest_is_refused_with_the_reason(sdnloom, app, key, value, reason):
    sdnloom("check", "app/bug2.toml", "--max-states", "50", "--checkpoint", "search.ckpt")
    manifest, arrays = read_checkpoint(Path("search.ckpt"))
    write_checkpoint(Path("search.ckpt"), {**manifest, key: value}, arrays)
    refused = sdnloom("resume", "search.ckpt")
    assert refused.code == 2
    assert reason in refused.err


def test_bad_files_are_one_message(sdnloom, app):
    sdnloom("check", "app/bug2.toml", "--max-states", "50", "--checkpoint", "search.ckpt")
    whole = Path("search.ckpt").read_bytes()
    damaged = bytearray(whole)
    damaged[len(whole) // 2] ^= 1
    files = {"cut": whole[:-1], "damaged": bytes(damaged), "foreign": b"{}"}
    for name, content in files.items():
        Path(name).write_bytes(content)
    for name in (*files, "none"):
        refused = sdnloom("resume", name)
        assert refused.code == 2
        assert refused.err.startswith(f"error: {name}: ")
        assert len(refused.err.splitlines()) == 1


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (("--order", "dfs"), "a checkpoint and order 'dfs' are given"),
        (("--engine", "loop"), "a checkpoint and engine 'loop' are given"),
        (("--discover",), "a checkpoint is wanted, and inputs are discovered"),
        (("app/bug1.toml",), "--checkpoint: 2 subjects are given"),
    ],
)
def test_what_has_no_checkpoints_is_refused(sdnloom, app, options, reason):
    refused = sdnloom("check", "app/bug2.toml", *options, "--checkpoint", "search.ckpt")
    assert refused.code == 2
    assert reason in refused.err
    assert not Path("search.ckpt").exists()


def test_nothing_of_value_is_overwritten(sdnloom, app):
    before = Path("app/bug2.toml").read_bytes()
    assert "is no checkpoint" in sdnloom("check", "app/bug2.toml", "--checkpoint", "app/bug2.toml").err
    assert Path("app/bug2.toml").read_bytes() == before
    sdnloom("check", "app/bug2.toml", "--max-states", "50", "--checkpoint", "search.ckpt")
    refused = sdnloom("check", "app/bug2.toml", "--checkpoint", "search.ckpt")
    assert "has a search that is not over; go on with `sdnloom resume search.ckpt`, or delete it" in refused.err
    assert sdnloom("resume", "search.ckpt", "--max-states", "100000").code == 1
    assert sdnloom("check", "app/bug2.toml", "--checkpoint", "search.ckpt").code == 1


def test_python_keeps_and_resumes_too(app, tmp_path):
    file = tmp_path / "search.ckpt"
    whole = run_check(app / "bug2.toml")
    assert run_check(app / "bug2.toml", checkpoint=file, max_states=50).verdict == "incomplete"
    resumed = run_resume(file, max_states=100_000)
    assert [one.path for one in resumed.violations] == [one.path for one in whole.violations]
    made = replace(load_scenario(app / "bug2_fixed.toml"), file=None)
    assert run_check(made, checkpoint=file, max_states=50).verdict == "incomplete"
    with pytest.raises(CheckpointError, match="it was made in Python"):
        run_resume(file)
    assert run_resume(file, scenario=made, max_states=100_000).verdict == "holds"
    with pytest.raises(CheckCallError, match="checkpoint is for scenarios and apps"):
        run_check(str(EXAMPLES / "actors" / "firewall.py"), checkpoint=tmp_path / "other.ckpt")


@pytest.mark.parametrize(
    "options",
    [
        {"find_all": True},
        {"order": "bfs"},
        {"reduce": True},
        {"seed": 3},
        {"strategy": "no-delay,pkt-seq", "pkt_seq": "2,1"},
        {"strategy": "flow-ir", "same_flow": "groups.py:same"},
        {"max_depth": 9},
    ],
)
def test_a_scenario_that_is_given_again_has_the_options_of_its_check(options, app, tmp_path, monkeypatch):
    """The checkpoint is resumed in another folder."""
    monkeypatch.chdir(tmp_path)
    Path("groups.py").write_text("def same(one, other):\n    return one == other\n")
    made = replace(load_scenario(app / "bug2.toml"), file=None)
    file = tmp_path / "search.ckpt"
    whole = run_check(made, **options)
    assert run_check(made, checkpoint=file, max_states=8, **options).verdict == "incomplete"
    assert run_resume(file, scenario=made).result.statistics.states == 8
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    resumed = run_resume(file, scenario=made, max_states=100_000)
    assert resumed.violations == whole.violations
    assert resumed.result.verdict == whole.result.verdict
    assert resumed.result.statistics.states == whole.result.statistics.states
