"""Concrete traces of races: an edge stands for many races, and each of them gets a shortest trace."""

from collections.abc import Iterator

from sdnloom.races.search.abstraction import AbstractStep, ControlState
from sdnloom.races.search.behaviour import SwitchTables
from sdnloom.races.search.search import RaceEdge, RaceSearch, SearchNode
from sdnloom.races.search.table_sets import NodeId, Vector
from sdnloom.races.search.trace import ProcessLabel, RaceTrace, TraceEvent


def witnesses(search: RaceSearch, edge: RaceEdge, vectors: NodeId) -> Iterator[tuple[RaceTrace, int, int]]:
    """Yield, for each race among the vectors, a shortest trace and the indices of its two events.

    Only the label of forwarding by a big switch holds tables; otherwise all vectors stand for one race.
    """
    cells = enumerate(search.abstraction.cells)
    owned = [cell for cell, owner in cells if owner.element == edge.check.signature.switch]
    seen: set[Vector] = set()
    for vector in search.sets.vectors(vectors):
        label = tuple(vector[cell] for cell in owned) if edge.check.signature.first is None else ()
        if label not in seen:
            seen.add(label)
            yield _trace(search, edge, vector)
        if edge.check.signature.first is not None:
            return


def _trace(search: RaceSearch, edge: RaceEdge, vector: Vector) -> tuple[RaceTrace, int, int]:
    path = _path(search, edge.level, edge.node, vector)
    race = edge.check.signature
    if edge.check.forwards_first:
        assert isinstance(edge.node, ControlState)
        path.append((AbstractStep(ProcessLabel(race.switch, ()), edge.node), vector))
    path.append((edge.step, vector))
    trace = RaceTrace(tuple(_event(search, step, before) for step, before in path), search.abstraction.first_tables)
    last = len(path) - 1
    for index in reversed(range(last)):
        label = trace.events[index].label
        forwarded = isinstance(label, ProcessLabel) and label.element == race.switch
        if label == race.first or (race.first is None and forwarded):
            return trace, index, last
    raise AssertionError("the first event of a race is on its trace")


def _path(search: RaceSearch, level: int, node: SearchNode, vector: Vector) -> list[tuple[AbstractStep, Vector]]:
    """Return the steps to the state or mark, each with the vector before it."""
    path: list[tuple[AbstractStep, Vector]] = []
    while level:
        node, step, vector = _parent(search, level, node, vector)
        path.append((step, vector))
        level -= 1
    path.reverse()
    return path


def _parent(
    search: RaceSearch, level: int, node: SearchNode, vector: Vector
) -> tuple[SearchNode, AbstractStep, Vector]:
    for parent, step, vectors in search.levels[level].parents[node]:
        # A mark keeps the vector of its update: later writes do not concern it.
        cell = step.cell if isinstance(parent, ControlState) else None
        if cell is None or vector[cell] == step.value:
            before = search.sets.source_of(vectors, vector, cell)
            if before is not None:
                return parent, step, before
    raise AssertionError("every state but the first has a parent")


def _event(search: RaceSearch, step: AbstractStep, before: Vector) -> TraceEvent:
    if isinstance(step.label, ProcessLabel) and not step.label.tables:
        return TraceEvent(ProcessLabel(step.label.element, _tables(search, step.label.element, before)))
    return TraceEvent(step.label, step.table)


def _tables(search: RaceSearch, element: int, vector: Vector) -> SwitchTables:
    tables = list(search.abstraction.first_tables[element])
    for value, cell in zip(vector, search.abstraction.cells, strict=True):
        if cell.element == element:
            tables[cell.table] = cell.policies[value]
    return tuple(tables)
