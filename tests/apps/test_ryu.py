"""Ryu's own apps, unchanged, under `sdnloom check`: the published defects are found, with exact counts."""

import hashlib
import json
from pathlib import Path

import pytest

from tests.apps.conftest import HASHES, ROOT
from tests.cli.running import CommandLine

EXAMPLES = ROOT / "examples" / "ryu"


def test_the_apps_are_those_of_the_published_archive(ryu: Path) -> None:
    found = {name: hashlib.sha256((ryu / "ryu" / "app" / f"{name}.py").read_bytes()).hexdigest() for name in HASHES}
    assert found == HASHES


@pytest.mark.parametrize("app", ["simple_switch", "simple_switch_13", "example_switch_13", "simple_monitor_13"])
def test_a_learning_switch_keeps_what_any_app_should(ryu: Path, sdnloom: CommandLine, app: str) -> None:
    run = sdnloom("check", "--app", f"ryu.app.{app}", "--path", ryu, "--topology", "linear,2", "--format", "json")
    report = json.loads(run.out)
    assert (run.code, report["verdict"], report["states"], report["transitions"]) == (
        0,
        "holds",
        172,
        279,
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("scenario", "violated", "steps", "states", "transitions"),
    [
        ("switch13_bug1", "NoBlackHolesMobile", 27, 4_942, 11_231),
        ("switch13_bug2", "StrictDirectPaths", 20, 136, 217),
        ("switch13_bug3", "NoForwardingLoops", 14, 458, 1_004),
        ("switch10_bug1", "NoBlackHolesMobile", 27, 8_390, 19_499),
        ("switch10_bug2", "StrictDirectPaths", 20, 193, 305),
        ("switch10_bug3", "NoForwardingLoops", 14, 611, 1_292),
    ],
)
def test_published_defects_of_mac_learning_are_found(
    ryu: Path,
    sdnloom: CommandLine,
    tmp_path: Path,
    scenario: str,
    violated: str,
    steps: int,
    states: int,
    transitions: int,
) -> None:
    run = sdnloom("check", EXAMPLES / f"{scenario}.toml", "--format", "json")
    report = json.loads(run.out)
    assert (run.code, report["property"], report["violations"][0]["steps"]) == (1, violated, steps)
    assert report["violations"][0]["shortest"]
    assert (report["states"], report["transitions"]) == (states, transitions)
    replayed = sdnloom("replay", tmp_path / report["trace"])
    assert (replayed.code, replayed.out.split()[:2]) == (1, ["CONFIRMED", f"{violated}:"])


@pytest.mark.slow
def test_the_monitor_polls_while_packets_travel(ryu: Path, sdnloom: CommandLine) -> None:
    run = sdnloom("check", EXAMPLES / "monitor13.toml")
    assert (run.code, run.out.splitlines()[0].split(":")[0]) == (
        0,
        "HOLDS NoForwardingLoops, NoBlackHoles, NoHandlerException",
    )
    assert "seen: sometimes TimerFired" in run.out
    assert "time passes to the program's next timer at most 2 times" in run.out
    assert "kept by replay" not in run.out


def test_the_tutorial_switch_holds(ryu: Path, sdnloom: CommandLine) -> None:
    run = sdnloom("check", EXAMPLES / "example_switch13.toml", "--format", "json")
    report = json.loads(run.out)
    assert (run.code, report["verdict"], report["states"], report["transitions"]) == (0, "holds", 323, 546)


@pytest.mark.slow
def test_the_router_gets_addresses_and_routes_through_its_own_rest_handlers(ryu: Path, sdnloom: CommandLine) -> None:
    run = sdnloom("check", EXAMPLES / "rest_router.toml")
    assert (run.code, run.out.splitlines()[0].split(":")[0]) == (0, "HOLDS NoHandlerException, NoForwardingLoops")
    assert "searched 42,082 states, 131,983 transitions" in run.out
    assert "seen: h2 is pinged: a ping has reached h2" in run.out


CONFIGURED = {
    "rest_router_configured": (984, 1_795),
    "rest_firewall": (3_360, 10_826),
    "rest_qos": (2_021, 4_875),
    "ofctl_rest": (1_620, 3_698),
}


