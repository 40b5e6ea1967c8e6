"""Links: which channel a packet goes to when it leaves a port, and what may happen to it on the way."""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from sdnloom.engine.disciplines import Fifo, Lossy, Ports, Reorder
from sdnloom.engine.model import Channel, Content, Discipline, Message, ModelError
from sdnloom.network.hosts.component import inbox, ports_of
from sdnloom.network.hosts.host import Host, HostView
from sdnloom.network.network import LinkFaults, Network, NetworkError
from sdnloom.network.packet import Packet
from sdnloom.network.topology.spec import SwitchPort

NO_FAULTS = LinkFaults()


class PortQueue(NamedTuple):
    """What waits at a port, and the faults that its link may still have."""

    port: int
    queue: tuple[Message, ...] = ()
    drop: int = 0
    duplicate: int = 0
    reorder: int = 0

    @property
    def idle(self) -> bool:
        """Whether nothing waits and nothing can go wrong any more: then the row says nothing."""
        return not (self.queue or self.drop or self.duplicate or self.reorder)


@dataclass(frozen=True)
class FaultyPorts:
    """`Ports` with budgets of faults for each port: a packet sent may be dropped or doubled, one received may overtake.

    Content: the tuple of rows, by port.
    """

    faults: tuple[tuple[int, LinkFaults], ...]
    senders: tuple[tuple[str, Any], ...] = ()
    many_senders: bool = True
    push_keeps: bool = False

    @property
    def empty(self) -> Content:
        """Nothing waits, all budgets are full."""
        rows = [
            PortQueue(port, (), each.drop, each.duplicate, each.reorder)
            for port, each in sorted(self.faults, key=_port)
        ]
        return tuple(row for row in rows if not row.idle)

    def undisturbed(self, content: tuple[PortQueue, ...]) -> frozenset[str]:
        """Those who send only behind waiting packets that nothing can overtake."""
        steady = {row.port for row in content if row.queue and not row.reorder}
        return frozenset(
            {name for name, _ in self.senders} - {name for name, port in self.senders if port not in steady}
        )

    def push(self, content: tuple[PortQueue, ...], message: Message) -> tuple[tuple[str, Content], ...]:
        """The packet is stored, or dropped, or stored twice."""
        if not isinstance(message, tuple) or len(message) != 2:
            raise ModelError(f"a message on a channel of ports must be (port, payload), got {message!r}")
        port, payload = message
        row = next((each for each in content if each.port == port), PortQueue(port))
        results = [("", row._replace(queue=(*row.queue, payload)))]
        if row.drop:
            results.append(("drop", row._replace(drop=row.drop - 1)))
        if row.duplicate:
            results.append(
                ("duplicate", row._replace(queue=(*row.queue, payload, payload), duplicate=row.duplicate - 1))
            )
        return tuple((label, _with(content, changed)) for label, changed in results)

    def take(self, content: tuple[PortQueue, ...]) -> tuple[tuple[str, Message, Content], ...]:
        """One packet from each port that has any: its first, or a later one that overtakes."""
        busy = [row for row in content if row.queue]
        if not busy:
            return ()
        results = []
        for picks in itertools.product(*(_picks(row) for row in busy)):
            rest = content
            for _, _, row in picks:
                rest = _with(rest, row)
            heads = tuple((row.port, payload) for row, (_, payload, _) in zip(busy, picks, strict=True))
            results.append(("+".join(label for label, _, _ in picks if label), heads, rest))
        return tuple(results)

    def waiting(self, content: tuple[PortQueue, ...]) -> tuple[tuple[Message, ...], tuple[Message, ...]]:
        """The packets, with their ports, that may come next, and those that may come after them."""
        next_ones = [(row.port, one) for row in content for one in (row.queue if row.reorder else row.queue[:1])]
        later = [(row.port, one) for row in content for one in row.queue[0 if row.reorder else 1 :]]
        return tuple(next_ones), tuple(later)


def _port(pair: tuple[int, LinkFaults]) -> int:
    return pair[0]


def _with(content: Sequence[PortQueue], row: PortQueue) -> tuple[PortQueue, ...]:
    rows = [each for each in content if each.port != row.port]
    return tuple(sorted(rows if row.idle else [*rows, row], key=lambda each: each.port))


