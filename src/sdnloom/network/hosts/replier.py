"""A replier: answers every packet that is meant for it, when it gets round to it."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sdnloom.engine.model import NONE, Cell
from sdnloom.network.hosts.host import Host, HostStep, HostView
from sdnloom.network.packet import Icmp, Packet
from sdnloom.network.traffic import ECHO_REPLY, answer_to, ends_of, header_of


class ReplierState(NamedTuple):
    """How many packets were meant for it, if it tells them apart; which ones it answered, if they have identities."""

    requests: int = 0
    answered: tuple[str, ...] = ()


@dataclass(frozen=True)
class Replier(Host):
    """Answers in any order. With `tells_apart` two equal answers that wait are two different tasks, as in NICE."""

    tells_apart: bool = False

    @property
    def works(self) -> bool:
        """Answers wait."""
        return True

    @property
    def work_cells(self) -> frozenset[Cell]:
        """Nothing."""
        return NONE

    def initial(self, view: HostView) -> Hashable:
        """Nothing received."""
        return ReplierState()

    def answers(self, view: HostView, packet: Packet) -> bool:
        """Whether a packet is to be answered: it is meant for this host and is not itself an answer to a ping."""
        icmp = header_of(packet, Icmp)
        return ends_of(packet)[1] == view.me.mac and not (isinstance(icmp, Icmp) and icmp.type == ECHO_REPLY)

    def receive(self, view: HostView, state: ReplierState, packet: Packet) -> Sequence[HostStep]:
        """Note down what to answer."""
        if not self.answers(view, packet):
            return (HostStep(state, ignores=True),)
        answer, answered = view.answered(packet, answer_to(packet), state.answered)
        requests = state.requests + 1 if self.tells_apart else 0
        return (HostStep(ReplierState(requests, answered), tasks=((requests, answer),)),)

    def work(self, view: HostView, state: ReplierState, task: tuple[int, Packet]) -> Sequence[HostStep]:
        """Send the answer."""
        return (HostStep(state, (task[1],)),)
