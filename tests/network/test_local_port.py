"""The port LOCAL of a network's switches: it is down, so copies sent there are dropped by design."""

import pytest

from sdnloom.engine.result import Holds, Violated
from sdnloom.engine.search import search
from sdnloom.network.build import build
from sdnloom.network.events import Dropped, Lost, MessageHandled
from sdnloom.network.hosts import Client, Host
from sdnloom.network.network import LinkFaults, Network, SwitchFaults, SwitchOptions
from sdnloom.network.openflow import Match, Output, PacketIn, Port, PortState, PortStatus
from sdnloom.network.switch_component import ONLY_TO_LOCAL
from sdnloom.network.topology import custom, linear
from sdnloom.platforms.python.program import PythonProgram
from sdnloom.properties import NoBlackHoles
from tests.network.programs import learning, witness
from tests.network.state_space import events_of, explore

ONE = custom(["s1"], [], [("A", "s1:1"), ("B", "s1:2")])
HOSTS = (Client("A", to=("B",)), Host("B"))


class ToPorts:
    """Sends every packet to the same ports: by an entry, or by a message for each packet."""

    def __init__(self, ports, installs):
        self.ports, self.installs = ports, installs

    def switch_join(self, net, switch, features):
        if self.installs:
            net.install(switch, Match(), *map(Output, self.ports))

    def packet_in(self, net, switch, message):
        net.packet_out(switch, message, *map(Output, self.ports))


def system_of(ports, installs, version="1.0"):
    program = PythonProgram(ToPorts, {"ports": ports, "installs": installs})
    return build(Network(ONE, HOSTS, SwitchOptions(version=version)), program, (NoBlackHoles(),))


@pytest.mark.parametrize("installs", [True, False])
def test_a_packet_sent_to_local_and_nowhere_else_is_lost(installs):
    system = system_of((Port.LOCAL,), installs)
    assert isinstance(search(system).verdict, Violated)
    lost = [event for event in events_of(system) if isinstance(event, Lost | Dropped)]
    assert [(str(event.port), event.reason, event.by_fault) for event in lost] == [
        (f"s1:{Port.LOCAL}", ONLY_TO_LOCAL, False)
    ]


@pytest.mark.parametrize("installs", [True, False])
@pytest.mark.parametrize("ports", [(Port.FLOOD,), (Port.ALL,), (Port.LOCAL, 2)])
def test_a_copy_for_local_beside_others_is_no_loss(ports, installs):
    system = system_of(ports, installs)
    assert isinstance(search(system).verdict, Holds)
    assert not [event for event in events_of(system) if isinstance(event, Lost | Dropped)]


def test_every_packet_reaches_the_program_whole_and_without_a_buffer():
    system = build(Network(ONE, HOSTS), learning)
    told = [event.message for event in events_of(system) if isinstance(event, MessageHandled)]
    packets = [message for message in told if isinstance(message, PacketIn)]
    assert packets
    assert all(len(message.data) == message.total_len for message in packets)


@pytest.mark.parametrize(
    "faults",
    [{"link_faults": (("s1:2-s2:2", LinkFaults(fail=1)),)}, {"switch_faults": (("s1", SwitchFaults(fail=1)),)}],
    ids=["link", "power"],
)
@pytest.mark.parametrize("version", ["1.0", "1.3"])
def test_local_stays_down_whatever_happens_to_links_and_power(version, faults):
    network = Network(linear(2), switches=SwitchOptions(version=version), **faults)
    system = build(network, witness)
    for event in events_of(system):
        if isinstance(event, MessageHandled) and isinstance(event.message, PortStatus):
            others = {0} if version == "1.0" else {0, PortState.LIVE}  # 0: LIVE goes before the link
            assert event.message.desc.port_no != Port.LOCAL
            assert event.message.desc.state in {PortState.LINK_DOWN, *others}
    for state in explore(system)[0]:
        for core in state.cores:
            for desc in getattr(getattr(core, "core", None), "ports", None) or ():
                assert desc.port_no != Port.LOCAL or desc.state == PortState.LINK_DOWN