def _picks(row: PortQueue) -> list[tuple[str, Message, PortQueue]]:
    found = []
    for index, payload in enumerate(row.queue):
        # Equal neighbours are interchangeable: overtaking one's own copy is no event.
        if index == 0 or (row.reorder and row.queue[index - 1] != payload):
            rest = row._replace(queue=row.queue[:index] + row.queue[index + 1 :], reorder=row.reorder - (index > 0))
            found.append((f"overtake {index} at {row.port}" if index else "", payload, rest))
    return found


class Target(NamedTuple):
    """Where a packet goes that leaves a port: a channel and, at a switch, the port it comes in at."""

    channel: str
    port: int | None = None

    def message(self, packet: Packet) -> Message:
        """What is put on the channel."""
        return packet if self.port is None else (self.port, packet)


@dataclass(frozen=True)
class Wiring:
    """Where every port leads, and the channels of all links."""

    targets: Mapping[SwitchPort, Target]
    channels: tuple[Channel, ...]


def wire_network(network: Network, hosts: Sequence[tuple[Host, HostView]]) -> Wiring:
    """Return the wiring of a network. Raises NetworkError if a port has two uses or a fault no link."""
    topology = network.topology
    faults = _faults(network)
    targets: dict[SwitchPort, Target] = {}
    senders: dict[str, list[tuple[str, int]]] = {switch.name: [] for switch in topology.switches}
    at_ports: dict[str, list[tuple[int, LinkFaults]]] = {switch.name: [] for switch in topology.switches}
    channels: list[Channel] = []

    def lead(sender: str, to: SwitchPort, of_link: LinkFaults) -> None:
        senders[to.switch].append((sender, to.port))
        if of_link != NO_FAULTS:
            at_ports[to.switch].append((to.port, of_link))

    for link in topology.links:
        for here, there in (link.ends, link.ends[::-1]):
            targets[here] = Target(f"{there.switch}.in", there.port)
            lead(here.switch, there, faults.get(link.name, NO_FAULTS))
    for host, view in hosts:
        ports = ports_of(host, view)
        of_cable = faults.get(host.name, NO_FAULTS)
        for port in ports:
            if port in targets:
                raise NetworkError(
                    f"host {host.name!r} may be at {port}, which leads to {targets[port].channel!r}; "
                    "expected a port of its own"
                )
            name = inbox(host.name, port, ports)
            targets[port] = Target(name)
            lead(host.name, port, of_cable)
            channels.append(Channel(name, host.name, _cable(of_cable)))
    for switch in topology.switches:
        who = tuple(sorted(senders[switch.name]))
        some = tuple(sorted(at_ports[switch.name], key=_port))
        discipline: Discipline = FaultyPorts(some, who) if some else Ports(who)
        channels.append(Channel(f"{switch.name}.in", switch.name, discipline))
    return Wiring(targets, tuple(channels))


def _cable(faults: LinkFaults) -> Discipline:
    """The way from a switch to a host."""
    queue: Discipline = Reorder(faults.reorder) if faults.reorder else Fifo()
    return Lossy(faults.drop, faults.duplicate, queue) if faults.drop or faults.duplicate else queue


def link_names(network: Network) -> dict[str, tuple[SwitchPort, ...]]:
    """Return the switch ports of every link and host cable, by every name that a fault may use."""
    names: dict[str, tuple[SwitchPort, ...]] = {host.name: (host.switch_port,) for host in network.topology.hosts}
    for link in network.topology.links:
        one, other = link.ends
        names[link.name] = names[f"{other}-{one}"] = link.ends
    return names


def _faults(network: Network) -> dict[str, LinkFaults]:
    """Return the faults by the name of the link."""
    names = link_names(network)
    own: dict[tuple[SwitchPort, ...], str] = {link.ends: link.name for link in network.topology.links}
    found: dict[str, LinkFaults] = {}
    for given, faults in network.link_faults:
        if given not in names:
            raise NetworkError(f"faults of {given!r}, which is no link; expected one of {', '.join(sorted(names))}")
        name = own.get(names[given], given)
        if name in found:
            raise NetworkError(f"faults of the link {name!r} are given twice; expected them once")
        found[name] = faults
    return found
