"""A host with ARP: it requests an address before it sends to it, and answers requests for its own address."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, cast

from sdnloom.engine.model import Cell
from sdnloom.network.hosts.client import Client, ClientState
from sdnloom.network.hosts.host import STATE, HostAction, HostStep, HostView
from sdnloom.network.packet import Arp, Icmp, Packet
from sdnloom.network.traffic import (
    ARP_REPLY,
    ARP_REQUEST,
    ECHO_REQUEST,
    answer_to,
    arp_reply,
    arp_request,
    ends_of,
    header_of,
)


class ArpState(NamedTuple):
    """The state of the client, the ARP requests left, the hosts with known addresses, and the requests answered."""

    client: ClientState
    asks: int = 0
    known: frozenset[str] = frozenset()
    answered: tuple[str, ...] = ()


@dataclass(frozen=True)
class ArpHost(Client):
    """A client that pings only hosts whose address it knows. It sends at most `asks` ARP requests and answers pings."""

    asks: int = 1

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
        return ArpState(self._capped(0, self.burst), self.asks if self.to else 0)

    def acts(self, view: HostView) -> tuple[HostAction, ...]:
        """The actions `ask` and `send`."""
        asks = (HostAction("ask", self.ask),) if self.to and self.asks else ()
        return (*asks, HostAction("send", self.send_known)) if self.sends and (self.to or self.packets) else asks

    def bounds(self) -> tuple[str, ...]:
        """The packets that it may send, and the ARP requests before them."""
        asks = (f"{self.asks} ARP request{'' if self.asks == 1 else 's'}",) if self.to and self.asks else ()
        return (*super().bounds(), *asks)

    def check(self, view: HostView) -> None:
        """Raise NetworkError as a client does, except that it may have nothing to send."""
        if self.to or self.packets:
            Client.check(self, view)

    def ask(self, view: HostView, state: ArpState) -> Sequence[HostStep]:
        """One ARP request for each address that is not known, as alternatives."""
        unknown = [name for name in self.to if name not in state.known]
        if not state.asks:
            return ()
        return [
            HostStep(
                state._replace(asks=state.asks - 1),
                (view.with_packet_id(arp_request(view.me, view.other(name).ip), f"ask:{state.asks}"),),
                choice=name,
            )
            for name in unknown
        ]

    def send_known(self, view: HostView, state: ArpState) -> Sequence[HostStep]:
        """The steps of a client, without packets to hosts whose address is not known."""
        unknown = {ping for name, ping in self.pool(view) if name in self.to and name not in state.known}
        steps = self.send(view, state.client)
        return [
            each._replace(state=state._replace(client=cast(ClientState, each.state)))
            for each in steps
            if not any(packet.headers == ping.headers for packet in each.packets for ping in unknown)
        ]

    def receive(self, view: HostView, state: Any, packet: Packet) -> Sequence[HostStep]:
        """Learn an address from an ARP reply, answer an ARP request or a ping, and count the packet as a client."""
        after: ArpState = state._replace(client=self._replenished(state.client))
        arp, icmp = header_of(packet, Arp), header_of(packet, Icmp)
        if isinstance(arp, Arp) and arp.op == ARP_REPLY:
            names = {name for name in self.to if view.other(name).ip == arp.spa}
            return (HostStep(after._replace(known=state.known | names)),)
        if isinstance(arp, Arp) and arp.op == ARP_REQUEST and arp.tpa == view.me.ip and arp.spa != view.me.ip:
            return self._answer(view, after, packet, arp_reply(view.me, arp.sha, arp.spa))
        if isinstance(icmp, Icmp) and icmp.type == ECHO_REQUEST and ends_of(packet)[1] == view.me.mac:
            return self._answer(view, after, packet, answer_to(packet))
        return (HostStep(after),)

    def _answer(self, view: HostView, state: ArpState, packet: Packet, answer: Packet) -> Sequence[HostStep]:
        answer, answered = view.answer_with_id(packet, answer, state.answered)
        return (HostStep(state._replace(answered=answered), (answer,)),)
