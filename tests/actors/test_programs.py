"""The programs of SDN-Actors' table 1: exact counts, verdicts, the full search as oracle, and mutants."""

import json
import os
import subprocess
import sys
from typing import Any

import pytest

from benchmarks.actors_programs import INSTANCES, Instance, balanced, example, instance, resized
from benchmarks.actors_table1 import slope
from benchmarks.actors_verify import final_numbers, full_search
from sdnloom.actors import AllDelivered, Balanced, NoDelivery, Program
from sdnloom.actors.executions.count import count_executions
from sdnloom.actors.search.options import ActorOptions, ActorResult
from sdnloom.actors.search.search import search_program
from sdnloom.actors.semantics import ActorSemantics
from sdnloom.engine.path import replay
from sdnloom.network.openflow import Output

ALL = ActorOptions(find_all=True)
LOAD_BALANCER, SSH, FIREWALL, LEARNING = map(example, ("load_balancer.py", "ssh.py", "firewall.py", "learning.py"))


# Instance, (states, transitions, final states) of the full search, the same of the default search, which properties are
# violated.
SMALL = [
    (instance("LB", "3x3x1"), (105, 202, 8), (35, 34, 8), {"NoForwardingLoop"}),
    (balanced(1), (13, 14, 1), (11, 10, 1), set()),
    (balanced(2), (245, 508, 2), (34, 37, 1), set()),
    (balanced(3), (4845, 14436, 3), (123, 142, 1), set()),
    (instance("SSHE", "2x2x1ssh"), (240, 696, 3), (63, 91, 3), {"NoContradictoryEntries", "ssh_is_blocked"}),
    (instance("SSHE", "2x2x1oth"), (237, 662, 3), (63, 82, 3), {"NoContradictoryEntries", "ssh_is_blocked"}),
    (resized("SSHE", "2x2x2cor", "2x2x1cor", ssh=1, other=0), (240, 666, 3), (43, 52, 3), set()),
    (instance("SSHB", "2x2x2"), (429, 890, 1), (177, 211, 1), set()),
    (resized("MI", "1x5x8", "1x5x3", packets=3), (648, 2020, 4), (42, 42, 4), set()),
    (resized("MIB", "1x5x8", "1x5x3", packets=3), (1005, 3178, 4), (51, 52, 4), {"OnlyTrustedSources"}),
    (instance("LE", "3x3x2"), (592, 1288, 4), (106, 108, 4), set()),
    (instance("LE", "6x3x2"), (3009, 6954, 7), (347, 361, 7), set()),
]
# Sizes of the paper that the full search is too slow for here; `python -m benchmarks actors-table1 --verify` has it.
LARGER = [
    (instance("SSHE", "2x2x2cor"), (556, 683, 9)),
    (instance("MI", "1x5x8"), (2247, 2535, 32)),
    (balanced(5), (421, 530, 1)),
]


def counts(found: ActorResult) -> tuple[int, int, int]:
    return found.result.statistics.states, found.result.statistics.transitions, found.final_states


@pytest.mark.parametrize(("which", "full", "default", "wrong"), SMALL, ids=[each[0].label for each in SMALL])
def test_a_small_program_has_these_states_and_the_final_states_of_the_full_search(
    which: Instance, full: tuple[int, ...], default: tuple[int, ...], wrong: set[str]
) -> None:
    program = which.program()
    oracle, found = full_search(program), search_program(program, ALL)
    assert (counts(oracle), counts(found)) == (full, default)
    expected, plain = final_numbers(program, oracle, found)
    assert plain == expected
    assert {each.property for each in oracle.result.violations} == wrong
    assert {each.property for each in found.result.violations} == wrong
    assert bool(wrong) == which.violated
    semantics = ActorSemantics(program)
    for each in found.result.violations:
        end = replay(semantics, each.path)[-1].state
        assert (each.property, each.message) in {(one.property, one.message) for one in semantics.findings(end)}


@pytest.mark.parametrize(("which", "default"), LARGER, ids=[each[0].label for each in LARGER])
def test_a_larger_program_holds_with_these_states(which: Instance, default: tuple[int, ...]) -> None:
    found = search_program(which.program(), ALL)
    assert (counts(found), found.result.violations) == (default, ())


