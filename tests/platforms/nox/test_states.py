"""States of NOX apps are captured exactly: reached directly, restored, or rebuilt by another instance or process."""

import gc
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sdnloom.engine.model import Restart
from sdnloom.network.openflow import Match, PacketIn, PortDesc, PortStatus
from sdnloom.network.program import Call, ClockTick, MessageIn, SwitchDown, SwitchUp
from sdnloom.platforms.capture import type_rules as kinds
from sdnloom.platforms.nox import NoxProgram
from tests.platforms.nox.helpers import FACTORY, JOINED, component, frame, give, packet_in, program

EXAMPLE = Path(__file__).parents[3] / "examples" / "mac_learning_nox"

# State in every place that Python offers, packets and timers among it.
HOARDING = """
from nox.lib.core import *
import collections
import itertools
import random
import time

history = []
counter = itertools.count()
latest = None

def remember(what, into=[]):
    into.append(what)
    return len(into)

class App(Component):
    shared = {}

    def __init__(self, ctxt):
        Component.__init__(self, ctxt)
        self.packets = collections.OrderedDict()
        self.ports = collections.defaultdict(set)
        self.calls = 0

    def came(self, dpid, inport, reason, length, bufid, packet):
        global latest
        latest = packet
        self.packets[packet.src.tostring()] = (inport, time.time(), packet)
        self.ports[dpid].add(inport)
        App.shared[inport] = App.shared.get(inport, 0) + 1
        history.append((next(counter), remember(inport), random.randrange(5)))
        self.post_callback(inport, lambda: self.expire(inport))
        if len(history) == 3:
            self.register_for_port_status(lambda dpid, reason, port: history.clear())
        self.send_openflow(dpid, bufid, packet.arr, openflow.OFPP_FLOOD, inport)

    def expire(self, port):
        self.calls += 1
        for address in [address for address, entry in self.packets.items() if entry[0] == port]:
            del self.packets[address]
        if self.calls % 3 == 2:
            raise RuntimeError("every third time")

    def left(self, dpid):
        self.ports.pop(dpid, None)

    def install(self):
        self.register_for_packet_in(self.came)
        self.register_for_datapath_leave(self.left)
"""

inputs = st.one_of(
    st.builds(
        lambda switch, port, src: MessageIn(switch, PacketIn(Match.of(in_port=port), frame(src, 9), 60, 0, 5)),
        st.sampled_from(["s1", "s2"]),
        st.integers(1, 3),
        st.integers(1, 3),
    ),
    st.builds(lambda name: SwitchUp(name, int(name[1]), (PortDesc(1), PortDesc(2))), st.sampled_from(["s1", "s2"])),
    st.builds(SwitchDown, st.sampled_from(["s1", "s2"])),
    st.just(ClockTick()),
    st.just(MessageIn("s1", PortStatus(2, PortDesc(1)))),
)
START = [SwitchUp("s1", 1, (PortDesc(1),)), SwitchUp("s2", 2, (PortDesc(1),))]


def course(started, given, core):
    """The reactions to inputs one after the other, the first alternative each time."""
    found = []
    for each in given:
        reactions = started.handle(core, each)
        if reactions:
            found.append(reactions)
            core = reactions[0].core
    return found, core


def compare(file, before, after, other):
    """Three ways to the same state, and what happens afterwards on each."""
    direct = NoxProgram(file)
    first, middle = course(direct, [*START, *before], direct.initial())
    onward, end = course(direct, after, middle)

    # Back in the middle after the program has been somewhere else entirely.
    course(direct, [*START, *other], direct.initial())
    assert course(direct, after, middle) == (onward, end)

    # Another instance, which has seen nothing else.
    fresh = NoxProgram(file)
    assert course(fresh, [*START, *before], fresh.initial()) == (first, middle)
    assert course(fresh, after, middle) == (onward, end)


@pytest.mark.slow
@settings(max_examples=100)
@given(*(st.lists(inputs, max_size=8) for _ in range(3)))
def test_a_state_behaves_the_same_whichever_way_it_was_reached(tmp_path_factory, before, after, other):
    file = tmp_path_factory.getbasetemp() / "hoarding.py"
    file.write_text(HOARDING + FACTORY)
    compare(file, before, after, other)


