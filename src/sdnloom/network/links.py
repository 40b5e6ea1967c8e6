"""Links: the channel that each port leads to, and the faults that a link may have."""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from sdnloom.engine.disciplines import Fifo, Lossy, Ports, Reorder
from sdnloom.engine.model import (
    DROP,
    DUPLICATE,
    NO_FAULT,
    Channel,
    Content,
    Discipline,
    FaultKind,
    Message,
    ModelError,
    overtake,
)
from sdnloom.network.hosts.component import inbox, ports_of
from sdnloom.network.hosts.host import Host, HostView
from sdnloom.network.network import LinkFaults, Network, NetworkError
from sdnloom.network.packet import Packet
from sdnloom.network.topology.spec import SwitchPort

NO_FAULTS = LinkFaults()


class PortQueue(NamedTuple):
    """The packets that wait at a port, and the faults left of its link."""

    port: int
    queue: tuple[Message, ...] = ()
    drop: int = 0
    duplicate: int = 0
    reorder: int = 0

    @property
    def idle(self) -> bool:
        """Whether no packet waits and no fault is left: then the queue is left out of the content."""
        return not (self.queue or self.drop or self.duplicate or self.reorder)


@dataclass(frozen=True)
class FaultyPorts:
    """`Ports` with a fault budget per port: a push may drop or duplicate the packet, a take may reorder.

    Content: the tuple of queues that are not idle, by port.
    """

    faults: tuple[tuple[int, LinkFaults], ...]
    senders: tuple[tuple[str, Any], ...] = ()
    many_senders: bool = True
    push_keeps: bool = False

    @property
    def empty(self) -> Content:
        """No packet waits, all budgets are full."""
        rows = [
            PortQueue(port, (), each.drop, each.duplicate, each.reorder)
            for port, each in sorted(self.faults, key=_port)
        ]
        return tuple(row for row in rows if not row.idle)

    def undisturbed(self, content: tuple[PortQueue, ...]) -> frozenset[str]:
        """The senders whose packets all queue up behind packets that nothing can overtake."""
        steady = {row.port for row in content if row.queue and not row.reorder}
        return frozenset(
            {name for name, _ in self.senders} - {name for name, port in self.senders if port not in steady}
        )

    def push(self, content: tuple[PortQueue, ...], message: Message) -> tuple[tuple[FaultKind, Content], ...]:
        """Store the packet, drop it, or store it twice."""
        if not isinstance(message, tuple) or len(message) != 2:
            raise ModelError(f"a message on a channel of ports must be (port, payload), got {message!r}")
        port, payload = message
        row = next((each for each in content if each.port == port), PortQueue(port))
        results = [(NO_FAULT, row._replace(queue=(*row.queue, payload)))]
        if row.drop:
            results.append((DROP, row._replace(drop=row.drop - 1)))
        if row.duplicate:
            results.append((DUPLICATE, row._replace(queue=(*row.queue, payload, payload), duplicate=row.duplicate - 1)))
        return tuple((fault, _with(content, changed)) for fault, changed in results)

    def take(self, content: tuple[PortQueue, ...]) -> tuple[tuple[FaultKind, Message, Content], ...]:
        """Take one packet from each port where one waits: the first, or a later one that overtakes."""
        busy = [row for row in content if row.queue]
        if not busy:
            return ()
        results = []
        for picks in itertools.product(*(_picks(row) for row in busy)):
            rest = content
            for _, _, row in picks:
                rest = _with(rest, row)
            heads = tuple((row.port, payload) for row, (_, payload, _) in zip(busy, picks, strict=True))
            results.append((sum((fault for fault, _, _ in picks), NO_FAULT), heads, rest))
        return tuple(results)

    def waiting(self, content: tuple[PortQueue, ...]) -> tuple[tuple[Message, ...], tuple[Message, ...]]:
        """The packets that may be taken next and the packets that may be taken later, each with its port."""
        first = [(row.port, packet) for row in content for packet in (row.queue if row.reorder else row.queue[:1])]
        later = [(row.port, packet) for row in content for packet in row.queue[0 if row.reorder else 1 :]]
        return tuple(first), tuple(later)


def _port(pair: tuple[int, LinkFaults]) -> int:
    return pair[0]


def _with(content: Sequence[PortQueue], row: PortQueue) -> tuple[PortQueue, ...]:
    rows = [each for each in content if each.port != row.port]
    return tuple(sorted(rows if row.idle else [*rows, row], key=lambda each: each.port))


