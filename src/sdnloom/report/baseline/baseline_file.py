"""Baseline files: TOML with one `[[known]]` table for each accepted violation, in a stable order."""

import os
from collections.abc import Iterable
from pathlib import Path

from sdnloom.errors import SdnloomError
from sdnloom.report.baseline.known import KnownViolation
from sdnloom.scenario_file.document import ScenarioError, as_document, parse_toml
from sdnloom.scenario_file.table import Table
from sdnloom.scenario_file.toml_text import toml_text

_SCHEMA = "sdnloom-baseline-1"
_HEAD = """\
# Violations that are known and accepted: `--baseline` with this file fails on others only.
# `--update-baseline` writes it anew, sorted, and keeps what `note` says.
"""
_MOST_BYTES = 16 << 20


class BaselineError(SdnloomError):
    """A baseline that cannot be read or written. The message names file, key, value and what was expected."""


def read_baseline(file: Path) -> tuple[KnownViolation, ...]:
    """The entries of a baseline file."""
    try:
        with file.open("rb") as stream:
            content = stream.read(_MOST_BYTES + 1)
    except OSError as error:
        reason = f"cannot read the baseline: {error.strerror}"
        raise BaselineError(f"{file}: {reason}; --update-baseline writes a new one") from error
    if len(content) > _MOST_BYTES:
        raise BaselineError(f"{file}: more than {_MOST_BYTES:,} bytes; expected a smaller baseline")
    try:
        table = Table(as_document(parse_toml(content.decode("utf-8"), file), file), file)
        table.choice("schema", [_SCHEMA])
        known = tuple(map(_entry, table.tables("known")))
        table.close()
    except UnicodeDecodeError as error:
        raise BaselineError(f"{file}: byte {error.start} is not UTF-8; expected a baseline in TOML") from error
    except ScenarioError as error:
        raise BaselineError(str(error)) from error
    return known


def _entry(table: Table) -> KnownViolation:
    entry = KnownViolation(
        table.text("scenario"), table.text("property"), table.text("message"), table.text("note", "")
    )
    table.close()
    return entry


def baseline_text(known: Iterable[KnownViolation]) -> str:
    """The file of these entries; its order is theirs."""
    tables = [
        {
            "scenario": each.subject,
            "property": each.property,
            "message": each.message,
            **({"note": each.note} if each.note else {}),
        }
        for each in known
    ]
    return _HEAD + toml_text({"schema": _SCHEMA, "known": tables})


def write_baseline(file: Path, known: Iterable[KnownViolation]) -> None:
    """Write a baseline file, in one piece."""
    beside = file.with_name(f".{file.name}.{os.getpid()}")
    try:
        beside.write_text(baseline_text(known), encoding="utf-8")
        beside.replace(file)
    except OSError as error:
        raise BaselineError(f"{file}: cannot write the baseline: {error.strerror}") from error


def subject_name(file: Path, baseline: Path) -> str:
    """The name of a file in a baseline: relative to the folder of the baseline."""
    return Path(os.path.relpath(file.resolve(), baseline.resolve().parent)).as_posix()
