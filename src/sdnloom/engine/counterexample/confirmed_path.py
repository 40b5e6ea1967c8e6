"""The path to a state that a search found, and its transitions taken again without the memo of the search."""

import itertools
from collections.abc import Sequence

from sdnloom.engine.model import ModelError, Step
from sdnloom.engine.path import Path, ReplayDivergence, replay
from sdnloom.engine.semantics import Semantics, State, Transition


def path_through(semantics: Semantics, states: Sequence[State]) -> Path:
    """A path that visits these states one after the other."""
    steps: list[Step] = []
    for before, after in itertools.pairwise(states):
        step = next((each.step for each in semantics.transitions(before) if each.state == after), None)
        if step is None:
            raise _impure(len(steps))
        steps.append(step)
    return Path(tuple(steps))


def confirmed(whole: Semantics, recorded: Semantics, path: Path) -> list[Transition]:
    """The transitions of a path, replayed without the memo; ModelError if they differ from those in the memo."""
    expected = replay(recorded, path)
    try:
        transitions = replay(whole, path)
    except ReplayDivergence as diverged:
        raise _impure(diverged.position) from diverged
    for position, (now, before) in enumerate(zip(transitions, expected, strict=True)):
        if now.state != before.state:
            raise _impure(position)
    return transitions


def _impure(position: int) -> ModelError:
    return ModelError(
        f"step {position + 1} of a path that was found leads elsewhere when it is taken again; expected "
        "components, and programs in them, that depend on nothing but their state and inputs: not on files, "
        "the environment, addresses of objects or the system's own randomness"
    )
