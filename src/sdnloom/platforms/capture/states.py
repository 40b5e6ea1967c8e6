"""The states of a program that was run: each known by its digest, and kept so that it can be brought back.

A state is kept as a snapshot. One that no snapshot can hold (a thread that waits inside a call, a generator) is kept by
how it was reached: the state before and the step from there. It is brought back by going to the nearest state before it
that has a snapshot and taking the steps again. If not even the first state can be held, the program is made anew each
time, and all its steps are taken again. Law: whichever way a state is brought back, its digest is the same; a program
for which it is not is refused.

The order in which a dict was filled is no part of a digest, unless `ordered`. Of states that differ only in that, the
first one stands for all, and some of the others are kept as its variants, so that `dict_order` can see
whether the program does the same in them.

A state whose waiting calls cannot be read (`frames`) has a digest of how it was reached: it is never
taken for another one, only perhaps not recognised as one.
"""

import hashlib
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, TypeVar

from sdnloom.errors import SdnloomError
from sdnloom.platforms.capture.digest import Order, canonical_text
from sdnloom.platforms.capture.frames import frames_view
from sdnloom.platforms.capture.save_restore import CaptureError
from sdnloom.platforms.capture.snapshot import Scope, Snapshot, restore, take

Step = TypeVar("Step", bound=Hashable)
VARIANTS = 8  # how many other orders of its dicts are followed for each state


class ReplayError(SdnloomError):
    """A program does not do the same when it is run again from the same state."""


@dataclass(frozen=True, slots=True)
class StateId:
    """A state of a program, by its digest: equal in every process for states that the program cannot tell apart."""

    digest: str

    def __repr__(self) -> str:
        return f"Core({self.digest!r})"


@dataclass(frozen=True, slots=True)
class StoredState(Generic[Step]):
    """How a state is kept: a snapshot, or the state before and the step from there."""

    snapshot: Snapshot | None
    before: StateId | None
    step: Step | None
    ordered: bool = False  # whether its digest has the order of dicts


class FreshProgram(NamedTuple):
    """A program that was made and has not started, as far as its state goes.

    `clear` ends what waits in the present state, `waiting` names it: what no snapshot can hold. `telling` gives those
    of the roots that a digest needs now.
    """

    roots: Mapping[str, Any]
    scope: Scope
    clear: Callable[[], None]
    waiting: Callable[[], Iterable[str]] = tuple
    telling: Callable[[], Mapping[str, Any]] | None = None


