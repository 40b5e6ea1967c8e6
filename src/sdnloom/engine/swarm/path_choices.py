"""Paths as numbers, for another process of the same program: the place of each step among the enabled ones."""

from collections.abc import Sequence

from sdnloom.engine.path import Path
from sdnloom.engine.semantics import Semantics


def choices_of(semantics: Semantics, path: Path) -> tuple[int, ...]:
    """The place of each step of a path among the transitions of its state, in canonical order."""
    state, choices = semantics.initial(), []
    for step in path.steps:
        place, state = next(
            (place, each.state) for place, each in enumerate(semantics.transitions(state)) if each.step == step
        )
        choices.append(place)
    return tuple(choices)


def path_of(semantics: Semantics, choices: Sequence[int]) -> Path:
    """The path whose steps have these places."""
    state, steps = semantics.initial(), []
    for place in choices:
        chosen = semantics.transitions(state)[place]
        steps.append(chosen.step)
        state = chosen.state
    return Path(tuple(steps))
