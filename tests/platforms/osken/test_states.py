"""A state is the same whether it was reached directly, restored from a snapshot, or rebuilt by its steps."""

import itertools
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sdnloom.network.openflow import BarrierReply
from sdnloom.network.program import ClockTick, MessageIn, SwitchDown
from sdnloom.platforms.capture.states import VARIANTS, ReplayError, StateId
from sdnloom.platforms.osken.program import OskenProgram
from tests.platforms.osken.helpers import frame, joined, packet, program, run

INPUTS = st.one_of(
    st.builds(packet, st.integers(60, 63).map(lambda size: b"x" * size), st.integers(1, 2), st.integers(1, 2)),
    st.builds(lambda dst, src, number: packet(frame(dst, src), number), *[st.integers(1, 3)] * 2, st.integers(1, 2)),
    st.builds(lambda number, xid: MessageIn(f"s{number}", BarrierReply(xid=xid)), st.integers(1, 2), st.integers(0, 2)),
    st.sampled_from([SwitchDown("s2"), joined(2), ClockTick()]),
)
NAMES = ("learning", "keeper", "sleeper", "teller", "failing", "web")


def walk(under_test, inputs):
    """The core after each input that is possible, with what was sent and what happened."""
    core, trail = under_test.initial(), []
    for each in (joined(1), joined(2), *inputs):
        for reaction in under_test.handle(core, each)[:1]:
            core = reaction.core
            trail.append((each, reaction))
    return trail


SHARED = {}


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=20)
@given(inputs=st.lists(INPUTS, max_size=7), at=st.integers(0, 8))
def test_direct_restored_and_replayed_are_one_state_with_one_future(name, inputs, at):
    direct = SHARED.setdefault((name, "direct"), program(name, version="1.3"))
    replayed = SHARED.setdefault((name, "replayed"), program(name, version="1.3"))
    trail = walk(direct, inputs)
    # Nothing but the very first state has a snapshot there: all others are rebuilt by their steps.
    again = walk(replayed, inputs)
    replayed._states._snapshot = lambda first: (None, ())
    for core, kept in list(replayed._states._stored.items()):
        if kept.before is not None and kept.snapshot is not None:
            replayed._states._stored[core] = type(kept)(None, kept.before, kept.step)
    assert again == trail
    place = min(at, len(trail) - 1)
    core = trail[place][1].core
    for under_test in (direct, replayed):
        under_test.handle(under_test.initial(), joined(2))  # somewhere else
        for each, expected in trail[place + 1 :]:
            found = under_test.handle(core, each)[0]
            assert found == expected
            core = found.core
        core = trail[place][1].core


def test_a_program_whose_state_can_be_copied_repeats_nothing():
    under_test = program("keeper", version="1.3")
    first, second, third = run(under_test, joined(), packet(b"x" * 60), packet(b"x" * 61))
    assert under_test.handle(first.core, packet(b"x" * 60)) == (second,)
    assert under_test.handle(second.core, packet(b"x" * 61)) == (third,)
    assert (under_test.capture, under_test._states.repeated) == ("snapshot", 0)


def test_a_program_with_a_waiting_thread_repeats_nothing():
    under_test = program("sleeper", version="1.3")
    _, second, third = run(under_test, joined(), packet(b"x" * 60), packet(b"x" * 61))
    assert under_test.handle(second.core, packet(b"x" * 61)) == (third,)
    assert (under_test.capture, under_test._states.repeated) == ("snapshot", 0)


def test_a_program_whose_state_cannot_be_copied_is_rebuilt_by_its_steps():
    under_test = kept_by_replay("sleeper")
    _, second, third = run(under_test, joined(), packet(b"x" * 60), packet(b"x" * 61))
    assert under_test.handle(second.core, packet(b"x" * 61)) == (third,)
    assert under_test._states.repeated == 3  # start, join and packet


def kept_by_replay(name):
    """The program without snapshots but of the very first state."""
    under_test = program(name, version="1.3")
    under_test._states._snapshot = lambda first: (None, ())
    states = under_test._states._stored
    for core, kept in states.items():
        if kept.before is not None:
            states[core] = type(kept)(None, kept.before, kept.step)
    return under_test


def test_equal_states_reached_by_different_ways_are_one():
    under_test = program("learning")
    one = run(under_test, joined(), packet(frame(9, 1)), packet(frame(9, 2), port=2))[-1]
    other = run(under_test, joined(), packet(frame(9, 2), port=2), packet(frame(9, 1)))[-1]
    assert one.core == other.core