class StateStore(Generic[Step]):
    """All states seen so far. `make` makes the program anew, `run` takes a step from the present state."""

    def __init__(self, made: FreshProgram, make: Callable[[], FreshProgram], run: Callable[[Step], object]) -> None:
        self._make, self._run = make, run
        self._take_over(made)
        self._kept: dict[StateId, StoredState[Step]] = {}
        self.live: StateId | None = None
        self.refused: dict[str, None] = {}  # what snapshots could not hold
        self.unread: dict[str, None] = {}  # what no digest could read
        self.anew = False  # whether the program is made anew for every state
        self.repeated = 0  # steps that were taken again
        self._orders: dict[
            StateId, dict[tuple[Order, ...], StateId]
        ] = {}  # the states that one stands for, by their orders
        self._stands: dict[StateId, StateId] = {}  # variant -> the state that stands for it
        self.arrived: list[StateId] = []  # variants that nobody has looked at yet
        self.merged = False  # whether there were too many to keep
        self.ordered = False
        self.first = self.note(None, None)

    def _take_over(self, made: FreshProgram) -> None:
        self._roots, self._scope, self._clear, self._waiting = made.roots, made.scope, made.clear, made.waiting
        self._telling = made.telling or (lambda: made.roots)

    def __len__(self) -> int:
        return len(self._orders)

    def note(self, before: StateId | None, step: Step | None) -> StateId:
        """Return the core of the present state, which that step led to, and keep it."""
        orders: list[Order] = []
        core = self._core(before, step, orders)
        alike = self._orders.setdefault(core, {})
        self.live = alike.get(tuple(orders))
        if self.live is None:
            if len(alike) > VARIANTS:
                self.merged = True
            else:
                self.live = alike[tuple(orders)] = self._keep(core, len(alike), before, step)
        return core

    def _keep(self, core: StateId, number: int, before: StateId | None, step: Step | None) -> StateId:
        key = core
        if number:
            key = StateId(f"{core.digest}~{number}")
            self._stands[key] = core
            self.arrived.append(key)
        self._kept[key] = StoredState(self._snapshot(before is None), before, step, self.ordered)
        return key

    def variants(self, core: StateId) -> list[StateId]:
        """Return the states that were kept beside a core because a dict was filled in another order."""
        return list(self._orders[core].values())[1:]

    def standing(self, variant: StateId) -> StateId:
        """Return the core that stands for a state."""
        return self._stands.get(variant, variant)

    def keep_order(self) -> None:
        """Begin again, with the order in which dicts were filled as part of every digest from now on.

        Cores that were returned before can still be brought back.
        """
        self.bring(self.first)
        self.ordered, self.merged = True, False
        self.arrived.clear()
        self.first = self.note(None, None)

    def _snapshot(self, first: bool) -> Snapshot | None:
        if self.anew:
            return None
        reasons = dict.fromkeys(self._waiting())
        snapshot = None if reasons else take(self._roots, self._scope)
        if snapshot is not None:
            reasons = dict.fromkeys(map(str, snapshot.refused))
        # Snapshots are of the objects of one making, so there are none once the program is made anew.
        self.anew = first and bool(reasons)
        self.refused.update(reasons)
        return None if reasons else snapshot

    def bring(self, core: StateId) -> None:
        """Make the program be in a state that was seen."""
        if core == self.live:
            return
        if core not in self._kept:
            raise ReplayError(f"{core!r} is no state of this run of the program; expected one that it returned")
        steps: list[Step] = []
        at = core
        while (kept := self._kept[at]).snapshot is None and at != self.live and kept.before is not None:
            assert kept.step is not None
            steps.append(kept.step)
            at = kept.before
        if at != self.live:
            self.live = None
            self._clear()
            if kept.snapshot is not None:
                restore(kept.snapshot)
            else:
                self._take_over(self._make())
                self._refuse_other(at, None, "when it was made anew")
        self.live = None
        for step in reversed(steps):
            self._run(step)
        self.repeated += len(steps)
        if steps:
            self._refuse_other(core, steps[0], f"up to {steps[0]!r}")
        self.live = core

    def _refuse_other(self, core: StateId, step: Step | None, where: str) -> None:
        kept = self._kept[core]
        if self._core(kept.before, step, ordered=kept.ordered) != self.standing(core):
            raise ReplayError(
                f"the program did not do the same again {where}; expected one that depends only on its state, its "
                "inputs, and the time and chance it is given"
            )

    def moved(self) -> None:
        """The program is no longer in the state that was brought."""
        self.live = None

    def text(self) -> str:
        """Return the present state as text, for whoever wants to see in what two states differ."""
        return canonical_text(self._telling(), self._scope, opaque=lambda target: "(not readable)")

    def readable(self) -> tuple[Mapping[str, Any], Scope]:
        """Return the roots that tell the present state, and their scope."""
        return self._telling(), self._scope

    def how(self) -> str:
        """Return how states were kept so far: "snapshot", or "replay" with the reasons."""
        if not self.refused:
            return "snapshot"
        way = "replay from the very start" if self.anew else "replay"
        return f"{way}: {'; '.join([*self.refused, *self.unread])}"

    def _core(
        self,
        before: StateId | None,
        step: Step | None,
        orders: list[Order] | None = None,
        ordered: bool | None = None,
    ) -> StateId:
        def opaque(target: Any) -> Any:
            try:
                return frames_view(target)
            except CaptureError as error:
                self.unread[str(error)] = None
                return f"reached from {before and self.standing(before)} by {step!r}"

        ordered = self.ordered if ordered is None else ordered
        found = [] if ordered and orders is None else orders
        text = canonical_text(self._telling(), self._scope, opaque=opaque, orders=found)
        if ordered:
            text += f" in the order {found}"
        return StateId(hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest())
