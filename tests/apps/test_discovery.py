"""Discovery on Ryu's own apps, unchanged: the published defects, without a packet that clients are told."""

import json
from pathlib import Path

import pytest

from tests.apps.conftest import ROOT
from tests.cli.running import CommandLine

EXAMPLES = ROOT / "examples" / "ryu"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("scenario", "violated", "steps"),
    [
        ("switch13_bug1", "NoBlackHolesMobile", 27),
        ("switch13_bug2", "StrictDirectPaths", 20),
        ("switch13_bug3", "NoForwardingLoops", 14),
        ("switch10_bug1", "NoBlackHolesMobile", 27),
        ("switch10_bug2", "StrictDirectPaths", 20),
        ("switch10_bug3", "NoForwardingLoops", 14),
    ],
)
def test_published_defects_are_found_without_a_configured_packet(
    ryu: Path, sdnloom: CommandLine, tmp_path: Path, scenario: str, violated: str, steps: int
) -> None:
    run = sdnloom("check", "--discover-only", EXAMPLES / f"{scenario}.toml", "--format", "json")
    report = json.loads(run.out)
    [found] = report["violations"]
    assert (run.code, report["property"], found["steps"], found["shortest"]) == (1, violated, steps, True)
    discovery = report["discovery"]
    hosts = ["h2", "h3"] if "bug3" in scenario else ["h2"]  # besides the sender
    assert [one["packets"] for one in discovery["rounds"]] == [0, len(hosts) + 3]
    assert not discovery["complete"]  # the first violation ends the search
    everybody, nobody = "ethernet eth.dst=ff:ff:ff:ff:ff:ff", "ethernet eth.dst=02:ff:00:00:00:fe"
    assert discovery["packets"]["h1 at s1:1"] == [
        *(f"ethernet eth.dst={host}" for host in hosts),
        *(everybody, nobody, "lldp"),
    ]
    replayed = sdnloom("replay", report["trace"])
    assert (replayed.code, replayed.out.split()[:2]) == (1, ["CONFIRMED", f"{violated}:"])


def test_a_ring_that_is_no_ring_holds_for_all_that_the_app_tells_apart(ryu: Path, sdnloom: CommandLine) -> None:
    run = sdnloom(
        *("check", "--app", "ryu.app.simple_switch_13", "--path", ryu, "--topology", "linear,2"),
        *("--property", "NoForwardingLoops", "--property", "NoHandlerException", "--discover", "--format", "json"),
    )
    report = json.loads(run.out)
    assert (run.code, report["verdict"]) == (0, "holds")
    assert report["discovery"]["complete"]
    assert report["bounds"][-1].startswith("5 packets discovered, one for each class and each role")


@pytest.mark.parametrize(("kind", "rows"), [("flows", ["  flow1 is priority 0 *: controller"]), ("ports", [])])
def test_a_monitor_that_only_logs_counters_tells_no_replies_apart(
    ryu: Path, sdnloom: CommandLine, kind: str, rows: list[str]
) -> None:
    port = ("--port", 1) if kind == "ports" else ()
    app = ("--app", "ryu.app.simple_monitor_13", "--path", ryu, "--topology", "single,2")
    run = sdnloom("inputs", *app, "--statistics", kind, *port)
    assert (run.code, run.out.split()[0]) == (0, "1")
    assert [line for line in run.out.splitlines() if line.startswith("  flow")] == rows


@pytest.mark.slow
def test_a_monitor_is_given_all_counters_that_it_tells_apart(ryu: Path, sdnloom: CommandLine, tmp_path: Path) -> None:
    monitor = (ryu / "ryu" / "app" / "simple_monitor_13.py").read_text()
    place = "        self.logger.info('datapath         '"
    (tmp_path / "wrong.py").write_text(
        monitor.replace(place, f"        assert not body or body[0].byte_count != 4711\n{place}", 1)
    )
    network = ("--path", ryu, "--topology", "single,2", "--ping", "h1,h2,1", "--ticks", 1)
    wanted = ("--property", "NoHandlerException", "--discover", "--stack", "arp", "--stack", "lldp")
    held = sdnloom("check", "--app", "ryu.app.simple_monitor_13", *network, *wanted)
    assert (held.code, held.out.split()[0]) == (0, "HOLDS")
    found = sdnloom("check", "--app", "wrong.py", *network, *wanted, "--long")
    assert (found.code, "[statistics flow1.byte_count=4711]" in found.out) == (1, True)


def test_a_trace_of_discovered_packets_needs_no_option_to_be_replayed(ryu: Path, sdnloom: CommandLine) -> None:
    found = sdnloom("check", "--discover-only", EXAMPLES / "switch13_bug3.toml")
    assert "h1: sends h1:1 (h1 > h2 type 0x88b5)" in found.out
    replayed = sdnloom("replay", "switch13_bug3.NoForwardingLoops.sdnloom-trace.json")
    steps = found.out.partition("\n\n")[0].splitlines()[2:]
    assert replayed.out.splitlines()[1:] == steps
