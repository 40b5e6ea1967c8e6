"""States as text: every message in transit is shown once, with the tables of the switches."""

import random
from pathlib import Path

import pytest

from sdnloom.check.load import load_scenario
from sdnloom.check.scenario import Scenario
from sdnloom.engine.semantics import Semantics, State
from sdnloom.engine.walk import Stepper
from sdnloom.network.hosts import Client, Replier
from sdnloom.network.network import LinkFaults, Network, SwitchFaults, SwitchOptions, Timeouts
from sdnloom.network.topology import linear
from sdnloom.platforms.python.program import PythonProgram
from sdnloom.report.describe import Names
from sdnloom.report.state.text import hosts_text, messages_text, tables_text
from tests.check.scenarios import SCENARIO, write
from tests.check.test_load import EVERYTHING

EXAMPLES = Path(__file__).parents[2] / "examples"


def under_way(semantics: Semantics, state: State) -> int:
    """How many messages can be taken from all channels, one after the other."""
    total = 0
    for channel, content in zip(semantics.system.channels, state.contents, strict=True):
        while takes := channel.discipline.take(content):
            _, message, content = takes[0]
            heads = channel.name.endswith(".in") and channel.to.startswith("s")  # a switch takes one from each port
            total += len(message) if heads else 1
    return total


BURST = SCENARIO.replace('to = ["h2"]', 'to = ["h2"]\nsends = 9')


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("text", [EVERYTHING, BURST], ids=["everything", "burst"])
def test_every_message_in_transit_is_shown_once(tmp_path: Path, seed: int, text: str) -> None:
    scenario = load_scenario(write(tmp_path, text))
    names = Names.of(scenario.network.topology)
    stepper = Stepper(scenario.system())
    chance = random.Random(seed)
    most = 0
    for _ in range(60):
        enabled = stepper.enabled()
        if not enabled:
            break
        stepper.take(chance.randrange(len(enabled)))
        lines = messages_text(stepper.semantics, stepper.state, names)
        expected = under_way(stepper.semantics, stepper.state)
        counted = sum(int(line.rpartition("(")[2].split()[0]) if line.endswith(" times)") else 1 for line in lines)
        assert (0 if lines == ["nothing is under way"] else counted) == expected
        assert len(hosts_text(stepper.semantics, stepper.state)) == len(scenario.network.topology.hosts)
        assert [line for line in tables_text(stepper.semantics, stepper.state, names) if line[0] == "s"]
        most = max(most, expected)
    assert most > 2


def follow(stepper: Stepper, *starts: str) -> None:
    """Take the first step whose component and action are as given, one after the other."""
    for start in starts:
        steps = [f"{t.step.component}: {t.step.action}" for t in stepper.enabled()]
        assert start in steps, steps
        stepper.take(steps.index(start))


def test_tables_show_entries_and_buffers() -> None:
    scenario = load_scenario(EXAMPLES / "mac_learning" / "bug1.toml")
    stepper = Stepper(scenario.system())
    names = Names.of(scenario.network.topology)
    follow(stepper, "A: send", "s1: packets", "controller: handle s1", "s1: of", "B: receive at s1:2", "B: work")
    follow(stepper, "s1: packets")
    assert tables_text(stepper.semantics, stepper.state, names) == [
        "s1",
        "  buffer 0, port 2: B:to:A:1 (B > A ICMP echo reply)",
    ]
    follow(stepper, "controller: handle s1", "s1: of")
    assert tables_text(stepper.semantics, stepper.state, names) == [
        "s1",
        "  priority 32768 in_port=2,eth_dst=A,eth_src=B,eth_type=0x800 -> port 1, idle 5 s",
    ]
    assert tables_text(stepper.semantics, stepper.state, names, "s2") == []


class Silent:
    """Handles nothing of note."""

    def packet_in(self, net, switch, message) -> None:
        pass


def test_ports_that_are_down_and_switches_without_controller_are_shown() -> None:
    network = Network(
        linear(2),
        (Client("h1", to=("h2",)), Replier("h2")),
        SwitchOptions(),
        (("s1:2-s2:2", LinkFaults(fail=1)),),
        (("s1", SwitchFaults(disconnect=1)), ("s2", SwitchFaults(fail=1))),
        Timeouts(),
    )
    stepper = Stepper(Scenario(network, PythonProgram(Silent), ()).system())
    follow(stepper, "environment: fail s1:2-s2:2")
    assert messages_text(stepper.semantics, stepper.state, Names()) == [
        "s1.carrier: port 2 goes down",
        "s2.carrier: port 2 goes down",
    ]
    follow(stepper, "s1: carrier", "s1: disconnect", "s2: fail")
    assert tables_text(stepper.semantics, stepper.state, Names()) == [
        "s1 (no controller)",
        "  port 2 is down (s1:2-s2:2)",
        "s2 (no power)",
        "  no entries",
    ]
