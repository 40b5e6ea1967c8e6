"""Assumes that handlers for different switches are independent; asks for a restart when a reaction refutes it.

A reduction must know in advance which cells handlers may touch, also for messages that were not sent yet. No program
says so. So two things are assumed: handlers of messages from different switches share no cell that one of them writes
(`apart`), and they send only to the switch that the message came from (`near`). Every reaction of the search is
compared with that, and the first that refutes an assumption ends the search, which starts again without it.

It does no harm that the search leaves out orders. Take an order of steps in which two handlers share a cell for the
first time. Up to there the assumptions hold, so the search took the same steps in some order, and then one of the two
handlers, which comes to that cell as before. So does the other one after it, because nothing that it used before
has changed. The cells of each switch's handlers are recorded for the whole search, so the shared cell is found.
"""

from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import Any

from sdnloom.engine.model import NONE, Cell, Restart
from sdnloom.engine.stable_text import stable_text
from sdnloom.errors import SdnloomError
from sdnloom.network.program import (
    Input,
    MessageIn,
    Program,
    PromisesIndependence,
    Reaction,
    ReportsFootprint,
    WrappedProgram,
    capability,
    keep_order,
)
from sdnloom.network.program_cells import Order, conflict, text_of


class PromiseError(SdnloomError):
    """A program promised to keep to one switch at a time, and does not. The message names the shared cell."""


