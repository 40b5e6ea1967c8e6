"""Differences as text: where an agent reacted, and what each of the two did."""

from collections.abc import Mapping
from enum import IntEnum
from typing import Final

from sdnloom.crosscheck.fields import field_text, input_fields, message_name
from sdnloom.crosscheck.output import CLOSE, CRASH, FRAME, WAIT, AgentEvent, AgentOutput, OutputValue
from sdnloom.crosscheck.root_causes.difference import (
    FRAMES,
    Difference,
    StepReaction,
    event_pairs,
    field_pairs,
    header_value,
    output_step,
    reaction,
    without_numbers,
)
from sdnloom.crosscheck.switch_test import Case, MessageStep, TimeStep
from sdnloom.crosscheck.template.value_names import PORT_VALUE, shown_value
from sdnloom.network.openflow.constants import V10, FlowRemovedReason, PacketInReason, PortReason

StepEvents = tuple[AgentEvent, ...]

_WORDS = {
    CRASH: "crashes",
    CLOSE: "closes the connection",
    WAIT: "waits for more bytes",
    FRAMES: "sends frames",
}


NOT_COUNTED: Final = hex((1 << 64) - 1)  # the text of a counter that a switch does not keep
_CONSTANTS: Final[dict[str, type[IntEnum]]] = {
    "FlowRemoved.reason": FlowRemovedReason,
    "PacketIn.reason": PacketInReason,
    "PortStatus.reason": PortReason,
}


def reaction_text(reaction: StepReaction) -> str:
    """Return what an agent does: `sends frames`, `Error bad_action bad_out_port`, `does nothing`."""
    return " and ".join(_WORDS.get(kind, f"sends {kind}") for kind in reaction) or "does nothing"


def changed_text(case: Case, values: Mapping[str, int], version: int) -> str:
    """Return the fields in which an input differs from the harmless one."""
    defaults = case.defaults()
    changed = [
        f"{field.name} == {field_text(field, field.value(values), version)}"
        for field in input_fields(case, values, version)
        if field.value(values) != field.value(defaults)
    ]
    return " and ".join(changed) or "the harmless input"


def place_text(case: Case, values: Mapping[str, int], step: int) -> str:
    """Return where in a case something happens: `on a fresh connection`, `after 2 s`, `Features Request`, `probe`."""
    found = output_step(case, step)
    if found is None:
        return "on a fresh connection"
    if isinstance(found, MessageStep):
        return message_name(found, values)
    if isinstance(found, TimeStep):
        before = case.steps[: step - case.fresh + 1]
        passed = sum(each.milliseconds for each in before if isinstance(each, TimeStep))
        return f"after {passed / 1000:g} s"
    return "probe"


def harmless_text(case: Case, values: Mapping[str, int], step: int) -> str:
    """Return the condition of a difference that even the harmless input has: the message, and where it is seen."""
    place = place_text(case, values, step)
    found = output_step(case, step)
    if found is None:
        return "a fresh connection"
    before = [each for each in case.steps[: step - case.fresh + 1] if isinstance(each, MessageStep)]
    if isinstance(found, MessageStep) or not before:
        return place
    return f"{message_name(before[-1], values)}, {place}"


def difference_text(
    agents: tuple[str, str], difference: Difference, outputs: tuple[AgentOutput, AgentOutput], version: int
) -> str:
    """Return what each agent does in the step of the difference."""
    if difference.field:
        first, second = field_values(difference, outputs)
        return f"{difference.field}: {agents[0]} {first}, {agents[1]} {second}"
    mine, theirs = differing_events(difference, outputs)
    kinds = [reaction(each, version) for each in (mine, theirs)]
    first, second = map(reaction_text, kinds)
    if kinds[0] == kinds[1]:
        first, second = (f"{text} on {_ports(events, version)}" for text, events in ((first, mine), (second, theirs)))
    return f"{agents[0]} {first}, {agents[1]} {second}"


def differing_events(difference: Difference, outputs: tuple[AgentOutput, AgentOutput]) -> tuple[StepEvents, StepEvents]:
    """Return what both agents do in the step of a difference."""
    first, second = (each[difference.step] if difference.step < len(each) else () for each in outputs)
    return first, second


def _ports(events: StepEvents, version: int) -> str:
    numbers = [event.values().get("port") for event in events if event.kind == FRAME]
    bits = 16 if version == V10 else 32
    ports = [shown_value(PORT_VALUE, bits, each, version) if isinstance(each, int) else str(each) for each in numbers]
    return f"port{'s' * (len(ports) != 1)} {', '.join(ports)}"


def field_values(difference: Difference, outputs: tuple[AgentOutput, AgentOutput]) -> tuple[str, str]:
    """Return both values of the field that differs, as text."""
    for left, right in event_pairs(*differing_events(difference, outputs)):
        for name, one, other in field_pairs(left, right):
            if one == other:
                continue
            if difference.field == f"{left.kind}.{without_numbers(name)}":
                return _value_text(one, difference.field), _value_text(other, difference.field)
            prefix = f"{left.kind}." if left.kind == FRAME else f"{left.kind}.{name}."
            if difference.field.startswith(prefix) and isinstance(one, bytes) and isinstance(other, bytes):
                header = difference.field.removeprefix(prefix)
                return header_value(one, header), header_value(other, header)
    return "one order", "another order"


def _value_text(value: OutputValue | None, name: str) -> str:
    if value is None:
        return "none"
    for each in _CONSTANTS.get(name, ()):
        if value == each:
            return each.name
    if isinstance(value, bytes):
        return value.hex(" ", -4) or "empty" if len(value) <= 32 else f"{len(value)} octets {value[:24].hex()}..."
    return hex(value) if isinstance(value, int) and abs(value) >= 4096 else str(value)
