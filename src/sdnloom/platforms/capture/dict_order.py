"""Whether it matters to a program in which order its dicts were filled.

States that differ only in that order are one state to a search, which keeps it small. That is right as long as the
program does the same in all of them, so whatever is asked of the one that stands for the others is asked of those as
well: same messages, same events, and states after it that are one again. The first time that they differ, the order
becomes part of the state, and the search has to start again. Law: after a search that did not start again, no order
that was followed made a difference to any input that the program was given.
"""

from collections.abc import Callable, Hashable
from typing import Any

from sdnloom.network.program import Call, Input, MessageIn, Reaction, RestartNeeded
from sdnloom.platforms.capture.states import StateId, StateStore

React = Callable[[StateId, Input], tuple[Reaction, ...]]


class DictOrder:
    """What a program was asked in each of its states, and what it answered."""

    def __init__(self, name: str, states: StateStore[Any], react: React, begin: Callable[[], object]) -> None:
        self._name, self._states, self._react, self._begin = name, states, react, begin
        self._asked: dict[StateId, dict[Hashable, tuple[Reaction, ...]]] = {}
        self._followed: set[tuple[StateId, Hashable]] = set()
        self._mattered = ""  # to the reaction to which input

    def reactions(self, core: StateId, given: Input) -> tuple[Reaction, ...]:
        """Return the reactions to an input; StartAgain if they depend on the order in which a dict was filled."""
        found = self._react(core, given)
        if not self._states.ordered:
            self._asked.setdefault(core, {})[given] = found
            self._follow([(variant, given) for variant in self._states.variants(core)])
        return found

    def _follow(self, todo: list[tuple[StateId, Any]]) -> None:
        states = self._states
        while todo or states.arrived:
            while states.arrived:
                variant = states.arrived.pop()
                todo += [(variant, given) for given in self._asked.get(states.standing(variant), ())]
            if not todo or todo[-1] in self._followed:
                todo = todo[:-1]
                continue
            variant, given = todo.pop()
            self._followed.add((variant, given))
            if self._react(variant, given) != self._asked[states.standing(variant)][given]:
                self._mattered = _words(given)
                self.keep()
                raise RestartNeeded(
                    f"{self._name} reacts to {self._mattered} in a way that depends on the order in which a dict was "
                    "filled; expected a new start, from which on states are told apart by it"
                )

    def keep(self) -> None:
        """Tell states apart by that order from now on, and begin again."""
        if not self._states.ordered:
            self._asked.clear()
            self._followed.clear()
            self._states.keep_order()
            self._begin()

    def notes(self) -> list[str]:
        """Return what a report must say about it."""
        if self._states.ordered:
            why = f": what it does about {self._mattered} depends on it" if self._mattered else ""
            return [f"the order in which the program filled its dicts is part of its state{why}"]
        if self._states.merged:
            return ["where the program's dicts differ only in the order of their keys, not all orders were followed"]
        return []


def _words(given: Any) -> str:
    if isinstance(given, MessageIn):
        return f"{type(given.message).__name__} of {given.switch}"
    return given.name if isinstance(given, Call) else type(given).__name__
