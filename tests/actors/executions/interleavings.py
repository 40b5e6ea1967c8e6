"""The oracle of counts: every interleaving is run, and interleavings are sorted into executions by definition.

Nothing of the counting is used here, only the steps of programs with named tasks, which tests compare with the plain
semantics.
"""

from collections.abc import Hashable, Iterator, Sequence

from sdnloom.actors.executions.named_semantics import NamedSemantics, step_identity
from sdnloom.actors.program import Program
from sdnloom.actors.search.options import ReductionLevel
from sdnloom.engine.semantics import State, Transition

Run = tuple[Transition, ...]


class TooMany(Exception):  # noqa: N818 (no error: a reason to skip)
    """The program has too many interleavings, or they are too long."""


def every_run(semantics: NamedSemantics, most: int, longest: int = 40) -> Iterator[Run]:
    """Every maximal sequence of steps, in every order."""
    path: list[Transition] = []
    runs = 0

    def extend(state: State) -> Iterator[Run]:
        nonlocal runs
        following = semantics.transitions(state)
        if not following:
            runs += 1
            if runs > most:
                raise TooMany
            yield tuple(path)
        if len(path) > longest:
            raise TooMany
        for transition in following:
            path.append(transition)
            yield from extend(transition.state)
            path.pop()

    return extend(semantics.initial())


def counted(program: Program, level: ReductionLevel, most: int) -> int:
    """The number of executions by definition: classes of runs that swaps of neighbouring steps join."""
    semantics = NamedSemantics(program, level)
    runs = {tuple(map(step_identity, run)): run for run in every_run(semantics, most)}
    leader = {names: names for names in runs}

    def leader_of(names: Hashable) -> Hashable:
        while leader[names] != names:  # type: ignore[index]
            names = leader[names]  # type: ignore[index]
        return names

    for names, run in runs.items():
        for place in range(len(run) - 1):
            other = (*names[:place], names[place + 1], names[place], *names[place + 2 :])
            if other in runs and can_swap(semantics, level, run, runs[other], place):
                leader[leader_of(other)] = leader_of(names)  # type: ignore[index,assignment]
    return sum(leader[names] == names for names in runs)


def can_swap(semantics: NamedSemantics, level: ReductionLevel, run: Run, swapped: Run, place: int) -> bool:
    """Whether a run and the one with two neighbouring steps swapped are one execution."""
    same_state = run[place + 1].state == swapped[place + 1].state
    if level == "context":
        return same_state
    dependence = semantics.dependence
    independent = not dependence.conflict(dependence.done(run[place]), dependence.done(run[place + 1]))
    if independent:
        assert same_state, "steps that do not conflict lead to different states"
        assert footprints(semantics, run) == footprints(semantics, swapped)
    return independent


def check_swaps(semantics: NamedSemantics, runs: Sequence[Run]) -> None:
    """Where two neighbouring steps do not conflict, the run with the two swapped is a run, too."""
    dependence = semantics.dependence
    names = {tuple(map(step_identity, run)) for run in runs}
    for run in runs:
        own = tuple(map(step_identity, run))
        for place in range(len(run) - 1):
            if not dependence.conflict(dependence.done(run[place]), dependence.done(run[place + 1])):
                other = (*own[:place], own[place + 1], own[place], *own[place + 2 :])
                assert other in names, "a step is possible only after one that it does not conflict with"


def footprints(semantics: NamedSemantics, run: Run) -> set[tuple[Hashable, Hashable]]:
    """What each step of a run does."""
    return {(step_identity(each), semantics.dependence.done(each)) for each in run}