def test_counts_do_not_depend_on_the_hash_seed() -> None:
    code = (
        "import json\n"
        "from tests.actors.test_programs import ALL, SMALL, counts, search_program\n"
        "print(json.dumps([counts(search_program(each[0].program(), ALL)) for each in SMALL[::4]]))"
    )
    environment = os.environ | {"PYTHONHASHSEED": "7", "PYTHONPATH": os.pathsep.join(map(str, sys.path))}
    printed = subprocess.run([sys.executable, "-c", code], env=environment, check=True, stdout=subprocess.PIPE).stdout
    assert [tuple(each) for each in json.loads(printed)] == [default for _, _, default, _ in SMALL[::4]]


def test_the_load_balancer_has_8_executions_2_with_the_loop_and_with_barriers_1() -> None:
    free, patient = (count_executions(each.program(), "entry") for each in (instance("LB", "3x3x1"), balanced(1)))
    assert (free.count, free.violating, free.incomplete) == (8, {"NoForwardingLoop": 2}, None)
    assert (patient.count, patient.violating, patient.incomplete) == (1, {}, None)


def test_the_table_has_every_size_of_the_paper() -> None:
    sizes: dict[str, list[str]] = {}
    for each in INSTANCES:
        sizes.setdefault(each.row, []).append(each.size)
        program = each.program()
        switches, hosts, packets = each.size.split("x", 2)
        network = program.network  # type: ignore[attr-defined]
        assert (len(network.topology.switches), len(network.topology.hosts)) == (int(switches), int(hosts))
        sent = {"1ssh": 1, "1oth": 1, "2each": 2, "2cor": 2}.get(packets) or int(packets)
        assert len(program.start) == sent
    assert sizes == {
        "LB": ["3x3x1", "3x4x2"],
        "LBB": ["3x4x2", "3x7x5", "3x10x8", "3x12x10"],
        "SSHE": ["2x2x1ssh", "2x2x1oth", "2x2x2each", "2x2x2cor"],
        "SSHB": ["2x2x2", "2x2x3"],
        "MI": ["1x5x8", "1x5x10", "1x5x11"],
        "MIB": ["1x5x8", "1x5x10", "1x5x11"],
        "LE": ["3x3x2", "3x3x5", "6x3x2", "6x3x5", "9x2x2"],
    }
    assert sum(bool(each.violated) for each in INSTANCES) == 2 + 3 + 3


def test_the_slope_of_a_power_law_is_its_exponent() -> None:
    assert slope([(n, 5 * n**3) for n in range(2, 11)]) == pytest.approx(3)


# Mutants: each right program has a property that some mistake violates, so none of them holds for a trivial reason.


class OneReplica(LOAD_BALANCER.PatientLoadBalancer):  # type: ignore[name-defined,misc]
    """Always chooses the first replica."""

    async def packet_in(self, switch: Any, in_port: int, packet: Any) -> None:
        self.turn = 0
        await super().packet_in(switch, in_port, packet)


class OneBarrier(LOAD_BALANCER.LoadBalancer):  # type: ignore[name-defined,misc]
    """Waits for the first switch of the path only."""

    async def packet_in(self, switch: Any, in_port: int, packet: Any) -> None:
        await self.install_path(switch, in_port, packet)[0].barrier()
        switch.send_out(packet.name)


class ForwardsFirst(SSH.PatientSshController):  # type: ignore[name-defined,misc]
    """Forwards before SSH is blocked everywhere."""

    async def packet_in(self, switch: Any, in_port: int, packet: Any) -> None:
        self.forward_rest()
        self.drop_ssh()
        await self.barriers()
        switch.send_out(packet.name)


class ReleasesEarly(SSH.PatientSshController):  # type: ignore[name-defined,misc]
    """Releases the packet before the switches forward."""

    async def packet_in(self, switch: Any, in_port: int, packet: Any) -> None:
        self.drop_ssh()
        await self.barriers()
        self.forward_rest()
        switch.send_out(packet.name)


class NeverForwards(SSH.PatientSshController):  # type: ignore[name-defined,misc]
    """Blocks everything."""

    def forward_rest(self) -> None:
        pass


class WideFirewall(FIREWALL.Firewall):  # type: ignore[name-defined,misc]
    """Its entries forget the source, so that the packets of one host open the way for all."""

    async def packet_in(self, switch: Any, in_port: int, packet: Any) -> None:
        if in_port not in FIREWALL.INSIDE and packet["eth_src"] not in self.trusted:
            return
        for address in (packet["eth_src"], packet["eth_dst"]):
            self.trust(address)
        (hop,) = self.path(switch, in_port, FIREWALL.HOSTS[packet["eth_dst"] - 1])
        switch.install({"eth_dst": packet["eth_dst"]}, (hop.output,))
        switch.packet_out(packet, (hop.output,), in_port)


