"""Breadth-first search over abstract states, each with the set of table vectors it occurs with.

Levels are depths of traces, so what is found first has a shortest trace, and an empty frontier proves that no trace of
any length has anything else. Steps write tables and never read them: one step moves a whole set of vectors.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import prod

from sdnloom.races.abstraction import Abstraction, Check, Control, Step
from sdnloom.races.harm import Harm
from sdnloom.races.limits import LimitReachedError, Progress, Watch
from sdnloom.races.properties import RaceType
from sdnloom.races.tablesets import EMPTY, NodeId, TableSets
from sdnloom.races.trace import Label, Reconfigured

# A race without the tables of a forwarding event: its type, its first label (None if that is forwarding of a big
# switch), its second, and the switch.
Signature = tuple[RaceType, Label | None, Reconfigured, int]


@dataclass(frozen=True, slots=True)
class Finding:
    """Races of one signature first met at one place: with these vectors, at this state and step."""

    level: int
    control: Control
    step: Step
    check: Check
    vectors: NodeId

    @property
    def length(self) -> int:
        """Return the number of events of a shortest trace to it."""
        return self.level + 1 + self.check.forwards_first


@dataclass
class Findings:
    """All races of a kind: for each signature the vectors covered, and the findings in the order met."""

    covered: dict[Signature, NodeId] = field(default_factory=dict)
    order: list[tuple[Signature, Finding]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Level:
    """What a depth adds: vectors by state, and the steps that lead there with the vectors they start from."""

    fresh: dict[Control, NodeId]
    parents: dict[Control, list[tuple[Control, Step, NodeId]]]


class Search:
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
        self._first_race_only = first_race_only
        self._keep_harmless = keep_harmless
        self._watch = watch
        self._visited: dict[Control, NodeId] = {}
        self.levels: list[Level] = []
        self._cut = False
        self.harmful = [Findings() for _ in harms]
        self.met = Findings()
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
    def reached(self) -> int:
        """Return the number of levels that were expanded."""
        return len(self.levels)

    @property
    def states(self) -> int:
        """Return the number of abstract states met, tables included."""
        return sum(self.sets.count(vectors) for vectors in self._visited.values())

    @property
    def stored(self) -> int:
        """Return the number of states stored, each with a set of vectors."""
        return len(self._visited)

    def _run(self) -> None:
        first = self.abstraction.initial()
        vectors = self.sets.single((0,) * len(self.abstraction.cells))
        self._visited[first] = vectors
        level = Level({first: vectors}, {})
        while level.fresh and (self._depth is None or len(self.levels) < self._depth):
            level = self._expand(level)
        self.proved = not level.fresh and not self._cut

    def _expand(self, level: Level) -> Level:
        sets, visited = self.sets, self._visited
        depth = len(self.levels)
        self.levels.append(level)
        after = Level({}, {})
        for control, fresh in level.fresh.items():
            for step in self.abstraction.steps(control):
                going_on = fresh
                if step.checks:
                    going_on = self._check(depth, control, step, fresh)
                written = going_on if step.cell is None else sets.write(going_on, step.cell, step.value)
                new = sets.difference(written, visited.get(step.target, EMPTY))
                if new != EMPTY:
                    visited[step.target] = sets.union(visited.get(step.target, EMPTY), new)
                    after.fresh[step.target] = sets.union(after.fresh.get(step.target, EMPTY), new)
                    after.parents.setdefault(step.target, []).append((control, step, going_on))
            races = sum(len(findings.order) for findings in self.harmful)
            self._watch.stored(Progress(depth, len(visited), len(level.fresh), races))
        return after

    def _check(self, depth: int, control: Control, step: Step, vectors: NodeId) -> NodeId:
        """Record the races that the step completes; return the vectors with which a trace goes on."""
        for check in step.checks:
            if self._depth is not None and depth + 1 + check.forwards_first > self._depth:
                self._cut = True
                continue
            if self._keep_harmless and any(harm.judges(check.kind) for harm in self._harms):
                self._record(self.met, depth, control, step, check, vectors)
            for harm, findings in zip(self._harms, self.harmful, strict=True):
                if (
                    not self._first_race_only
                    and check.first is not None
                    and _signature(step, check) in findings.covered
                ):
                    continue
                harmful = harm.vectors(check, vectors)
                if harmful != EMPTY:
                    self._record(findings, depth, control, step, check, harmful)
                    if self._first_race_only:
                        vectors = self.sets.difference(vectors, harmful)
        return vectors

    def _record(
        self, findings: Findings, depth: int, control: Control, step: Step, check: Check, vectors: NodeId
    ) -> None:
        signature = _signature(step, check)
        covered = findings.covered.get(signature, EMPTY)
        if check.first is None:
            vectors = self.sets.difference(vectors, covered)
            if vectors == EMPTY:
                return
            findings.covered[signature] = self.sets.union(covered, self._own(check.switch, vectors))
        elif covered != EMPTY:
            return
        else:
            findings.covered[signature] = vectors
        findings.order.append((signature, Finding(depth, control, step, check, vectors)))

    def _own(self, switch: int, vectors: NodeId) -> NodeId:
        """Return every vector that agrees with one given on the switch's own tables."""
        for cell, owner in enumerate(self.abstraction.cells):
            if owner.element != switch:
                vectors = self.sets.widen(vectors, cell)
        return vectors

    def count(self, signature: Signature, covered: NodeId) -> int:
        """Return how many races of the signature the vectors in `covered` stand for."""
        if signature[1] is not None:
            return 1
        others = [cell for cell, owner in enumerate(self.abstraction.cells) if owner.element != signature[3]]
        return self.sets.count(covered) // prod(self.sets.sizes[cell] for cell in others)


def _signature(step: Step, check: Check) -> Signature:
    assert isinstance(step.label, Reconfigured)
    return check.kind, check.first, step.label, check.switch
