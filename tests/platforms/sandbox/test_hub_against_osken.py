"""The same small programs on os-ken's own two hubs, in processes of their own, and on ours."""

import inspect
import os
import subprocess
import sys
import types

import pytest

from sdnloom.platforms.osken.hub import hub_names, installed
from sdnloom.platforms.sandbox.hub import Hub
from sdnloom.platforms.sandbox.threads import Flavour


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
        event_seen = event.wait()
        say(f"event {event_seen}")
        done.set()

    hub.joinall([hub.spawn(consume), hub.spawn(produce)])
    say(f"done {done.is_set()}")


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


# Nothing here waits for time to pass: what sleeping and timeouts do on ours is in test_hub.py.
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


@pytest.mark.parametrize("flavour", Flavour)
def test_a_failing_program_does_the_same_on_os_kens_hubs(flavour):
    assert on_ours(failing, flavour) == on_os_ken(failing, flavour)


def test_queues_and_events_do_the_same_up_to_which_thread_runs_first():
    ours, theirs = on_ours(queues_and_events, Flavour.EVENTLET), on_os_ken(queues_and_events, Flavour.EVENTLET)
    assert sorted(ours) == sorted(theirs)
    for kind in ("put", "got"):
        assert [line for line in ours if kind in line] == [line for line in theirs if kind in line]


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
