"""Composition of strategies, a memo of their ranks, and the choice of steps by rank.

A strategy gives each enabled step a rank. Of the steps with a rank those of least rank are explored; a step without a
rank (None) is explored wherever it is enabled and has no effect on the others. Several strategies are applied in
sequence, each to the steps that the previous one kept: ranks compare lexicographically.

With a reduction: if the steps that the reduction chooses are all kept by the strategies, only these are explored,
otherwise all that the strategies keep. So no step is explored that the strategies leave out, and a step that the
reduction leaves out could be left out without the strategies too. The search is never exhaustive.
"""

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from sdnloom.engine import user_code
from sdnloom.engine.model import ModelError, Outcome, Step, Strategy

if TYPE_CHECKING:
    from sdnloom.engine.memo import LocalOutcome, Memo

Ranks: TypeAlias = tuple[int | None, ...]  # one per strategy


class StrategySequence:
    """Several strategies applied in sequence. Its memory is the tuple of their memories."""

    def __init__(self, parts: Sequence[Strategy]) -> None:
        self.parts = tuple(part for one in parts for part in strategy_parts(one))

    @property
    def name(self) -> str:
        """The names of the parts."""
        return " + ".join(part.name for part in self.parts)

    @property
    def skips(self) -> str:
        """The orderings that the parts skip."""
        return "; ".join(part.skips for part in self.parts)

    @property
    def initial(self) -> Hashable:
        """The initial memories of the parts."""
        return tuple(part.initial for part in self.parts)

    def rank(self, memory: Any, step: Step, outcome: Outcome) -> int | None:
        """Not defined for a composition: each part has a rank."""
        raise ModelError(f"the strategies {self.name} have a rank each")

    def after(self, memory: Any, step: Step, outcome: Outcome) -> Hashable:
        """The memories of the parts after the step."""
        return tuple(part.after(one, step, outcome) for part, one in zip(self.parts, memory, strict=True))


def strategy_parts(strategy: Strategy | None) -> tuple[Strategy, ...]:
    """The parts of a composition in order, or the strategy itself."""
    if strategy is None:
        return ()
    return strategy.parts if isinstance(strategy, StrategySequence) else (strategy,)


def skipped(strategy: Strategy) -> str:
    """Why a search with a strategy is not exhaustive."""
    return "; ".join(f"the strategy {part.name} skips {part.skips}" for part in strategy_parts(strategy))


def ranks_of(strategy: Strategy, memory: Any, step: Step, outcome: Outcome) -> Ranks:
    """The ranks that the parts of a strategy give a step."""
    memories = memory if isinstance(strategy, StrategySequence) else (memory,)
    pairs = zip(strategy_parts(strategy), memories, strict=True)
    return tuple(user_code.rank(part, one, step, outcome) for part, one in pairs)


def least(ranks: Sequence[Ranks]) -> list[bool]:
    """For each enabled step, given by its ranks, whether the strategies keep it."""
    kept = [True] * len(ranks)
    for layer in range(len(ranks[0]) if ranks else 0):
        known = [each[layer] for each, here in zip(ranks, kept, strict=True) if here]
        lowest = min((rank for rank in known if rank is not None), default=None)
        kept = [here and each[layer] in (None, lowest) for each, here in zip(ranks, kept, strict=True)]
    return kept


class Ranking:
    """A memo of the ranks of a strategy, by memory and outcome; `Memo.rank` is the same in numbers."""

    def __init__(self, strategy: Strategy, tables: "Memo") -> None:
        self.strategy, self.tables = strategy, tables
        self._known: dict[tuple[Any, int], tuple[Ranks, Hashable]] = {}

    def of(self, memory: Any, local: "LocalOutcome") -> tuple[Ranks, Hashable]:
        """The ranks of an outcome under a memory, and the memory after it."""
        known = self._known.get((memory, local.number))
        if known is None:
            step = self.tables.step_of(local)
            ranks = ranks_of(self.strategy, memory, step, local.outcome)
            known = self._known[memory, local.number] = (
                ranks,
                user_code.after(self.strategy, memory, step, local.outcome),
            )
        return known
