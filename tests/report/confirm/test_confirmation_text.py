"""A confirmation as text and JSON: the outcome first, the step that decided it, and what was observed."""

import json
from dataclasses import replace

import jsonschema
import pytest

from sdnloom.confirm.outcome import Confirmation, Contrast, ObservedStep, PartKind, SentBytes
from sdnloom.confirm.real_parts import ObservedException
from sdnloom.network.topology import SwitchPort
from sdnloom.report.confirm.json_format import confirmation_json
from sdnloom.report.confirm.observed_words import LiveSteps, observed_words
from sdnloom.report.confirm.text import confirmation_text
from sdnloom.report.formats import render
from sdnloom.report.schemas import json_schema
from sdnloom.report.steps import steps_text
from sdnloom.report.text_style import TextStyle
from tests.report.confirm.made_runs import (
    agreed,
    confirmed,
    different,
    names,
    not_possible,
    observed,
    transitions,
)

PARTS = "switches: Open vSwitch 3.1.0, 2 bridges; controller: python server"
SUPPLIED = "supplied by sdnloom: packet buffers of s1 and s2; statistics counters"
CONTRAST = Contrast("PacketIn: reason", "no match", "action")


def lines(made: Confirmation, style: TextStyle | None = None) -> list[str]:
    return confirmation_text(made, names(), style=style or TextStyle()).splitlines()


def test_a_confirmed_trace_is_told_with_its_parts_and_its_steps() -> None:
    assert lines(confirmed()) == [
        "CONFIRMED quiet h2: h2 received 1",
        PARTS,
        SUPPLIED,
        "it happened on the real system: all 8 steps went as the trace says:",
        *steps_text(transitions(), names()),
    ]


def test_a_trace_without_a_property_has_agreed() -> None:
    assert lines(agreed()) == [
        "AGREED all 8 steps went as the trace says",
        PARTS,
        SUPPLIED,
        "it happened on the real system:",
        *steps_text(transitions(), names()),
    ]


def test_a_difference_names_the_part_and_shows_both_sides() -> None:
    assert lines(different(2, CONTRAST, name="s1")) == [
        "DIFFERENT quiet h2: the switch s1 did something else in step 2 of 8",
        "not confirmed: h2 received 1",
        PARTS,
        SUPPLIED,
        "",
        "step 2: s1: receives h1 > h2 ICMP echo request at port 1 -> to the controller",
        "                    expected  observed",
        "  PacketIn: reason  no match  action",
        "",
        "the step before it went as the trace says:",
        *steps_text(transitions()[:1], names()),
    ]


def test_the_words_of_the_step_that_differs_refer_to_the_steps_before_it() -> None:
    shown = lines(different(4, CONTRAST, part=PartKind.APP, name="Hub"))
    assert shown[0] == "DIFFERENT quiet h2: the app Hub did something else in step 4 of 8"
    assert shown[5] == "step 4: s1: obeys PacketOut of step 3 -> out 2"


def test_what_the_controller_printed_last_is_shown_if_the_app_differs() -> None:
    log = "".join(f"line {number}\n\n" for number in range(20))
    made = replace(different(4, CONTRAST, part=PartKind.APP, name="Hub"), log=log)
    shown = lines(made)
    place = shown.index("the controller's last lines of output:")
    assert shown[place + 1 : place + 10] == [*(f"  line {number}" for number in range(12, 20)), ""]
    assert json.loads(confirmation_json(made, names()))["log"] == [f"line {number}" for number in range(12, 20)]
    of_switch = replace(different(4, CONTRAST), log=log)
    assert not any("output:" in line for line in lines(of_switch))


def test_a_difference_in_the_start_up_is_told_as_one() -> None:
    made = different(1, CONTRAST)
    assert made.difference is not None
    step = replace(made.difference.step, startup=True)
    made = replace(made, steps=(step,), difference=replace(made.difference, step=step))
    shown = lines(made)
    assert shown[0] == "DIFFERENT quiet h2: the switch s1 did something else in start-up step 1"
    assert shown[5] == "start-up step 1: h1: sends h1 > h2 ICMP echo request"
    assert shown[8:] == ["", "no step of the trace was taken before it"]
    assert made.taken == 0


