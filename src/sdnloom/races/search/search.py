"""Breadth-first search over abstract states, each with the set of table vectors it occurs with.

Levels are depths of traces, so a race is first found at the end of a shortest trace, and an empty frontier proves that
no trace of any length has another race. Steps write tables and never read them: one step moves a whole set of vectors.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import prod
from typing import TypeAlias, TypeVar

from sdnloom.engine.limits import resident_bytes
from sdnloom.engine.result import Progress
from sdnloom.races.search.abstraction import Abstraction, AbstractStep, ControlState, Mark, RaceCheck, Signature
from sdnloom.races.search.harm import Harm
from sdnloom.races.search.limit_checks import LimitChecks, StopSearch
from sdnloom.races.search.table_sets import EMPTY, NodeId, TableSets

SearchNode: TypeAlias = ControlState | Mark
Parent: TypeAlias = tuple[SearchNode, AbstractStep, NodeId]
_P = TypeVar("_P", ControlState, Mark)


@dataclass(frozen=True, slots=True)
class RaceEdge:
    """Races of one signature that a step completes at a state or mark with these vectors."""

    level: int
    node: SearchNode
    step: AbstractStep
    check: RaceCheck
    vectors: NodeId

    @property
    def length(self) -> int:
        """The number of events of a shortest trace to it."""
        return self.level + 1 + self.check.forwards_first


@dataclass
class RaceEdges:
    """Races found: for each signature the vectors covered, and the edges in the order found."""

    covered: dict[Signature, NodeId] = field(default_factory=dict)
    order: list[RaceEdge] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Level:
    """States and marks that are new at a depth, with their new vectors, and the steps that lead to them."""

    states: dict[ControlState, NodeId] = field(default_factory=dict)
    marks: dict[Mark, NodeId] = field(default_factory=dict)
    parents: dict[SearchNode, list[Parent]] = field(default_factory=dict)


class RaceSearch:
    """One search. `run` fills `harmful` (an entry per property), `all_races` (if harmless ones are kept) and counts."""

    def __init__(
        self,
        abstraction: Abstraction,
        harms: Sequence[Harm],
        sets: TableSets,
        depth: int | None,
        first_race_only: bool,
        keep_harmless: bool,
        limits: LimitChecks,
    ) -> None:
        self.abstraction = abstraction
        self._harms = harms
        self.sets = sets
        self._depth = depth
        self._finds_all = not first_race_only
        self._keep_harmless = keep_harmless
        self._limits = limits
        self._visited: dict[ControlState, NodeId] = {}
        self._marked: dict[Mark, NodeId] = {}
        self.levels: list[Level] = []
        self._cut = False
        self._maybe_harmful: dict[int, NodeId] = {}
        self.harmful = [RaceEdges() for _ in harms]
        self.all_races = RaceEdges()
        self.reached = 0  # levels that were expanded
        self.steps = 0  # abstract steps that were taken
        self.proved = False
        self.stopped: str | None = None

    def run(self) -> None:
        """Search until the frontier is empty, the depth is reached or a limit stops it."""
        try:
            self._run()
        except StopSearch as stop:
            self.stopped = str(stop)

    @property
    def states(self) -> int:
        """The number of abstract states found, tables included."""
        return sum(self.sets.count(vectors) for vectors in self._visited.values())

    @property
    def stored(self) -> int:
        """The number of states and marks stored, each with a set of vectors."""
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
            mark_steps = self.abstraction.mark_steps(mark)
            self.steps += len(mark_steps)
            for mark_step in mark_steps:
                if mark_step.check is not None:
                    self._check(depth, mark, mark_step.step, mark_step.check, vectors)
                if mark_step.target is not None:
                    parent: Parent = (mark, mark_step.step, vectors)
                    _add(self.sets, self._marked, after.marks, mark_step.target, vectors, after, parent)
            self._limits.stored(self.stored, self._progress)
        for control, vectors in level.states.items():
            steps = self.abstraction.steps(control)
            self.steps += len(steps)
            for step in steps:
                remaining = vectors
                for check in step.checks:
                    remaining = self._check(depth, control, step, check, remaining)
                written = remaining if step.cell is None else self.sets.write(remaining, step.cell, step.value)
                parent = (control, step, remaining)
                _add(self.sets, self._visited, after.states, step.target, written, after, parent)
                if step.opens is not None:
                    self._open(depth + 1, step.opens, written, after, parent)
            self._limits.stored(self.stored, self._progress)
        return after

    def _open(self, depth: int, mark: Mark, vectors: NodeId, after: Level, parent: Parent) -> None:
        """Follow an update that may race: here if only the next event can race with it, else level by level."""
        steps = self.abstraction.mark_steps(mark)
        if any(mark_step.target for mark_step in steps):
            harmful = self._may_harm(mark.switch, vectors)
            _add(self.sets, self._marked, after.marks, mark, harmful, after, parent)
        elif steps and vectors != EMPTY:
            after.parents.setdefault(mark, []).append(parent)
            for mark_step in steps:
                assert mark_step.check is not None
                self._check(depth, mark, mark_step.step, mark_step.check, vectors)

    def _may_harm(self, switch: int, vectors: NodeId) -> NodeId:
        """Return the vectors with which a race with the last update of the switch may be harmful."""
        if self._keep_harmless:
            return vectors
        if switch not in self._maybe_harmful:
            found = EMPTY
            for harm in self._harms:
                found = self.sets.union(found, harm.maybe_harmful(switch))
            self._maybe_harmful[switch] = found
        return self.sets.intersection(vectors, self._maybe_harmful[switch])

    def _progress(self) -> Progress:
        level, watch = self.levels[self.reached], self._limits.watch
        frontier = len(level.states) + len(level.marks)
        return Progress(
            self.stored, self.steps, frontier, self.reached, watch.seconds, resident_bytes(), engine="races"
        )

    def _check(self, depth: int, node: SearchNode, step: AbstractStep, check: RaceCheck, vectors: NodeId) -> NodeId:
        """Record the race if it is harmful with some vectors; return the vectors with which traces continue."""
        if self._depth is not None and depth + 1 + check.forwards_first > self._depth:
            self._cut = True
            return vectors
        if self._keep_harmless and any(harm.covers(check.signature.kind) for harm in self._harms):
            self._record(self.all_races, RaceEdge(depth, node, step, check, vectors))
        for harm, edges in zip(self._harms, self.harmful, strict=True):
            # Without tables in its labels a race is found once and for all.
            if self._finds_all and check.signature.first and check.signature in edges.covered:
                continue
            harmful = harm.harmful_vectors(check, vectors)
            if harmful != EMPTY:
                self._record(edges, RaceEdge(depth, node, step, check, harmful))
                if not self._finds_all:
                    vectors = self.sets.difference(vectors, harmful)
        return vectors

    def _record(self, edges: RaceEdges, edge: RaceEdge) -> None:
        signature, vectors = edge.check.signature, edge.vectors
        covered = edges.covered.get(signature, EMPTY)
        if signature.first is not None:
            if covered == EMPTY:
                edges.covered[signature] = vectors
                edges.order.append(edge)
            return
        fresh = self.sets.difference(vectors, covered)
        if fresh != EMPTY:
            edges.covered[signature] = self.sets.union(covered, self._own(signature.switch, fresh))
            edges.order.append(replace(edge, vectors=fresh))

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
    """Add the vectors that are new at the target to `known`, `fresh` and the parents of the level."""
    if vectors == EMPTY:
        return
    before = known.get(target, EMPTY)
    new = sets.difference(vectors, before)
    if new != EMPTY:
        known[target] = sets.union(before, new)
        fresh[target] = sets.union(fresh.get(target, EMPTY), new)
        level.parents.setdefault(target, []).append(parent)
