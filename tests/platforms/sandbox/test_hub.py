"""Small thread programs whose interleavings are known exactly, each explored completely."""

import collections
import contextlib
import math

import greenlet
import pytest

from sdnloom.platforms.capture.digest import digest
from sdnloom.platforms.capture.save_restore import CaptureError
from sdnloom.platforms.capture.snapshot import Scope, require, restore_snapshot, take_snapshot
from sdnloom.platforms.osken.hub import hub_names
from sdnloom.platforms.sandbox.hub import Hub
from sdnloom.platforms.sandbox.threads import Effect, Flavour, HubError

BOTH = pytest.mark.parametrize("flavour", Flavour)


class Names:
    """What a program knows as `hub`."""

    def __init__(self, hub):
        self.__dict__.update(hub_names(hub))


def explore(program, flavour=Flavour.EVENTLET):
    """Return how many complete runs end in which result: all orders of threads and timers."""
    ends, scripts = collections.Counter(), [[]]
    while scripts:
        script = scripts.pop()
        hub = Hub(flavour=flavour)
        result = program(Names(hub))
        place = 0
        while True:
            actions = [(hub.run, each) for each in hub.runnable()] + [(hub.fire, each) for each in hub.due()]
            if not actions:
                break
            if place == len(script):
                scripts += [[*script, other] for other in range(1, len(actions))]
                script = [*script, 0]
            act, what = actions[script[place]]
            act(what)
            place += 1
        waiting = sorted(each.name for each in hub.parked())
        ends[(*map(str, result), *(["stuck", *waiting] if waiting else []))] += 1
        hub.discard()
    return dict(ends)


@pytest.mark.parametrize(("threads", "turns"), [(2, 1), (2, 3), (3, 2)])
def test_all_interleavings_of_threads_that_yield(threads, turns):
    def program(hub):
        log = []

        def work(name):
            for turn in range(turns):
                if turn:
                    hub.sleep(0)
                log.append(name)

        for name in range(threads):
            hub.spawn(work, name)
        return log

    ends = explore(program)
    assert len(ends) == math.factorial(threads * turns) // math.factorial(turns) ** threads
    assert set(ends.values()) == {1}


def test_lost_update_happens_in_four_of_six_orders():
    def program(hub):
        state = [0]

        def add():
            seen = state[0]
            hub.sleep(0)
            state[0] = seen + 1

        hub.spawn(add)
        hub.spawn(add)
        return state

    assert explore(program) == {("1",): 4, ("2",): 2}


def test_semaphore_prevents_the_lost_update():
    def program(hub):
        state, lock = [0], hub.Semaphore()

        def add():
            with lock:
                seen = state[0]
                hub.sleep(0)
                state[0] = seen + 1

        hub.spawn(add)
        hub.spawn(add)
        return state

    assert set(explore(program)) == {("2",)}


def test_two_locks_in_opposite_order_can_block_each_other():
    def program(hub):
        log, left, right = [], hub.Semaphore(), hub.Semaphore()

        def work(first, second):
            with first:
                hub.sleep(0)
                with second:
                    log.append("x")

        hub.spawn(work, left, right)
        hub.spawn(work, right, left)
        return log

    name = "test_two_locks_in_opposite_order_can_block_each_other.<locals>.program.<locals>.work"
    ends = explore(program)
    assert set(ends) == {("x", "x"), ("stuck", f"{name}#1", f"{name}#2")}


def test_consumers_share_what_a_producer_puts():
    def program(hub):
        taken, queue = [], hub.Queue(1)

        def produce():
            for item in range(3):
                queue.put(item)

        def consume(name):
            while True:
                taken.append(f"{name}{queue.get()}")

        hub.spawn(produce)
        hub.spawn(consume, "a")
        hub.spawn(consume, "b")
        return taken

    ends = explore(program)
    received = [[text[1:] for text in end[: end.index("stuck")]] for end in ends]
    assert all(sorted(each) == ["0", "1", "2"] for each in received)
    assert {"".join(text[0] for text in end[:3]) for end in ends} == {
        a + b + c for a in "ab" for b in "ab" for c in "ab"
    }


@BOTH
def test_event_wakes_all_who_wait(flavour):
    def program(hub):
        log, event = [], hub.Event()

        def work(name):
            assert event.wait()
            log.append(name)

        for name in "ab":
            hub.spawn(work, name)
        hub.spawn(event.set)
        return log

    ends = explore(program, flavour)
    assert set(ends) == {("a", "b"), ("b", "a")}


