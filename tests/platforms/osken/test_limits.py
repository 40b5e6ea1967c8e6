"""A limit or Ctrl-C may strike anywhere in an app: nothing is lost, and the app's states are the same afterwards."""

from functools import partial

import pytest
from os_ken.lib import hub as osken_hub

from sdnloom.check.load import app_scenario
from sdnloom.engine.limits import LOADING, LimitWatch
from sdnloom.engine.result import Limits
from sdnloom.engine.stop_points import LimitReached, end_user_code, limits_in_force, under_way
from sdnloom.network.program import ClockTick
from sdnloom.platforms.osken.program import OskenProgram
from sdnloom.platforms.sandbox.hub import Hub
from tests.platforms.osken.helpers import frame, joined, packet, run

TICKER = """
from os_ken.base import app_manager
from os_ken.controller import ofp_event
from os_ken.controller.handler import MAIN_DISPATCHER, set_ev_cls
from os_ken.lib import hub

class Ticker(app_manager.OSKenApp):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.seen, self.ticks = {}, 0
        hub.spawn(self.tick)
        hub.spawn(self.tick)

    def tick(self):
        try:
            while True:
                hub.sleep(1)
                self.ticks += 1
        finally:
            self.seen["ended"] = True

    @set_ev_cls(ofp_event.EventOFPPacketIn, MAIN_DISPATCHER)
    def packet_in(self, ev):
        self.seen[len(self.seen)] = self.ticks
        hub.sleep(2)
        out = ev.msg.datapath.ofproto_parser.OFPActionOutput(1)
        ev.msg.datapath.send_msg(
            ev.msg.datapath.ofproto_parser.OFPPacketOut(ev.msg.datapath, 0xFFFFFFFF, 1, [out], ev.msg.data))
"""
COURSE = (joined(1), packet(frame(1, 2)), ClockTick(), packet(frame(2, 1)), ClockTick(), ClockTick())


@pytest.fixture
def ticker(tmp_path):
    (tmp_path / "ticker.py").write_text(TICKER)
    return partial(OskenProgram, [tmp_path / "ticker.py"], version="1.3")


def course(program):
    """The reactions in the states of a course, from the last one back: each state is restored by its steps."""
    cores = [reaction.core for reaction in run(program, *COURSE)]
    return [program.handle(core, ClockTick()) for core in reversed(cores)]


# Methods of the hub around which its state is half changed. None of them is on the stack of a waiting thread: a digest
# would see the frames of this test there.
HALF_DONE = ("spawn", "wake", "make_ready", "forget", "fire", "due", "parked", "_throw", "_new", "_here")


class Striking:
    """Raises LimitReached before or after call number `at` of those methods, if code of the app may be ended there."""

    def __init__(self, monkeypatch, at):
        self.left, self.struck = at, False
        for name in HALF_DONE:
            monkeypatch.setattr(Hub, name, self._around(getattr(Hub, name)))

    def _around(self, method):
        def around(hub, *arguments, **options):
            self._strike()
            result = method(hub, *arguments, **options)
            self._strike()
            return result

        return around

    def _strike(self):
        if not self.struck and under_way() is not None:
            self.left -= 1
            if self.left < 0:
                self.struck = True
                end_user_code("struck")


@pytest.mark.parametrize("step", [89, pytest.param(17, marks=pytest.mark.slow)])
def test_wherever_a_signal_strikes_all_states_are_restored_as_they_were(ticker, monkeypatch, step):
    program = ticker()
    expected, at = course(program), 0
    while True:
        with monkeypatch.context() as patched, limits_in_force(lambda: None):
            striking = Striking(patched, at)
            try:
                course(program)
            except LimitReached:
                assert program._states.broken
        if not striking.struck:
            break
        assert course(program) == expected
        at += step
    assert at > 100


