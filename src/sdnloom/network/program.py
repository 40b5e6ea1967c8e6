"""The contract between the network model and controller programs: `Program`, and protocols that a platform may add.

Law: `handle` is a pure function of core and input. A platform that runs real code restores the state that a core stands
for, runs the code, and returns the state as a new core.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol, TypeAlias, TypeVar, runtime_checkable

from sdnloom.engine.model import Cell, Event, Restart
from sdnloom.network.network import NamedAnswer, Network
from sdnloom.network.openflow import FeaturesReply, OpenFlowMessage, PortDesc, StatsReply


class SwitchUp(NamedTuple):
    """A switch connected. `features` are its answer when it is asked for them; None leaves them to the platform."""

    switch: str
    datapath_id: int
    ports: tuple[PortDesc, ...]
    features: FeaturesReply | None = None


@dataclass(frozen=True, slots=True)
class SwitchDown:
    """A switch lost its connection."""

    switch: str


class MessageIn(NamedTuple):
    """A message came from a switch."""

    switch: str
    message: OpenFlowMessage


@dataclass(frozen=True, slots=True)
class TimerInput:
    """A timer fired."""

    name: str


class Call(NamedTuple):
    """A call from outside: an operator command, a request to the program's interface, a configuration change."""

    name: str
    arguments: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True)
class ThreadTurn:
    """One of the program's ready threads runs; there is a reaction for each."""


@dataclass(frozen=True, slots=True)
class ClockTick:
    """Time passes until the program's next timer is due; there is a reaction for each timer that is due then."""


Input: TypeAlias = SwitchUp | SwitchDown | MessageIn | TimerInput | Call | ThreadTurn | ClockTick


@dataclass(frozen=True)
class Reaction:
    """Effect of an input on a program: its new core, messages to switches in order, and events.

    `reads` and `writes` are the cells of its core (`program_cells`) that it touched; None where that is not known.
    `drawn` is whether it drew random numbers that `choice` does not name.
    """

    core: Hashable
    messages: tuple[tuple[str, OpenFlowMessage], ...] = ()
    events: tuple[Event, ...] = ()
    choice: str = ""  # tells this reaction from the others to the same input
    reads: frozenset[Cell] | None = None
    writes: frozenset[Cell] | None = None
    drawn: bool = field(default=False, compare=False)


ReadsAndWrites: TypeAlias = tuple[frozenset[Cell], frozenset[Cell]]


@runtime_checkable
class Program(Protocol):
    """A controller program as the network sees it. Further abilities of a platform are the protocols below."""

    @property
    def name(self) -> str:
        """The name shown in reports."""

    def initial(self) -> Hashable:
        """The core of the program that has just started and knows no switch yet."""

    def handle(self, core: Any, given: Input) -> Sequence[Reaction] | Restart:
        """Every way the program may react; at least one, but none to a ThreadTurn or ClockTick that is not possible.

        A Restart, with the reason, if an assumption of earlier reactions is refuted. The program drops the assumption,
        and the search starts again from `initial`.
        """


@runtime_checkable
class SpeaksOpenFlow(Protocol):
    """A program that fixes the OpenFlow version. The controller component compares it with that of the switches."""

    @property
    def version(self) -> str:
        """The version, such as "1.0"."""


@runtime_checkable
class HasThreads(Protocol):
    """A program with threads. The controller component and the start-up ask whether to give it ThreadTurn."""

    @property
    def explores_threads(self) -> bool:
        """Whether each step of a thread is a step of the search; otherwise threads run inside of reactions."""

    @property
    def has_threads(self) -> bool:
        """Whether a thread of its own has run so far, in any state."""


@runtime_checkable
class HasClock(Protocol):
    """A program that can set timers. The controller component gives it ClockTick; the bounds name timers seen."""

    @property
    def timers_seen(self) -> tuple[str, ...]:
        """The timers that were set so far, in any state."""


@runtime_checkable
class ShowsWaits(Protocol):
    """A program that says which lines of its code wait for a timer. Messages of violations at rest ask."""

    def waits(self, core: Any) -> tuple[str, ...]:
        """The places, the one that is due first at the start: "monitor.py:35: hub.sleep(10)"."""


class StateEntry(NamedTuple):
    """One entry of a program's state as text: `mac_to_port[1][00:00:00:00:00:0a]` is the place, `1` the value."""

    attribute: str  # the part of the state that it belongs to: `mac_to_port`
    place: str
    value: str


@runtime_checkable
class ShowsState(Protocol):
    """A program that shows its state to people. Reports, pictures and stepping ask."""

    def state_entries(self, core: Any) -> tuple[StateEntry, ...]:
        """The entries of a state, each dict item by itself, in an order that depends on the state alone.

        No code of the program runs but what restores the state. Long values and tables are cut.
        """


RunContext: TypeAlias = Callable[[], AbstractContextManager[object]]


@runtime_checkable
class WatchesCode(Protocol):
    """A program that tells runs of its code from other work. A record of the lines that a step ran asks."""

    def handle_watched(self, core: Any, given: Input, watcher: RunContext) -> Sequence[Reaction]:
        """The reactions of `handle`, computed anew; the code of each runs in a context of its own, in their order.

        What the code prints is dropped: it was printed before.
        """


