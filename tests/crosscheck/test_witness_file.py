"""Witness files: what is written comes back, and what is no witness is refused with its place."""

import json
import os
import random
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from sdnloom.crosscheck.output import AgentEvent
from sdnloom.crosscheck.test_document import load_test
from sdnloom.crosscheck.witness_file import (
    SwitchWitness,
    WitnessFileError,
    parse_witness,
    read_witness,
    witness_text,
    write_witness,
)

TEST = load_test("packet-out")
CASE = TEST.cases[0]
ERROR = AgentEvent("Error", (("type", "bad_action"), ("code", "bad_argument"), ("data", b"\1\2")))
WITNESS = SwitchWitness(
    TEST,
    CASE.name,
    CASE.defaults(),
    ("strict", "ovs-like"),
    (((ERROR,),), ((AgentEvent("crash"),),)),
    "Packet Out, action SET_VLAN_VID, vlan_vid > 0x0fff",
)


def test_a_witness_comes_back_from_its_file(tmp_path: Path) -> None:
    write_witness(WITNESS, tmp_path / "a.json")
    read = read_witness(tmp_path / "a.json")
    assert read == WITNESS
    assert read.test.cases == TEST.cases


def test_every_built_in_test_comes_back() -> None:
    for name in ("hello", "stats-request", "flow-mod-13", "timeouts"):
        test = load_test(name)
        for case in test.cases:
            witness = SwitchWitness(test, case.name, case.defaults(), ("a",), (((),),))
            assert parse_witness(witness_text(witness)) == witness


def changed(change: Callable[[dict[str, Any]], object]) -> str:
    document = json.loads(witness_text(WITNESS))
    change(document)
    return json.dumps(document)


def put(*keys: Any) -> Callable[[dict[str, Any]], object]:
    """A change that puts the last argument at the place that the others name."""

    def change(document: Any) -> None:
        *path, key, value = keys
        for each in path:
            document = document[each]
        document[key] = value

    return change


VARIABLE = CASE.variables[0].name


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (put("format", "x"), "witness: format: found 'x', expected 'sdnloom-witness'"),
        (put("version", 2), "witness: version: found 2, expected 1, which this sdnloom reads"),
        (put("more", 2), "the document: found '.*', expected the keys format, version, test"),
        (lambda document: document.pop("case"), "the document: found '.*', expected the keys format, version, test"),
        (put("case", "x"), "case: found 'x', expected a case of test packet-out: untagged, tagged"),
        (put("case", {}), "case: found dict, expected a case of test packet-out: untagged, tagged"),
        (put("test", []), "test: found list, expected an object"),
        (put("test", "name", "../x"), r"witness: test: .*'\.\./x'"),
        (put("test", "case", 0, "step", 0, "message", "os.system"), "witness: test: .*message is 'os.system'"),
        (put("values", 3), "values: found 3, expected an object"),
        (put("values", "m1.x", 3), "values: 'm1.x' is no variable of the case"),
        (lambda document: document["values"].pop(VARIABLE), f"values: '{VARIABLE}' is missing"),
        (put("values", VARIABLE, -1), f"values.{VARIABLE}: found -1, expected a number of 32 bits"),
        (put("values", VARIABLE, 1 << 32), f"values.{VARIABLE}: found 4294967296, expected a number of 32 bits"),
        (put("values", VARIABLE, True), f"values.{VARIABLE}: found True, expected a number of 32 bits"),
        (put("values", VARIABLE, 1.0), f"values.{VARIABLE}: found 1.0, expected a number of 32 bits"),
        (put("agents", []), "agents: found list, expected a list of 1 to 100 agents"),
        (put("agents", 0, 3), r"agents\[0\]: found 3, expected an object with \"name\" and \"output\""),
        (put("agents", 0, "name", "a\x1b[2J"), r"agents\[0\].name: found 'a\\x1b\[2J', expected one line of text"),
        (put("agents", 0, "name", ""), r"agents\[0\].name: found '', expected one line of text"),
        (
            put("agents", 1, "output", 0, 0, "kind", 3),
            r"witness: agents\[1\].output\[0\]\[0\].kind: found '3', expected",
        ),
        (put("condition", "a\nb"), "condition: found .*, expected one line of text"),
        (put("condition", "\ud800"), "condition: found .*, expected one line of text"),
        (put("agents", 0, "name", "\udcff"), r"agents\[0\].name: found .*, expected one line of text"),
        (put("version", True), "version: found True, expected 1"),
    ],
)
def test_what_is_no_witness_is_refused_with_its_place(change: Callable[[dict[str, Any]], object], message: str) -> None:
    with pytest.raises(WitnessFileError, match=message):
        parse_witness(changed(change))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "x.json: not a whole JSON document"),
        (witness_text(WITNESS)[:-20], "x.json: not a whole JSON document .*; was it cut off"),
        ("[" * 100_000, "x.json: not a whole JSON document .nested too deeply."),
        ('{"format": 1, "format": 2}', "an object has a key twice"),
        ('{"format": NaN}', "NaN is no number"),
        ("9" * 10_000, "x.json: not a whole JSON document"),
        ("[]", "the document: found list, expected an object"),
        (b"\xff\xfe\xfa", "x.json: not a whole JSON document"),
        ("[" + "[]," * 500_000 + "0]", "x.json: more than 1,000,000 values"),
        ("\ud800", "x.json: not a whole JSON document"),
    ],
    ids=["empty", "cut off", "nested", "twice", "NaN", "long number", "list", "bytes", "lists", "surrogate"],
)
def test_what_is_no_json_object_is_refused(text: str | bytes, message: str) -> None:
    with pytest.raises(WitnessFileError, match=message):
        parse_witness(text, "x.json")


def test_files_that_cannot_be_read_or_written_are_named(tmp_path: Path) -> None:
    with pytest.raises(WitnessFileError, match=r"none\.json: cannot read the witness file: No such file"):
        read_witness(tmp_path / "none.json")
    with pytest.raises(WitnessFileError, match="expected a witness file, found a directory"):
        read_witness(tmp_path)
    os.mkfifo(tmp_path / "pipe")
    for endless in (Path("/dev/zero"), tmp_path / "pipe"):
        with pytest.raises(WitnessFileError, match="expected a witness file, found a device or pipe"):
            read_witness(endless)
    with pytest.raises(WitnessFileError, match=r"no/a\.json: cannot write the witness file: No such file"):
        write_witness(WITNESS, tmp_path / "no" / "a.json")
    with (tmp_path / "large.json").open("wb") as file:
        file.truncate((16 << 20) + 1)
    with pytest.raises(WitnessFileError, match="16,777,217 bytes; expected at most 16,777,216"):
        read_witness(tmp_path / "large.json")


def test_random_changes_of_a_file_are_read_or_refused_and_nothing_else() -> None:
    source = random.Random(15)
    values: list[Any] = [None, True, -1, 0, 1 << 70, 1.5, "", "a", [], {}, [[]], {"hex": "0"}]
    read = 0
    for _ in range(200):
        document = json.loads(witness_text(WITNESS))
        place: Any = document
        while True:
            key = source.choice(list(place) if isinstance(place, dict) else range(len(place)))
            if not isinstance(place[key], dict | list) or not place[key] or source.random() < 0.2:
                break
            place = place[key]
        place[key] = source.choice(values)
        with suppress(WitnessFileError):
            parse_witness(json.dumps(document))
            read += 1
    assert 0 < read < 100