# What nobody can copy, made when the file is run and when the component is.
CYCLING = """
from nox.lib.core import *
import itertools

def numbers():
    number = 0
    while True:
        number = number % 2 + 1
        yield number

COUNTED = numbers()

class App(Component):
    pairs = zip(itertools.cycle([1, 2, 3]), itertools.repeat(1))

    def __init__(self, ctxt):
        Component.__init__(self, ctxt)
        self.more = map(abs, itertools.cycle([-1, -2]))

    def came(self, dpid, inport, reason, length, bufid, packet):
        port = next(COUNTED) + next(self.pairs)[0] + next(self.more)
        self.send_openflow(dpid, bufid, packet.arr, port, inport)

    def install(self):
        self.register_for_packet_in(self.came)
"""


@pytest.mark.slow
@settings(max_examples=40)
@given(*(st.lists(inputs, max_size=6) for _ in range(3)))
def test_a_state_behaves_the_same_when_the_apps_were_made_anew(tmp_path_factory, before, after, other):
    file = tmp_path_factory.getbasetemp() / "cycling.py"
    file.write_text(CYCLING + FACTORY)
    compare(file, before, after, other)
    assert NoxProgram(file).capture.startswith(
        "replay from the very start: cycling.App.pairs is a builtins.zip, whose state cannot be read"
    )


LOOKING = """
class App(Component):
    def came(self, dpid, inport, reason, length, bufid, packet):
        if inport in self.seen and len(self.seen) == 2:
            raise RuntimeError(list(self.seen)[0])
        self.seen[inport] = True

    def install(self):
        self.seen = {}
        self.register_for_packet_in(self.came)
"""


def test_an_order_of_keys_that_makes_a_difference_becomes_part_of_the_state(tmp_path):
    started = program(tmp_path, LOOKING)
    one, two = packet_in(port=1), packet_in(port=2)
    give(started, JOINED, one, two, one)
    reason = "the reaction of app to PacketIn of s1 depends on the insertion order of a dict"
    assert started.handle(give(started, JOINED, two).core, one) == Restart(reason)
    texts = [give(started, JOINED, *each, one).events[0].text for each in ((one, two), (two, one))]
    assert texts == ["RuntimeError: 1", "RuntimeError: 2"]
    assert started.notes == (
        "the insertion order of dicts is part of the program's state: its reaction to PacketIn of s1 depends on it",
    )


# Timers with two periods, and nothing that tells the time: only how far away the next one is counts.
PULSING = """
from nox.lib.core import *

class App(Component):
    def pulse(self, seconds):
        def again():
            self.beats = (self.beats + seconds) % 4
            self.post_callback(seconds, again)
        self.post_callback(seconds, again)

    def install(self):
        self.beats = 0
        self.pulse(2)
        self.pulse(3)
"""


@pytest.mark.slow
@settings(max_examples=50)
@given(*(st.lists(st.sampled_from([ClockTick(), SwitchDown("s2"), START[1]]), max_size=12) for _ in range(3)))
def test_timers_are_as_far_away_as_they_were(tmp_path_factory, before, after, other):
    file = tmp_path_factory.getbasetemp() / "pulsing.py"
    file.write_text(PULSING + FACTORY)
    compare(file, before, after, other)


def test_periods_without_a_clock_have_finitely_many_states(tmp_path):
    file = tmp_path / "pulsing.py"
    file.write_text(PULSING + FACTORY)
    started = NoxProgram(file)
    seen, todo = {started.initial()}, [started.initial()]
    while todo:
        found = {reaction.core for reaction in started.handle(todo.pop(), ClockTick())} - seen
        seen |= found
        todo += found
    # 2 s fires, 3 s, 2 s; then both are due: one of the two ways back to the start, each with a state in between.
    assert len(seen) == 6


@pytest.mark.slow
@settings(max_examples=100)
@given(*(st.lists(inputs, max_size=8) for _ in range(3)))
def test_states_of_the_example_behave_the_same_whichever_way_they_were_reached(before, after, other):
    compare(EXAMPLE / "following.py", before, after, other)