@pytest.mark.parametrize("name", CONFIGURED)
def test_an_app_holds_as_an_operator_has_configured_it(ryu: Path, sdnloom: CommandLine, name: str) -> None:
    run = sdnloom("check", EXAMPLES / f"{name}.toml", "--format", "json")
    report = json.loads(run.out)
    assert (run.code, report["verdict"]) == (0, "holds")
    assert (report["states"], report["transitions"]) == CONFIGURED[name]
    assert any(line.startswith("set-up before the search, in one order: (1) P") for line in report["bounds"])


def test_without_its_rules_the_firewall_lets_no_ping_through(ryu: Path, sdnloom: CommandLine, tmp_path: Path) -> None:
    text = (EXAMPLES / "rest_firewall.toml").read_text().replace("../../.cache", f"{ryu.parent}")
    (tmp_path / "closed.toml").write_text(text[: text.rindex("[[setup]]")])
    run = sdnloom("check", tmp_path / "closed.toml")
    assert run.code == 1
    assert run.out.startswith("VIOLATED PingsAnswered")


@pytest.mark.slow
def test_a_packet_to_a_gateway_goes_back_and_forth(ryu: Path, sdnloom: CommandLine) -> None:
    run = sdnloom("check", EXAMPLES / "rest_router_gateway.toml", "--long")
    lines = run.out.splitlines()
    assert (run.code, lines[0]) == (1, "VIOLATED Settles: packet h1:1 went to the controller more than 2 times")
    assert lines[1] == "shortest counterexample, 29 steps:"
    body = '{"destination": "10.9.0.0/16", "gateway": "192.168.30.20"}'
    assert any(f"call POST /router/0000000000000001 {body}" in line and "-> answer 200" in line for line in lines)
    assert sdnloom("replay", lines[-1].split()[-1]).out.startswith("CONFIRMED Settles")


@pytest.mark.slow
def test_a_trace_in_which_the_tree_converges_replays(ryu: Path, sdnloom: CommandLine) -> None:
    session = "tick 17\ntick\nsave converged.json\nquit\n"
    run = sdnloom("step", EXAMPLES / "stp_converging.toml", stdin=session)
    seen = "the tree has converged: 1 blocked, all other ports forward"
    assert (run.code, run.out.count(f"SEEN {seen}")) == (0, 1)
    assert "saved 528 steps" in run.out
    replayed = sdnloom("replay", "converged.json", "--long")
    assert (replayed.code, replayed.err) == (0, "")
    assert replayed.out.splitlines()[0] == f"CONFIRMED {seen}"
    assert len(replayed.out.splitlines()) == 529


@pytest.mark.slow
def test_on_the_native_hub_the_tree_does_not_converge(ryu: Path, sdnloom: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "native.toml").write_text(f'include = "{EXAMPLES}/stp_converging.toml"\n[program]\nhub = "native"\n')
    run = sdnloom("step", "native.toml", stdin="tick 18\nquit\n")
    assert (run.code, "SEEN" in run.out) == (0, False)


@pytest.mark.slow
def test_no_packet_loops_after_the_tree_has_converged(ryu: Path, sdnloom: CommandLine) -> None:
    run = sdnloom("check", EXAMPLES / "stp_ring.toml")
    assert (run.code, run.out.splitlines()[0].split(":")[0]) == (0, "HOLDS NoForwardingLoops, NoHandlerException")
    assert "searched 8,585 states, 29,237 transitions" in run.out
    assert "seen: sometimes Received at h2" in run.out


@pytest.mark.slow
def test_the_ring_is_searched_with_timers_as_steps_within_a_budget(ryu: Path, sdnloom: CommandLine) -> None:
    run = sdnloom("check", EXAMPLES / "stp_budget.toml", "--no-reduce")
    assert (run.code, run.out.splitlines()[0].split(":")[0]) == (0, "HOLDS NoForwardingLoops, NoHandlerException")
    assert "searched 581,502 states, 3,348,212 transitions" in run.out
    assert "time passes to the program's next timer at most 2 times" in run.out
    assert "seen: sometimes TimerFired" in run.out
