"""One step of a switch: it collects effects and returns them as a value; nothing is performed."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from sdnloom.network.openflow import (
    FlowRemovedReason,
    Match,
    PacketInReason,
    PortDesc,
    PortReason,
    Role,
)
from sdnloom.network.openflow.messages import FlowRemoved, OpenFlowMessage, PacketIn, PortStatus
from sdnloom.network.packet import Packet
from sdnloom.network.switch.cells import Cell
from sdnloom.network.switch.config import Switch, SwitchError
from sdnloom.network.switch.core import FlowEntry, SwitchCore
from sdnloom.network.switch.decisions import PacketDecision
from sdnloom.network.value import Value

_T = TypeVar("_T")
MAX_OUTCOMES = 1024  # outcomes of one step, because choices multiply


@dataclass(frozen=True, slots=True, repr=False)
class Ambiguous(Value):
    """Event: several entries of equal priority matched one packet, and the choice between them made a difference."""

    table: int
    priority: int
    matches: tuple[Match, ...]


@dataclass(frozen=True, slots=True, repr=False)
class BufferExpired(Value):
    """Event: a buffered packet was discarded because its time was up."""

    buffer_id: int
    packet: Packet


@dataclass(frozen=True, slots=True, repr=False)
class LocalDropped(Value):
    """Event: a copy of a packet was to leave through the port LOCAL, which is down."""

    packet: Packet


@dataclass(frozen=True, slots=True, repr=False)
class SwitchOutcome(Value):
    """The result of one step: new core, packets out of ports in order, messages to the controller in order.

    `reads` and `writes` are the cells touched (`cells.py`); `choice` is the label of this outcome if there are several.
    """

    core: SwitchCore
    outputs: tuple[tuple[int, Packet], ...] = ()
    messages: tuple[OpenFlowMessage, ...] = ()
    events: tuple[Value, ...] = ()
    reads: frozenset[Cell] = frozenset()
    writes: frozenset[Cell] = frozenset()
    choice: str = ""

    def __repr__(self) -> str:
        cells = {name: sorted(map(repr, getattr(self, name))) for name in ("reads", "writes")}
        shown = ", ".join(f"{name}={{{', '.join(found)}}}" for name, found in cells.items())
        fixed = replace(self, reads=frozenset(), writes=frozenset())
        return f"{super(SwitchOutcome, fixed).__repr__()[:-1]}, {shown})"


class RefusedMessage(Exception):  # noqa: N818 - no error of sdnloom: the switch refuses a message
    """A message is answered with an error and changes nothing. It never leaves this package."""

    def __init__(self, type_name: str, code: str) -> None:
        super().__init__(type_name, code)
        self.type_name, self.code = type_name, code


class SwitchStep:
    """Collects the effects of one step. Every choice is made by `choose`."""

    def __init__(self, config: Switch, core: SwitchCore, script: tuple[int, ...] = ()) -> None:
        self.config = config
        self.before = self.core = core
        self.outputs: list[tuple[int, Packet]] = []
        self.messages: list[OpenFlowMessage] = []
        self.events: list[Value] = []
        self.reads: set[Cell] = set()
        self.writes: set[Cell] = set()
        self.script = script
        self.widths: list[int] = []
        self.labels: list[str] = []
        self.deviates = False
        self.copies = 0
        self.decisions: list[PacketDecision] = []  # that depended on the packet, in order
        self.rewrites: dict[str, list[frozenset[str]]] = {
            "output": [],
            "packet in": [],
        }  # of each packet sent, in order
        self.learns_late = False
        self.learned: list[tuple[int, int, int, int]] = []

    def update(self, **changes: object) -> None:
        """Replace parts of the core."""
        self.core = replace(self.core, **changes)  # type: ignore[arg-type]

    def choose(self, options: Sequence[_T], label: Callable[[_T], str], fixed: bool = False) -> _T:
        """Return one of the options; the step runs again for each of the others.

        A fixed choice is always the first one; the others run only to find out whether they make a difference.
        """
        position = len(self.widths)
        self.widths.append(len(options))
        index = self.script[position] if position < len(self.script) else 0
        self.deviates |= fixed and index > 0
        if not fixed:
            self.labels.append(label(options[index]))
        return options[index]

    # -- ports --------------------------------------------------------------------------------------------------

    @property
    def ports(self) -> tuple[PortDesc, ...]:
        """The present ports."""
        return self.config.ports if self.core.ports is None else self.core.ports

    def port(self, number: int) -> PortDesc | None:
        """Return the port with that number, or None."""
        self.reads.add(("port", number))
        return next((port for port in self.ports if port.port_no == number), None)

    # -- asynchronous messages: sent if a controller is connected and its role and mask allow them --------------

    def packet_in(self, message: PacketIn) -> None:
        self._notify(message, self.core.settings.packet_in, PacketInReason(message.reason))

    def flow_removed(self, message: FlowRemoved) -> None:
        self._notify(message, self.core.settings.flow_removed, FlowRemovedReason(message.reason))

    def port_status(self, message: PortStatus) -> None:
        self._notify(message, self.core.settings.port_status, PortReason(message.reason))

    def listens(self, masks: tuple[int, int], reason: int) -> bool:
        """Return whether the controller receives asynchronous messages with this reason."""
        self.reads |= {"connection", "config"}
        slave = self.core.settings.role == Role.SLAVE
        return self.core.connected and bool(masks[slave] >> reason & 1)

    def _notify(self, message: OpenFlowMessage, masks: tuple[int, int], reason: int) -> None:
        if self.listens(masks, reason):
            self.messages.append(message)

    # -- removal ------------------------------------------------------------------------------------------------

    def report_removal(self, entry: FlowEntry, reason: int) -> None:
        """Report the removal of an entry, if the entry asks for it."""
        if entry.reports_removal:
            if self.config.counters:
                self.reads.add("time")
            self.flow_removed(
                FlowRemoved(
                    match=entry.match,
                    reason=int(reason),
                    priority=entry.wire_priority,
                    cookie=entry.cookie,
                    duration_sec=entry.age // 1000,
                    duration_nsec=entry.age % 1000 * 1_000_000,
                    idle_timeout=entry.idle_timeout,
                    hard_timeout=entry.hard_timeout if self.config.version != 1 else 0,
                    packet_count=entry.traffic.packets,
                    byte_count=entry.traffic.bytes,
                    table_id=entry.table if self.config.version != 1 else 0,
                )
            )

    def outcome(self) -> SwitchOutcome:
        """Return all effects as a value."""
        return SwitchOutcome(
            self.core,
            tuple(self.outputs),
            tuple(self.messages),
            tuple(self.events),
            frozenset(self.reads | self.writes),
            frozenset(self.writes - self._unchanged()),
            "; ".join(self.labels),
        )

    def _unchanged(self) -> set[Cell]:
        """Return the written cells of entries that did not change: they count as read only."""
        entries = [cell for cell in self.writes if isinstance(cell, tuple) and cell[0] == "flow"]
        if not entries:
            return set()
        was, now = ({entry.key: entry for entry in core.flows} for core in (self.before, self.core))
        return {cell for cell in entries if was.get(cell[1:]) == now.get(cell[1:])}


def all_outcomes(config: Switch, core: SwitchCore, run: Callable[[SwitchStep], None]) -> tuple[SwitchOutcome, ...]:
    """Return every outcome of a step, one per distinct effect, in the order of the choices.

    Alternatives with the same effect are one outcome. `Ambiguous` stays in the events only if an alternative, explored
    or ruled out by a fixed choice, has another effect.
    """
    steps: list[SwitchStep] = []
    pending: list[tuple[int, ...]] = [()]
    while pending:
        step = SwitchStep(config, core, pending.pop())
        run(step)
        if not step.widths:
            return (step.outcome(),)
        taken = step.script + (0,) * (len(step.widths) - len(step.script))
        # The deepest alternatives are pushed last and popped first, so outcomes come in the order of the choices.
        for position in range(len(step.script), len(taken)):
            others = range(step.widths[position] - 1, 0, -1)
            pending.extend((*taken[:position], other) for other in others)
        steps.append(step)
        if len(steps) > MAX_OUTCOMES:
            raise SwitchError(
                f"switch {config.datapath_id:#x}: one step has more than {MAX_OUTCOMES} outcomes:"
                " expected fewer overlapping entries or SELECT groups for one packet"
            )
    return _distinct(steps)


def _distinct(steps: list[SwitchStep]) -> tuple[SwitchOutcome, ...]:
    outcomes = [(step.deviates, step.outcome()) for step in steps]
    mattered = len({_effect(outcome) for _, outcome in outcomes}) > 1
    # The cells that determine the choice determine every alternative, so each alternative reads all of them.
    reads = frozenset[Cell]().union(*(outcome.reads for _, outcome in outcomes))
    kept: dict[object, SwitchOutcome] = {}
    for deviates, outcome in outcomes:
        if not deviates:
            kept.setdefault(_effect(outcome), outcome)
    return tuple(
        replace(
            outcome,
            reads=reads,
            events=tuple(event for event in outcome.events if mattered or not isinstance(event, Ambiguous)),
            choice=outcome.choice if len(kept) > 1 else "",
        )
        for outcome in kept.values()
    )


def _effect(outcome: SwitchOutcome) -> object:
    return outcome.core, outcome.outputs, outcome.messages
