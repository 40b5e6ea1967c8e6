"""Whether a concrete message satisfies the condition of a cause that was found with a symbolic one.

A test may send the message of a cause with fixed values: the same difference there is no cause of its own. Fields are
found by their names on the wire; of actions any one may have the value.
"""

from collections.abc import Iterator
from typing import NamedTuple

from sdnloom.crosscheck.fields import Field, message_name
from sdnloom.crosscheck.root_causes.focus import RELATIONS, Focus, message_base, short_name
from sdnloom.crosscheck.switch_test import Case, MessageStep, template_bytes
from sdnloom.crosscheck.wire.message_fields import NamedValues, message_fields
from sdnloom.network.openflow.constants import VERSIONS
from sdnloom.network.openflow.errors import DecodeError


class ConcreteMessage(NamedTuple):
    """A message of an input: its name and its octets."""

    name: str
    data: bytes


def messages_until(case: Case, focus: Focus, step: int) -> tuple[ConcreteMessage, ...]:
    """Return the messages of the input of a focus up to an entry of the output."""
    steps = [each for each in case.steps[: step - case.fresh + 1] if isinstance(each, MessageStep)]
    return tuple(
        ConcreteMessage(message_name(each, focus.values), template_bytes(each.parts, focus.values)) for each in steps
    )


def satisfies(message: ConcreteMessage, focus: Focus) -> bool:
    """Return whether a message is of the kind of a focus and its fields have values of the condition."""
    version = message.data[0] if message.data else 0
    if message_base(message.name) != message_base(focus.message) or version not in VERSIONS:
        return False
    try:
        _, fields = message_fields(message.data, version)
    except DecodeError:
        return False
    return all(value in _values(field, fields) for field, value in focus.fixed) and all(
        any(value in each.values for value in _values(each.field, fields))
        if each.equal is None
        else any(
            RELATIONS[each.relation](one, other)
            for one in _values(each.field, fields)
            for other in _values(each.equal, fields)
        )
        for each in focus.fields
    )


def _values(field: Field, fields: NamedValues) -> Iterator[int]:
    """Yield the values that a field has in a message; several if it may be that of several actions."""
    path = field.variable.partition(".")[2]
    argument = path.endswith(".argument")
    for name, value in fields:
        if not isinstance(value, int):
            continue
        if argument and short_name(name) in (short_name(field.name), "value"):
            yield value
        elif not argument and short_name(name) == short_name(path) and ("[" in name) == ("[" in path):
            yield value >> field.low & (1 << field.bits) - 1
