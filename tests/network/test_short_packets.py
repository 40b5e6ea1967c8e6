"""A packet without an Ethernet header leaves no switch: a PacketOut that has neither a buffer nor data sends one."""

from sdnloom.engine.result import Violated
from sdnloom.engine.search import search
from sdnloom.network.build import build
from sdnloom.network.events import Lost
from sdnloom.network.hosts import Client, Host
from sdnloom.network.network import Network, SwitchOptions
from sdnloom.network.openflow import Output, PacketOut, Port
from sdnloom.network.topology import custom
from sdnloom.platforms.python.program import PythonProgram
from sdnloom.properties import NoBlackHoles, NoHandlerException
from tests.network.state_space import events_of

LINE = custom(["s1", "s2"], [("s1:2", "s2:1")], [("A", "s1:1"), ("B", "s2:2")])


class WithoutData:
    """Relies on buffers that the switch does not have."""

    def packet_in(self, net, switch, message):
        assert message.data
        net.send(switch, PacketOut((Output(Port.FLOOD),), b"", message.in_port, message.buffer_id))


def test_the_packet_is_lost_and_no_handler_sees_an_empty_one():
    network = Network(LINE, (Client("A", to=("B",)), Host("B")), SwitchOptions(version="1.0"))
    system = build(network, PythonProgram(WithoutData), (NoHandlerException(), NoBlackHoles()))
    found = search(system).verdict
    assert isinstance(found, Violated)
    assert found.counterexample.property == "NoBlackHoles"
    lost = [event for event in events_of(system) if isinstance(event, Lost)]
    assert [(str(event.port), event.reason, event.by_fault) for event in lost] == [
        ("s1:2", "too short for a frame", False)
    ]
