"""A result as it is shown: findings, each with a trace of steps between lanes.

Every picture and export is a pure function of a `ResultView`. All texts are plain text, never markup: whoever writes
HTML, XML or another language escapes them. Steps are numbered from 1. Nothing here refers to the program or the
system, so a view can be written to a file and read by a stranger.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from sdnloom.platforms.code_runs import is_definition

ResultKind: TypeAlias = Literal["check", "actors", "races", "crosscheck", "trace"]
LaneKind: TypeAlias = Literal["controller", "switch", "host", "link", "actor", "element", "agent", "environment"]
TransferKind: TypeAlias = Literal["packet", "openflow", "message", "task"]
ViewVerdict: TypeAlias = Literal["violated", "holds", "vacuous", "incomplete"]


@dataclass(frozen=True, slots=True)
class LaneView:
    """A component: one vertical line of a sequence diagram, one node of a drawing of the network."""

    name: str
    kind: LaneKind


@dataclass(frozen=True, slots=True)
class WireView:
    """A connection between two lanes. Ports are texts, empty where there is none. `control` joins the controller."""

    one: str
    one_port: str
    other: str
    other_port: str
    control: bool = False
    up: bool = True


@dataclass(frozen=True, slots=True)
class StateLine:
    """One fact of a lane's state: `part` groups facts ("flow table", "mac_to_port", "waiting"), `text` is the fact.

    Two states differ in the lines that only one of them has, so a line holds one entry, not a whole table.
    """

    part: str
    text: str


LaneState: TypeAlias = tuple[StateLine, ...]


@dataclass(frozen=True, slots=True)
class CodeView:
    """A function of the program that a step ran: its file as a user knows it, its lines, and which of them ran."""

    file: str
    function: str
    first: int  # the number of its first line
    lines: tuple[str, ...]
    ran: tuple[int, ...]  # line numbers, in increasing order

    @property
    def line(self) -> int:
        """The number of the line of its `def`, which comes after its decorators."""
        return next((number for number, text in enumerate(self.lines, self.first) if is_definition(text)), self.first)


@dataclass(frozen=True, slots=True)
class TransferView:
    """Something that a step sends to a lane.

    `taken` is the number of the step that receives it: the sending step's own for a rendezvous, None if no step does.
    `packet` names the packet that it is or carries, as other transfers of the same packet do; "" if it has no name.
    `data` is what a wire would carry.
    """

    to: str
    text: str
    kind: TransferKind
    taken: int | None = None
    long: str = ""  # all of it, if `text` is shortened
    packet: str = ""
    port: str = ""  # of the sender, where it has ports
    to_port: str = ""
    data: bytes = b""


@dataclass(frozen=True, slots=True)
class StepView:
    """One step of a lane.

    `text` is the line of the report without its number, `long` all that is to be said. `effects` are what came of it
    beside transfers: dropped, lost, an exception. `causes` are the numbers of the steps that it depends on directly,
    `clock` counts for each lane the steps that happened before, itself included. `changes` has the new state of each
    lane whose state it changed, and `wires` all connections if it changed one.
    """

    number: int
    lane: str
    action: str
    text: str
    long: str = ""
    takes: str = ""  # the message that it receives, as text
    effects: tuple[str, ...] = ()
    transfers: tuple[TransferView, ...] = ()
    causes: tuple[int, ...] = ()
    clock: Mapping[str, int] = field(default_factory=dict)
    code: tuple[CodeView, ...] = ()
    changes: Mapping[str, LaneState] = field(default_factory=dict)
    wires: tuple[WireView, ...] | None = None
    environment: bool = False  # nobody has to take it: a host that sends, a move, a fault


@dataclass(frozen=True, slots=True)
class OrderingView:
    """Two steps without a cause between them: whether their order matters, and whether fixing it removes the trace.

    `removes` is None if that was not found out. `text` says all of it in a sentence.
    """

    first: int
    second: int
    text: str
    matters: bool
    removes: bool | None = None


@dataclass(frozen=True, slots=True)
class TraceView:
    """A path: its lanes, their connections and states at the start, and its steps.

    `marked` are the numbers of the steps that the finding is about, such as the two events of a race.
    """

    lanes: tuple[LaneView, ...]
    steps: tuple[StepView, ...]
    wires: tuple[WireView, ...] = ()
    initial: Mapping[str, LaneState] = field(default_factory=dict)
    orderings: tuple[OrderingView, ...] = ()
    marked: tuple[int, ...] = ()
    length: str = ""  # how short it is, in words: "shortest counterexample, 25 steps"

    def last_code(self) -> tuple[str, int]:
        """File and line of the function of the program that ran last; a constructor only if nothing else ran."""
        code = next((step.code for step in reversed(self.steps) if step.code), ())
        main = next((each for each in code if not each.function.endswith("__init__")), code[0] if code else None)
        return (main.file, main.line) if main else ("", 0)


@dataclass(frozen=True, slots=True)
class FindingView:
    """A violation, race or difference. `facts` are (label, text); `file` and `line` are a place in the program."""

    property: str
    message: str
    trace: TraceView | None = None
    facts: tuple[tuple[str, str], ...] = ()
    file: str = ""
    line: int = 0
    trace_file: str = ""  # that `sdnloom replay` takes
    known: bool = False  # accepted by a baseline


@dataclass(frozen=True, slots=True)
class ResultView:
    """The result of one command on one input. `facts` are (label, text): what was searched, bounds, what was tried."""

    kind: ResultKind
    name: str
    verdict: ViewVerdict
    headline: str
    properties: tuple[str, ...] = ()
    findings: tuple[FindingView, ...] = ()
    facts: tuple[tuple[str, str], ...] = ()
    seconds: float = 0.0
    version: str = ""  # of sdnloom
