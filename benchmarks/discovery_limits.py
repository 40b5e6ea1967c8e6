"""Whether a time limit ends discovery: each command in a process of its own, with loading and confirmation in its time.

Options: --limit SECONDS (10), --cores N (that a command may use), --only TEXT, --busy (limit and floor are in CPU time,
for a machine that does other work). Ryu's apps and Faucet are left out if they are not there (`make ryu`,
`pip install faucet`).
"""

import argparse
import importlib.util
import os
import subprocess
import sys
import time
from pathlib import Path

from benchmarks.nice import BUGS
from benchmarks.report import Report

ROOT = Path(__file__).parents[1]
RYU = ROOT / ".cache" / "ryu-4.34"
MOST_BEYOND = 2.0  # seconds after the limit
RYU_BUGS = tuple(f"ryu/switch{version}_bug{number}" for version in (13, 10) for number in (1, 2, 3))
ENDED = (0, 1, 3)  # exit codes of a command that says what it found


def commands(quick: bool) -> list[tuple[str, ...]]:
    """The commands, without the time limit."""
    found = [
        ("inputs", "--app", "ryu.app.simple_switch_13", "--path", str(RYU), "--port", "1"),
        ("inputs", "examples/ryu/rest_router_configured.toml", "--port", "1"),
        ("inputs", "examples/ryu/rest_firewall.toml", "--port", "1"),
        ("inputs", "examples/faucet/one_vlan.toml", "--port", "1"),
        ("inputs", "examples/faucet/acl.toml", "--port", "1"),
        ("inputs", "examples/faucet/routing.toml", "--port", "1"),
        (
            "inputs",
            "--from",
            "any",
            "--app",
            "examples/discovery/any_state.py",
            "--topology",
            "single,2",
            "--port",
            "1",
        ),
        ("inputs", "--from", "any", "--app", "ryu.app.simple_switch_13", "--path", str(RYU), "--port", "1"),
        ("inputs", "--from", "any", "examples/ryu/rest_router_configured.toml", "--port", "1"),
        ("check", "--discover", "examples/faucet/one_vlan.toml"),
        ("check", "--discover", "examples/faucet/discover.toml"),
        ("check", "--discover", "examples/ryu/rest_router_configured.toml"),
        ("check", "--discover", "examples/ryu/rest_firewall.toml"),
    ]
    if not quick:
        found += [("check", "--discover", f"examples/{name}.toml") for name in (*_bugs(), *RYU_BUGS)]
        shapes = sorted((ROOT / "examples" / "discovery").rglob("*.toml"))
        found += [
            ("check", "--discover", str(file.relative_to(ROOT)))
            for file in shapes
            if not file.name.endswith(".part.toml")
        ]
    return found


def _bugs() -> list[str]:
    """The scenarios of the published defects, with their own packets only where no others are meant."""
    return [
        f"{name}_discover" if (ROOT / "examples" / f"{name}_discover.toml").is_file() else name
        for name in BUGS.values()
    ]


def run(quick: bool, arguments: list[str]) -> Report:
    """Return the report; quick leaves out the published defects and the shapes."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks discovery-limits", description=__doc__)
    parser.add_argument("--limit", type=float, default=10.0)
    parser.add_argument("--cores", type=int)
    parser.add_argument("--only", default="")
    parser.add_argument("--busy", action="store_true")
    given = parser.parse_args(arguments)
    report = Report("discovery-limits")
    rows = report.table(
        f"sdnloom with --time-limit {given.limit:g}{' of CPU time' * given.busy}",
        "command",
        "s",
        "CPU s",
        "exit",
        "says",
    )
    slowest, bad, missing = 0.0, 0, 0
    for command in commands(quick):
        text = " ".join(command).replace(str(RYU), "RYU")
        if given.only not in text:
            continue
        if not available(text):
            missing += 1
            continue
        traced = command[0] == "check" or "--from" in command
        limits = ("--time-limit", f"{given.limit:g}", *(("--no-trace",) if traced else ()))
        module = "benchmarks.cpu_clock" if given.busy else "sdnloom"
        seconds, cpu, code, says = _measured((module, *command, *limits), given.cores)
        rows.add(text, seconds, cpu, code, says)
        slowest = max(slowest, cpu if given.busy else seconds)
        bad += code not in ENDED
    if missing:
        report.notes.append(f"{missing} commands were left out: Ryu's apps or Faucet are not there")
    report.floor("slowest command, seconds", slowest, "<=", given.limit + MOST_BEYOND)
    report.floor("commands that ended without a result", bad, "==", 0)
    return report


def available(text: str) -> bool:
    """Whether what a command or scenario needs is there."""
    if "ryu" in text:
        return RYU.is_dir()
    return "faucet" not in text or importlib.util.find_spec("faucet") is not None


def _measured(arguments: tuple[str, ...], cores: int | None) -> tuple[float, float, int, str]:
    """Wall time, CPU time, exit code and the first line of a command."""
    allowed = sorted(os.sched_getaffinity(0))[:cores]
    before, spent = time.monotonic(), os.times()
    done = subprocess.run(
        (sys.executable, "-m", *arguments),
        capture_output=True,
        text=True,
        cwd=ROOT,
        preexec_fn=lambda: os.sched_setaffinity(0, allowed),
    )
    after = os.times()
    cpu = after.children_user + after.children_system - spent.children_user - spent.children_system
    lines = (done.stdout or done.stderr).splitlines()
    return time.monotonic() - before, cpu, done.returncode, lines[0][:90] if lines else ""
