"""Options of a swarm, and what each member does of it."""

from dataclasses import dataclass, field

from sdnloom.engine.limits import available_cores
from sdnloom.engine.swarm.sample import MEMBER_SAMPLE
from sdnloom.engine.swarm.state_hash import MOST_SLOTS
from sdnloom.errors import SdnloomError

# Depth bounds of the members in turn, in hundredths of the depth that probes have found; the first has the whole bound.
# Members of one depth meet again and again at the end of their paths, and then cover less.
_DEPTHS = (100, 80, 60, 50)
MOST_MEMBERS = 10_000
_ALL_SAMPLES = 1 << 18  # hashes that all members keep together, about


@dataclass(frozen=True)
class MemberPlan:
    """What one member does: its seed decides its hash function and the order in which it takes steps."""

    number: int
    seed: str
    depth: int
    transitions: int
    sample_size: int = MEMBER_SAMPLE


@dataclass(frozen=True)
class SwarmOptions:
    """How large a swarm is. `memory` is the size of the bit array of a member; each job has one at a time."""

    seed: int = 0
    members: int = 10
    transitions: int = 1_000_000  # that a member explores at most
    depth: int = 1000  # steps of a path at most
    memory: int = 64 << 20  # bytes
    bits_per_state: int = 3
    # Processes; None is one for each core that this process may use. They have no effect on results.
    jobs: int | None = field(default=None, compare=False)
    seconds: float | None = None  # of the whole run

    def __post_init__(self) -> None:
        least = {"seed": 0, "members": 1, "transitions": 1, "depth": 1, "memory": 1, "bits_per_state": 1, "jobs": 1}
        for name, bound in least.items():
            value = getattr(self, name)
            if (type(value) is not int or value < bound) and not (name == "jobs" and value is None):
                raise SdnloomError(f"swarm: {name} is {value!r}; expected a whole number of at least {bound}")
        if self.members > MOST_MEMBERS:
            raise SdnloomError(f"swarm: members is {self.members}; expected at most {MOST_MEMBERS}")
        if self.bits_per_state > MOST_SLOTS - 1:
            raise SdnloomError(f"swarm: bits_per_state is {self.bits_per_state}; expected at most {MOST_SLOTS - 1}")
        seconds = self.seconds
        if seconds is not None and (type(seconds) not in (int, float) or not 0 < seconds < float("inf")):
            raise SdnloomError(f"swarm: seconds is {seconds!r}; expected a positive number")

    def plan(self, number: int, probed: int) -> MemberPlan:
        """What the member of a number does, from 1 on, if probes went so deep. The number of jobs has no effect."""
        share = _DEPTHS[(number - 1) % len(_DEPTHS)]
        depth = self.depth if share == 100 else max(1, min(self.depth, probed) * share // 100)
        return MemberPlan(number, f"{self.seed}/{number}", depth, self.transitions, self.sample_size)

    @property
    def sample_size(self) -> int:
        """How many hashes of states a member keeps."""
        return min(MEMBER_SAMPLE, max(64, _ALL_SAMPLES // self.members))

    @property
    def processes(self) -> int:
        """How many processes are wanted."""
        return min(self.members, self.jobs or available_cores())
