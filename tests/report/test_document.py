"""Result documents: what is written is read as equal values, and a changed file is refused or read."""

import json
from dataclasses import fields
from pathlib import Path
from random import Random
from typing import Any

import pytest

from sdnloom.report.view import result_view
from sdnloom.report.view.document import RESULT_SCHEMA, result_document
from sdnloom.report.view.document_reader import MOST_RESULT_BYTES, ResultFileError, parse_results, read_results
from sdnloom.report.view.result_view import (
    CodeView,
    FindingView,
    LaneView,
    OrderingView,
    ResultView,
    StateLine,
    StepView,
    TraceView,
    TransferView,
    WireView,
)
from tests.report.random_views import random_results

CODE = CodeView("app.py", "packet_in", 7, ("def packet_in(self):", "    pass"), (8,))
STEP = StepView(
    1,
    "s1",
    "packets",
    "s1: receives",
    "all of it",
    "a packet",
    ("dropped",),
    (TransferView("h1", "p", "packet", None, "long p", "p1", "1", "", b"\x00\xff"),),
    (),
    {"s1": 1},
    (CODE,),
    {"s1": (StateLine("table", "a"),)},
    (WireView("s1", "1", "h1", "", up=False),),
    True,
)
TRACE = TraceView(
    (LaneView("s1", "switch"), LaneView("h1", "host")),
    (STEP, StepView(2, "h1", "receive", "h1: receives", causes=(1,), clock={"s1": 1, "h1": 1}, code=(CODE,))),
    (WireView("s1", "1", "h1", ""),),
    {"s1": (StateLine("table", "a"), StateLine("table", "b"))},
    (OrderingView(1, 2, "the order matters", True, None),),
    (2,),
    "2 steps",
)
FINDING = FindingView("P", "broken", TRACE, (("label", "text"),), "app.py", 8, "x.json", True)
RESULT = ResultView("check", "x", "violated", "VIOLATED P", ("P",), (FINDING,), (("bound", "1"),), 0.25, "0.1")


def test_what_is_written_is_read_as_equal_values() -> None:
    for seed in range(300):
        views = random_results(seed)
        assert parse_results(result_document(views).encode()) == tuple(views)
    assert parse_results(result_document([]).encode()) == ()


def test_every_field_of_a_view_is_in_the_document() -> None:
    """A field that is added to a view and not written would be lost: the example has no field with its default."""
    examples: dict[type, Any] = {
        type(each): each
        for each in (RESULT, FINDING, TRACE, STEP, STEP.transfers[0], CODE, STEP.changes["s1"][0], TRACE.lanes[0])
    }
    for made, example in examples.items():
        for field in fields(made):
            if made is StepView and field.name in ("causes",):
                continue  # the first step has none; the second has
            if made is TransferView and field.name in ("taken", "to_port"):
                continue
            assert getattr(example, field.name) not in (field.default, (), {}), f"{made.__name__}.{field.name}"
    assert parse_results(result_document([RESULT]).encode()) == (RESULT,)
    defined = {
        name
        for name, each in vars(result_view).items()
        if isinstance(each, type) and each.__module__ == result_view.__name__
    }
    assert defined == {each.__name__ for each in (*examples, WireView, OrderingView)}


def test_states_and_source_lines_are_written_once() -> None:
    trace = json.loads(result_document([RESULT]))["results"][0]["findings"][0]["trace"]
    assert trace["lines"] == [["table", "a"], ["table", "b"]]
    assert (trace["initial"], trace["steps"][0]["changes"]) == ({"s1": [0, 1]}, {"s1": [0]})
    assert [function["function"] for function in trace["functions"]] == ["packet_in"]
    assert [step["code"] for step in trace["steps"]] == [[{"function": 0, "ran": [8]}]] * 2


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    below = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(place for key, each in below for place in places(each, (*path, key)))]


def refusal(document: Any) -> str | None:
    """Why a document is refused; None if it is read."""
    try:
        parse_results(json.dumps(document).encode() if not isinstance(document, bytes) else document, "file.json")
    except ResultFileError as error:
        return str(error)
    return None


