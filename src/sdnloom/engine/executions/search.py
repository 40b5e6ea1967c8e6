"""Executions: one for each Mazurkiewicz trace of a system, found without storing states.

Two executions are the same trace if one becomes the other by swapping neighbouring steps that do not conflict. An
execution is maximal when nothing at all is enabled, so a MAY action is an event like any other. An IDLE action
conflicts with every other, because each may begin or end quiescence.

The exploration is source-DPOR (Abdulla, Aronis, Jonsson, Sagonas: "Optimal dynamic partial order reduction", POPL
2014) with sleep sets, on steps instead of threads. Sleep sets prevent that a trace is run to its end twice; three
rules ensure that none is missed. They add steps to those that are wanted at a point of the present path:

- race: a step conflicts directly with an earlier one and could have come before it: a first step of what then happens.
- lost: a step that was enabled and is no longer after the one that was taken instead.
- waiting: a step that does not conflict with an earlier one, but both with an action that is not enabled after them,
  say because it awaits a condition, and would be without the earlier one. Textbook algorithms compare the step that
  awaits only with the last one it conflicts with, and only if it happens at all.

Why that is enough: let u be a path from a point such that no wanted or sleeping step can be moved to its front. Among
the wanted steps take the q that is independent of the longest beginning y of u, and let w be the next step of u. After
q the exploration meets y, by induction on the height of the tree, and then also w if it is enabled there: a race of q
and w. If it is not, q has disabled it: y holds steps that w must come after, and the last of them shows it by the rule
`waiting`; or it holds none, and the rule `lost` does. Each rule adds a first step of u, or one that is independent of
more of u than q is.
"""

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass

from sdnloom.engine.executions.dependence import DeclaredDependence, Dependence
from sdnloom.engine.executions.letters import Letters
from sdnloom.engine.limits import LimitWatch
from sdnloom.engine.model import Mode, ModelError, Needs, System
from sdnloom.engine.path import Path, describe
from sdnloom.engine.reduction.stubborn_sets import ReductionRefused
from sdnloom.engine.result import Limits
from sdnloom.engine.semantics import Semantics, State, Transition

_BATCH = 256  # steps between two checks of the limits
_MOST_CAUSES = 6  # up to so many further causes, the rule `waiting` tries each set of them


@dataclass(frozen=True)
class Executions:
    """The number of executions, or of those found before the reason in `incomplete`."""

    count: int
    blocked: int  # explorations that ended because every continuation was explored before
    transitions: int
    depth: int
    final_states: frozenset[State]
    incomplete: str | None = None

    @property
    def complete(self) -> bool:
        """Whether every trace was found."""
        return self.incomplete is None


@dataclass(frozen=True)
class ExecutionRules:
    """The rules that add wanted steps; a test leaves one out to see that the mistake is noticed."""

    race: bool = True
    lost: bool = True
    waiting: bool = True


def executions(system: System, *, limits: Limits | None = None, dependence: Dependence | None = None) -> Executions:
    """Count the executions of a system. Raises ReductionRefused for a property that traces do not keep.

    The limit on states counts every visit. Executions that are infinite, or longer than the depth limit, end the run as
    incomplete. The effort depends on how precisely actions declare their reads, or on `Dependence.awaited`.
    """
    exploration = ExecutionSearch(system, limits=limits, dependence=dependence)
    with exploration.watch.catching_interrupts():
        for _ in exploration.paths():
            pass
    return exploration.result()


class _PathState:
    """A state of the present path. Sets of letters are bit sets."""

    def __init__(self, state: State, enabled: dict[int, Transition], sleep: int) -> None:
        self.state = state
        self.enabled = enabled
        self.offered = sum(1 << letter for letter in enabled)
        self.sleep = sleep  # letters that need not be explored from here
        self.wanted = next((1 << letter for letter in enabled if not sleep >> letter & 1), 0)


