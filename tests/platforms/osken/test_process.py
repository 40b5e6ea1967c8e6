"""What an app does to its process stays in the sandbox: its end, servers, threads, signals, random numbers."""

import atexit
import gc
import logging
import os
import random
import signal
import sys
import threading
import time
import warnings
from pathlib import Path

import pytest

from sdnloom import app_scenario
from sdnloom.check.load import load_scenario
from sdnloom.check.run import Run
from sdnloom.network.events import HandlerRaised, ProgramEnded
from sdnloom.network.program import ClockTick, ThreadTurn
from sdnloom.platforms.osken.program import OskenProgram
from tests.platforms.osken.helpers import APPS, app, joined, packet, program, run

SHIPPED = Path(__file__).parents[3] / "examples" / "mac_learning_osken" / "bug3_fixed.toml"


def line(text):
    """The line of the app that contains a text."""
    lines = (APPS / "wild.py").read_text().splitlines()
    (found,) = [number for number, each in enumerate(lines, 1) if text in each]
    return found


NOTES = (
    "threads of the program run first come first served (threads = settle)",
    f"the app's server at 0.0.0.0:8080 (wild.py:{line('ThreadingHTTPServer')}) gets no requests",
    f"the app's socket at 0.0.0.0:514 (wild.py:{line('udp.bind')}) receives nothing",
    f"the app's server at 127.0.0.1:6654 (wild.py:{line('StreamServer')}) gets no requests",
)


def surroundings():
    """What an app could change in this process."""
    signals = [signal.getsignal(each) for each in (signal.SIGTERM, signal.SIGINT, signal.SIGUSR1, signal.SIGALRM)]
    streams = sys.stdin, sys.stdout, sys.stderr, list(sys.path), list(sys.argv), list(sys.meta_path)
    logs = (
        list(logging.root.handlers),
        logging.root.level,
        logging.root.manager.disable,
        "Wild" in logging.root.manager.loggerDict,
    )
    settings = os.getcwd(), dict(os.environ), sys.getrecursionlimit(), gc.isenabled(), list(warnings.filters)
    functions = time.time, os.kill, threading.Thread, random.random, random.getstate(), threading.active_count()
    return signals, streams, logs, settings, functions, atexit._ncallbacks()


@pytest.fixture(scope="module")
def wild():
    under_test = program("wild")
    return under_test, run(under_test, joined())[-1].core


def after(wild, size):
    """The reaction to a packet of a size, in the state after the switch has joined."""
    under_test, core = wild
    (reaction,) = run(under_test, packet(b"x" * size), core=core)
    return reaction


def test_servers_and_sockets_are_inert_and_named_in_the_bounds_and_their_threads_are_ordinary_state(wild):
    under_test, _ = wild
    assert under_test.notes[: len(NOTES)] == NOTES
    assert under_test.capture == "snapshot"


def test_random_numbers_are_the_same_in_every_run_also_in_libraries(wild):
    after(wild, 61)
    first = app(wild[0], "Wild").seen
    again = program("wild")
    run(again, joined(), packet(b"x" * 61))
    assert app(again, "Wild").seen == first
    assert len(set(map(str, first))) == 6
    other = program("wild", seed=1)
    run(other, joined(), packet(b"x" * 61))
    assert app(other, "Wild").seen[1:] != first[1:]


def test_connections_names_and_commands_fail_as_on_a_machine_without_them(wild):
    after(wild, 62)
    assert app(wild[0], "Wild").seen == [
        "[Errno 111] Connection refused",
        "[Errno -2] Name or service not known",
        "[Errno 2] No such file or directory: 'ip'",
        "[Errno 11] Resource temporarily unavailable",
        "[Errno 3] No such process",
        "[Errno 11] Resource temporarily unavailable",
        32512,
        "",
        "",
    ]
    assert wild[0].notes[4:8] == (
        f"the app's connection to 10.0.0.1:80 (wild.py:{line('create_connection')}) is refused",
        f"the app's command 'ip link' (wild.py:{line('link')}) fails as if it were not installed",
        f"the app's process (wild.py:{line('Process(')}) fails to start: a program under test has only its own",
        f"the app's signal to process 4711 (wild.py:{line('4711')}) finds no process",
    )


