"""Splitting of a byte stream into messages. The framer is a value, so an incomplete message is visible state."""

from dataclasses import dataclass

from sdnloom.network.openflow.errors import DecodeError
from sdnloom.network.openflow.layouts import HEADER


@dataclass(frozen=True, slots=True)
class Framer:
    """The bytes that arrived after the last whole message."""

    buffer: bytes = b""

    def push(self, data: bytes) -> tuple["Framer", tuple[bytes, ...]]:
        """Return the framer after more bytes, and the messages that they complete.

        Law: the messages do not depend on how the stream is cut. After a header with too small a length there are no
        more messages, and `fault` is the reason.
        """
        if self.fault is not None:
            return self, ()
        stream = self.buffer + data
        at = 0
        messages = []
        while len(stream) - at >= HEADER.size:
            size = int.from_bytes(stream[at + 2 : at + 4], "big")
            if size < HEADER.size or size > len(stream) - at:
                break
            messages.append(stream[at : at + size])
            at += size
        return Framer(stream[at:]), tuple(messages)

    @property
    def missing(self) -> int:
        """The least number of bytes that the next message lacks; 0 between messages and after a fault."""
        if not self.buffer or self.fault is not None:
            return 0
        size = int.from_bytes(self.buffer[2:4], "big") if len(self.buffer) >= 4 else HEADER.size
        return max(size, HEADER.size) - len(self.buffer)

    @property
    def waits(self) -> bool:
        """Whether a message is incomplete."""
        return self.missing > 0

    @property
    def fault(self) -> DecodeError | None:
        """The reason why this stream has no further messages, or None."""
        if len(self.buffer) < HEADER.size or (size := int.from_bytes(self.buffer[2:4], "big")) >= HEADER.size:
            return None
        return DecodeError("bad_request", "bad_len", f"the header's length is {size}: expected 8 or more")