class AssumeIndependent(WrappedProgram):
    """A program with assumptions about its handlers. Law: it reacts as the program does.

    A program with `per_switch` true promises that they hold: a reaction that refutes one is a PromiseError. Of a
    program with `per_switch` false nothing is assumed. `refuted` has the reasons of all restarts so far.
    """

    def __init__(self, program: Program, deferred: bool = False) -> None:
        """With `deferred`, footprints are found by `settle`, not before, while handlers are assumed to be apart."""
        super().__init__(program)
        promises = capability(program, PromisesIndependence)
        promised = None if promises is None else promises.per_switch
        self._footprints = capability(program, ReportsFootprint)
        self._promised = promised is True
        self.apart = self.near = promised is not False
        self.refuted: tuple[str, ...] = ()
        self._known: dict[tuple[Hashable, Input], tuple[Reaction, ...]] = {}  # so that no handler runs after a restart
        self._touched: dict[str, tuple[frozenset[Cell], frozenset[Cell]]] = {}
        self._deferred = deferred
        self._unsettled: dict[tuple[Hashable, MessageIn], None] = {}  # whose footprints are not found yet
        self._footprints_found = 0

    def handle(self, core: Any, given: Input) -> Sequence[Reaction] | Restart:
        """The program's reactions to an input; a Restart if they refute an assumption."""
        found = self._known.get((core, given)) if isinstance(given, MessageIn) else None
        if found is None:
            reactions = self.wrapped.handle(core, given)
            if isinstance(reactions, Restart):
                self._known.clear()  # the program has other cores now
                self._unsettled.clear()
                return reactions
            if not isinstance(given, MessageIn):
                return reactions
            found = tuple(reactions)
            if self._deferred and self.apart:
                self._unsettled[core, given] = None
            else:
                found = self._with_footprint(core, given, found)
            self._known[core, given] = found
        assert isinstance(given, MessageIn)
        if (self.apart or self.near) and (
            reasons := self._refute(given.switch, found, (core, given) in self._unsettled)
        ):
            self.refuted += reasons
            return Restart("; ".join(reasons))
        # While handlers are assumed to be apart, the cells that their actions declare are enough.
        return [replace(one, reads=None, writes=None) for one in found] if self.apart else found

    @property
    def assumed(self) -> tuple[bool, bool, tuple[str, ...]]:
        """What is assumed, and why no more, as `assume` takes it."""
        return self.apart, self.near, self.refuted

    def assume(self, apart: bool, near: bool, refuted: tuple[str, ...]) -> None:
        """Assume no more than that: what an earlier process has refuted, for these reasons, stays refuted."""
        self.apart, self.near, self.refuted = self.apart and apart, self.near and near, refuted

    @property
    def footprints(self) -> int:
        """How many handler runs were taken again to find their footprints."""
        return 0 if self._footprints is None else self._footprints_found

    @property
    def unsettled(self) -> int:
        """How many of them `settle` will take."""
        return 0 if self._footprints is None else len(self._unsettled)

    def settle(self) -> Restart | None:
        """Find the footprints that were put off, and put off no more; a Restart if they refute an assumption."""
        unsettled, self._unsettled, self._deferred = self._unsettled, {}, False
        reactions = {key: self._known.pop(key) for key in unsettled}  # what is left out here is found when asked for
        for (core, given), plain in reactions.items():
            found = self._known[core, given] = self._with_footprint(core, given, plain)
            if reasons := self._refute(given.switch, found):
                self.refuted += reasons
                return Restart("; ".join(reasons))
        return None

    def keep_order(self) -> None:
        """Make insertion order part of the cores; reactions that are known have other cores."""
        self._known.clear()
        self._unsettled.clear()
        keep_order(self.wrapped)

    def _with_footprint(self, core: Any, given: Input, found: tuple[Reaction, ...]) -> tuple[Reaction, ...]:
        """Return the reactions with the cells that they touch, where the program can find them."""
        self._footprints_found += 1
        cells = self._footprints.footprint(core, given, found) if self._footprints is not None else None
        return found if cells is None else tuple(replace(one, reads=cells[0], writes=cells[1]) for one in found)

    def _refute(self, switch: str, found: Sequence[Reaction], unsettled: bool = False) -> tuple[str, ...]:
        """Drop the assumptions that reactions to a message from a switch refute; return the reasons.

        Of reactions whose footprints are not found yet only the messages count.

        Raises PromiseError if the program promised that they hold.
        """
        reasons, details = [], []
        others = sorted({to for one in found for to, _ in one.messages} - {switch})
        if self.near and others:
            self.near = False
            reasons.append(f"the program sends to {others[0]} for a message from {switch}")
            details.append("")
        if self.apart and not unsettled and (shared := self._shared(switch, found)):
            self.apart = False
            reasons.append(shared[0])
            details.append(shared[1])
        if reasons and self._promised:
            raise PromiseError(
                f"{self.name} promises to keep to one switch at a time (per_switch), but {reasons[0]}{details[0]}; "
                "expected no cell of its state that two switches share, or no promise"
            )
        return tuple(reasons)

    def _shared(self, switch: str, found: Sequence[Reaction]) -> tuple[str, str] | None:
        """Return, in words, a cell that handlers of two switches touch and one of them writes, and which one does."""
        if any(one.reads is None or one.writes is None for one in found):
            # The cells are not known, so only the promise counts.
            return None if self._promised else (f"it is not known what the program reads for {switch}", "")
        before = self._touched.get(switch, (NONE, NONE))
        reads = before[0].union(*(one.reads for one in found if one.reads))
        writes = before[1].union(*(one.writes for one in found if one.writes))
        # To insert a key is not to read the order of the others; a handler that does reads the whole table.
        reads = frozenset(cell for cell in reads | writes if not isinstance(cell, Order))
        if (reads, writes) == before:
            return None
        self._touched[switch] = reads, writes
        for other, (other_reads, other_writes) in sorted(self._touched.items()):
            if other != switch:
                for writer, written, reader, read in (
                    (switch, writes, other, other_reads),
                    (other, other_writes, switch, reads),
                ):
                    cell = _common(written, read)
                    if cell is not None:
                        first, second = sorted((switch, other))
                        shared = f"{first} and {second} share {text_of(cell)}"
                        return shared, f" (written for {writer}, read for {reader})"
        return None


def _common(written: frozenset[Cell], read: frozenset[Cell]) -> Cell | None:
    """Return a written cell that conflicts with one that was read."""
    found = [cell for cell in written if cell in read or any(conflict(cell, other) for other in read)]
    return min(found, key=stable_text, default=None)
