"""Actions and instructions of OpenFlow 1.3 on the wire.

As in 1.0, lengths are checked first, without a branch on a symbolic type. The compact switch has no groups, meters and
queues, one table, and neither MPLS nor PBB.
"""

from collections.abc import Mapping

from sdnloom.crosscheck.agents.compact.actions import ActionKinds, CompactAction, split_actions
from sdnloom.crosscheck.agents.compact.arithmetic import any_equal_bit, nonzero_bit
from sdnloom.crosscheck.agents.compact.frame import TAG_TYPES
from sdnloom.crosscheck.agents.compact.openflow13.numbers import OXM_BASIC, Errors13
from sdnloom.crosscheck.agents.compact.wire import Errors10, Refusal, number_at

_OUTPUT, _PUSH_TAG, _POP_TAG, _SET_QUEUE, _GROUP, _SET_TTL, _LOWER_TTL, _SET_FIELD = 0, 17, 18, 21, 22, 23, 24, 25
_VENDOR = 0xFFFF
# Types of 8 octets: those above that have a fixed length, and those of MPLS and PBB, which are refused later.
_SHORT = (11, 12, 15, 16, _PUSH_TAG, _POP_TAG, 19, 20, _SET_QUEUE, _GROUP, _SET_TTL, _LOWER_TTL, 26, 27)
# Number of a match field -> kind of the action that sets it, the fact that it needs, valid bits, shift, octets.
_SETS = {
    3: (ActionKinds.SET_LINK_TARGET, None, (1 << 48) - 1, 0, 6),
    4: (ActionKinds.SET_LINK_SOURCE, None, (1 << 48) - 1, 0, 6),
    6: (ActionKinds.SET_VLAN, "tag", 0xFFF, 0, 2),
    7: (ActionKinds.SET_PRIORITY, "tag", 7, 0, 1),
    8: (ActionKinds.SET_SERVICE, "ip", 63, 2, 1),
    9: (ActionKinds.SET_CONGESTION, "ip", 3, 0, 1),
    11: (ActionKinds.SET_SOURCE, "ipv4", (1 << 32) - 1, 0, 4),
    12: (ActionKinds.SET_TARGET, "ipv4", (1 << 32) - 1, 0, 4),
    13: (ActionKinds.SET_SOURCE_PORT, "tcp", 0xFFFF, 0, 2),
    14: (ActionKinds.SET_TARGET_PORT, "tcp", 0xFFFF, 0, 2),
    15: (ActionKinds.SET_SOURCE_PORT, "udp", 0xFFFF, 0, 2),
    16: (ActionKinds.SET_TARGET_PORT, "udp", 0xFFFF, 0, 2),
}
_VLAN = 6
_CHECKED_IF_APPLIED = (ActionKinds.STRIP_TAG, ActionKinds.SET_TTL, ActionKinds.LOWER_TTL)
# The order in which an action set is executed (1.3, 5.10).
_SET_ORDER = (
    ActionKinds.STRIP_TAG,
    ActionKinds.PUSH_TAG,
    ActionKinds.LOWER_TTL,
    ActionKinds.SET_TTL,
    *(kind for kind, *_ in _SETS.values()),
    ActionKinds.SET_QUEUE,
    ActionKinds.OUTPUT,
)


def split_actions13(data: bytes) -> list[bytes]:
    """Return the octets of each action; a wrong length is refused."""
    return split_actions(data, _misfit)


def _misfit(kind: int, size: int) -> int:
    return any_equal_bit(kind, _SHORT, 16) * (size ^ 8) | any_equal_bit(kind, (_OUTPUT,), 16) * (size ^ 16)


def known_actions13(parts: list[bytes]) -> list[tuple[CompactAction, str | None]]:
    """Return actions of known types, each with the fact that a packet must have for it; others are refused."""
    return [_read_action(part) for part in parts]


def _read_action(part: bytes) -> tuple[CompactAction, str | None]:
    kind = number_at(part, 0, 2)
    if kind == _OUTPUT:
        return CompactAction(ActionKinds.OUTPUT, number_at(part, 4, 4)), None
    if kind == _SET_FIELD:
        return _read_set_field(part)
    if kind == _PUSH_TAG:
        ethertype = number_at(part, 4, 2)
        if any_equal_bit(ethertype, TAG_TYPES, 16) == 0:
            raise Refusal(Errors10.ACTION_ARGUMENT)
        return CompactAction(ActionKinds.PUSH_TAG, ethertype), None
    if kind == _POP_TAG:
        return CompactAction(ActionKinds.STRIP_TAG, 0), "tag"
    if kind == _SET_QUEUE:
        return CompactAction(ActionKinds.SET_QUEUE, 0), None
    if kind == _SET_TTL:
        return CompactAction(ActionKinds.SET_TTL, part[4]), "ip"
    if kind == _LOWER_TTL:
        return CompactAction(ActionKinds.LOWER_TTL, 0), "ip"
    if kind == _GROUP:
        raise Refusal(Errors13.BAD_GROUP)
    raise Refusal(Errors10.ACTION_VENDOR if kind == _VENDOR else Errors10.ACTION_TYPE)


