"""What agents did, as text."""

import pytest

from sdnloom.crosscheck.output import AgentEvent, AgentOutput
from sdnloom.network.openflow.constants import V10
from sdnloom.network.packet import Ethernet, IPv4, Udp, encode, stack
from sdnloom.report.crosscheck.event_text import (
    agent_event_text,
    difference_texts,
    first_difference,
    output_value_text,
    step_texts,
)
from sdnloom.symbolic import var

FRAME = encode(stack(Ethernet(2, 1), IPv4(0x0A000001, 0x0A000002), Udp(1, 2)))
ERROR = AgentEvent("Error", (("xid", 1), ("type", "bad_action"), ("code", "bad_argument"), ("data", bytes(64))))
CRASH = AgentEvent("crash")


def frame(port: int, data: bytes = FRAME) -> AgentEvent:
    return AgentEvent("frame", (("port", port), ("data", data)))


def features(**fields: int) -> AgentEvent:
    return AgentEvent("FeaturesReply", tuple(({"xid": 1, "n_buffers": 256, "n_tables": 1} | fields).items()))


@pytest.mark.parametrize(
    ("event", "text"),
    [
        (ERROR, "Error bad_action bad_argument"),
        (AgentEvent("Error", (("type", 2), ("code", 5))), "Error bad_action bad_argument"),
        (AgentEvent("Error", (("type", 200), ("code", 5))), "Error 200 5"),
        (CRASH, "crashes"),
        (AgentEvent("crash", note="KeyError: 7 (switch.py, line 3)"), "crashes (KeyError: 7 (switch.py, line 3))"),
        (AgentEvent("close"), "closes the connection"),
        (AgentEvent("wait"), "waits for more bytes"),
        (frame(2), f"frame on port 2: {{words}} ({len(FRAME)} bytes)"),
        (features(), "FeaturesReply xid=1 n_buffers=256 n_tables=1"),
        (AgentEvent("BarrierReply"), "BarrierReply"),
        (
            AgentEvent("X", tuple((f"f{n}", n) for n in range(9))),
            "X f0=0 f1=1 f2=2 f3=3 f4=4 f5=5 f6=6 f7=7 and 1 more field",
        ),
    ],
)
def test_an_event_is_one_line(event: AgentEvent, text: str) -> None:
    words = "00:00:00:00:00:01 > 00:00:00:00:00:02 IP 10.0.0.1 > 10.0.0.2 UDP 1 > 2"
    assert agent_event_text(event, V10) == text.replace("{words}", words)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (4095, "4095"),
        (4096, "0x1000"),
        (b"", "empty"),
        (bytes(12), "00" * 12),
        (bytes(13), "00" * 12 + "... (13 bytes)"),
        ("Nicira", "Nicira"),
        ("Open vSwitch", "'Open vSwitch'"),
        ("a\nb", "'a\\nb'"),
        ("", "''"),
        (var("m1.x", 8), "m1.x"),
    ],
)
def test_a_value_is_short_and_printable(value: object, text: str) -> None:
    assert output_value_text(value) == text


def test_a_step_without_events_is_nothing() -> None:
    assert (step_texts((), V10), step_texts((CRASH, ERROR), V10)) == (
        ["nothing"],
        ["crashes", "Error bad_action bad_argument"],
    )


@pytest.mark.parametrize(
    ("one", "other", "number", "texts"),
    [
        (((ERROR,),), ((),), 0, ("Error bad_action bad_argument", "nothing")),
        (((), (CRASH,)), ((),), 1, ("crashes", "nothing")),
        (((ERROR, frame(2)),), ((ERROR,),), 0, (agent_event_text(frame(2), V10), "nothing")),
        (((features(),),), ((features(n_tables=254),),), 0, ("FeaturesReply n_tables=1", "FeaturesReply n_tables=254")),
        (((ERROR,),), ((ERROR,),), None, ("the same", "the same")),
    ],
)
def test_of_two_outputs_only_the_difference_is_shown(
    one: AgentOutput, other: AgentOutput, number: int | None, texts: tuple[str, str]
) -> None:
    assert first_difference((one, other)) == number
    assert difference_texts((one, other), V10) == texts


def test_a_difference_that_short_texts_hide_is_written_out() -> None:
    other = AgentEvent("Error", (*ERROR.fields[:3], ("data", bytes(63))))
    one, two = difference_texts((((ERROR,),), ((other,),)), V10)
    assert one == f"Error xid=1 type=bad_action code=bad_argument data={'00' * 64}"
    assert two == f"Error xid=1 type=bad_action code=bad_argument data={'00' * 63}"
    assert difference_texts((((ERROR, CRASH),), ((CRASH, ERROR),)), V10) == ("the same events in another order",) * 2
