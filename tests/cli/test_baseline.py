"""Baselines on the command line: for checks, suites, programs of actors, races and crosschecks."""

import json
from pathlib import Path

import pytest

from sdnloom.cli.options.baseline_option import Baseline
from sdnloom.report.baseline.baseline_file import read_baseline
from sdnloom.report.baseline.known import FoundViolation
from tests.cli.running import CommandLine

EXAMPLES = Path(__file__).parents[2] / "examples"
PROGRAM = """\
class Own:
    def packet_in(self, net, switch, message):
        if message.in_port == 1:
            net.drop(switch, message)
        else:
            net.flood(switch, message)
"""
SCENARIO = """\
properties = ["NoBlackHoles"]
[program]
file = "own.py"
[topology]
shape = "single"
hosts = 3
[[hosts]]
name = "h1"
kind = "client"
to = ["h2"]
"""
BOTH = f'{SCENARIO}[[hosts]]\nname = "h2"\nkind = "client"\nto = ["h3"]\n'


@pytest.fixture
def net(tmp_path: Path) -> Path:
    (tmp_path / "nets").mkdir()
    (tmp_path / "nets" / "own.py").write_text(PROGRAM)
    (tmp_path / "nets" / "net.toml").write_text(SCENARIO)
    return tmp_path / "nets" / "net.toml"


def test_known_violations_do_not_fail_and_new_ones_do(sdnloom: CommandLine, net: Path) -> None:
    check = ("check", "nets/net.toml", "--no-trace", "--baseline", "known.toml")
    missing = sdnloom(*check)
    assert (missing.code, "known.toml: cannot read the baseline" in missing.err) == (2, True)
    written = sdnloom(*check, "--update-baseline")
    assert written.code == 0
    assert "baseline known.toml: 1 known violation (1 added, 0 removed)" in written.err
    assert 'scenario = "nets/net.toml"\nproperty = "NoBlackHoles"\n' in Path("known.toml").read_text()
    known = sdnloom(*check)
    assert (known.code, known.out.split()[0]) == (0, "VIOLATED")
    assert "baseline known.toml: 0 new, 1 known, 0 no longer found\n  known: NoBlackHoles: " in known.out
    (net.parent / "own.py").write_text(PROGRAM.replace("== 1", "!= 1").replace("class", "\n\nclass"))
    net.write_text(BOTH)
    new = sdnloom(*check)
    assert new.code == 1
    assert "1 new, 0 known, 1 no longer found\n  new: NoBlackHoles: " in new.out
    assert "(remove it with --update-baseline)" in new.out.splitlines()[-1]
    assert sdnloom(*check, "--update-baseline").err.splitlines()[-1].endswith("(1 added, 1 removed)")
    (net.parent / "own.py").write_text(PROGRAM.replace("net.drop", "net.flood"))
    cured = sdnloom(*check)
    assert cured.code == 0
    assert cured.out.startswith("HOLDS")
    assert "0 new, 0 known, 1 no longer found" in cured.out


def test_a_search_that_a_limit_ends_is_not_accepted(sdnloom: CommandLine, net: Path) -> None:
    check = ("check", "nets/net.toml", "--no-trace", "--baseline", "known.toml")
    net.write_text(BOTH)
    assert sdnloom(*check, "--update-baseline").code == 0
    part = sdnloom(*check, "--max-states", "12")
    assert (part.code, "not everything was searched" in part.out) == (3, True)


def test_json_says_what_is_known(sdnloom: CommandLine, net: Path) -> None:
    check = ("check", "nets/net.toml", "--no-trace", "--baseline", "known.toml", "--format", "json")
    [first] = json.loads(sdnloom(*check, "--update-baseline").out)["baseline"]
    [second] = json.loads(sdnloom(*check).out)["baseline"]
    assert [len(first[key]) for key in ("new", "known", "gone")] == [1, 0, 0]
    assert (second["subject"], second["known"], second["complete"]) == ("nets/net.toml", first["new"], True)


def test_a_suite_has_one_baseline(sdnloom: CommandLine, net: Path) -> None:
    (net.parent / "both.toml").write_text(BOTH)
    program = EXAMPLES / "actors" / "account.py"
    check = ("check", "nets", program, "nets/wrong.toml", "--no-trace", "--baseline", "ci/known.toml")
    Path("ci").mkdir()
    assert sdnloom(*check, "--update-baseline").code == 2
    run = sdnloom(*check)
    assert (run.code, run.out.splitlines()[-1]) == (2, "4 scenarios: 1 with an error, 3 known")
    (net.parent / "own.py").write_text(PROGRAM.replace("message.in_port == 1", "True"))
    run = sdnloom(
        "check", "nets", "--no-trace", "--baseline", "ci/known.toml", "--format", "json", "--export", "r.json"
    )
    found = json.loads(run.out)
    assert (run.code, found["verdict"], found["counts"]) == (1, "violated", {"violated": 1, "known": 1})
    assert [row["baseline"]["subject"] for row in found["results"]] == ["../nets/both.toml", "../nets/net.toml"]
    exported = json.loads(Path("r.json").read_text())["results"]
    assert [[each["known"] for each in one["findings"]] for one in exported] == [[True, False], [True]]


