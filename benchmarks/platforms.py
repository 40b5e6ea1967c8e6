"""Real apps as programs under test: what capturing their state costs, whether it is exact, and what a search costs.

Needs the apps of ryu==4.34 (`make ryu`). Options: --sequences N (of random events for each app), --pings N.
"""

import argparse
import os
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.app_sequences import APPS, App, Course, directly, program, random_inputs, replayed, restored
from benchmarks.report import Report
from sdnloom import Scenario
from sdnloom.engine.result import SearchOptions
from sdnloom.network.build import switch_config
from sdnloom.network.hosts import Client, Replier
from sdnloom.network.network import Network, SwitchOptions
from sdnloom.network.openflow import Match, PacketIn, encode
from sdnloom.network.packet import encode as encode_packet
from sdnloom.network.program import SwitchUp
from sdnloom.network.topology import linear
from sdnloom.network.traffic import ping
from sdnloom.platforms.capture.snapshot import restore_snapshot
from sdnloom.platforms.capture.states import ReplayError
from sdnloom.platforms.osken.program import OskenProgram
from sdnloom.platforms.python.program import PythonProgram
from sdnloom.properties import NoHandlerException

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / ".cache" / "ryu-4.34"


def run(quick: bool, arguments: list[str]) -> Report:
    """Return the report; quick means fewer calls, sequences and pings."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks platforms", description=__doc__)
    parser.add_argument("--sequences", type=int, default=20 if quick else 2000)
    parser.add_argument("--pings", type=int, default=4 if quick else 5)
    given = parser.parse_args(arguments)
    if not FOLDER.is_dir():
        raise SystemExit(f"{FOLDER}: not there; `make ryu` fetches the apps of ryu==4.34")
    report = Report("platforms")
    _capturing(report, 300 if quick else 3000)
    _searching(report, given.pings)
    _exactness(report, given.sequences)
    return report


def _capturing(report: Report, calls: int) -> None:
    app = next(each for each in APPS if each.name == "simple_switch_13")
    loaded = program(app, FOLDER)
    handle = _handler(app, loaded)
    states = loaded._states
    times: dict[str, list[float]] = {"handler": [], "take": [], "restore": [], "digest": []}
    size = 0
    with loaded._sandbox.running():
        for _ in range(calls):  # in turn, as a search does it: what was captured before may have changed since
            _timed(times["handler"], handle)
            loaded._apps.collect()
            _timed(times["digest"], lambda: states._core(None, None))
            snapshot = _timed(times["take"], lambda: states._snapshot(first=False)[0])
            _timed(times["restore"], lambda: restore_snapshot(snapshot))  # noqa: B023
            size = snapshot.size
    handled, *costs = (statistics.median(times[name]) * 1e6 for name in ("handler", "take", "restore", "digest"))
    rows = report.table(
        f"Capturing simple_switch_13, microseconds, median of {calls}",
        "objects copied",
        "take",
        "restore",
        "digest",
        "all three",
        "one call of its PacketIn handler",
    )
    rows.add(size, *costs, sum(costs), handled)
    report.floor("capturing simple_switch_13, in calls of its handler", sum(costs) / handled, "<", 1)


def _handler(app: App, loaded: Any) -> Callable[[], None]:
    """Return a call of the app's own PacketIn handler, for a frame between two hosts that it knows."""
    topology = linear(2)
    core = loaded.initial()
    for spec in topology.switches:
        config = switch_config(spec, SwitchOptions(version=app.version, profile="reference"))
        core = loaded.first(core, SwitchUp(spec.name, config.datapath_id, config.ports)).core
    h1, h2 = topology.hosts
    with loaded._sandbox.running():
        from os_ken.controller import ofp_event
        from os_ken.ofproto import ofproto_v1_3_parser as parser

        switch = loaded._sandbox.bricks["SimpleSwitch13"]
        datapath = loaded._apps._datapaths["s1"]

        def event(source: Any, target: Any, port: int) -> Any:
            data = encode_packet(ping(source, target))
            wire = encode(PacketIn(Match.of(in_port=port), data, len(data)), 4)
            return ofp_event.EventOFPPacketIn(parser.OFPPacketIn.parser(datapath, 4, 10, len(wire), 0, wire))

        switch._packet_in_handler(event(h2, h1, 2))
        known = event(h1, h2, 1)
    return lambda: switch._packet_in_handler(known)


