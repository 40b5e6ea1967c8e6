"""How much of a space a swarm has covered: estimates from the overlap of the samples of its members.

The members' samples are cut at one threshold. Below it, it is known which members have found each state, and these
states are a random sample of all that were found. Capture-recapture makes a number of the states that nobody has found,
in two ways: from the states found once and twice (Chao), and from the overlap of two members, the median of all pairs
(Lincoln and Petersen). Both assume that members find states independently of each other. Where members meet in one part
of the space, the real share is smaller than both; where they are kept apart, it is greater. How much differs between
the two, so both are given.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import median

from sdnloom.engine.swarm.sample import MEMBER_SAMPLE
from sdnloom.engine.swarm.state_hash import SLOT_BITS

FEW_FOUND_TWICE = 10  # states found by two members: with fewer an estimate is poor
_PAIRED = 20  # members whose pairs are looked at


@dataclass(frozen=True)
class SwarmCoverage:
    """The states that all members together have found, and estimates of their share of the space.

    The share is None if the overlap of members says nothing. It is of the space that the depth bounds allow.
    """

    found: float  # distinct states
    exact: bool  # whether that is a count, not an estimate
    sampled: int  # states whose finders are known
    once: int  # of these, found by one member
    twice: int  # of these, found by two members
    share: tuple[float, float] | None = None  # the smaller and the greater estimate

    @property
    def size(self) -> tuple[float, float] | None:
        """The space by the same estimates, the smaller one first."""
        return None if self.share is None else (self.found / self.share[1], self.found / self.share[0])

    @property
    def is_poor(self) -> bool:
        """Whether too few states were found twice for a good estimate, while others were found once."""
        return self.once > 0 and self.twice < FEW_FOUND_TWICE


def coverage_of(samples: Sequence[tuple[int, ...]], sample_size: int = MEMBER_SAMPLE) -> SwarmCoverage:
    """What the samples of members say; a sample with less than `sample_size` hashes has all states of its member."""
    whole = 1 << SLOT_BITS
    threshold = min((each[-1] + 1 for each in samples if len(each) >= sample_size), default=whole)
    below = [{number for number in each if number < threshold} for each in samples]
    finders = Counter(number for each in below for number in each)
    sampled, times = len(finders), Counter(finders.values())
    once, twice, exact = times[1], times[2], threshold == whole
    found = float(sampled) if exact else (sampled - 1) * whole / threshold
    if len(samples) < 2 or not sampled or (once and not twice):
        return SwarmCoverage(found, exact, sampled, once, twice)
    sizes = (sampled + chao_unseen(once, twice, [*map(len, below)]), max(sampled, paired_size(below[:_PAIRED])))
    return SwarmCoverage(found, exact, sampled, once, twice, (sampled / max(sizes), sampled / min(sizes)))


def chao_unseen(once: int, twice: int, sizes: Sequence[int]) -> float:
    """Chao's estimate of the states that no member has found.

    Two finds, drawn at random from all, are those of two members with the probability 1 - sum of w * w, where w is the
    part that a member has in all finds; with n members of equal size that is (n - 1) / n, as Chao has it.
    """
    total = sum(sizes)
    different = 1 - sum((size / total) ** 2 for size in sizes)
    return different * once * (once - 1) / (2 * (twice + 1))


def paired_size(found: Sequence[set[int]]) -> float:
    """The median of the sizes of the space that pairs of members give, by Chapman's form of Lincoln and Petersen."""
    return median(
        (len(one) + 1) * (len(other) + 1) / (len(one & other) + 1) - 1 for one, other in combinations(found, 2)
    )
