"""The states of a program that was run: each known by its digest, and kept so that it can be brought back.

A state is kept as a snapshot. One that no snapshot can hold (a thread that waits inside a call, a generator) is kept by
how it was reached: the state before and the step from there. It is brought back by going to the nearest state before it
that has a snapshot and taking the steps again. Law: whichever way a state is brought back, its digest is the same; a
program for which it is not is refused.

The order in which a dict was filled is no part of a digest. If two states that differ only in that were met, one stands
for both, and `merged` says so: a program that iterates over the dict may do something else in the other one.

A state whose waiting calls cannot be read (`sdnloom.platforms.frames`) has a digest of how it was reached: it is never
taken for another one, only perhaps not recognised as one.
"""

import hashlib
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from sdnloom.errors import SdnloomError
from sdnloom.platforms.aspects import CaptureError
from sdnloom.platforms.digest import Order, canonical_text
from sdnloom.platforms.frames import frames_view
from sdnloom.platforms.snapshot import Scope, Snapshot, restore, take

Step = TypeVar("Step", bound=Hashable)


class ReplayError(SdnloomError):
    """A program does not do the same when it is run again from the same state."""


@dataclass(frozen=True, slots=True)
class Core:
    """A state of a program, by its digest: equal in every process for states that the program cannot tell apart."""

    digest: str

    def __repr__(self) -> str:
        return f"Core({self.digest!r})"


@dataclass(frozen=True, slots=True)
class Kept(Generic[Step]):
    """How a state is kept: a snapshot, or the state before and the step from there."""

    snapshot: Snapshot | None
    before: Core | None
    step: Step | None


class States(Generic[Step]):
    """All states seen so far.

    `run` takes a step from the present state, `clear` ends what waits in it, `waiting` names it: what no snapshot can
    hold. `telling` gives those of the roots that a digest needs now.
    """

    def __init__(
        self,
        roots: Mapping[str, Any],
        scope: Scope,
        run: Callable[[Step], object],
        clear: Callable[[], None],
        waiting: Callable[[], Iterable[str]] = tuple,
        telling: Callable[[], Mapping[str, Any]] | None = None,
    ) -> None:
        self._roots, self._scope, self._run, self._clear = roots, scope, run, clear
        self._waiting, self._telling = waiting, telling or (lambda: roots)
        self._kept: dict[Core, Kept[Step]] = {}
        self.live: Core | None = None
        self.refused: dict[str, None] = {}  # what snapshots could not hold
        self.unread: dict[str, None] = {}  # what no digest could read
        self._orders: dict[Core, tuple[Order, ...]] = {}  # in which order dicts were filled in the state that is kept
        self.merged = False  # whether two states were taken for one that differ in that order
        self.repeated = 0  # steps that were taken again

    def __len__(self) -> int:
        return len(self._kept)

    def note(self, before: Core | None, step: Step | None) -> Core:
        """Return the core of the present state, which that step led to, and keep it."""
        orders: list[Order] = []
        core = self._core(before, step, orders)
        if core not in self._kept:
            self._kept[core] = Kept(self._snapshot(before is None), before, step)
            self._orders[core] = tuple(orders)
        elif self._orders[core] != tuple(orders):
            self.merged = True
        self.live = core
        return core

    def _snapshot(self, first: bool) -> Snapshot | None:
        reasons = dict.fromkeys(self._waiting())
        snapshot = None if reasons else take(self._roots, self._scope)
        if snapshot is not None:
            reasons = dict.fromkeys(map(str, snapshot.refused))
        if reasons and first:
            raise CaptureError(f"{next(iter(reasons))}; expected a program that starts without that")
        self.refused.update(reasons)
        return None if reasons else snapshot

    def bring(self, core: Core) -> None:
        """Make the program be in a state that was seen."""
        if core == self.live:
            return
        if core not in self._kept:
            raise ReplayError(f"{core!r} is no state of this run of the program; expected one that it returned")
        steps: list[Step] = []
        at = core
        while (kept := self._kept[at]).snapshot is None and at != self.live:
            assert kept.before is not None
            assert kept.step is not None
            steps.append(kept.step)
            at = kept.before
        if at != self.live:
            assert kept.snapshot is not None
            self.live = None
            self._clear()
            restore(kept.snapshot)
        self.live = None
        for step in reversed(steps):
            self._run(step)
        self.repeated += len(steps)
        if steps and self._core(self._kept[core].before, steps[0]) != core:
            raise ReplayError(
                f"the program did not do the same again up to {steps[0]!r}; expected one that depends only on its "
                "state, its inputs, and the time and chance it is given"
            )
        self.live = core

    def moved(self) -> None:
        """The program is no longer in the state that was brought."""
        self.live = None

    def text(self) -> str:
        """Return the present state as text, for whoever wants to see in what two states differ."""
        return canonical_text(self._telling(), self._scope, opaque=lambda target: "(not readable)")

    def _core(self, before: Core | None, step: Step | None, orders: list[Order] | None = None) -> Core:
        def opaque(target: Any) -> Any:
            try:
                return frames_view(target)
            except CaptureError as error:
                self.unread[str(error)] = None
                return f"reached from {before} by {step!r}"

        text = canonical_text(self._telling(), self._scope, opaque=opaque, orders=orders)
        return Core(hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest())