class LearnsWithoutLogin(LEARNING.LearningController):  # type: ignore[name-defined,misc]
    """Serves every host."""

    async def packet_in(self, switch: Any, in_port: int, packet: Any) -> None:
        self.authenticated.add(packet["eth_src"])
        await super().packet_in(switch, in_port, packet)


class WideLearning(LEARNING.LearningController):  # type: ignore[name-defined,misc]
    """Its entries forget the source."""

    names = ("eth_dst",)
    waits = True

    async def packet_in(self, switch: Any, in_port: int, packet: Any) -> None:
        source, target = packet["eth_src"], packet["eth_dst"]
        if packet.packet.payload == LEARNING.LOGIN:
            self.authenticated.add(source)
        elif source not in self.authenticated:
            return
        self.ports[switch.name, source] = in_port
        if (switch.name, target) not in self.ports:
            switch.flood(packet, in_port)
            return
        switch.install(packet.match(*self.names), (Output(self.learnt(switch, target)),))
        if self.waits:
            await switch.barrier()
        switch.send_out(packet.name)

    def learnt(self, switch: Any, target: int) -> int:
        return self.ports[switch.name, target]  # type: ignore[no-any-return]


class HastyLearning(WideLearning):
    """Has the right entries, and releases packets before they are there."""

    names = ("eth_src", "eth_dst")
    waits = False


class LocalLearning(WideLearning):
    """Sends every packet to the host at the switch."""

    names = ("eth_src", "eth_dst")

    def learnt(self, switch: Any, target: int) -> int:
        return int(LEARNING.HOST)


def balancer(kind: Any, clients: int) -> Program:
    replicas = LOAD_BALANCER.REPLICAS
    final = [AllDelivered(hosts=replicas), Balanced(replicas)]
    return LOAD_BALANCER.balanced_network(kind("ctrl"), clients, final)  # type: ignore[no-any-return]


def ssh(kind: Any, ssh: int, other: int, **fields: int) -> Program:
    """With all that the program with barriers has to show."""
    monitors = [NoDelivery(lambda packet: packet["tcp_dst"] == SSH.SSH)]
    final = [AllDelivered(lambda packet: packet["tcp_dst"] != SSH.SSH)]
    return SSH.ssh_network(kind("ctrl", **fields), ssh, other, monitors, final)  # type: ignore[no-any-return]


def learning(kind: Any, packets: int) -> Program:
    return LEARNING.learning_network(kind("ctrl"), 3, 3, packets)  # type: ignore[no-any-return]


@pytest.mark.parametrize(
    ("program", "wrong"),
    [
        (balancer(LOAD_BALANCER.LoadBalancer, 1), {"NoForwardingLoop", "AllDelivered"}),
        (balancer(OneBarrier, 1), {"NoForwardingLoop", "AllDelivered"}),
        (balancer(OneReplica, 2), {"Balanced"}),
        # Right priorities, no barriers: packets slip through, and get lost, while entries are being installed.
        (ssh(SSH.SshController, 1, 0, drop_priority=2), {"NoDelivery"}),
        (ssh(SSH.SshController, 0, 1, drop_priority=2), {"AllDelivered"}),
        # Equal priorities: of the entries for an SSH packet, "forward" may be chosen.
        (ssh(SSH.PatientSshController, 1, 0, drop_priority=1), {"NoDelivery", "NoContradictoryEntries"}),
        (ssh(ForwardsFirst, 2, 0), {"NoDelivery"}),
        (ssh(ReleasesEarly, 0, 1), {"AllDelivered"}),
        (ssh(NeverForwards, 0, 1), {"AllDelivered", "ssh_is_blocked"}),
        (FIREWALL.firewall_network(WideFirewall("ctrl"), 5), {"OnlyTrustedSources"}),
        (learning(LearnsWithoutLogin, 5), {"OnlyAuthenticated"}),
        (learning(WideLearning, 5), {"OnlyAuthenticated"}),
        (learning(HastyLearning, 2), {"AllDelivered"}),
        (learning(LocalLearning, 2), {"AllDelivered", "consistent_tables"}),
    ],
)
def test_a_mutant_violates(program: Program, wrong: set[str]) -> None:
    found = {each.property for each in search_program(program, ActorOptions(order="dfs")).result.violations}
    assert found
    assert found <= wrong
