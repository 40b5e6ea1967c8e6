"""Suspended code is identified by its place and variables, or has no view."""

import sys

import pytest

from sdnloom.platforms.capture.bytecode import KNOWN_VERSIONS
from sdnloom.platforms.capture.digest import canonical_text, digest
from sdnloom.platforms.capture.frames import frames_view
from sdnloom.platforms.capture.save_restore import CaptureError
from sdnloom.platforms.capture.snapshot import Scope
from sdnloom.platforms.osken.hub import hub_names
from sdnloom.platforms.sandbox.hub import Hub
from sdnloom.platforms.sandbox.threads import Flavour

SCOPE = Scope()


def of(hub, **more):
    return digest({"hub": hub, **more}, SCOPE, masked={"Clock.now"}, opaque=frames_view)


def turn(hub):
    """Let the next timer fire and run what it wakes."""
    hub.fire(hub.due()[0])
    hub.settle()


def test_loop_that_comes_back_to_its_start_has_few_states():
    hub, log = Hub(), {}

    def monitor():
        phase = 0
        while True:
            log["phase"] = phase
            phase = (phase + 1) % 3
            hub.sleep(10)

    hub.call(monitor)
    seen = []
    for _ in range(9):
        seen.append(of(hub, log=log))
        turn(hub)
    assert len(set(seen)) == 3
    assert seen[:3] * 3 == seen
    hub.discard()


def test_interpreter_that_has_warmed_up_changes_nothing():
    def visit(times):
        hub = Hub()

        def work():
            for_ever = True
            while for_ever:
                hub.sleep(1)

        hub.call(work)
        for _ in range(times):
            turn(hub)
        found = of(hub)
        hub.discard()
        return found

    assert len({visit(times) for times in (0, 1, 2, 50, 300)}) == 1


def test_a_state_is_the_same_whether_or_not_earlier_ones_were_read():
    def visit(reads):
        hub = Hub()

        def work():
            again = False
            while True:
                if again:
                    early = 1  # noqa: F841
                late = 2  # noqa: F841
                hub.sleep(1)
                again = True

        hub.call(work)
        if reads:
            of(hub)
        turn(hub)
        orders = []
        text = canonical_text({"hub": hub}, SCOPE, opaque=frames_view, orders=orders)
        hub.discard()
        return text, orders

    assert visit(reads=True) == visit(reads=False)


def test_variables_and_places_count():
    hub = Hub()

    def work(n, twice):
        hub.sleep(1)
        if twice:
            hub.sleep(1)

    states = set()
    for n in (1, 2):
        hub.call(work, n, True)
        states.add(of(hub))
        turn(hub)
        states.add(of(hub))
        hub.discard()
    assert len(states) == 4


def test_what_threads_share_counts():
    def state(shared):
        hub = Hub()
        one, other = [], []

        def work(mine):
            while True:
                hub.sleep(1)
                mine.append(1)

        hub.call(work, one)
        hub.call(work, one if shared else other)
        found = of(hub)
        hub.discard()
        return found

    assert state(True) == state(True) != state(False)


def programs(hub, names):
    def in_for():
        for _ in [1, 2]:
            hub.sleep(1)

    def in_with():
        with names["Semaphore"]():
            hub.sleep(1)

    def in_expression():
        return [1, 2][0] + (hub.sleep(1) or 1)

    def in_argument():
        return max(1, hub.sleep(1) or 1)

    def in_except():
        try:
            raise ValueError
        except ValueError:
            hub.sleep(1)

    def in_comprehension():
        return [hub.sleep(1) for _ in range(2)]

    def in_try():
        try:
            hub.sleep(1)
        finally:
            pass

    def in_while():
        n = 3
        while n:
            n -= 1
            hub.sleep(1)

    def in_event():
        names["Event"]().wait(5)

    def by_arguments():
        hub.sleep(*[1])

    def by_name():
        hub.sleep(seconds=1)

    return {name: each for name, each in locals().items() if name.startswith(("in_", "by_"))}


HIDDEN = {"in_for", "in_with", "in_expression", "in_argument", "in_except", "in_comprehension"}
VISIBLE = {"in_try", "in_while", "in_event", "by_arguments", "by_name"}


@pytest.mark.parametrize("name", sorted(HIDDEN | VISIBLE))
def test_operands_below_a_call_are_noticed(name):
    hub = Hub(flavour=Flavour.EVENTLET)
    hub.call(programs(hub, hub_names(hub))[name])
    if name in HIDDEN:
        with pytest.raises(CaptureError, match=r"test_frames.py:\d+: .* waits inside of a `for`, a `with`"):
            of(hub)
    else:
        assert of(hub) == of(hub)
    hub.discard()


def test_generators_have_views_as_well():
    def plain(n):
        yield n
        yield n

    def looping():
        for each in [1, 1]:
            yield [each]

    def view(generator, steps):
        for _ in range(steps):
            next(generator, None)
        return digest({"state": [generator]}, SCOPE, opaque=frames_view)

    states = [view(plain(n), steps) for n in (1, 2) for steps in range(4)]
    assert len(set(states)) == 7  # both ended alike
    assert view(plain(1), 1) == states[1]
    with pytest.raises(CaptureError, match="looping waits inside of a `for`"):
        view(looping(), 1)
    with pytest.raises(CaptureError, match="the state holds a builtins"):
        digest({"state": memoryview(b"")}, SCOPE, opaque=frames_view)


def test_this_python_is_known():
    assert sys.version_info[:2] in KNOWN_VERSIONS


def test_a_python_that_is_not_known_is_not_read(monkeypatch):
    monkeypatch.setattr("sdnloom.platforms.capture.bytecode.KNOWN_VERSIONS", ((3, 9), (3, 10)))
    with pytest.raises(
        CaptureError, match=r"how Python 3\.\d+ suspends code is not known; expected Python 3\.9 to 3\.10"
    ):
        frames_view(each for each in [])


def test_an_object_that_answers_to_every_name_is_no_suspended_call():
    class Anything:
        def __getattr__(self, name):
            return self

    with pytest.raises(CaptureError, match="expected state that can be digested"):
        frames_view(Anything())