OTHERS: tuple[Any, ...] = (None, True, -1, 0, 3, 1 << 60, 0.5, "", "zz", [], [[]], {}, {"a": 1})


def test_a_changed_document_is_refused_with_file_and_place_or_read() -> None:
    """Each value is replaced by values of other types and ranges, and each key is dropped or added."""
    text = result_document([RESULT])
    refused = read = 0
    for path in places(json.loads(text)):
        for other in OTHERS:
            document = json.loads(text)
            changed, parent = document, None
            for key in path:
                parent, changed = changed, changed[key]
            if not path:
                document = other
            else:
                parent[path[-1]] = other
            message = refusal(document)
            read += message is None
            if message is not None:
                refused += 1
                assert message.startswith("file.json: ")
                assert "expected" in message
    assert (refused, read) == (1622, 146)


STEPS = ("results", 0, "findings", 0, "trace", "steps")


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ((), [], "the document is list; expected an object"),
        (("schema",), "sdnloom-check-1", f"schema is 'sdnloom-check-1'; expected '{RESULT_SCHEMA}'"),
        (("results", 0, "verdict"), "ok", "results[0].verdict is 'ok'; expected one of violated, holds, vacuous"),
        (("results", 0, "seconds"), -1, "results[0].seconds is -1; expected a number of seconds, 0 or more"),
        (("results", 0, "colour"), "red", "results[0].colour is unknown; expected the keys kind, name"),
        ((*STEPS, 1, "lane"), "s9", "steps[1].lane is 's9'; expected a lane of the trace: s1, h1"),
        ((*STEPS, 1, "number"), 3, "steps[1].number is 3; expected a whole number from 2 to 2"),
        ((*STEPS, 1, "causes"), [2], "causes[0] is 2; expected a whole number from 1 to 1"),
        ((*STEPS, 0, "changes"), {"s1": [2]}, "changes.s1[0] is 2; expected a whole number from 0 to 1"),
        ((*STEPS, 0, "transfers", 0, "data"), "0G", "data is '0G'; expected octets"),
        ((*STEPS, 0, "transfers", 0, "taken"), 3, "taken is 3; expected a whole number from 1 to 2"),
        ((*STEPS[:-1], "lanes", 1, "name"), "s1", "expected lanes with different names"),
    ],
)
def test_an_error_names_place_value_and_expectation(path: tuple[Any, ...], value: Any, message: str) -> None:
    document = json.loads(result_document([RESULT]))
    if path:
        target = document
        for key in path[:-1]:
            target = target[key]
        target[path[-1]] = value
    text = refusal(document if path else value)
    assert text is not None
    assert message in text


def test_cut_or_damaged_files_are_refused(tmp_path: Path) -> None:
    text = result_document([RESULT]).encode()
    random = Random(17)
    for _ in range(300):
        damaged = bytearray(text[: random.randrange(len(text))])
        if damaged and random.random() < 0.5:
            damaged = bytearray(text)
            damaged[random.randrange(len(damaged))] = random.randrange(256)
        message = refusal(bytes(damaged))  # a change may as well be harmless
        assert message is None or message.startswith("file.json: ")
    for text, message in (
        (b'{"schema": 1, "schema": 2}', "an object has a key twice"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"schema": NaN}', "NaN is no number"),
        (b"[" * 20_000_001, "more than 20,000,000 values"),
    ):
        with pytest.raises(ResultFileError, match=message):
            parse_results(text)
    with pytest.raises(ResultFileError, match="found a directory"):
        read_results(tmp_path)
    with pytest.raises(ResultFileError, match="cannot read the result: No such file"):
        read_results(tmp_path / "none.json")
    large = tmp_path / "large.json"
    with large.open("wb") as file:
        file.truncate(MOST_RESULT_BYTES + 1)  # a hole: it takes no space
    with pytest.raises(ResultFileError, match="268,435,457 bytes; expected at most 268,435,456"):
        read_results(large)
