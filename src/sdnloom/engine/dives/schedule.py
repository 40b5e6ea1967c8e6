"""When a breadth-first search makes a pause for a dive, and how long the dive may be.

Both are counted, never timed, so that the result of a search does not depend on the machine. Dives come between two
levels, where both engines have seen the same states: each time the effort of the search is four times as much. The
first dive may take a quarter of the effort that the search has taken before it, and each one 1.4 times as much as the
one before: the kernel goes on twenty times as fast as a dive, and must not wait for dives most of the time.

A time limit makes results depend on the machine anyway. So in a search that has used half of its time without a dive,
one is due.
"""

from math import isqrt

FIRST = 300_000  # effort before the first dive: a smaller search finds shortest counterexamples only
SHARE = 4  # the first dive takes one part in so many of that


class DiveSchedule:
    """The dives of one run. Effort is counted in transitions, each as often as a state has components."""

    def __init__(self, components: int) -> None:
        self.width = max(components, 1)
        self.dives = 0  # so many have begun

    def is_due(self, transitions: int, half_time: bool = False) -> bool:
        """Whether the next dive is due after so many transitions."""
        return transitions * self.width >= FIRST << 2 * self.dives or (half_time and not self.dives)

    def next_dive(self) -> tuple[int, int]:
        """The seed of the next dive, and the number of transitions that it may take."""
        number = self.dives
        self.dives += 1
        return number, isqrt((FIRST // SHARE) ** 2 << number) // self.width + 1
