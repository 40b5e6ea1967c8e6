"""A replier: answers every packet that is meant for it, when it gets round to it."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from sdnloom.engine.model import NONE, Cell
from sdnloom.network.hosts.host import STATE, Doing, Host, Scene
from sdnloom.network.identity import stamp_of
from sdnloom.network.packet import Icmp, Packet
from sdnloom.network.traffic import ECHO_REPLY, answer_to, ends_of, header_of


@dataclass(frozen=True)
class Replier(Host):
    """Answers in any order. With `tells_apart` two equal answers that wait are two different tasks, as in NICE."""

    tells_apart: bool = False

    @property
    def works(self) -> bool:
        """Answers wait."""
        return True

    @property
    def receive_cells(self) -> frozenset[Cell]:
        """The number of packets received, if it is kept."""
        return STATE if self.tells_apart else NONE

    @property
    def work_cells(self) -> frozenset[Cell]:
        """Nothing."""
        return NONE

    def initial(self, scene: Scene) -> Hashable:
        """Nothing received."""
        return 0

    def answers(self, scene: Scene, packet: Packet) -> bool:
        """Whether a packet is to be answered: it is meant for this host and is not itself an answer to a ping."""
        icmp = header_of(packet, Icmp)
        return ends_of(packet)[1] == scene.me.mac and not (isinstance(icmp, Icmp) and icmp.type == ECHO_REPLY)

    def answer(self, scene: Scene, packet: Packet) -> Packet:
        """The answer to a packet."""
        return scene.stamped(answer_to(packet), f"to.{stamp_of(packet)}")

    def receive(self, scene: Scene, state: int, packet: Packet) -> Sequence[Doing]:
        """Note down what to answer."""
        if not self.answers(scene, packet):
            return (Doing(state),)
        number = state + 1 if self.tells_apart else state
        return (Doing(number, tasks=((number, self.answer(scene, packet)),)),)

    def work(self, scene: Scene, state: int, task: tuple[int, Packet]) -> Sequence[Doing]:
        """Send the answer."""
        return (Doing(state, (task[1],)),)