def test_a_step_that_cannot_be_enforced_has_its_reason() -> None:
    shown = lines(not_possible(3))
    assert shown[0] == "NOT POSSIBLE quiet h2: step 3 of 8 cannot be enforced from outside: a timer of the app"
    assert shown[5:9] == [
        "step 3: controller: PacketIn from s1 port 1: h1 > h2 ICMP echo request -> s1: PacketOut flood",
        "  the app waits for 10 s, and --wait is 5",
        "",
        "the 2 steps before it went as the trace says:",
    ]
    assert shown[9:] == steps_text(transitions()[:2], names())


def test_steps_that_were_shown_are_not_listed_again() -> None:
    shown = confirmation_text(confirmed(), names(), lists_steps=False).splitlines()
    assert shown[-2:] == [SUPPLIED, "it happened on the real system: all 8 steps went as the trace says"]
    shown = confirmation_text(not_possible(3), names(), lists_steps=False).splitlines()
    assert shown[-2:] == ["", "the 2 steps before it went as the trace says"]


def test_steps_are_shown_live_with_what_was_observed_instead_of_what_the_model_says() -> None:
    live = LiveSteps(names())
    step = replace(observed(2), sent=(), raised=(ObservedException("KeyError: 5", "/a/hub.py", 12),))
    assert live.lines(observed(1, startup=True)) == ["   0.25 s   start-up 1  h1: sends h1 > h2 ICMP echo request"]
    assert live.lines(observed(1)) == ["   0.25 s            1  h1: sends h1 > h2 ICMP echo request"]
    assert live.lines(step) == [
        "   0.50 s            2  s1: receives h1 > h2 ICMP echo request at port 1",
        "                          -> raised KeyError: 5 (hub.py:12)",
    ]
    assert live.lines(observed(3)) == [
        "   0.75 s            3  controller: PacketIn from s1 port 1: h1 > h2 ICMP echo request",
        "                          -> s1: PacketOut flood: h1 > h2 ICMP echo request",
    ]
    assert live.lines(observed(4)) == [
        "   1.00 s            4  s1: obeys PacketOut of step 3 -> out 2: h1 > h2 ICMP echo request"
    ]
    assert live.lines(replace(observed(5), sent=()))[-1].endswith("-> sends nothing")


@pytest.mark.parametrize("data", [b"", b"\x01", b"\x07\x00\x00\x08\x00\x00\x00\x00", bytes(2000), b"\xff" * 9])
def test_any_bytes_that_were_sent_have_words(data: bytes) -> None:
    sent = tuple(SentBytes(channel, data, port) for channel, port in (("s1.up", None), ("", SwitchPort("s1", 3))))
    step = ObservedStep(1, False, transitions()[0], sent=sent)
    message, frame = observed_words(step)
    assert message.startswith("to the controller: ")
    assert frame.startswith("out 3: ")


MADE = {
    "confirmed": confirmed(),
    "agreed": agreed(),
    "different": different(4, CONTRAST),
    "not possible": not_possible(5),
}


@pytest.mark.parametrize("outcome", MADE)
def test_json_has_the_published_structure(outcome: str) -> None:
    document = json.loads(render("confirm", "json", MADE[outcome], names()))
    jsonschema.Draft202012Validator(json_schema("confirm")).validate(document)
    assert document["outcome"] == outcome


def test_json_has_the_octets_of_what_was_observed() -> None:
    document = json.loads(confirmation_json(different(4, CONTRAST), names()))
    assert (document["steps"], document["taken"], document["property"]) == (8, 3, "quiet h2")
    assert document["difference"]["contrasts"] == [CONTRAST._asdict()]
    [sent] = document["observed"][2]["sent"]
    [expected] = observed(3).sent
    assert (sent["channel"], bytes.fromhex(sent["data"])) == ("s1.of", expected.data)
    assert document["observed"][3]["raised"] == [{"text": "KeyError: 5", "file": "apps/hub.py", "line": 12}]
