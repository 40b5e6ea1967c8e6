"""Steps with symbols for hosts: whatever the symbols stand for, a step does what the plain step does."""

import itertools
import random
from collections import Counter
from typing import Any

import pytest

from sdnloom.actors import (
    Controller,
    Host,
    NamedPacket,
    NoContradictoryEntries,
    NoForwardingLoop,
    Program,
    SHlink,
    SSlink,
    network_program,
    tag,
)
from sdnloom.actors.program import PLAIN, Group, Naming
from sdnloom.actors.search.options import ActorOptions
from sdnloom.actors.search.search import search_program
from sdnloom.actors.state import Meaning
from sdnloom.actors.task import StepResult, Task
from sdnloom.actors.values import Stored, Symbol, substitute
from sdnloom.network.openflow import Output, SetField
from sdnloom.network.packet import Ethernet, IPv4, Tcp, stack
from sdnloom.network.topology import single

CLIENTS = 3
HOSTS = tuple(f"H{number}" for number in range(CLIENTS))
LINKS = (
    SSlink("S1", 1, "S2", 1),
    *(SHlink("S1", host, 3 + number) for number, host in enumerate(HOSTS)),
    SHlink("S2", "R1", 2),
)
CLIENT_GROUP = Group(
    HOSTS,
    {
        "name": HOSTS,
        "port": (3, 4, 5),
        "mac": (1, 2, 3),
        "ip": tuple(0x0A000001 + number for number in range(CLIENTS)),
        "packet1": ("p1", "p2", "p3"),
    },
)


class Reflector(Controller):
    """Sends each client's packet to R1, and back to the client by rewritten entries; then removes an entry."""

    async def packet_in(self, switch: Any, in_port: int, packet: NamedPacket) -> None:
        source = packet["eth_src"]
        barriers = []
        for hop in self.path(switch, in_port, "R1"):
            hop.switch.install({"in_port": hop.in_port, "eth_src": source}, (hop.output,))
            barriers.append(hop.switch.barrier())
        back = self.switches["S1"]
        back.install(packet.match("ipv4_src", "eth_type"), (SetField("eth_dst", source), Output(in_port)), 7)
        for barrier in barriers:
            await barrier
        switch.send_out(packet.name)
        switch.remove({"eth_src": source})


class Flooder(Controller):
    """Floods every packet, and lets it through the table of S1 too."""

    known: dict = {}  # noqa: RUF012 (the declaration of a field)

    async def packet_in(self, switch: Any, in_port: int, packet: NamedPacket) -> None:
        self.known[switch, packet["ipv4_src"]] = in_port, packet
        switch.flood(packet, in_port)
        self.switches["S1"].packet_out(packet, (Output(1),))


class Maker(Controller):
    """Answers each packet itself, with the plain numbers of the topology."""

    async def packet_in(self, switch: Any, in_port: int, packet: NamedPacket) -> None:
        sender = next(host for host in self.topology.hosts if host.mac == packet["eth_src"])
        made = NamedPacket(packet.name, stack(Ethernet(sender.mac, 0xFE), IPv4(9, sender.ip)))
        switch.packet_out(made, (Output(sender.port),))


def reflected(kind: type[Controller]) -> Program:
    monitors = [NoForwardingLoop(), NoContradictoryEntries()]
    return network_program(kind("ctrl"), LINKS, sends=[(host, "R1") for host in HOSTS], monitors=monitors)


def stood_for(naming: Naming, order: tuple[int, ...]) -> Any:
    """What replaces symbols if the individual with index i is the one with index order[i]."""

    def number(value: Any) -> Stored:
        if not isinstance(value, Symbol) or value.index is None:
            return value
        group = naming.groups[value.group]
        return group.facets[value.facet][order[value.index]]

    return number


def effect(result: StepResult, number: Any) -> Any:
    """What a step reads and does, with numbers for symbols, in no order."""
    reads = Counter(
        (at.substituted(number), frozenset(substitute(value, number)) if has_query(at) else substitute(value, number))
        for at, value in result.reads
    )
    writes = Counter((at.substituted(number), substitute(value, number)) for at, value in result.writes)
    sends = Counter(sent._replace(future=None).substituted(number) for sent in result.sends)
    events = Counter(substitute(event, number) for event in result.events)
    return result.ending, *(frozenset(each.items()) for each in (reads, writes, sends, events))


def has_query(location: Any) -> bool:
    return location.key is not None and not isinstance(location.key, tuple)


