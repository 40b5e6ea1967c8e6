"""The engine's contract: a System is components that exchange messages over channels, and properties to check.

Law: every function given here is pure, and equal values behave equally. The engine owns order, storage and identity.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, NamedTuple, Protocol, TypeAlias, runtime_checkable

from sdnloom.errors import SdnloomError

Core: TypeAlias = Hashable  # a component's state, or the id of a state that a platform stores
Message: TypeAlias = Hashable  # its repr is stable across processes and hash seeds
Content: TypeAlias = Hashable  # the contents of a channel
Event: TypeAlias = Hashable  # a fact for properties and reports; no step reads it
Cell: TypeAlias = Hashable  # part of a core, the unit of independence: "table", ("mac", "s1")

ALL: frozenset[Cell] = frozenset({"*"})
NONE: frozenset[Cell] = frozenset()


class ModelError(SdnloomError):
    """A system that breaks the contract. The message names the component, action and value."""


@dataclass(frozen=True)
class FaultKind:
    """A fault, or the absence of one (then false).

    `a + b` is both at once. `text` is the name of the fault in traces.
    """

    text: str = ""
    copies: int = 1  # of a message that is sent: 0 if it is dropped, 2 if it is duplicated
    overtakes: int = 0  # how many messages it is received before that were sent earlier

    def __bool__(self) -> bool:
        return bool(self.text)

    def __add__(self, other: "FaultKind") -> "FaultKind":
        text = "+".join(each.text for each in (self, other) if each)
        return FaultKind(text, self.copies * other.copies, self.overtakes + other.overtakes)

    def __repr__(self) -> str:
        return repr(self.text)


NO_FAULT = FaultKind()
DROP = FaultKind("drop", copies=0)
DUPLICATE = FaultKind("duplicate", copies=2)


def overtake(count: int, where: str = "") -> FaultKind:
    """The fault that a message is received before so many that were sent earlier; NO_FAULT for 0."""
    return FaultKind(f"overtake {count}{where}", overtakes=count) if count else NO_FAULT


class Discipline(Protocol):
    """How a channel stores messages.

    Each alternative says which fault happened, NO_FAULT for the ordinary one. Fault budgets live in the content.
    """

    @property
    def empty(self) -> Content:
        """The content of a new channel."""

    @property
    def many_senders(self) -> bool:
        """Law: pushes of different senders commute."""

    @property
    def push_keeps(self) -> bool:
        """Law: what could be taken before a push can be taken after it, with the same rest except for the push."""

    def undisturbed(self, content: Any) -> frozenset[str] | None:
        """The senders whose pushes, however many, do not change what can be taken now; None for all senders.

        Called only if something can be taken.
        """

    def push(self, content: Any, message: Message) -> tuple[tuple[FaultKind, Content], ...]:
        """Every (fault, content) that sending the message may leave."""

    def take(self, content: Any) -> tuple[tuple[FaultKind, Message, Content], ...]:
        """Every (fault, message, rest) that receiving may give, in a canonical order."""


@runtime_checkable
class ListsContent(Protocol):
    """A discipline that lists the messages it holds."""

    def waiting(self, content: Any) -> tuple[tuple[Message, ...], tuple[Message, ...]]:
        """The messages, or parts of them, that may be received next, and those that may be received after that one."""


@dataclass(frozen=True)
class Channel:
    """A named queue with exactly one receiving component."""

    name: str
    to: str
    discipline: Discipline


@dataclass(frozen=True)
class Outcome:
    """One result of a step. `reads` and `writes` are the cells that it touched; None means the declared ones."""

    core: Core
    sends: tuple[tuple[str, Message], ...] = ()
    events: tuple[Event, ...] = ()
    reads: frozenset[Cell] | None = None
    writes: frozenset[Cell] | None = None
    choice: str = ""  # tells this outcome from the step's others, for replay


@dataclass(frozen=True)
class Restart:
    """Returned by a step instead of outcomes: something that the search relied on was refuted.

    The search ends with this value as its verdict, and its caller searches again without the refuted assumption.
    """

    reason: str


class RestartRequired(SdnloomError):  # noqa: N818 (a request, not an error)
    """Raised where a single step is evaluated, by `Semantics` and its users, if the step returns a Restart.

    `search` catches it and returns the Restart.
    """

    def __init__(self, restart: Restart) -> None:
        self.restart = restart
        super().__init__(restart.reason)


class Footprint(NamedTuple):
    """Cells that are read and written, and channels that are sent on."""

    reads: frozenset[Cell]
    writes: frozenset[Cell]
    sends: frozenset[str]


class Mode(Enum):
    """When an action happens."""

    MUST = "must"  # happens if nothing else does; a state without an enabled MUST is quiescent
    MAY = "may"  # the environment: send, move, fail, fire a timer; a quiescent state may have some enabled
    IDLE = "idle"  # a MAY that is enabled only in quiescent states
    LATE = "late"  # enabled only in quiescent states; a violation at rest has to outlast it (`late.py`)


@dataclass(frozen=True)
class Action:
    """Something that a component can do. `step(core, message)` returns its outcomes; without any it is not enabled.

    A step may return a Restart instead, which ends the search.

    `footprint(core, before, message)` is what the step may do with a waiting message, if that is less than the action
    declares. It holds whatever the component's other actions do until then, and after the messages `before`, which wait
    too, were taken. If a channel delivers several parts at once, it is called for each (`ListsContent`).
    """

    name: str
    step: Callable[[Any, Any], Sequence[Outcome] | Restart]
    take: str | None = None  # the one channel it receives from; without one the message is None
    sends: frozenset[str] = frozenset()  # channels it may send on
    reads: frozenset[Cell] = ALL  # cells of its core it may read
    writes: frozenset[Cell] = ALL
    mode: Mode = Mode.MUST
    footprint: Callable[[Any, tuple[Any, ...], Any], Footprint] | None = None


def keep_core(core: Any) -> Core:
    """The core itself: the `canonical` of a component whose cores are all different."""
    return core  # type: ignore[no-any-return]


@dataclass(frozen=True)
class Component:
    """A named part of a system. `canonical` maps equivalent cores to one of them.

    `conflict(one, other)` says whether two different cells share a part; it is symmetric.
    `cell_text(cell)` is a cell as explanations print it.
    `waits(core)` is what the component still waits for, if anything; messages of violations at rest end with it.
    """

    name: str
    initial: Core
    actions: tuple[Action, ...]
    canonical: Callable[[Any], Core] = keep_core
    conflict: Callable[[Any, Any], bool] | None = None
    cell_text: Callable[[Any], str] | None = None
    waits: Callable[[Any], str | None] | None = None


class Needs(Enum):
    """When a property is checked, which decides the states that a reduction must keep for it."""

    EVENT = "event"  # at every event; its fold commutes and a violation stays: nothing extra to keep
    ORDER = "order"  # at every event; its fold does not commute: the actions that it watches conflict
    QUIESCENT = "quiescent"  # in states without an enabled MUST
    SETTLED = "settled"  # in states without an enabled MUST or IDLE
    STATE = "state"  # in every state: no reduction keeps them all


def _no_fold(memory: Any, event: Event) -> Hashable:
    return memory  # type: ignore[no-any-return]


@dataclass(frozen=True)
class Property:
    """A named predicate on its own memory of events and, if it is checked in states, on columns of the state.

    Law: the fold commutes, or `watches` names the actions on whose order the memory depends. For EVENT a violation
    stays. A search with reduction checks this on the memories and events that it meets.

    `violated(memory, columns)` returns a message or None. The message of a `sometimes` property is a witness: something
    desired can happen. A search without a witness reports that.
    """

    name: str
    needs: Needs
    violated: Callable[[Any, Mapping[str, Any]], str | None]
    watches: frozenset[tuple[str, str]] = frozenset()  # (component, action) pairs on whose order the memory depends
    fold: Callable[[Any, Event], Hashable] = _no_fold
    initial: Hashable = None
    columns: tuple[str, ...] = ()  # components and channels that `violated` reads
    sometimes: bool = False

    @property
    def has_memory(self) -> bool:
        """Whether the property has a memory."""
        return self.fold is not _no_fold


@dataclass(frozen=True)
class Observer:
    """Sees states during a search and changes nothing; its return value is ignored.

    `observe(columns)` is called once for each distinct combination of the values of its columns, in the order in which
    the search finds states; with a reduction or a strategy, of the states that are explored. Both engines make the same
    calls.
    """

    name: str
    columns: tuple[str, ...]  # components and channels
    observe: Callable[[Mapping[str, Any]], object]
    quiescent: bool = False  # only quiescent states


class Step(NamedTuple):
    """One line of a trace: names and values, never positions."""

    component: str
    action: str
    message: Message | None = None
    choice: str = ""
    faults: tuple[str, ...] = ()  # each as `fault_text` has it, in order


class Fault(NamedTuple):
    """The event that a channel did something to a message beyond delivering it."""

    channel: str
    kind: FaultKind
    message: Message


def fault_text(fault: Fault, number: int = 1) -> str:
    """The fault in a trace: "channel:kind", and for the n-th message that the step sends on the channel " n"."""
    return f"{fault.channel}:{fault.kind.text}" if number == 1 else f"{fault.channel}:{fault.kind.text} {number}"


class Strategy(Protocol):
    """A heuristic: in each state only the enabled steps of least rank are explored, so the verdict is never Holds.

    Law: `rank` and `after` are pure functions. The step that they are given has no faults.
    """

    @property
    def name(self) -> str:
        """The name shown in verdicts."""

    @property
    def skips(self) -> str:
        """The orderings that it leaves out, as text that follows "skips" in a verdict."""

    @property
    def initial(self) -> Hashable:
        """Its initial memory."""

    def rank(self, memory: Any, step: Step, outcome: Outcome) -> int | None:
        """A number from 0; only steps of least rank are explored. None: always explored."""

    def after(self, memory: Any, step: Step, outcome: Outcome) -> Hashable:
        """The memory after the step."""


@dataclass(frozen=True)
class System:
    """Components, the channels between them and the properties to check. Checked for consistency when built."""

    components: tuple[Component, ...]
    channels: tuple[Channel, ...] = ()
    properties: tuple[Property, ...] = ()

    def __post_init__(self) -> None:
        names = [component.name for component in self.components]
        receivers = {channel.name: channel.to for channel in self.channels}
        _distinct("column", names + [channel.name for channel in self.channels])
        _distinct("property", [prop.name for prop in self.properties])
        for channel in self.channels:
            if channel.to not in names:
                raise ModelError(
                    f"channel {channel.name!r} leads to {channel.to!r}; expected one of the components {names}"
                )
        for component in self.components:
            _distinct(f"action of component {component.name!r}", [action.name for action in component.actions])
            for action in component.actions:
                where = f"action {action.name!r} of component {component.name!r}"
                if action.take is not None and receivers.get(action.take) != component.name:
                    raise ModelError(f"{where} takes from {action.take!r}, which is no channel to {component.name!r}")
                for channel_name in sorted(action.sends - receivers.keys()):
                    raise ModelError(f"{where} declares that it sends on {channel_name!r}, which is no channel")
        actions = {(component.name, action.name) for component in self.components for action in component.actions}
        for prop in self.properties:
            needs: object = prop.needs  # a string is an easy mistake
            if not isinstance(needs, Needs):
                known = ", ".join(f"Needs.{one.name}" for one in Needs)
                raise ModelError(f"property {prop.name!r} needs {needs!r}; expected one of {known}")
            for column in prop.columns:
                if column not in names and column not in receivers:
                    raise ModelError(f"property {prop.name!r} reads the column {column!r}, no component or channel")
            if prop.columns and prop.needs in (Needs.EVENT, Needs.ORDER):
                raise ModelError(
                    f"property {prop.name!r} needs {prop.needs.value} and reads columns {list(prop.columns)}; "
                    "an event property sees only its own memory"
                )
            for watched in sorted(prop.watches - actions):
                raise ModelError(f"property {prop.name!r} watches {watched}, which is no (component, action)")


def _distinct(what: str, names: Sequence[str]) -> None:
    seen: set[str] = set()
    for name in names:
        if not isinstance(name, str) or not name:
            raise ModelError(f"{what} name {name!r}: expected a non-empty string")
        if name in seen:
            raise ModelError(f"{what} name {name!r} is used twice")
        seen.add(name)