@runtime_checkable
class FirstReaction(Protocol):
    """A program that computes one reaction at less cost than all. The start-up asks, for it needs no other."""

    def first(self, core: Any, given: Input) -> Reaction | Restart | None:
        """The first of the reactions of `handle`; None if there is none."""


@dataclass(frozen=True)
class ControllerCommand:
    """How a program is run in a process of its own, as it would be without sdnloom.

    `module` is run by Python (`python -m MODULE`) and reads `document`, a JSON object, from its standard input.
    `what` says what runs then: "os-ken 4.2.2, native hub".
    """

    module: str
    document: Mapping[str, Any]
    environment: Mapping[str, str] = field(default_factory=dict)
    what: str = ""


@runtime_checkable
class RunsInProcess(Protocol):
    """A program that can run in a process of its own, with real connections. The confirmation of traces asks."""

    def controller_command(self, network: Network) -> ControllerCommand:
        """How to run it for the switches of a network: their version and, by datapath id, their names."""


@runtime_checkable
class ChecksInputs(Protocol):
    """A program that cannot be given every timer and call. The controller component asks before a search."""

    def check_input(self, given: Input) -> None:
        """Raise the error that `handle` would raise for this input in every state."""


@runtime_checkable
class DictOrderRestart(Protocol):
    """A program that leaves the insertion order of its dicts out of its cores until a reaction depends on it.

    Then it makes the order part of its cores and asks for a restart. A run that follows one path (replay, stepping)
    calls `keep_order` before: it saves nothing by merging states.
    """

    def keep_order(self) -> None:
        """Make insertion order part of every core from now on. Cores returned before are no longer valid."""


@runtime_checkable
class ReportsFootprint(Protocol):
    """A program that finds, by running a handler again, which cells it reads and writes. A reduction asks.

    A program that knows this without extra cost puts it into its reactions instead.
    """

    def footprint(self, core: Any, given: Input, reactions: Sequence[Reaction]) -> ReadsAndWrites | None:
        """The cells that the reactions read (written ones included) and write; None if that is not known."""


@runtime_checkable
class PromisesIndependence(Protocol):
    """A program that says whether its handlers keep to one switch at a time. A reduction asks."""

    @property
    def per_switch(self) -> bool | None:
        """True: a promise, and breaking it is an error. False: nothing is assumed. None: assumed until refuted."""


@runtime_checkable
class Preparable(Protocol):
    """A program that can restore a core ahead of time. A trace of a handler's lines asks, to record nothing else."""

    def prepare(self, core: Any) -> None:
        """Restore the core now, so that the next `handle` runs the handler alone."""


@runtime_checkable
class Reloadable(Protocol):
    """A program whose code can be loaded again. Coverage asks, to see the lines that run while loading."""

    def reloaded(self) -> Program:
        """The same program with the same options, loaded once more."""


@runtime_checkable
class DefinedByClass(Protocol):
    """A program that is one Python class. Coverage and the fingerprint of the code ask for it."""

    @property
    def kind(self) -> type:
        """The class."""


@runtime_checkable
class DescribesRun(Protocol):
    """A program that has something to say about how it was run. The stated bounds of a result include it."""

    @property
    def notes(self) -> tuple[str, ...]:
        """One line for each thing a reader of the result must know."""


class OutputLine(NamedTuple):
    """A line that a program printed or logged, when ("load", "start" or "run"), and how often."""

    when: str
    text: str
    times: int


@runtime_checkable
class KeepsOutput(Protocol):
    """A program whose output is kept instead of printed. A report has it."""

    @property
    def output(self) -> tuple[OutputLine, ...]:
        """The distinct lines so far, those of loading and starting first."""

    def show_output(self) -> None:
        """Add each line to the events of the reaction in which it is printed, from now on."""


@runtime_checkable
class DiscoversStatistics(Protocol):
    """A program whose possible statistics are discovered. The controller component asks for each reply."""

    def answers(self, core: Any, switch: str, reply: StatsReply) -> Sequence[NamedAnswer] | None:
        """The counters that the reply may carry, by label; None if the network's own answers count."""


@runtime_checkable
class ProgramWrapper(Protocol):
    """A program that runs another one. It implements only what it changes; `capability` finds the rest."""

    @property
    def wrapped(self) -> Program:
        """The program inside."""


class WrappedProgram:
    """Base of a program around another one, whose name and first core it has."""

    def __init__(self, program: Program) -> None:
        self.wrapped = program

    @property
    def name(self) -> str:
        """The program's name."""
        return self.wrapped.name

    def initial(self) -> Hashable:
        """The program's first core."""
        return self.wrapped.initial()


Capability = TypeVar("Capability")


def capability(program: object, protocol: type[Capability]) -> Capability | None:
    """The program, or the nearest program that it wraps, that implements a protocol; None if there is none."""
    while not isinstance(program, protocol):
        if not isinstance(program, ProgramWrapper):
            return None
        program = program.wrapped
    return program


def keep_order(program: Program) -> None:
    """Make the insertion order of dicts part of the program's cores, where it is not: for a run along one path."""
    ordered = capability(program, DictOrderRestart)
    if ordered is not None:
        ordered.keep_order()
