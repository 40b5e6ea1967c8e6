"""What comes from one switch has nothing to do with what comes from another: supposed until it shows otherwise.

A reduction must know beforehand what handlers may touch, of messages too that nobody has sent yet. No program tells. So
two things are supposed of it: handlers of messages from different switches touch no common part of its state that one
of them changes (`apart`), and they send only to the switch that the message came from (`near`). Every reaction of the
search is looked at, and the first that shows otherwise ends it: it starts again, without what was wrong.

That the search leaves orders out does no harm. Take an order of steps in which two handlers meet in a part for the
first time. Up to there all was as supposed, so the search took the same steps in some order, and then one of the two
handlers, which comes to that part as before. So does the other one after it: what it did before it got there is
untouched. What each switch's handlers touch is kept for the whole search, so it is seen that they met.
"""

from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import Any, NoReturn

from sdnloom.engine.model import NONE, Cell
from sdnloom.engine.stable_text import stable_text
from sdnloom.errors import SdnloomError
from sdnloom.network.program import (
    Input,
    MessageIn,
    Program,
    PromisesIndependence,
    Reaction,
    ReportsFootprint,
    capability,
    keep_order,
)
from sdnloom.network.program_cells import Order, conflict, text_of


class AssumptionRefuted(SdnloomError):  # noqa: N818 (no error for whoever starts again)
    """Something that was supposed of a program is wrong, and is supposed no longer: the search has to start again."""


class PromiseError(SdnloomError):
    """A program promised to keep to one switch at a time, and does not. The message names what it did."""


class AssumeIndependent:
    """A program, with what is supposed of it. Law: it reacts as the program does.

    A program with `per_switch` true promises that it is so: whatever shows otherwise is a PromiseError. One with
    `per_switch` false is not supposed to do anything.
    """

    def __init__(self, program: Program) -> None:
        self.wrapped = program
        promises = capability(program, PromisesIndependence)
        promised = None if promises is None else promises.per_switch
        self._footprints = capability(program, ReportsFootprint)
        self._promised = promised is True
        self.apart = self.near = promised is not False
        self._known: dict[tuple[Hashable, Input], tuple[Reaction, ...]] = {}  # no handler runs again for a new start
        self._touched: dict[str, tuple[frozenset[Cell], frozenset[Cell]]] = {}

    @property
    def name(self) -> str:
        """The program's name."""
        return self.wrapped.name

    def initial(self) -> Hashable:
        """The program's first core."""
        return self.wrapped.initial()

    def handle(self, core: Any, given: Input) -> Sequence[Reaction]:
        """What the program does about an input; Mistaken if that is not as supposed."""
        if not isinstance(given, MessageIn):
            return self.wrapped.handle(core, given)
        found = self._known.get((core, given))
        if found is None:
            found = self._known[core, given] = self._reactions(core, given)
        if self.apart or self.near:
            self._look(given.switch, found)
        # While handlers are apart, what they declare says all there is to know.
        return [replace(one, reads=None, writes=None) for one in found] if self.apart else found

    def _reactions(self, core: Any, given: MessageIn) -> tuple[Reaction, ...]:
        """Return the reactions, with what they touched where the program can tell."""
        found = tuple(self.wrapped.handle(core, given))
        touched = self._footprints.footprint(core, given, found) if self._footprints is not None else None
        return found if touched is None else tuple(replace(one, reads=touched[0], writes=touched[1]) for one in found)

    def _look(self, switch: str, found: Sequence[Reaction]) -> None:
        """Raise Mistaken, or PromiseError, if reactions to a message from a switch are not as supposed."""
        wrong = []
        others = sorted({to for one in found for to, _ in one.messages} - {switch})
        if self.near and others:
            self.near = False
            wrong.append(f"it sends to {others[0]!r} for a message from {switch!r}")
        if self.apart and (met := self._met(switch, found)):
            self.apart = False
            wrong.append(met)
        if wrong:
            self._refuse(wrong[0])

    def _met(self, switch: str, found: Sequence[Reaction]) -> str | None:
        """Return, in words, a part that handlers of two switches have in common and one of them changes."""
        if any(one.reads is None or one.writes is None for one in found):
            # Nobody can tell what it looks at; a promise is all there is then.
            return None if self._promised else "what it looks at is not known"
        before = self._touched.get(switch, (NONE, NONE))
        reads = before[0].union(*(one.reads for one in found if one.reads))
        writes = before[1].union(*(one.writes for one in found if one.writes))
        # Who puts a key after others does not look at these; whoever does looks at the whole table.
        reads = frozenset(cell for cell in reads | writes if not isinstance(cell, Order))
        if (reads, writes) == before:
            return None
        self._touched[switch] = reads, writes
        for other, (looked, changed) in sorted(self._touched.items()):
            if other != switch:
                for one, two, changing, looking in ((writes, looked, switch, other), (changed, reads, other, switch)):
                    cell = _common(one, two)
                    if cell is not None:
                        return f"it changes {text_of(cell)} for {changing!r} and looks at it for {looking!r}"
        return None

    def _refuse(self, wrong: str) -> NoReturn:
        if self._promised:
            raise PromiseError(
                f"{self.name} promises to keep to one switch at a time (per_switch), but {wrong}; expected no part of "
                "its state that matters to two switches, or no promise"
            )
        raise AssumptionRefuted(f"{self.name} does not keep to one switch at a time: {wrong}")

    def keep_order(self) -> None:
        """Make insertion order part of the cores; reactions that are known have other cores."""
        self._known.clear()
        keep_order(self.wrapped)


def _common(changed: frozenset[Cell], looked: frozenset[Cell]) -> Cell | None:
    """Return a cell that was changed and shares a part with one that was looked at."""
    found = [cell for cell in changed if cell in looked or any(conflict(cell, other) for other in looked)]
    return min(found, key=stable_text, default=None)
