"""Threads, timers and random draws of an app are choices of the search."""

from sdnloom.network.events import TimerFired
from sdnloom.network.openflow import BarrierRequest, Output
from sdnloom.network.program import ClockTick, ThreadTurn
from tests.platforms.osken.helpers import app, joined, packet, program, run

POLL = "wake Sleeper.poll#2"


def outputs(reaction):
    return [each.port for _, message in reaction.messages for each in message.actions if isinstance(each, Output)]


def test_time_passes_to_the_next_timer_and_says_which_fired():
    under_test = program("sleeper", version="1.3")
    (joined_,) = run(under_test, joined())
    (tick,) = under_test.handle(joined_.core, ClockTick())
    assert tick.choice == POLL
    assert tick.events == (TimerFired(POLL),)
    assert [type(message) for _, message in tick.messages] == [BarrierRequest]
    assert under_test._sandbox.hub.clock.seconds() == 10


def test_without_a_timer_no_time_passes():
    under_test = program("learning")
    assert under_test.handle(under_test.initial(), ClockTick()) == ()


def test_a_handler_that_sleeps_keeps_later_events_waiting_until_it_wakes():
    under_test = program("sleeper", version="1.3")
    _, first, second = run(under_test, joined(), packet(b"x" * 60), packet(b"x" * 62))
    assert app(under_test, "Sleeper").log == ["begin 60"]
    (woken,) = under_test.handle(second.core, ClockTick())
    assert app(under_test, "Sleeper").log == ["begin 60", "end 60", "begin 62", "end 62"]
    assert under_test._sandbox.hub.clock.seconds() == 3
    (woken_before,) = under_test.handle(first.core, ClockTick())
    assert app(under_test, "Sleeper").log == ["begin 60", "end 60"]
    assert woken.core != woken_before.core


def test_threads_run_first_come_first_served_within_the_reaction():
    under_test = program("sleeper", version="1.3")
    spawned = run(under_test, joined(), packet(b"x" * 61))[-1]
    assert outputs(spawned) == [ord("a"), ord("b")]
    assert under_test.handle(spawned.core, ThreadTurn()) == ()
    assert under_test.explores_threads is False


def test_explored_threads_are_one_alternative_each():
    under_test = program("sleeper", version="1.3", threads="explore")
    assert under_test.explores_threads is True
    start = under_test.handle(under_test.initial(), ThreadTurn())
    assert [each.choice for each in start] == ["Sleeper.poll#2"]
    spawned = run(under_test, joined(), packet(b"x" * 61), core=start[0].core)[-1]
    assert outputs(spawned) == []
    turns = under_test.handle(spawned.core, ThreadTurn())
    assert [(each.choice, outputs(each)) for each in turns] == [
        ("Sleeper.work#1", [ord("a")]),
        ("Sleeper.work#4", [ord("b")]),
    ]
    (last,) = under_test.handle(turns[0].core, ThreadTurn())
    assert outputs(last) == [ord("b")]
    assert under_test.handle(last.core, ThreadTurn()) == ()


def test_draws_follow_the_seed():
    def chosen(seed):
        return outputs(run(program("chooser", version="1.3", seed=seed), joined(), packet(b"x" * 60))[-1])

    ports = [chosen(seed) for seed in range(12)]
    assert ports == [chosen(seed) for seed in range(12)]
    assert {found[0] for found in ports} == {1, 2, 3}


def test_explored_draws_are_one_alternative_each():
    under_test = program("chooser", version="1.3", draws=2)
    (start,) = run(under_test, joined())
    reactions = under_test.handle(start.core, packet(b"x" * 60))
    assert [(each.choice, outputs(each)) for each in reactions] == [
        ("draws 0", [1]),
        ("draws 1", [2]),
        ("draws 2,0", [3, 10]),
        ("draws 2,1", [3, 11]),
    ]
    assert len({each.core for each in reactions}) == 1  # a choice is no state


def test_draws_beyond_the_budget_follow_the_seed():
    under_test = program("chooser", version="1.3", draws=1)
    (start,) = run(under_test, joined())
    assert [each.choice for each in under_test.handle(start.core, packet(b"x" * 60))] == [
        "draws 0",
        "draws 1",
        "draws 2",
    ]


def test_a_report_says_what_waits_and_how_states_are_kept():
    under_test = program("sleeper", version="1.3")
    run(under_test, joined(), packet(b"x" * 61))
    assert under_test.timers_seen == ("wake Sleeper.poll",)
    assert under_test.capture == "snapshot"
    assert under_test.notes == ("threads of the program run first come first served (threads = settle)",)
    assert program("learning").notes == ()
