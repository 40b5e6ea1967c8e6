"""The messages of OpenFlow 1.3 that the compact switch knows: Packet Out, FlowMod, Echo and Barrier."""

from sdnloom.crosscheck.agents.compact.actions import check_action_ports, has_bad_value
from sdnloom.crosscheck.agents.compact.arithmetic import equal_bit, nonzero_bit
from sdnloom.crosscheck.agents.compact.behaviours import Behaviours
from sdnloom.crosscheck.agents.compact.flow_table import CompactEntry
from sdnloom.crosscheck.agents.compact.frame import IP_TYPE, CompactFrame
from sdnloom.crosscheck.agents.compact.messages import CompactMessages, check_size
from sdnloom.crosscheck.agents.compact.openflow13.actions import (
    InstructionKinds13,
    action_set13,
    check_action_fit,
    known_actions13,
    known_instructions13,
    split_actions13,
    split_instructions13,
)
from sdnloom.crosscheck.agents.compact.openflow13.match import CompactMatch13
from sdnloom.crosscheck.agents.compact.openflow13.numbers import PORTS13, VERSION13, Errors13, Kinds13
from sdnloom.crosscheck.agents.compact.openflow13.protocol import Protocol13
from sdnloom.crosscheck.agents.compact.wire import (
    HEADER_OCTETS,
    UNBUFFERED,
    Errors10,
    FlowCommands,
    Kinds10,
    Refusal,
    number_at,
    wire_message,
)

_REPORTS_REMOVAL, _CHECKS_OVERLAP, _RESETS_COUNTS = 0, 1, 2  # bits of its flags
_FLAGS = 31
_EVERY_TABLE = 0xFF
_ANY_GROUP = 0xFFFFFFFF