class ExecutionSearch:
    """One run: iterate over `paths()`, then ask for the `result()`."""

    def __init__(
        self,
        system: System | Semantics,
        *,
        limits: Limits | None = None,
        dependence: Dependence | None = None,
        rules: ExecutionRules | None = None,
        watch: LimitWatch | None = None,
        essence: Callable[[State], Hashable] = lambda state: state,
    ) -> None:
        """`essence` is what decides how a state goes on, if states hold more, such as their history."""
        semantics = Semantics(system) if isinstance(system, System) else system
        _refuse(semantics.system)
        self.watch = watch or LimitWatch(limits or Limits())
        self._limits = self.watch.limits
        self._rules = rules or ExecutionRules()
        self.letters = Letters(semantics, dependence or DeclaredDependence(semantics.system))
        self._essence = essence
        # The present path: path[n] -events[n]-> path[n + 1]. An event is a letter; past[n] is the bit set of the
        # events before n that must come before it: a vector clock, with one position per event because the actions of
        # a component need not be ordered.
        self._path: list[_PathState] = []
        self._events: list[int] = []
        self._past: list[int] = []
        self._on_path: set[Hashable] = set()
        self._count = self._blocked = self._transitions = self._depth = 0
        self._final: set[State] = set()
        self._incomplete: str | None = "not every path was asked for"

    def result(self) -> Executions:
        """The result so far."""
        return Executions(
            self._count,
            self._blocked,
            self._transitions,
            self._depth,
            frozenset(self._final),
            self._incomplete,
        )

    def paths(self) -> Iterator[Path]:
        """One execution of each trace, as soon as it is found. To be called once."""
        initial = self.letters.initial()
        self._enter(_PathState(initial, self.letters.enabled(initial), 0))
        if not self._path[0].enabled:
            yield self._finished()
        while self._path:
            point = self._path[-1]
            wanted = point.wanted & ~point.sleep
            if not wanted:
                self._leave()
                continue
            letter = _lowest(wanted)
            reason = self._reason_to_stop(point.enabled[letter])
            if reason is not None:
                self._incomplete = reason
                return
            reached = self._take(point, letter)
            if not reached.enabled:
                yield self._finished()
            elif not reached.wanted:
                self._blocked += 1
        self._incomplete = None

    def _finished(self) -> Path:
        self._count += 1
        self._final.add(self._path[-1].state)
        pairs = zip(self._path, self._events, strict=False)
        return Path(tuple(point.enabled[letter].step for point, letter in pairs))

    def _reason_to_stop(self, following: Transition) -> str | None:
        if self._limits.states is not None and self._transitions + 1 >= self._limits.states:
            return f"the limit of {self._limits.states:,} states was reached"
        if len(self._events) == self._limits.depth:
            return f"the depth limit of {self._limits.depth} was reached"
        if self._essence(following.state) in self._on_path:
            return (
                f"{describe(following.step)}, step {len(self._events) + 1} of a path, leads back to a state of it "
                "and executions need not end; bound the system, say with a budget in a core"
            )
        return self.watch.reason_to_stop() if self._transitions % _BATCH == 0 else None

    # Moving along the path.

    def _enter(self, point: _PathState) -> None:
        self._path.append(point)
        self._on_path.add(self._essence(point.state))

    def _leave(self) -> None:
        self._on_path.discard(self._essence(self._path.pop().state))
        if self._events:
            self._events.pop()
            self._past.pop()

    def _take(self, point: _PathState, letter: int) -> _PathState:
        """Append a step to the path, apply the rules to it, and return the state that it leads to."""
        transition = point.enabled[letter]
        conflicts = self.letters.conflicts[letter]
        reached = _PathState(transition.state, self.letters.enabled(transition.state), point.sleep & ~conflicts)
        gone = point.offered & ~reached.offered
        if gone & ~conflicts:
            raise ModelError(
                f"{self.letters.describe(letter)} disables {self.letters.describe(_lowest(gone & ~conflicts))}, "
                "although their footprints do not conflict; check the cells, sends and channels that they declare"
            )
        point.sleep |= 1 << letter
        self._transitions += 1
        past, direct = self._order(conflicts)
        self._events.append(letter)
        self._past.append(past)
        self._enter(reached)
        self._depth = max(self._depth, len(self._events))
        if self._rules.lost:
            point.wanted |= gone
        if self._rules.race:
            for earlier in direct:
                self._race(earlier)
        if self._rules.waiting:
            self._waiting()
        return reached

    def _order(self, conflicts: int) -> tuple[int, list[int]]:
        """The past of the next event, given its conflicts, and the events of it that precede it directly."""
        past, direct = 0, []
        for earlier in range(len(self._events) - 1, -1, -1):
            if not past >> earlier & 1 and conflicts >> self._events[earlier] & 1:
                past |= self._past[earlier] | 1 << earlier
                direct.append(earlier)
        return past, direct

    # The rules. Sets of events are bit sets of positions on the path.

    def _race(self, earlier: int) -> None:
        """Rule `race`: the last event conflicts directly with an earlier one, so the other order is wanted too."""
        last = len(self._events) - 1
        free = self._free_of(earlier)
        if self._provided(earlier, free):
            return
        causes = self._past[last] & free
        state = self._after(self._path[earlier].state, causes)
        if self._events[last] in self.letters.of_action(state, self.letters.action[self._events[last]]):
            self._want(earlier, free)

    def _waiting(self) -> None:
        """Rule `waiting`: the last event enables an action only if an earlier, independent event has not happened."""
        last = len(self._events) - 1
        concerns, past = self.letters.concerns[self._events[last]], self._past[last]
        for earlier in range(last):
            both = concerns & self.letters.hinders[self._events[earlier]]
            if past >> earlier & 1 or not both:
                continue
            free = self._free_of(earlier)
            causes = (past | 1 << last) & free
            if not self._provided(earlier, causes) and any(
                self._missed(earlier, action, causes, free) for action in _bits(both)
            ):
                self._want(earlier, causes)

    def _missed(self, earlier: int, action: int, causes: int, free: int) -> bool:
        """Whether some events that are free of the earlier one, these causes included, enable a step that it disables.

        If there are too many sets to try, the answer is yes, which costs time but loses no trace.
        """
        quiet = self.letters.mode(action) is Mode.IDLE
        if quiet and self.letters.mode(self.letters.action[self._events[earlier]]) is Mode.MUST:
            return False  # if it does not happen, it stays enabled, and no state is quiescent
        further = [
            event
            for event in _bits(free & ~causes)
            if self.letters.concerns[self._events[event]] >> action & 1
            and not self._provided(earlier, (self._past[event] | 1 << event) & free)
        ]
        if len(further) > _MOST_CAUSES:
            return True
        sets = {causes: None}
        for event in further:
            sets |= dict.fromkeys(known | (self._past[event] | 1 << event) & free for known in list(sets))
        return any(self._disables(earlier, action, chosen) for chosen in sets)

    def _disables(self, earlier: int, action: int, causes: int) -> bool:
        """Whether exactly these causes enable a step of the action that is not enabled if the earlier event happens."""
        before = self.letters.of_action(self._after(self._path[earlier].state, causes), action)
        if not before:
            return False
        after = self.letters.of_action(self._after(self._path[earlier + 1].state, causes), action)
        return any(self._causes_of(letter, causes) == causes for letter in before if letter not in after)

    def _causes_of(self, letter: int, events: int) -> int:
        """The events that must come before the letter if it comes after all of them."""
        causes = 0
        for event in _bits(events):
            if self.letters.conflicts[letter] >> self._events[event] & 1:
                causes |= (self._past[event] | 1 << event) & events
        return causes

    def _free_of(self, earlier: int) -> int:
        """The events after the earlier one that do not follow from it, and the last."""
        last = len(self._events) - 1
        free = (1 << event for event in range(earlier + 1, last) if not self._past[event] >> earlier & 1)
        return sum(free) | 1 << last

    def _firsts(self, events: int) -> int:
        """The letters that can come first if only these events happen."""
        return sum({1 << self._events[event] for event in _bits(events) if not self._past[event] & events})

    def _provided(self, earlier: int, events: int) -> bool:
        """Whether a first step of these events is already wanted or asleep before the earlier event."""
        point = self._path[earlier]
        return bool(self._firsts(events) & (point.wanted | point.sleep))

    def _after(self, state: State, events: int) -> State:
        """The state after these events alone, in their order."""
        return self.letters.after(state, [self._events[event] for event in _bits(events)])

    def _want(self, earlier: int, events: int) -> None:
        """Add a first step of these events to those that are wanted before the earlier event."""
        point, first = self._path[earlier], _lowest(self._firsts(events))
        self.letters.after(point.state, [first])  # raises ModelError if the footprints are wrong
        point.wanted |= 1 << first


def _lowest(bits: int) -> int:
    return (bits & -bits).bit_length() - 1


def _bits(bits: int) -> Iterator[int]:
    while bits:
        yield _lowest(bits)
        bits &= bits - 1


def _refuse(system: System) -> None:
    modes = {action.mode for component in system.components for action in component.actions}
    if Mode.LATE in modes:
        raise ReductionRefused("the system has LATE actions, which belong to no execution; search the system instead")
    for prop in system.properties:
        reason = None
        if prop.needs is Needs.STATE:
            reason = "is checked in every state, and one execution of each trace leaves states out"
        elif prop.needs is Needs.ORDER and not prop.watches:
            reason = "depends on the order of events but watches no action"
        elif prop.needs is Needs.QUIESCENT and modes & {Mode.MAY, Mode.IDLE}:
            reason = "is checked in quiescent states, and with MAY or IDLE actions an execution need not end there"
        elif prop.needs is Needs.SETTLED and Mode.MAY in modes:
            reason = "is checked in settled states, and with MAY actions an execution need not end there"
        if reason is not None:
            raise ReductionRefused(f"property {prop.name!r} {reason}; search the system, or count without the property")
