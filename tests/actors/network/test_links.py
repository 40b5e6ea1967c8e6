"""Links and topologies: the initial configuration, paths, and hosts that answer."""

from typing import Any

import pytest

from sdnloom.actors import (
    ActorError,
    AllDelivered,
    Balanced,
    Controller,
    Host,
    NamedPacket,
    NoDelivery,
    NoForwardingLoop,
    SHlink,
    SSlink,
    link_topology,
    network_program,
)
from sdnloom.actors.network.links import PathHop, shortest_path
from sdnloom.network.openflow import Output, Port
from sdnloom.network.topology import SwitchPort, SwitchSpec, Topology, TopologyError, linear, ring, single, tree
from tests.actors.network.full_search import full_search, one_run

EXAMPLE_1 = (
    SHlink("S1", "H0", 0),
    SHlink("S2", "R1", 0),
    SHlink("S3", "R2", 0),
    SSlink("S1", 1, "S2", 1),
    SSlink("S1", 2, "S3", 1),
)


class Router(Controller):
    """Installs the whole path to the destination, then releases the packet."""

    async def packet_in(self, switch: Any, in_port: int, packet: NamedPacket) -> None:
        target = next(host.name for host in self.topology.hosts if host.mac == packet["eth_dst"])
        barriers = []
        for hop in self.path(switch, in_port, self.hosts[target]):
            hop.switch.install({"in_port": hop.in_port, "eth_dst": packet["eth_dst"]}, (hop.output,))
            barriers.append(hop.switch.barrier())
        for barrier in barriers:
            await barrier
        switch.send_out(packet.name)


class Answerer(Host):
    """Answers what it receives."""

    async def receive(self, packet: NamedPacket) -> None:
        await super().receive(packet)
        await self.send(packet.answer())


def test_the_initial_configuration_of_definition_1() -> None:
    program = network_program(Router("ctrl"), EXAMPLE_1, sends=[("H0", "R1")])
    assert [actor.name for actor in program.actors] == ["ctrl", "S1", "S2", "S3", "H0", "R1", "R2"]
    hosts = {actor.name: actor for actor in program.actors if isinstance(actor, Host)}
    assert {name: (host.link[0].name, host.link[1]) for name, host in hosts.items()} == {
        "H0": ("S1", 0),
        "R1": ("S2", 0),
        "R2": ("S3", 0),
    }
    links: Any = program.actor("S1").links  # type: ignore[attr-defined]
    assert {(port, end.name, other) for port, end, other in links} == {(0, "H0", None), (1, "S2", 1), (2, "S3", 1)}
    assert [(message.actor.name, message.method) for message in program.start] == [("H0", "send")]


@pytest.mark.parametrize("topology", [single(3), linear(3), ring(3), tree(2, 2)], ids=lambda each: each.name)
def test_packets_reach_their_hosts_in_every_usual_topology(topology: Topology) -> None:
    first, last = topology.hosts[0].name, topology.hosts[-1].name
    program = network_program(
        Router("ctrl"),
        topology=topology,
        sends=[(first, last)],
        hosts={last: Answerer},
        monitors=[NoForwardingLoop()],
        final=[AllDelivered()],
    )
    view, wrong = one_run(program)
    assert wrong == set()
    assert view[last].received == {"p1"}
    assert view[first].received == {"answer to p1"}


def test_the_shortest_path_takes_the_lowest_ports_and_goes_back_by_in_port() -> None:
    topology = link_topology(EXAMPLE_1)
    path = shortest_path(topology, SwitchPort("S2", 1), "R2")
    assert path == (PathHop("S2", 1, 1), PathHop("S1", 1, 2), PathHop("S3", 1, 0))
    assert [hop.output for hop in path] == [Output(int(Port.IN_PORT)), Output(2), Output(0)]
    assert shortest_path(topology, SwitchPort("S1", 0), "H0") == (PathHop("S1", 0, 0),)
    square = link_topology(
        [
            SSlink("A", 2, "B", 1),
            SSlink("A", 1, "C", 1),
            SSlink("B", 2, "D", 2),
            SSlink("C", 2, "D", 1),
            SHlink("D", "H", 3),
            SHlink("A", "G", 3),
        ]
    )
    assert [hop.switch for hop in shortest_path(square, SwitchPort("A", 3), "H")] == ["A", "C", "D"]


def test_a_path_that_does_not_exist_is_refused() -> None:
    topology = link_topology([SHlink("S1", "H1", 1), SHlink("S2", "H2", 1)])
    with pytest.raises(ActorError, match="no path leads from S1 to the host H2"):
        shortest_path(topology, SwitchPort("S1", 1), "H2")
    with pytest.raises(TopologyError, match="S1:5 is a missing port"):
        shortest_path(topology, SwitchPort("S1", 5), "H2")
    with pytest.raises(TopologyError, match="'H9' is no host"):
        shortest_path(topology, SwitchPort("S1", 1), "H9")


def test_a_controller_without_packet_in_is_an_error() -> None:
    (found,) = full_search(network_program(Controller("ctrl"), EXAMPLE_1, sends=[("H0", "R1")])).findings
    assert "Controller has no task packet_in(self, switch, in_port, packet)" in found.message


class Asker(Controller):
    """Asks for a switch that is not there."""

    async def packet_in(self, switch: Any, in_port: int, packet: NamedPacket) -> None:
        assert list(self.switches) == ["S1", "S2", "S3"]
        assert list(self.hosts) == ["H0", "R1", "R2"]
        self.switches["S9"].flood(packet, in_port)


def test_an_unknown_switch_is_an_error() -> None:
    (found,) = full_search(network_program(Asker("ctrl"), EXAMPLE_1, sends=[("H0", "R1")])).findings
    assert "'S9' is no switch; expected one of S1, S2, S3" in found.message


class TwoParameters(Controller):
    async def packet_in(self, switch: Any, packet: Any) -> None:  # type: ignore[override]
        pass


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (
            lambda: network_program(TwoParameters("ctrl"), EXAMPLE_1),
            r"TwoParameters has packet_in\(switch: Any, packet: Any\) -> None; expected packet_in\(self, switch",
        ),
        (
            lambda: network_program(Controller("ctrl"), topology="linear,2"),  # type: ignore[arg-type]
            "topology 'linear,2'; expected a Topology",
        ),
        (lambda: AllDelivered(hosts="R1"), r"hosts is 'R1'; expected several names, such as \['R1'\]"),
        (lambda: Balanced("R1"), "hosts is 'R1'; expected several names"),
        (lambda: NoDelivery(bool, hosts="R1"), "hosts is 'R1'; expected several names"),
    ],
)
def test_a_network_or_a_property_that_cannot_be_used_is_refused(make: Any, text: str) -> None:
    with pytest.raises(ActorError, match=text):
        make()


def test_ports_count_from_0_only_where_a_link_has_the_port_0() -> None:
    assert link_topology(EXAMPLE_1).lowest_port == 0
    assert link_topology([SHlink("S1", "H1", 1)]).lowest_port == 1
    switches = (SwitchSpec("s1", 1, (0, 1)),)
    assert Topology("t", switches, lowest_port=0).switch("s1").ports == (0, 1)
    with pytest.raises(TopologyError, match="port of switch 's1' is 0; expected a whole number from 1"):
        Topology("t", switches)
