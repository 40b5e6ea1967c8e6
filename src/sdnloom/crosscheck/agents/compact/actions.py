"""Actions of a Packet Out or a flow entry, and the checks that both versions share. `datapath` carries them out."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from sdnloom.crosscheck.agents.compact.arithmetic import above_bit, equal_bit
from sdnloom.crosscheck.agents.compact.behaviours import Behaviours
from sdnloom.crosscheck.agents.compact.wire import Errors10, PortNumbers, Refusal, number_at


class ActionKinds:
    """Kinds of actions: the types of 1.0 by their numbers, then those that only 1.3 has."""

    OUTPUT, SET_VLAN, SET_PRIORITY, STRIP_TAG, SET_LINK_SOURCE, SET_LINK_TARGET = range(6)
    SET_SOURCE, SET_TARGET, SET_SERVICE, SET_SOURCE_PORT, SET_TARGET_PORT, ENQUEUE = range(6, 12)
    PUSH_TAG, SET_CONGESTION, SET_TTL, LOWER_TTL, SET_QUEUE = range(12, 17)


@dataclass(frozen=True)
class CompactAction:
    """An action: its type and its argument; and whether the argument was valid."""

    kind: int
    argument: int  # without the bits that the field lacks
    invalid: int = 0  # the bit that says that the message had such bits


class PortMatch(Protocol):
    """What a check of ports needs of a match: its ingress port, and the bit that says that it has one."""

    in_port: int
    has_in_port: int


def split_actions(data: bytes, misfit: Callable[[int, int], int]) -> list[bytes]:
    """Return the octets of each action; a wrong length is refused. `misfit(type, octets)` is 0 if they fit."""
    found = []
    while data:
        if len(data) < 8:
            raise Refusal(Errors10.ACTION_LENGTH)
        kind, size = number_at(data, 0, 2), number_at(data, 2, 2)
        if size < 8 or size > len(data) or size & 7 != 0:
            raise Refusal(Errors10.ACTION_LENGTH)
        if misfit(kind, size):
            raise Refusal(Errors10.ACTION_LENGTH)
        found.append(data[:size])
        data = data[size:]
    return found


def check_action_ports(
    actions: list[CompactAction], behaviours: Behaviours, ports: PortNumbers, match: PortMatch | None
) -> None:
    """Refuse an output to a port that will never exist. A Packet Out has no match, and may send to the table."""
    for action in actions:
        port, bits = action.argument, ports.bits
        if action.kind == ActionKinds.ENQUEUE:
            raise Refusal(Errors10.ACTION_QUEUE)  # there are no queues
        if action.kind != ActionKinds.OUTPUT:
            continue
        bad = equal_bit(port, ports.none, bits)
        if behaviours.largest_port is not None:
            reserved = above_bit(port, ports.in_port - 1, bits)
            bad = bad | above_bit(port, behaviours.largest_port, bits) & (1 - reserved)
        if match is not None:
            bad = bad | equal_bit(port, ports.table, bits)
            if behaviours.refuses_matched_port:
                bad = bad | match.has_in_port & equal_bit(port, match.in_port, bits)
        if bad:
            raise Refusal(Errors10.ACTION_PORT)


def has_bad_value(actions: list[CompactAction]) -> bool:
    """Return whether an action has a value with bits that its field lacks."""
    invalid = 0
    for action in actions:
        invalid = invalid | action.invalid
    return invalid == 1
