"""Before a property is judged at rest, what an app does after a timer is waited for; the line that waits is named."""

import re
from pathlib import Path

import pytest

from sdnloom import (
    Client,
    Network,
    NoBlackHoles,
    NoHandlerException,
    OskenProgram,
    Replier,
    Scenario,
    Sometimes,
    linear,
)
from sdnloom.check.report import Report
from sdnloom.engine.result import SearchOptions
from sdnloom.engine.semantics import Finding
from sdnloom.engine.walk import random_walk
from sdnloom.network.network import NetworkError, SwitchOptions
from sdnloom.network.topology.spec import Topology

SOURCE = """
import functools
import threading
import time
from os_ken.base import app_manager
from os_ken.controller import ofp_event
from os_ken.controller.handler import set_ev_cls
from os_ken.lib import hub
from os_ken.ofproto import ofproto_v1_0


class App(app_manager.OSKenApp):
    OFP_VERSIONS = [ofproto_v1_0.OFP_VERSION]

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        INIT

    def monitor(self):
        while True:
            hub.sleep(10)

    @set_ev_cls(ofp_event.EventOFPPacketIn)
    def packet_in(self, ev):
        HANDLER

    def send(self, msg):
        parser, ofproto = msg.datapath.ofproto_parser, msg.datapath.ofproto
        msg.datapath.send_msg(parser.OFPPacketOut(
            datapath=msg.datapath, buffer_id=msg.buffer_id, in_port=msg.in_port, data=msg.data,
            actions=[parser.OFPActionOutput(ofproto.OFPP_FLOOD)]))

    def fail(self):
        raise ValueError("late")
"""
RULES = (NoBlackHoles(), NoHandlerException(), Sometimes(event="Received", at="h2"))
SLEEPS = "for _ in range(5):\n            hub.sleep(1)\n        self.send(ev.msg)"
SETTLING = (
    "when nothing else happens, time passes to the program's next timer, 3 times in a row at most since it last "
    "received or sent a packet of a host"
)
LATE = {
    "spawn_after": "hub.spawn_after(1, self.send, ev.msg)",
    "partial": "hub.spawn_after(1, functools.partial(self.send, ev.msg))",
    "sleep": "time.sleep(1)\n        self.send(ev.msg)",
    "hub sleep": "hub.sleep(1)\n        self.send(ev.msg)",
    "Timer": "threading.Timer(1, self.send, [ev.msg]).start()",
    "thread": "threading.Thread(target=lambda: (time.sleep(1), self.send(ev.msg))).start()",
    "timeout": "threading.Event().wait(timeout=2)\n        self.send(ev.msg)",
}


def line_of(source: str, text: str) -> int:
    return next(number for number, line in enumerate(source.splitlines(), 1) if text in line)


class App:
    """An app file, and checks of it."""

    def __init__(self, folder: Path, handler: str, init: str = "pass") -> None:
        self.source = SOURCE.replace("HANDLER", handler).replace("INIT", init)
        self.file = folder / "app.py"
        self.file.write_text(self.source)

    def scenario(
        self, topology: Topology | None = None, threads: str = "settle", sends: int = 1, to: str = "h2", **network: int
    ) -> Scenario:
        hosts = (Client("h1", to=(to,), sends=sends), Replier(to))
        described = Network(topology or linear(2), hosts, SwitchOptions(), **network)
        return Scenario(described, OskenProgram([self.file], threads=threads), RULES)

    def check(self, *args, options: SearchOptions | None = None, **network) -> Report:
        scenario = self.scenario(*args, **network)
        return Scenario(scenario.network, scenario.program, RULES, options or SearchOptions()).check()


@pytest.mark.parametrize("handler", LATE.values(), ids=LATE)
@pytest.mark.parametrize("threads", ["settle", "explore"])
def test_a_packet_that_is_sent_after_a_timer_is_not_lost(tmp_path: Path, handler: str, threads: str) -> None:
    report = App(tmp_path, handler).check(threads=threads)
    assert report.verdict == "holds"
    assert report.result.late_explored
    assert [one.property for one in report.result.witnesses] == ["sometimes Received at h2"]
    assert SETTLING in report.bounds


