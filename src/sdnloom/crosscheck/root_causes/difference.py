"""What is different between two outputs: the step, and how each agent reacted there.

The reaction of a step is told apart as coarsely as a reader does. If an agent crashes, closes the connection or waits
for more bytes, only that counts, and for the other one that it does not. Else, if an agent answers with an error, the
error counts, and for the other one its error or that it has none. Else the events count that only one of them has;
packets are one kind, wherever they go. If no such event is left, each field that differs is a difference: of an event,
or of a packet's headers. Reactions count up to the first step where they differ, because what follows is mostly a
consequence; only a question that changes nothing, such as a Features Request, hides nothing.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields
from dataclasses import field as data_field
from functools import lru_cache
from itertools import zip_longest
from typing import Final

from sdnloom.crosscheck.output import CLOSE, CRASH, FRAME, WAIT, AgentEvent, AgentOutput, OutputValue
from sdnloom.crosscheck.switch_test import Case, CaseStep, MessageStep
from sdnloom.crosscheck.wire.vendor_error import error_words
from sdnloom.network.packet.decode import decode as decode_packet
from sdnloom.network.packet.headers import Packet

StepReaction = tuple[str, ...]

FRAMES: Final = "frames"
PACKETS: Final = "packets"  # frames and packets for the controller
NO_END: Final = ("goes on",)  # where the other agent crashes, closes the connection or waits
ACCEPTS: Final = ("accepts",)  # where the other agent answers with an error
_ENDS: Final = frozenset((CRASH, CLOSE, WAIT))
# Messages that change no state: a difference in the answer to one says nothing about later steps.
_QUESTIONS: Final = frozenset(
    ("hello", "echo_request", "features_request", "get_config_request", "barrier_request", "stats_request",
     "multipart_request", "queue_config_request", "queue_get_config_request", "role_request", "get_async_request",
     "experimenter", "vendor")
)  # fmt: skip
_COMPUTED: Final = frozenset(("checksum", "length"))  # header fields that differ because others do
PACKET_FIELDS: Final = frozenset(((FRAME, "data"), ("PacketIn", "data")))  # fields that hold a packet


@dataclass(frozen=True, slots=True, order=True)
class Difference:
    """One difference: what each agent does, and the field that differs if they do the same.

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
        reactions = different_reactions(mine, theirs, version)
        if reactions is None:
            kinds = reaction(mine, version)
            for name in _differing_fields(mine, theirs):
                found.setdefault(Difference((kinds, kinds), name, number))
        else:
            found.setdefault(Difference(reactions, "", number))
            if hides_later(case, number, mine, theirs):
                break
    return tuple(found)


def different_reactions(
    mine: tuple[AgentEvent, ...], theirs: tuple[AgentEvent, ...], version: int
) -> tuple[StepReaction, StepReaction] | None:
    """Return what each agent does that the other one does not; None if they do the same, apart from fields."""
    for keep, instead in ((_ends, NO_END), (_errors, ACCEPTS)):
        one, other = keep(mine, version), keep(theirs, version)
        if one != other:
            return one or instead, other or instead
    only_mine, only_theirs = _left_over(mine, theirs)
    return (only_mine, only_theirs) if only_mine or only_theirs else None


def _ends(events: tuple[AgentEvent, ...], version: int) -> StepReaction:
    return tuple(sorted(event.kind for event in events if event.kind in _ENDS))


def _errors(events: tuple[AgentEvent, ...], version: int) -> StepReaction:
    return tuple(sorted(_kind(event, version) for event in events if event.kind == "Error"))


def _left_over(mine: tuple[AgentEvent, ...], theirs: tuple[AgentEvent, ...]) -> tuple[StepReaction, StepReaction]:
    """Return the kinds of events that only one side has; frames are the same if they leave on the same port."""
    left, right = (Counter(map(event_identity, events)) for events in (mine, theirs))
    first, second = (
        tuple(sorted({_coarse_kind(kind) for kind, _ in counted})) for counted in (left - right, right - left)
    )
    return first, second


def event_identity(event: AgentEvent) -> tuple[str, OutputValue | None]:
    """Return what makes two events the same, apart from their fields: the kind, and the port of a frame."""
    return event.kind, event.values().get("port") if event.kind == FRAME else None


def _coarse_kind(kind: str) -> str:
    return PACKETS if kind in (FRAME, "PacketIn") else kind


def coarse_reaction(events: tuple[AgentEvent, ...], version: int) -> StepReaction:
    """Return what one agent does in a step, as coarsely as a difference tells it."""
    found = _ends(events, version) or _errors(events, version)
    return found or tuple(sorted({_coarse_kind(event.kind) for event in events}))


def hides_later(case: Case, number: int, mine: tuple[AgentEvent, ...], theirs: tuple[AgentEvent, ...]) -> bool:
    """Return whether what follows different reactions may be their consequence."""
    if any(event.kind in _ENDS for event in (*mine, *theirs)):
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
    words = error_words(event.values(), version)
    return event.kind if words is None else " ".join(map(str, ("Error", *words)))


# -- fields ------------------------------------------------------------------------------------------------------------


