"""Executions counted with stored states: exact also where there are far too many to run each of them.

With sleep sets alone, in which every step that does not sleep is explored, exactly one path of each Mazurkiewicz trace
is not cut short. Which paths go on from a point depends only on its state and its sleeping steps, so each such pair is
explored once, and the executions from it are a sum over its steps. `ExecutionSearch` counts the same without storing
states; tests compare the two.

Why exactly one: let Z sleep at a point, and let w be a trace from there of which no first step is in Z. Let t be the
first of its first steps that is explored. After t, a sleeping step is independent of t, so if it were a first step of
the rest of w it would be one of w: w goes on after t. After another first step of w, explored later, t sleeps and is a
first step of the rest: w is cut short there.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from sdnloom.engine.executions.dependence import Dependence
from sdnloom.engine.executions.letters import Letters
from sdnloom.engine.limits import LimitWatch
from sdnloom.engine.model import Step
from sdnloom.engine.path import describe
from sdnloom.engine.semantics import Semantics, State, Transition

ExecutionTally = Counter[Hashable]  # class of final states -> executions that end in one


class SleepPoint(NamedTuple):
    """A state with the steps, a bit set of letters, that need not be explored from it."""

    state: State
    sleep: int = 0


class SleepMove(NamedTuple):
    """A step from a point, and the point that it leads to."""

    transition: Transition
    to: SleepPoint


@dataclass
class _Frame:
    """A point of the present path: the moves that are left, and the executions counted so far."""

    point: SleepPoint
    essence: Hashable
    moves: Iterator[SleepMove]
    tally: ExecutionTally = field(default_factory=Counter)


def no_essence(state: State) -> Hashable:
    """The state itself."""
    return state


class ExecutionCounter:
    """One run: call `run()`, then read the results. If `incomplete` is not None, there may be more executions."""

    def __init__(
        self,
        semantics: Semantics,
        dependence: Dependence,
        watch: LimitWatch,
        *,
        final_class: Callable[[State], Hashable] = lambda state: None,
        essence: Callable[[State], Hashable] = no_essence,
        enough: Callable[[State, Sequence[Transition]], Sequence[Transition]] = lambda state, steps: steps,
        pause: Callable[[], None] = lambda: None,
    ) -> None:
        """`final_class` sorts final states into classes that are counted apart; `pause` is called between steps.

        `essence` is what decides how a state goes on, if states hold more, such as their history. `enough` chooses the
        steps to explore. Law: of every execution from the state, one that is chosen can be moved to the front by swaps
        of steps that do not conflict.
        """
        self._letters = Letters(semantics, dependence)
        self._watch, self._pause = watch, pause
        self._final_class, self._essence, self._enough = final_class, essence, enough
        self._tallies: dict[SleepPoint, ExecutionTally] = {}
        self._stack: list[_Frame] = []
        self._on_path: set[Hashable] = set()
        self.transitions = self.depth = 0
        self.final_states: set[State] = set()
        self.incomplete: str | None = None

    @property
    def initial(self) -> SleepPoint:
        """The point at which every execution begins."""
        return SleepPoint(self._letters.initial())

    @property
    def points(self) -> int:
        """How many points were found so far."""
        return len(self._tallies) + len(self._stack)

    def tally(self) -> ExecutionTally:
        """The executions counted so far, by the class of their final states."""
        total: ExecutionTally = Counter()
        for frame in self._stack:  # of a run that ended early
            total.update(frame.tally)
        total.update(self._tallies.get(self.initial, {}))
        return total

    def run(self) -> None:
        """Count all executions, or until there is a reason to stop."""
        self._enter(self.initial, self._essence(self.initial.state))
        while self._stack:
            frame = self._stack[-1]
            move = next(frame.moves, None)
            if move is None:
                self._leave()
                continue
            known = self._tallies.get(move.to)
            if known is not None:
                frame.tally.update(known)
                continue
            essence = self._essence(move.to.state)
            self.transitions += 1
            returns = move.transition.step if essence in self._on_path else None
            self.incomplete = reason_to_stop(self._watch, self.points, len(self._stack), returns)
            if self.incomplete is not None:
                return
            self._pause()
            self._enter(move.to, essence)

    def moves(self, point: SleepPoint) -> Iterator[SleepMove]:
        """The steps that are explored from a point. Where no execution is left, all that follows is cut short."""
        state, sleep = point
        enabled = self._letters.enabled(state)
        chosen = self._enough(state, list(enabled.values()))
        for letter, transition in enabled.items():
            if transition in chosen and not sleep >> letter & 1:
                yield SleepMove(transition, SleepPoint(transition.state, sleep & ~self._letters.conflicts[letter]))
                sleep |= 1 << letter

    def executions_from(self, point: SleepPoint) -> int:
        """How many executions go on from a point, after a complete run."""
        return self._tallies[point].total()

    def _enter(self, point: SleepPoint, essence: Hashable) -> None:
        frame = _Frame(point, essence, self.moves(point))
        if not self._letters.enabled(point.state):
            self.final_states.add(point.state)
            frame.tally[self._final_class(point.state)] += 1
        self._stack.append(frame)
        self._on_path.add(essence)
        self.depth = max(self.depth, len(self._stack) - 1)

    def _leave(self) -> None:
        frame = self._stack.pop()
        self._on_path.discard(frame.essence)
        self._tallies[frame.point] = frame.tally
        if self._stack:
            self._stack[-1].tally.update(frame.tally)


def reason_to_stop(watch: LimitWatch, points: int, depth: int, returns: Step | None) -> str | None:
    """Why a run should end before it adds a point after so many steps; `returns` leads back to a state of the path."""
    limits = watch.limits
    if limits.states is not None and points >= limits.states:
        return f"the limit of {limits.states:,} states was reached"
    if limits.depth is not None and depth > limits.depth:
        return f"the depth limit of {limits.depth} was reached"
    if returns is not None:
        return f"{describe(returns)}, step {depth} of a path, leads back to a state of it, so executions need not end"
    return watch.reason_to_stop()
