"""Delta debugging of a path: fewer events that violate the same property.

The beginning is left out first, then inputs of the environment with all that followed from them, then single steps;
each candidate is followed loosely (`follow.py`). Then a search of all orders of the inputs that are left looks for a
shorter path. At the end no single step can be left out, neither if the others are taken as they are nor if they are
followed loosely.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import NamedTuple

from sdnloom.engine.counterexample.follow import Follower, Goal
from sdnloom.engine.counterexample.own_inputs import own_inputs, search_orders
from sdnloom.engine.model import Mode, Step
from sdnloom.engine.path import Path, ReplayDivergence, cone, replay
from sdnloom.engine.semantics import Finding, Semantics, Transition
from sdnloom.engine.stop_points import LimitReached

SEARCHED_STATES = 10_000  # of the search of all orders of the inputs that are left


class MinimisedPath(NamedTuple):
    """A path, what is found at its end, and how short it is.

    `minimal`: no single step can be left out. `shortest`: no path with its inputs, or fewer, is shorter; `states` is
    the size of the search that says so.
    """

    path: Path
    found: Finding
    minimal: bool = True
    shortest: bool = False
    states: int = 0


def minimise(
    semantics: Semantics,
    path: Path,
    found: Finding,
    out_of_time: Callable[[], bool] = lambda: False,
    *,
    same_message: bool = True,
    most_states: int = SEARCHED_STATES,
    most_followed: int | None = None,
    on_progress: Callable[[int, int], None] = lambda steps, states: None,
) -> MinimisedPath:
    """A path to the same finding that is no longer than the given one; minimal unless there is no time left.

    Without `same_message` a finding of the same property is enough: where earlier packets are left out, it may be
    about another packet. A path that does not lead to the finding is returned as it is, and is not minimal. With
    `most_states` of 0 nothing is searched. `most_followed` is how many steps may be tried in all. `on_progress` is
    called with the length of the path so far, and with the states that were searched. A limit that is in force ends the
    work as `out_of_time` does.
    """
    follower = Follower(semantics, Goal(found.property, found.message if same_message else None))
    try:
        taken = replay(semantics, path)
    except (ReplayDivergence, LimitReached):
        return MinimisedPath(path, found, minimal=False)
    states = [semantics.initial(), *(each.state for each in taken)]
    end = next((n for n, state in enumerate(states) if follower.found(state) is not None), None)
    if end is None:
        return MinimisedPath(path, found, minimal=False)
    follower.at_rest = semantics.is_quiescent(follower.state_after(taken[:end]))

    def enough() -> bool:
        return out_of_time() or (most_followed is not None and follower.followed > most_followed)

    work = _Minimiser(follower, taken[:end], enough, most_states, on_progress)
    with suppress(LimitReached):  # what was found before is whole
        work.run()
    last = follower.found(follower.state_after(work.best))
    assert last is not None
    steps = Path(tuple(each.step for each in work.best))
    return MinimisedPath(steps, last, work.minimal, work.shortest, work.states)


class _Minimiser:
    """The shortest path so far. No proper beginning of it leads to the goal."""

    def __init__(
        self,
        follower: Follower,
        best: list[Transition],
        out_of_time: Callable[[], bool],
        most_states: int,
        on_progress: Callable[[int, int], None],
    ) -> None:
        self.follower, self.best, self.most_states = follower, best, most_states
        self.out_of_time, self.on_progress = out_of_time, on_progress
        self.minimal = self.shortest = False
        self.states = 0

    def run(self) -> None:
        """Make the path as short as can be in the time."""
        self._cut_cycles()
        if self.best:
            self._try_without(set(range(len(self.best))) - set(cone(self.best, len(self.best) - 1)))
        self._keep_the_end()
        self._delta_debug(self._inputs)
        self._delta_debug(self._steps)
        self._leave_out_faults()
        self._search()
        while self._leave_out_one():
            self.shortest = False

    # Which steps are left out.

    def _cut_cycles(self) -> None:
        """Leave out what lies between two visits of one state."""
        last = {each.state: position for position, each in enumerate(self.best, 1)}
        kept: list[Transition] = []
        state, position = self.follower.semantics.initial(), 0
        while True:
            position = max(position, last.get(state, 0))
            if position == len(self.best):
                break
            kept.append(self.best[position])
            state = self.best[position].state
            position += 1
        self._take(kept)

    def _keep_the_end(self) -> None:
        """Leave out as much as can be at once of the beginning: what matters is often at the end, and this is cheap."""
        kept = 4
        while kept < len(self.best) and not self.out_of_time():
            if self._try_without(set(range(len(self.best) - kept))):
                return
            kept *= 2

    def _inputs(self) -> list[int]:
        """The positions of the steps that nobody has to take."""
        return [n for n, each in enumerate(self.best) if each.action.mode is not Mode.MUST]

    def _steps(self) -> list[int]:
        return list(range(len(self.best)))

    def _delta_debug(self, positions: Callable[[], list[int]]) -> None:
        """Leave out steps at these positions: in large parts first, from the end, until no single one can go."""
        size = max(1, len(positions()) // 2)
        while not self.out_of_time():
            units, end, shorter = positions(), len(positions()), False
            while end > 0 and not self.out_of_time():
                first = max(0, end - size)
                if self._try_without(set(units[first:end])):
                    shorter, units = True, positions()  # those before the part are the same as before
                end = min(first, len(units))
            if size == 1 and not shorter:
                return
            size = max(1, size // 2)

    def _leave_out_faults(self) -> None:
        """Take steps without their faults, where that leads to the goal with as many steps."""
        for position in range(len(self.best)):
            if position < len(self.best) and self.best[position].step.faults and not self.out_of_time():
                step, *rest = [each.step for each in self.best[position:]]
                guide = [step._replace(faults=()), *rest]
                found = self.follower.loosely(self.best[:position], guide, len(self.best))
                if found is not None and _faults(found) < _faults(self.best):
                    self._take(found)

    def _leave_out_one(self) -> bool:
        """Leave out one step, if one can be; otherwise the path is minimal, unless there is no time left."""
        for position in reversed(range(len(self.best))):
            if self.out_of_time():
                return False
            before, guide = self.best[:position], _guide(self.best[position + 1 :])
            found = self.follower.exactly(before, guide)
            if found is None:
                found = self.follower.loosely(before, guide, len(self.best) - 1)
            if found is not None:
                self._take(found)
                return True
        self.minimal = True
        return False

    def _try_without(self, positions: set[int]) -> bool:
        if not positions:
            return False
        first = min(positions)
        guide = _guide([each for n, each in enumerate(self.best) if n > first and n not in positions])
        found = self.follower.loosely(self.best[:first], guide, len(self.best) - 1)
        if found is None:
            return False
        self._take(found)
        return True

    def _search(self) -> None:
        """Search all orders of the inputs that are left for a shorter path."""
        if not self.most_states or not self.best:
            return
        found = search_orders(
            self.follower,
            own_inputs(self.best),
            self.most_states,
            len(self.best) - 1,
            out_of_time=self.out_of_time,
            on_progress=lambda states: self.on_progress(len(self.best), states),
        )
        self.states, self.shortest = found.states, found.stopped is None
        if found.path is not None:
            self._take(list(found.path))

    def _take(self, shorter: list[Transition]) -> None:
        self.best = shorter
        self.on_progress(len(shorter), 0)


def _guide(transitions: Sequence[Transition]) -> list[Step]:
    return [each.step for each in transitions]


def _faults(transitions: Sequence[Transition]) -> int:
    return sum(len(each.step.faults) for each in transitions)
