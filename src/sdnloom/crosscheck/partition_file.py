"""Partition files: what phase 2 needs of an agent, as JSON lines. Data only: nothing in one is run.

The first line is the header with the test's document, the last one the end: without it the file is cut off. A line
`case` says which case the lines behind it are about. `terms` defines terms `$0`, `$1` and so on of that case, in
SMT-LIB over its variables; `output` is an output, counted from 0 in its case; `class` has a condition (terms that all
hold), a witness (one value for each variable, in the order of the test) and the number of its output.

A file may come from a stranger (`partition_lines`). Law: what was written is read as an equal partition.
"""

import json
import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final, TextIO

from sdnloom.crosscheck.output_document import plain_output
from sdnloom.crosscheck.partition import BehaviourClass, Partition
from sdnloom.crosscheck.partition_lines import (
    LARGEST_NUMBER,
    PARTITION_FORMAT,
    PARTITION_VERSION,
    PartitionFileError,
    PartitionReader,
    one_line,
)
from sdnloom.crosscheck.switch_test import Case
from sdnloom.symbolic.terms.node import Term
from sdnloom.symbolic.terms.smtlib import shared_smtlib

_MOST_BYTES: Final = 1 << 28
_TERMS_OF_A_LINE: Final = 200


def write_partition(partition: Partition, file: str | Path) -> None:
    """Write a partition file. A file of that name is replaced when the new one is whole."""
    file = Path(file)
    special = file.exists() and not file.is_file()  # such as /dev/stdout
    target = file if special else file.with_name(f".{file.name}.{os.getpid()}.tmp")
    try:
        with target.open("w", encoding="ascii", newline="\n") as stream:
            _write(partition, stream)
        if not special:
            target.replace(file)
    except OSError as error:
        raise PartitionFileError(f"{file}: cannot write the partition file: {error.strerror}") from error
    finally:
        if not special:
            with suppress(OSError):
                target.unlink(missing_ok=True)


def _write(partition: Partition, stream: TextIO) -> None:
    def line(document: Mapping[str, Any]) -> None:
        json.dump(document, stream, separators=(",", ":"), allow_nan=False)
        stream.write("\n")

    header = {"format": PARTITION_FORMAT, "version": PARTITION_VERSION}
    line(
        {
            **header,
            "agent": one_line(partition.agent),
            "kind": partition.kind,
            "unseen": list(partition.unseen),
            "test": dict(partition.test.document),
        }
    )
    sections: dict[str, _WrittenCase] = {}
    current = None
    for found in partition.classes:
        if found.case not in sections:
            same = [each for each in partition.classes if each.case == found.case]
            sections[found.case] = _WrittenCase(partition.test.case(found.case), same)
        section = sections[found.case]
        if current is not section:
            line({"case": found.case})
            current = section
        for document in section.lines(found):
            line(document)
    end = {
        "classes": len(partition.classes),
        "complete": partition.complete,
        "reasons": list(map(one_line, partition.reasons)),
    }
    line({"end": {**end, "statistics": asdict(partition.statistics)}})


class _WrittenCase:
    """The terms and outputs of one case, with the numbers that they have in the file."""

    def __init__(self, case: Case, classes: Iterable[BehaviourClass]) -> None:
        self._variables = case.variables
        self._outputs: dict[Any, int] = {}
        self._definitions, self._texts = shared_smtlib(_roots(classes))

    def lines(self, found: BehaviourClass) -> Iterator[dict[str, Any]]:
        """Yield the lines for a class: terms before the first one, its output if it is new, and itself."""
        for start in range(0, len(self._definitions), _TERMS_OF_A_LINE):
            yield {"terms": self._definitions[start : start + _TERMS_OF_A_LINE]}
        self._definitions = []
        notes = tuple(event.note for step in found.output for event in step)
        number = self._outputs.get((found.output, notes))
        if number is None:
            number = self._outputs[found.output, notes] = len(self._outputs)
            yield {"output": plain_output(found.output, self._texts.__getitem__)}
        witness = [_number_document(found.witness[variable.name]) for variable in self._variables]
        condition = [self._texts[each] for each in found.condition]
        yield {"class": {"condition": condition, "witness": witness, "output": number}}


def _roots(classes: Iterable[BehaviourClass]) -> Iterator[Term]:
    """Yield the terms of classes; those of an output that several classes have count once."""
    seen: set[int] = set()
    for found in classes:
        yield from found.condition
        if id(found.output) not in seen:
            seen.add(id(found.output))
            yield from (
                value for step in found.output for event in step for _, value in event.fields if isinstance(value, Term)
            )


def _number_document(value: int) -> int | str:
    return value if value <= LARGEST_NUMBER else hex(value)


def read_partition(file: str | Path) -> Partition:
    """Read a partition file; raises PartitionFileError with the reason if it is no whole one."""
    file = Path(file)
    try:
        if not stat.S_ISREG(file.stat().st_mode):
            raise PartitionFileError(f"{file}: expected a partition file, found a {_kind_of(file)}")
        if file.stat().st_size > _MOST_BYTES:
            raise PartitionFileError(f"{file}: {file.stat().st_size:,} bytes; expected at most {_MOST_BYTES:,}")
        with file.open("rb") as stream:
            return PartitionReader(file).read(stream)
    except OSError as error:
        raise PartitionFileError(f"{file}: cannot read the partition file: {error.strerror}") from error


def _kind_of(file: Path) -> str:
    return "directory" if file.is_dir() else "device or pipe"
