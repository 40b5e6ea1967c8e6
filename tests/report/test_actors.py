"""Values, steps and states of programs of actors as text."""

from pathlib import Path
from typing import Any

import pytest

from sdnloom.actors import load_program
from sdnloom.actors.network.packets import NamedPacket
from sdnloom.actors.semantics import ActorSemantics, state_of
from sdnloom.actors.step_words import PrintedName
from sdnloom.engine.walk import Stepper
from sdnloom.network.openflow import Match, Output, Port
from sdnloom.network.packet import Ethernet, stack
from sdnloom.report.actors.names import program_names
from sdnloom.report.actors.state import fields_text, mailboxes_text
from sdnloom.report.actors.value_text import MOST_TEXT, plain_words
from sdnloom.report.describe import Names
from sdnloom.report.steps import steps_text
from sdnloom.report.text_style import TextStyle

FIRST = Path(__file__).parents[2] / "examples" / "actors" / "first_program.py"
NAMES = Names({1: "ann"})


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (3, "3"),
        ("a b", "'a b'"),
        (None, "None"),
        ((1,), "(1,)"),
        ((1, ("x", PrintedName("bob"))), "(1, ('x', bob))"),
        (frozenset({2, 10}), "{10, 2}"),
        (frozenset(), "frozenset()"),
        ([1, 2], "[1, 2]"),
        ({"b": 1, "a": (2,)}, "{'a': (2,), 'b': 1}"),
        (Match.of(in_port=1, eth_src=1), "in_port=1,eth_src=ann"),
        ((Output(2), Output(int(Port.FLOOD))), "[port 2, flood]"),
        (Output(2), "port 2"),
        (NamedPacket("p1", stack(Ethernet(dst=2, src=1))), "p1 (ann > 00:00:00:00:00:02)"),
        ("x" * 300, f"'{'x' * (MOST_TEXT - 1)}... (302 characters)"),
    ],
)
def test_values_are_short_and_readable(value: Any, text: str) -> None:
    assert plain_words(value, NAMES) == text


def test_a_barrier_and_what_waits_for_it_are_in_the_mailboxes() -> None:
    program = load_program(FIRST, "with_barriers")
    stepper, names = Stepper(ActorSemantics(program)), program_names(program)
    for _ in range(3):
        stepper.take(0)
    match = "eth_type=0x800,ipv4_dst=10.0.0.100"
    assert mailboxes_text(program, state_of(stepper.state), names) == [
        "ctrl",
        "  packet_in(S1, 0, p1), waits at first_program.py:24 for a future",
        "S1",
        "  barrier(), waits for the control messages before it",
        f"  install(in_port=0,{match}, [port 1])",
        "S2",
        "  barrier(), waits for the control messages before it",
        f"  install(in_port=1,{match}, [port 0])",
    ]
    assert fields_text(program, state_of(stepper.state), names, "ctrl") == ["ctrl", "  turn = 1", "  waits = True"]
    stepper.take(0)
    assert f"    (32768, in_port=0,{match}): [port 1]" in fields_text(program, state_of(stepper.state), names, "S1")
    host = fields_text(program, state_of(stepper.state), names, "H0")
    assert {"  mac = 00:00:00:00:00:01", "  ip = 10.0.0.1"} <= set(host)


def test_a_step_of_a_controller_says_what_it_sends_and_that_of_a_switch_what_it_does() -> None:
    program = load_program(FIRST)
    stepper, names = Stepper(ActorSemantics(program)), program_names(program)
    for number in (0, 0, 0, 1):
        stepper.take(number)
    lines = steps_text(stepper.transitions, names, TextStyle(long=True))
    assert lines[0] == "  1  H0: send(p1 (H0 > 00:00:00:00:00:fe IP 0.0.0.1 > 10.0.0.100 TCP 1024 > 80 no flags))"
    assert lines[1] == "  2  S1: receive(p1, 0) -> to the controller"
    assert lines[2].startswith("  3  ctrl: packet_in(S1, 0, p1) -> S1.install(in_port=0,")
    assert lines[2].endswith("; S1.send_out('p1')")
    assert lines[3] == "  4  S1: send_out('p1') -> dropped"
