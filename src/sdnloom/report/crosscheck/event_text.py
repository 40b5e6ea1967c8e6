"""What agents did, as short text: events with their fields, and of two outputs only what differs."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import zip_longest
from typing import Final

from sdnloom.crosscheck.output import CLOSE, CRASH, FRAME, WAIT, AgentEvent, AgentOutput, OutputValue
from sdnloom.crosscheck.wire.vendor_error import error_words
from sdnloom.network.packet import decode
from sdnloom.report.describe import counted, packet_words
from sdnloom.symbolic.terms.node import Term
from sdnloom.symbolic.terms.text import term_text

NOTHING: Final = "nothing"
_DEEDS: Final = {CRASH: "crashes", CLOSE: "closes the connection", WAIT: "waits for more bytes"}
_MOST_OCTETS: Final = 12  # of bytes that are written out
_MOST_FIELDS: Final = 8  # of a message that is described in a line


def agent_event_text(event: AgentEvent, version: int, names: Iterable[str] | None = None) -> str:
    """One event in a line; with names, only these fields of a message."""
    if event.kind in _DEEDS:
        note = event.note if event.note.isprintable() else ascii(event.note)
        return f"{_DEEDS[event.kind]} ({note})" if note else _DEEDS[event.kind]
    values = event.values()
    data = values.get("data")
    if event.kind == FRAME:
        shown = frame_text(data) if isinstance(data, bytes) else output_value_text(data or b"")
        return f"frame on port {output_value_text(values.get('port', 0))}: {shown}"
    if event.kind == "Error" and names is None:
        return f"Error {error_text(values, version)}"
    if event.kind == "PacketIn" and isinstance(data, bytes) and names is None:
        rest = [pair for pair in event.fields if pair[0] not in ("data", "total_len")]
        return f"PacketIn {_fields_text(rest)}: {frame_text(data)}"
    chosen = [pair for pair in event.fields if names is None or pair[0] in {*names}]
    return f"{event.kind} {_fields_text(chosen)}".rstrip()


def frame_text(data: bytes) -> str:
    """A frame: what it is, and its length."""
    return f"{packet_words(decode(data))} ({counted(len(data), 'byte')})"


def output_value_text(value: OutputValue) -> str:
    """A value of an event: small numbers are decimal, others hexadecimal."""
    if isinstance(value, Term):
        return term_text(value)
    if isinstance(value, bytes):
        more = f"... ({counted(len(value), 'byte')})" if len(value) > _MOST_OCTETS else ""
        return f"{value[:_MOST_OCTETS].hex()}{more}" if value else "empty"
    if isinstance(value, str):
        return value if value.isprintable() and " " not in value and value else ascii(value)
    return str(value) if -10 <= value < 4096 else f"{value:#x}"


def error_text(values: Mapping[str, OutputValue], version: int) -> str:
    """Type and code of an error, by their names if they have any."""
    words = error_words(values, version) or (values.get("type", 0), values.get("code", 0))
    return " ".join(map(output_value_text, words))


def step_texts(events: Sequence[AgentEvent], version: int) -> list[str]:
    """The events of a step, one line each; the word `nothing` if there are none."""
    return [agent_event_text(event, version) for event in events] or [NOTHING]


def first_difference(outputs: tuple[AgentOutput, AgentOutput]) -> int | None:
    """The number of the first step in which two outputs differ, counted from 0; None if they are equal."""
    pairs = zip_longest(*outputs, fillvalue=())
    return next((number for number, (one, other) in enumerate(pairs) if one != other), None)


def difference_texts(outputs: tuple[AgentOutput, AgentOutput], version: int) -> tuple[str, str]:
    """What each of two agents did in the first step in which they differ, without the events that are equal in both.

    Events of one kind at the same place show only the fields that differ.
    """
    number = first_difference(outputs)
    if number is None:
        return "the same", "the same"
    one, other = (output[number] if number < len(output) else () for output in outputs)
    shown: tuple[list[str], list[str]] = [], []
    for first, second in zip_longest(_without(one, other), _without(other, one)):
        names = None
        if (
            first is not None
            and second is not None
            and first.kind == second.kind
            and first.kind not in (FRAME, "Error")
        ):
            names = differing_fields(first, second)
        for side, event in zip(shown, (first, second), strict=True):
            if event is not None:
                side.append(agent_event_text(event, version, names))
    left, right = ("; ".join(side) or NOTHING for side in shown)
    if left == right:  # a difference that the short text does not show
        left, right = (_long_text(each) for each in (_without(one, other), _without(other, one)))
    return left, right


def differing_fields(one: AgentEvent, other: AgentEvent) -> list[str]:
    """The names of the fields that two events do not have alike, in their order."""
    ours, theirs = one.values(), other.values()
    return [name for name in dict.fromkeys((*ours, *theirs)) if ours.get(name) != theirs.get(name)]


def _without(events: Sequence[AgentEvent], others: Sequence[AgentEvent]) -> list[AgentEvent]:
    rest = list(others)
    kept = []
    for event in events:
        if event in rest:
            rest.remove(event)
        else:
            kept.append(event)
    return kept


def _fields_text(fields: Sequence[tuple[str, OutputValue]]) -> str:
    shown = [f"{name}={output_value_text(value)}" for name, value in fields[:_MOST_FIELDS]]
    more = len(fields) - len(shown)
    return " ".join(shown) + (f" and {counted(more, 'more field')}" if more > 0 else "")


def _long_text(events: Sequence[AgentEvent]) -> str:
    texts = []
    for event in events:
        values = " ".join(
            f"{name}={value.hex() if isinstance(value, bytes) else value}" for name, value in event.fields
        )
        texts.append(f"{event.kind} {values}".rstrip())
    return "; ".join(texts) or "the same events in another order"
