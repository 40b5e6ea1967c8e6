"""What an agent did in a test, in a form that can be compared: events for each step, with the fields that count.

A field's value is a number, bytes or text; or a term, if it depends on symbolic inputs (bytes of n octets are a term of
8n bits). Elements of lists have names such as `ports[0].config`. Laws: equal outputs are equal values; fields that may
differ without a meaning, such as buffer numbers, are not there (`normalise`).
"""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from sdnloom.symbolic.terms.evaluate import evaluate_term
from sdnloom.symbolic.terms.node import Model, Term

OutputValue = int | bytes | str | Term

FRAME: Final = "frame"
CRASH: Final = "crash"
CLOSE: Final = "close"
WAIT: Final = "wait"


@dataclass(frozen=True, slots=True)
class AgentEvent:
    """One thing that an agent did: a message by the name of its class, such as `Error`, or one of the kinds above.

    The note is for readers, such as the reason of a crash; it does not count.
    """

    kind: str
    fields: tuple[tuple[str, OutputValue], ...] = ()
    note: str = field(default="", compare=False)

    def values(self) -> Mapping[str, OutputValue]:
        """Return the fields by name."""
        return dict(self.fields)


# The events of each step. A case that starts with a fresh connection has those of the connection first.
AgentOutput = tuple[tuple[AgentEvent, ...], ...]


def concrete_output(output: AgentOutput, model: Model) -> AgentOutput:
    """Return the output for these inputs: each term becomes a number, or bytes if its name in the event says so."""
    return tuple(tuple(_concrete_event(event, model) for event in step) for step in output)


# Fields that hold bytes, also as the last part of a name: a term in one of them stands for whole octets.
OCTETS: Final = frozenset(("data", "body"))


def _concrete_event(event: AgentEvent, model: Model) -> AgentEvent:
    fields = tuple((name, _concrete_value(name, value, model)) for name, value in event.fields)
    return AgentEvent(event.kind, fields, event.note)


def _concrete_value(name: str, value: OutputValue, model: Model) -> OutputValue:
    if not isinstance(value, Term):
        return value
    number = evaluate_term(value, model)
    return number.to_bytes(value.width // 8, "big") if name.rpartition(".")[2] in OCTETS else number


def seen_output(output: AgentOutput, unseen: Collection[str]) -> AgentOutput:
    """Return the output without what an agent cannot show: kinds of events, or fields such as `frame.data`.

    Fields of the elements of a list are named without the number: `PortStatsReply.ports.tx_packets`.
    """
    if not unseen:
        return output
    return tuple(tuple(_seen_event(event, unseen) for event in step if event.kind not in unseen) for step in output)


def _seen_event(event: AgentEvent, unseen: Collection[str]) -> AgentEvent:
    seen = tuple(each for each in event.fields if f"{event.kind}.{_NUMBERS.sub('', each[0])}" not in unseen)
    return replace(event, fields=seen)


_NUMBERS: Final = re.compile(r"\[\d+\]")
