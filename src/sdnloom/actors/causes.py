"""Which steps of a path each step depends on: the step before it of its actor, the one that sent its message, and the
one that made known what it awaited.

Equal messages of two tasks are told apart by replaying the path with named tasks: the named step is one that leads to
the same state. If several do, they are interchangeable.
"""

from collections.abc import Sequence

from sdnloom.actors.executions.named_state import NamedDone, NamedMeaning, NamedState, NamedTask
from sdnloom.actors.program import Program
from sdnloom.actors.semantics import state_of
from sdnloom.engine.semantics import Transition


def actor_causes(program: Program, transitions: Sequence[Transition]) -> list[set[int]]:
    """For each step of a path of the program, the positions of the earlier steps that it depends on directly."""
    previous: dict[str, int] = {}  # the last step of an actor
    results = actor_senders(program, transitions)
    for position, transition in enumerate(transitions):
        actor = transition.step.component
        if actor in previous:
            results[position].add(previous[actor])
        previous[actor] = position
    return results


def actor_senders(program: Program, transitions: Sequence[Transition]) -> list[set[int]]:
    """For each step the position of the one that sent its message, or made known what it awaited, if there is one."""
    meaning = NamedMeaning(program, history=False)
    state = meaning.initial()
    sent: dict[int, int] = {}  # the step that sent a task, by the task's name
    known: dict[int, int] = {}  # the step that made the future of a task or barrier known
    results: list[set[int]] = []
    for position, transition in enumerate(transitions):
        task, after = _named_step(meaning, state, transition)
        earlier = sent.get(task.name) if task.steps == 0 else _awaited(task, known)
        results.append(set() if earlier is None else {earlier})
        before, now = _names(state), _names(after)
        sent.update((name, position) for name in now - before)
        known.update((name, position) for name in before - now)
        state = after
    return results


def _named_step(meaning: NamedMeaning, state: NamedState, transition: Transition) -> tuple[NamedTask, NamedState]:
    goal = state_of(transition.state)
    for task, result in meaning.enabled(state, transition.step.component, transition.step.action):
        after, _ = meaning.after(state, task, result)
        if meaning.without_names(after) == goal:
            return task, after
    raise AssertionError(f"{transition.step} is no step of the program with named tasks; this is a defect of sdnloom")


def _awaited(task: NamedTask, known: dict[int, int]) -> int | None:
    """The step that made known what a task awaited; None for a condition."""
    awaits = None if task.task.suspension is None else task.task.suspension.awaits
    return known.get(awaits.name) if isinstance(awaits, NamedDone) else None


def _names(state: NamedState) -> set[int]:
    return {each.name for each in state.tasks} | {each.name for each in state.barriers}
