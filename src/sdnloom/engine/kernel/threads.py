"""The threads of a search. They run compiled code only, which does not need the interpreter's lock."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any


class Team:
    """Calls a function once for each of several threads, this one included."""

    def __init__(self, size: int) -> None:
        self.size = size
        self._pool: ThreadPoolExecutor | None = None

    def run(self, work: Callable[[int], Any], members: int) -> list[Any]:
        """`work(0)` to `work(members - 1)` at once; their results."""
        if members > 1 and self._pool is None:
            self._pool = ThreadPoolExecutor(self.size - 1, "sdnloom search")
        others = [self._pool.submit(work, number) for number in range(1, members)] if self._pool else []
        try:
            mine = work(0)
        finally:
            results = [other.result() for other in others]
        return [mine, *results]

    def run_parts(self, work: Callable[[int, int], Any], length: int, least: int) -> list[Any]:
        """`work(first, last)` for parts of a range, at once; parts of at least that length."""
        members = max(1, min(self.size, length // least))
        cuts = [length * number // members for number in range(members + 1)]
        return self.run(lambda number: work(cuts[number], cuts[number + 1]), members)

    def close(self) -> None:
        """End the other threads; what is called later is called in this one only."""
        self.size = 1
        if self._pool is not None:
            self._pool.shutdown()
            self._pool = None
