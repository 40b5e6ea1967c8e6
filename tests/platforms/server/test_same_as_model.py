"""Programs behind the OpenFlow server react as the model does: random inputs, one after the other, to both."""

import random
from pathlib import Path
from typing import Any

import pytest

from sdnloom.check.load import load_scenario
from sdnloom.engine.model import Restart
from sdnloom.network.events import HandlerRaised
from sdnloom.network.network import Network, SwitchOptions
from sdnloom.network.openflow import (
    OpenFlowMessage,
)
from sdnloom.network.program import (
    Call,
    Input,
    Program,
    RunsInProcess,
    SwitchDown,
    SwitchUp,
    TimerInput,
    keep_order,
)
from sdnloom.network.topology import linear
from sdnloom.platforms.nox import NoxProgram
from sdnloom.platforms.python.program import PythonProgram
from tests.platforms.server.every_handler import EveryHandler
from tests.platforms.server.random_inputs import any_input
from tests.platforms.server.served_process import ServedProcess

EXAMPLES = Path(__file__).parents[3] / "examples"
STEPS = 120


def two_switches(version: str = "1.0") -> Network:
    return Network(linear(2), switches=SwitchOptions(version=version))


def compare(program: Program, network: Network, outside: tuple[Input, ...] = (), steps: int = STEPS) -> int:
    """Give both the same inputs, and compare messages and exceptions; return how many of these there were."""
    assert isinstance(program, RunsInProcess)
    keep_order(program)
    chance, connected, core, seen = random.Random(5), set[str](), program.initial(), 0
    with ServedProcess(program.controller_command(network)) as process:
        for _ in range(steps):
            given = any_input(chance, connected, outside, network.switches.version)
            match given:
                case SwitchUp():
                    connected.add(given.switch)
                case SwitchDown():
                    connected.remove(given.switch)
            reactions = program.handle(core, given)
            assert not isinstance(reactions, Restart)
            (reaction,) = reactions
            core = reaction.core
            sent: dict[str, list[OpenFlowMessage]] = {}
            for switch, each in reaction.messages:
                if switch in connected:
                    sent.setdefault(switch, []).append(each)
            raised = [each for each in reaction.events if isinstance(each, HandlerRaised)]
            found, reported = process.give(given)
            assert found == sent, given
            assert [(each["text"], Path(each["file"]).name, each["line"]) for each in reported] == [
                (each.text, each.file, each.line) for each in raised
            ]
            assert all([each["file"], each["line"]] in each["lines"] for each in reported)
            seen += len(reaction.messages) + len(raised)
    return seen


def program_of(scenario: str) -> Program:
    made: Any = load_scenario(EXAMPLES / scenario).program
    return made if isinstance(made, Program) else made()


@pytest.mark.parametrize(
    ("scenario", "count"),
    [
        ("mac_learning/bug1_fixed.toml", 65),
        ("mac_learning/bug2_fixed.toml", 60),
        ("mac_learning_nox/bug1_fixed.toml", 67),
    ],
)
def test_examples_react_alike(scenario: str, count: int) -> None:
    assert compare(program_of(scenario), two_switches()) == count


OUTSIDE = (
    TimerInput("poll"),
    TimerInput("other"),
    Call("reset", ("s1", [1, {"a": None}])),
    Call("count"),
    Call("fail", (3,)),
    Call("fail", ("text",)),
)


@pytest.mark.parametrize(("version", "count"), [("1.0", 241), ("1.3", 241)])
def test_every_handler_reacts_alike(version: str, count: int) -> None:
    program = PythonProgram(EveryHandler, {"greeting": "hello", "limits": [3, {"b": 2.5}]})
    assert compare(program, two_switches(version), OUTSIDE) == count


NOX = """
from nox.lib.core import *
import random


class App(Component):
    def install(self):
        self.seen = {}
        self.register_for_datapath_join(self.came)
        self.register_for_datapath_leave(self.left)
        self.register_for_packet_in(self.first)
        self.register_for_packet_in(self.second)
        self.register_for_port_status(self.port)
        self.register_for_barrier_reply(self.barrier)

    def came(self, dpid, features):
        self.seen[dpid] = [port["port_no"] for port in features["ports"]]
        self.send_barrier(dpid)

    def left(self, dpid):
        del self.seen[dpid]
        for other in self.seen:
            self.send_barrier(other)

    def first(self, dpid, inport, reason, length, buffer_id, packet):
        self.seen[dpid].append(inport)
        if buffer_id is None:
            return STOP
        raise KeyError(len(self.seen[dpid]))

    def second(self, dpid, inport, reason, length, buffer_id, packet):
        self.send_openflow_buffer(dpid, buffer_id, random.randrange(100), inport)
        self.send_openflow_buffer(dpid, buffer_id, "nothing", inport)

    def port(self, dpid, reason, port):
        print("port", port["port_no"])
        return {}[port["port_no"]]

    def barrier(self, dpid, xid):
        self.post(pyevent("barrier", xid)) or self.send_barrier(dpid)

    def reset(self, *arguments):
        self.seen = {dpid: list(arguments) for dpid in self.seen}
        for dpid in self.seen:
            self.send_barrier(dpid)


def getFactory():
    class Factory:
        def instance(self, ctxt):
            return App(ctxt)
    return Factory()
"""


def test_apps_of_nox_react_alike(tmp_path: Path) -> None:
    file = tmp_path / "app.py"
    file.write_text(NOX)
    program = NoxProgram(file, seed=7)
    assert compare(program, two_switches(), (Call("reset", (1, "two", [3])),)) == 119
