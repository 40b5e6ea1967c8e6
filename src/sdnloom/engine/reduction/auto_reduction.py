"""When a search takes a reduction by itself (`reduce="auto"`).

A reduced search sees some of the states of the whole one, but each of its transitions costs more: in the loop as much
as ten without it, and some cost a derivation of a stubborn set or a second run of a handler. Most small searches are
faster without. So a search begins without a reduction. When it has grown, it makes a pause for a *trial*: the reduced
search begins, and explores as many levels as the whole one has. If it costs much less for that, it takes the place of
the whole search, which ends; if not, the whole search goes on, and the next trial is made when its effort is four times
as much. The states of a reduced search are states of the whole one, found at no smaller depth, so a trial asks for
steps of user code that were taken before.

All is counted and nothing is timed, so that results do not depend on the machine. Effort is counted in transitions of
the loop engine without a reduction.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

from sdnloom.engine.model import Observer, Restart, System
from sdnloom.engine.reduction.place_classes import PlaceClass
from sdnloom.engine.reduction.stubborn_sets import ReductionRefused, StubbornSets
from sdnloom.engine.result import Result, SearchOptions

HAND_OVER = 200_000  # transitions after which the kernel takes over from the loop
FIRST_TRIAL = 800_000  # the effort before the first trial: the kernel ends smaller searches in about a second
AGAIN = 4  # times the effort before the last trial
KERNEL_SPEED = 10  # transitions of the kernel that cost as much as one of the loop
TRANSITION, DERIVATION, FOOTPRINT = 10, 50, 1_000  # what a reduced search does, as so many transitions without one
MOST_OF_TRIAL = 0.4  # of the effort before, that a trial may take; footprints are found after it only
MOST_TO_TAKE = 0.6  # of the effort before, that the reduced search may have cost for the same levels, to be taken
SMALL = "small search"
SHORT_RUN = 30.0  # seconds; with less time the loop sees more states than the kernel, because it does not begin twice


class NoReduction(NamedTuple):
    """Why a caller of a search wants no reduction to be taken."""

    reason: str


IN_CLUSTER = NoReduction("workers of a cluster search without one unless it is asked for")
FOR_CHECKPOINT = NoReduction("a checkpoint keeps one search")


class ReducedSystems(Protocol):
    """The systems that a search with a reduction takes, if they are others than the one without.

    They may rest on assumptions; what a check of them costs can be put off until `settle`.
    """

    def system(self) -> System:
        """The system under the assumptions that are not refuted."""

    @property
    def footprints(self) -> int:
        """How many evaluations were taken again to check assumptions."""

    @property
    def unsettled(self) -> int:
        """How many of them `settle` will take."""

    def settle(self) -> Restart | None:
        """Check the assumptions on all that was evaluated, and put off nothing more; a Restart if one is refuted."""

    def concerns(self, restart: Restart) -> bool:
        """Whether this restart refuted an assumption of the last system, so that there is another one."""


class SameSystem:
    """The system of the search without a reduction, which assumes nothing."""

    footprints = unsettled = 0

    def __init__(self, system: System) -> None:
        self._system = system

    def system(self) -> System:
        """The system."""
        return self._system

    def settle(self) -> None:
        """Nothing is assumed."""

    def concerns(self, restart: Restart) -> bool:
        """Never: the search without a reduction meets the same restart."""
        return False


class ChangedSystems:
    """The same systems, each with a change."""

    def __init__(self, systems: ReducedSystems, change: Callable[[System], System]) -> None:
        self._systems, self._change = systems, change
        self.settle, self.concerns = systems.settle, systems.concerns

    def system(self) -> System:
        """The system, changed."""
        return self._change(self._systems.system())

    @property
    def footprints(self) -> int:
        """As without the change."""
        return self._systems.footprints

    @property
    def unsettled(self) -> int:
        """As without the change."""
        return self._systems.unsettled


class TrialRefused(Exception):  # noqa: N818 (an answer, not an error)
    """A trial shows that the reduced search should not take the place of the whole one; the message says why."""


class CountedSets(StubbornSets):
    """Stubborn sets that count how often one was derived."""

    asked = 0

    def subset(self, classes: tuple[PlaceClass, ...]) -> int | None:
        """The actions to explore in a state of these classes, None for all of them."""
        self.asked += 1
        return super().subset(classes)


def why_not(system: System, options: SearchOptions, observers: Sequence[Observer]) -> str | None:
    """Why no reduction is taken in a search that may take one by itself, None if nothing is in the way."""
    if options.order != "auto":
        return f"the order is {options.order}"
    if options.find_all:
        return "all violations are asked for, and a reduction may find fewer"
    if options.limits.depth is not None:
        return "a depth limit has no meaning with one"
    if options.strategy is not None:
        return "a strategy leaves out orders already"
    if options.checked:
        return "a checked run sees every order"
    if observers:
        return "every state is asked about"
    try:
        StubbornSets(system)
    except ReductionRefused as refused:
        return str(refused).rpartition("; ")[0]
    return None


class ReductionTrial:
    """A reduced search that may take the place of one that has explored every state of some depth.

    Raises TrialRefused as soon as it costs too much, until it is `taken`.
    """

    def __init__(self, systems: ReducedSystems, transitions: int, effort: int, depth: int, dives: int) -> None:
        self.transitions, self.dives = transitions, dives  # of the search before
        self._systems, self._effort, self._depth = systems, effort, depth
        self._sets: CountedSets | None = None
        self._known = systems.footprints
        self.taken = False

    @property
    def choice(self) -> str:
        """What the result says of it."""
        return f"taken at {self.transitions:,} transitions"

    def sets(self, system: System) -> StubbornSets:
        """The reduction of the search."""
        self._sets = CountedSets(system)
        return self._sets

    def look(self, transitions: int) -> None:
        """Say how many transitions the reduced search has."""
        if not self.taken and self._cost(transitions) > MOST_OF_TRIAL * self._effort:
            raise TrialRefused

    def is_far_enough(self, depth: int) -> bool:
        """Whether the reduced search can be compared when it has explored every state of this depth."""
        return not self.taken and depth >= self._depth

    def take(self, transitions: int) -> Restart | None:
        """Take the reduced search after so many transitions, and check what it assumes.

        Returns a Restart if that is refuted; then there has to be another trial.
        """
        footprints = self._systems.footprints - self._known + self._systems.unsettled
        if self._cost(transitions) + FOOTPRINT * footprints > MOST_TO_TAKE * self._effort:
            raise TrialRefused
        refuted = self._systems.settle()
        self.taken = refuted is None
        return refuted

    def _cost(self, transitions: int) -> int:
        assert self._sets is not None
        return TRANSITION * transitions + DERIVATION * self._sets.asked


class TrialSchedule:
    """When a search makes trials."""

    def __init__(self, with_kernel: bool) -> None:
        self._with_kernel = with_kernel
        self._due = FIRST_TRIAL  # effort

    def effort(self, transitions: int) -> int:
        """What so many transitions cost, if the kernel takes over from the loop."""
        beyond = max(0, transitions - HAND_OVER)
        return transitions - beyond + beyond // KERNEL_SPEED if self._with_kernel else transitions

    def is_due(self, transitions: int) -> bool:
        """Whether a trial is due after so many transitions; there is one at most for each call that says so."""
        if self.effort(transitions) < self._due:
            return False
        while self._due <= self.effort(transitions):
            self._due *= AGAIN
        return True


class ReductionChoice:
    """Decides in the pauses of a search whether a reduced search takes its place, and what the result says of that.

    `search_reduced` makes a trial and raises TrialRefused, or returns the result of the reduced search.
    """

    def __init__(
        self,
        system: System,
        options: SearchOptions,
        observers: Sequence[Observer],
        reduced: ReducedSystems | NoReduction | None,
        search_reduced: Callable[[System, ReductionTrial], Result],
    ) -> None:
        self._search_reduced = search_reduced
        if isinstance(reduced, NoReduction):
            self._against: str | None = reduced.reason
            self._systems: ReducedSystems = SameSystem(system)
        else:
            self._against = why_not(system, options, observers)
            self._systems = reduced or SameSystem(system)
        with_kernel = options.engine != "loop" and (options.limits.seconds or SHORT_RUN) >= SHORT_RUN
        self._schedule = TrialSchedule(with_kernel)
        self._reason = self._against or SMALL
        self.result: Result | None = None  # of the reduced search, if it took the place

    @property
    def words(self) -> str:
        """Why no reduction was taken."""
        return self._reason

    def takes_over(self, transitions: int, depth: int, dives: int) -> bool:
        """Make a trial if one is due; whether the reduced search took the place of this one.

        The search has so many transitions and dives, and has explored every state of the depth.
        """
        if self._against is not None or not self._schedule.is_due(transitions):
            return False
        effort = self._schedule.effort(transitions)
        try:
            while True:
                trial = ReductionTrial(self._systems, transitions, effort, depth, dives)
                result = self._search_reduced(self._systems.system(), trial)
                if not (isinstance(result.verdict, Restart) and self._systems.concerns(result.verdict)):
                    self.result = result
                    return True
        except TrialRefused as refused:
            if refused.args:
                self._against = self._reason = refused.args[0]
            else:
                self._reason = f"tried at {transitions:,} transitions, where it saved too little"
        return False
