"""The plugin as users of pytest meet it: tests of a project in a folder of its own."""

import subprocess
import sys
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import numpy as np  # noqa: F401 (pytester takes modules away that a run imports first, and numpy cannot be imported twice)
import pytest

import sdnloom.pytest_plugin.scenario_item  # noqa: F401 (as above)
from sdnloom import pytest_plugin as plugin
from sdnloom.confirm.real_parts import RealPartError
from sdnloom.confirm.run import confirm_with
from tests.confirm.model_parts import model_parts

pytest_plugins = ["pytester"]

EXAMPLES = Path(__file__).parents[2] / "examples"
HUB = "class Hub:\n    def packet_in(self, net, switch, message):\n        net.flood(switch, message)\n"
SILENT = HUB.replace("flood", "drop")
SCENARIO = """\
properties = ["NoBlackHoles"]
[program]
file = "hub.py"
[topology]
shape = "single"
[[hosts]]
name = "h1"
kind = "client"
to = ["h2"]
"""


class Project:
    """A folder with tests."""

    def __init__(self, pytester: pytest.Pytester) -> None:
        self.pytester, self.folder = pytester, pytester.path
        (self.folder / "hub.py").write_text(HUB)
        (self.folder / "net.toml").write_text(SCENARIO)

    def test(self, *lines: str, arguments: str = "sdnloom", before: str = "") -> None:
        """Write a test file with one test."""
        body = "\n".join(f"    {line}" for line in lines)
        (self.folder / "test_net.py").write_text(
            f"import pytest\n\n{before}\ndef test_net({arguments}):\n{body}\n", encoding="utf-8"
        )

    def run(self, *options: str) -> pytest.RunResult:
        """Run pytest with the plugin and no other one."""
        return self.pytester.runpytest_inprocess("-p", "sdnloom.pytest_plugin", *options, no_reraise_ctrlc=True)


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Project:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    return Project(pytester)


def test_what_holds_passes_and_gives_its_report(project: Project) -> None:
    project.test(
        'report = sdnloom.check("net.toml", max_states=1000)',
        'assert (report.verdict, report.result.statistics.states) == ("holds", 6)',
    )
    project.run().assert_outcomes(passed=1)


def test_the_counterexample_is_the_message_without_a_traceback(project: Project) -> None:
    (project.folder / "hub.py").write_text(SILENT)
    project.test('sdnloom.check("net.toml")')
    run = project.run()
    run.assert_outcomes(failed=1)
    run.stdout.re_match_lines(
        [
            "VIOLATED NoBlackHoles: .*",
            "shortest counterexample, 3 steps:",
            "  1  h1: .*",
            r"replay: sdnloom replay .*\.pytest_cache/d/sdnloom/test_net\.[0-9a-f]{8}\.sdnloom-trace\.json",
        ],
        consecutive=False,
    )
    text = run.stdout.str()
    assert "Traceback" not in text
    assert "fixture.py" not in text