def _differing_fields(mine: tuple[AgentEvent, ...], theirs: tuple[AgentEvent, ...]) -> list[str]:
    """Return the names of the fields that differ between events that are otherwise the same."""
    found: dict[str, None] = {}
    for left, right in event_pairs(mine, theirs):
        names: dict[str, None] = {}
        for name, one, other in field_pairs(left, right):
            if one != other:
                names |= dict.fromkeys(value_names(left.kind, name, one, other))
        if len(names) > 1:
            names.pop("PacketIn.total_len", None)  # it follows from the packet
        found |= names
    return list(found) or ["order"]


def event_pairs(mine: tuple[AgentEvent, ...], theirs: tuple[AgentEvent, ...]) -> list[tuple[AgentEvent, AgentEvent]]:
    """Return events of both outputs side by side that are the same, apart from fields."""
    waiting: dict[tuple[str, OutputValue | None], list[AgentEvent]] = {}
    for event in theirs:
        waiting.setdefault(event_identity(event), []).append(event)
    return [(event, waiting[event_identity(event)].pop(0)) for event in mine if waiting.get(event_identity(event))]


def field_pairs(left: AgentEvent, right: AgentEvent) -> Iterator[tuple[str, OutputValue | None, OutputValue | None]]:
    """Yield each field with both values. An element that only one list has is told by the lists' `count` alone."""
    mine, theirs = _by_identity(left), _by_identity(right)
    for name in dict.fromkeys((*mine, *theirs)):
        if (name in mine and name in theirs) or "[" not in name:
            yield name, mine.get(name), theirs.get(name)


def _by_identity(event: AgentEvent) -> dict[str, OutputValue]:
    """Return the fields of an event, elements of lists by their number in the switch instead of their place."""
    values = event.values()
    found: dict[str, OutputValue] = {}
    for name, value in values.items():
        place = re.match(r"(\w+)\[(\d+)\]\.", name)
        if place is not None:
            keys = (f"{place[0]}{each}" for each in ("port_no", "table_id", "queue_id", "group_id"))
            identity = next((values[key] for key in keys if key in values), None)
            if isinstance(identity, int):
                name = f"{place[1]}[{identity}].{name[place.end() :]}"
        found[name] = value
    return found


def value_names(kind: str, name: str, one: OutputValue | None, other: OutputValue | None) -> Iterator[str]:
    """Yield what to call a field that differs; of a packet, its headers' fields."""
    if (kind, name) in PACKET_FIELDS and isinstance(one, bytes) and isinstance(other, bytes):
        prefix = kind if kind == FRAME else f"{kind}.{name}"
        yield from (f"{prefix}.{each}" for each in packet_differences(one, other))
    else:
        yield f"{kind}.{without_numbers(name)}"


def differs_always(name: str, outputs: Iterable[tuple[AgentOutput, AgentOutput]]) -> bool:
    """Return whether a field of a message differs in all messages of its kind that both agents send."""
    kind, seen = name.partition(".")[0], False
    for first, second in outputs:
        for mine, theirs in zip(first, second, strict=False):
            for left, right in event_pairs(mine, theirs):
                if left.kind == kind:
                    seen = True
                    if not any(
                        one != other and name == f"{kind}.{without_numbers(each)}"
                        for each, one, other in field_pairs(left, right)
                    ):
                        return False
    return seen


def is_field_of_message(difference: Difference) -> bool:
    """Return whether a field of a message differs that is not a part of a packet."""
    return "." in difference.field and not difference.field.startswith((f"{FRAME}.", "PacketIn.data."))


def difference_kind(difference: Difference) -> tuple[str, ...]:
    """Return what a difference is in a word for each agent, such as an error or a crash; or what of both differs."""
    if difference.field:
        event = difference.field.partition(".")[0]
        return (PACKETS if event in (FRAME, "PacketIn") else event,)
    if {PACKETS} >= {*difference.reactions[0], *difference.reactions[1]}:
        return (PACKETS,)
    return tuple(
        "error" if any(kind.startswith("Error") for kind in each) else " ".join(each) for each in difference.reactions
    )


def packet_field(name: str) -> str:
    """Return the name of a packet's field wherever the packet is: in a frame or in a message."""
    return name.removeprefix("PacketIn.data.").removeprefix(f"{FRAME}.")


def is_message_field(difference: Difference) -> bool:
    """Return whether a field of a message differs, not what happened to a packet."""
    return "." in difference.field and not difference.field.startswith((f"{FRAME}.", "PacketIn."))


def described_field(name: str) -> str:
    """Return the name of a field of a port or table wherever it is described: in a reply, or when it changes."""
    return re.sub(r"^\w+\.(ports\[\]|desc)\.", "port.", name)


def without_numbers(name: str) -> str:
    """Return the name of a field of any element of a list: `ports[].curr`."""
    return re.sub(r"\[\d+\]", "[]", name)


@lru_cache(maxsize=4096)
def packet_differences(first: bytes, second: bytes) -> tuple[str, ...]:
    """Return the names of the header fields in which two packets differ, without those that follow from others."""
    if len(first) != len(second) and (first.startswith(second) or second.startswith(first)):
        return ("length",)
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
    if name == "length":
        return f"{len(data)} octets"
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
