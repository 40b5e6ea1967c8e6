"""The compact switch as an agent: how it splits the stream of the controller into messages and carries them out."""

from sdnloom.crosscheck.agent import Close, Observed, Wait
from sdnloom.crosscheck.agents.compact.behaviours import Behaviours
from sdnloom.crosscheck.agents.compact.datapath import Datapath
from sdnloom.crosscheck.agents.compact.messages import CompactMessages
from sdnloom.crosscheck.agents.compact.openflow10.messages import Messages10
from sdnloom.crosscheck.agents.compact.openflow13.messages import Messages13
from sdnloom.crosscheck.agents.compact.wire import (
    HEADER_OCTETS,
    VERSION10,
    Errors10,
    Kinds10,
    Refusal,
    error_reply,
    number_at,
    wire_message,
)


class CompactSwitch:
    """A switch with these behaviours that speaks one version of OpenFlow."""

    def __init__(self, behaviours: Behaviours, version: int = VERSION10) -> None:
        self.behaviours, self.version = behaviours, version
        self._messages = self._started()
        self._stream = b""

    @property
    def datapath(self) -> Datapath:
        """The part that moves packets."""
        return self._messages.datapath

    def _started(self) -> CompactMessages:
        return Messages10(self.behaviours) if self.version == VERSION10 else Messages13(self.behaviours)

    def reset(self) -> list[Observed]:
        """Return to the state after power-on; return the Hello."""
        self._messages = self._started()
        self._stream = b""
        changed = self.behaviours.hello_version
        return [wire_message(Kinds10.HELLO, 0, version=self.version if changed is None else changed)]

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
        self.datapath.seen = []
        self._messages.expire(milliseconds)
        return self.datapath.seen

    def _carry_out(self, message: bytes) -> bool:
        """Carry out a message; return whether the connection stays."""
        version, kind = message[0], message[1]
        if kind == Kinds10.HELLO:
            if version < self.version:
                self.datapath.seen.append(error_reply(Errors10.INCOMPATIBLE, message, self.version))
                return False
            return True
        try:
            if version != self.version:
                raise Refusal(Errors10.BAD_VERSION)
            self._messages.carry_out(kind, message)
        except Refusal as refusal:
            self.datapath.seen.append(error_reply(refusal.error, message, self.version))
        return True
