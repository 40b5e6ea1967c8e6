"""Sets of the table vectors with which a property holds.

Tables are decided one after the other. Inclusions are monotone in the network, so a partial choice is evaluated twice:
with every open table holding all policies it may hold, and with every open table holding nothing. When both agree, the
remaining tables do not matter. Otherwise only tables on some path of a packet that the property asks about matter, and
choices that agree on those have the same answer.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from sdnloom.netkat.syntax import DROP_ALL, Policy, sum_of
from sdnloom.races.language.model import BigSwitch
from sdnloom.races.language.properties import Formula, Inclusion
from sdnloom.races.search.behaviour import SwitchTables
from sdnloom.races.search.evaluate import PropertyEvaluator
from sdnloom.races.search.table_sets import EMPTY, NodeId, TableSets

# For the first few undecided nodes of a level, finding the tables that matter costs more than it saves.
FEW_NODES: Final = 2


@dataclass(frozen=True, slots=True)
class TableCell:
    """A table that can be replaced: its element, its index there, and the policies it may hold.

    The first policy is the initial one; `writable` are the indices of those that can be written to it.
    """

    element: int
    table: int
    policies: SwitchTables
    writable: tuple[int, ...]


class TruthSets:
    """The vectors, over the cells of the whole model, with which one formula holds on one big switch."""

    def __init__(
        self,
        sets: TableSets,
        cells: Sequence[TableCell],
        element: int,
        big: BigSwitch,
        formula: Formula,
        tick: Callable[[], None] = lambda: None,
    ) -> None:
        self._sets = sets
        self._cells = cells
        self._element = element
        self._big = big
        self._formula = formula
        self._tick = tick
        self._levels = {cell.table: level for level, cell in enumerate(cells) if cell.element == element}
        self._options: tuple[SwitchTables, ...] = tuple(
            cells[self._levels[table]].policies if table in self._levels else (policy,)
            for table, policy in enumerate(switch.initial for switch in big.switches)
        )
        self.evaluator = PropertyEvaluator(big, formula, self._options)
        self._universe = [sets.everything(level) for level in range(len(cells) + 1)]
        self._truths: dict[tuple[int, Policy] | None, NodeId] = {}

    def holds(self) -> NodeId:
        """Return the vectors for which the formula's inclusions hold."""
        return self._truth(None)

    def changed_by(self, table: int, policy: Policy) -> NodeId:
        """Return the vectors for which replacing the table by the policy changes the formula's value."""
        level = self._levels.get(table)
        before = self._truth(None)
        if level is not None and policy in self._cells[level].policies:
            after = self._sets.cofactor(before, level, self._cells[level].policies.index(policy))
        else:
            after = self._truth((table, policy))
        return self._sets.union(self._sets.difference(before, after), self._sets.difference(after, before))

    def _truth(self, fixed: tuple[int, Policy] | None) -> NodeId:
        if fixed not in self._truths:
            options = list(self._options)
            if fixed is not None:
                options[fixed[0]] = (fixed[1],)
            result = self._universe[0]
            for inclusion in self._formula.inclusions:
                builder = _Builder(self, inclusion)
                result = self._sets.intersection(result, builder.build(0, options))
            self._truths[fixed] = result
        return self._truths[fixed]


class _Builder:
    """Builds the set for one inclusion."""

    def __init__(self, truth: TruthSets, inclusion: Inclusion) -> None:
        self._truth = truth
        self._inclusion = inclusion
        self._known: dict[tuple[object, ...], NodeId] = {}
        self._undecided = [0] * len(truth._cells)

    def build(self, level: int, options: list[SwitchTables]) -> NodeId:
        """Return the set over the cells from this level on; `options` are the policies still open for each table."""
        truth = self._truth
        truth._tick()
        verdict = self._bounds(options)
        if verdict is not None:
            return truth._universe[level] if verdict else EMPTY
        self._undecided[level] += 1
        matters = [True] * len(options)
        if self._undecided[level] > FEW_NODES:
            matters = truth.evaluator.matters(self._inclusion, tuple(sum_of(table) for table in options))
        key = (level, *(table if needed else None for table, needed in zip(options, matters, strict=True)))
        if key in self._known:
            return self._known[key]
        cell = truth._cells[level]
        if cell.element != truth._element or not matters[cell.table] or len(options[cell.table]) == 1:
            below = self.build(level + 1, options)
            node = truth._sets.node(level, (below,) * len(cell.policies))
        else:
            children: list[NodeId] = []
            for policy in cell.policies:
                narrowed = [*options]
                narrowed[cell.table] = (policy,)
                children.append(self.build(level + 1, narrowed))
            node = truth._sets.node(level, tuple(children))
        self._known[key] = node
        return node

    def _bounds(self, options: list[SwitchTables]) -> bool | None:
        """Return the inclusion's value if it is the same for all open choices; None if it may differ."""
        evaluator, inclusion = self._truth.evaluator, self._inclusion
        if all(len(table) == 1 for table in options):
            return evaluator.includes(inclusion, tuple(table[0] for table in options))
        if not inclusion.is_antitone and not inclusion.is_monotone:
            return None
        most = evaluator.includes(inclusion, tuple(sum_of(table) for table in options))
        if most == inclusion.is_antitone:
            return most
        least = evaluator.includes(inclusion, tuple(table[0] if len(table) == 1 else DROP_ALL for table in options))
        return most if most == least else None
