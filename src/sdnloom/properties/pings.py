"""PingsAnswered: every ping, and every ARP request before it, is answered when the network has come to rest."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

from sdnloom.engine.model import Event, Needs, Property
from sdnloom.network.build import NetworkView
from sdnloom.network.events import HostMoved, Received, Sent
from sdnloom.network.hosts.host import HostView
from sdnloom.network.packet import Arp, Ethernet, Icmp, IPv4, Mpls, Packet, Vlan
from sdnloom.network.packet_id import packet_id_of, written_id
from sdnloom.network.topology.spec import HostSpec
from sdnloom.network.traffic import ARP_REPLY, ARP_REQUEST, BROADCAST, ECHO_REPLY, ECHO_REQUEST, is_group
from sdnloom.network.value import ip4_text
from sdnloom.properties.base import NetworkProperty, lost_by_fault
from sdnloom.properties.restarts import Restarts, can_restart, fold_restart, restart_actions

_ANSWER = ":to:"  # in the id of an answer, between the host that answers and the id of the request


class _Exchange(NamedTuple):
    """A request and its answer: the IP address that asks, the one that is asked, and of a ping the request's id."""

    kind: Literal["ARP", "ping"]
    asker: int
    target: int
    id: str = ""


class _Exchanges(NamedTuple):
    """What has become of the requests that hosts sent. Sets only grow, so that the order of events does not matter."""

    asked: frozenset[_Exchange] = frozenset()
    reached: frozenset[_Exchange] = frozenset()  # the request has reached the host with the address
    replied: frozenset[_Exchange] = frozenset()  # a host has sent an answer
    answered: frozenset[_Exchange] = frozenset()  # the answer has reached the host that asked
    excused: frozenset[_Exchange] = frozenset()  # a fault dropped a copy of the request or of an answer
    moved: frozenset[str] = frozenset()
    restarts: Restarts = Restarts()


@dataclass(frozen=True)
class PingsAnswered(NetworkProperty):
    """Every ping that a host sent was answered, and every ARP request for an address that it needs. Checked at rest.

    Whoever answers counts: a host, or the program as an ARP proxy or for an address of its own. A host that receives
    the request and never answers requests (a sink) is not blamed. A request is excused if a fault dropped a copy of it
    or of its answer, or if a restart of a switch excuses one of them, as for `NoBlackHoles`; also if one of the two
    hosts has moved: `NoBlackHolesMobile` judges packets to hosts that move. An answer of the program without the
    payload of the ping counts for all pings of the host to that address.
    """

    name: str = "PingsAnswered"

    @property
    def identity(self) -> bool:
        """Yes: each ping counts."""
        return True

    def bind(self, view: NetworkView) -> tuple[Property, ...]:
        """Return one property, whose fold commutes unless switches restart."""
        restarts = can_restart(view)
        specs = {host.name: host for host in view.topology.hosts}
        addresses = {host.ip: host.mac for host in view.topology.hosts}
        wanted = {
            host.name: host.addresses_wanted(HostView(specs[host.name], view.topology)) for host in view.network.hosts
        }

        def fold(memory: _Exchanges, event: Event) -> _Exchanges:
            if restarts:
                memory = _after_restart(memory, event)
            if isinstance(event, HostMoved):
                return memory._replace(moved=memory.moved | {event.host})
            if isinstance(event, Sent):
                return _on_sent(memory, specs[event.host], event.packet, addresses, wanted.get(event.host, frozenset()))
            if isinstance(event, Received):
                return _on_received(memory, specs[event.host], event.packet)
            lost = lost_by_fault(event)
            part_of = None if lost is None else _lost_part(lost)
            return memory if part_of is None else memory._replace(excused=memory.excused | {part_of})

        def violated(memory: _Exchanges, _: Any) -> str | None:
            return next((text for each in sorted(memory.asked) if (text := _complaint(view, memory, each))), None)

        watches = restart_actions(view)
        return (Property(self.name, Needs.QUIESCENT, violated, watches=watches, fold=fold, initial=_Exchanges()),)


def _after_restart(memory: _Exchanges, event: Event) -> _Exchanges:
    """Return the memory with what a failure or a late first entry of a switch excuses."""
    effect = fold_restart(memory.restarts, event, _lost_part)
    excused: frozenset[Any] = effect.excused
    if effect.all_under_way:
        excused = frozenset(each for each in memory.asked if not _among(each, memory.answered))
    return memory._replace(excused=memory.excused | excused, restarts=effect.memory)


