"""The messages of OpenFlow 1.0 that a switch receives, but for statistics."""

from sdnloom.crosscheck.agents.compact.actions import check_action_ports, has_bad_value
from sdnloom.crosscheck.agents.compact.arithmetic import equal_bit
from sdnloom.crosscheck.agents.compact.behaviours import Behaviours
from sdnloom.crosscheck.agents.compact.datapath import AgentFault, CompactPort, PortBits10
from sdnloom.crosscheck.agents.compact.flow_table import CompactEntry, CompactTable
from sdnloom.crosscheck.agents.compact.messages import CompactMessages, check_size
from sdnloom.crosscheck.agents.compact.openflow10.actions import known_actions10, split_actions10
from sdnloom.crosscheck.agents.compact.openflow10.match import MATCH_OCTETS, CompactMatch10
from sdnloom.crosscheck.agents.compact.openflow10.protocol import PORTS10, Protocol10
from sdnloom.crosscheck.agents.compact.openflow10.statistics import answer_statistics10
from sdnloom.crosscheck.agents.compact.wire import (
    HEADER_OCTETS,
    Errors10,
    FlowCommands,
    Kinds10,
    Refusal,
    number_at,
    octets_of,
    padded_text,
    wire_message,
)

_REPORTS_REMOVAL, _CHECKS_OVERLAP, _EMERGENCY = 0, 1, 2  # bits of its flags
_FLAGS = 7
_EVERY_ACTION = 0xFFF


