"""Breadth-first search over abstract states, each with the set of table vectors it occurs with.

Levels are depths of traces, so what is found first has a shortest trace, and an empty frontier proves that no trace of
any length has anything else. Steps write tables and never read them: one step moves a whole set of vectors.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import prod
from typing import TypeAlias, TypeVar

from sdnloom.races.search.abstraction import Abstraction, AbstractStep, Check, ControlState, Mark, Signature
from sdnloom.races.search.harm import Harm
from sdnloom.races.search.limits import LimitReachedError, Progress, Watch
from sdnloom.races.search.table_sets import EMPTY, NodeId, TableSets

Place: TypeAlias = ControlState | Mark
Parent: TypeAlias = tuple[Place, AbstractStep, NodeId]
_P = TypeVar("_P", ControlState, Mark)


@dataclass(frozen=True, slots=True)
class HarmfulEdge:
    """Races of one signature first met at one place: with these vectors, at this state or mark and step."""

    level: int
    place: Place
    step: AbstractStep
    check: Check
    vectors: NodeId

    @property
    def length(self) -> int:
        """Return the number of events of a shortest trace to it."""
        return self.level + 1 + self.check.forwards_first


@dataclass
class HarmfulEdges:
    """All races of a kind: for each signature the vectors covered, and the findings in the order met."""

    covered: dict[Signature, NodeId] = field(default_factory=dict)
    order: list[HarmfulEdge] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Level:
    """What a depth adds: vectors by state and mark, and the steps that lead there with the vectors they start from."""

    states: dict[ControlState, NodeId] = field(default_factory=dict)
    marks: dict[Mark, NodeId] = field(default_factory=dict)
    parents: dict[Place, list[Parent]] = field(default_factory=dict)


class RaceSearch:
    """One search. `run` fills `harmful` (by place of the property), `met` and the statistics; it may be stopped."""

    def __init__(
        self,
        abstraction: Abstraction,
        harms: Sequence[Harm],
        sets: TableSets,
        depth: int | None,
        first_race_only: bool,
        keep_harmless: bool,
        watch: Watch,
    ) -> None:
        self.abstraction = abstraction
        self._harms = harms
        self.sets = sets
        self._depth = depth
        self._finds_all = not first_race_only
        self._keep_harmless = keep_harmless
        self._watch = watch
        self._visited: dict[ControlState, NodeId] = {}
        self._marked: dict[Mark, NodeId] = {}
        self.levels: list[Level] = []
        self._cut = False
        self._harmful_at_all: dict[int, NodeId] = {}
        self.harmful = [HarmfulEdges() for _ in harms]
        self.met = HarmfulEdges()
        self.reached = 0  # levels that were expanded
        self.proved = False
        self.stopped: str | None = None

    def run(self) -> None:
        """Search until the frontier is empty, the depth is reached or a limit stops it."""
        try:
            self._run()
        except LimitReachedError as stop:
            self.stopped = str(stop)
        except KeyboardInterrupt:
            self.stopped = "interrupted"

    @property
    def states(self) -> int:
        """Return the number of abstract states met, tables included."""
        return sum(self.sets.count(vectors) for vectors in self._visited.values())

    @property
    def stored(self) -> int:
        """Return the number of states and marks stored, each with a set of vectors."""
        return len(self._visited) + len(self._marked)

    def _run(self) -> None:
        first = self.abstraction.initial()
        vectors = self.sets.single((0,) * len(self.abstraction.cells))
        self._visited[first] = vectors
        level = Level({first: vectors})
        self.levels.append(level)
        while (level.states or level.marks) and (self._depth is None or self.reached < self._depth):
            level = self._expand(self.reached, level)
            self.reached += 1
        self.proved = not (level.states or level.marks or self._cut)

    def _expand(self, depth: int, level: Level) -> Level:
        after = Level()
        self.levels.append(after)
        # Marks first: their races are one event shorter than those of the marks that this level opens.
        for mark, vectors in level.marks.items():
            for one in self.abstraction.mark_steps(mark):
                if one.check is not None:
                    self._check(depth, mark, one.step, one.check, vectors)
                if one.target is not None:
                    _add(self.sets, self._marked, after.marks, one.target, vectors, after, (mark, one.step, vectors))
            self._watch.stored(self.stored, self._progress)
        for control, vectors in level.states.items():
            for step in self.abstraction.steps(control):
                going_on = vectors
                for check in step.checks:
                    going_on = self._check(depth, control, step, check, going_on)
                written = going_on if step.cell is None else self.sets.write(going_on, step.cell, step.value)
                parent = (control, step, going_on)
                _add(self.sets, self._visited, after.states, step.target, written, after, parent)
                if step.opens is not None:
                    self._open(depth + 1, step.opens, written, after, parent)
            self._watch.stored(self.stored, self._progress)
        return after

    def _open(self, depth: int, mark: Mark, vectors: NodeId, after: Level, parent: Parent) -> None:
        """Follow an update: at once if it can only race with the next event, level by level if it may last."""
        steps = self.abstraction.mark_steps(mark)
        if any(one.target for one in steps):
            harmful = self._may_harm(mark.switch, vectors)
            _add(self.sets, self._marked, after.marks, mark, harmful, after, parent)
        elif steps and vectors != EMPTY:
            after.parents.setdefault(mark, []).append(parent)
            for one in steps:
                assert one.check is not None
                self._check(depth, mark, one.step, one.check, vectors)

    def _may_harm(self, switch: int, vectors: NodeId) -> NodeId:
        """Return the vectors that a later update of the switch, or what it could have been, may make harmful."""
        if self._keep_harmless:
            return vectors
        if switch not in self._harmful_at_all:
            found = EMPTY
            for harm in self._harms:
                found = self.sets.union(found, harm.at_all(switch))
            self._harmful_at_all[switch] = found
        return self.sets.intersection(vectors, self._harmful_at_all[switch])

    def _progress(self) -> Progress:
        races = sum(len(findings.order) for findings in self.harmful)
        return Progress(self.reached, self.stored, len(self.levels[self.reached].states), races)

    def _check(self, depth: int, place: Place, step: AbstractStep, check: Check, vectors: NodeId) -> NodeId:
        """Record the race if the vectors have it; return the vectors with which a trace goes on."""
        if self._depth is not None and depth + 1 + check.forwards_first > self._depth:
            self._cut = True
            return vectors
        if self._keep_harmless and any(harm.judges(check.signature.kind) for harm in self._harms):
            self._record(self.met, HarmfulEdge(depth, place, step, check, vectors))
        for harm, findings in zip(self._harms, self.harmful, strict=True):
            # Without tables in its labels a race is found once and for all.
            if self._finds_all and check.signature.first and check.signature in findings.covered:
                continue
            harmful = harm.vectors(check, vectors)
            if harmful != EMPTY:
                self._record(findings, HarmfulEdge(depth, place, step, check, harmful))
                if not self._finds_all:
                    vectors = self.sets.difference(vectors, harmful)
        return vectors

    def _record(self, findings: HarmfulEdges, finding: HarmfulEdge) -> None:
        signature, vectors = finding.check.signature, finding.vectors
        covered = findings.covered.get(signature, EMPTY)
        if signature.first is not None:
            if covered == EMPTY:
                findings.covered[signature] = vectors
                findings.order.append(finding)
            return
        fresh = self.sets.difference(vectors, covered)
        if fresh != EMPTY:
            findings.covered[signature] = self.sets.union(covered, self._own(signature.switch, fresh))
            findings.order.append(replace(finding, vectors=fresh))

    def _own(self, switch: int, vectors: NodeId) -> NodeId:
        """Return every vector that agrees with one given on the switch's own tables."""
        for cell, owner in enumerate(self.abstraction.cells):
            if owner.element != switch:
                vectors = self.sets.widen(vectors, cell)
        return vectors

    def count(self, signature: Signature, covered: NodeId) -> int:
        """Return how many races of the signature the vectors in `covered` stand for."""
        if signature.first is not None:
            return 1
        others = [cell for cell, owner in enumerate(self.abstraction.cells) if owner.element != signature.switch]
        return self.sets.count(covered) // prod(self.sets.sizes[cell] for cell in others)


def _add(
    sets: TableSets,
    known: dict[_P, NodeId],
    fresh: dict[_P, NodeId],
    target: _P,
    vectors: NodeId,
    level: Level,
    parent: Parent,
) -> None:
    """Add what is new about the target to what is known and to the level."""
    if vectors == EMPTY:
        return
    before = known.get(target, EMPTY)
    new = sets.difference(vectors, before)
    if new != EMPTY:
        known[target] = sets.union(before, new)
        fresh[target] = sets.union(fresh.get(target, EMPTY), new)
        level.parents.setdefault(target, []).append(parent)