class Messages13(CompactMessages):
    """Carries out the messages of OpenFlow 1.3."""

    def __init__(self, behaviours: Behaviours) -> None:
        super().__init__(behaviours, Protocol13())

    def carry_out(self, kind: int, message: bytes) -> None:
        """Carry out a message of this type; raises Refusal."""
        seen, xid = self.datapath.seen, number_at(message, 4, 4)
        if kind == Kinds10.ECHO_REQUEST:
            seen.append(wire_message(Kinds10.ECHO_REPLY, xid, message[HEADER_OCTETS:], VERSION13))
        elif kind == Kinds10.ECHO_REPLY:
            pass
        elif kind == Kinds10.PACKET_OUT:
            self._packet_out(message)
        elif kind == Kinds10.FLOW_MOD:
            self._flow_mod(message)
        elif kind == Kinds13.BARRIER_REQUEST:
            check_size(len(message) == HEADER_OCTETS)
            seen.append(wire_message(Kinds13.BARRIER_REPLY, xid, version=VERSION13))
        else:
            raise Refusal(Errors10.BAD_TYPE)

    def _packet_out(self, message: bytes) -> None:
        check_size(len(message) >= 24)
        buffer_id, in_port, size = number_at(message, 8, 4), number_at(message, 12, 4), number_at(message, 16, 2)
        check_size(size <= len(message) - 24 and size & 7 == 0)
        actions, data = known_actions13(split_actions13(message[24 : 24 + size])), message[24 + size :]
        if buffer_id == UNBUFFERED:  # nothing is ever buffered in 1.3: misses are dropped
            check_action_fit(actions, [], _facts(CompactFrame(data)))
        self.send_packet([action for action, _ in actions], buffer_id, in_port, data)

    def _flow_mod(self, message: bytes) -> None:
        check_size(len(message) >= 56 and len(message) & 7 == 0)
        body = message[HEADER_OCTETS:]
        table_id, command, flags = body[16], body[17], number_at(body, 36, 2)
        match = CompactMatch13(body[40:])
        parts = split_instructions13(body[40 + match.size :])
        if command > FlowCommands.DELETE_STRICT:
            raise Refusal(Errors13.BAD_COMMAND)
        if flags > _FLAGS:
            raise Refusal(Errors13.BAD_FLAGS)
        deletes = command >= FlowCommands.DELETE
        if table_id != 0 and not (deletes and table_id == _EVERY_TABLE):
            raise Refusal(Errors13.TABLE_NUMBER)
        entry = self._entry(body, match)
        strict = command & 1 ^ 1  # the commands 2 and 4
        if deletes:
            found = self.datapath.table.selected(match, entry.level, strict, number_at(body, 28, 4))
            gone = [each for each in found if self._has_cookie(each, body)]
            # There are no groups, so no entry leads to one.
            self.delete(self.datapath.table, gone if gone and number_at(body, 32, 4) == _ANY_GROUP else [])
            return
        self._read_instructions(entry, parts, match)
        if entry.hard_timeout > self.behaviours.longest_hard_timeout:
            raise Refusal(Errors13.LONG_TIME)
        if command == FlowCommands.ADD:
            self._add(entry)
        else:
            self._modify(entry, strict, body)
        found_packet = self.released(number_at(body, 24, 4))
        if found_packet is not None:
            self.datapath.through_table(*found_packet)

    def _entry(self, body: bytes, match: CompactMatch13) -> CompactEntry:
        entry = CompactEntry(match, number_at(body, 22, 2))
        entry.cookie, entry.flags = number_at(body, 0, 8), number_at(body, 36, 2)
        entry.idle_timeout, entry.hard_timeout = number_at(body, 18, 2), number_at(body, 20, 2)
        entry.reports_removal = entry.flags >> _REPORTS_REMOVAL & 1
        entry.installed = entry.used = self.datapath.now
        return entry

    def _has_cookie(self, entry: CompactEntry, body: bytes) -> bool:
        cookie, mask = number_at(body, 0, 8), number_at(body, 8, 8)
        return nonzero_bit((entry.cookie ^ cookie) & mask, 64) == 0

    def _read_instructions(self, entry: CompactEntry, parts: list[tuple[int, bytes]], match: CompactMatch13) -> None:
        found = known_instructions13(parts)
        applied, written = (
            known_actions13(split_actions13(found[kind][4:])) if kind in found else []
            for kind in (InstructionKinds13.APPLY, InstructionKinds13.WRITE)
        )
        check_action_fit(applied, written, match.facts)
        for actions in (applied, written):
            plain = [action for action, _ in actions]
            check_action_ports(plain, self.behaviours, PORTS13, match)
            if self.behaviours.bad_values_in_flow_mod == "refuse" and has_bad_value(plain):
                raise Refusal(Errors13.SET_ARGUMENT)
        entry.actions = [action for action, _ in applied]
        entry.last_actions = action_set13([action for action, _ in written])

    def _add(self, entry: CompactEntry) -> None:
        table = self.datapath.table
        if table.overlaps(entry, entry.flags >> _CHECKS_OVERLAP & 1):
            raise Refusal(Errors13.OVERLAP)
        before = table.twin(entry)
        if before is not None and entry.flags >> _RESETS_COUNTS & 1 == 0:
            entry.packets, entry.octets = before.packets, before.octets
        table.add(entry)

    def _modify(self, entry: CompactEntry, strict: int, body: bytes) -> None:
        """Give the selected entries new actions; if there are none, do nothing."""
        for each in self.datapath.table.selected(entry.match, entry.level, strict, PORTS13.none):
            if self._has_cookie(each, body):
                each.actions, each.last_actions = entry.actions, entry.last_actions
                if entry.flags >> _RESETS_COUNTS & 1:
                    each.packets = each.octets = 0


def _facts(frame: CompactFrame) -> dict[str, int]:
    """Return the facts about a packet as bits."""
    has_transport = frame.transport is not None
    return {
        "tag": int(frame.tag is not None),
        "ip": equal_bit(frame.type, IP_TYPE, 16),
        "ipv4": equal_bit(frame.type, IP_TYPE, 16),
        "tcp": equal_bit(frame.protocol, 6, 8) if has_transport else 0,
        "udp": equal_bit(frame.protocol, 17, 8) if has_transport else 0,
    }
