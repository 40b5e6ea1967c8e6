"""Outputs of agents as JSON values, and back: bytes become `{"hex": "..."}`.

Reading is strict, and everything has a limit. Terms become `{"term": "..."}` if the caller says how they are written
and read, as a partition file does.
"""

import re
from collections.abc import Callable
from typing import Any, Final

from sdnloom.crosscheck.output import OCTETS, AgentEvent, AgentOutput, OutputValue
from sdnloom.errors import SdnloomError
from sdnloom.symbolic.terms.node import Term

_MOST_STEPS: Final = 100
_MOST_EVENTS: Final = 10_000  # of a step
_MOST_FIELDS: Final = 1_000  # of an event
_MOST_OCTETS: Final = 1 << 17  # of a value: twice the largest message
_MOST_TEXT: Final = 10_000
_MOST_NOTE: Final = 1_000
_MOST_BITS: Final = 128  # an IPv6 address
_NAME: Final = re.compile(r"[A-Za-z0-9_.\[\]:-]{1,200}")
_HEX: Final = re.compile(r"(?:[0-9a-f]{2})*")
_SURROGATE: Final = re.compile(r"[\ud800-\udfff]")  # no text: it cannot be printed

WritesTerm = Callable[[Term], str]
ReadsTerm = Callable[[str], Term]


class OutputDocumentError(SdnloomError):
    """A document that is no output. The message names the place, the value and what was expected."""


def plain_output(output: AgentOutput, write: WritesTerm | None = None) -> list[list[dict[str, Any]]]:
    """Return an output as lists and dicts, one list for each step."""
    return [[plain_event(event, write) for event in step] for step in output]


def plain_event(event: AgentEvent, write: WritesTerm | None = None) -> dict[str, Any]:
    """Return an event as a dict: its kind, its fields in their order, and its note if it has one."""
    document = {"kind": event.kind, "fields": {name: _value_document(value, write) for name, value in event.fields}}
    return document | {"note": event.note[:_MOST_NOTE]} if event.note else document


def read_output(document: object, place: str = "output", read: ReadsTerm | None = None) -> AgentOutput:
    """Return the output that a document describes; `place` names it in errors."""
    steps = _list(document, place, _MOST_STEPS)
    return tuple(
        tuple(
            _read_event(event, f"{place}[{i}][{j}]", read)
            for j, event in enumerate(_list(step, f"{place}[{i}]", _MOST_EVENTS))
        )
        for i, step in enumerate(steps)
    )


def _value_document(value: OutputValue, write: WritesTerm | None) -> Any:
    if isinstance(value, Term):
        if write is None:
            raise TypeError("an output with terms has no document; make it concrete first")
        return {"term": write(value)}
    return {"hex": value.hex()} if isinstance(value, bytes) else value


def _read_event(document: object, place: str, read: ReadsTerm | None) -> AgentEvent:
    if not isinstance(document, dict) or document.keys() - {"note"} != {"kind", "fields"}:
        raise _wrong(place, document, 'an object with "kind" and "fields"')
    kind, fields, note = document["kind"], document["fields"], document.get("note", "")
    if not isinstance(kind, str) or not _NAME.fullmatch(kind):
        raise _wrong(f"{place}.kind", kind, "the name of a message or of an event")
    if not isinstance(fields, dict) or len(fields) > _MOST_FIELDS:
        raise _wrong(f"{place}.fields", fields, f"an object with up to {_MOST_FIELDS:,} fields")
    if not isinstance(note, str) or len(note) > _MOST_NOTE or _SURROGATE.search(note):
        raise _wrong(f"{place}.note", note, f"a text of at most {_MOST_NOTE:,} characters")
    return AgentEvent(kind, tuple((name, _read_value(name, fields[name], place, read)) for name in fields), note)


def _read_value(name: str, value: object, place: str, read: ReadsTerm | None) -> OutputValue:
    if not _NAME.fullmatch(name):
        raise _wrong(f"{place}.fields", name, "the name of a field")
    place = f"{place}.{name}"
    match value:
        case bool():
            raise _wrong(place, value, "a number, a text or hex")
        case int():
            if value.bit_length() > _MOST_BITS:
                raise _wrong(place, f"a number of {value.bit_length():,} bits", f"at most {_MOST_BITS}")
            return value
        case str():
            if len(value) > _MOST_TEXT:
                raise _wrong(place, f"{len(value):,} characters", f"at most {_MOST_TEXT:,}")
            if _SURROGATE.search(value):
                raise _wrong(place, value, "text without surrogates")
            return value
        case {"hex": str(digits), **rest} if not rest:
            if len(digits) > 2 * _MOST_OCTETS:
                raise _wrong(place, f"{len(digits) // 2:,} octets", f"at most {_MOST_OCTETS:,}")
            if not _HEX.fullmatch(digits):
                raise _wrong(place, digits, "pairs of hexadecimal digits, 0 to 9 and a to f")
            return bytes.fromhex(digits)
        case {"term": str(text), **rest} if not rest and read is not None:
            term = read(text)
            if not term.width or (name.rpartition(".")[2] in OCTETS and term.width % 8):
                raise _wrong(place, f"a term of {term.width} bits", "whole octets" if term.width else "a bit vector")
            return term
        case _:
            raise _wrong(place, value, "a number, a text or hex")


def _list(value: object, place: str, most: int) -> list[Any]:
    if not isinstance(value, list):
        raise _wrong(place, value, "a list")
    if len(value) > most:
        raise _wrong(place, f"{len(value):,} entries", f"at most {most:,}")
    return value


def _wrong(place: str, value: object, expected: str) -> OutputDocumentError:
    text = value if isinstance(value, str) else type(value).__name__ if isinstance(value, dict | list) else repr(value)
    return OutputDocumentError(f"{place}: found {text[:60]!a}, expected {expected}")