@BOTH
def test_timers_fire_in_order_of_time_and_ties_in_any_order(flavour):
    def program(hub):
        log = []
        for name, seconds in (("late", 2), ("early", 1), ("also early", 1)):
            hub.spawn_after(seconds, log.append, name)
        return log

    ends = explore(program, flavour)
    assert {("early", "also early", "late"), ("also early", "early", "late")} <= set(ends)
    # A thread whose timer has fired may be slow: then it is overtaken.
    assert set(ends) == {
        (a, b, c)
        for a in ("early", "also early", "late")
        for b in ("early", "also early", "late")
        for c in ("early", "also early", "late")
        if len({a, b, c}) == 3
    }


def run_through(hub):
    """Run threads first and fire timers when nothing else can happen."""
    hub.settle()
    while hub.due():
        hub.fire(hub.due()[0])
        hub.settle()


def test_time_passes_only_when_a_timer_fires():
    hub = Hub()
    log = []

    def work():
        for seconds in (0.1, 0.2):
            hub.sleep(seconds)
            log.append(hub.clock.now)

    hub.spawn(work)
    assert hub.next_deadline() is None
    hub.settle()
    assert (hub.next_deadline(), hub.clock.now) == (0.1, 0)
    run_through(hub)
    assert log == [100_000_000, 300_000_000]


def test_what_cannot_happen_is_refused():
    hub = Hub()
    thread = hub.spawn(hub.sleep, 5)
    hub.settle()
    hub.spawn_after(9, print)
    with pytest.raises(HubError, match=r"sleep#1 waiting> cannot run; expected one of \[\]"):
        hub.run(thread)
    with pytest.raises(HubError, match=r"#2 in 9.0 s> cannot fire; expected one of"):
        hub.fire(hub.timers[1])
    with pytest.raises(HubError, match="sleep is called outside of a thread"):
        hub.sleep(0)


def test_threads_that_never_wait_for_anything_are_noticed():
    hub = Hub()

    def spin():
        while True:
            hub.sleep(0)

    hub.spawn(spin)
    with pytest.raises(HubError, match="threads still run after 50 turns"):
        hub.settle(50)
    hub.discard()


@pytest.mark.parametrize(
    ("flavour", "error", "options", "effect"),
    [
        (Flavour.NATIVE, ValueError("x"), {}, Effect.SILENT),
        (Flavour.NATIVE, SystemExit(1), {}, Effect.LOGGED),
        (Flavour.EVENTLET, ValueError("x"), {}, Effect.LOGGED),
        (Flavour.EVENTLET, SystemExit(1), {}, Effect.LOGGED),
        (Flavour.EVENTLET, ValueError("x"), {"raise_error": True}, Effect.RAISED),
    ],
)
def test_escaped_exception_ends_the_thread_and_is_noted(flavour, error, options, effect):
    hub = Hub(flavour=flavour)

    def fail():
        raise error

    thread = hub.call(fail, **options)
    assert thread.dead
    assert [(each.error, each.effect) for each in hub.escaped] == [(error, effect)]


@pytest.mark.parametrize("flavour", Flavour)
def test_a_thread_of_python_may_end_by_system_exit_and_by_nothing_else(flavour):
    hub = Hub(flavour=flavour)

    def fail(error):
        raise error

    for error in (SystemExit(1), ValueError("x")):
        hub.spawn(fail, error).of_python = True
    timer = hub.spawn_after(1, fail, SystemExit(2))  # a thread of Python on the native hub only
    hub.settle(10)
    hub.fire(hub.due()[0])
    hub.settle(10)
    expected = ["x"] if flavour is Flavour.NATIVE else ["x", "2"]
    assert timer.dead
    assert [str(each.error) for each in hub.escaped] == expected


def event_loop(hub, handlers, log):
    """The loop that os-ken runs for each app, with what it does about exceptions."""
    queue = hub.Queue(128)

    def loop():
        while True:
            event = queue.get()
            try:
                handlers(event)
            except hub.TaskExit:
                raise
            except BaseException as error:
                log.append(f"logged {error}")

    hub.spawn(loop)
    return queue


