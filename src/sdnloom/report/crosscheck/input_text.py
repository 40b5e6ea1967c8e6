"""Inputs of a test as text: the fields that differ from the harmless input, and the steps that an agent gets."""

from collections.abc import Mapping
from typing import NamedTuple

from sdnloom.crosscheck.fields import field_text, input_fields, message_name
from sdnloom.crosscheck.switch_test import Case, MessageStep, PacketStep, TimeStep, template_bytes
from sdnloom.report.crosscheck.event_text import frame_text
from sdnloom.report.describe import counted


class StepShown(NamedTuple):
    """A step as a person reads it: what it is, and its octets, if it has any."""

    title: str
    octets: bytes = b""


def changed_values(case: Case, values: Mapping[str, int], version: int) -> list[tuple[str, str]]:
    """Return name and value of the fields that differ from the harmless input, in the order of the wire."""
    defaults = case.defaults()
    return [
        (field.name, field_text(field, field.value(values), version))
        for field in input_fields(case, values, version)
        if field.value(values) != field.value(defaults)
    ]


def input_line(case: Case, values: Mapping[str, int], version: int) -> str:
    """Return the same as one line."""
    return " ".join(f"{name}={value}" for name, value in changed_values(case, values, version)) or "the harmless input"


def case_steps(case: Case, values: Mapping[str, int]) -> list[StepShown]:
    """Return what an agent gets, one entry for each list of events in its output."""
    shown = [StepShown("a new connection")] if case.fresh else []
    for step in case.steps:
        match step:
            case MessageStep():
                shown.append(StepShown(message_name(step, values), template_bytes(step.parts, values)))
            case PacketStep():
                frame = template_bytes(step.parts, values)
                shown.append(StepShown(f"a packet on port {step.port}: {frame_text(frame)}", frame))
            case TimeStep():
                shown.append(StepShown(f"{counted(step.milliseconds, 'millisecond')} pass"))
    return shown
