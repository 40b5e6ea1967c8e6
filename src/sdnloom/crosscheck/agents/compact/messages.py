"""What the messages of both versions have in common: sizes, Packet Out once its actions are known, buffers."""

from abc import ABC, abstractmethod

from sdnloom.crosscheck.agents.compact.actions import CompactAction, check_action_ports, has_bad_value
from sdnloom.crosscheck.agents.compact.behaviours import Behaviours
from sdnloom.crosscheck.agents.compact.datapath import Datapath, WireProtocol
from sdnloom.crosscheck.agents.compact.flow_table import CompactEntry, CompactTable
from sdnloom.crosscheck.agents.compact.wire import UNBUFFERED, Errors10, Refusal


class CompactMessages(ABC):
    """Carries out the messages of a controller on a datapath."""

    def __init__(self, behaviours: Behaviours, protocol: WireProtocol) -> None:
        self.behaviours = behaviours
        self.datapath = Datapath(behaviours, protocol)

    @abstractmethod
    def carry_out(self, kind: int, message: bytes) -> None:
        """Carry out a message of this type; raises Refusal."""

    def expire(self, milliseconds: int) -> None:
        """Let time pass."""
        datapath = self.datapath
        datapath.now += milliseconds
        for removal in datapath.table.expirations(datapath.now, self.behaviours.idle_reason):
            datapath.seen.append(datapath.protocol.flow_removed(removal))

    def delete(self, table: CompactTable, gone: list[CompactEntry]) -> None:
        """Delete entries of a table, and report it."""
        for removal in table.deletions(gone, self.datapath.now):
            self.datapath.seen.append(self.datapath.protocol.flow_removed(removal))

    def send_packet(self, actions: list[CompactAction], buffer_id: int, in_port: int, data: bytes) -> None:
        """Carry out a Packet Out."""
        behaviours, packet = self.behaviours, None
        if behaviours.refused_in_port is not None and in_port == behaviours.refused_in_port:
            raise Refusal(Errors10.ACTION_PORT)
        if behaviours.buffer_before_ports:
            packet = self._packet(buffer_id, data)
        check_action_ports(actions, behaviours, self.datapath.protocol.ports, None)
        if behaviours.bad_values_in_packet_out == "drop" and has_bad_value(actions):
            return
        if not behaviours.buffer_before_ports:
            packet = self._packet(buffer_id, data)
        if packet is not None:
            self.datapath.send_out(actions, in_port, packet)

    def _packet(self, buffer_id: int, data: bytes) -> bytes | None:
        """Return the packet of a Packet Out, or None if its buffer does not exist and that is not reported."""
        if buffer_id == UNBUFFERED:
            return data
        found = self.datapath.take_buffered(buffer_id)
        if found is None and self.behaviours.reports_unknown_buffer:
            raise Refusal(Errors10.BUFFER_UNKNOWN)
        return None if found is None else found[1]

    def released(self, buffer_id: int) -> tuple[int, bytes] | None:
        """Return ingress port and packet of the buffer that a FlowMod names, or None.

        One that does not exist is refused after the entry has been installed, or not at all.
        """
        if not self.datapath.buffered and not self.behaviours.reports_unknown_buffer:
            return None
        if buffer_id == UNBUFFERED:
            return None
        found = self.datapath.take_buffered(buffer_id)
        if found is None and self.behaviours.reports_unknown_buffer:
            raise Refusal(Errors10.BUFFER_UNKNOWN)
        return found


def check_size(right: bool) -> None:
    """Refuse a message of a wrong length."""
    if not right:
        raise Refusal(Errors10.BAD_LENGTH)
