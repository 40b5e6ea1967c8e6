"""The load balancer of SDN-Actors' figure 1 on actors: every order, with and without barriers."""

from typing import Any

from sdnloom.actors import (
    AllDelivered,
    Controller,
    NamedPacket,
    NoForwardingLoop,
    Program,
    SHlink,
    SSlink,
    network_program,
)
from tests.actors.network.full_search import full_search


class LoadBalancer(Controller):
    turn: int = 0

    def install_path(self, switch: Any, in_port: int, packet: NamedPacket) -> list[Any]:
        replica = ("R1", "R2")[self.turn]
        self.turn = 1 - self.turn
        path = self.path(switch, in_port, replica)
        for hop in path:
            hop.switch.install({"in_port": hop.in_port, "eth_dst": packet["eth_dst"]}, (hop.output,))
        return [hop.switch for hop in path]

    async def packet_in(self, switch: Any, in_port: int, packet: NamedPacket) -> None:
        self.install_path(switch, in_port, packet)
        switch.send_out(packet.name)


class PatientLoadBalancer(LoadBalancer):
    async def packet_in(self, switch: Any, in_port: int, packet: NamedPacket) -> None:
        barriers = [each.barrier() for each in self.install_path(switch, in_port, packet)]
        for barrier in barriers:
            await barrier
        switch.send_out(packet.name)


def balanced(controller: Controller) -> Program:
    """The links of the paper's example 1, with its ports."""
    links = [
        SHlink("S1", "H0", 0),
        SHlink("S2", "R1", 0),
        SHlink("S3", "R2", 0),
        SSlink("S1", 1, "S2", 1),
        SSlink("S1", 2, "S3", 1),
    ]
    return network_program(
        controller, links, sends=[("H0", "R1")], monitors=[NoForwardingLoop()], final=[AllDelivered()]
    )


def test_without_barriers_there_are_8_final_states_and_2_have_the_loop() -> None:
    found = full_search(balanced(LoadBalancer("ctrl")))
    assert len(found.finals) == 8
    loops = [wrong for _, wrong in found.finals if any(each.property == "NoForwardingLoop" for each in wrong)]
    assert len(loops) == 2
    assert {each.message for each in found.findings if each.property == "NoForwardingLoop"} == {
        "packet p1 reaches the switch S1 for the second time"
    }


def test_with_barriers_there_is_one_final_state_and_nothing_is_wrong() -> None:
    found = full_search(balanced(PatientLoadBalancer("ctrl")))
    assert found.states == 13
    assert [wrong for _, wrong in found.finals] == [set()]