@pytest.mark.parametrize(
    ("flavour", "expected", "escaped"),
    [
        (Flavour.NATIVE, ["handled 1"], [Effect.SILENT]),
        (Flavour.EVENTLET, ["handled 1", "logged malformed", "handled 3"], []),
    ],
)
def test_exception_of_a_handler_ends_the_loop_of_its_app_on_the_native_hub_only(flavour, expected, escaped):
    hub, log = Hub(flavour=flavour), []

    def handler(event):
        if event == 2:
            raise ValueError("malformed")
        log.append(f"handled {event}")

    queue = event_loop(Names(hub), handler, log)
    for event in (1, 2, 3):
        queue.put(event)
    hub.settle()
    assert log == expected
    assert [each.effect for each in hub.escaped] == escaped
    hub.discard()


def test_kill_raises_where_the_thread_waits_and_runs_its_finally_clauses():
    hub, log = Hub(flavour=Flavour.EVENTLET), []

    def victim():
        try:
            hub.sleep(10)
        except greenlet.GreenletExit:
            log.append("told")
            raise
        finally:
            log.append("cleaned up")

    def killer():
        hub.kill(thread)
        log.append("killer goes on")

    thread = hub.call(victim)
    hub.call(killer)
    assert log == ["told", "cleaned up", "killer goes on"]
    assert (thread.dead, hub.threads, hub.timers, hub.escaped) == (True, [], [], [])


def test_kill_of_a_thread_that_has_not_begun_never_runs_it():
    hub, log = Hub(flavour=Flavour.EVENTLET), []
    hub.spawn(log.append, 1).kill()
    hub.spawn_after(1, log.append, 2).cancel()
    run_through(hub)
    assert log == []


def test_native_kill_does_nothing_and_only_timers_can_be_cancelled():
    hub, log = Hub(flavour=Flavour.NATIVE), []
    thread = hub.spawn(log.append, 1)
    thread.kill()
    thread.cancel()
    hub.spawn_after(1, log.append, 2).cancel()
    run_through(hub)
    assert log == [1]


def test_joinall_waits_for_all_and_wait_gives_the_result():
    hub, log = Hub(flavour=Flavour.EVENTLET), []
    threads = [hub.spawn_after(seconds, lambda n=seconds: n) for seconds in (2, 1)]

    def join():
        hub.joinall(threads)
        log.extend([hub.clock.seconds(), threads[0].wait()])

    hub.spawn(join)
    run_through(hub)
    assert log == [2.0, 2]


@pytest.mark.parametrize(("limit", "flavour"), [(None, Flavour.EVENTLET), (5, Flavour.EVENTLET), (1, Flavour.NATIVE)])
def test_wait_for_an_event_with_a_limit(limit, flavour):
    hub = Hub(flavour=flavour)
    names, log = Names(hub), []
    event = names.Event()
    hub.spawn(lambda: log.append((event.wait(limit), hub.clock.seconds())))
    hub.spawn_after(3, event.set)
    run_through(hub)
    # The native hub's timeouts interrupt nothing: a wait of one second lasts three.
    assert log[0] == (True, 3.0)


def test_wait_for_an_event_ends_when_time_is_over_on_eventlet():
    hub = Hub(flavour=Flavour.EVENTLET)
    names, log = Names(hub), []
    event = names.Event()
    hub.spawn(lambda: log.append((event.wait(1), hub.clock.seconds())))
    run_through(hub)
    assert log == [(False, 1.0)]
    assert event._waiting == []


@pytest.mark.parametrize(
    ("flavour", "exception", "expected"),
    [
        (Flavour.EVENTLET, None, ["interrupted at 1.0 by Timeout"]),
        (Flavour.EVENTLET, KeyError, ["interrupted at 1.0 by KeyError"]),
        (Flavour.EVENTLET, False, ["went on at 1.0"]),
        (Flavour.NATIVE, None, ["finished at 2.0", "interrupted at 2.0 by Timeout"]),
        (Flavour.NATIVE, False, ["finished at 2.0", "went on at 2.0"]),
    ],
)
def test_timeout_interrupts_on_eventlet_and_complains_afterwards_on_the_native_hub(flavour, exception, expected):
    hub, log = Hub(flavour=flavour), []
    names = Names(hub)

    def work():
        try:
            with names.Timeout(1, exception):
                names.sleep(2)
                log.append(f"finished at {hub.clock.seconds()}")
            log.append(f"went on at {hub.clock.seconds()}")
        except (names.Timeout, KeyError) as error:
            log.append(f"interrupted at {hub.clock.seconds()} by {type(error).__name__}")

    hub.spawn(work)
    run_through(hub)
    assert log == expected
    assert (hub.threads, hub.timers, hub.escaped) == ([], [], [])