@pytest.mark.slow
@given(st.lists(inputs, min_size=1, max_size=10))
@settings(max_examples=100)
def test_states_that_differ_are_told_apart(tmp_path_factory, given):
    """The digest is at least as fine as what a look at the program's variables shows."""
    file = tmp_path_factory.getbasetemp() / "hoarding.py"
    file.write_text(HOARDING + FACTORY)
    started = NoxProgram(file)
    seen = {}
    core = started.initial()
    for each in [*START, *given]:
        for reaction in started.handle(core, each)[:1]:
            core = reaction.core
        started._states.restore(core)
        app, module = component(started, "hoarding"), started._apps.loader.modules["hoarding"]
        look = (
            [(address, port, when) for address, (port, when, _) in app.packets.items()],
            sorted((switch, sorted(ports)) for switch, ports in app.ports.items()),
            (app.calls, sorted(app.shared.items()), tuple(module.history), repr(module.counter)),
            (module.remember.__defaults__[0][:], module.latest and module.latest.tostring()),
            [timer.due - started._apps.kernel.clock.now for timer in started._apps.kernel.timers],
            sorted(started._apps.kernel.switches),
        )
        assert seen.setdefault(core, look) == look


DIGESTS = """
import sys
from sdnloom.platforms.nox import NoxProgram
from tests.platforms.nox.test_states import START, course, fixed
started = NoxProgram(sys.argv[1])
print([r.core.digest for rs in course(started, [*START, *fixed()], started.initial())[0] for r in rs])
"""


def fixed():
    packets = [packet_in(frame(src, 9), port) for src, port in ((1, 1), (2, 2), (3, 3), (1, 2), (2, 1))]
    return [*packets[:3], ClockTick(), *packets[3:], ClockTick(), ClockTick(), SwitchDown("s2")]


@pytest.mark.slow
def test_digests_are_equal_in_every_process_and_under_every_hash_seed(tmp_path):
    file = tmp_path / "hoarding.py"
    file.write_text(HOARDING + FACTORY)
    root = Path(__file__).parents[3]
    found = [
        subprocess.run(
            [sys.executable, "-c", DIGESTS, str(file)],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(root)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "77")
    ]
    assert found[0] == found[1]
    assert found[0].count("'") > 20


GENERATING = """
class App(Component):
    def __init__(self, ctxt):
        Component.__init__(self, ctxt)
        self.sender = self.sending()
        self.sent = []

    def sending(self):
        number = 0
        while True:
            number = (number + 1) % 3
            self.sent.append(number)
            self.send_openflow_packet(0x1A, bytes((number,)), 1)
            yield number

    def again(self):
        next(self.sender)
        self.post_callback(1, self.again)

    def forget(self):
        self.sent = []

    def install(self):
        self.post_callback(1, self.again)
"""


def test_a_program_with_a_generator_is_rebuilt_by_running_it_again(tmp_path):
    started = program(tmp_path, GENERATING)
    assert started.capture.startswith("replay: ")
    assert "generator" in started.capture
    assert started.notes == (f"states of the program are kept by {started.capture}",)
    joined = give(started, JOINED).core
    cores, core = [], joined
    for number in (1, 2, 0, 1):
        reaction = give(started, ClockTick(), Call("forget"), core=core)
        told = give(started, ClockTick(), core=core).messages
        assert [message.data for _, message in told] == [bytes((number,))]
        cores.append(core := reaction.core)
    assert cores[0] == cores[3]  # the generator is where it was
    assert len(set(cores)) == 3
    assert give(program(tmp_path, GENERATING), JOINED).core == joined


@pytest.mark.slow
def test_programs_that_are_gone_leave_no_classes_behind():
    app = Path(__file__).parents[3] / "examples/mac_learning_nox/learning.py"

    def loaded(count: int) -> int:
        for _ in range(count):
            NoxProgram([app])
        gc.collect()
        return len(kinds._FOUND)

    assert loaded(1) == loaded(3)
