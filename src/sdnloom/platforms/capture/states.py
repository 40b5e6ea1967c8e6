"""Store of the states of a program: each is known by its digest and can be restored.

A state is stored as a snapshot, with the stacks of threads that wait inside a call (`suspended_stack`). One that no
snapshot can hold (a stack that cannot be put back, a generator) is stored as the state before it and the step from
there: it is restored from the nearest earlier state that has a snapshot, by taking the steps again. So is one with a
stack that is somewhere else by now; afterwards it has a snapshot again, with the stacks that the steps have made. If
not even the first state has one, the program is made again each time, and all steps are taken again. Law: however a
state is restored, its digest is the same; a program that breaks this is refused.

A limit or Ctrl-C may end a step anywhere (`engine.stop_points`). What it leaves is not used: the program is made again,
and since snapshots hold objects of the old one, states are then restored from the first one by their steps.

Insertion order of dicts is not part of a digest, unless `ordered`. Of states that differ only in that, the first
represents all, and some of the others are stored as its variants, so that `dict_order` can compare their reactions.

A state whose waiting calls cannot be read (`frames`) has a digest of how it was reached: it is never mistaken for
another state, but may not be recognised when it is reached in another way.
"""

import hashlib
import zlib
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Generic, NamedTuple, TypeVar

from sdnloom.engine.stop_points import interruptible
from sdnloom.errors import SdnloomError
from sdnloom.platforms.capture.digest import KeyOrder, canonical_text
from sdnloom.platforms.capture.frames import frames_view
from sdnloom.platforms.capture.save_restore import CaptureError
from sdnloom.platforms.capture.snapshot import Scope, Snapshot, restore_snapshot, take_snapshot
from sdnloom.platforms.capture.suspended_stack import SuspendedStack, note_stack

StepType = TypeVar("StepType", bound=Hashable)
ActResult = TypeVar("ActResult")
_CONTEXT = 60  # characters that a message shows around the first difference of two states
VARIANTS = 8  # other insertion orders that are tried for each state


class ReplayError(SdnloomError):
    """A program reacts differently when a step is taken again from the same state."""


@dataclass(frozen=True, slots=True)
class StateId:
    """The digest of a state: equal, in every process, for states that the program cannot tell apart."""

    digest: str

    def __repr__(self) -> str:
        return f"StateId({self.digest!r})"


@dataclass(frozen=True, slots=True)
class StoredState(Generic[StepType]):
    """A stored state: a snapshot, or the state before it and the step from there."""

    snapshot: Snapshot | None
    before: StateId | None
    step: StepType | None
    ordered: bool = False  # whether its digest includes insertion order
    stacks: tuple[SuspendedStack, ...] = ()  # of the threads that wait, part of the snapshot


class FreshProgram(NamedTuple):
    """The state of a program that was made and has not started.

    `clear` ends the waiting threads of the present state, except those whose stacks are held; `waiting` names all,
    `stacks` returns their stacks, and `hold` lets one wait on for a stored state. `digest_roots` returns the roots that
    a digest needs now.
    """

    roots: Mapping[str, Any]
    scope: Scope
    clear: Callable[[], None]
    waiting: Callable[[], Iterable[str]] = tuple
    digest_roots: Callable[[], Mapping[str, Any]] | None = None
    stacks: Callable[[], Iterable[Any]] = tuple
    hold: Callable[[Any], None] = lambda stack: None


