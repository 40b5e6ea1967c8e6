"""A host with ARP: it asks for an address before it sends there, and answers ARP requests and pings.

It learns from replies and from requests for its own address, and what it learned is overwritten by later ARP packets.
An answer goes to the MAC address that the request came from; no host asks for an address only to answer. Packets with
a VLAN tag are ignored.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, cast

from sdnloom.engine.model import Cell
from sdnloom.network.hosts.client import Client, ClientState
from sdnloom.network.hosts.host import STATE, HostAction, HostStep, HostTraffic, HostView
from sdnloom.network.network import check_not_negative, check_one_of
from sdnloom.network.packet import Arp, Icmp, IPv4, Packet, Vlan
from sdnloom.network.traffic import (
    ARP_REPLY,
    ARP_REQUEST,
    ECHO_REPLY,
    ECHO_REQUEST,
    answer_to,
    arp_answer,
    arp_request,
    ends_of,
    header_of,
    is_group,
    ping_to,
)
from sdnloom.network.value import ip4_text

ArpTable = tuple[tuple[int, int], ...]  # IP address -> MAC address, sorted; only addresses that the host may ask for


class ArpState(NamedTuple):
    """The state of the client, how often it asked for each address, the addresses known, and the requests answered."""

    client: ClientState
    asked: tuple[tuple[int, int], ...] = ()  # (IP address, number of requests), sorted
    known: ArpTable = ()
    answered: tuple[str, ...] = ()


@dataclass(frozen=True)
class ArpHost(Client):
    """A client that pings only where it knows the MAC address. It asks at most `asks` times for each address.

    `to` are hosts or IP addresses; what is outside its network goes to its gateway, if it has one. It answers ARP
    requests and pings, or with `answers` "everything" each packet that is addressed to it, except for echo replies.
    """

    asks: int = 1
    answers: Literal["pings", "everything"] = "pings"

    @property
    def answers_at_once(self) -> bool:
        """True: it answers ARP requests and pings."""
        return True

    @property
    def receive_cells(self) -> frozenset[Cell]:
        """Its whole state."""
        return STATE

    def initial(self, view: HostView) -> Hashable:
        """No address is known."""
        return ArpState(self._capped(ClientState(0, self.burst)))

    def acts(self, view: HostView) -> tuple[HostAction, ...]:
        """The actions `ask` and `send`."""
        asks = (HostAction("ask", self.ask),) if self.to and self.asks else ()
        sends = self.sends and (self.is_told or self.discover)
        return (*asks, HostAction("send", self.send_known)) if sends else asks

    def bounds(self) -> tuple[str, ...]:
        """The packets that it may send, and the ARP requests before them."""
        if not (self.is_told or self.discover):
            return ()
        each = "" if len(self.to) == 1 else " for each address"
        asks = (f"{self.asks} ARP request{'' if self.asks == 1 else 's'}{each}",) if self.to and self.asks else ()
        return (*super().bounds(), *asks)

    def traffic(self) -> HostTraffic:
        """That of a client, after ARP requests; it answers in any case."""
        if not (self.is_told or self.discover):
            return HostTraffic(f"answers {'ARP requests and pings' if self.answers == 'pings' else 'packets'}")
        found = super().traffic()
        return found._replace(text=f"{found.text}, ARP first") if self.to and self.asks and found.packets else found

    def check(self, view: HostView) -> None:
        """Raise NetworkError as a client does, except that it may have nothing to send."""
        check_not_negative(f"asks of host {self.name!r}", self.asks)
        check_one_of(f"answers of host {self.name!r}", self.answers, ("pings", "everything"))
        if self.is_told or self.discover:
            Client.check(self, view)

    def _ping(self, view: HostView, address: int) -> Packet:
        """A ping as long as the MAC address is not known: to the address 0, and never sent."""
        return ping_to(view.me, 0, address)

    def addresses_wanted(self, view: HostView) -> frozenset[int]:
        """The addresses that it pings, and the addresses that it asks for."""
        pinged = super().addresses_wanted(view)
        return pinged | {view.me.next_hop(address) for address in pinged}

    def ask(self, view: HostView, state: ArpState) -> Sequence[HostStep]:
        """One ARP request for each address that is not known, as alternatives."""
        known, asked = dict(state.known), dict(state.asked)
        number = sum(asked.values()) + 1
        return [
            HostStep(
                state._replace(asked=tuple(sorted({**asked, address: asked.get(address, 0) + 1}.items()))),
                (view.with_packet_id(arp_request(view.me, address), f"ask:{number}", first=address not in asked),),
                choice=label,
            )
            for address, label in self._hops(view).items()
            if address not in known and asked.get(address, 0) < self.asks
        ]

    def _hops(self, view: HostView) -> dict[int, str]:
        """The addresses that it asks for, each with its label: the target's, or the gateway's address."""
        hops: dict[int, str] = {}
        for target in self.to:
            address = view.address_of(target)
            hop = view.me.next_hop(address)
            hops.setdefault(hop, target if hop == address else ip4_text(hop))
        return hops

    def send_known(self, view: HostView, state: ArpState) -> Sequence[HostStep]:
        """The steps of a client, without pings whose next MAC address is not known."""
        known = dict(state.known)
        pings = {target: view.address_of(target) for target in self.to}

        def resolved(name: str, packet: Packet) -> Packet | None:
            if name not in pings:
                return packet
            mac = known.get(view.me.next_hop(pings[name]))
            return None if mac is None else ping_to(view.me, mac, pings[name])

        steps = self._steps(view, state.client, [(name, resolved(name, packet)) for name, packet in self.pool(view)])
        return [each._replace(state=state._replace(client=cast(ClientState, each.state))) for each in steps]

    def receive(self, view: HostView, state: Any, packet: Packet) -> Sequence[HostStep]:
        """Learn an address, answer an ARP request or a ping, and count any other packet to it as a client does."""
        destination, arp = ends_of(packet)[1], header_of(packet, Arp)
        tagged = header_of(packet, Vlan) is not None  # for another interface, which the host does not have
        if tagged or (destination != view.me.mac and not is_group(destination)):
            return (HostStep(state, ignores=True),)
        if isinstance(arp, Arp):
            return self._receive_arp(view, state, packet, arp)
        if is_group(destination):
            return (HostStep(state, ignores=True),)
        after: ArpState = state._replace(client=self._replenished(state.client))
        return (
            self._answer(view, after, packet, answer_to(packet)) if self._answers(view, packet) else (HostStep(after),)
        )

    def _answers(self, view: HostView, packet: Packet) -> bool:
        icmp, ip = header_of(packet, Icmp), header_of(packet, IPv4)
        if self.answers == "everything":
            return not (isinstance(icmp, Icmp) and icmp.type == ECHO_REPLY)
        return isinstance(icmp, Icmp) and icmp.type == ECHO_REQUEST and isinstance(ip, IPv4) and ip.dst == view.me.ip

    def _receive_arp(self, view: HostView, state: ArpState, packet: Packet, arp: Arp) -> Sequence[HostStep]:
        wanted, answer = arp.spa in self._hops(view), arp_answer(view.me, packet)
        if arp.op not in (ARP_REQUEST, ARP_REPLY) or not (wanted or answer):
            return (HostStep(state, ignores=True),)
        known = dict(state.known)
        if wanted and (arp.tpa == view.me.ip or arp.spa in known):
            state = state._replace(known=tuple(sorted({**known, arp.spa: arp.sha}.items())))
        return (HostStep(state),) if answer is None else self._answer(view, state, packet, answer)

    def _answer(self, view: HostView, state: ArpState, packet: Packet, answer: Packet) -> Sequence[HostStep]:
        answer, answered = view.answer_with_id(packet, answer, state.answered)
        return (HostStep(state._replace(answered=answered), (answer,)),)
