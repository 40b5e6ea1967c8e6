"""Reading of partition files, line by line: strict, without recursion, with a limit on everything.

Memory grows with the size of the file, not with what a term or a number in it claims.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, BinaryIO, Final

from sdnloom.crosscheck.output import AgentOutput
from sdnloom.crosscheck.output_document import read_output
from sdnloom.crosscheck.partition import BehaviourClass, Partition, PartitionStatistics
from sdnloom.crosscheck.switch_test import Case, SwitchTest, Variable
from sdnloom.crosscheck.test_document import read_test
from sdnloom.errors import SdnloomError
from sdnloom.symbolic.terms.constructors import var
from sdnloom.symbolic.terms.evaluate import evaluate_term
from sdnloom.symbolic.terms.node import Term
from sdnloom.symbolic.terms.smtlib_reader import SmtlibReader

PARTITION_FORMAT: Final = "sdnloom-partition"
PARTITION_VERSION: Final = 1
LARGEST_NUMBER: Final = (1 << 53) - 1  # larger ones are written as hexadecimal text
_MOST_LINE: Final = 1 << 24  # bytes
_MOST_VALUES: Final = 1_000_000  # of a line: a list of empty lists takes 20 times its size in memory
_MOST_CLASSES: Final = 1_000_000
_MOST_TEXT: Final = 10_000
_MOST_REASONS: Final = 1_000
_MOST_STEPS: Final = 300_000_000  # evaluated nodes: every witness has to satisfy its condition
_HEXADECIMAL: Final = re.compile(r"0x[0-9a-f]{1,16384}")
_UNPRINTABLE: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_NAME: Final = re.compile(r"[A-Za-z0-9_.\[\]:-]{1,200}")
_KINDS: Final = ("paths", "inputs")


class PartitionFileError(SdnloomError):
    """A partition file that cannot be written or used, and why. The message names file and line."""


def one_line(text: str) -> str:
    """Return a text as a file may have it: on one line, printable and not too long."""
    return _UNPRINTABLE.sub(" ", text)[:_MOST_TEXT]


class _ReadCase:
    """The terms and outputs of one case that were read so far."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self.reader = SmtlibReader({each.name: var(each.name, each.bits) for each in case.variables})
        self.terms: dict[str, Term] = {}
        self.outputs: list[AgentOutput] = []
        self.used = 0  # outputs that a class has

    def term(self, text: str) -> Term:
        """Return the term of a text; most are names of defined ones."""
        return self.terms.get(text) or self.reader.read(text)