def test_a_pool_of_threads_runs_on_the_hub(wild):
    after(wild, 63)
    assert app(wild[0], "Wild").seen == [2, 3]


def test_a_signal_that_has_a_handler_calls_it(wild):
    assert after(wild, 64).events == ()
    assert app(wild[0], "Wild").seen == ["went on"]
    assert "asked to end" in [line.text for line in wild[0].output]


def test_an_app_that_kills_its_process_has_ended_and_nothing_of_it_goes_on(wild):
    under_test, _ = wild
    reaction = after(wild, 65)
    how = "os.kill(os.getpid(), signal.SIGKILL)"
    assert reaction.events == (ProgramEnded("Wild", how, "wild.py", line("SIGKILL")),)
    assert not [line for line in under_test.output if line.text.startswith("never")]
    for given in (packet(b"x" * 60), packet(b"x" * 61)):
        (later,) = under_test.handle(reaction.core, given)
        assert (later.core, later.messages, later.events) == (reaction.core, (), ())
    assert under_test.handle(reaction.core, ClockTick()) == under_test.handle(reaction.core, ThreadTurn()) == ()


def test_exit_ends_the_process_at_once_and_sys_exit_is_logged_by_the_loop(wild):
    assert after(wild, 68).events == (ProgramEnded("Wild", "os._exit(1)", "wild.py", line("os._exit")),)
    (raised,) = after(wild, 66).events
    assert isinstance(raised, HandlerRaised)
    assert (raised.text, raised.effect) == ("SystemExit: 3", "it is logged, and the app's event loop goes on")


def test_a_handler_is_not_in_the_main_thread_where_signals_are_handled(wild):
    (raised,) = after(wild, 67).events
    assert raised.text == "ValueError: signal only works in main thread of the main interpreter"


def test_output_is_kept_as_distinct_lines_with_the_time_of_the_program():
    under_test = program("wild")
    core = run(under_test, joined())[-1].core
    for _ in range(2):
        run(under_test, packet(b"x" * 60), core=core)
    lines = under_test.output
    assert lines[0] == ("load", "loaded in / by 1000", 1)
    assert ("run", "packet of 60", 2) in lines
    assert not [line for line in lines if line.text.startswith("at ")]  # the app has set the level of the root logger


def test_environment_variables_that_a_handler_sets_are_state(tmp_path):
    file = tmp_path / "mine.py"
    file.write_text(COUNTER)
    under_test = OskenProgram([file])
    one, two, three = run(under_test, joined(), packet(b"x" * 60), packet(b"x" * 60))
    assert len({one.core, two.core, three.core}) == 3
    (again,) = run(under_test, packet(b"x" * 60), core=one.core)
    assert again.core == two.core
    assert "COUNTED" not in os.environ
    assert b"COUNTED" not in os.environb


COUNTER = """
import os
from os_ken.base import app_manager
from os_ken.controller import ofp_event
from os_ken.controller.handler import set_ev_cls


class App(app_manager.OSKenApp):
    @set_ev_cls(ofp_event.EventOFPPacketIn)
    def packet_in(self, ev):
        os.environ["COUNTED"] = os.environ.get("COUNTED", "") + "x"
        os.environb[b"COUNTED"] = os.environb[b"COUNTED"] + b"y"
"""


def test_nothing_that_an_app_does_reaches_this_process_or_the_next_search():
    usual = Run(load_scenario(SHIPPED)).check()
    before = surroundings()
    for hub in ("native", "eventlet"):
        under_test = OskenProgram([APPS / "wild.py"], hub=hub)
        core = run(under_test, joined())[-1].core
        for size in range(60, 69):
            under_test.handle(core, packet(b"x" * size))
    report = app_scenario(APPS / "wild.py", topology="single,2", version="1.0").check()
    assert report.verdict == "violated"
    assert set(NOTES) <= set(report.bounds)
    assert report.output[0].text == "loaded in / by 1000"
    assert surroundings() == before
    again = Run(load_scenario(SHIPPED)).check()
    assert (again.verdict, again.result.statistics.states, again.result.statistics.transitions) == (
        usual.verdict,
        usual.result.statistics.states,
        usual.result.statistics.transitions,
    )
    assert (usual.verdict, usual.result.statistics.states) == ("holds", 69)