@pytest.mark.slow
def test_every_tick_that_moves_a_packet_of_a_host_starts_the_count_again(tmp_path: Path) -> None:
    app = App(tmp_path, LATE["spawn_after"])
    assert app.check(linear(4), to="h4").violations == ()  # four switches hold the ping, and four its answer
    assert app.check(linear(11), to="h11", settle_ticks=1).verdict == "violated"  # twenty ticks in all


@pytest.mark.parametrize("options", [{}, {"engine": "kernel"}, {"reduce": True}, {"order": "dfs"}])
def test_a_packet_that_is_lost_is_reported_after_the_ticks(tmp_path: Path, options: dict) -> None:
    app = App(tmp_path, "pass", "hub.spawn(self.monitor)")
    report = app.check(options=SearchOptions(**options))
    (found,) = report.violations
    line = line_of(app.source, "hub.sleep(10)")
    assert (found.property, found.message) == (
        "NoBlackHoles",
        f"packet h1:1 never reached h2 (the program still waits at app.py:{line}: hub.sleep(10); "
        "it goes on with settle_ticks = 4 or more)",
    )
    assert [step.action for step in found.path.steps] == [
        "send",
        "packets",
        "handle s1",
        *["tick when nothing else happens"] * 3,
    ]
    scenario = app.scenario()
    trace = scenario.trace(found.path, Finding(found.property, found.message), {})
    assert scenario.replay(trace).confirmed
    walk = random_walk(app.scenario().system(), 1)
    assert walk.findings == (Finding(found.property, found.message),)


@pytest.mark.parametrize(
    ("handler", "waits"),
    [
        (SLEEPS, "hub.sleep(1)"),
        ("hub.spawn_after(1, self.monitor)", "def monitor"),
        ("threading.Timer(1, self.monitor).start()", "def monitor"),
        ("threading.Thread(target=self.monitor).start()", "hub.sleep(10)"),
    ],
)
def test_the_message_names_the_line_that_waits(tmp_path: Path, handler: str, waits: str) -> None:
    app = App(tmp_path, handler)
    found = app.check(settle_ticks=0).violations[0]
    text = "App.monitor" if waits == "def monitor" else waits
    place = re.escape(f"app.py:{line_of(app.source, waits)}: {text}")
    assert re.search(
        rf"\(the program still waits at {place}; it goes on with settle_ticks = 1 or more\)$", found.message
    )
    assert found.shortest


def test_a_handler_that_sleeps_longer_needs_more_ticks(tmp_path: Path) -> None:
    app = App(tmp_path, SLEEPS)
    assert [app.check(settle_ticks=ticks).verdict for ticks in (4, 5)] == ["violated", "holds"]


def test_an_exception_after_a_timer_is_reported_instead_of_the_black_hole(tmp_path: Path) -> None:
    app = App(tmp_path, "hub.spawn_after(1, self.fail)")
    (found,) = app.check().violations
    line = line_of(app.source, "raise ValueError")
    assert (found.property, len(found.path)) == ("NoHandlerException", 4)
    assert found.message.startswith(f"app.py:{line}: App.fail of App raised ValueError: late")


def test_an_app_without_timers_is_searched_as_before(tmp_path: Path) -> None:
    app = App(tmp_path, "self.send(ev.msg)")
    with_ticks, without = app.check(sends=2), app.check(sends=2, settle_ticks=0)
    assert with_ticks.bounds == without.bounds
    for one, other in ((with_ticks, without),):
        assert (one.verdict, one.result.late_explored, one.handler_runs) == ("holds", False, other.handler_runs)
        assert one.result.statistics.states == other.result.statistics.states
    lost = App(tmp_path, "pass")
    (found,) = lost.check().violations
    assert (found.message, found.shortest, len(found.path)) == ("packet h1:1 never reached h2", True, 3)


def test_ticks_at_any_moment_and_settle_ticks_have_budgets_of_their_own(tmp_path: Path) -> None:
    app = App(tmp_path, LATE["spawn_after"])
    report = app.check(ticks=1)
    assert report.verdict == "holds"
    assert report.bounds[1:3] == ("time passes to the program's next timer at most once", SETTLING)
    assert app.check(ticks=4, settle_ticks=0).verdict == "violated"  # time need not pass


def test_settle_ticks_are_checked() -> None:
    with pytest.raises(NetworkError, match="settle_ticks is -1; expected a whole number of at least 0"):
        Network(linear(2), settle_ticks=-1)
