"""Libraries that an app uses see its clock, threads, sockets and random numbers, and only while it runs."""

import sys
import threading
import time

import pytest

from sdnloom.network.program import ClockTick
from sdnloom.platforms.osken.program import OskenProgram
from tests.platforms.osken.helpers import app, joined, packet, run

HEAD = """
from os_ken.base import app_manager
from os_ken.controller import ofp_event
from os_ken.controller.handler import set_ev_cls
"""
APP = """

class App(app_manager.OSKenApp):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.seen = []
        {init}

    @set_ev_cls(ofp_event.EventOFPPacketIn)
    def packet_in(self, ev):
        {handler}
"""
LIBRARY = """
import os, random, socket, threading, time as clock
from random import randrange
from threading import Lock, Thread
from time import time, sleep
from timeit import default_timer

LOADED, LOCK = time(), Lock()


class Unnamed(Thread):
    pass


class Worker(Thread):
    def __init__(self, found):
        super().__init__(name="worker", daemon=True)
        self.found = found

    def run(self):
        sleep(2)
        self.found.append((threading.current_thread() is self, clock.monotonic()))


def facts():
    with LOCK:
        names = [os.getpid(), socket.gethostname()]
        return [time(), clock.time(), default_timer(), randrange(1000), random.random(), *names]
"""


def make(tmp_path, imports, init="pass", handler="pass", **options):
    file = tmp_path / "mine.py"
    file.write_text(imports + HEAD + APP.format(init=init, handler=handler))
    return OskenProgram([file], **options)


@pytest.fixture
def library(tmp_path, monkeypatch):
    folder = tmp_path / "site"
    folder.mkdir()
    (folder / "busy_library.py").write_text(LIBRARY)
    monkeypatch.syspath_prepend(str(folder))
    yield
    sys.modules.pop("busy_library", None)


@pytest.mark.usefixtures("library")
def test_copies_that_a_library_made_of_names_act_on_the_sandbox(tmp_path):
    before = time.time()
    handler = "self.seen = busy_library.facts()"
    under_test = make(tmp_path, "import busy_library", handler=handler)
    run(under_test, joined(), packet(b"x" * 60))
    first = app(under_test, "App").seen
    assert first[:3] == [1_700_000_000.0, 1_700_000_000.0, 0.0]
    assert first[5:] == [1000, "controller"]
    again = make(tmp_path, "import busy_library", handler=handler)
    run(again, joined(), packet(b"x" * 60))
    assert app(again, "App").seen == first
    module = sys.modules["busy_library"]
    assert before <= module.LOADED  # it was imported outside
    assert type(module.LOCK) is type(threading.Lock())
    assert module.time is time.time
    assert module.facts()[0] >= before


@pytest.mark.usefixtures("library")
def test_a_thread_class_of_a_library_runs_on_the_hub(tmp_path):
    init = "self.worker = busy_library.Worker(self.seen); self.worker.start()"
    under_test = make(tmp_path, "import busy_library", init)
    last = run(under_test, joined())[-1]
    assert not vars(app(under_test, "App").worker)["_hub_thread"].dead
    under_test.handle(last.core, ClockTick())
    assert app(under_test, "App").seen == [(True, 2.0)]
    assert vars(app(under_test, "App").worker)["_hub_thread"].dead


ASYNC = """
import asyncio, threading

async def serve(seen):
    server = await asyncio.start_server(print, "127.0.0.1", 8888)
    await asyncio.sleep(3)
    seen.append(await asyncio.get_running_loop().run_in_executor(None, lambda: 42))
    try:
        await asyncio.open_connection("10.0.0.1", 80)
    except OSError as error:
        seen.append(str(error))
    async with server:
        await server.serve_forever()
"""


def test_an_event_loop_of_asyncio_runs_in_a_thread(tmp_path):
    init = "threading.Thread(target=lambda: asyncio.run(serve(self.seen))).start()"
    under_test = make(tmp_path, ASYNC, init)
    last = run(under_test, joined())[-1]
    under_test.handle(last.core, ClockTick())
    assert app(under_test, "App").seen == [42, "[Errno 111] Connection refused"]
    assert "the app's server at 127.0.0.1:8888 (mine.py:5) gets no requests" in under_test.notes
    import asyncio

    assert asyncio._get_running_loop() is None


def test_eventlet_is_the_hub(tmp_path):
    pytest.importorskip("eventlet")
    spawn = "eventlet.spawn(self.late); eventlet.spawn_after(1, self.late)"
    init = f"eventlet.GreenPool().spawn_n(self.late); {spawn}"
    imports = "import eventlet\neventlet.monkey_patch()\nfrom eventlet.green import socket\n"
    late = "eventlet.sleep(1)\n        self.seen.append(eventlet.green.socket.gethostname())"
    handler = f"pass\n\n    def late(self):\n        {late}"
    under_test = make(tmp_path, imports, init, handler, hub="eventlet")
    last = run(under_test, joined())[-1]
    (tick,) = under_test.handle(last.core, ClockTick())
    assert app(under_test, "App").seen == ["controller"] * 2
    under_test.handle(tick.core, ClockTick())
    assert app(under_test, "App").seen == ["controller"] * 3
    from eventlet import patcher

    assert not patcher.is_monkey_patched("socket")


