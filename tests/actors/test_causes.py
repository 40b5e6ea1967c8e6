"""Causes and vector clocks of paths: who sent a message, and who made a future known."""

from pathlib import Path
from typing import Any

import pytest

from sdnloom.actors import Actor, Program, load_program
from sdnloom.actors.causes import actor_causes
from sdnloom.actors.semantics import ActorSemantics
from sdnloom.engine.path import Path as Steps
from sdnloom.engine.path import clocks, replay
from sdnloom.engine.walk import Stepper, random_walk

EXAMPLES = Path(__file__).parents[2] / "examples" / "actors"


class Store(Actor):
    kept: int = 0

    async def put(self, value: int) -> None:
        self.kept = value

    async def get(self) -> int:
        return self.kept

    async def take(self, future: Any) -> None:
        self.kept = await future


class Sender(Actor):
    store: Any

    async def put_one(self) -> None:
        await self.store.put(1)

    async def hand_over(self, other: Any) -> None:
        self.store.take(other.get())


def taken(program: Program, *steps: tuple[str, str, int]) -> Stepper:
    """The program after these steps: (actor, task, which of those that look the same)."""
    stepper = Stepper(ActorSemantics(program))
    for component, action, number in steps:
        alike = [
            position
            for position, each in enumerate(stepper.enabled())
            if (each.step.component, each.step.action) == (component, action)
        ]
        stepper.take(alike[number])
    return stepper


@pytest.mark.parametrize("first", [0, 1])
def test_equal_messages_of_two_actors_have_each_their_own_sender(first: int) -> None:
    store = Store("store")
    ann, bob = Sender("ann", store=store), Sender("bob", store=store)
    program = Program([store, ann, bob], [ann.put_one(), bob.put_one()])
    stepper = taken(program, ("ann", "put_one", 0), ("bob", "put_one", 0), ("store", "put", first))
    [sender] = actor_causes(program, stepper.transitions)[2]
    [woken] = [each.step.component for each in stepper.enabled() if each.step.choice.startswith("resumed")]
    assert woken == ["ann", "bob"][sender]


def test_both_senders_can_be_first() -> None:
    store = Store("store")
    ann, bob = Sender("ann", store=store), Sender("bob", store=store)
    program = Program([store, ann, bob], [ann.put_one(), bob.put_one()])
    sent = ("ann", "put_one", 0), ("bob", "put_one", 0)
    found = [taken(program, *sent, ("store", "put", first)).transitions for first in (0, 1)]
    assert sorted(actor_causes(program, each)[2].pop() for each in found) == [0, 1]


def test_a_message_whose_future_became_known_on_the_way_has_its_sender() -> None:
    store, other = Store("store"), Store("other", kept=7)
    sender = Sender("sender", store=store)
    program = Program([store, other, sender], [sender.hand_over(other)])
    stepper = taken(
        program, ("sender", "hand_over", 0), ("other", "get", 0), ("store", "take", 0), ("store", "take", 0)
    )
    assert actor_causes(program, stepper.transitions) == [
        set(),
        {0},
        {0},
        {1, 2},
    ]  # it goes on because `other` answered


def test_a_task_after_a_barrier_comes_after_the_control_task_that_it_waited_for() -> None:
    program = load_program(EXAMPLES / "first_program.py", "with_barriers")
    stepper = Stepper(ActorSemantics(program))
    stepper.rest()
    found = actor_causes(program, stepper.transitions)
    lines = [(each.step.component, each.step.action, each.step.choice[:7]) for each in stepper.transitions]
    resumed = [position for position, line in enumerate(lines) if line == ("ctrl", "packet_in", "resumed")]
    installed = {line[0]: position for position, line in enumerate(lines) if line[1] == "install"}
    assert [found[position] & {*installed.values()} for position in resumed] == [
        {installed["S1"]},
        {installed["S2"]},
    ]


@pytest.mark.parametrize("name", ["account", "load_balancer", "learning"])
def test_the_last_step_needs_its_causes_and_nothing_else(name: str) -> None:
    program = load_program(EXAMPLES / f"{name}.py")
    semantics = ActorSemantics(program)
    walk = random_walk(semantics, 3, max_steps=25)
    transitions = replay(semantics, walk.path)
    found = actor_causes(program, transitions)
    last, needed = len(transitions) - 1, {len(transitions) - 1}
    for position in range(last, -1, -1):
        if position in needed:
            needed |= found[position]
    kept = replay(semantics, Steps(tuple(walk.path.steps[position] for position in sorted(needed))))
    assert kept[-1].step == transitions[-1].step
    assert clocks(transitions, found)[-1] == clocks(kept, actor_causes(program, kept))[-1]