def check_walk(program: Program, naming: Naming, seed: int, steps: int = 60) -> Counter[str]:
    """Take random steps with symbols; compare each with the plain step under every renaming. Count symbols seen."""
    rng, symbolic, plain = random.Random(seed), Meaning(program, naming), Meaning(program, PLAIN)
    state, seen = symbolic.initial(), Counter[str]()
    orders = list(itertools.permutations(range(len(naming.groups[0].members))))
    for _ in range(steps):
        cells = dict(state.cells)
        tasks = sorted((task for task, _ in state.tasks if symbolic.can_run(task)), key=repr)
        if not tasks:
            break
        task = rng.choice(tasks)
        results = symbolic.results(cells, task)
        number = stood_for(naming, rng.choice(orders))
        renamed = {at.substituted(number): substitute(value, number) for at, value in cells.items()}
        expected = plain.results(renamed, task.substituted(number))
        assert Counter(effect(each, number) for each in results) == Counter(
            effect(each, lambda v: v) for each in expected
        )
        result = rng.choice(results)
        for event in result.events:
            seen.update(each for each in CLIENT_GROUP.facets if repr(each) in repr(event))
        state = symbolic.after(state, task, result)
    assert not state.failures
    return seen


@pytest.mark.parametrize("kind", [Reflector, Flooder, Maker])
def test_a_step_with_symbols_is_the_plain_step_under_every_renaming(kind: type[Controller]) -> None:
    seen = sum((check_walk(reflected(kind), Naming([CLIENT_GROUP]), seed) for seed in range(2)), Counter[str]())
    assert seen.keys() >= {"name", "port", "mac", "ip", "packet1"}  # all of them stay symbols through the switches


def test_tags_of_packets_stay_through_the_switches() -> None:
    """A program may tag what belongs to a flow: here the source port and the name of each packet."""
    flows = Group(("flow1", "flow2"), {"port": (1001, 1002), "packet": ("a", "b")})
    sends = []
    for number in range(2):
        port, name = (tag(flows.facets[facet][number], flows.members[number], facet) for facet in ("port", "packet"))
        headers = Ethernet(2, 1), IPv4(0x0A000001, 0x0A000002), Tcp(port, 80)
        sends.append(("H0", NamedPacket(name, stack(*headers))))
    program = network_program(Matcher("ctrl"), LINKS, sends=sends)
    check_walk(program, Naming([flows]), 1)
    state = Meaning(program, Naming([flows])).initial()
    assert all(
        repr(Symbol(0, "port", 0)) in repr(task) or repr(Symbol(0, "port", 1)) in repr(task) for task, _ in state.tasks
    )


class Matcher(Controller):
    """Installs an entry for each flow."""

    async def packet_in(self, switch: Any, in_port: int, packet: NamedPacket) -> None:
        for hop in self.path(switch, in_port, "R1"):
            hop.switch.install(packet.match("eth_type", "ip_proto", "tcp_src"), (hop.output,))
        switch.send_out(packet.name)


def test_equal_packets_of_one_host_can_be_renamed_into_each_other() -> None:
    packet = stack(Ethernet(2, 1))
    program = network_program(Matcher("ctrl"), LINKS, sends=[("H0", packet), ("H0", packet), ("H1", packet)])
    names = [message.args[0].name for message in program.start]
    assert [(name, name.owner, name.facet) for name in names] == [
        ("p1", "packet p1", "packet"),
        ("p2", "packet p2", "packet"),
        ("p3", "H1", "packet1"),
    ]
    tasks: list[Task] = program.initial_tasks(Naming([Group(("packet p1", "packet p2"), {"packet": ("p1", "p2")})]))
    assert len({repr(task.substituted(lambda _: "x")) for task in tasks}) == 2


class Echo(Host):
    """Answers what it receives."""

    async def receive(self, packet: NamedPacket) -> None:
        await super().receive(packet)
        await self.send(packet.answer())


class Switcher(Controller):
    """Sends packets to the host that they are for."""

    async def packet_in(self, switch: Any, in_port: int, packet: NamedPacket) -> None:
        target = next(host.port for host in self.topology.hosts if host.mac == packet["eth_dst"])
        switch.packet_out(packet, (Output(target),), in_port)


def test_clients_of_a_host_that_answers_can_be_renamed() -> None:
    program = network_program(
        Switcher("ctrl"), topology=single(3), sends=[("h1", "h3"), ("h2", "h3")], hosts={"h3": Echo}
    )
    with_symmetry = search_program(program, ActorOptions(reduction="none"))
    without = search_program(program, ActorOptions(reduction="none", symmetry=False))
    assert with_symmetry.symmetry == "interchangeable: {h1, h2}"
    assert with_symmetry.final_states == without.final_states == 1
    assert with_symmetry.result.statistics.states < without.result.statistics.states


def test_an_answer_belongs_to_the_owner_of_the_packet_and_the_answer_to_an_answer_to_nobody() -> None:
    packet = NamedPacket(tag("p1", "H0", "packet1"), stack(Ethernet(2, 1)))
    answer = packet.answer()
    name: Any = answer.name
    assert (name, name.owner, name.facet) == ("answer to p1", "H0", "packet1 answer")
    assert answer["eth_dst"] == 1
    assert type(answer.answer().name) is str  # nothing at the start has such a name
    assert type(NamedPacket("p1", packet.packet).answer().name) is str
