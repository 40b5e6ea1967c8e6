"""Witness files: one input of a test, with what two agents did, as a JSON file. Data only: nothing in it is run.

A witness file is complete: it holds the test's document, so that whoever gets it can try the input on a switch of their
own without the test's file. Reading is strict, and everything has a limit.
"""

import json
import re
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from sdnloom.crosscheck.output import AgentOutput
from sdnloom.crosscheck.output_document import OutputDocumentError, plain_output, read_output
from sdnloom.crosscheck.partition_lines import number_of_values
from sdnloom.crosscheck.switch_test import Case, SwitchTest
from sdnloom.crosscheck.test_document import read_test
from sdnloom.errors import SdnloomError

WITNESS_FORMAT: Final = "sdnloom-witness"
WITNESS_VERSION: Final = 1
_MOST_BYTES: Final = 16 << 20
_MOST_VALUES: Final = 1_000_000  # a list of empty lists takes 20 times its size in memory
_MOST_AGENTS: Final = 100
_MOST_TEXT: Final = 4_000
_KEYS: Final = ("format", "version", "test", "case", "condition", "values", "agents")
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")  # also what cannot be printed


class WitnessFileError(SdnloomError):
    """A witness file that cannot be used, and why."""


@dataclass(frozen=True, slots=True)
class SwitchWitness:
    """An input of a case, and what each of the agents did with it; `condition` says which inputs it stands for."""

    test: SwitchTest
    case: str
    values: Mapping[str, int]
    agents: tuple[str, ...]
    outputs: tuple[AgentOutput, ...]
    condition: str = ""


def witness_text(witness: SwitchWitness) -> str:
    """Return the contents of a witness file."""
    document = {
        "format": WITNESS_FORMAT,
        "version": WITNESS_VERSION,
        "test": dict(witness.test.document),
        "case": witness.case,
        "condition": witness.condition,
        "values": dict(witness.values),
        "agents": [
            {"name": name, "output": plain_output(output)}
            for name, output in zip(witness.agents, witness.outputs, strict=True)
        ],
    }
    return json.dumps(document, indent=1) + "\n"


def write_witness(witness: SwitchWitness, file: str | Path) -> None:
    """Write a witness file."""
    try:
        Path(file).write_text(witness_text(witness), encoding="ascii")
    except OSError as error:
        raise WitnessFileError(f"{file}: cannot write the witness file: {error.strerror}") from error


def read_witness(file: str | Path) -> SwitchWitness:
    """Read a witness file."""
    file = Path(file)
    try:
        if not stat.S_ISREG(file.stat().st_mode):  # a device may have no end, a pipe no writer
            kind = "directory" if file.is_dir() else "device or pipe"
            raise WitnessFileError(f"{file}: expected a witness file, found a {kind}")
        if file.stat().st_size > _MOST_BYTES:
            raise WitnessFileError(f"{file}: {file.stat().st_size:,} bytes; expected at most {_MOST_BYTES:,}")
        text = file.read_bytes()
    except OSError as error:
        raise WitnessFileError(f"{file}: cannot read the witness file: {error.strerror}") from error
    return parse_witness(text, str(file))


def parse_witness(text: str | bytes, source: str = "witness") -> SwitchWitness:
    """Return the witness that the contents of a file describe; `source` names the file in errors."""
    if number_of_values(text.encode(errors="replace") if isinstance(text, str) else text) > _MOST_VALUES:
        raise WitnessFileError(f"{source}: more than {_MOST_VALUES:,} values")
    try:
        document = json.loads(text, object_pairs_hook=_unique, parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        reason = "nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise WitnessFileError(f"{source}: not a whole JSON document ({reason[:200]}); was it cut off?") from error
    try:
        return _Reader(source).witness(document)
    except OutputDocumentError as error:
        raise WitnessFileError(f"{source}: {error}") from error


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("an object has a key twice")
    return found


def _no_number(name: str) -> None:
    raise ValueError(f"{name} is no number")


class _Reader:
    """Reads a document; an error names the file and the place."""

    def __init__(self, source: str) -> None:
        self._source = source

    def witness(self, document: object) -> SwitchWitness:
        if not isinstance(document, dict):
            raise self._wrong("the document", document, "an object")
        if document.get("format") != WITNESS_FORMAT:
            raise self._wrong("format", document.get("format"), f"{WITNESS_FORMAT!r}")
        if document.get("version") != WITNESS_VERSION or type(document["version"]) is not int:
            raise self._wrong("version", document.get("version"), f"{WITNESS_VERSION}, which this sdnloom reads")
        if document.keys() != {*_KEYS}:
            raise self._wrong("the document", ", ".join(map(str, document)), f"the keys {', '.join(_KEYS)}")
        test = self._test(document["test"])
        case = self._case(test, document["case"])
        agents = document["agents"]
        if not isinstance(agents, list) or not 1 <= len(agents) <= _MOST_AGENTS:
            raise self._wrong("agents", agents, f"a list of 1 to {_MOST_AGENTS} agents")
        names, outputs = zip(*(self._agent(agent, f"agents[{i}]") for i, agent in enumerate(agents)), strict=True)
        condition = self._text(document["condition"], "condition", empty=True)
        return SwitchWitness(test, case.name, self._values(case, document["values"]), names, outputs, condition)

    def _test(self, document: object) -> SwitchTest:
        if not isinstance(document, dict):
            raise self._wrong("test", document, "an object")
        try:
            return read_test(document)
        except SdnloomError as error:
            raise WitnessFileError(f"{self._source}: test: {error}") from error

    def _case(self, test: SwitchTest, name: object) -> Case:
        found = [case for case in test.cases if case.name == name]
        if not found:
            names = ", ".join(case.name for case in test.cases[:20])
            raise self._wrong("case", name, f"a case of test {test.name}: {names}")
        return found[0]

    def _values(self, case: Case, values: object) -> dict[str, int]:
        if not isinstance(values, dict):
            raise self._wrong("values", values, "an object")
        names = {variable.name for variable in case.variables}
        for name in sorted(values.keys() ^ names):
            what = "is no variable of the case" if name in values else "is missing"
            raise WitnessFileError(f"{self._source}: values: {name[:80]!a} {what}")
        for variable in case.variables:
            value = values[variable.name]
            if not isinstance(value, int) or isinstance(value, bool) or not variable.allows(value):
                raise self._wrong(
                    f"values.{variable.name}", value, f"a number of {variable.bits} bits that the test allows"
                )
        return {variable.name: values[variable.name] for variable in case.variables}

    def _agent(self, agent: object, place: str) -> tuple[str, AgentOutput]:
        if not isinstance(agent, dict) or agent.keys() != {"name", "output"}:
            raise self._wrong(place, agent, 'an object with "name" and "output"')
        return self._text(agent["name"], f"{place}.name"), read_output(agent["output"], f"{place}.output")

    def _text(self, value: object, place: str, *, empty: bool = False) -> str:
        if not isinstance(value, str) or len(value) > _MOST_TEXT or not (value or empty) or _CONTROL.search(value):
            raise self._wrong(place, value, f"one line of text of at most {_MOST_TEXT:,} characters")
        return value

    def _wrong(self, place: str, value: object, expected: str) -> WitnessFileError:
        shown = type(value).__name__ if isinstance(value, dict | list) else ascii(value)[:80]
        return WitnessFileError(f"{self._source}: {place}: found {shown}, expected {expected}")
