"""Losses around a restart of a switch: what no program can prevent is excused, and nothing else."""

import pytest

from sdnloom.engine.result import Holds, SearchOptions, Violated
from sdnloom.engine.search import search
from sdnloom.network.build import build
from sdnloom.network.hosts import ArpHost, Client, Replier
from sdnloom.network.network import Network, SwitchFaults, SwitchOptions
from sdnloom.network.openflow import Match, Output, Port
from sdnloom.network.topology import single
from sdnloom.platforms.python.program import PythonProgram
from sdnloom.properties import NoBlackHoles, PingsAnswered

HOSTS = {
    "arp": (ArpHost("h1", to=("h2",), sends=1), ArpHost("h2")),
    "replier": (Client("h1", to=("h2",), sends=1), Replier("h2")),
}


class Careful:
    """Sends packets to the controller, by an entry that a 1.3 switch needs for that, and floods them."""

    def __init__(self):
        self.seen = False

    def switch_join(self, net, switch, features):
        net.install(switch, Match(), Output(Port.CONTROLLER), priority=1)

    def packet_in(self, net, switch, message):
        net.flood(switch, message)


class Forgetful(Careful):
    """Does not know that a switch that joins again has no entries."""

    def switch_join(self, net, switch, features):
        if not self.seen:
            super().switch_join(net, switch, features)
        self.seen = True


def verdict(hosts, program, rule, **options):
    faults = options.pop("faults", SwitchFaults(fail=1))
    joining = options.pop("joining", False)
    switches = SwitchOptions(version="1.3", buffers=0)
    network = Network(
        single(2), HOSTS[hosts], switches=switches, switch_faults=(("s1", faults),) if faults else (), joining=joining
    )
    system = build(network, PythonProgram(program), (rule,))
    return search(system, SearchOptions(**{"engine": "loop"} | options)).verdict


@pytest.mark.parametrize("hosts", HOSTS)
@pytest.mark.parametrize("rule", [NoBlackHoles(), PingsAnswered()], ids=lambda rule: rule.name)
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"faults": SwitchFaults(disconnect=1)},
        {"faults": SwitchFaults(fail=1, disconnect=1)},
        {"faults": None, "joining": True},
        {"reduce": True, "checked": True},
    ],
    ids=["fails", "disconnects", "both", "joins", "reduced"],
)
def test_what_a_restart_costs_is_excused(hosts, rule, options):
    assert isinstance(verdict(hosts, Careful, rule, **options), Holds)


@pytest.mark.parametrize("reduce", [False, True])
@pytest.mark.parametrize("hosts", HOSTS)
@pytest.mark.parametrize("rule", [NoBlackHoles(), PingsAnswered()], ids=lambda rule: rule.name)
def test_a_switch_that_is_left_without_entries_loses_packets(hosts, rule, reduce):
    assert isinstance(verdict(hosts, Forgetful, rule, reduce=reduce), Violated)
