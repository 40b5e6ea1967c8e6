"""A host that sends packets, with a limit on packets and on unanswered packets (NICE, section 5.1)."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from sdnloom.engine.model import NONE, Cell
from sdnloom.network.hosts.host import STATE, Host, HostAction, HostStep, HostTraffic, HostView
from sdnloom.network.network import NetworkError, check_not_negative, check_one_of
from sdnloom.network.packet import Packet
from sdnloom.network.packet_id import add_packet_id
from sdnloom.network.topology.spec import SwitchPort
from sdnloom.network.traffic import ping_to

NamedPacket = tuple[str, Packet]  # a packet and its name in a trace


class ClientState(NamedTuple):
    """The number of packets sent, and how many more may be sent before one is received; None is no limit.

    `turn` is the place of the next listed packet, where discovered ones may come in between; otherwise 0.
    """

    sent: int = 0
    credit: int | None = None
    turn: int = 0


@dataclass(frozen=True)
class Client(Host):
    """Sends at most `sends` packets: pings to the hosts or IP addresses `to`, and `packets` as given.

    With `burst` at most that many may be unanswered: each packet sent costs one, each packet received gives one back.
    In order "any" each send may be any of the packets; "listed" takes them in turn and starts again. `numbered` decides
    whether its packets carry packet ids (None: as the network does).

    With `discover` it also sends the packets in `pools`, by the port where it is; discovery fills the pools. In order
    "listed" discovered packets may come before, between and after the listed ones. With `discover` "only" it sends
    nothing else: `to` and `packets` are then empty.
    """

    to: tuple[str, ...] = ()
    packets: tuple[Packet, ...] = ()
    sends: int = 1
    burst: int | None = None
    order: Literal["any", "listed"] = "any"
    numbered: bool | None = None
    discover: bool | Literal["only"] = False
    pools: tuple[tuple[SwitchPort, tuple[NamedPacket, ...]], ...] = ()

    def __post_init__(self) -> None:
        if self.discover == "only":
            object.__setattr__(self, "to", ())
            object.__setattr__(self, "packets", ())

    @property
    def is_told(self) -> bool:
        """Whether it has packets to send that need not be discovered."""
        return bool(self.to or self.packets)

    @property
    def receive_cells(self) -> frozenset[Cell]:
        """None, unless `burst` makes received packets count."""
        return NONE if self.burst is None else STATE

    def check(self, view: HostView) -> None:
        """Raise NetworkError if a number or the order is wrong, or if there is nothing to send."""
        check_not_negative(f"sends of host {self.name!r}", self.sends)
        if self.burst is not None:
            check_not_negative(f"burst of host {self.name!r}", self.burst)
        check_one_of(f"order of host {self.name!r}", self.order, ("any", "listed"))
        if self.discover not in (False, True, "only"):
            raise NetworkError(f'discover of host {self.name!r} is {self.discover!r}; expected true, false or "only"')
        if self.discover and self.order != "any" and not self.is_told:
            raise NetworkError(f"host {self.name!r} discovers its packets; expected order any, as none is listed")
        if self.sends and not self.discover and not self.pool(view):
            raise NetworkError(f"host {self.name!r} has nothing to send; expected hosts to send to, or packets")

    def pool(self, view: HostView) -> tuple[NamedPacket, ...]:
        """The packets that it may send from its present port, each with a name."""
        pings = [(name, self._ping(view, view.address_of(name))) for name in self.to]
        found = [named for port, pool in self.pools if port == view.port for named in pool]
        return (*pings, *((f"packet {number}", packet) for number, packet in enumerate(self.packets, 1)), *found)

    def _ping(self, view: HostView, address: int) -> Packet:
        return ping_to(view.me, view.mac_without_arp(address), address)

    def addresses_wanted(self, view: HostView) -> frozenset[int]:
        """The addresses that it pings."""
        return frozenset(map(view.address_of, self.to))

    def initial(self, view: HostView) -> Hashable:
        """Nothing is sent and a full burst is allowed."""
        return self._capped(ClientState(0, self.burst))

    def _capped(self, state: ClientState) -> ClientState:
        """The state, with credit that could never be used cut off: it would only make equal states different."""
        return state if state.credit is None else state._replace(credit=min(state.credit, self.sends - state.sent))

    def receive(self, view: HostView, state: Any, packet: Packet) -> Sequence[HostStep]:
        """Give one unit of credit back."""
        return (HostStep(self._replenished(state)),)

    def _replenished(self, state: ClientState) -> ClientState:
        return state if state.credit is None else self._capped(state._replace(credit=state.credit + 1))

    def acts(self, view: HostView) -> tuple[HostAction, ...]:
        """The action `send`, unless `sends` is 0."""
        return (HostAction("send", self.send),) if self.sends else ()

    def bounds(self) -> tuple[str, ...]:
        """The packets that it may send."""
        unanswered = "" if self.burst is None else f" ({self.burst} unanswered)"
        return (f"{self.sends} packet{'' if self.sends == 1 else 's'}{unanswered}",)

    def traffic(self) -> HostTraffic:
        """The pings, given packets and discovered packets that it may send."""
        found = len({label for _, pool in self.pools for label, _ in pool})
        what = [f"pings {' and '.join(self.to)}"] if self.to else []
        what += [f"sends {_packets(len(self.packets))} of the scenario"] if self.packets else []
        what += [f"sends {_packets(found)} that {'was' if found == 1 else 'were'} discovered"] if self.discover else []
        if not what or not self.sends:
            return HostTraffic("sends nothing")
        bounds = f"at most {_packets(self.sends)}" + ("" if self.burst is None else f", {self.burst} unanswered")
        return HostTraffic(f"{' and '.join(what)}: {bounds}", self.to, self.sends, self.burst, found)

    def send(self, view: HostView, state: ClientState) -> Sequence[HostStep]:
        """One step for each packet that may be sent next."""
        return self._steps(view, state, self.pool(view))

    def _steps(
        self, view: HostView, state: ClientState, pool: Sequence[tuple[str, Packet | None]]
    ) -> Sequence[HostStep]:
        """The steps that send one of these packets; None is a packet that must wait."""
        if state.sent >= self.sends or state.credit == 0:
            return ()
        after = self._capped(
            state._replace(sent=state.sent + 1, credit=None if state.credit is None else state.credit - 1)
        )
        told = len(self.to) + len(self.packets)
        steps = [(after, name, packet) for name, packet in pool]
        if self.order == "listed" and told:
            turn = state.turn if self.discover else state.sent % told
            due = after._replace(turn=(turn + 1) % told) if self.discover else after
            steps = [(due, *pool[turn]), *steps[told:]]
        named = len(steps) > 1 or bool(self.discover)
        return [
            HostStep(later, (self._numbered(view, packet, later.sent),), choice=name if named else "")
            for later, name, packet in steps
            if packet is not None
        ]

    def _numbered(self, view: HostView, packet: Packet, number: int) -> Packet:
        if self.numbered is None:
            return view.with_packet_id(packet, number)
        return add_packet_id(packet, f"{self.name}:{number}") if self.numbered else packet


def _packets(count: int) -> str:
    return f"{count} packet{'' if count == 1 else 's'}"
