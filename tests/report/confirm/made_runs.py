"""Confirmations made by hand: the counterexample of a small scenario, as if it had been taken on real parts."""

from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from sdnloom.check.load import load_scenario
from sdnloom.check.report import Report
from sdnloom.confirm.outcome import (
    Confirmation,
    ConfirmOutcome,
    Contrast,
    Impossible,
    ObservedStep,
    Obstacle,
    PartKind,
    SentBytes,
    StepDifference,
)
from sdnloom.confirm.real_parts import ObservedAnswer, ObservedException
from sdnloom.engine.semantics import Finding, Transition
from sdnloom.network.openflow import V10, OpenFlowMessage
from sdnloom.network.openflow import encode as encode_message
from sdnloom.network.packet import Packet, encode
from sdnloom.network.switch_component import EpochMessage
from sdnloom.network.topology import SwitchPort
from sdnloom.report.describe import Names
from tests.check.scenarios import SCENARIO, write

PARTS = {"switches": "Open vSwitch 3.1.0, 2 bridges", "controller": "python server"}
SUPPLIED = ("packet buffers of s1 and s2", "statistics counters")
BEGAN = 1_700_000_000.0


@cache
def checked() -> Report:
    """The report of the hub, whose counterexample has steps of hosts, switches and the controller."""
    with TemporaryDirectory() as folder:
        return load_scenario(write(Path(folder), SCENARIO)).check()


def names() -> Names:
    return Names.of(checked().scenario.network.topology)


def transitions() -> tuple[Transition, ...]:
    return checked().violations[0].transitions


def finding() -> Finding:
    violation = checked().violations[0]
    return Finding(violation.property, violation.message)


def sent_bytes(transition: Transition) -> tuple[SentBytes, ...]:
    """What the model's part sends in a step, as bytes; nothing for a host."""
    found = []
    topology = checked().scenario.network.topology
    ports = {**topology.peers}
    for channel, message in transition.outcome.sends:
        if transition.step.component.startswith("h"):
            continue
        if isinstance(message, EpochMessage):
            message = message.message
        if isinstance(message, OpenFlowMessage):
            found.append(SentBytes(channel, encode_message(message, V10)))
        elif isinstance(message, Packet):
            host = topology.host(channel.partition(".")[0])
            found.append(SentBytes(channel, encode(message), host.switch_port))
        elif isinstance(message, tuple):
            there = SwitchPort(channel.partition(".")[0], message[0])
            found.append(SentBytes(channel, encode(message[1]), ports[there]))
    return tuple(found)


def observed(number: int, startup: bool = False) -> ObservedStep:
    """A step of the counterexample as it was taken, from 1; the start-up is made of the same steps."""
    transition = transitions()[number - 1]
    return ObservedStep(number, startup, transition, sent=sent_bytes(transition), seconds=number / 4)


def confirmed() -> Confirmation:
    """Every step went as the trace says."""
    steps = tuple(observed(number) for number in range(1, len(transitions()) + 1))
    return Confirmation(
        ConfirmOutcome.CONFIRMED,
        finding(),
        steps,
        len(steps),
        supplied=SUPPLIED,
        parts=PARTS,
        seconds=3.5,
        began=BEGAN,
    )


def agreed() -> Confirmation:
    return replace(confirmed(), outcome=ConfirmOutcome.AGREED, finding=None)


def different(number: int, *contrasts: Contrast, part: PartKind = PartKind.SWITCH, name: str = "s1") -> Confirmation:
    """One step went otherwise, and sent nothing."""
    step = replace(
        observed(number),
        sent=(),
        raised=(ObservedException("KeyError: 5", "apps/hub.py", 12),),
        answers=(ObservedAnswer("PUT /x", 404, "no such thing"),),
    )
    steps = (*(observed(each) for each in range(1, number)), step)
    found = StepDifference(step, part, name, contrasts)
    return replace(confirmed(), outcome=ConfirmOutcome.DIFFERENT, steps=steps, difference=found)


def not_possible(number: int, reason: str = "the app waits for 10 s, and --wait is 5") -> Confirmation:
    """One step cannot be enforced."""
    found = Impossible(number, False, transitions()[number - 1], Obstacle.APP_TIMER, reason)
    steps = tuple(observed(each) for each in range(1, number))
    return replace(confirmed(), outcome=ConfirmOutcome.NOT_POSSIBLE, steps=steps, impossible=found)
