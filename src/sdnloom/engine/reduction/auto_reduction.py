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

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from sdnloom.engine.checkpoint.file import CheckpointError
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
_MOST = 1 << 62  # of anything that is counted


class NoReduction(NamedTuple):
    """Why a caller of a search wants no reduction to be taken."""

    reason: str


IN_CLUSTER = NoReduction("workers of a cluster search without one unless it is asked for")


class ReducedSystems(Protocol):
    """The systems that a search with a reduction takes, if they are others than the one without.

    They may rest on assumptions; what a check of them costs can be put off until `settle`. Law: what a system does, and
    what its checks cost, follow from what is assumed of it, and not from systems before it. So another process gets the
    same from `assume` and `system`.
    """

    @property
    def assumed(self) -> Any:
        """What is assumed, and why no more, as plain data of a checkpoint."""

    def assume(self, saved: Any) -> None:
        """Assume what `assumed` was in another process. Raises CheckpointError for what it cannot have been."""

    def system(self) -> System:
        """A new system under the assumptions that are not refuted."""

    @property
    def footprints(self) -> int:
        """How many evaluations of the last system were taken again to check assumptions."""

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
    assumed = None

    def __init__(self, system: System) -> None:
        self._system = system

    def assume(self, saved: Any) -> None:
        """There is nothing to assume, so no process has saved anything."""
        raise CheckpointError(f"the checkpoint has assumptions of a reduction ({saved!r}); expected none")

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
        self.assume, self.settle, self.concerns = systems.assume, systems.settle, systems.concerns

    @property
    def assumed(self) -> Any:
        """As without the change."""
        return self._systems.assumed

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


class WholeSearch(NamedTuple):
    """How far the search without a reduction has come: it has explored every state of the depth."""

    transitions: int
    depth: int
    dives: int


class ReductionTrial:
    """A reduced search that may take the place of the whole one, which has come so far with this effort.

    Raises TrialRefused as soon as it costs too much, until it is `taken`.
    """

    def __init__(self, systems: ReducedSystems, whole: WholeSearch, effort: int, taken: bool = False) -> None:
        self.whole, self.taken = whole, taken
        self._systems, self._effort = systems, effort
        self._sets: CountedSets | None = None

    @property
    def choice(self) -> str:
        """What the result says of it."""
        return f"taken at {self.whole.transitions:,} transitions"

    def sets(self, system: System) -> StubbornSets:
        """The reduction of the search."""
        self._sets = CountedSets(system)
        return self._sets

    def look(self, transitions: int) -> None:
        """Say how many transitions the reduced search has."""
        if not self.taken and self._cost(transitions) > MOST_OF_TRIAL * self._effort:
            raise TrialRefused

    def is_far_enough(self, depth: int) -> bool:
        """Whether the reduced search is as far as the whole one when it has explored every state of this depth."""
        return depth >= self.whole.depth

    def take(self, transitions: int) -> Restart | None:
        """Take the reduced search after so many transitions, and check what it assumes.

        Returns a Restart if that is refuted; then there has to be another trial.
        """
        footprints = self._systems.footprints + self._systems.unsettled
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
        self.due = FIRST_TRIAL  # effort

    def effort(self, transitions: int) -> int:
        """What so many transitions cost, if the kernel takes over from the loop."""
        beyond = max(0, transitions - HAND_OVER)
        return transitions - beyond + beyond // KERNEL_SPEED if self._with_kernel else transitions

    def is_due(self, transitions: int) -> bool:
        """Whether a trial is due after so many transitions; there is one at most for each call that says so."""
        if self.effort(transitions) < self.due:
            return False
        while self.due <= self.effort(transitions):
            self.due *= AGAIN
        return True


