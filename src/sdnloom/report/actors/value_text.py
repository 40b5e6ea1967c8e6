"""Values of actors as short text: arguments of tasks, fields, events."""

from collections.abc import Mapping, Sequence
from typing import Any

from sdnloom.actors.network.events import Revisited
from sdnloom.actors.network.packets import NamedPacket
from sdnloom.actors.step_words import ArgumentText, TaskDone, TaskFailed, TaskSent
from sdnloom.engine.stable_text import stable_text
from sdnloom.network.events import NetworkEvent, Printed, Sent
from sdnloom.network.openflow import Match, OpenFlowAction
from sdnloom.network.packet import Packet
from sdnloom.report.describe import Names, actions_words, event_words, match_words, packet_words, words

MOST_TEXT = 200  # characters of a value that are shown


def plain_words(value: Any, names: Names) -> str:
    """A value as people read it: matches, actions and packets in words, texts in quotes."""
    if isinstance(value, Packet | NamedPacket):
        return packet_words(value, names)
    if isinstance(value, Match):
        return match_words(value, names)
    if isinstance(value, OpenFlowAction):
        return actions_words((value,), names)
    if type(value) is tuple:
        if value and all(isinstance(each, OpenFlowAction) for each in value):
            return f"[{actions_words(value, names)}]"
        inner = ", ".join(plain_words(each, names) for each in value)
        return f"({inner},)" if len(value) == 1 else f"({inner})"
    if isinstance(value, set | frozenset) and value:
        return "{" + ", ".join(sorted(plain_words(each, names) for each in value)) + "}"
    if isinstance(value, list):
        return f"[{', '.join(plain_words(each, names) for each in value)}]"
    if isinstance(value, Mapping):
        return "{" + ", ".join(entry_words(value, names)) + "}"
    text = stable_text(value) if isinstance(value, str) else words(value, names)
    return text if len(text) <= MOST_TEXT else f"{text[:MOST_TEXT]}... ({len(text):,} characters)"


def entry_words(entries: Mapping[Any, Any], names: Names) -> list[str]:
    """The entries of a dict, sorted."""
    return sorted(f"{plain_words(key, names)}: {plain_words(value, names)}" for key, value in entries.items())


def argument_words(arguments: ArgumentText, names: Names, brief: bool = True) -> str:
    """The arguments of a task, in parentheses; if it is to be brief, a packet is its name."""
    shown = []
    for position, each in enumerate(arguments.values):
        if brief and isinstance(each, NamedPacket):
            shown.append(str(each.name))
        elif each == () and position and isinstance(arguments.values[position - 1], Match):
            shown.append(f"[{actions_words((), names)}]")  # an entry without actions
        else:
            shown.append(plain_words(each, names))
    return f"({', '.join(shown)})"


def effects_words(events: Sequence[Any], names: Names) -> list[str]:
    """What the events of a step of a task add to its line. Of a switch or a host, events say what it sent to whom."""
    told = any(isinstance(event, NetworkEvent) and not isinstance(event, Printed) for event in events)
    shown = [event for event in events if not (told and isinstance(event, TaskSent | Sent))]
    return [text for event in shown if (text := _effect(event, names)) is not None]


def _effect(event: Any, names: Names) -> str | None:
    match event:
        case TaskSent():
            return f"{event.actor}.{event.method}{argument_words(event.arguments, names)}"
        case TaskDone():
            return f"returns {plain_words(event.value, names)}"
        case TaskFailed():
            return f"FAILS: {event.text.removeprefix('fails: ')}"
        case Revisited():
            return "the packet was here before"
    if isinstance(event, NetworkEvent):
        return event_words(event, names)
    return plain_words(event, names)
