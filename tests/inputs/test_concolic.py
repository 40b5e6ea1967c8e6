"""The concolic explorer against brute force on a small domain, in discovery and by itself."""

from itertools import product

import pytest

from sdnloom.check.discovery import discover
from sdnloom.check.scenario import Scenario
from sdnloom.engine.result import SearchOptions
from sdnloom.engine.search import search
from sdnloom.inputs.clients import DiscoveryError
from sdnloom.inputs.concolic import ConcolicExplorer
from sdnloom.inputs.domains import Domain
from sdnloom.inputs.explorable import explorable
from sdnloom.network.build import build
from sdnloom.network.hosts import Client
from sdnloom.network.network import Network
from sdnloom.network.topology import single
from sdnloom.platforms.python.handlers import ProgramError
from sdnloom.platforms.python.program import PythonProgram
from tests.inputs.brute_force import BruteForce, listed_packets
from tests.inputs.program_pair import Pair
from tests.inputs.test_discover import ETHERNET, SMALL, ByPort, Spoken, labels
from tests.network.programs import Hub, Learning, Silent


@pytest.mark.parametrize("kind", [Learning, Spoken, Hub, Silent], ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("name", ["two clients", "a client that moves"])
def test_discovery_finds_the_same_packets_with_either_explorer(name, kind):
    network, program = SMALL[name], PythonProgram(kind)

    def searching(ready, program, observers):
        system = build(ready, program)
        return search(system, observers=observers(system))

    twin = explorable(program)
    found = discover(network, twin, ConcolicExplorer(twin), ETHERNET, SearchOptions(), searching)
    listed = discover(network, program, BruteForce(program), ETHERNET, SearchOptions(), searching)
    assert [one.packets for one in found.rounds] == [one.packets for one in listed.rounds]
    for host in network.hosts:
        if client_discovers(host):
            assert {port: sorted(pool) for port, pool in labels(found, host.name).items()} == {
                port: sorted(pool) for port, pool in labels(listed, host.name).items()
            }


def client_discovers(host):
    return getattr(getattr(host, "host", host), "discover", False)


@pytest.mark.parametrize("kind", [Learning, Spoken, Silent], ids=lambda kind: kind.__name__)
def test_classes_are_a_partition_that_the_lines_confirm(kind):
    pair = Pair.of(PythonProgram(kind))
    question = pair.question("ethernet", 1, {"eth.src": "1,2,3", "eth.dst": "1,2,3,broadcast", "eth.type": "0x88b5"})
    answer = pair.explore(question)
    assert answer.gaps == ()
    for packet in listed_packets(question.skeleton):
        [one] = [each for each in answer.classes if each.contains(packet)]
        assert pair.original_lines(question, packet)[1] == one.lines


def test_a_member_is_in_the_class_and_in_the_domains():
    pair = Pair.of(PythonProgram(ByPort))
    question = pair.question("ipv4/tcp", 1)
    for one in pair.explore(question).classes:
        for source, flags in product((1024, 1025), (2, 16)):
            found = one.member({"tcp.src_port": Domain.of(source), "tcp.flags": Domain.of(flags)})
            assert found is not None
            assert (found["tcp.src_port"], found["tcp.flags"]) == (source, flags)
            assert one.contains({**one.path.witness, **found})
    classes = pair.explore(question).classes
    assert [one.member({"tcp.dst_port": Domain.of(80)}) is None for one in classes].count(False) == 1


def test_checksums_of_witnesses_are_right_unless_the_program_reads_them():
    class_of = Pair.of(PythonProgram(ByPort))
    for one in class_of.explore(class_of.question("ipv4/tcp", 1)).classes:
        assert not any(name.endswith("checksum") for name in one.witness)
        packet = one.question.skeleton.packet(one.witness)
        assert all(getattr(header, "checksum", None) is None for header in packet.headers)


def test_a_class_of_another_stack_repeats_one_only_if_the_program_does_not_read_its_headers():
    learning = Pair.of(PythonProgram(Learning))
    ethernet, arp = (learning.explore(learning.question(stack, 1)).classes for stack in ("ethernet", "arp"))
    assert [any(one.repeats(other) for other in ethernet) for one in arp] == [True] * len(arp)
    looking = Pair.of(PythonProgram(ByPort))
    tcp, vlan = (looking.explore(looking.question(stack, 1)).classes for stack in ("ipv4/tcp", "vlan/ipv4/tcp"))
    assert not any(one.repeats(other) for one in vlan for other in tcp)


def test_a_program_whose_platform_cannot_be_explored_is_named():
    class Foreign:
        name = "foreign"

    with pytest.raises(DiscoveryError, match="'foreign' cannot be discovered: it is a Foreign; expected"):
        explorable(Foreign())


def test_a_class_inside_a_function_cannot_be_explored():
    class Inner:
        def packet_in(self, net, switch, message):
            """Nothing."""

    scenario = Scenario(Network(single(2), (Client("h1", discover=True),)), PythonProgram(Inner), ())
    with pytest.raises(ProgramError, match=r"expected a class at the top level of test_concolic\.py"):
        scenario.check()