class StateStore(Generic[StepType]):
    """All states seen so far. `make` makes the program again, `run` takes a step from the present state."""

    def __init__(self, made: FreshProgram, make: Callable[[], FreshProgram], run: Callable[[StepType], object]) -> None:
        self._make, self._run = make, run
        self._take_over(made)
        self._stored: dict[StateId, StoredState[StepType]] = {}
        self.live: StateId | None = None
        self.refused: dict[str, None] = {}  # objects that snapshots could not hold
        self.unread: dict[str, None] = {}  # suspended calls that no digest could read
        self.remade = False  # whether the program is made again for every state
        self.broken = False  # whether a step has begun and not ended, so that the objects may be in any state
        self._left: list[Callable[[], None]] = []  # keeps broken programs: ending their threads would run their code
        self._digested = ""  # the text of the last digest
        self._texts: dict[StateId, bytes] = {}  # of states without a snapshot: what was digested, compressed
        self.repeated = 0  # steps that were taken again
        self._orders: dict[
            StateId, dict[tuple[KeyOrder, ...], StateId]
        ] = {}  # the states that each core represents, by their insertion orders
        self._representatives: dict[StateId, StateId] = {}  # variant -> its representative
        self.new_variants: list[StateId] = []  # variants that were not compared yet
        self.merged = False  # whether there were too many variants to store
        self.ordered = False
        self.first = self.store(None, None)

    def _take_over(self, made: FreshProgram) -> None:
        self._roots, self._scope, self._clear, self._waiting = made.roots, made.scope, made.clear, made.waiting
        self._digest_roots = made.digest_roots or (lambda: made.roots)
        self._stacks, self._hold = made.stacks, made.hold

    def __len__(self) -> int:
        return len(self._orders)

    def store(self, before: StateId | None, step: StepType | None) -> StateId:
        """Store the present state, to which a step led, and return its core."""
        orders: list[KeyOrder] = []
        core = self._core(before, step, orders)
        alike = self._orders.setdefault(core, {})
        self.live = alike.get(tuple(orders))
        if self.live is None:
            if len(alike) > VARIANTS:
                self.merged = True
            else:
                self.live = alike[tuple(orders)] = self._keep(core, len(alike), before, step)
        return core

    def _keep(self, core: StateId, number: int, before: StateId | None, step: StepType | None) -> StateId:
        key = core
        if number:
            key = StateId(f"{core.digest}~{number}")
            self._representatives[key] = core
            self.new_variants.append(key)
        snapshot, stacks = self._snapshot(before is None)
        self._stored[key] = StoredState(snapshot, before, step, self.ordered, stacks)
        if snapshot is None or stacks:
            self._texts[key] = zlib.compress(self._digested.encode("utf-8", "surrogatepass"), 1)
        return key

    def variants(self, core: StateId) -> list[StateId]:
        """Return the stored states that differ from a core in insertion order only."""
        return list(self._orders[core].values())[1:]

    def representative(self, variant: StateId) -> StateId:
        """Return the core that represents a state."""
        return self._representatives.get(variant, variant)

    def keep_order(self) -> None:
        """Begin again, with insertion order as part of every digest from now on.

        Cores that were returned before can still be restored.
        """
        self.restore(self.first)
        self.ordered, self.merged = True, False
        self.new_variants.clear()
        self.first = self.store(None, None)

    def _snapshot(self, first: bool) -> tuple[Snapshot | None, tuple[SuspendedStack, ...]]:
        """A snapshot of the present state and the stacks that wait in it; no snapshot if it does not hold all."""
        if self.remade:
            return None, ()
        reasons = dict.fromkeys(self._waiting())
        stacks: list[SuspendedStack] = []
        snapshot = None
        if reasons:
            noted = [note_stack(each) for each in self._stacks()]
            stacks = [each for each in noted if each is not None]
            if stacks and len(stacks) == len(noted):
                objects = {
                    f"{name} of thread {number}": each
                    for number, stack in enumerate(stacks)
                    for name, each in stack.objects()
                }
                snapshot = take_snapshot({**self._roots, **objects}, self._scope, [each.stack for each in stacks])
                if not snapshot.refused:
                    reasons = {}
        else:
            snapshot = take_snapshot(self._roots, self._scope)
            reasons = dict.fromkeys(map(str, snapshot.refused))
        # A snapshot refers to live objects, so there are none once the program is made again for every state.
        self.remade = first and bool(reasons)
        self.refused.update(reasons)
        if reasons:
            return None, ()
        for each in stacks:
            self._hold(each.stack)
        return snapshot, tuple(stacks)

    def restore(self, core: StateId) -> None:
        """Restore a state that was seen."""
        if self.broken:
            self._begin_again()
        if core == self.live:
            return
        if core not in self._stored:
            raise ReplayError(f"{core!r} is no state of this run of the program; expected one that it returned")
        steps: list[StepType] = []
        at = core
        while (kept := self._stored[at]).snapshot is None and at != self.live and kept.before is not None:
            assert kept.step is not None
            steps.append(kept.step)
            at = kept.before
        if at != self.live:
            self.live = None
            self.leave(self._clear)
            if kept.snapshot is not None:
                restore_snapshot(kept.snapshot)
                if not self._put_back(at):
                    self._stored[at] = replace(kept, snapshot=None, stacks=())
                    self.restore(core)
                    return
            else:
                self._make_again()
                self._refuse_other(at, None, "when it was made again")
        self.live = None
        for step in reversed(steps):
            self._run(step)
        self.repeated += len(steps)
        if steps:
            self._refuse_other(core, steps[0], f"up to {steps[0]!r}")
            if core in self._texts and not self.remade:  # perhaps with the stacks that there are now
                snapshot, stacks = self._snapshot(first=False)
                self._stored[core] = replace(self._stored[core], snapshot=snapshot, stacks=stacks)
        self.live = core

    def _put_back(self, core: StateId) -> bool:
        """Put the stacks of a stored state back where its snapshot was restored; False if one cannot be."""
        changed = [each.put_back() for each in self._stored[core].stacks]
        if None in changed:
            return False
        # A stack that has not moved since is as it was, all others are checked.
        return True not in changed or self._is(core, None)

    def _is(self, core: StateId, step: StepType | None) -> bool:
        """Whether the present state has the digest of a stored one."""
        kept = self._stored[core]
        return self._core(kept.before, step, ordered=kept.ordered) == self.representative(core)

    def _make_again(self) -> None:
        self.broken = True  # if making it is ended, nothing of it is used
        self._take_over(self._make())
        self.broken = False

    def _begin_again(self) -> None:
        """Make the program again, after a step that was ended somewhere."""
        self.live = None
        self._left.append(self._clear)
        self._make_again()
        self._stored = {key: replace(kept, snapshot=None, stacks=()) for key, kept in self._stored.items()}
        self._refuse_other(self.first, None, "when it was made again")
        snapshot, _ = self._snapshot(first=True)
        for key, kept in self._stored.items():
            if kept.before is None:  # the first state, also as it was called before insertion order was part of it
                self._stored[key] = replace(kept, snapshot=snapshot)
        self.live = self.first

    def _refuse_other(self, core: StateId, step: StepType | None, where: str) -> None:
        if not self._is(core, step):
            known, differs = self._texts.get(core), ""
            if known is not None:
                differs = _difference(zlib.decompress(known).decode("utf-8", "surrogatepass"), self._digested)
            raise ReplayError(
                f"the program did not do the same again {where}{differs}; expected one that depends only on its state, "
                "its inputs, and the clock and random numbers of its sandbox"
            )

    def leave(self, act: Callable[[], ActResult]) -> ActResult:
        """Let the program act, by which it leaves the state that was restored. Its code may be ended anywhere."""
        self.live = None
        self.broken = True
        try:
            with interruptible():
                result = act()
        except KeyboardInterrupt:
            raise
        except BaseException:  # an error of the program: its objects are as it left them
            self.broken = False
            raise
        self.broken = False
        return result

    def text(self) -> str:
        """Return the present state as text, for finding the difference of two states."""
        return canonical_text(self._digest_roots(), self._scope, opaque=lambda target: "(not readable)")

    def digest_roots(self) -> tuple[Mapping[str, Any], Scope]:
        """Return the roots that a digest of the present state needs, and their scope."""
        return self._digest_roots(), self._scope

    def description(self) -> str:
        """Return how states were stored so far: "snapshot", or "replay" with the reasons."""
        if not self.refused:
            return "snapshot"
        way = "replay from the very start" if self.remade else "replay"
        return f"{way}: {'; '.join([*self.refused, *self.unread])}"

    def _core(
        self,
        before: StateId | None,
        step: StepType | None,
        orders: list[KeyOrder] | None = None,
        ordered: bool | None = None,
    ) -> StateId:
        def opaque(target: Any) -> Any:
            try:
                return frames_view(target)
            except CaptureError as error:
                self.unread[str(error)] = None
                return f"reached from {before and self.representative(before)} by {step!r}"

        ordered = self.ordered if ordered is None else ordered
        found = [] if ordered and orders is None else orders
        text = canonical_text(self._digest_roots(), self._scope, opaque=opaque, orders=found)
        if ordered:
            text += f" in the order {found}"
        self._digested = text
        return StateId(hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest())


def _difference(before: str, now: str) -> str:
    """Where two digested states differ first, with the text around it."""
    at = next((place for place, (one, other) in enumerate(zip(before, now, strict=False)) if one != other), None)
    if at is None:
        at = min(len(before), len(now))
    start = max(at - _CONTEXT, 0)
    was, became = (text[start : at + _CONTEXT] for text in (before, now))
    return f": its state was ...{was}... and became ...{became}..."
