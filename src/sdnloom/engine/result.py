"""Options, limits, statistics, verdicts and events of a search."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, TypeAlias

from sdnloom.engine.model import Restart, Strategy, System
from sdnloom.engine.path import Path
from sdnloom.engine.reduction.explain import Conflict
from sdnloom.engine.semantics import State, Transition
from sdnloom.errors import SdnloomError


@dataclass(frozen=True)
class Limits:
    """Limits at which a run ends as Incomplete, with all it has found. None is no limit."""

    states: int | None = None
    depth: int | None = None
    seconds: float | None = None
    memory: int | None = None  # bytes of resident memory of this process

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            kinds = (int, float) if name == "seconds" else (int,)
            if value is None or (type(value) in kinds and 0 < value < float("inf")):
                continue
            expected = "a positive number" if name == "seconds" else "a positive whole number"
            raise SdnloomError(f"limit {name} is {value!r}; expected {expected}")

    def bounds(self) -> tuple[str, ...]:
        """The limits in words."""
        texts = (
            ("at most {:,} state{}", self.states),
            ("at most {:,} step{} deep", self.depth),
            ("at most {:g} second{}", self.seconds),
            ("at most {:,} byte{} of memory", self.memory),
        )
        return tuple(text.format(limit, "" if limit == 1 else "s") for text, limit in texts if limit is not None)


SearchOrder: TypeAlias = Literal["auto", "bfs", "dfs"]
ReduceOption: TypeAlias = bool | Literal["auto"]
DISK_OPTION = "the folder for --disk"


@dataclass(frozen=True)
class ClusterOptions:
    """Where workers of a search run: on this machine ("local"), on the machines of a Ray cluster, or in this process.

    Each worker makes what it searches for itself, with what is given here: a function that Ray can pickle. `program`
    returns a `ClusterProgram`; it is called with `late_explored`. `scenario` returns a scenario, of which a check makes
    the program.
    """

    address: str  # "local", "in process", or the address of a cluster
    workers: int | None = None  # None is one for each machine of the cluster, two if they are local
    program: Callable[..., Any] | None = None
    scenario: Callable[[], Any] | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.address, str) or not self.address:
            raise SdnloomError(f"option cluster is {self.address!r}; expected local or the address of a Ray cluster")
        if self.workers is not None and (type(self.workers) is not int or self.workers < 1):
            raise SdnloomError(f"option workers is {self.workers!r}; expected a positive whole number")


@dataclass(frozen=True)
class SearchOptions:
    """How to search.

    The engine `auto` starts with the loop and changes to the kernel if the run is long. The order `auto` is breadth
    first; a long search makes dives into the depth in between (`dives/schedule.py`). With `reduce="auto"` a search
    begins without a reduction and takes one if it grows and that pays (`reduction/auto_reduction.py`).
    """

    engine: Literal["auto", "loop", "kernel"] = "auto"
    order: SearchOrder = "auto"
    reduce: ReduceOption = "auto"
    # Go on after a violation and report each distinct one once. With a reduction an EVENT property may report fewer
    # different violations, but at least one if there is any.
    find_all: bool = False
    strategy: Strategy | None = None
    limits: Limits = field(default_factory=Limits)
    threads: int | None = None  # of the kernel; None is one for each core
    # A folder: what does not fit into the memory goes to files there. The kernel searches, from the start.
    disk: str | None = None
    disk_place: str = field(default=DISK_OPTION, compare=False)  # where it is named, for messages
    cluster: ClusterOptions | None = None  # search in several processes; then breadth first, without dives
    explain: bool = False  # say in the result which actions conflict, and why
    checked: bool = False  # run every step twice, check footprints against commutation, check every law


class SentRoute(NamedTuple):
    """A component that sent on a channel; the port that it sent to, if the channel has ports."""

    sender: str
    channel: str
    port: Any = None


@dataclass(frozen=True)
class Statistics:
    """The size of a search."""

    engine: str
    states: int
    transitions: int
    depth: int  # the greatest number of steps to a state, as the search found it
    seconds: float
    evaluations: dict[str, int] = field(default_factory=dict)  # component -> how often its code ran
    cores: dict[str, int] = field(default_factory=dict)  # component -> how many distinct cores it had
    active: frozenset[str] = frozenset()  # the components that can take a step in some state
    bytes_per_state: float | None = None
    dives: int = 0  # into the depth, beside a breadth-first search
    dive_states: int = 0  # found in dives; the search may have found them too
    routes: frozenset[SentRoute] = frozenset()  # on which something was sent
    disk_bytes: int = 0  # the most that was in files at once; 0 if all was in memory


@dataclass(frozen=True)
class Counterexample:
    """A violation (or a witness) with its path and the transitions of the path, as one replay gave them.

    Transitions are not compared: they hold functions of the system that was searched. `system` is that system: its
    components and channels have the order of the states' parts.
    """

    property: str
    message: str
    path: Path
    shortest: bool
    initial: State = field(compare=False, repr=False)  # the state before the first step
    transitions: tuple[Transition, ...] = field(compare=False, repr=False)  # one for each step of the path
    minimal: bool = True  # no single step can be left out; False if there was no time to find that out
    system: System | None = field(default=None, compare=False, repr=False)  # None for a program of actors

    def final_state(self) -> State:
        """The state at the end of the path."""
        return self.transitions[-1].state if self.transitions else self.initial


@dataclass(frozen=True)
class Violated:
    """A property is violated; the counterexample is the first one found."""

    counterexample: Counterexample


@dataclass(frozen=True)
class Holds:
    """No violation in an exhaustive search."""


@dataclass(frozen=True)
class Vacuous:
    """No violation in an exhaustive search, but too little happened for that to mean much; each reason is a text."""

    reasons: tuple[str, ...]


@dataclass(frozen=True)
class Incomplete:
    """No violation so far, and the reason why the search was not exhaustive."""

    reason: str


# Why a search is not exhaustive that was not to go on after a violation.
AT_FIRST = "the search ended at the first violation"
BEFORE_SEARCH = "the violation comes before the search, which was not started"
# How a search ends. After a Restart the caller searches again; users never see it.
Verdict: TypeAlias = Violated | Holds | Vacuous | Incomplete | Restart
VerdictName: TypeAlias = Literal["holds", "vacuous", "violated", "incomplete"]  # as users see it


def verdict_name(verdict: Verdict) -> VerdictName:
    """The verdict as users see it."""
    match verdict:
        case Violated():
            return "violated"
        case Holds():
            return "holds"
        case Vacuous():
            return "vacuous"
        case Incomplete():
            return "incomplete"
        case Restart():
            raise AssertionError("a search that has to restart gives no report")


@dataclass(frozen=True)
class Result:
    """The answer of a search. `never` names the `sometimes` properties that no state witnessed.

    With the verdict Restart there is nothing but the statistics so far.
    """

    verdict: Verdict
    statistics: Statistics
    violations: tuple[Counterexample, ...] = ()
    witnesses: tuple[Counterexample, ...] = ()
    never: tuple[str, ...] = ()
    late_explored: bool = False  # whether LATE actions ended a violation at rest, so that they were explored too
    incomplete: str | None = None  # why the search was not exhaustive, also if it found a violation
    reduction: tuple[str, ...] = ()  # the reductions that were used, by name
    choice: str | None = None  # with `reduce="auto"`: when a reduction was taken, or why none was
    conflicts: tuple[Conflict, ...] = ()  # with the option `explain`
    restarts: tuple[str, ...] = ()  # for callers: why earlier searches for the same answer ended with a Restart


@dataclass(frozen=True)
class Progress:
    """The size of a search that is running."""

    states: int
    transitions: int
    frontier: int
    depth: int
    seconds: float
    memory: int
    engine: str
    dive: tuple[int, int, int] | None = None  # during a dive: its number, states and depth
    round: int = 1  # of a search that begins again when it has learned more
    again: int | None = None  # an engine that began again has found so many of the states


@dataclass(frozen=True)
class CounterexampleFound:
    """A violation, or a witness, was found and replayed."""

    counterexample: Counterexample
    witness: bool


@dataclass(frozen=True)
class Notice:
    """A line of text for the user."""

    text: str


@dataclass(frozen=True)
class Activity:
    """What a run does beside searching, for a line that is replaced; `part` says which of several searches it is at."""

    part: str
    text: str
    seconds: float


# The notice at the first Ctrl-C.
STOPPING = Notice("stopping after the present step; press Ctrl-C again to stop at once")


@dataclass(frozen=True)
class Finished:
    """The last event of a search. A search that ends with a Restart has none, because it starts again."""

    result: Result


SearchEvent: TypeAlias = Progress | CounterexampleFound | Notice | Activity | Finished
