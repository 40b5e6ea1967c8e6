"""Letters: steps as elements of Mazurkiewicz traces, numbered, with their conflicts as bit sets."""

from collections.abc import Hashable, Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

from sdnloom.engine.executions.dependence import Dependence
from sdnloom.engine.model import Mode, ModelError, Step
from sdnloom.engine.path import describe
from sdnloom.engine.semantics import Semantics, State, Transition

_REMEMBERED = 1 << 14  # recent states whose steps are kept


class Letter(NamedTuple):
    """A step as an element of traces: equal letters have the same effect on the same cells."""

    step: Step
    footprint: Hashable


class Letters:
    """The letters of a system met so far, and their conflicts as bit sets."""

    def __init__(self, semantics: Semantics, dependence: Dependence) -> None:
        system = semantics.system
        self._semantics, self._dependence = semantics, dependence
        self.initial = semantics.initial
        self.enabled = lru_cache(_REMEMBERED)(self._enabled)
        self.of_action = lru_cache(_REMEMBERED)(self._of_action)
        pairs = [(component, action) for component in system.components for action in component.actions]
        self.actions = [(semantics.index[component.name], action) for component, action in pairs]
        self._possible = [dependence.possible(*pair) for pair in pairs]
        self._awaited = [dependence.awaited(*pair) for pair in pairs]
        self._action_numbers = {(component.name, action.name): n for n, (component, action) in enumerate(pairs)}
        self._numbers: dict[Letter, int] = {}
        self._letters: list[Letter] = []
        self.action: list[int] = []  # letter -> its action
        self.conflicts: list[int] = []  # letter -> bit set of letters, itself included
        self.concerns: list[int] = []  # letter -> bit set of actions that it may conflict with
        self.hinders: list[int] = []  # letter -> bit set of actions that it may disable

    def number(self, transition: Transition) -> int:
        """The number of the step's letter."""
        letter = Letter(transition.step, self._dependence.done(transition))
        known = self._numbers.get(letter)
        return self._add(letter) if known is None else known

    def describe(self, number: int) -> str:
        """The letter as one line of text."""
        return describe(self._letters[number].step)

    def _add(self, letter: Letter) -> int:
        number = self._numbers[letter] = len(self._letters)
        action = self._action_numbers[letter.step.component, letter.step.action]
        idle = self._idle(action)
        conflicts = 1 << number
        for other, known in enumerate(self._letters):
            if idle or self._idle(self.action[other]) or self._dependence.conflict(letter.footprint, known.footprint):
                conflicts |= 1 << other
                self.conflicts[other] |= 1 << number
        self._letters.append(letter)
        self.action.append(action)
        self.conflicts.append(conflicts)
        self.concerns.append(self._conflicting(letter, idle, self._possible))
        self.hinders.append(self._conflicting(letter, idle, self._awaited))
        return number

    def _conflicting(self, letter: Letter, idle: bool, footprints: list[Hashable]) -> int:
        return sum(
            1 << action
            for action, footprint in enumerate(footprints)
            if idle or self._idle(action) or self._dependence.conflict(letter.footprint, footprint)
        )

    def mode(self, action: int) -> Mode:
        """The mode of an action."""
        return self.actions[action][1].mode

    def _idle(self, action: int) -> bool:
        return self.mode(action) is Mode.IDLE  # it conflicts with all others: each may begin or end quiescence

    # States and their enabled steps.

    def after(self, state: State, letters: Sequence[int]) -> State:
        """The state after these steps."""
        for letter in letters:
            offered = self.of_action(state, self.action[letter])
            if letter not in offered:
                raise ModelError(
                    f"{self.describe(letter)} is possible only after steps that its footprint does not conflict with; "
                    "check the cells, sends and channels that the actions declare and the outcomes report"
                )
            state = offered[letter].state
        return state

    def _enabled(self, state: State) -> dict[int, Transition]:
        """The enabled steps of a state, by letter."""
        return self._numbered(self._semantics.transitions(state))

    def _of_action(self, state: State, action: int) -> dict[int, Transition]:
        """The enabled steps of one action in a state, by letter."""
        component, chosen = self.actions[action]
        if chosen.mode is Mode.IDLE and not self._semantics.is_quiescent(state):
            return {}
        return self._numbered(self._semantics.instances(state, component, chosen))

    def _numbered(self, transitions: Iterable[Transition]) -> dict[int, Transition]:
        found: dict[int, Transition] = {}
        for transition in transitions:
            if found.setdefault(self.number(transition), transition).state != transition.state:
                raise ModelError(
                    f"{describe(transition.step)} names two different steps in one state; "
                    "expected a choice or a fault that tells them apart"
                )
        return found