class ReductionChoice:
    """Decides in the pauses of a search whether a reduced search takes its place, and what the result says of that.

    `search_reduced` makes a trial and raises TrialRefused, or returns the result of the reduced search. `kernel_alone`
    says that the search begins with the kernel.
    """

    def __init__(
        self,
        system: System,
        options: SearchOptions,
        observers: Sequence[Observer],
        reduced: ReducedSystems | NoReduction | None,
        search_reduced: Callable[[System, ReductionTrial], Result],
        kernel_alone: bool,
    ) -> None:
        self._search_reduced = search_reduced
        if isinstance(reduced, NoReduction):
            self._against: str | None = reduced.reason
            self._systems: ReducedSystems = SameSystem(system)
        else:
            self._against = why_not(system, options, observers)
            self._systems = reduced or SameSystem(system)
        hands_over = options.engine != "loop" and (options.limits.seconds or SHORT_RUN) >= SHORT_RUN
        self._schedule = TrialSchedule(kernel_alone or hands_over)
        self._reason, self._is_final = SMALL, False  # what trials have shown, and whether it excludes further ones
        self._trial: ReductionTrial | None = None  # that is made now, or was taken
        self._restored: Mapping[str, Any] | None = None
        self.result: Result | None = None  # of the reduced search, if it took the place

    @property
    def words(self) -> str:
        """Why no reduction was taken."""
        return self._against or self._reason

    def takes_over(self, whole: WholeSearch) -> bool:
        """Make a trial if one is due; whether the reduced search took the place of this one, which has come so far."""
        if self._against is not None or self._is_final or not self._schedule.is_due(whole.transitions):
            return False
        return self._is_tried(whole)

    def goes_on(self, whole: WholeSearch) -> bool:
        """Go on with the reduced search that a checkpoint is of, which was taken when this one had come so far.

        Whether it took the place of this one: if its assumptions were refuted, another one may cost too much.
        """
        return self._is_tried(whole, taken=True)

    def _is_tried(self, whole: WholeSearch, taken: bool = False) -> bool:
        effort = self._schedule.effort(whole.transitions)
        try:
            while True:
                system = self._systems.system()
                if taken and (refuted := self._systems.settle()) is not None:
                    raise CheckpointError(f"the program acts differently now: {refuted.reason}")
                self._trial = ReductionTrial(self._systems, whole, effort, taken)
                result = self._search_reduced(system, self._trial)
                if not (isinstance(result.verdict, Restart) and self._systems.concerns(result.verdict)):
                    self.result = result
                    return True
                taken = False
        except TrialRefused as refused:
            self._trial = None
            if refused.args:
                self._reason, self._is_final = refused.args[0], True
            else:
                self._reason = f"tried at {whole.transitions:,} transitions, where it saved too little"
        return False

    # Checkpoints

    def saved(self) -> Mapping[str, Any]:
        """What a checkpoint has of it: of the search without a reduction, or of a trial that is made now."""
        if self._against is not None and self._restored is not None:
            return self._restored  # this process makes no trials; the next one may
        return {
            "due": self._schedule.due,
            "reason": self._reason,
            "final": self._is_final,
            "assumed": None if self._against is not None else self._systems.assumed,
            "whole": None if self._trial is None else list(self._trial.whole),
        }

    def restore(self, saved: Mapping[str, Any]) -> WholeSearch | None:
        """Take over what was saved; if that was of a reduced search, where it took the place of this one.

        Raises CheckpointError for what a choice cannot have been.
        """
        due, reason, whole = saved["due"], saved["reason"], saved["whole"]
        if type(due) is not int or due < 1 or not isinstance(reason, str):
            raise CheckpointError(f"the checkpoint has a trial at {due!r} ({reason!r}); expected a count and a reason")
        if whole is not None:
            if not all(type(number) is int and 0 <= number < _MOST for number in whole):
                raise CheckpointError(f"the checkpoint has a reduction taken at {whole!r}; expected counts")
            if self._against is not None:
                raise CheckpointError(f"its search has taken a reduction, and none is possible now: {self._against}")
        self._restored = saved
        self._schedule.due, self._reason, self._is_final = due, reason, saved["final"] is True
        if self._against is None and saved["assumed"] is not None:
            self._systems.assume(saved["assumed"])
        return None if whole is None else WholeSearch(*whole)
