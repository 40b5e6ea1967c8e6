"""A host that moves between ports and otherwise behaves as another host does."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from sdnloom.engine.model import Cell
from sdnloom.network.hosts.host import Host, HostAction, HostStep, HostTraffic, HostView
from sdnloom.network.network import NetworkError, check_not_negative
from sdnloom.network.packet import Packet
from sdnloom.network.topology.spec import SwitchPort
from sdnloom.network.traffic import arp_request


class MobileState(NamedTuple):
    """The number of moves left, and the state of the inner host."""

    moves: int
    inner: Hashable


@dataclass(frozen=True)
class MobileHost(Host):
    """The inner host `host`, which may move `moves` times: to one of the ports `to` or back to its first port.

    With `announces` it broadcasts an ARP request for its own address from the new port (gratuitous ARP).
    """

    host: Host = field(kw_only=True)
    to: tuple[SwitchPort, ...] = ()
    moves: int = 1
    announces: bool = False

    @property
    def answers_at_once(self) -> bool:
        """As the inner host."""
        return self.host.answers_at_once

    @property
    def works(self) -> bool:
        """As the inner host."""
        return self.host.works

    @property
    def receive_cells(self) -> frozenset[Cell]:
        """As the inner host."""
        return self.host.receive_cells

    @property
    def work_cells(self) -> frozenset[Cell]:
        """As the inner host."""
        return self.host.work_cells

    def check(self, view: HostView) -> None:
        """Raise an error if a name, number or port is wrong."""
        if self.host.name != self.name:
            raise NetworkError(f"mobile host {self.name!r} is the host {self.host.name!r}; expected one name for both")
        check_not_negative(f"moves of host {self.name!r}", self.moves)
        for port in self.to:
            view.topology.check_port(port)
        self.host.check(view)

    def ports(self) -> tuple[SwitchPort, ...]:
        """The ports that it may move to."""
        return self.to

    def initial(self, view: HostView) -> Hashable:
        """All moves are left."""
        return MobileState(self.moves, self.host.initial(view))

    def receive(self, view: HostView, state: MobileState, packet: Packet) -> Sequence[HostStep]:
        """As the inner host."""
        return _wrapped(state, self.host.receive(view, state.inner, packet))

    def work(self, view: HostView, state: MobileState, task: Any) -> Sequence[HostStep]:
        """As the inner host."""
        return _wrapped(state, self.host.work(view, state.inner, task))

    def acts(self, view: HostView) -> tuple[HostAction, ...]:
        """The actions of the inner host, and `move`."""
        inner = tuple(replace(act, step=_Wrapped(act)) for act in self.host.acts(view))
        move = HostAction("move", self.move, cells=frozenset({"moves"}), sends=self.announces, moves=True)
        return (*inner, move) if self.moves and self.to else inner

    def bounds(self) -> tuple[str, ...]:
        """The bounds of the host that moves, and its moves."""
        moves = (f"{self.moves} move{'' if self.moves == 1 else 's'}",) if self.moves and self.to else ()
        return (*self.host.bounds(), *moves)

    def traffic(self) -> HostTraffic:
        """That of the inner host, and its moves."""
        inner = self.host.traffic()
        if not (self.moves and self.to):
            return inner
        often = "once" if self.moves == 1 else f"{self.moves} times"
        return inner._replace(
            text=f"{inner.text}; moves {often}, to {' or '.join(map(str, self.to))}", moves=self.moves
        )

    def move(self, view: HostView, state: MobileState) -> Sequence[HostStep]:
        """One step for each port it may move to; the component leaves out the port where it is."""
        if not state.moves:
            return ()
        after = state._replace(moves=state.moves - 1)
        announcement = arp_request(view.me, view.me.ip)
        first = state.moves == self.moves
        hello = (view.with_packet_id(announcement, f"move:{state.moves}", first),) if self.announces else ()
        return [HostStep(after, hello, port=port, choice=str(port)) for port in (view.me.switch_port, *self.to)]


def _wrapped(state: MobileState, steps: Sequence[HostStep]) -> Sequence[HostStep]:
    return [each._replace(state=state._replace(inner=each.state)) for each in steps]


@dataclass(frozen=True)
class _Wrapped:
    act: HostAction

    def __call__(self, view: HostView, state: MobileState) -> Sequence[HostStep]:
        return _wrapped(state, self.act.step(view, state.inner))


def inner_host(host: Host) -> Host:
    """Return the host that a mobile host behaves as, or the host itself."""
    return host.host if isinstance(host, MobileHost) else host
