"""One member of a swarm: a bitstate depth-first search with a random order of steps and bounds on depth and effort.

Only the path to the present state and the steps not yet taken from it are stored, beside the bit array and the memo of
local steps. The same graph, plan and options give the same member, whatever the process and its hash seed.
"""

import math
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from sdnloom.engine.counterexample.finding_log import FindingLog
from sdnloom.engine.stop_points import LimitReached
from sdnloom.engine.swarm.bit_array import BitArray, expected_omissions
from sdnloom.engine.swarm.options import MemberPlan
from sdnloom.engine.swarm.sample import BottomSample
from sdnloom.engine.swarm.state_hash import SLOT_MASK, ContentDigests, StateHash

_PAUSE = 1024  # steps taken between two looks at the limits
Pulse = Callable[[int, int], str | None]  # (states, transitions) so far -> why to stop now
End = Literal["exhausted", "share", "violation", "stopped"]


@dataclass(frozen=True)
class MemberOutcome:
    """What became of a member. `sample` has the smallest hashes of its states; all of them if they are few."""

    plan: MemberPlan
    end: End  # nothing new was left, its share of transitions was done, a violation was found, or a limit was reached
    states: int
    transitions: int
    depth: int  # the greatest number of steps to a state
    cut: bool  # whether states at the depth bound were not expanded
    bits_set: int
    odds: float  # at the end, that a new state is taken for a known one
    omitted: float  # states met that were taken for known ones: the expected number; infinite if the bit array is full
    sample: tuple[int, ...]
    choices: tuple[int, ...] = ()  # the path to the violation: the place of each step among the enabled ones
    violated: str = ""  # the name of the property
    stopped: str | None = None  # the limit that was reached
    restless: str | None = None  # why a violation at rest could not be judged
    outlived: bool = False  # whether a violation at rest ended when what was still waited for had happened

    @property
    def share_omitted(self) -> float:
        """The expected share of the states met that were taken for known ones."""
        if self.omitted == math.inf:
            return 1.0
        return self.omitted / (self.states + self.omitted) if self.states else 0.0


class BitstateSearch:
    """The search of one member."""

    def __init__(
        self, digests: ContentDigests, plan: MemberPlan, memory: int, bits_per_state: int, log: FindingLog, pulse: Pulse
    ) -> None:
        self.graph, self.plan, self.log = digests.graph, plan, log
        self._pulse = pulse
        self._hash = StateHash(digests, plan.seed, bits_per_state)
        self._known = BitArray(memory, bits_per_state)
        self._sample = BottomSample(plan.sample_size)
        self._random = random.Random(plan.seed).random
        self.path: list[int] = []  # the states from the initial one to the present one
        self.states = self.transitions = self.depth = 0
        self.cut = False
        self._omitted, self._counted = 0.0, 0  # expected omissions, while so many states were counted
        self._reason: str | None = None
        log.value = lambda number: self.graph.value(self.path[-1])

    def run(self) -> End:
        """Search until a violation, the end of the share, a limit, or until nothing new is left."""
        try:
            return self._search()
        except LimitReached as reached:
            self._reason = reached.reason
            return "stopped"

    def outcome(self, end: End, choices: tuple[int, ...] = (), violated: str = "") -> MemberOutcome:
        """What became of the member."""
        self._count_omissions()
        return MemberOutcome(
            *(self.plan, end, self.states, self.transitions, self.depth, self.cut),
            *(self._known.bits_set, self._known.odds, self._omitted, self._sample.smallest(), choices, violated),
            *(self._reason, self.log.restless, self.log.outlived),
        )

    def _search(self) -> End:
        plan, path, chance = self.plan, self.path, self._random
        waiting: list[list[int]] = []  # for each state of the path the steps from it that are left
        left = list(self.graph.initial())
        turns = 0
        while True:
            if turns % _PAUSE == 0:
                self._count_omissions()
                self._reason = self._pulse(self.states, self.transitions)
                if self._reason is not None:
                    return "stopped"
            turns += 1
            if not left:
                if not waiting:
                    return "exhausted"
                path.pop()
                left = waiting.pop()
                continue
            if len(left) > 1:
                place = int(chance() * len(left))
                left[place], left[-1] = left[-1], left[place]
            state = left.pop()
            if not self._is_new(state):
                continue
            path.append(state)
            level = len(path) - 1
            self.depth = max(self.depth, level)
            if self._violates(state):
                return "violation"
            if level == plan.depth:
                self.cut = self.cut or bool(self.graph.successors(state))
                path.pop()
                continue
            if self.transitions >= plan.transitions:
                return "share"
            found = self.graph.successors(state)
            self.transitions += len(found)
            waiting.append(left)
            left = list(found)

    def _is_new(self, state: int) -> bool:
        """Note a state; whether it is new, as far as the bit array can tell."""
        number = self._hash(state)
        if not self._known.add(number):
            return False
        self.states += 1
        common = number & SLOT_MASK
        if common < self._sample.threshold:
            self._sample.add(common)
        return True

    def _violates(self, state: int) -> bool:
        """Whether a property is violated in the state."""
        number = self.states - 1
        return any(self.log.note(found, number) for found in self.graph.findings(state))

    def _count_omissions(self) -> None:
        """Add what was probably left out since the last time, at the odds of now."""
        fresh, self._counted = self.states - self._counted, self.states
        self._omitted += expected_omissions(fresh, self._known.odds)


def member_document(outcome: MemberOutcome) -> dict[str, Any]:
    """An outcome as plain values, for another process."""
    return {**vars(outcome), "plan": vars(outcome.plan)}


def member_of(document: dict[str, Any]) -> MemberOutcome:
    """The outcome that a document holds."""
    lists = {name: tuple(document[name]) for name in ("sample", "choices")}
    return MemberOutcome(**{**document, **lists, "plan": MemberPlan(**document["plan"])})
