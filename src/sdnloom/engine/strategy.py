"""Strategies at work: several as one, each step's rank remembered, and which steps of a state they leave.

A strategy gives each enabled step a rank. Of those with a rank the least ones stay; a step without one (None) stays
wherever it is enabled and holds back nothing. Several strategies work one after the other, each on what the one before
left, so ranks compare like words in a dictionary.

Together with a reduction: where the reduction's choice of steps lies within what the strategies leave, only that choice
is explored, otherwise all they leave. So no step is explored that the strategies would not take, and what the reduction
leaves out it could also leave out without them. Neither makes the search exhaustive, and its verdict never says so.
"""

from collections.abc import Hashable, Sequence
from typing import Any, TypeAlias

from sdnloom.engine import user_code as evaluate
from sdnloom.engine.memo import Local, Memo
from sdnloom.engine.model import ModelError, Outcome, Step, Strategy

Ranks: TypeAlias = tuple[int | None, ...]  # one per strategy


class Composed:
    """Several strategies as one: the first decides, the next among what it left. Memories are kept side by side."""

    def __init__(self, parts: Sequence[Strategy]) -> None:
        self.parts = tuple(part for one in parts for part in parts_of(one))

    @property
    def name(self) -> str:
        """The names of all."""
        return " + ".join(part.name for part in self.parts)

    @property
    def skips(self) -> str:
        """What they skip, one after the other."""
        return "; ".join(part.skips for part in self.parts)

    @property
    def initial(self) -> Hashable:
        """All memories at the start."""
        return tuple(part.initial for part in self.parts)

    def rank(self, memory: Any, step: Step, outcome: Outcome) -> int | None:
        """No single number says it: use `parts_of`."""
        raise ModelError(f"the strategies {self.name} have a rank each")

    def after(self, memory: Any, step: Step, outcome: Outcome) -> Hashable:
        """All memories after the step."""
        return tuple(part.after(one, step, outcome) for part, one in zip(self.parts, memory, strict=True))


def parts_of(strategy: Strategy | None) -> tuple[Strategy, ...]:
    """The single strategies that one is made of, in order."""
    if strategy is None:
        return ()
    return strategy.parts if isinstance(strategy, Composed) else (strategy,)


def skipped(strategy: Strategy) -> str:
    """Why a search under a strategy did not see everything."""
    return "; ".join(f"the strategy {part.name} skips {part.skips}" for part in parts_of(strategy))


def ranks_of(strategy: Strategy, memory: Any, step: Step, outcome: Outcome) -> Ranks:
    """The ranks that the parts of a strategy give a step."""
    memories = memory if isinstance(strategy, Composed) else (memory,)
    pairs = zip(parts_of(strategy), memories, strict=True)
    return tuple(evaluate.rank(part, one, step, outcome) for part, one in pairs)


def least(ranks: Sequence[Ranks]) -> list[bool]:
    """For each enabled step, by its ranks, whether the strategies leave it."""
    left = [True] * len(ranks)
    for layer in range(len(ranks[0]) if ranks else 0):
        known = [one[layer] for one, here in zip(ranks, left, strict=True) if here]
        lowest = min((rank for rank in known if rank is not None), default=None)
        left = [here and one[layer] in (None, lowest) for one, here in zip(ranks, left, strict=True)]
    return left


class Ranking:
    """The ranks of a strategy on numbered outcomes, asked once for each memory and outcome."""

    def __init__(self, strategy: Strategy, tables: Memo) -> None:
        self.strategy, self.tables = strategy, tables
        self._known: dict[tuple[Any, int], tuple[Ranks, Hashable]] = {}

    def of(self, memory: Any, local: Local) -> tuple[Ranks, Hashable]:
        """The ranks of an outcome under a memory, and the memory after it."""
        known = self._known.get((memory, local.number))
        if known is None:
            step = self.tables.step_of(local)
            ranks = ranks_of(self.strategy, memory, step, local.outcome)
            known = self._known[memory, local.number] = (
                ranks,
                evaluate.after(self.strategy, memory, step, local.outcome),
            )
        return known
