"""A TCP client and a TCP server that open a connection, send data and close it. Sequence numbers count segments.

Both answer ARP requests for their own address.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from sdnloom.network.hosts.host import Host, HostAction, HostStep, HostTraffic, HostView
from sdnloom.network.network import NetworkError, check_not_negative
from sdnloom.network.packet import Arp, IPv4, Packet, Tcp, TcpFlag
from sdnloom.network.traffic import ARP_REPLY, answer_to, arp_answer, arp_request, ends_of, header_of, tcp_segment
from sdnloom.network.value import ip4_text

SYN, ACK, FIN, PSH, RST = (int(flag) for flag in (TcpFlag.SYN, TcpFlag.ACK, TcpFlag.FIN, TcpFlag.PSH, TcpFlag.RST))

TcpPhase = Literal["unresolved", "resolving", "closed", "opening", "open", "closing", "done"]


class TcpClientState(NamedTuple):
    """The phase of the connection, and the numbers of data segments and of repeated SYN segments sent.

    `mac` is the address from an ARP reply; None if the client does not resolve addresses. `answered` are the ids of the
    ARP requests answered, if packets carry ids.
    """

    phase: TcpPhase = "closed"
    sent: int = 0
    repeats: int = 0
    mac: int | None = None
    answered: tuple[str, ...] = ()


@dataclass(frozen=True)
class TcpClient(Host):
    """Opens one connection, sends `segments` data segments and closes it.

    `to` is a host's name or IP address, or `(MAC address, IP address)` such as a load balancer's. The SYN segment may
    be repeated `repeats` times while there is no answer. With `resolves` it learns the MAC address by ARP first: the
    target's, or that of its gateway if the target is outside its network.
    """

    to: str | tuple[int, int] = ""
    port: int = 80
    own_port: int = 1024
    segments: int = 1
    repeats: int = 0
    resolves: bool = False

    @property
    def answers_at_once(self) -> bool:
        """True: it acknowledges."""
        return True

    def check(self, view: HostView) -> None:
        """Raise an error if a number is wrong or the target is missing."""
        check_not_negative(f"segments of host {self.name!r}", self.segments)
        check_not_negative(f"repeats of host {self.name!r}", self.repeats)
        if not self.to:
            raise NetworkError(f"host {self.name!r} has no host to connect to; expected the name of a host in `to`")
        self._target(view)

    def initial(self, view: HostView) -> Hashable:
        """No connection."""
        return TcpClientState("unresolved" if self.resolves else "closed")

    def bounds(self) -> tuple[str, ...]:
        """One connection."""
        return ("one TCP connection",)

    def traffic(self) -> HostTraffic:
        """The connection."""
        to = self.to if isinstance(self.to, str) else ip4_text(self.to[1])
        data = f"{self.segments} data segment{'' if self.segments == 1 else 's'}"
        return HostTraffic(f"opens one TCP connection to {to}:{self.port} with {data}", (to,), None, tcp=True)

    def acts(self, view: HostView) -> tuple[HostAction, ...]:
        """The actions `ask`, `open`, `send`, `close` and `repeat`, as far as they are possible."""
        asks = (HostAction("ask", self.ask),) if self.resolves else ()
        repeats = (HostAction("repeat", self.repeat),) if self.repeats else ()
        return (
            *asks,
            HostAction("open", self.open),
            HostAction("send", self.send),
            HostAction("close", self.close),
            *repeats,
        )

    def ask(self, view: HostView, state: TcpClientState) -> Sequence[HostStep]:
        """Send the ARP request for the target's address."""
        if state.phase != "unresolved":
            return ()
        question = view.with_packet_id(arp_request(view.me, self._hop(view)), "ask", first=True)
        return (HostStep(state._replace(phase="resolving"), (question,)),)

    def open(self, view: HostView, state: TcpClientState) -> Sequence[HostStep]:
        """Send the SYN segment."""
        if state.phase != "closed":
            return ()
        return (HostStep(state._replace(phase="opening"), (self._segment(view, state, SYN, 0, 0, "syn"),)),)

    def repeat(self, view: HostView, state: TcpClientState) -> Sequence[HostStep]:
        """Send the SYN segment again, because no answer came in time."""
        if state.phase != "opening" or state.repeats >= self.repeats:
            return ()
        again = state._replace(repeats=state.repeats + 1)
        return (HostStep(again, (self._segment(view, state, SYN, 0, 0, f"syn:{again.repeats}"),)),)

    def send(self, view: HostView, state: TcpClientState) -> Sequence[HostStep]:
        """Send a data segment."""
        if state.phase != "open" or state.sent >= self.segments:
            return ()
        after = state._replace(sent=state.sent + 1)
        return (HostStep(after, (self._segment(view, state, PSH | ACK, after.sent, 1, f"data:{after.sent}"),)),)

    def close(self, view: HostView, state: TcpClientState) -> Sequence[HostStep]:
        """Send the FIN segment after all data."""
        if state.phase != "open" or state.sent < self.segments:
            return ()
        last = self._segment(view, state, FIN | ACK, state.sent + 1, 1, "fin")
        return (HostStep(state._replace(phase="closing"), (last,)),)

    def receive(self, view: HostView, state: TcpClientState, packet: Packet) -> Sequence[HostStep]:
        """Learn the address; acknowledge SYN and FIN; end the connection on RST."""
        segment, arp, reply = header_of(packet, Tcp), header_of(packet, Arp), arp_answer(view.me, packet)
        if reply is not None:
            reply, answered = view.answer_with_id(packet, reply, state.answered)
            return (HostStep(state._replace(answered=answered), (reply,)),)
        if isinstance(arp, Arp) and self.resolves:
            known = state.phase == "resolving" and arp.op == ARP_REPLY and arp.spa == self._hop(view)
            return (HostStep(state._replace(phase="closed", mac=arp.sha) if known else state),)
        if ends_of(packet)[1] != view.me.mac or not isinstance(segment, Tcp) or segment.dst != self.own_port:
            return (HostStep(state, ignores=True),)
        if not segment.flags & (SYN | FIN | RST):  # a bare acknowledgement changes nothing
            return (HostStep(state, ignores=True),)
        if segment.flags & RST:
            return (HostStep(state._replace(phase="done")),)
        if segment.flags & SYN and state.phase == "opening":
            return (HostStep(state._replace(phase="open"), (self._segment(view, state, ACK, 1, 1, "ack"),)),)
        if segment.flags & FIN and state.phase == "closing":
            last = self._segment(view, state, ACK, state.sent + 2, 2, "last")
            return (HostStep(state._replace(phase="done"), (last,)),)
        return (HostStep(state),)

    def _segment(self, view: HostView, state: TcpClientState, flags: int, seq: int, ack: int, number: str) -> Packet:
        header = Tcp(self.own_port, self.port, seq=seq, ack=ack, flags=flags)
        mac, ip = self._target(view)
        return view.with_packet_id(tcp_segment(view.me, (mac if state.mac is None else state.mac, ip), header), number)

    def _target(self, view: HostView) -> tuple[int, int]:
        """The MAC address, 0 if ARP has to find it, and the IP address."""
        if not isinstance(self.to, str):
            return self.to
        address = view.address_of(self.to)
        return 0 if self.resolves else view.mac_without_arp(address), address

    def _hop(self, view: HostView) -> int:
        return view.me.next_hop(self._target(view)[1])

    def addresses_wanted(self, view: HostView) -> frozenset[int]:
        """The address that it asks for."""
        return frozenset({self._hop(view)}) if self.resolves else frozenset()


