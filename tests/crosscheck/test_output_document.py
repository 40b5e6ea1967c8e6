"""Outputs as JSON values: they come back equal, and what is no output is refused with its place."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdnloom.crosscheck.output import AgentEvent
from sdnloom.crosscheck.output_document import OutputDocumentError, plain_output, read_output
from sdnloom.symbolic import var

NAMES = st.from_regex(r"[A-Za-z0-9_.\[\]:-]{1,12}", fullmatch=True)
VALUES = st.integers(0, (1 << 128) - 1) | st.binary(max_size=20) | st.text(max_size=8)
EVENTS = st.builds(
    lambda kind, fields, note: AgentEvent(kind, tuple(fields.items()), note),
    NAMES,
    st.dictionaries(NAMES, VALUES, max_size=4),
    st.text(max_size=5),
)
OUTPUTS = st.lists(st.lists(EVENTS, max_size=3).map(tuple), max_size=3).map(tuple)


@given(OUTPUTS)
def test_an_output_comes_back_from_json(output: tuple[tuple[AgentEvent, ...], ...]) -> None:
    read = read_output(json.loads(json.dumps(plain_output(output))))
    assert read == output
    assert [event.note for step in read for event in step] == [event.note for step in output for event in step]


def test_the_document_is_the_events_of_each_step_with_their_fields() -> None:
    output = ((), (AgentEvent("Error", (("type", "bad_action"), ("data", b"\1\2"))), AgentEvent("crash")))
    assert plain_output(output) == [
        [],
        [
            {"kind": "Error", "fields": {"type": "bad_action", "data": {"hex": "0102"}}},
            {"kind": "crash", "fields": {}},
        ],
    ]


def test_an_output_with_terms_has_no_document() -> None:
    with pytest.raises(TypeError, match="make it concrete first"):
        plain_output(((AgentEvent("Error", (("code", var("m1.x", 16)),)),),))


def event(value: object) -> list[list[dict[str, object]]]:
    return [[{"kind": "Error", "fields": {"code": value}}]]


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ({}, "output: found 'dict', expected a list"),
        ([3], r"output\[0\]: found '3', expected a list"),
        ([[]] * 101, "output: found '101 entries', expected at most 100"),
        ([[{"kind": "x"}]], r"output\[0\]\[0\]: found 'dict', expected an object with \"kind\" and \"fields\""),
        ([[{"kind": "a b", "fields": {}}]], r"output\[0\]\[0\].kind: found 'a b', expected the name of a message"),
        ([[{"kind": "x", "fields": {}, "note": 3}]], "note: found '3', expected a text of at most 1,000 characters"),
        ([[{"kind": "x", "fields": []}]], "fields: found 'list', expected an object with up to 1,000 fields"),
        ([[{"kind": "x", "fields": {"a\n": 1}}]], r"fields: found 'a\\n', expected the name of a field"),
        (event(True), "code: found 'True', expected a number, a text or hex"),
        (event(1.5), "code: found '1.5', expected a number, a text or hex"),
        (event(None), "code: found 'None', expected a number, a text or hex"),
        (event(1 << 128), "code: found 'a number of 129 bits', expected at most 128"),
        (event("x" * 10_001), "code: found '10,001 characters', expected at most 10,000"),
        (event({"hex": "0g"}), "code: found '0g', expected pairs of hexadecimal digits"),
        (event({"hex": "0"}), "code: found '0', expected pairs of hexadecimal digits"),
        (event({"hex": "00" * ((1 << 17) + 1)}), "code: found '131,073 octets', expected at most 131,072"),
        (event({"hex": "00", "more": 1}), "code: found 'dict', expected a number, a text or hex"),
    ],
)
def test_what_is_no_output_is_refused_with_its_place(document: object, message: str) -> None:
    with pytest.raises(OutputDocumentError, match=message):
        read_output(document)
