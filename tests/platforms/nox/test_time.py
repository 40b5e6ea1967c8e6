"""Timers of NOX apps are choices of the search; clock and random numbers can be repeated."""

import re

import pytest

from sdnloom.network.events import TimerFired
from sdnloom.network.program import Call, ClockTick
from tests.platforms.nox.helpers import JOINED, component, give, program

TIMERS = """
import time
from twisted.internet import reactor

class App(Component):
    def __init__(self, ctxt):
        Component.__init__(self, ctxt)
        self.called = []

    def note(self, name):
        def called():
            self.called.append((name, reactor.seconds()))
        called.__qualname__ = name
        return called

    def after(self, *seconds):
        for place, each in enumerate(seconds):
            self.post_callback(each, self.note("%s%d" % ("abc"[place], each)))

    def later(self, seconds):
        self.call = reactor.callLater(seconds, self.called.append, "later")

    def cancel(self):
        self.call.cancel()

    def sleepy(self):
        before = time.time()
        time.sleep(2)
        self.called.append(time.time() - before)
"""


def ticks(started, core):
    """The names of the timers that may fire next."""
    return [reaction.choice for reaction in started.handle(core, ClockTick())]


def test_only_the_timers_that_are_due_first_can_fire(tmp_path):
    started = program(tmp_path, TIMERS)
    assert ticks(started, started.initial()) == []
    core = give(started, Call("after", (2, 1, 3))).core
    assert ticks(started, core) == ["b1"]
    reaction = give(started, ClockTick(), ClockTick(), ClockTick(), core=core)
    assert component(started).called == [("b1", 1.0), ("a2", 2.0), ("c3", 3.0)]
    assert reaction.events == (TimerFired("c3"),)
    assert ticks(started, reaction.core) == []


def test_timers_that_are_due_together_fire_in_any_order_unless_they_had_the_same_delay(tmp_path):
    started = program(tmp_path, TIMERS)
    core = give(started, Call("after", (2, 1))).core
    core = give(started, ClockTick(), Call("after", (1, 1)), core=core).core
    assert ticks(started, core) == ["a1", "a2"]
    later = next(reaction for reaction in started.handle(core, ClockTick()) if reaction.choice == "a1")
    assert ticks(started, later.core) == ["b1", "a2"]


def test_states_are_the_same_however_often_the_alternatives_are_asked_for(tmp_path):
    started = program(tmp_path, TIMERS)
    core = give(started, Call("after", (2, 1))).core
    core = give(started, ClockTick(), Call("after", (1,)), core=core).core
    once, again = started.handle(core, ClockTick()), started.handle(core, ClockTick())
    assert once == again
    assert len({reaction.core for reaction in once}) == 2


def test_a_call_that_was_cancelled_does_not_happen(tmp_path):
    started = program(tmp_path, TIMERS)
    core = give(started, Call("later", (1,))).core
    assert ticks(started, core) == ["list.append"]
    cancelled = give(started, Call("cancel"), core=core).core
    assert ticks(started, cancelled) == []
    give(started, ClockTick(), core=core)
    assert component(started).called == ["later"]
    (event,) = give(started, Call("cancel"), core=give(started, ClockTick(), core=core).core).events
    assert event.text.startswith("ValueError")


def test_sleeping_lets_time_pass_for_everybody(tmp_path):
    started = program(tmp_path, TIMERS)
    give(started, Call("sleepy"))
    assert component(started).called == [2.0]


LOOP = """
{imports}

class App(Component):
    def again(self):
        self.post_callback(1, self.again)

    def install(self):
        self.again()
"""


def test_a_timer_that_sets_itself_again_comes_back_to_the_same_state_if_nothing_tells_the_time(tmp_path):
    started = program(tmp_path, LOOP.format(imports=""))
    once = give(started, JOINED, ClockTick()).core
    assert give(started, ClockTick(), core=once).core == once
    assert started.timers_seen == ("App.again",)


def test_a_program_that_can_tell_the_time_is_in_another_state_after_it_has_passed(tmp_path):
    started = program(tmp_path, LOOP.format(imports="from time import time"))
    once = give(started, JOINED, ClockTick()).core
    assert give(started, ClockTick(), core=once).core != once


CHANCE = """
import random
from random import choice

class App(Component):
    def __init__(self, ctxt):
        Component.__init__(self, ctxt)
        self.drawn = []

    def draw(self):
        self.drawn.append((random.randrange(3), choice("ab")))
"""


def test_chance_follows_the_seed_and_the_state(tmp_path):
    first, same, other = (program(tmp_path, CHANCE, seed=seed) for seed in (1, 1, 2))
    drawn = [[give(each, *[Call("draw")] * 8).core and component(each).drawn for each in (first, same, other)]]
    assert drawn[0][0] == drawn[0][1] != drawn[0][2]
    again = give(first, Call("draw")).core
    assert give(first, Call("draw")).core == again


def test_draws_can_be_choices_of_the_search(tmp_path):
    started = program(tmp_path, CHANCE, draws=2, widest=3)
    reactions = started.handle(started.initial(), Call("draw"))
    assert [reaction.choice for reaction in reactions] == [f"draws {a},{b}" for a in range(3) for b in range(2)]
    found = []
    for reaction in reactions:
        started._states.restore(reaction.core)
        found += component(started).drawn
    assert found == [(a, b) for a in range(3) for b in "ab"]


@pytest.mark.parametrize("name", ["print('hello')", "lg.error('hello')", "logging.warning('hello')"])
def test_what_a_program_prints_and_logs_is_not_part_of_a_report(tmp_path, capfd, name):
    source = f"""
    class App(Component):
        def speak(self):
            {name}

        install = speak
    """
    assert give(program(tmp_path, source), Call("speak")).events == ()
    assert capfd.readouterr() == ("", "")


def test_the_timers_that_are_waited_for_are_named_by_function_and_line(tmp_path):
    started = program(tmp_path, TIMERS)
    core = give(started, JOINED, Call("after", (2, 1))).core
    assert [place.partition(": ")[2] for place in started.waits(core)] == ["b1", "a2"]
    assert all(re.fullmatch(r"\w+\.py:\d+: \w+", place) for place in started.waits(core))
    assert started.waits(give(started, JOINED).core) == ()