WRITES_TIMES = """
import logging, sys, time
import half_module
from os_ken.base import app_manager

class WritesTimes(app_manager.OSKenApp):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        record = logging.LogRecord("name", logging.INFO, "file", 1, "text", (), None)
        form = logging.Formatter("%(asctime)s", "%b %d %H:%M:%S")
        form.converter = time.gmtime
        self.found = form.format(record), time.ctime(), time.asctime(), half_module.answer
"""
HALF_MODULE = """
import sys, types

class Half:
    __slots__ = ("__dict__",)
    __class__ = types.ModuleType

odd = Half()
odd.__name__, odd.answer = __name__, 42
sys.modules[__name__] = odd
"""


def test_texts_of_times_are_those_of_the_program_also_in_libraries(tmp_path, monkeypatch):
    # cffi puts objects into sys.modules that say they are modules and that nothing can refer to weakly.
    (tmp_path / "library").mkdir()
    (tmp_path / "library" / "half_module.py").write_text(HALF_MODULE)
    (tmp_path / "times.py").write_text(WRITES_TIMES)
    monkeypatch.syspath_prepend(tmp_path / "library")
    found = app(OskenProgram([tmp_path / "times.py"]), "WritesTimes").found
    assert found == ("Nov 14 22:13:20", "Tue Nov 14 22:13:20 2023", "Tue Nov 14 22:13:20 2023", 42)


CHANGES = """
import logging, os, sys, tempfile
from os_ken.base import app_manager
from os_ken.controller import ofp_event
from os_ken.controller.handler import set_ev_cls


def change(way):
    if way == "folder":
        folder = tempfile.mkdtemp()
        os.chdir(folder)
        os.rmdir(folder)
    elif way == "tracing":
        sys.settrace(lambda *args: None)
        sys.setprofile(lambda *args: None)
    elif way == "hooks":
        sys.displayhook = sys.breakpointhook = print
        sys.set_int_max_str_digits(0)
    elif way == "silence":
        logging.disable(logging.CRITICAL)
        logging.getLogger("asyncio").critical("never")
    elif way == "noise":
        logging.getLogger().setLevel(logging.DEBUG)
        logging.getLogger("asyncio").debug("heard")
    elif way == "finders":
        sys.meta_path[:] = [each for each in sys.meta_path if not type(each).__module__.startswith("sdnloom")]


class App(app_manager.OSKenApp):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        change(LOADED)

    @set_ev_cls(ofp_event.EventOFPPacketIn)
    def packet_in(self, ev):
        change(HANDLED)
"""


def more_surroundings():
    library = logging.getLogger("asyncio")
    levels = [level for level in (logging.DEBUG, logging.WARNING, logging.CRITICAL) if library.isEnabledFor(level)]
    hooks = sys.displayhook, sys.breakpointhook, sys.get_int_max_str_digits()
    return surroundings(), levels, hooks, sys.gettrace(), sys.getprofile()


@pytest.mark.parametrize("loaded", [True, False])
@pytest.mark.parametrize("way", ["folder", "tracing", "hooks", "silence", "noise", "finders"])
def test_nothing_of_a_change_is_left_whether_it_happens_while_loading_or_later(tmp_path, way, loaded):
    OskenProgram([APPS / "wild.py"])  # has imported what apps import
    logging.getLogger("asyncio").manager._clear_cache()
    (tmp_path / "changes.py").write_text(f"LOADED, HANDLED = {(way, '') if loaded else ('', way)}\n{CHANGES}")
    before = more_surroundings()
    under_test = OskenProgram([tmp_path / "changes.py"])
    reactions = run(under_test, joined(), packet(b"x" * 60), packet(b"x" * 60))
    assert not [event for each in reactions for event in each.events]
    lines = [line.text for line in under_test.output]
    assert any("heard" in line for line in lines) == (way == "noise")
    assert not any("never" in line for line in lines)
    assert more_surroundings() == before
