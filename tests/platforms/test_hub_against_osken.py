"""The same small programs on os-ken's own two hubs, in processes of their own, and on ours."""

import inspect
import os
import subprocess
import sys
import types

import pytest

from sdnloom.platforms.hub import Hub
from sdnloom.platforms.osken_hub import hub_names, installed
from sdnloom.platforms.threads import Flavour


def queues_and_events(hub, say):
    queue, event, done = hub.Queue(2), hub.Event(), hub.Event()

    def produce():
        for item in range(5):
            queue.put(item)
            say(f"put {item}")
        event.set()

    def consume():
        event_seen = False
        for _ in range(5):
            say(f"got {queue.get()}")
            hub.sleep(0.01)
        event_seen = event.wait()
        say(f"event {event_seen}")
        done.set()

    hub.joinall([hub.spawn(consume), hub.spawn(produce)])
    say(f"done {done.is_set()}")


def sleeping(hub, say):
    def work(name, seconds):
        for turn in range(2):
            hub.sleep(seconds)
            say(f"{name} {turn}")

    hub.joinall(
        [hub.spawn(work, "slow", 0.05), hub.spawn(work, "fast", 0.02), hub.spawn_after(0.07, work, "late", 0.06)]
    )


def failing(hub, say):
    def fail():
        try:
            raise ValueError("x")
        except hub.TaskExit:
            say("taken for an order to end")
            raise
        except Exception:
            say("an error like any other")
            raise

    hub.spawn(fail).wait()
    say("the others go on")


def timing_out(hub, say):
    def work():
        try:
            with hub.Timeout(0.05):
                hub.sleep(0.3)
                say("finished")
        except hub.Timeout:
            say("timed out")
        event = hub.Event()
        hub.spawn_after(0.1, event.set)
        say(f"event {event.wait(0.02)}")
        try:
            with hub.Timeout(None):
                say("no time")
        except AttributeError as error:
            say(str(error))

    hub.spawn(work).wait()


def killing(hub, say):
    def work():
        try:
            hub.sleep(0.3)
            say("survived")
        finally:
            say("ends")

    thread = hub.spawn(work)
    hub.sleep(0.01)
    hub.kill(thread)
    say("killed")
    thread.wait()


def counting(hub, say):
    gate = hub.Semaphore(2)

    def work(name):
        with gate:
            say(f"{name} in")
            hub.sleep(0.3)
            say(f"{name} out")

    threads = []
    for name in "abc":
        threads.append(hub.spawn(work, name))
        hub.sleep(0.05)
    hub.joinall(threads)
    try:
        hub.BoundedSemaphore(1).release()
    except ValueError:
        say("too many")


PROGRAMS = [queues_and_events, sleeping, failing, timing_out, killing, counting]
MAIN = """
import threading
from os_ken.lib import hub
threading.excepthook = lambda given: None
{source}
{name}(hub, print)
"""


def on_os_ken(program, flavour):
    source = MAIN.format(source=inspect.getsource(program), name=program.__name__)
    environment = {**os.environ, "OSKEN_HUB_TYPE": flavour.value, "PYTHONUNBUFFERED": "1"}
    run = [sys.executable, "-W", "ignore", "-c", source]
    return subprocess.run(run, env=environment, capture_output=True, text=True, check=True).stdout.splitlines()


def on_ours(program, flavour):
    hub, log = Hub(flavour=flavour), []
    names = types.SimpleNamespace(**hub_names(hub))
    hub.spawn(program, names, log.append)
    hub.settle()
    while hub.due():
        hub.fire(hub.due()[0])
        hub.settle()
    assert hub.threads == []
    return log


@pytest.mark.parametrize("program", PROGRAMS)
def test_program_does_the_same_on_os_kens_eventlet_hub(program):
    assert on_ours(program, Flavour.EVENTLET) == on_os_ken(program, Flavour.EVENTLET)


@pytest.mark.parametrize("program", [sleeping, failing, timing_out, killing])
def test_program_does_the_same_on_os_kens_native_hub(program):
    assert on_ours(program, Flavour.NATIVE) == on_os_ken(program, Flavour.NATIVE)


def test_installed_hub_is_os_kens_hub_while_it_lasts():
    from os_ken.lib import hub as module

    before = dict(vars(module))
    hub, log = Hub(), []
    with installed(hub):
        module.spawn(log.append, 1)
        assert isinstance(module.Queue(3).maxsize, int)
        assert issubclass(module.Timeout, BaseException)
    hub.settle()
    assert log == [1]
    assert dict(vars(module)) == before
