"""Actions of OpenFlow 1.0 on the wire.

They are read in two steps, because only the first is needed for a message that does not use its actions: the lengths,
which make no branch, then the types.
"""

from sdnloom.crosscheck.agents.compact.actions import ActionKinds, CompactAction, split_actions
from sdnloom.crosscheck.agents.compact.arithmetic import above_bit, any_equal_bit, nonzero_bit
from sdnloom.crosscheck.agents.compact.wire import Errors10, Refusal, number_at

_VENDOR = 0xFFFF
_LONG = (ActionKinds.SET_LINK_SOURCE, ActionKinds.SET_LINK_TARGET, ActionKinds.ENQUEUE)  # of 16 octets
_KNOWN = range(ActionKinds.OUTPUT, ActionKinds.ENQUEUE + 1)
# Where the argument of an action is: octets after its header.
_ARGUMENTS = {
    ActionKinds.OUTPUT: 2,
    ActionKinds.SET_VLAN: 2,
    ActionKinds.SET_PRIORITY: 1,
    ActionKinds.STRIP_TAG: 0,
    ActionKinds.SET_LINK_SOURCE: 6,
    ActionKinds.SET_LINK_TARGET: 6,
    ActionKinds.SET_SOURCE: 4,
    ActionKinds.SET_TARGET: 4,
    ActionKinds.SET_SERVICE: 1,
    ActionKinds.SET_SOURCE_PORT: 2,
    ActionKinds.SET_TARGET_PORT: 2,
    ActionKinds.ENQUEUE: 2,
}
# Kind -> the bits that a value may have, and the width of the argument.
_VALID = {
    ActionKinds.SET_VLAN: (0x0FFF, 16),
    ActionKinds.SET_PRIORITY: (0x07, 8),
    ActionKinds.SET_SERVICE: (0xFC, 8),
}


def split_actions10(data: bytes) -> list[bytes]:
    """Return the octets of each action; a wrong length is refused."""
    return split_actions(data, _misfit)


def _misfit(kind: int, size: int) -> int:
    is_long = any_equal_bit(kind, _LONG, 16)
    is_short = (1 - is_long) & (1 - above_bit(kind, ActionKinds.ENQUEUE, 16))
    return is_long * (size ^ 16) | is_short * (size ^ 8)


def known_actions10(parts: list[bytes]) -> list[CompactAction]:
    """Return actions of known types; others are refused."""
    found = []
    for part in parts:
        kind = number_at(part, 0, 2)
        for known in _KNOWN:
            if kind == known:
                found.append(_action(known, number_at(part, 4, _ARGUMENTS[known])))
                break
        else:
            raise Refusal(Errors10.ACTION_VENDOR if kind == _VENDOR else Errors10.ACTION_TYPE)
    return found


def _action(kind: int, argument: int) -> CompactAction:
    if kind not in _VALID:
        return CompactAction(kind, argument)
    valid, width = _VALID[kind]
    return CompactAction(kind, argument & valid, nonzero_bit(argument & ((1 << width) - 1 ^ valid), width))
