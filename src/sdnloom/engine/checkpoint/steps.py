"""Steps and findings as plain data of a manifest. Messages are texts there, and are found again by taking the steps."""

from collections.abc import Sequence
from typing import Any

from sdnloom.engine.checkpoint.file import CheckpointError
from sdnloom.engine.model import Message, Step
from sdnloom.engine.path import QuotedMessage, same_step
from sdnloom.engine.semantics import Finding, Semantics, State, Transition
from sdnloom.engine.stable_text import stable_text


def plain_steps(steps: Sequence[Step]) -> list[list[Any]]:
    """Steps as lists: component, action, text of the message or None, choice, faults."""
    return [[each.component, each.action, _text(each.message), each.choice, list(each.faults)] for each in steps]


def _text(message: Message | None) -> str | None:
    return None if message is None else stable_text(message)


def taken_again(semantics: Semantics, state: State, steps: Any) -> list[Transition]:
    """The transitions of plain steps from a state. Raises CheckpointError if one is not enabled."""
    transitions: list[Transition] = []
    for component, action, message, choice, faults in steps:
        step = Step(component, action, None if message is None else QuotedMessage(message), choice, tuple(faults))
        found = next((each for each in semantics.named(state, step) if same_step(each.step, step)), None)
        if found is None:
            raise CheckpointError(f"the program acts differently now: {component}: {action} is not enabled any more")
        transitions.append(found)
        state = found.state
    return transitions


def plain_finding(found: Finding) -> list[str]:
    """A finding as a list of its property and message."""
    return [found.property, found.message]


def read_finding(entry: Any, known: set[str]) -> Finding:
    """A finding of one of the known properties."""
    name, message = entry
    if name not in known or not isinstance(message, str):
        raise CheckpointError(f"the checkpoint names the property {name!r}; expected one of {', '.join(sorted(known))}")
    return Finding(name, message)
