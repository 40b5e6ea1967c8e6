"""How much of a space a swarm has covered: estimates from the overlap of the samples of its members.

The members' samples are cut at one threshold. Below it, it is known which members have found each state, and these
states are a random sample of all that were found. If many of them were found by one member only, many were found by
none: Chao's estimator for capture-recapture (for two members that of Lincoln and Petersen) makes a number of that. It
assumes that members find states independently of each other. States that are hard to reach break this, and then the
space is larger than the estimate: so the size is an estimate from below, and the share from above.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from sdnloom.engine.swarm.sample import SAMPLE_SIZE
from sdnloom.engine.swarm.state_hash import SLOT_BITS

FEW = 10  # states found by two members: with fewer an estimate is poor


@dataclass(frozen=True)
class SwarmCoverage:
    """The states that all members together have found, and estimates of the space within their depth bounds."""

    found: float  # distinct states
    exact: bool  # whether that is a count, not an estimate
    sampled: int  # states whose finders are known
    once: int  # of these, found by one member
    twice: int  # of these, found by two members
    size: float | None  # of the space, an estimate from below; None if no state was found twice
    share: float | None  # of the space that was found, an estimate from above

    @property
    def is_poor(self) -> bool:
        """Whether too few states were found twice for a good estimate, while others were found once."""
        return self.once > 0 and self.twice < FEW


def coverage_of(samples: Sequence[tuple[int, ...]], sample_size: int = SAMPLE_SIZE) -> SwarmCoverage:
    """What the samples of members say; a sample with less than `sample_size` hashes has all states of its member."""
    whole = 1 << SLOT_BITS
    threshold = min((each[-1] + 1 for each in samples if len(each) >= sample_size), default=whole)
    finders = Counter(number for each in samples for number in each if number < threshold)
    sampled = len(finders)
    exact = threshold == whole
    found = float(sampled) if exact else (sampled - 1) * whole / threshold
    times = Counter(finders.values())
    unseen = estimated_unseen(times[1], times[2], len(samples))
    if unseen is None or not sampled:
        return SwarmCoverage(found, exact, sampled, times[1], times[2], None, None)
    share = sampled / (sampled + unseen)
    return SwarmCoverage(found, exact, sampled, times[1], times[2], found / share, share)


def estimated_unseen(once: int, twice: int, members: int) -> float | None:
    """Chao's estimate, from below, of the states that no member has found; None if the overlap says nothing."""
    if members < 2 or (once and not twice):
        return None
    return (members - 1) / members * once * (once - 1) / (2 * (twice + 1))
