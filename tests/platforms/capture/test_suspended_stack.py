"""Waiting threads are put back as they were; the oracle rebuilds each state by its steps."""

import contextvars
import random

import pytest

from sdnloom.platforms.capture.snapshot import Scope
from sdnloom.platforms.capture.states import FreshProgram, StateStore
from sdnloom.platforms.capture.suspended_stack import note_stack
from sdnloom.platforms.sandbox.hub import Hub

CONTEXT = contextvars.ContextVar("CONTEXT")


class Program:
    """Threads that wait in several ways, and a log of what they do."""

    def __init__(self):
        self.hub, self.log, self.children = Hub(), [], []

    def count(self):
        rounds = 0
        while True:
            rounds += 1
            self.log.append(["count", rounds])
            if rounds % 3 == 0:
                made = [rounds]  # bound from now on only
                self.children.append(made)
            self.hub.sleep(2)

    def end(self):
        self.log.append("waits")
        self.hub.sleep(1)
        self.log.append("ends")

    def visit(self):
        while True:
            for each in self.log[:2]:
                self.hub.sleep(1)
                self.log.append(("visited", str(each)))
            self.hub.sleep(1)

    def deep(self, mine):
        self.wait(mine)
        mine.append("again")
        self.log.append(mine)
        self.wait(mine)

    def wait(self, mine):
        length = len(mine)
        self.hub.sleep(1)
        self.log.append(["length", length])

    def step(self, name):
        if name == "tick":
            if due := self.hub.due():
                self.hub.fire(due[0])
        elif name == "forget":
            self.log.clear()
        elif name == "deep":
            self.hub.spawn(self.deep, self.log[-1:])
        else:
            self.hub.spawn(getattr(self, name))
        self.hub.settle()


STEPS = ("tick", "tick", "tick", "forget", "count", "end", "visit", "deep")


def store_of():
    """A store of the states of a new program."""

    def make():
        program = Program()
        programs.append(program)
        hub = program.hub

        def waiting():
            return [thread.label for thread in hub.parked()]

        return FreshProgram({"program": program, "hub": hub}, Scope(), hub.discard, waiting, None, hub.stacks, hub.hold)

    programs = []
    store = StateStore(make(), make, lambda name: programs[-1].step(name))
    store.take = lambda name: store.leave(lambda: programs[-1].step(name))
    return store


@pytest.mark.parametrize("seed", range(12))
def test_states_with_waiting_threads_are_those_that_their_steps_lead_to(seed):
    chance = random.Random(seed)
    usual, replayed = store_of(), store_of()
    replayed._snapshot = lambda first: (None, ())
    known = [usual.first]
    assert replayed.first == usual.first
    for _ in range(30):
        core, name = chance.choice(known[-6:]), chance.choice(STEPS)
        found = []
        for store in (usual, replayed):
            store.restore(core)
            store.take(name)
            found.append(store.store(core, name))
        assert found[0] == found[1]
        known.append(found[0])
    assert usual.repeated < replayed.repeated


def test_a_thread_that_has_gone_on_is_put_back_without_a_step():
    store = store_of()
    store.restore(store.first)
    store.take("count")
    cores = [store.store(store.first, "count")]
    for _ in range(5):
        store.take("tick")
        cores.append(store.store(cores[-1], "tick"))
    assert len(set(cores)) == 6
    for core in (cores[1], cores[4], cores[0], cores[3], cores[3]):
        store.restore(core)
        assert store._is(core, None)
    assert store.repeated == 0
    assert store.description() == "snapshot"


def test_a_stack_that_has_not_moved_is_not_written():
    hub = Hub()
    hub.call(waits_plainly, hub)
    [stack] = hub.stacks()
    assert note_stack(stack).put_back() is False
    hub.stop()


def test_a_thread_that_has_ended_since_is_made_again_once():
    store = store_of()
    store.restore(store.first)
    store.take("end")
    before = store.store(store.first, "end")
    store.take("tick")
    after = store.store(before, "tick")
    store.restore(before)
    assert store.repeated == 1
    store.restore(after)
    store.restore(before)
    assert store.repeated == 1


def waits_in_a_loop(hub):
    for _ in range(2):
        hub.sleep(1)


def waits_in_an_expression(hub):
    return [1, hub.sleep(1)]


def waits_beside_a_cell(hub):
    number = 1
    hub.sleep(1)
    return lambda: number


def waits_in_a_function_of_c(hub):
    sorted([1], key=hub.sleep)


def waits_through_another_name(hub):
    wait = getattr(hub, "sle" + "ep")
    wait(1)


def waits_with_a_context(hub):
    CONTEXT.set(1)
    hub.sleep(1)


def waits_for_a_call(hub):
    waits_plainly(hub)


def waits_plainly(hub):
    while True:
        hub.sleep(1)


@pytest.mark.parametrize(
    ("function", "noted"),
    [
        (waits_plainly, True),
        (waits_for_a_call, True),
        (waits_through_another_name, True),
        (waits_in_a_loop, False),
        (waits_in_an_expression, False),
        (waits_beside_a_cell, False),
        (waits_in_a_function_of_c, False),
        (waits_with_a_context, False),
    ],
)
def test_only_a_stack_whose_whole_state_is_in_variables_is_noted(function, noted):
    hub = Hub()
    hub.call(function, hub)
    [stack] = hub.stacks()
    assert (note_stack(stack) is not None) == noted
    hub.stop()
