"""The compact switch as an agent: how it splits the stream of the controller into messages and carries them out."""

from sdnloom.crosscheck.agent import Close, Observed, Wait
from sdnloom.crosscheck.agents.compact.actions import check_action_ports, has_bad_value, known_actions, split_actions
from sdnloom.crosscheck.agents.compact.arithmetic import equal_bit
from sdnloom.crosscheck.agents.compact.behaviours import Behaviours
from sdnloom.crosscheck.agents.compact.datapath import AgentFault, Datapath, PortBits10
from sdnloom.crosscheck.agents.compact.flow_match import MATCH_OCTETS, CompactMatch
from sdnloom.crosscheck.agents.compact.flow_table import CompactEntry
from sdnloom.crosscheck.agents.compact.statistics import answer_statistics10
from sdnloom.crosscheck.agents.compact.wire import (
    HEADER_OCTETS,
    UNBUFFERED,
    VERSION10,
    Errors10,
    Kinds10,
    Ports10,
    Refusal,
    error_reply,
    number_at,
    octets_of,
    wire_message,
)

_ADD, _DELETE, _DELETE_STRICT = 0, 3, 4  # commands of a Flow Mod; modify and modify-strict are between them
_REPORTS_REMOVAL, _CHECKS_OVERLAP, _EMERGENCY = 0, 1, 2  # bits of its flags
_FLAGS = 7
_EVERY_ACTION = 0xFFF