def _picks(row: PortQueue) -> list[tuple[FaultKind, Message, PortQueue]]:
    found = []
    for index, payload in enumerate(row.queue):
        # A packet that overtakes an equal packet changes nothing.
        if index == 0 or (row.reorder and row.queue[index - 1] != payload):
            rest = row._replace(queue=row.queue[:index] + row.queue[index + 1 :], reorder=row.reorder - (index > 0))
            found.append((overtake(index, f" at {row.port}"), payload, rest))
    return found


class Target(NamedTuple):
    """The other end of a port: a channel and, if it leads to a switch, the port of that switch."""

    channel: str
    port: int | None = None

    def message(self, packet: Packet) -> Message:
        """The message that carries a packet on the channel."""
        return packet if self.port is None else (self.port, packet)


@dataclass(frozen=True)
class Wiring:
    """The target of every switch port, and the channels of all links."""

    targets: Mapping[SwitchPort, Target]
    channels: tuple[Channel, ...]


def wire_network(network: Network, hosts: Sequence[tuple[Host, HostView]]) -> Wiring:
    """Return the wiring of a network. Raises NetworkError if a port is used twice or a fault names no link."""
    topology = network.topology
    faults = _faults(network)
    targets: dict[SwitchPort, Target] = {}
    senders: dict[str, list[tuple[str, int]]] = {switch.name: [] for switch in topology.switches}
    faulty: dict[str, list[tuple[int, LinkFaults]]] = {switch.name: [] for switch in topology.switches}
    channels: list[Channel] = []

    def add_sender(sender: str, to: SwitchPort, link_faults: LinkFaults) -> None:
        senders[to.switch].append((sender, to.port))
        if link_faults != NO_FAULTS:
            faulty[to.switch].append((to.port, link_faults))

    for link in topology.links:
        for one, other in (link.ends, link.ends[::-1]):
            targets[one] = Target(f"{other.switch}.in", other.port)
            add_sender(one.switch, other, faults.get(link.name, NO_FAULTS))
    for host, view in hosts:
        ports = ports_of(host, view)
        host_faults = faults.get(host.name, NO_FAULTS)
        for port in ports:
            if port in targets:
                other_end = targets[port].channel.rpartition(".in")[0]
                raise NetworkError(
                    f"host {host.name!r} may be at {port}, which leads to {other_end!r}; expected a port of its own"
                )
            name = inbox(host.name, port, ports)
            targets[port] = Target(name)
            add_sender(host.name, port, host_faults)
            channels.append(Channel(name, host.name, _host_discipline(host_faults)))
    for switch in topology.switches:
        by_port = tuple(sorted(senders[switch.name]))
        with_faults = tuple(sorted(faulty[switch.name], key=_port))
        discipline: Discipline = FaultyPorts(with_faults, by_port) if with_faults else Ports(by_port)
        channels.append(Channel(f"{switch.name}.in", switch.name, discipline))
    return Wiring(targets, tuple(channels))


def _host_discipline(faults: LinkFaults) -> Discipline:
    """Return the discipline of the channel from a switch to a host."""
    queue: Discipline = Reorder(faults.reorder) if faults.reorder else Fifo()
    return Lossy(faults.drop, faults.duplicate, queue) if faults.drop or faults.duplicate else queue


def link_names(network: Network) -> dict[str, tuple[SwitchPort, ...]]:
    """Return the switch ports of every link, by every name that a fault may use; a host's link has the host's name."""
    names: dict[str, tuple[SwitchPort, ...]] = {host.name: (host.switch_port,) for host in network.topology.hosts}
    for link in network.topology.links:
        one, other = link.ends
        names[link.name] = names[f"{other}-{one}"] = link.ends
    return names


def _faults(network: Network) -> dict[str, LinkFaults]:
    """Return the faults by the name of the link."""
    names = link_names(network)
    name_of: dict[tuple[SwitchPort, ...], str] = {link.ends: link.name for link in network.topology.links}
    found: dict[str, LinkFaults] = {}
    for given, faults in network.link_faults:
        if given not in names:
            raise NetworkError(f"faults of {given!r}, which is no link; expected one of {', '.join(sorted(names))}")
        name = name_of.get(names[given], given)
        if name in found:
            raise NetworkError(f"faults of the link {name!r} are given twice; expected them once")
        found[name] = faults
    return found