def test_what_failed_in_the_last_run_is_replayed_first(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    (project.folder / "hub.py").write_text(SILENT)
    project.test('sdnloom.check("net.toml")')
    project.run().assert_outcomes(failed=1)
    traces = project.folder / ".pytest_cache" / "d" / "sdnloom"
    assert len(list(traces.iterdir())) == 1
    with monkeypatch.context() as patched:
        patched.setattr("sdnloom.check.scenario.Scenario.check", lambda *_: pytest.exit("searched", 9))
        again = project.run()
    again.assert_outcomes(failed=1)
    again.stdout.re_match_lines(
        ["VIOLATED NoBlackHoles: .*", "still there: the counterexample of the last run, 3 steps.*"]
    )
    again.stdout.fnmatch_lines(["replay: sdnloom replay *"])
    searched = project.run("--sdnloom-no-replay")
    assert "still there" not in searched.stdout.str()
    (project.folder / "hub.py").write_text(HUB)
    project.run().assert_outcomes(passed=1)
    assert list(traces.iterdir()) == []


def test_a_trace_of_another_scenario_is_not_replayed(project: Project) -> None:
    (project.folder / "hub.py").write_text(SILENT)
    project.test('sdnloom.check("net.toml")')
    project.run().assert_outcomes(failed=1)
    project.test('sdnloom.check("net.toml", pings=["h2,h1"])')
    run = project.run()
    run.assert_outcomes(failed=1)
    assert "still there" not in run.stdout.str()


def test_checks_of_one_test_have_traces_of_their_own(project: Project) -> None:
    (project.folder / "hub.py").write_text(SILENT)
    project.test('sdnloom.check("net.toml", max_states=1, allow=["incomplete"])', 'sdnloom.check("net.toml")')
    project.run("--sdnloom-trace-dir", "traces").assert_outcomes(failed=1)
    assert len(list((project.folder / "traces").iterdir())) == 1
    project.run("--sdnloom-trace-dir", "traces").stdout.fnmatch_lines(["still there: *"])


def test_without_a_cache_nothing_is_kept(project: Project) -> None:
    (project.folder / "hub.py").write_text(SILENT)
    project.test('sdnloom.check("net.toml")')
    run = project.run("-p", "no:cacheprovider")
    run.assert_outcomes(failed=1)
    assert "replay: sdnloom" not in run.stdout.str()


@pytest.mark.parametrize(
    ("options", "verdict"),
    [("max_states=1", "incomplete"), ('properties=["NoBlackHoles", "Sometimes,event=HostMoved"]', "vacuous")],
)
def test_what_means_little_fails_unless_it_is_allowed(project: Project, options: str, verdict: str) -> None:
    project.test(f'sdnloom.check("net.toml", {options})')
    run = project.run()
    run.assert_outcomes(failed=1)
    run.stdout.fnmatch_lines([f"{verdict.upper()} *", f"to let such a result pass: allow=['{verdict}']"])
    project.test(f'assert sdnloom.check("net.toml", {options}, allow=["{verdict}"]).verdict == "{verdict}"')
    project.run().assert_outcomes(passed=1)


def test_markers_have_defaults_and_the_closest_wins(project: Project) -> None:
    project.test(
        'assert "at most 500 states" in sdnloom.check().bounds',
        'assert "at most 700 states" in sdnloom.check(max_states=700).bounds',
        'assert "h2: at most 1 packet" in sdnloom.check().bounds',
        before='pytestmark = pytest.mark.sdnloom("net.toml", max_states=5, pings=["h2,h1"])\n'
        "@pytest.mark.sdnloom(max_states=500)",
    )
    project.run("--strict-markers").assert_outcomes(passed=1)


def test_the_time_limit_of_the_command_line_is_a_default(project: Project) -> None:
    project.test(
        'assert "at most 60 seconds" in sdnloom.check("net.toml").bounds',
        'assert "at most 50 seconds" in sdnloom.check("net.toml", time_limit=50).bounds',
    )
    project.run("--sdnloom-time-limit", "60").assert_outcomes(passed=1)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        ('check("nothing.toml")', "error: nothing.toml: cannot read the scenario*"),
        ('check("net.toml", topologie="x")', "error: the option 'topologie' is unknown; did you mean topology?"),
        ("check()", "error: check: neither is given; expected a scenario, a program of actors, or app="),
        ('check("net.toml", symmetry=True)', "error: symmetry is for programs of actors*"),
        ('check("net.toml", properties=[3])', "error: properties has 3; expected names such as*"),
        ('races("nothing.races")', "error: *nothing.races*"),
        ('crosscheck("strict")', "error: crosscheck: 1 agents are given; expected two or more to compare"),
    ],
)
def test_mistakes_are_one_line(project: Project, call: str, words: str) -> None:
    project.test(f"sdnloom.{call}")
    run = project.run()
    run.assert_outcomes(failed=1)
    run.stdout.fnmatch_lines([words])
    assert "Traceback" not in run.stdout.str()


def test_programs_of_actors_races_and_agents_are_checked(project: Project) -> None:
    here = EXAMPLES / "crosscheck"
    project.test(
        f'assert sdnloom.check({str(EXAMPLES / "actors" / "ssh.py")!r}, allow=["violated"]).verdict == "violated"',
        f'assert sdnloom.races({str(EXAMPLES / "races" / "firewall.races")!r}, allow=["violated"]).races',
        f"tiny = {str(here / 'tiny_switch.py') + ':TinySwitch'!r}",
        f'assert sdnloom.crosscheck(tiny, tiny, tests=[{str(here / "ports.toml")!r}]).verdict == "agree"',
        f"sdnloom.races({str(EXAMPLES / 'races' / 'firewall.races')!r})",
    )
    run = project.run()
    run.assert_outcomes(failed=1)
    run.stdout.fnmatch_lines(["*harmful races: *"])


