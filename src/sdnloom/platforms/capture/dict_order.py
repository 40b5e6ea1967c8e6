"""Detects whether a program depends on the insertion order of its dicts.

States that differ only in insertion order are one state to a search, which keeps it small. That is right as long as the
program reacts alike in all of them, so every input that the representative is given is given to its variants as well:
they must send the same messages, report the same events and lead to states that are one again. At the first difference
the order becomes part of the state, and the search restarts. Law: after a search without such a restart, no order that
was tried made a difference to any input that the program was given.
"""

from collections.abc import Callable, Hashable
from typing import Any

from sdnloom.engine.model import Restart
from sdnloom.network.program import Call, Input, MessageIn, Reaction
from sdnloom.platforms.capture.states import StateId, StateStore

React = Callable[[StateId, Input], tuple[Reaction, ...]]
NOT_ALL_ORDERS = "states that differ only in the insertion order of dicts are one, and not all orders were tried"


def order_dependence(name: str, given: Input, what: str = "a dict") -> str:
    """The reason of a restart."""
    return f"the reaction of {name} to {input_text(given)} depends on the insertion order of {what}"


def order_note(given: Input | None) -> str:
    """The note for a report on a program whose insertion order is part of its state."""
    reason = "" if given is None else f": its reaction to {input_text(given)} depends on it"
    return f"the insertion order of dicts is part of the program's state{reason}"


def input_text(given: Any) -> str:
    """An input in a few words."""
    if isinstance(given, MessageIn):
        return f"{type(given.message).__name__} of {given.switch}"
    return given.name if isinstance(given, Call) else type(given).__name__


class DictOrder:
    """The inputs that a program was given in each of its states, and its reactions."""

    def __init__(self, name: str, states: StateStore[Any], react: React, begin: Callable[[], object]) -> None:
        self._name, self._states, self._react, self._begin = name, states, react, begin
        self._known: dict[StateId, dict[Hashable, tuple[Reaction, ...]]] = {}
        self._tried: set[tuple[StateId, Hashable]] = set()
        self._dependent: Input | None = None  # the input whose reaction depends on the order

    def reactions(self, core: StateId, given: Input) -> tuple[Reaction, ...] | Restart:
        """Return the reactions to an input; a Restart if they depend on the insertion order of a dict."""
        found = self._react(core, given)
        if self._states.ordered:
            return found
        self._known.setdefault(core, {})[given] = found
        dependent = self._try([(variant, given) for variant in self._states.variants(core)])
        if dependent is None:
            return found
        self._dependent = dependent
        self.keep()
        return Restart(order_dependence(self._name, dependent))

    def _try(self, todo: list[tuple[StateId, Any]]) -> Input | None:
        """Give inputs to variants, and to those found on the way; return an input to which one reacts differently."""
        states = self._states
        while todo or states.new_variants:
            while states.new_variants:
                variant = states.new_variants.pop()
                todo += [(variant, given) for given in self._known.get(states.representative(variant), ())]
            if not todo or todo[-1] in self._tried:
                todo = todo[:-1]
                continue
            variant, given = todo.pop()
            self._tried.add((variant, given))
            if self._react(variant, given) != self._known[states.representative(variant)][given]:
                different: Input = given
                return different
        return None

    def keep(self) -> None:
        """Make the order part of the state from now on, and begin again."""
        if not self._states.ordered:
            self._known.clear()
            self._tried.clear()
            self._states.keep_order()
            self._begin()

    def notes(self) -> list[str]:
        """Return the notes on insertion order for the report."""
        if self._states.ordered:
            return [order_note(self._dependent)]
        return [NOT_ALL_ORDERS] if self._states.merged else []