TcpPeer = tuple[int, int]  # IP address and port
TcpConnection = tuple[TcpPeer, Literal["opening", "open"]]


class TcpServerState(NamedTuple):
    """The connections, sorted, and the ids of the segments answered, if packets carry ids."""

    connections: tuple[TcpConnection, ...] = ()
    answered: tuple[str, ...] = ()


@dataclass(frozen=True)
class TcpServer(Host):
    """Accepts connections to a port, acknowledges data and closes when the client does; unknown connections are reset.

    Only with `strict` it checks the destination MAC address; servers that share an address answer every packet.
    """

    port: int = 80
    strict: bool = False

    @property
    def answers_at_once(self) -> bool:
        """True: it acknowledges."""
        return True

    def traffic(self) -> HostTraffic:
        """Answers."""
        return HostTraffic(f"accepts TCP connections to port {self.port}")

    def initial(self, view: HostView) -> Hashable:
        """No connections."""
        return TcpServerState()

    def receive(self, view: HostView, state: TcpServerState, packet: Packet) -> Sequence[HostStep]:
        """Answer an ARP request for its address, and a segment that is sent to its port."""
        segment, ip, reply = header_of(packet, Tcp), header_of(packet, IPv4), arp_answer(view.me, packet)
        if reply is not None:
            reply, answered = view.answer_with_id(packet, reply, state.answered)
            return (HostStep(state._replace(answered=answered), (reply,)),)
        if not isinstance(segment, Tcp) or not isinstance(ip, IPv4) or segment.dst != self.port:
            return (HostStep(state, ignores=True),)
        if self.strict and ends_of(packet)[1] != view.me.mac:
            return (HostStep(state, ignores=True),)
        peer = (ip.src, segment.src)
        connections = dict(state.connections)
        phase = connections.get(peer)
        flags: int | None = None
        if segment.flags & RST:
            connections.pop(peer, None)
        elif segment.flags & SYN:
            connections[peer] = "opening"
            flags = SYN | ACK
        elif phase is None:
            # The client's last acknowledgement finds no connection and needs no answer.
            flags = None if segment.flags == ACK else RST
        elif segment.flags & FIN:
            del connections[peer]
            flags = FIN | ACK
        else:
            connections[peer] = "open"
            flags = ACK if segment.flags & PSH else None
        after = state._replace(connections=tuple(sorted(connections.items())))
        if flags is None:
            return (HostStep(after),)
        answer, answered = view.answer_with_id(packet, _answer(packet, segment, flags), state.answered)
        return (HostStep(after._replace(answered=answered), (answer,)),)


def _answer(packet: Packet, segment: Tcp, flags: int) -> Packet:
    header = Tcp(segment.dst, segment.src, seq=segment.ack, ack=segment.seq + 1, flags=flags)
    return Packet(tuple(header if isinstance(each, Tcp) else each for each in answer_to(packet).headers))
