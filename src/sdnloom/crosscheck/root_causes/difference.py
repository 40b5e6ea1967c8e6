"""What is different between two outputs: the step, and how each agent reacted there.

A reaction is the sorted kinds of the events of a step: errors with type and code, one `frames` for all frames. If the
reactions differ, that is the difference. If they are equal, each field that differs is one: of an event, or of a
packet's headers. Fields may differ in several steps. Reactions count up to the first step where they differ, because
what follows is mostly a consequence; only a question that changes nothing, such as a Features Request, hides nothing.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, fields
from dataclasses import field as data_field
from functools import lru_cache
from itertools import zip_longest
from typing import Final

from sdnloom.crosscheck.output import CLOSE, CRASH, FRAME, WAIT, AgentEvent, AgentOutput, OutputValue
from sdnloom.crosscheck.overlap.output_terms import values_differ
from sdnloom.crosscheck.switch_test import Case, CaseStep, MessageStep
from sdnloom.network.openflow.errors import error_names
from sdnloom.network.packet.decode import decode as decode_packet
from sdnloom.network.packet.headers import Packet
from sdnloom.symbolic.terms.constructors import FALSE, TRUE, any_
from sdnloom.symbolic.terms.node import Term

StepReaction = tuple[str, ...]

FRAMES: Final = "frames"
_ENDS: Final = frozenset((CRASH, CLOSE, WAIT))
# Messages that change no state: a difference in the answer to one says nothing about later steps.
_QUESTIONS: Final = frozenset(
    ("hello", "echo_request", "features_request", "get_config_request", "barrier_request", "stats_request",
     "multipart_request", "queue_config_request", "queue_get_config_request", "role_request", "get_async_request",
     "experimenter", "vendor")
)  # fmt: skip
_COMPUTED: Final = frozenset(("checksum", "length"))  # header fields that differ because others do
_PACKETS: Final = frozenset(((FRAME, "data"), ("PacketIn", "data")))  # fields that hold a packet


@dataclass(frozen=True, slots=True, order=True)
class Difference:
    """One difference: the two reactions, and the field that differs if they are the same.

    The step is where it is seen first; it does not count, because times and repeated messages only move it.
    """

    reactions: tuple[StepReaction, StepReaction]
    field: str = ""
    step: int = data_field(default=0, compare=False)


def differences(first: AgentOutput, second: AgentOutput, case: Case, version: int) -> tuple[Difference, ...]:
    """Return the differences of two concrete outputs, in the order of the steps; none if the outputs are equal."""
    found: dict[Difference, None] = {}
    for number, (mine, theirs) in enumerate(zip_longest(first, second, fillvalue=())):
        if mine == theirs:
            continue
        reactions = reaction(mine, version), reaction(theirs, version)
        if reactions[0] == reactions[1]:
            for name in _differing_fields(mine, theirs):
                found.setdefault(Difference(reactions, name, number))
        else:
            found.setdefault(Difference(reactions, step=number))
            if _hides_later(case, number, reactions):
                break
    return tuple(found)


def _hides_later(case: Case, number: int, reactions: tuple[StepReaction, StepReaction]) -> bool:
    """Return whether what follows different reactions may be their consequence."""
    if _ENDS & {*reactions[0], *reactions[1]}:
        return True
    step = output_step(case, number)
    return step is not None and not (isinstance(step, MessageStep) and step.kind in _QUESTIONS)


def output_step(case: Case, number: int) -> CaseStep | None:
    """Return the step of an entry of the output; None for what an agent sends on a fresh connection."""
    place = number - case.fresh
    return case.steps[place] if 0 <= place < len(case.steps) else None


def reaction(events: tuple[AgentEvent, ...], version: int) -> StepReaction:
    """Return the kinds of events of one step."""
    kinds = [_kind(event, version) for event in events if event.kind != FRAME]
    if len(kinds) < len(events):
        kinds.append(FRAMES)
    return tuple(sorted(kinds))


def _kind(event: AgentEvent, version: int) -> str:
    if event.kind != "Error":
        return event.kind
    values = event.values()
    kind, code = values.get("type"), values.get("code")
    if not isinstance(kind, int) or not isinstance(code, int):
        return event.kind
    return " ".join(map(str, ("Error", *error_names(version, kind, code))))


# -- fields ------------------------------------------------------------------------------------------------------------


def _differing_fields(mine: tuple[AgentEvent, ...], theirs: tuple[AgentEvent, ...]) -> list[str]:
    """Return the names of the fields that differ between events with the same reaction."""
    pairs = event_pairs(mine, theirs)
    if pairs is None:
        return ["frame.port"]
    found: dict[str, None] = {}
    for left, right in pairs:
        for name in _names(left, right):
            one, other = left.values().get(name), right.values().get(name)
            if one != other:
                for each in _value_names(left.kind, name, one, other):
                    found.setdefault(each)
    return list(found) or ["order"]


def event_pairs(
    mine: tuple[AgentEvent, ...], theirs: tuple[AgentEvent, ...]
) -> list[tuple[AgentEvent, AgentEvent]] | None:
    """Return events of both outputs side by side, by kind; None if frames leave on different ports."""
    left, right = (sorted(events, key=lambda event: event.kind) for events in (mine, theirs))
    if [event.kind for event in left] != [event.kind for event in right]:
        return None
    pairs = list(zip(left, right, strict=True))
    if any(one.kind == FRAME and one.values().get("port") != other.values().get("port") for one, other in pairs):
        return None
    return pairs


def _names(left: AgentEvent, right: AgentEvent) -> Iterator[str]:
    yield from dict.fromkeys(name for event in (left, right) for name, _ in event.fields)


def _value_names(kind: str, name: str, one: OutputValue | None, other: OutputValue | None) -> Iterator[str]:
    """Yield what to call a field that differs; of a packet, its headers' fields."""
    if (kind, name) in _PACKETS and isinstance(one, bytes) and isinstance(other, bytes):
        prefix = kind if kind == FRAME else f"{kind}.{name}"
        yield from (f"{prefix}.{each}" for each in packet_differences(one, other))
    else:
        yield f"{kind}.{without_numbers(name)}"