def _read_set_field(part: bytes) -> tuple[CompactAction, str | None]:
    number, masked, size = part[6] >> 1, part[6] & 1, part[7]
    if size + 8 > len(part):
        raise Refusal(Errors13.SET_LENGTH)
    if number_at(part, 4, 2) != OXM_BASIC or number not in _SETS or masked:
        raise Refusal(Errors13.SET_TYPE)
    kind, need, valid, shift, octets = _SETS[number]
    if size != octets or (8 + size + 7) // 8 * 8 != len(part):
        raise Refusal(Errors13.SET_LENGTH)
    value, width = number_at(part, 8, octets), 8 * octets
    # A VLAN id has the bit that says that there is a tag; it is no part of the value in a frame.
    outside = (value ^ (0x1000 if number == _VLAN else 0)) & ((1 << width) - 1 ^ valid)
    return CompactAction(kind, (value & valid) << shift, nonzero_bit(outside, width)), need


def check_action_fit(
    applied: list[tuple[CompactAction, str | None]],
    written: list[tuple[CompactAction, str | None]],
    facts: Mapping[str, int],
) -> None:
    """Refuse an action that packets with these facts may not have the field for (1.3, 6.4).

    Of written actions only those that set a field are checked, because later tables may change the packet.
    """
    now = dict(facts)
    for number, (action, need) in enumerate([*applied, *written]):
        checked = number < len(applied) or action.kind not in _CHECKED_IF_APPLIED
        if checked and need is not None and now[need] == 0:
            raise Refusal(Errors13.ACTION_MISFIT)
        if action.kind == ActionKinds.PUSH_TAG:
            now["tag"] = 1
        elif action.kind == ActionKinds.STRIP_TAG:
            now["tag"] = 0


def action_set13(actions: list[CompactAction]) -> list[CompactAction]:
    """Return written actions as an action set executes them: the last one of each kind, in a fixed order."""
    found = {action.kind: action for action in actions}
    return [found[kind] for kind in dict.fromkeys(_SET_ORDER) if kind in found]


class InstructionKinds13:
    """Types of instructions."""

    GOTO, METADATA, WRITE, APPLY, CLEAR, METER = range(1, 7)
    VENDOR = 0xFFFF


_OCTETS = {
    InstructionKinds13.GOTO: 8,
    InstructionKinds13.METADATA: 24,
    InstructionKinds13.CLEAR: 8,
    InstructionKinds13.METER: 8,
}


def split_instructions13(data: bytes) -> list[tuple[int, bytes]]:
    """Return type and body of each instruction; a wrong length is refused."""
    found = []
    while data:
        if len(data) < 8:
            raise Refusal(Errors13.INSTRUCTION_LENGTH)
        kind, size = number_at(data, 0, 2), number_at(data, 2, 2)
        if size < 8 or size > len(data) or size & 7 != 0:
            raise Refusal(Errors13.INSTRUCTION_LENGTH)
        wrong = 0
        for known, octets in _OCTETS.items():
            wrong = wrong | any_equal_bit(kind, (known,), 16) * (size ^ octets)
        if wrong:
            raise Refusal(Errors13.INSTRUCTION_LENGTH)
        found.append((kind, data[4:size]))
        data = data[size:]
    return found


def known_instructions13(parts: list[tuple[int, bytes]]) -> dict[int, bytes]:
    """Return the instructions that an entry of a single table can have, by type; others are refused."""
    found: dict[int, bytes] = {}
    for kind, body in parts:
        for known in range(InstructionKinds13.GOTO, InstructionKinds13.METER + 1):
            if kind == known:
                break
        else:
            is_vendor = kind == InstructionKinds13.VENDOR
            raise Refusal(Errors13.INSTRUCTION_VENDOR if is_vendor else Errors13.UNKNOWN_INSTRUCTION)
        if known in found:
            raise Refusal(Errors13.REPEATED_INSTRUCTION)
        found[known] = body
    if InstructionKinds13.GOTO in found:
        raise Refusal(Errors13.INSTRUCTION_TABLE)
    if InstructionKinds13.METER in found:
        raise Refusal(Errors13.NO_METER)
    return found
