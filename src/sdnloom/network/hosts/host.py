"""A host: what it does when a packet comes and what it does of its own accord. Subclass it to make your own.

A host describes its behaviour with plain values; `component.py` turns that into a component of the engine. A subclass
overrides at most five methods: `initial`, `receive`, `acts` with `bounds`, and `work`.
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from sdnloom.engine.model import Cell, Mode
from sdnloom.network.packet import Packet
from sdnloom.network.packet_id import add_packet_id, packet_id_of
from sdnloom.network.topology.spec import HostSpec, SwitchPort, Topology

STATE: frozenset[Cell] = frozenset({"state"})


@dataclass(frozen=True)
class HostView:
    """Where a host finds itself: its own addresses, the others', and what is to be seen of it.

    With `identity` packets can be told apart; with `rest` the host says when the network has come to rest after a move.
    `at` is its port when it does something of its own accord; None is the port where it started.
    """

    me: HostSpec
    topology: Topology
    identity: bool = False
    rest: bool = False
    at: SwitchPort | None = None

    @property
    def port(self) -> SwitchPort:
        """The port that the host is plugged into now."""
        return self.me.switch_port if self.at is None else self.at

    def other(self, name: str) -> HostSpec:
        """The host of that name."""
        return self.topology.host(name)

    def stamped(self, packet: Packet, number: int | str) -> Packet:
        """The packet as this host's n-th, where packets have identities; the number must be used once."""
        return add_packet_id(packet, f"{self.me.name}:{number}") if self.identity else packet

    def answered(self, packet: Packet, answer: Packet, before: tuple[str, ...]) -> tuple[Packet, tuple[str, ...]]:
        """The answer to a packet with an identity made from the packet's, and the requests answered so far.

        A request that comes twice is answered twice, and the two answers are two packets.
        """
        if not self.identity:
            return answer, before
        request = packet_id_of(packet)
        copies = before.count(request)
        number = f"to:{request}:{copies + 1}" if copies else f"to:{request}"
        return self.stamped(answer, number), tuple(sorted((*before, request)))


class HostStep(NamedTuple):
    """One thing a host may do: its new state, packets to send, tasks for later, and perhaps a new port."""

    state: Hashable
    packets: tuple[Packet, ...] = ()
    tasks: tuple[Hashable, ...] = ()
    port: SwitchPort | None = None
    choice: str = ""  # tells this from the other things it may do instead
    ignores: bool = False  # it does nothing about the packet, and would do nothing in any other state


@dataclass(frozen=True)
class HostAction:
    """Something a host does of its own accord; `step` returns nothing while it cannot."""

    name: str
    step: Callable[[HostView, Any], Sequence[HostStep]]
    mode: Mode = Mode.MAY
    cells: frozenset[Cell] = STATE
    sends: bool = True
    moves: bool = False


@dataclass(frozen=True)
class Host:
    """A host that takes what comes and never sends."""

    name: str

    @property
    def answers_at_once(self) -> bool:
        """Whether `receive` may send packets."""
        return False

    @property
    def works(self) -> bool:
        """Whether it gives itself tasks; they wait in no particular order and are done by `work`."""
        return False

    @property
    def receive_cells(self) -> frozenset[Cell]:
        """The part of its state that `receive` touches: {"state"}, or nothing."""
        return STATE

    @property
    def work_cells(self) -> frozenset[Cell]:
        """The part of its state that `work` touches."""
        return STATE

    def ports(self) -> tuple[SwitchPort, ...]:
        """Further ports where the host may be plugged in; the topology has the first."""
        return ()

    def initial(self, view: HostView) -> Hashable:
        """Its state at the start."""
        return None

    def receive(self, view: HostView, state: Any, packet: Packet) -> Sequence[HostStep]:
        """What it may do with a packet, at least one thing. The packet need not be meant for it."""
        return (HostStep(state),)

    def acts(self, view: HostView) -> tuple[HostAction, ...]:
        """What it does of its own accord."""
        return ()

    def bounds(self) -> tuple[str, ...]:
        """Upper bounds of what it does of its own accord, such as "2 packets"; every verdict states them.

        A class with `acts` of its own inherits no bounds: they would be those of other actions.
        """
        kind = type(self)
        if kind.acts is Host.acts:
            return ()
        return (f"an unknown number of actions (class {kind.__name__} states no bounds)",)

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "acts" in vars(cls) and "bounds" not in vars(cls):
            cls.bounds = Host.bounds  # type: ignore[method-assign]

    def work(self, view: HostView, state: Any, task: Any) -> Sequence[HostStep]:
        """What it may do about a task."""
        return (HostStep(state),)

    def check(self, view: HostView) -> None:
        """Raise SdnloomError if it cannot be what it is told to be in this network."""