def test_equal_waiting_states_reached_by_different_ways_are_one():
    under_test = program("sleeper", version="1.3")
    one = run(under_test, joined(1), joined(2))[-1]
    other = run(under_test, joined(2), joined(1))[-1]
    assert one.core == other.core


def test_a_core_of_another_run_is_refused():
    with pytest.raises(ReplayError, match="is no state of this run of the program"):
        program("learning").handle(StateId("00"), joined())


def test_a_program_that_is_not_a_function_of_its_inputs_is_refused():
    under_test = kept_by_replay("sleeper")
    core = run(under_test, joined(), packet(b"x" * 62))[-1].core
    run(under_test, joined())
    from tests.platforms.osken.helpers import app

    app(under_test, "Sleeper").work.__func__.__defaults__ = ("changed behind our back",)
    under_test._sandbox.bricks["Sleeper"].log.append("changed behind our back")
    kept = under_test._states._stored
    for each in kept.values():
        if each.snapshot is not None:
            for _, target, saved in each.snapshot.kept:
                if isinstance(target, list) and target is app(under_test, "Sleeper").log:
                    saved.append("changed behind our back")
    under_test._states.live = None
    with pytest.raises(ReplayError, match="did not do the same again"):
        under_test.handle(core, packet(b"x" * 62))


CHILD = """
from tests.platforms.osken.helpers import *
from sdnloom.network.program import ClockTick
for name in ("learning", "keeper", "sleeper", "teller", "web"):
    inputs = (joined(1), joined(2), packet(frame(9, 1)), packet(b"x" * 61), packet(b"x" * 60, 2))
    print(name, *(reaction.core.digest for reaction in run(program(name, version="1.3"), *inputs)))
"""


@pytest.mark.slow
def test_digests_are_the_same_in_every_process_and_under_every_hash_seed():
    root = Path(__file__).parents[3]
    printed = {
        subprocess.run(
            [sys.executable, "-c", CHILD],
            cwd=root,
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(root)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(printed) == 1
    assert len(next(iter(printed)).split()) == 5 * 6


def test_dicts_filled_in_another_order_are_one_state_as_long_as_that_makes_no_difference():
    under_test = program("learning")
    arrivals = [packet(frame(dst=9, src=source)) for source in (1, 2)]
    (start,) = run(under_test, joined())
    one = run(under_test, *arrivals, core=start.core)
    other = run(under_test, *reversed(arrivals), core=start.core)
    assert other[-1].core == one[-1].core
    assert [len(under_test._states.variants(core)) for core in (start.core, one[-1].core)] == [0, 1]
    (after,) = run(under_test, packet(frame(dst=1, src=2)), core=one[-1].core)
    assert len(under_test._states.variants(after.core)) == 1  # the variant was asked as well
    assert under_test.notes == ()


def test_more_orders_than_are_followed_are_stated():
    under_test = program("learning")
    (start,) = run(under_test, joined())
    sources = [packet(frame(dst=9, src=source)) for source in (1, 2, 3, 4)]
    last = {run(under_test, *each, core=start.core)[-1].core for each in itertools.permutations(sources)}
    assert len(last) == 1
    assert len(under_test._states.variants(*last)) == VARIANTS
    assert under_test.notes == (
        "states that differ only in the insertion order of dicts are one, and not all orders were tried",
    )


REGISTERED = """
from os_ken.base import app_manager
from os_ken.controller import ofp_event
from os_ken.controller.handler import set_ev_cls


class App(app_manager.OSKenApp):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        sizes = []

        def note(ev):
            sizes.append(len(ev.msg.data))
            if len(sizes) == 2:
                raise ValueError(sizes)

        self.register_handler(ofp_event.EventOFPPacketIn, note)

    @set_ev_cls(ofp_event.EventOFPPacketIn)
    def packet_in(self, ev):
        pass
"""


def test_what_a_registered_function_keeps_is_state(tmp_path):
    file = tmp_path / "registered.py"
    file.write_text(REGISTERED)
    under_test = OskenProgram([file], version="1.3")
    (start,) = run(under_test, joined())
    first, second = run(under_test, packet(b"abc"), packet(b"a"), core=start.core)
    assert first.core != start.core
    assert [event.text for event in second.events] == ["ValueError: [3, 1]"]
    assert run(under_test, packet(b"abc"), core=start.core) == [first]