def test_wherever_a_search_is_stopped_it_ends_with_a_report_and_the_next_one_is_whole(tmp_path, monkeypatch):
    (tmp_path / "ticker.py").write_text(TICKER)
    scenario = app_scenario(
        tmp_path / "ticker.py",
        topology="single,2",
        pings=["h1,h2,2"],
        ticks=2,
        version="1.0",
        properties=["NoHandlerException"],
    )
    whole = scenario.check().result
    assert whole.incomplete is None
    sizes = []
    for at in (1, 5, 10, 15, 20, 25, 10_000):
        calls = iter(range(1, at))
        with monkeypatch.context() as patched:
            patched.setattr(LimitWatch, "reason_to_stop", lambda watch, calls=calls: None if next(calls, 0) else "over")
            found = scenario.check().result
        sizes.append(found.statistics.states)
        assert found.incomplete == (None if at == 10_000 else "over")
    assert sizes == sorted(sizes)
    assert sizes[0] == 0
    assert sizes[-1] == whole.statistics.states


ENDLESS = "while True:\n    pass\n"
JOINING = """
from os_ken.base import app_manager
from os_ken.controller import ofp_event
from os_ken.controller.handler import CONFIG_DISPATCHER, set_ev_cls

class Joining(app_manager.OSKenApp):
    @set_ev_cls(ofp_event.EventOFPSwitchFeatures, CONFIG_DISPATCHER)
    def features(self, ev):
        while True:
            try:
                ev.msg
            except Exception:
                pass
"""


def test_an_app_that_is_never_loaded_is_ended_and_leaves_nothing_behind(tmp_path, monkeypatch, ticker):
    monkeypatch.setattr("sdnloom.engine.limits._GRACE_SECONDS", 0.0)
    expected, names = course(ticker()), dict(vars(osken_hub))
    (tmp_path / "endless.py").write_text(ENDLESS)
    watch = LimitWatch(Limits(seconds=0.01))
    reason = "the time limit of 0.01 s was reached while the program was loaded"
    with watch.in_force(), watch.during(LOADING), pytest.raises(LimitReached, match=reason):
        OskenProgram([tmp_path / "endless.py"])
    assert dict(vars(osken_hub)) == names
    assert course(ticker()) == expected


def test_a_handler_that_never_ends_while_the_switches_join_is_ended(tmp_path, monkeypatch):
    monkeypatch.setattr("sdnloom.engine.limits._GRACE_SECONDS", 0.0)
    (tmp_path / "joining.py").write_text(JOINING)
    scenario = app_scenario(tmp_path / "joining.py", topology="single,2", version="1.3", build=False)
    report = scenario.check(watch=LimitWatch(Limits(seconds=60), spent=59.9))
    assert report.result.incomplete == "the time limit of 60 s was reached during the start-up"
    assert report.result.statistics.states == 0


COUNTING = """
from os_ken.base import app_manager
from os_ken.controller import ofp_event
from os_ken.controller.handler import MAIN_DISPATCHER, set_ev_cls

class Counting(app_manager.OSKenApp):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.seen = {}

    @set_ev_cls(ofp_event.EventOFPPacketIn, MAIN_DISPATCHER)
    def packet_in(self, ev):
        self.seen[len(self.seen)] = len(ev.msg.data)
"""


def test_states_of_before_the_order_counted_are_restored_after_a_strike_too(tmp_path, monkeypatch):
    (tmp_path / "counting.py").write_text(COUNTING)
    program = OskenProgram([tmp_path / "counting.py"], version="1.3")
    inputs = (joined(1), packet(frame(1, 2)), packet(frame(2, 1)))
    old = [program.initial(), *(each.core for each in run(program, *inputs))]
    program.keep_order()
    new = [program.initial(), *(each.core for each in run(program, *inputs))]

    def reactions(cores):
        return [program.handle(core, packet(frame(1, 3))) for core in cores[1:]]

    expected = reactions(new)
    with monkeypatch.context() as patched, limits_in_force(lambda: None):
        Striking(patched, 3)
        with pytest.raises(LimitReached):
            reactions(new)
    assert program._states.broken
    assert reactions(new) == expected
    before = reactions(old)
    assert reactions(new) == expected
    assert reactions(old) == before
    assert reactions(new) == expected