def test_timeout_without_a_time_breaks_on_the_native_hub_as_it_does_in_os_ken():
    hub = Hub(flavour=Flavour.NATIVE)

    def work():
        with Names(hub).Timeout(None):
            pass

    hub.call(work)
    assert [str(each.error) for each in hub.escaped] == ["'NoneType' object has no attribute 'cancel'"]


@BOTH
def test_queue_with_a_limit_of_time(flavour):
    hub = Hub(flavour=flavour)
    names, log = Names(hub), []
    queue = names.Queue(1)

    def work():
        try:
            queue.get(timeout=2)
        except names.QueueEmpty:
            log.append(hub.clock.seconds())
        with pytest.raises(names.QueueEmpty):
            queue.get_nowait()
        queue.put(1)
        log.append(names.Semaphore(0).acquire(timeout=3))

    hub.spawn(work)
    run_through(hub)
    assert log == [2.0, False]
    assert hub.clock.seconds() == 5.0


def test_wake_is_passed_on_by_a_thread_that_is_interrupted():
    hub = Hub(flavour=Flavour.EVENTLET)
    names, log = Names(hub), []
    queue = names.Queue()
    first = hub.call(lambda: log.append(("first", queue.get())))
    hub.call(lambda: log.append(("second", queue.get())))
    queue.put("item")  # wakes the first
    hub.kill(first)
    hub.settle()
    assert log == [("second", "item")]


def test_bounded_semaphore_and_bad_values_are_refused_as_in_python():
    names = Names(Hub())
    with pytest.raises(ValueError, match="released too many times"):
        names.BoundedSemaphore(1).release()
    with pytest.raises(ValueError, match="must be >= 0"):
        names.Semaphore(-1)


def test_a_thread_that_waits_for_ever_is_ordinary_state():
    hub, log = Hub(), []
    scope, roots = Scope(), {"hub": hub, "log": log}

    def work():
        log.append("waits")
        hub.wait_for_ever()
        log.append("never")

    thread = hub.call(work)
    assert not hub.parked()
    assert not thread.dead
    before = digest(roots, scope)
    kept = require(take_snapshot(roots, scope))
    hub.call(log.append, "more")
    restore_snapshot(kept)
    assert digest(roots, scope) == before
    hub.discard()
    hub.settle()
    assert log == ["waits"]


def test_error_of_the_hub_reaches_its_owner():
    hub = Hub()

    def work():
        raise hub.refuse("a real socket")

    with pytest.raises(HubError, match="a real socket is not available"):
        hub.call(work)
    assert hub.threads == []


def test_threads_that_have_not_begun_are_state_and_parked_ones_are_named():
    hub, log = Hub(), []
    scope, roots = Scope(), {"hub": hub, "log": log}
    hub.spawn(log.append, 1)
    hub.spawn_after(3, log.append, 2)
    before, snapshot = digest(roots, scope), require(take_snapshot(roots, scope))
    for _ in range(3):
        run_through(hub)
        assert (log, hub.clock.seconds(), hub.threads) == ([1, 2], 3.0, [])
        restore_snapshot(snapshot)
        assert digest(roots, scope) == before
    hub.spawn(hub.sleep, 7)
    hub.settle()
    assert [str(each).partition(",")[0] for each in take_snapshot(roots, scope).refused] == [
        "hub.threads[1]._stack is a greenlet.greenlet"
    ]
    with pytest.raises(CaptureError):
        digest(roots, scope)
    hub.discard()
    restore_snapshot(snapshot)
    assert digest(roots, scope) == before


def test_state_does_not_depend_on_how_many_threads_came_and_went():
    hub = Hub()
    roots, scope = {"hub": hub}, Scope()
    before = digest(roots, scope)
    for _ in range(5):
        hub.spawn(abs, 1)
        hub.settle()
    assert digest(roots, scope) == before


def test_discard_ends_a_thread_that_waits_again_while_it_ends():
    hub, log = Hub(), []

    def stubborn():
        try:
            hub.sleep(1)
        finally:
            hub.sleep(1)
            log.append("never")

    hub.call(stubborn)
    hub.discard()
    assert (log, hub.threads, hub.timers, hub.ready, hub.escaped) == ([], [], [], [], [])


def test_discard_gives_up_on_a_thread_that_catches_everything():
    hub, ends = Hub(), []

    def immortal():
        while not ends:
            with contextlib.suppress(BaseException):
                hub.sleep(1)

    hub.call(immortal)
    with pytest.raises(HubError, match="went on after 100 orders to end"):
        hub.discard()
    ends.append(1)
    hub.discard()