def test_properties_may_be_python_and_traces_are_then_replayed_here(project: Project) -> None:
    (project.folder / "hub.py").write_text(SILENT)
    project.test(
        "from sdnloom import NoBlackHoles",
        'sdnloom.check("net.toml", properties=["NoForwardingLoops", NoBlackHoles(name="mine")])',
    )
    project.run().stdout.fnmatch_lines(["VIOLATED mine: *"])
    project.run().stdout.fnmatch_lines(["VIOLATED mine: *", "still there: *"])


def test_the_fixture_has_the_names_of_the_module_that_it_hides(project: Project) -> None:
    project.test(
        'sdnloom.check("net.toml", properties=[sdnloom.NoForwardingLoops()])',
        "with pytest.raises(AttributeError):",
        "    sdnloom.NoSuchName",
        before="import sdnloom",
    )
    project.run().assert_outcomes(passed=1)


def test_an_interrupted_check_ends_the_run(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    stop = "sdnloom.engine.limits.LimitWatch.interrupted"
    project.test('sdnloom.check("net.toml")')
    monkeypatch.setattr(stop, property(lambda watch: True, lambda watch, value: None), raising=False)
    run = project.run()
    run.assert_outcomes()
    run.stdout.fnmatch_lines(["*KeyboardInterrupt*"])


def test_what_fails_is_confirmed_if_that_is_asked(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sdnloom.api.confirm.confirm_trace", partial(confirm_with, model_parts))
    (project.folder / "hub.py").write_text(SILENT)
    project.test('sdnloom.check("net.toml")')
    confirmed = "CONFIRMED on the real system: all 3 steps went as the trace says"
    assert confirmed not in project.run().stdout.str()
    again = project.run("--sdnloom-confirm").stdout.str()
    assert again.index("still there: the counterexample of the last run") < again.index(confirmed)
    assert confirmed in project.run("--sdnloom-confirm", "--sdnloom-no-replay").stdout.str()


def test_what_cannot_be_confirmed_still_fails_with_the_counterexample(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*given: object) -> None:
        raise RealPartError("the controller did not listen")

    monkeypatch.setattr("sdnloom.api.confirm.confirm_trace", broken)
    (project.folder / "hub.py").write_text(SILENT)
    project.test('sdnloom.check("net.toml")')
    for _ in range(2):  # found, and replayed
        text = project.run("--sdnloom-confirm").stdout.str()
        assert "VIOLATED NoBlackHoles" in text
        assert "not confirmed: " in text
        assert "the controller did not listen" in text
    program = EXAMPLES / "actors" / "first_program.py"
    project.test(f"sdnloom.check({str(program)!r})")
    for _ in range(2):
        assert "a program of actors has no OpenFlow connections" in project.run("--sdnloom-confirm").stdout.str()


def test_scenario_files_are_tests_if_the_ini_file_says_so(project: Project) -> None:
    (project.folder / "nets").mkdir()
    (project.folder / "nets" / "silent.toml").write_text(SCENARIO.replace("hub.py", "../silent.py"))
    (project.folder / "nets" / "base.part.toml").write_text("")
    (project.folder / "silent.py").write_text(SILENT)
    project.run(".").assert_outcomes()
    project.pytester.makeini("[pytest]\nsdnloom_scenarios = net.toml nets/*.toml\n")
    run = project.run()
    run.assert_outcomes(passed=1, failed=1)
    run.stdout.fnmatch_lines(["VIOLATED NoBlackHoles: *", "FAILED nets/silent.toml::holds*"])


def test_assertions_of_sdnloom_itself_are_not_rewritten(pytestconfig: pytest.Config) -> None:
    assert isinstance(pytestconfig.pluginmanager.rewrite_hook._must_rewrite, set)  # or it has another name by now
    hook = SimpleNamespace(_must_rewrite={"sdnloom", "helpers"})
    manager = SimpleNamespace(rewrite_hook=hook)
    plugin.pytest_configure(SimpleNamespace(pluginmanager=manager, addinivalue_line=lambda *_: None))
    assert hook._must_rewrite == {"helpers"}


def test_the_plugin_is_cheap_until_it_is_used() -> None:
    code = (
        "import sys, sdnloom.pytest_plugin; print(sorted(m for m in sys.modules if m.split('.')[0] in "
        "('numpy', 'numba', 'rich', 'os_ken', 'sdnloom')))"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "['sdnloom', 'sdnloom.pytest_plugin']"
