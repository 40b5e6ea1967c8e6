"""Random strategies for tests: pure functions of memory, step and outcome without a pattern."""

import random
import zlib
from collections.abc import Hashable
from typing import Any

from sdnloom.engine.model import Outcome, Step, Strategy
from sdnloom.engine.stable_text import stable_text
from sdnloom.engine.strategy import StrategySequence


class Arbitrary:
    """Ranks and memories drawn from a hash of the arguments; some steps have no rank."""

    def __init__(self, seed: str, ranks: int, memories: int, unranked: int) -> None:
        self.seed, self.ranks, self.memories, self.unranked = seed, ranks, memories, unranked

    name = "ARBITRARY"
    skips = "at random"
    initial: Hashable = 0

    def rank(self, memory: Any, step: Step, outcome: Outcome) -> int | None:
        drawn = self._draw("rank", memory, step, outcome)
        return None if drawn % 10 < self.unranked else drawn // 10 % self.ranks

    def after(self, memory: Any, step: Step, outcome: Outcome) -> Hashable:
        return self._draw("after", memory, step, outcome) % self.memories

    def _draw(self, what: str, memory: Any, step: Step, outcome: Outcome) -> int:
        text = stable_text((self.seed, what, memory, step, outcome.sends, outcome.choice))
        return zlib.crc32(text.encode()) // 7


def random_strategy(seed: int) -> Strategy:
    """The strategy of a seed: one, or up to three composed."""
    rng = random.Random(f"strategy {seed}")
    parts = [
        Arbitrary(f"{seed}/{number}", rng.choice((1, 2, 3)), rng.choice((1, 1, 2, 3)), rng.choice((0, 0, 3, 6)))
        for number in range(rng.choice((1, 1, 1, 2, 3)))
    ]
    return parts[0] if len(parts) == 1 else StrategySequence(parts)
