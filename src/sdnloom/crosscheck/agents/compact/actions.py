"""Actions of a Packet Out or a flow entry: how they are read and checked. `datapath` carries them out.

An action is read in two steps, because only the first is needed for a message that refuses or ignores its actions: the
lengths, which make no branch, then the types.
"""

from dataclasses import dataclass

from sdnloom.crosscheck.agents.compact.arithmetic import above_bit, any_equal_bit, equal_bit, nonzero_bit
from sdnloom.crosscheck.agents.compact.behaviours import Behaviours
from sdnloom.crosscheck.agents.compact.flow_match import CompactMatch
from sdnloom.crosscheck.agents.compact.wire import Errors10, Ports10, Refusal, number_at


class ActionKinds10:
    """Types of actions."""

    OUTPUT, SET_VLAN, SET_PRIORITY, STRIP_TAG, SET_LINK_SOURCE, SET_LINK_TARGET = range(6)
    SET_SOURCE, SET_TARGET, SET_SERVICE, SET_SOURCE_PORT, SET_TARGET_PORT, ENQUEUE = range(6, 12)
    VENDOR = 0xFFFF


_LONG = (ActionKinds10.SET_LINK_SOURCE, ActionKinds10.SET_LINK_TARGET, ActionKinds10.ENQUEUE)  # of 16 octets
_KNOWN = range(ActionKinds10.OUTPUT, ActionKinds10.ENQUEUE + 1)
# Where the argument of an action is: octets after its header.
_ARGUMENTS = {
    ActionKinds10.OUTPUT: 2,
    ActionKinds10.SET_VLAN: 2,
    ActionKinds10.SET_PRIORITY: 1,
    ActionKinds10.STRIP_TAG: 0,
    ActionKinds10.SET_LINK_SOURCE: 6,
    ActionKinds10.SET_LINK_TARGET: 6,
    ActionKinds10.SET_SOURCE: 4,
    ActionKinds10.SET_TARGET: 4,
    ActionKinds10.SET_SERVICE: 1,
    ActionKinds10.SET_SOURCE_PORT: 2,
    ActionKinds10.SET_TARGET_PORT: 2,
    ActionKinds10.ENQUEUE: 2,
}
# Kind -> the bits that a value may have, and the width of the argument.
_VALID = {
    ActionKinds10.SET_VLAN: (0x0FFF, 16),
    ActionKinds10.SET_PRIORITY: (0x07, 8),
    ActionKinds10.SET_SERVICE: (0xFC, 8),
}


@dataclass(frozen=True)
class CompactAction:
    """An action: its type and its argument."""

    kind: int
    argument: int


def split_actions(data: bytes) -> list[bytes]:
    """Return the octets of each action; a wrong length is refused."""
    found = []
    while data:
        if len(data) < 8:
            raise Refusal(Errors10.ACTION_LENGTH)
        kind, size = number_at(data, 0, 2), number_at(data, 2, 2)
        if size < 8 or size > len(data) or size & 7 != 0:
            raise Refusal(Errors10.ACTION_LENGTH)
        is_long = any_equal_bit(kind, _LONG, 16)
        is_short = (1 - is_long) & (1 - above_bit(kind, ActionKinds10.ENQUEUE, 16))
        if is_long * (size ^ 16) | is_short * (size ^ 8):
            raise Refusal(Errors10.ACTION_LENGTH)
        found.append(data[:size])
        data = data[size:]
    return found


def known_actions(parts: list[bytes]) -> list[CompactAction]:
    """Return actions of known types; others are refused."""
    found = []
    for part in parts:
        kind = number_at(part, 0, 2)
        for known in _KNOWN:
            if kind == known:
                found.append(CompactAction(known, number_at(part, 4, _ARGUMENTS[known])))
                break
        else:
            raise Refusal(Errors10.ACTION_VENDOR if kind == ActionKinds10.VENDOR else Errors10.ACTION_TYPE)
    return found


def check_action_ports(actions: list[CompactAction], behaviours: Behaviours, match: CompactMatch | None) -> None:
    """Refuse an output to a port that will never exist. A Packet Out has no match, and may send to the table."""
    for action in actions:
        port = action.argument
        if action.kind == ActionKinds10.ENQUEUE:
            raise Refusal(Errors10.ACTION_QUEUE)  # there are no queues
        if action.kind != ActionKinds10.OUTPUT:
            continue
        bad = equal_bit(port, Ports10.NONE, 16)
        bad = bad | above_bit(port, behaviours.largest_port, 16) & (1 - above_bit(port, Ports10.IN_PORT - 1, 16))
        if match is not None:
            bad = bad | equal_bit(port, Ports10.TABLE, 16)
            if behaviours.refuses_matched_port:
                bad = bad | match.has_in_port & equal_bit(port, match.in_port, 16)
        if bad:
            raise Refusal(Errors10.ACTION_PORT)


def has_bad_value(actions: list[CompactAction]) -> bool:
    """Return whether an action has a value with bits that its field lacks."""
    for action in actions:
        if action.kind in _VALID:
            valid, width = _VALID[action.kind]
            if nonzero_bit(action.argument & ~valid & (1 << width) - 1, width):
                return True
    return False


def fitting_value(action: CompactAction) -> int:
    """Return the value of an action without the bits that its field lacks."""
    return action.argument & _VALID[action.kind][0] if action.kind in _VALID else action.argument
