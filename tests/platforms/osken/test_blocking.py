"""Apps may use Python's own threads, locks and queues: they are the hub's, and every run is the same."""

import pytest

from sdnloom.errors import SdnloomError
from sdnloom.network.events import HandlerRaised
from sdnloom.network.program import ClockTick, ThreadTurn
from sdnloom.platforms.osken.program import OskenProgram
from tests.platforms.osken.helpers import app, joined, packet, run

SOURCE = """
import queue
import threading
import time
from os_ken.base import app_manager
from os_ken.controller import ofp_event
from os_ken.controller.handler import set_ev_cls


class App(app_manager.OSKenApp):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.log = []
        self.lock, self.again, self.done = threading.Lock(), threading.RLock(), threading.Event()
        self.jobs, self.mine = queue.Queue(), threading.local()
        self.worker = threading.Thread(target=self.work, daemon=True)
        self.worker.start()

    def work(self):
        while True:
            job = self.jobs.get()
            with self.lock, self.again, self.again:
                self.log.append(f"work {job}")
                if job == 61:
                    time.sleep(1)
                self.log.append(f"done {job}")
            self.done.set()

    @set_ev_cls(ofp_event.EventOFPPacketIn)
    def packet_in(self, ev):
        size = len(ev.msg.data)
        if size == 62:
            self.log.append(f"in time {self.done.wait(2)}")
        elif size == 63:
            threading.Thread(target=self.fail).start()
        elif size == 64:
            threading.Timer(5, self.log.append, ["late"]).start()
        elif size == 65:
            self.mine.count = getattr(self.mine, "count", 0) + 1
            threading.Thread(target=self.look).start()
        elif size == 66:
            import lazy
            lazy.SEEN.append(size)
        elif size == 67:
            __import__("lazier")
        else:
            self.jobs.put(size)

    def look(self):
        threading.current_thread().name = "looker"
        self.log.append((threading.current_thread().name, self.mine.count if hasattr(self.mine, "count") else None))
        self.log.append(threading.main_thread().name)

    def fail(self):
        raise ValueError("in a thread")
"""


@pytest.fixture
def file(tmp_path):
    file = tmp_path / "mine.py"
    file.write_text(SOURCE)
    (tmp_path / "lazy.py").write_text("SEEN = []\n")
    (tmp_path / "lazier.py").write_text("SEEN = []\n")
    return file


def test_a_worker_takes_jobs_from_a_queue_and_sleeps_with_its_locks_held(file):
    under_test = OskenProgram([file])
    last = run(under_test, joined(), packet(b"x" * 60), packet(b"x" * 61), packet(b"x" * 60))[-1]
    assert app(under_test, "App").log == ["work 60", "done 60", "work 61"]
    (tick,) = under_test.handle(last.core, ClockTick())
    assert app(under_test, "App").log == ["work 60", "done 60", "work 61", "done 61", "work 60", "done 60"]
    assert under_test._sandbox.hub.clock.seconds() == 1
    assert tick.events[0].name.startswith("wake ")


def test_a_wait_with_a_limit_ends_with_it(file):
    under_test = OskenProgram([file])
    last = run(under_test, joined(), packet(b"x" * 62))[-1]
    under_test.handle(last.core, ClockTick())
    assert app(under_test, "App").log == ["in time False"]


def test_what_escapes_from_a_thread_is_reported_with_its_line(file):
    (event,) = run(OskenProgram([file]), joined(), packet(b"x" * 63))[-1].events
    assert isinstance(event, HandlerRaised)
    assert (event.handler, event.text) == ("Thread.run", "ValueError: in a thread")
    assert (event.file, event.effect) == ("mine.py", "it is logged, and the thread ends")


def test_a_timer_is_a_tick(file):
    under_test = OskenProgram([file])
    last = run(under_test, joined(), packet(b"x" * 64))[-1]
    under_test.handle(last.core, ClockTick())
    assert app(under_test, "App").log == ["late"]


def test_threads_of_python_are_explored_like_others(file):
    under_test = OskenProgram([file], threads="explore")
    assert [each.choice for each in under_test.handle(under_test.initial(), ThreadTurn())] == ["Thread.run#2"]


def test_each_thread_has_its_own_local_data_and_an_app_s_loop_is_one_thread(file):
    under_test = OskenProgram([file])
    run(under_test, joined(), packet(b"x" * 65), packet(b"x" * 65))
    mine = app(under_test, "App")
    assert mine.log == [("looker", None), "MainThread"] * 2
    kept = object.__getattribute__(mine.mine, "_of_threads")
    assert kept["App"]["count"] == 2


def test_a_module_that_a_handler_imports_is_loaded_ahead_and_its_state_followed(file):
    under_test = OskenProgram([file])
    first, second, third = run(under_test, joined(), packet(b"x" * 66), packet(b"x" * 66))
    assert len({first.core, second.core, third.core}) == 3
    assert "lazy.py" in [each.name for each in under_test.files]


def test_a_module_that_nobody_could_foresee_is_refused(file):
    with pytest.raises(SdnloomError, match="App imports lazier while it runs; expected such an import at the top"):
        run(OskenProgram([file]), joined(), packet(b"x" * 67))