def test_an_app_is_named_by_its_option(sdnloom: CommandLine, tmp_path: Path) -> None:
    app = (EXAMPLES / "apps" / "learning_switch.py").read_text()
    (tmp_path / "switch.py").write_text(app)
    check = (
        "check",
        "--app",
        "switch.py",
        "--topology",
        "single,2",
        "--ping",
        "h1,h2,1",
        "--move",
        "h2,s1:3",
        "--no-trace",
        "--baseline",
        "known.toml",
    )
    assert sdnloom(*check, "--update-baseline").code == 0
    assert sdnloom(*check).code == 0
    assert (
        'scenario = "--app switch.py"' in Path("known.toml").read_text() or "0 known" in Path("known.toml").read_text()
    )


def test_races_are_known_by_kind_and_events(sdnloom: CommandLine) -> None:
    model = EXAMPLES / "races" / "firewall.races"
    races = ("races", model, "--baseline", "known.toml")
    assert sdnloom(*races, "--update-baseline").code == 0
    assert Path("known.toml").read_text().count("[[known]]") == 2
    known = sdnloom(*races)
    assert (known.code, "0 new, 2 known" in known.out) == (0, True)
    text = Path("known.toml").read_text()
    Path("known.toml").write_text(text[: text.rindex("[[known]]")])
    new = sdnloom(*races, "--format", "json")
    assert (new.code, len(json.loads(new.out)["baseline"][0]["new"])) == (1, 1)
    assert sdnloom(*races, "--export", "r.json").code == 1
    flags = [each["known"] for each in json.loads(Path("r.json").read_text())["results"][0]["findings"]]
    assert (flags.count(True), flags.count(False)) == (1, 1)


def test_differences_of_agents_are_known_by_test_and_condition(sdnloom: CommandLine) -> None:
    here = EXAMPLES / "crosscheck"
    agents = (f"old={here / 'tiny_switch.py'}:TinySwitch", f"new={here / 'tiny_switch_fixed.py'}:TinySwitch")
    run = ("crosscheck", "run", *agents, "--test", here / "ports.toml", "--baseline", "known.toml")
    assert sdnloom(*run, "--update-baseline").code == 0
    assert 'scenario = "old / new, ports"' in Path("known.toml").read_text()
    known = sdnloom(*run, "--export", "r.json", "--inconsistencies")
    assert (known.code, "0 new, " in known.out) == (0, True)
    flags = [each["known"] for each in json.loads(Path("r.json").read_text())["results"][0]["findings"]]
    assert flags[0]
    assert not flags[-1]  # an inconsistency is not listed in a baseline
    Path("known.toml").write_text('schema = "sdnloom-baseline-1"\n')
    assert sdnloom(*run).code == 1


def test_options_that_do_not_go_together(sdnloom: CommandLine, net: Path) -> None:
    run = sdnloom("check", "nets/net.toml", "--update-baseline")
    assert (run.code, "--update-baseline is given without --baseline" in run.err) == (2, True)


def test_a_search_that_ends_at_its_first_violation_says_nothing_about_others(sdnloom: CommandLine, net: Path) -> None:
    check = ("check", "nets/net.toml", "--no-trace", "--baseline", "known.toml")
    net.write_text(BOTH)
    (net.parent / "own.py").write_text(PROGRAM.replace("message.in_port == 1", "True"))
    assert sdnloom(*check, "--update-baseline").code == 0
    assert Path("known.toml").read_text().count("[[known]]") == 2
    first = sdnloom(*check, "--first")
    assert (first.code, "0 new, 1 known, 0 no longer found" in first.out) == (0, True)


def test_what_the_start_up_violates_hides_what_was_not_searched(sdnloom: CommandLine, net: Path) -> None:
    joins = "    def switch_join(self, net, switch, features):\n        raise KeyError('at the start')\n"
    (net.parent / "own.py").write_text(PROGRAM + joins)
    net.write_text(SCENARIO.replace("NoBlackHoles", "NoHandlerException"))
    check = ("check", "nets/net.toml", "--no-trace", "--baseline", "known.toml")
    sdnloom(*check, "--update-baseline")
    known = sdnloom(*check)
    assert (known.code, "0 new, 1 known, 0 no longer found" in known.out) == (3, True)
    assert "not everything was searched, so there may be others" in known.out
    assert "tried:" not in known.out
    assert sdnloom("check", "nets", "--no-trace", "--baseline", "known.toml").code == 3


def test_a_baseline_that_another_run_has_written_meanwhile_keeps_its_entries(net: Path) -> None:
    mine, other = Baseline(Path("known.toml"), update=True), Baseline(Path("known.toml"), update=True)
    for each, subject in ((mine, "a.toml"), (other, "b.toml")):
        each.judge(subject, [FoundViolation("NoBlackHoles", "a message")], complete=True)
        each.finish()
    assert [each.subject for each in read_baseline(Path("known.toml"))] == ["a.toml", "b.toml"]