class PartitionReader:
    """Reads one file; an error names the file and the line."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._line = 0
        self._steps = _MOST_STEPS

    def read(self, stream: BinaryIO) -> Partition:
        """Return the partition of a whole file."""
        lines = self._documents(stream)
        try:
            return self._partition(lines)
        except PartitionFileError:
            raise
        except SdnloomError as error:  # of a term, an output or the test
            raise self._error(str(error)) from error

    def _documents(self, stream: BinaryIO) -> Iterator[dict[str, Any]]:
        """Yield the lines as objects."""
        while raw := stream.readline(_MOST_LINE + 1):
            self._line += 1
            if len(raw) > _MOST_LINE:
                raise self._error(f"a line of more than {_MOST_LINE:,} bytes")
            if self._line == 1 and raw.startswith(b"\x1f\x8b"):
                raise self._error("the file is compressed; expected JSON lines")
            if not raw.endswith(b"\n"):
                raise self._error("the file is cut off: its last line has no end")
            if number_of_values(raw) > _MOST_VALUES:
                raise self._error(f"a line of more than {_MOST_VALUES:,} values")
            try:
                document = json.loads(
                    raw.decode("utf-8"), object_pairs_hook=_unique, parse_constant=_refused, parse_float=_decimal
                )
            except (ValueError, RecursionError) as error:
                reason = "nested too deeply" if isinstance(error, RecursionError) else str(error)
                raise self._error(f"not a line of JSON: {reason[:200]}") from None
            if not isinstance(document, dict):
                raise self._error("expected an object")
            yield document

    def _partition(self, lines: Iterator[dict[str, Any]]) -> Partition:
        first = self._header(next(lines, None))
        test, kind = first.test, first.kind
        sections: dict[str, _ReadCase] = {}
        current: _ReadCase | None = None
        classes: list[BehaviourClass] = []
        for document in lines:
            (what, content), *more = document.items() or [("", None)]
            if more:
                raise self._error(
                    f"found {', '.join(document)[:80]!a}, expected one of case, terms, output, class, end"
                )
            if what == "end":
                if next(lines, None) is not None:
                    raise self._error("there are lines behind the end")
                return self._ended(content, first, classes)
            if what == "case":
                current = self._section(content, test, sections)
            elif current is None:
                raise self._error(f"found {what[:40]!a}, expected the line of a case first")
            elif what == "terms":
                self._define(current, content)
            elif what == "output":
                if len(current.outputs) > current.used:
                    raise self._error("output: no class has the output before")
                current.outputs.append(read_output(content, "output", current.term))
            elif what == "class":
                if len(classes) == _MOST_CLASSES:
                    raise self._error(f"more than {_MOST_CLASSES:,} classes")
                classes.append(self._class(current, content, kind))
            else:
                raise self._error(f"found {what[:40]!a}, expected one of case, terms, output, class, end")
        raise self._error("the file is cut off: it has no line with its end")

    def _header(self, document: dict[str, Any] | None) -> Partition:
        """Return the partition without its classes."""
        if document is None:
            raise self._error("the file is empty")
        if document.get("format") != PARTITION_FORMAT:
            raise self._error(f"this is no partition file; expected the format {PARTITION_FORMAT!r}")
        version = document.get("version")
        if version != PARTITION_VERSION or type(version) is not int:
            found = repr(version)[:40]
            raise self._error(f"version {found} of the format; this sdnloom reads version {PARTITION_VERSION}")
        self._keys(document, ("format", "version", "agent", "kind", "unseen", "test"), "the header")
        if document["kind"] not in _KINDS:
            raise self._error(f"kind: found {str(document['kind'])[:40]!a}, expected one of {', '.join(_KINDS)}")
        if not isinstance(document["test"], dict):
            raise self._error("test: expected an object")
        unseen = self._texts(document["unseen"], "unseen")
        if not all(_NAME.fullmatch(each) for each in unseen):
            raise self._error("unseen: expected names of events and of fields")
        test, agent = read_test(document["test"]), self._text(document["agent"], "agent")
        return Partition(agent, test, document["kind"], (), False, unseen=tuple(unseen))

    def _section(self, name: object, test: SwitchTest, sections: dict[str, _ReadCase]) -> _ReadCase:
        found = [case for case in test.cases if case.name == name]
        if not found:
            names = ", ".join(case.name for case in test.cases)
            raise self._error(f"case: found {str(name)[:40]!a}, expected one of {names}")
        return sections.setdefault(found[0].name, _ReadCase(found[0]))

    def _define(self, current: _ReadCase, texts: object) -> None:
        for text in self._texts(texts, "terms"):
            name = f"${len(current.terms)}"
            current.terms[name] = current.reader.define(name, text)

    def _class(self, current: _ReadCase, content: object, kind: str) -> BehaviourClass:
        if not isinstance(content, dict):
            raise self._error("class: expected an object")
        self._keys(content, ("condition", "witness", "output"), "class")
        condition = tuple(current.term(text) for text in self._texts(content["condition"], "condition"))
        if any(term.width for term in condition):
            raise self._error("condition: found a bit vector, expected truth values")
        if condition and kind == "inputs":
            raise self._error("condition: a class of tried inputs has none")
        witness = self._witness(current.case.variables, content["witness"])
        self._steps -= sum(term.size for term in condition)
        if self._steps < 0:
            raise self._error("the conditions are too large to be checked")
        if not all(evaluate_term(term, witness) for term in condition):
            raise self._error("the witness does not satisfy the condition")
        number = content["output"]
        if type(number) is not int or not 0 <= number < len(current.outputs):
            raise self._error(f"output: found {str(number)[:40]!a}, expected the number of an earlier output")
        current.used = max(current.used, number + 1)
        return BehaviourClass(current.case.name, witness, current.outputs[number], condition)

    def _witness(self, variables: tuple[Variable, ...], values: object) -> dict[str, int]:
        if not isinstance(values, list) or len(values) != len(variables):
            raise self._error(f"witness: expected a list of {len(variables)} numbers")
        found = {}
        for variable, value in zip(variables, values, strict=True):
            number = value
            if isinstance(value, str) and _HEXADECIMAL.fullmatch(value):
                number = int(value, 16)
            if type(number) is not int or not variable.allows(number):
                raise self._error(
                    f"witness: {variable.name} is {str(value)[:40]!a}, expected a number of {variable.bits} bits that"
                    " the test allows"
                )
            found[variable.name] = number
        return found

    def _ended(self, content: object, first: Partition, classes: list[BehaviourClass]) -> Partition:
        if not isinstance(content, dict):
            raise self._error("end: expected an object")
        self._keys(content, ("classes", "complete", "reasons", "statistics"), "end")
        if type(content["classes"]) is not int or content["classes"] != len(classes):
            raise self._error(f"the file has {len(classes)} classes, its end says {str(content['classes'])[:40]}")
        reasons = tuple(self._text(each, "reasons") for each in self._texts(content["reasons"], "reasons"))
        complete = content["complete"]
        if type(complete) is not bool or complete != (not reasons) or (complete and first.kind == "inputs"):
            raise self._error("end: a partition is complete if there is no reason why not, and one of inputs never is")
        if len(reasons) > _MOST_REASONS:
            raise self._error(f"end: {len(reasons):,} reasons; expected at most {_MOST_REASONS:,}")
        statistics = self._statistics(content["statistics"])
        return replace(first, classes=tuple(classes), complete=complete, reasons=reasons, statistics=statistics)

    def _statistics(self, content: object) -> PartitionStatistics:
        names = [each.name for each in fields(PartitionStatistics)]
        if not isinstance(content, dict):
            raise self._error("statistics: expected an object")
        self._keys(content, names, "statistics")
        for name in names:
            value = content[name]
            whole = type(value) is int
            if not (whole or (type(value) is float and "seconds" in name)) or not 0 <= value <= LARGEST_NUMBER:
                raise self._error(f"statistics: {name} is {str(value)[:40]!a}, expected a number from 0")
        return PartitionStatistics(**content)

    def _keys(self, document: Mapping[str, Any], names: Iterable[str], place: str) -> None:
        expected = list(names)
        if document.keys() != set(expected):
            raise self._error(f"{place}: found {', '.join(document)[:80]!a}, expected {', '.join(expected)}")

    def _texts(self, value: object, place: str) -> list[str]:
        if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
            raise self._error(f"{place}: expected a list of texts")
        return value

    def _text(self, value: object, place: str) -> str:
        if not isinstance(value, str) or not value or len(value) > _MOST_TEXT or _UNPRINTABLE.search(value):
            raise self._error(f"{place}: expected one line of text of at most {_MOST_TEXT:,} characters")
        return value

    def _error(self, reason: str) -> PartitionFileError:
        return PartitionFileError(f"{self._file}, line {max(1, self._line)}: {reason}")


def number_of_values(text: bytes) -> int:
    """Return how many values JSON may have, without reading it: one for each comma and each list or object."""
    return sum(map(text.count, (b",", b"[", b"{")))


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("an object has a key twice")
    return found


def _refused(name: str) -> None:
    raise ValueError(f"{name} is no number")


def _decimal(text: str) -> float:
    if len(text) > 40:
        raise ValueError("a number of more than 40 characters")
    return float(text)