class CompactSwitch:
    """A switch with these behaviours that speaks OpenFlow 1.0."""

    def __init__(self, behaviours: Behaviours) -> None:
        self.behaviours = behaviours
        self.datapath = Datapath(behaviours)
        self._stream = b""

    def reset(self) -> list[Observed]:
        """Return to the state after power-on; return the Hello."""
        self.datapath = Datapath(self.behaviours)
        self._stream = b""
        return [wire_message(Kinds10.HELLO, 0, version=self.behaviours.hello_version)]

    def message(self, data: bytes) -> list[Observed]:
        """Receive octets of the controller's stream."""
        self.datapath.seen = []
        self._stream += data
        while len(self._stream) >= HEADER_OCTETS:
            size = number_at(self._stream, 2, 2)
            if size < HEADER_OCTETS:
                self._stream = b""
                return [*self.datapath.seen, Close()]
            if size > len(self._stream):
                break
            message, self._stream = self._stream[:size], self._stream[size:]
            if not self._carry_out(message):
                return [*self.datapath.seen, Close()]
        return [*self.datapath.seen, Wait()] if self._stream else self.datapath.seen

    def packet(self, port: int, frame: bytes) -> list[Observed]:
        """Receive a frame on a port."""
        self.datapath.seen = []
        self.datapath.receive(port, frame)
        return self.datapath.seen

    def advance(self, milliseconds: int) -> list[Observed]:
        """Let time pass."""
        datapath = self.datapath
        datapath.now += milliseconds
        return [*datapath.table.expirations(datapath.now, self.behaviours.idle_reason)]

    def _carry_out(self, message: bytes) -> bool:
        """Carry out a message; return whether the connection stays."""
        version, kind = message[0], message[1]
        if kind == Kinds10.HELLO:
            if version < VERSION10:
                self.datapath.seen.append(error_reply(Errors10.INCOMPATIBLE, message))
                return False
            return True
        try:
            if version != VERSION10:
                raise Refusal(Errors10.BAD_VERSION)
            self._dispatch(kind, message)
        except Refusal as refusal:
            self.datapath.seen.append(error_reply(refusal.error, message))
        return True

    def _dispatch(self, kind: int, message: bytes) -> None:
        seen, xid, size = self.datapath.seen, number_at(message, 4, 4), len(message)
        if kind == Kinds10.ECHO_REQUEST:
            seen.append(wire_message(Kinds10.ECHO_REPLY, xid, message[HEADER_OCTETS:]))
        elif kind == Kinds10.ECHO_REPLY:
            pass
        elif kind == Kinds10.VENDOR:
            raise Refusal(Errors10.BAD_LENGTH if size < HEADER_OCTETS + 4 else Errors10.BAD_VENDOR)
        elif kind == Kinds10.FEATURES_REQUEST:
            _check_size(size == HEADER_OCTETS)
            seen.append(wire_message(Kinds10.FEATURES_REPLY, xid, self._features()))
        elif kind == Kinds10.GET_CONFIG_REQUEST:
            _check_size(size == HEADER_OCTETS)
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
            _check_size(size == HEADER_OCTETS)
            seen.append(wire_message(Kinds10.BARRIER_REPLY, xid))
        elif kind == Kinds10.QUEUE_REQUEST:
            self._queue_config(message)
        else:
            raise Refusal(Errors10.BAD_TYPE)

    def _features(self) -> bytes:
        behaviours, datapath = self.behaviours, self.datapath
        body = octets_of(datapath.datapath_id, 8) + octets_of(behaviours.buffers, 4) + bytes((1, 0, 0, 0))
        body += octets_of(behaviours.capabilities, 4) + octets_of(_EVERY_ACTION, 4)
        return body + b"".join(port.described() for port in datapath.ports)

    def _set_config(self, message: bytes) -> None:
        """Set flags and miss_send_len. Reassembly of fragments is not supported, so the flags stay."""
        _check_size(len(message) == HEADER_OCTETS + 4)
        flags = number_at(message, 8, 2)
        if flags & 2 == 0:
            self.datapath.flags = flags
        self.datapath.miss_octets = number_at(message, 10, 2)

    def _packet_out(self, message: bytes) -> None:
        _check_size(len(message) >= 16)
        buffer_id, in_port, size = number_at(message, 8, 4), number_at(message, 12, 2), number_at(message, 14, 2)
        _check_size(size <= len(message) - 16)
        actions = known_actions(split_actions(message[16 : 16 + size]))
        behaviours = self.behaviours
        if behaviours.refused_in_port is not None and in_port == behaviours.refused_in_port:
            raise Refusal(Errors10.ACTION_PORT)
        data = None
        if behaviours.buffer_before_ports:
            data = self._packet(buffer_id, message[16 + size :])
        check_action_ports(actions, behaviours, None)
        if behaviours.bad_values_in_packet_out == "drop" and has_bad_value(actions):
            return
        if not behaviours.buffer_before_ports:
            data = self._packet(buffer_id, message[16 + size :])
        if data is not None:
            self.datapath.send_out(actions, in_port, data)

    def _packet(self, buffer_id: int, data: bytes) -> bytes | None:
        """Return the packet of a Packet Out, or None if its buffer does not exist and that is not reported."""
        if buffer_id == UNBUFFERED:
            return data
        found = self.datapath.take_buffered(buffer_id)
        if found is None and self.behaviours.reports_unknown_buffer:
            raise Refusal(Errors10.BUFFER_UNKNOWN)
        return None if found is None else found[1]

    def _flow_mod(self, message: bytes) -> None:
        _check_size(len(message) >= 72)
        body = message[HEADER_OCTETS:]
        command, flags = number_at(body, 48, 2), number_at(body, 62, 2)
        parts = split_actions(body[64:])
        if command > _DELETE_STRICT:
            raise Refusal(Errors10.BAD_COMMAND)
        if flags > _FLAGS:
            raise Refusal(Errors10.UNSUPPORTED)
        match = CompactMatch(body[:MATCH_OCTETS])
        entry = CompactEntry(match, number_at(body, 54, 2))
        entry.cookie = number_at(body, 40, 8)
        entry.idle_timeout, entry.hard_timeout = number_at(body, 50, 2), number_at(body, 52, 2)
        entry.reports_removal = flags >> _REPORTS_REMOVAL & 1
        entry.installed = entry.used = self.datapath.now
        deletes = command >= _DELETE
        if not deletes:
            self._check_entry(entry, parts)
            entry.wire_actions = body[64:]
        table = self.datapath.table
        if flags >> _EMERGENCY & 1:
            self._check_emergency(entry, deletes)
            table = self.datapath.emergency
        if not deletes and entry.hard_timeout > self.behaviours.longest_hard_timeout:
            raise Refusal(Errors10.UNSUPPORTED)
        strict = command & 1 ^ 1  # the commands 2 and 4
        if deletes:
            gone = table.selected(match, entry.level, strict, number_at(body, 60, 2))
            self.datapath.seen.extend(table.removals(gone, self.datapath.now))
            return
        changed = table.selected(match, entry.level, strict, Ports10.NONE) if table.entries and command != _ADD else []
        for each in changed:
            each.actions, each.wire_actions, each.cookie = entry.actions, entry.wire_actions, entry.cookie
        if not changed:
            if table.overlaps(entry, flags >> _CHECKS_OVERLAP & 1):
                raise Refusal(Errors10.OVERLAP)
            table.add(entry)
        if table is self.datapath.table:
            self._apply_to_buffered(entry, number_at(body, 56, 4))

    def _check_entry(self, entry: CompactEntry, parts: list[bytes]) -> None:
        entry.actions = known_actions(parts)
        check_action_ports(entry.actions, self.behaviours, entry.match)
        if self.behaviours.bad_values_in_flow_mod == "refuse" and has_bad_value(entry.actions):
            raise Refusal(Errors10.ACTION_ARGUMENT)

    def _check_emergency(self, entry: CompactEntry, deletes: bool) -> None:
        if not self.behaviours.has_emergency_entries:
            raise Refusal(Errors10.TABLES_FULL)
        if not deletes and entry.idle_timeout | entry.hard_timeout:
            raise Refusal(Errors10.EMERGENCY_TIMEOUT)

    def _apply_to_buffered(self, entry: CompactEntry, buffer_id: int) -> None:
        """Apply the actions of a Flow Mod to the buffered packet that it names."""
        if not self.datapath.buffered and not self.behaviours.reports_unknown_buffer:
            return
        if buffer_id == UNBUFFERED:
            return
        found = self.datapath.take_buffered(buffer_id)
        if found is not None:
            in_port, data = found
            present = self.datapath.table.twin(entry)
            if present is not None:
                present.count(len(data), self.datapath.now)
            self.datapath.apply(entry.actions, in_port, data)
        elif self.behaviours.reports_unknown_buffer:
            raise Refusal(Errors10.BUFFER_UNKNOWN)  # the entry is installed all the same

    def _port_mod(self, message: bytes) -> None:
        _check_size(len(message) == 32)
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
            body = bytes((2, 0, 0, 0, 0, 0, 0, 0)) + port.described()
            self.datapath.seen.append(wire_message(Kinds10.PORT_STATUS, 0, body))

    def _queue_config(self, message: bytes) -> None:
        """Answer with no queues."""
        _check_size(len(message) == HEADER_OCTETS + 4)
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


def _check_size(right: bool) -> None:
    if not right:
        raise Refusal(Errors10.BAD_LENGTH)
