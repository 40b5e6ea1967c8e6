"""The visited states on disk, as sorted runs, of which a younger one is much smaller than those before it."""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from sdnloom.engine.kernel.disk.files import DiskError, Folder
from sdnloom.engine.kernel.disk.runs import SortedRun, hashes_of, in_layout, joined_runs
from sdnloom.engine.kernel.jit_expand import NUMBER_MASK
from sdnloom.engine.kernel.layout import Array, Layout
from sdnloom.engine.kernel.states import States
from sdnloom.engine.kernel.threads import Team

MOST_ON_DISK = NUMBER_MASK - (1 << 24)  # that have numbers in the low half of a word
_PARALLEL = 1 << 14  # states that are worth a thread


class VisitedRuns:
    """Sorted runs in one order; no state is in two of them."""

    def __init__(self, folder: Folder) -> None:
        self._folder = folder
        self.runs: list[SortedRun] = []

    def add(self, run: SortedRun, size: int, pause: Callable[[], None]) -> None:
        """Add a run of states that no other run has."""
        if not run.count:
            run.close()
            return
        self.runs.append(run)
        first, total = len(self.runs) - 1, run.count
        if sum(run.count for run in self.runs) > MOST_ON_DISK:
            raise DiskError(f"a search on disk has room for {MOST_ON_DISK:,} states")
        while first > 0 and self.runs[first - 1].count <= 2 * total:
            first -= 1
            total += self.runs[first].count
        if first < len(self.runs) - 1:
            self.runs[first:] = [joined_runs(self._folder, self.runs[first:], run.layout, size, pause)]

    def change(self, layout: Layout, size: int, pause: Callable[[], None]) -> None:
        """Bring all runs to a layout; they are sorted again."""
        for at, run in enumerate(self.runs):
            if run.layout is not layout:
                self.runs[at] = in_layout(self._folder, run, layout, size, pause)

    def numbers(
        self, states: Array, layout: Layout, size: int, team: Team, pause: Callable[[], None]
    ) -> npt.NDArray[np.uint32]:
        """The numbers + 1 of sorted states; 0 for one that was not visited."""
        hashes = hashes_of(states, layout.words)
        numbers = np.zeros(len(hashes), np.uint32)
        for run in self.runs:
            _find(run, states, hashes, numbers, size, team)
            pause()
        return numbers

    def number_of(self, state: States) -> int:
        """The number of a state; -1 if it is not there."""
        values = state.values(0).tolist()
        for run in self.runs:
            if run.layout.holds([value + 1 for value in values]):
                number = run.number_of(run.layout.pack(values))
                if number >= 0:
                    return number
        return -1

    def close(self) -> None:
        """Free the room on disk."""
        for run in self.runs:
            run.close()


def _find(run: SortedRun, states: Array, hashes: Array, numbers: Array, size: int, team: Team) -> None:
    words = run.layout.words

    def find(first: int, last: int) -> None:
        run.mark(states[first * words : last * words], hashes[first:last], numbers[first:last], size // team.size)

    team.run_parts(find, len(hashes), _PARALLEL)
