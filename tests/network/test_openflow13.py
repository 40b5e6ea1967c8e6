"""The same network with OpenFlow 1.3 switches, and with switches without buffers."""

import pytest

from sdnloom.engine.result import Holds, SearchOptions, Violated
from sdnloom.engine.search import search
from sdnloom.network.build import build
from sdnloom.network.hosts import Client, Replier
from sdnloom.network.network import Network, SwitchOptions
from sdnloom.network.openflow import NO_BUFFER, NO_TRUNCATION, Match, Output, Port
from sdnloom.network.topology import custom
from sdnloom.platforms.python.program import PythonProgram
from sdnloom.properties import (
    NoBlackHoles,
    NoForgottenPackets,
    NoForwardingLoops,
    NoHandlerException,
    Sometimes,
    StrictDirectPaths,
)
from tests.network.programs import Learning, learning
from tests.network.state_space import column, explore

LINE = custom(["s1", "s2"], [("s1:2", "s2:1")], [("A", "s1:1"), ("B", "s2:2")])


class Learning13(Learning):
    """MAC learning for 1.3, where a table-miss entry must send unmatched packets to the controller."""

    max_len = 128

    def switch_join(self, net, switch, features):
        super().switch_join(net, switch, features)
        net.install(switch, Match(), Output(Port.CONTROLLER, self.max_len), priority=0)


class Whole13(Learning13):
    """Asks for whole packets, so that nothing is buffered."""

    max_len = NO_TRUNCATION


def network(**options):
    return Network(
        LINE,
        (Client("A", to=("B",), sends=2, numbered=True), Replier("B", tells_apart=True)),
        SwitchOptions(profile="reference", **options),
    )


def sizes(built):
    statistics = search(built, SearchOptions(engine="loop")).statistics
    return statistics.states, statistics.transitions


def test_a_learning_network_of_1_3_has_the_same_space_as_of_1_0():
    assert sizes(build(network(version="1.3"), PythonProgram(Learning13))) == (296, 508)


@pytest.mark.parametrize(
    ("program", "options"),
    [(learning, {"buffers": 0}), (PythonProgram(Whole13), {"version": "1.3"})],
    ids=["1.0 without buffers", "1.3 without buffers"],
)
def test_without_buffers_the_packet_travels_in_the_message(program, options):
    system = build(network(**options), program, (NoBlackHoles(), NoForgottenPackets(), NoForwardingLoops()))
    assert isinstance(search(system).verdict, Holds)
    for state in explore(system)[0]:
        assert column(system, state, "s1").core.buffers == ()
    messages = {t.step.message.buffer_id for t in explore(system)[1] if t.step.action == "handle s1"}
    assert messages == {NO_BUFFER}


def test_a_1_3_switch_without_a_table_miss_entry_loses_everything():
    verdict = search(build(network(version="1.3"), learning, (NoBlackHoles(),))).verdict
    assert isinstance(verdict, Violated)
    assert verdict.counterexample.message == "packet A:1 never reached B"
    assert len(verdict.counterexample.path) == 2


def test_the_late_direct_path_is_found_in_1_3_too():
    rules = (StrictDirectPaths(), NoHandlerException(), Sometimes(event="Received", at="A"))
    verdict = search(build(network(version="1.3"), PythonProgram(Learning13), rules)).verdict
    assert isinstance(verdict, Violated)
    assert len(verdict.counterexample.path) == 18


@pytest.mark.parametrize("version", ["1.0", "1.3"])
def test_both_engines_see_the_same_network(version):
    program = PythonProgram(Learning13) if version == "1.3" else learning
    rules = (NoBlackHoles(), NoForwardingLoops())
    results = [
        search(build(network(version=version), program, rules), SearchOptions(engine=engine))
        for engine in ("loop", "kernel")
    ]
    one, other = ((result.statistics.states, result.statistics.transitions, result.verdict) for result in results)
    assert one == other
