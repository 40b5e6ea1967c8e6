"""The base class of hosts and the values that describe what a host does. Subclass `Host` to make your own.

A host describes its behaviour with plain values; `component.py` turns them into a component of the engine. A subclass
overrides at most five methods: `initial`, `receive`, `acts` with `bounds`, and `work`.
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from sdnloom.engine.model import Cell, Mode
from sdnloom.network.network import NetworkError
from sdnloom.network.packet import Packet
from sdnloom.network.packet_id import add_packet_id, arp_id, packet_id_of
from sdnloom.network.topology.spec import HostSpec, SwitchPort, Topology
from sdnloom.network.value import ip, ip4_text

STATE: frozenset[Cell] = frozenset({"state"})


@dataclass(frozen=True)
class HostView:
    """The network as one host sees it: its own addresses and port, and the addresses of the others.

    With `identity` the packets of hosts carry packet ids; with `rest` a host that moved reports when the network has
    come to rest. `at` is the port of the host; None is the port where it starts.
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

    def address_of(self, target: str) -> int:
        """The IP address of a target: the name of a host, or an IPv4 address as text. Raises SdnloomError."""
        return ip(target) if target[:1].isdigit() and ":" not in target else self.other(target).ip

    def mac_without_arp(self, address: int) -> int:
        """The MAC address to which a packet for an IP address is sent by a host that knows all addresses.

        Raises NetworkError if it belongs to no host, such as the address of a gateway that only the program knows.
        """
        hop = self.me.next_hop(address)
        owner = next((host for host in self.topology.hosts if host.ip == hop), None)
        if owner is None:
            raise NetworkError(
                f"host {self.me.name!r} cannot know the MAC address of {ip4_text(hop)}, which belongs to no host; "
                "expected a host that resolves addresses with ARP (kind arp, or resolves)"
            )
        return owner.mac

    def with_packet_id(self, packet: Packet, number: int | str, first: bool = False) -> Packet:
        """The packet with an id made from this host's name and the number, if packets carry ids.

        Law: a host uses each number once. If it is the `first` time that the host sends an ARP packet of this content,
        that is id enough.
        """
        if not self.identity or (first and arp_id(packet)):
            return packet
        return add_packet_id(packet, f"{self.me.name}:{number}")

    def answer_with_id(self, packet: Packet, answer: Packet, before: tuple[str, ...]) -> tuple[Packet, tuple[str, ...]]:
        """The answer with an id made from the id of the packet, and the ids of all requests answered so far.

        For ARP these are the contents of the answers. A request that arrives twice is answered twice, and the two
        answers have different ids.
        """
        if not self.identity:
            return answer, before
        request, key = packet_id_of(packet), arp_id(answer) or packet_id_of(packet)
        copies = before.count(key)
        if request:
            number = f"to:{request}:{copies + 1}" if copies else f"to:{request}"
        else:
            number = f"answer:{copies + 1}"
        return self.with_packet_id(answer, number, first=not copies), tuple(sorted((*before, key)))


class HostStep(NamedTuple):
    """One thing that a host may do: its new state, packets to send, tasks for later, and the port it moves to."""

    state: Hashable
    packets: tuple[Packet, ...] = ()
    tasks: tuple[Hashable, ...] = ()
    port: SwitchPort | None = None
    choice: str = ""  # label that tells this step from its alternatives
    ignores: bool = False  # the host ignores the packet, and would in every other state


class HostTraffic(NamedTuple):
    """What a host sends of its own accord, for people: in words, and in numbers where they are known.

    `packets` and `unanswered` are upper bounds; None is no bound, or none that is known.
    """

    text: str
    to: tuple[str, ...] = ()
    packets: int | None = 0
    unanswered: int | None = None
    discovered: int = 0
    moves: int = 0
    tcp: bool = False


@dataclass(frozen=True)
class HostAction:
    """An action that a host takes without receiving a packet; `step` returns an empty sequence while it is disabled."""

    name: str
    step: Callable[[HostView, Any], Sequence[HostStep]]
    mode: Mode = Mode.MAY
    cells: frozenset[Cell] = STATE
    sends: bool = True
    moves: bool = False


@dataclass(frozen=True)
class Host:
    """A host that receives every packet and never sends one."""

    name: str

    @property
    def answers_at_once(self) -> bool:
        """Whether `receive` may send packets."""
        return False

    def addresses_wanted(self, view: HostView) -> frozenset[int]:
        """The IP addresses that it may ask for with ARP, and those that it may ping."""
        return frozenset()

    @property
    def works(self) -> bool:
        """Whether its steps create tasks. Tasks wait in no particular order until `work` does them."""
        return False

    @property
    def receive_cells(self) -> frozenset[Cell]:
        """The cells of its state that `receive` reads and writes: {"state"}, or none."""
        return STATE

    @property
    def work_cells(self) -> frozenset[Cell]:
        """The cells of its state that `work` reads and writes."""
        return STATE

    def ports(self) -> tuple[SwitchPort, ...]:
        """Further ports where the host may be plugged in; the topology has the first."""
        return ()

    def initial(self, view: HostView) -> Hashable:
        """Its state at the start."""
        return None

    def receive(self, view: HostView, state: Any, packet: Packet) -> Sequence[HostStep]:
        """The possible steps for a packet, at least one. The packet may be addressed to another host."""
        return (HostStep(state),)

    def acts(self, view: HostView) -> tuple[HostAction, ...]:
        """The actions that it takes without receiving a packet."""
        return ()

    def bounds(self) -> tuple[str, ...]:
        """Upper bounds of its actions, such as "2 packets"; every verdict states them.

        A class with `acts` of its own inherits no bounds: they would be those of other actions.
        """
        kind = type(self)
        if kind.acts is Host.acts:
            return ()
        return (f"an unknown number of actions (class {kind.__name__} states no bounds)",)

    def traffic(self) -> HostTraffic:
        """What it sends. A class with `acts` of its own inherits no text: it would be about other actions."""
        kind = type(self)
        if kind.acts is not Host.acts:
            return HostTraffic(f"does what the class {kind.__name__} says", packets=None)
        return HostTraffic("answers packets" if self.works or self.answers_at_once else "only receives")

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "acts" in vars(cls) and "bounds" not in vars(cls):
            cls.bounds = Host.bounds  # type: ignore[method-assign]
        if "acts" in vars(cls) and "traffic" not in vars(cls):
            cls.traffic = Host.traffic  # type: ignore[method-assign]

    def work(self, view: HostView, state: Any, task: Any) -> Sequence[HostStep]:
        """The possible steps that do a task."""
        return (HostStep(state),)

    def check(self, view: HostView) -> None:
        """Raise SdnloomError if its attributes are wrong in this network."""