def packet_field(name: str) -> str:
    """Return the name of a packet's field wherever the packet is: in a frame or in a message."""
    return name.removeprefix("PacketIn.data.").removeprefix(f"{FRAME}.")


def without_numbers(name: str) -> str:
    """Return the name of a field of any element of a list: `ports[].curr`."""
    return re.sub(r"\[\d+\]", "[]", name)


@lru_cache(maxsize=4096)
def packet_differences(first: bytes, second: bytes) -> tuple[str, ...]:
    """Return the names of the header fields in which two packets differ, without those that follow from others."""
    left, right = decode_packet(first), decode_packet(second)
    stacks = [[type(header).__name__.lower() for header in packet.headers] for packet in (left, right)]
    if stacks[0] != stacks[1]:
        only = [name for name in stacks[0] + stacks[1] if (name in stacks[0]) != (name in stacks[1])]
        return tuple(dict.fromkeys(only)) or ("headers",)
    found = list(_header_differences(left, right))
    if left.payload != right.payload:
        found.append("payload")
    if left.trailer != right.trailer:
        found.append("trailer")
    return tuple(name for name in found if name.rpartition(".")[2] not in _COMPUTED) or tuple(found) or ("octets",)


def header_value(data: bytes, name: str) -> str:
    """Return a field of a packet's header as text, such as `vlan.vid`; what it has if there is no such field."""
    packet = decode_packet(data)
    kind, _, field = name.partition(".")
    for header in packet.headers:
        if type(header).__name__.lower() == kind:
            return str(getattr(header, field)) if field else "yes"
    if name in ("payload", "trailer"):
        octets: bytes = getattr(packet, name)
        return f"{len(octets)} octets"
    return "no" if not field else "none"


def _header_differences(left: Packet, right: Packet) -> Iterator[str]:
    for one, other in zip(left.headers, right.headers, strict=True):
        for each in fields(one):
            if getattr(one, each.name) != getattr(other, each.name):
                yield f"{type(one).__name__.lower()}.{each.name}"


# -- outputs with terms ------------------------------------------------------------------------------------------------


def difference_term(
    first: AgentOutput, second: AgentOutput, wanted: Difference, case: Case, version: int
) -> Term | None:
    """Return the condition under which two outputs have this difference; None if it cannot be told as a term."""
    found = []
    for number, (mine, theirs) in enumerate(zip_longest(first, second, fillvalue=())):
        if _open_kind(mine) or _open_kind(theirs):
            return None
        reactions = reaction(mine, version), reaction(theirs, version)
        if reactions == wanted.reactions:
            here = _field_term(mine, theirs, wanted.field) if wanted.field else TRUE
            if here is None:
                return None
            found.append(here)
        if reactions[0] != reactions[1] and _hides_later(case, number, reactions):
            break
    return any_(*found)


def _open_kind(events: tuple[AgentEvent, ...]) -> bool:
    """Return whether a reaction depends on the input: an error whose type or code is a term."""
    return any(
        event.kind == "Error" and any(isinstance(event.values().get(name), Term) for name in ("type", "code"))
        for event in events
    )


def _field_term(mine: tuple[AgentEvent, ...], theirs: tuple[AgentEvent, ...], wanted: str) -> Term | None:
    pairs = event_pairs(mine, theirs)
    if pairs is None:
        ports = [[event.values().get("port") for event in events if event.kind == FRAME] for events in (mine, theirs)]
        return None if any(isinstance(port, Term) for port in ports[0] + ports[1]) else _truth(wanted == "frame.port")
    found = []
    for left, right in pairs:
        for name in _names(left, right):
            one, other = left.values().get(name), right.values().get(name)
            if (left.kind, name) in _PACKETS and wanted.startswith(
                f"{left.kind if left.kind == FRAME else f'{left.kind}.{name}'}."
            ):
                if isinstance(one, bytes) and isinstance(other, bytes):
                    found.append(_truth(one != other and wanted in _value_names(left.kind, name, one, other)))
                elif one is not other:
                    return None
            elif f"{left.kind}.{without_numbers(name)}" == wanted:
                found.append(TRUE if one is None or other is None else values_differ(name, one, other))
    return any_(*found)


def _truth(value: bool) -> Term:
    return TRUE if value else FALSE
