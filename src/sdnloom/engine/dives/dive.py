"""A dive: a search that goes on from the latest state, and where that leads to nothing new from any state left over.

The choice is random with a seed, so the same graph, seed and budget give the same dive.
"""

import random
from collections.abc import Sequence
from typing import Any, Generic

from sdnloom.engine.graph import S
from sdnloom.engine.loop import LoopSearch

PAUSE = 64  # expansions between two checks of the limits


class DiveSearch(LoopSearch[S], Generic[S]):
    """A dive into a graph, until its states are used up, a finding ends it or `hand_over` says that it is enough.

    A reduction's cycle proviso is not checked: a dive proves nothing.
    """

    def __init__(self, seed: int, *given: Any, **options: Any) -> None:
        super().__init__(*given, **options, order="dfs")
        self._chooser = random.Random(seed)
        self.proviso = None

    def _depth(self, waiting: Sequence[int]) -> bool:
        """Expand states along one path after the other; True when the search is over."""
        left = [(number, 0) for number in waiting]
        turns = 0
        while left:
            place = self._chooser.randrange(len(left))
            left[place], left[-1] = left[-1], left[place]
            number, level = left.pop()
            while level != self.limits.depth:
                if turns % PAUSE == 0:
                    self.frontier = len(left)
                    if self._pause():
                        return True
                turns += 1
                first = len(self.states)
                if self._done_after(number, list(self.graph.successors(self.states[number]))):
                    return True
                fresh = range(first, len(self.states))
                if not fresh:
                    break
                level += 1
                self.depth = max(self.depth, level)
                number = self._chooser.choice(fresh)
                left += [(other, level) for other in fresh if other != number]
        return False