def _exchange_of(packet: Packet) -> tuple[Literal["request", "answer"], _Exchange] | None:
    """Return what an untagged packet is in an exchange; None if it is neither a ping nor ARP.

    An answer of a host has the id of the request in its own id; an answer of the program may have copied it.
    """
    kinds = tuple(type(header) for header in packet.headers)
    if kinds == (Ethernet, Arp):
        arp: Any = packet.headers[1]
        if arp.op == ARP_REQUEST and arp.spa != arp.tpa:
            return "request", _Exchange("ARP", arp.spa, arp.tpa)
        return ("answer", _Exchange("ARP", arp.tpa, arp.spa)) if arp.op == ARP_REPLY else None
    if kinds == (Ethernet, IPv4, Icmp):
        ip: Any = packet.headers[1]
        icmp: Any = packet.headers[2]
        id_text = packet_id_of(packet)
        if icmp.type == ECHO_REQUEST and icmp.code == 0:
            return "request", _Exchange("ping", ip.src, ip.dst, id_text)
        if icmp.type == ECHO_REPLY:
            return "answer", _Exchange("ping", ip.dst, ip.src, id_text.rpartition(_ANSWER)[2])
    return None


def _lost_part(packet: Packet) -> _Exchange | None:
    """Return the exchange that a packet inside of the network is part of, where it may have tags and labels."""
    inner = tuple(header for header in packet.headers if not isinstance(header, Vlan | Mpls))
    found = _exchange_of(replace(packet, headers=inner))
    if found is not None:
        return found[1]
    id_text = written_id(packet)  # what follows a label is not always known, but the id is
    return _Exchange("ping", 0, 0, id_text.rpartition(_ANSWER)[2]) if id_text else None


def _among(exchange: _Exchange, others: frozenset[_Exchange]) -> bool:
    """Whether an exchange is among others: a ping by its id, as addresses may be rewritten on the way, or without one.

    The id of the answer to a second copy of a request has a number after the request's id.
    """
    if exchange in others or exchange._replace(id="") in others:
        return True
    copies = f"{exchange.id}:"
    return exchange.id != "" and any(each.id == exchange.id or each.id.startswith(copies) for each in others)


def _complaint(view: NetworkView, memory: _Exchanges, exchange: _Exchange) -> str | None:
    """Return what is wrong with an exchange that has begun; None if nothing is."""
    asker, target = (
        next((host.name for host in view.topology.hosts if host.ip == address), "")
        for address in (exchange.asker, exchange.target)
    )
    if _among(exchange, memory.answered) or _among(exchange, memory.excused) or {asker, target} & memory.moved:
        return None
    whom = target or ip4_text(exchange.target)
    if exchange.kind == "ARP":
        text = f"{asker} never got an answer to its ARP request for {whom}"
    else:
        number = exchange.id.rpartition(":")[2]
        text = f"{asker}'s ping {number + ' ' if number else ''}to {whom} was not answered"
    if not _among(exchange, memory.reached):
        return f"{text}: the request never reached {target}" if target else text
    if not _among(exchange, memory.replied):
        return None if target else text
    answer = f"{target}'s answer" if target else "the answer"
    return f"{text}: {answer} never reached {asker}"


def _on_sent(
    memory: _Exchanges, host: HostSpec, packet: Packet, addresses: Mapping[int, int], wanted: frozenset[int]
) -> _Exchanges:
    found = _exchange_of(packet)
    if found is None:
        return memory
    role, exchange = found
    if role == "answer":
        return memory._replace(replied=memory.replied | {exchange})
    ethernet: Any = packet.headers[0]
    inner: Any = packet.headers[1]
    own = ethernet.src == host.mac and exchange.asker == host.ip
    if exchange.kind == "ARP":
        own, sensible = own and inner.sha == host.mac, ethernet.dst in (BROADCAST, addresses.get(exchange.target))
        sensible = sensible and (exchange.target in wanted or exchange.target in addresses)
    else:
        sensible = exchange.target in wanted or ethernet.dst == addresses.get(exchange.target)
    # Any other request, such as one that discovery made up, may be in vain: its answer would go elsewhere.
    return memory._replace(asked=memory.asked | {exchange}) if own and sensible else memory


def _on_received(memory: _Exchanges, host: HostSpec, packet: Packet) -> _Exchanges:
    found = _exchange_of(packet)
    ethernet: Any = packet.headers[0] if found else None
    if found is None or (ethernet.dst != host.mac and not is_group(ethernet.dst)):
        return memory
    role, exchange = found
    if role == "request" and (exchange.target == host.ip or exchange.kind == "ping"):
        memory = memory._replace(reached=memory.reached | {exchange})
    if role == "answer" and exchange.asker == host.ip:
        memory = memory._replace(answered=memory.answered | {exchange})
    if role == "request" and exchange.kind == "ARP" and exchange.target == host.ip:
        # Who is asked learns the address of the one who asks.
        answer = _Exchange("ARP", exchange.target, exchange.asker)
        memory = memory._replace(answered=memory.answered | {answer})
    return memory
