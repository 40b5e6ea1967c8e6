"""A host that answers every packet that is addressed to it, some time later."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sdnloom.engine.model import NONE, Cell
from sdnloom.network.hosts.host import Host, HostStep, HostTraffic, HostView
from sdnloom.network.packet import Icmp, Packet
from sdnloom.network.traffic import ECHO_REPLY, answer_to, ends_of, header_of


class ReplierState(NamedTuple):
    """The number of requests, if `tells_apart`; the ids of the requests answered, if packets carry ids."""

    requests: int = 0
    answered: tuple[str, ...] = ()


@dataclass(frozen=True)
class Replier(Host):
    """Answers in any order. With `tells_apart` two equal answers that wait are two tasks, as in NICE."""

    tells_apart: bool = False

    @property
    def works(self) -> bool:
        """True: answers wait as tasks."""
        return True

    @property
    def work_cells(self) -> frozenset[Cell]:
        """None."""
        return NONE

    def traffic(self) -> HostTraffic:
        """Answers."""
        return HostTraffic("answers what is addressed to it")

    def initial(self, view: HostView) -> Hashable:
        """Nothing is received."""
        return ReplierState()

    def answers(self, view: HostView, packet: Packet) -> bool:
        """Whether a packet is answered: it is addressed to this host and is not an echo reply."""
        icmp = header_of(packet, Icmp)
        return ends_of(packet)[1] == view.me.mac and not (isinstance(icmp, Icmp) and icmp.type == ECHO_REPLY)

    def receive(self, view: HostView, state: ReplierState, packet: Packet) -> Sequence[HostStep]:
        """Make a task of the answer."""
        if not self.answers(view, packet):
            return (HostStep(state, ignores=True),)
        answer, answered = view.answer_with_id(packet, answer_to(packet), state.answered)
        requests = state.requests + 1 if self.tells_apart else 0
        return (HostStep(ReplierState(requests, answered), tasks=((requests, answer),)),)

    def work(self, view: HostView, state: ReplierState, task: tuple[int, Packet]) -> Sequence[HostStep]:
        """Send the answer."""
        return (HostStep(state, (task[1],)),)