def test_other_threads_of_this_process_get_the_real_functions(tmp_path):
    stop, found = threading.Event(), set()

    def watch():
        import random
        import socket

        while not stop.is_set():
            with threading.Lock(), socket.socket() as made:
                found.add((time.time() > 1_750_000_000, type(made) is socket.SocketType or type(made).__name__))
            random.random()

    under_test = make(tmp_path, "import random, socket, threading, time\n", handler="self.seen.append(time.time())")
    core = run(under_test, joined())[-1].core
    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        for _ in range(300):
            under_test.handle(core, packet(b"x" * 60))
    finally:
        stop.set()
        watcher.join()
    assert {real for real, _ in found} == {True}


SYNC = """
import queue, threading
from concurrent.futures import ThreadPoolExecutor, as_completed

def work(seen):
    condition, barrier, jobs, heap = threading.Condition(), threading.Barrier(2), queue.Queue(), queue.PriorityQueue()

    def helper():
        barrier.wait()
        with condition:
            seen.append("told")
            condition.notify_all()
        while True:
            seen.append(jobs.get())
            jobs.task_done()

    threading.Thread(target=helper, daemon=True).start()
    with condition:
        barrier.wait()
        seen.append(condition.wait(timeout=5))
    for job in (3, 1, 2):
        jobs.put(job)
        heap.put(job)
    jobs.join()
    seen.append([heap.get() for _ in range(3)])
    seen.append(threading.Semaphore(0).acquire(timeout=0))
    with ThreadPoolExecutor(max_workers=2) as pool:
        seen.append(sorted(each.result() for each in as_completed([pool.submit(pow, 2, n) for n in (1, 2, 3)])))
    seen.append(sorted({each.name for each in threading.enumerate()} & {"MainThread"}))
"""


def test_conditions_barriers_queues_and_executors_work_on_the_hub(tmp_path):
    under_test = make(tmp_path, SYNC, handler="work(self.seen)")
    run(under_test, joined(), packet(b"x" * 60))
    assert app(under_test, "App").seen == ["told", True, 3, 1, 2, [1, 2, 3], False, [2, 4, 8], ["MainThread"]]


@pytest.mark.parametrize(
    ("unix", "note"),
    [
        (True, "the app's socket at /tmp/snort_alert (mine.py:11) receives nothing"),
        (False, "the app's server at 0.0.0.0:51234 (mine.py:11) gets no requests"),
    ],
)
def test_sockets_of_os_ken_s_own_libraries_are_inert(tmp_path, unix, note):
    init = f"lib = snortlib.SnortLib(); lib.set_config({{'unixsock': {unix}}}); lib.start_socket_server()"
    under_test = make(tmp_path, "from os_ken.lib import snortlib\n", init)
    run(under_test, joined())
    assert any(note.split(" (")[0] in each for each in under_test.notes)


def test_numpy_draws_follow_the_seed(tmp_path):
    draws = "numpy.random.randint(1000), *numpy.random.permutation(9).tolist(), numpy.random.RandomState().rand()"
    handler = f"self.seen = [{draws}]"
    drawn = []
    for seed in (0, 0, 1):
        under_test = make(tmp_path, "import numpy\n", handler=handler, seed=seed)
        run(under_test, joined(), packet(b"x" * 60))
        drawn.append(app(under_test, "App").seen)
    assert drawn[0] == drawn[1] != drawn[2]


def test_an_alarm_is_a_timer_and_ends_a_process_without_a_handler(tmp_path):
    init = "signal.signal(signal.SIGALRM, lambda *given: self.seen.append('rang')); signal.alarm(5)"
    under_test = make(tmp_path, "import signal\n", init)
    last = run(under_test, joined())[-1]
    (tick,) = under_test.handle(last.core, ClockTick())
    assert app(under_test, "App").seen == ["rang"]
    under_test = make(tmp_path, "import signal\n", "signal.setitimer(signal.ITIMER_REAL, 0.5)")
    last = run(under_test, joined())[-1]
    (tick,) = under_test.handle(last.core, ClockTick())
    assert [type(event).__name__ for event in tick.events] == ["TimerFired", "ProgramEnded"]
    assert tick.events[-1].how == "the signal SIGALRM"


NUMBERED = """
import busy_library
from concurrent.futures import ThreadPoolExecutor

def names():
    return busy_library.Unnamed().name, ThreadPoolExecutor()._thread_name_prefix
"""


@pytest.mark.usefixtures("library")
@pytest.mark.parametrize("more", ["pass", "self.endless = (each for each in ())"], ids=["copied", "made again"])
def test_threads_of_libraries_and_executors_are_numbered_by_the_program_alone(tmp_path, more):
    under_test = make(tmp_path, NUMBERED, f"self.seen.append(names()); {more}", "self.seen.append(names())")
    for _ in range(3):
        run(under_test, joined(), packet(b"x" * 60))
        assert app(under_test, "App").seen == [
            ("Thread-1", "ThreadPoolExecutor-0"),
            ("Thread-2", "ThreadPoolExecutor-1"),
        ]