def _timed(times: list[float], function: Callable[[], Any]) -> Any:
    before = time.perf_counter()
    result = function()
    times.append(time.perf_counter() - before)
    return result


def _searching(report: Report, pings: int) -> None:
    title = f"{pings} pings between two switches, exhaustive, CPU seconds, best of three"
    rows = report.table(title, "program", "states", "transitions", "handler runs", "engine", "s")
    best: dict[str, float] = {}
    for name in ("plain Python", "ryu.app.simple_switch", "ryu.app.simple_switch_13"):
        found = [_search(name, pings) for _ in range(3)]
        seconds, result = min(found, key=lambda each: each[0])
        best[name] = seconds
        counts = result.result.statistics
        rows.add(name, counts.states, counts.transitions, result.handler_runs, counts.engine, seconds)
    ratio = best["ryu.app.simple_switch"] / best["plain Python"]
    report.floor("search with the real simple_switch, in times of the plain-Python controller's", ratio, "<=", 5)


def _search(name: str, pings: int) -> tuple[float, Any]:
    """Search with a freshly loaded program, so that nothing is cached from the previous run."""
    hosts = (Client("h1", to=("h2",), sends=pings), Replier("h2"))
    loaded: Any
    if name == "plain Python":
        sys.path.insert(0, str(ROOT / "examples" / "mac_learning"))
        from learning import PySwitch

        sys.path.pop(0)
        loaded, version = PythonProgram(PySwitch), "1.0"
    else:
        app = next(each for each in APPS if name.endswith(f".{each.name}"))
        loaded, version = program(app, FOLDER), app.version
    network = Network(linear(2), hosts, SwitchOptions(version=version, profile="reference"))  # type: ignore[arg-type]
    before = time.process_time()
    options = SearchOptions(reduce=False)
    result = Scenario(network, loaded, (NoHandlerException(),), options=options).check()
    seconds = time.process_time() - before
    assert result.verdict == "holds"
    return seconds, result


def _exactness(report: Report, count: int) -> None:
    title = "Random sequences of 12 events, each reached directly, from snapshots and by replay"
    rows = report.table(title, "app", "sequences", "events", "states", "differences", "exceptions seen", "kept by", "s")
    different = 0
    for app in APPS:
        before = time.process_time()
        events, differences, raised, states, kept = 0, 0, 0, set(), ""
        for seed in range(count):
            course = directly(app, FOLDER, list(random_inputs(app, seed, 12)))
            away = program(app, FOLDER)
            differences += not _same(course, away, seed)
            events += len(course.inputs)
            states |= set(course.digests)
            raised += sum(type(event).__name__ == "HandlerRaised" for each in course.reactions for event in each.events)
            kept = away.capture.partition(":")[0] if kept != "replay" else kept
        rows.add(app.name, count, events, len(states), differences, raised, kept, time.process_time() - before)
        different += differences
    report.floor("sequences that differ in a digest or in behaviour", different, "==", 0)
    apart = [
        app.name for app in APPS if len({_digests(app, min(count, 20), seed) for seed in ("0", "1", "random")}) > 1
    ]
    report.floor("apps whose digests differ between processes and hash seeds", len(apart), "==", 0)


def _same(course: Course, away: OskenProgram, seed: int) -> bool:
    try:
        return restored(away, course, random.Random(seed)) == course == replayed(away, course, random.Random(seed))
    except ReplayError:
        return False


def _digests(app: App, count: int, hash_seed: str) -> str:
    command = [sys.executable, "-m", "benchmarks.app_sequences", str(FOLDER), app.name, "0", str(count)]
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
    return subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT, env=environment).stdout