class Messages10(CompactMessages):
    """Carries out the messages of OpenFlow 1.0."""

    def __init__(self, behaviours: Behaviours) -> None:
        super().__init__(behaviours, Protocol10())

    def carry_out(self, kind: int, message: bytes) -> None:
        """Carry out a message of this type; raises Refusal."""
        seen, xid, size = self.datapath.seen, number_at(message, 4, 4), len(message)
        if kind == Kinds10.ECHO_REQUEST:
            seen.append(wire_message(Kinds10.ECHO_REPLY, xid, message[HEADER_OCTETS:]))
        elif kind == Kinds10.ECHO_REPLY:
            pass
        elif kind == Kinds10.VENDOR:
            raise Refusal(Errors10.BAD_LENGTH if size < HEADER_OCTETS + 4 else Errors10.BAD_VENDOR)
        elif kind == Kinds10.FEATURES_REQUEST:
            check_size(size == HEADER_OCTETS)
            seen.append(wire_message(Kinds10.FEATURES_REPLY, xid, self._features()))
        elif kind == Kinds10.GET_CONFIG_REQUEST:
            check_size(size == HEADER_OCTETS)
            config = octets_of(self.datapath.flags, 2) + octets_of(self.datapath.miss_octets, 2)
            seen.append(wire_message(Kinds10.GET_CONFIG_REPLY, xid, config))
        elif kind == Kinds10.SET_CONFIG:
            self._set_config(message)
        elif kind == Kinds10.PACKET_OUT:
            self._packet_out(message)
        elif kind == Kinds10.FLOW_MOD:
            self._flow_mod(message)
        elif kind == Kinds10.PORT_MOD:
            self._port_mod(message)
        elif kind == Kinds10.STATS_REQUEST:
            seen.extend(answer_statistics10(self.datapath, message))
        elif kind == Kinds10.BARRIER_REQUEST:
            check_size(size == HEADER_OCTETS)
            seen.append(wire_message(Kinds10.BARRIER_REPLY, xid))
        elif kind == Kinds10.QUEUE_REQUEST:
            self._queue_config(message)
        else:
            raise Refusal(Errors10.BAD_TYPE)

    def _features(self) -> bytes:
        behaviours, datapath = self.behaviours, self.datapath
        body = octets_of(datapath.datapath_id, 8) + octets_of(behaviours.buffers, 4) + bytes((1, 0, 0, 0))
        body += octets_of(behaviours.capabilities, 4) + octets_of(_EVERY_ACTION, 4)
        return body + b"".join(_description(port) for port in datapath.ports)

    def _set_config(self, message: bytes) -> None:
        """Set flags and miss_send_len. Reassembly of fragments is not supported, so the flags stay."""
        check_size(len(message) == HEADER_OCTETS + 4)
        flags = number_at(message, 8, 2)
        if flags & 2 == 0:
            self.datapath.flags = flags
        self.datapath.miss_octets = number_at(message, 10, 2)

    def _packet_out(self, message: bytes) -> None:
        check_size(len(message) >= 16)
        buffer_id, in_port, size = number_at(message, 8, 4), number_at(message, 12, 2), number_at(message, 14, 2)
        check_size(size <= len(message) - 16 and size & 7 == 0)
        actions = known_actions10(split_actions10(message[16 : 16 + size]))
        self.send_packet(actions, buffer_id, in_port, message[16 + size :])

    def _flow_mod(self, message: bytes) -> None:
        check_size(len(message) >= 72 and len(message) & 7 == 0)
        body = message[HEADER_OCTETS:]
        command, flags = number_at(body, 48, 2), number_at(body, 62, 2)
        parts = split_actions10(body[64:])
        if command > FlowCommands.DELETE_STRICT:
            raise Refusal(Errors10.BAD_COMMAND)
        if flags > _FLAGS:
            raise Refusal(Errors10.UNSUPPORTED)
        entry = self._entry(body)
        deletes = command >= FlowCommands.DELETE
        if not deletes:
            self._check_entry(entry, parts)
        table = self.datapath.table
        if flags >> _EMERGENCY & 1:
            self._check_emergency(entry, deletes)
            table = self.datapath.emergency
        if not deletes and entry.hard_timeout > self.behaviours.longest_hard_timeout:
            raise Refusal(Errors10.UNSUPPORTED)
        strict = command & 1 ^ 1  # the commands 2 and 4
        if deletes:
            gone = table.selected(entry.match, entry.level, strict, number_at(body, 60, 2))
            self.delete(table, gone)
            return
        self._install(table, entry, command, strict)
        if table is self.datapath.table:
            self._apply_to_buffered(entry, number_at(body, 56, 4))

    def _entry(self, body: bytes) -> CompactEntry:
        entry = CompactEntry(CompactMatch10(body[:MATCH_OCTETS]), number_at(body, 54, 2))
        entry.cookie, entry.flags = number_at(body, 40, 8), number_at(body, 62, 2)
        entry.idle_timeout, entry.hard_timeout = number_at(body, 50, 2), number_at(body, 52, 2)
        entry.reports_removal = entry.flags >> _REPORTS_REMOVAL & 1
        entry.installed = entry.used = self.datapath.now
        entry.wire_actions = body[64:]
        return entry

    def _install(self, table: CompactTable, entry: CompactEntry, command: int, strict: int) -> None:
        """Change the entries that a modify selects; if there are none, or for an add, add the entry."""
        changed = []
        if table.entries and command != FlowCommands.ADD:
            changed = table.selected(entry.match, entry.level, strict, PORTS10.none)
        for each in changed:
            each.actions, each.wire_actions, each.cookie = entry.actions, entry.wire_actions, entry.cookie
        if not changed:
            if table.overlaps(entry, entry.flags >> _CHECKS_OVERLAP & 1):
                raise Refusal(Errors10.OVERLAP)
            table.add(entry)

    def _check_entry(self, entry: CompactEntry, parts: list[bytes]) -> None:
        entry.actions = known_actions10(parts)
        check_action_ports(entry.actions, self.behaviours, PORTS10, entry.match)
        if self.behaviours.bad_values_in_flow_mod == "refuse" and has_bad_value(entry.actions):
            raise Refusal(Errors10.ACTION_ARGUMENT)

    def _check_emergency(self, entry: CompactEntry, deletes: bool) -> None:
        if not self.behaviours.has_emergency_entries:
            raise Refusal(Errors10.TABLES_FULL)
        if not deletes and entry.idle_timeout | entry.hard_timeout:
            raise Refusal(Errors10.EMERGENCY_TIMEOUT)

    def _apply_to_buffered(self, entry: CompactEntry, buffer_id: int) -> None:
        """Apply the actions of a FlowMod to the buffered packet that it names."""
        found = self.released(buffer_id)
        if found is not None:
            in_port, data = found
            present = self.datapath.table.twin(entry)
            if present is not None:
                present.count(len(data), self.datapath.now)
            self.datapath.execute(entry, in_port, data)

    def _port_mod(self, message: bytes) -> None:
        check_size(len(message) == 32)
        port = self.datapath.port(number_at(message, 8, 2))
        if port is None:
            raise Refusal(Errors10.PORT_MOD_PORT)
        if number_at(message, 10, 6) != port.address():
            raise Refusal(Errors10.PORT_MOD_ADDRESS)
        if not self.behaviours.takes_advertised_features and number_at(message, 24, 4) != 0:
            raise Refusal(Errors10.PORT_MOD_PORT)
        config, mask = number_at(message, 16, 4), number_at(message, 20, 4) & PortBits10.KNOWN
        changed = port.config ^ (port.config ^ config) & mask
        if changed != port.config:
            port.config = changed
            body = bytes((2, 0, 0, 0, 0, 0, 0, 0)) + _description(port)
            self.datapath.seen.append(wire_message(Kinds10.PORT_STATUS, 0, body))

    def _queue_config(self, message: bytes) -> None:
        """Answer with no queues."""
        check_size(len(message) == HEADER_OCTETS + 4)
        port = number_at(message, 8, 2)
        if self.behaviours.crashes_on_queues_of_port_zero and port == 0:
            raise AgentFault("the queues of port 0 are outside of the list of ports")
        known = 0
        for each in self.datapath.ports:
            known = known | equal_bit(port, each.number, 16)
        if known == 0:
            raise Refusal(Errors10.QUEUE_PORT)
        body = octets_of(port, 2) + bytes(6)
        self.datapath.seen.append(wire_message(Kinds10.QUEUE_REPLY, number_at(message, 4, 4), body))


def _description(port: CompactPort) -> bytes:
    """Return the description of a port."""
    head = octets_of(port.number, 2) + octets_of(port.address(), 6) + padded_text(f"port{port.number}", 16)
    return head + octets_of(port.config, 4) + bytes(20)
