"""A byte stream to messages' bytes, as a value: what has arrived of the next message is visible state."""

from dataclasses import dataclass

from sdnloom.network.openflow.errors import DecodeError
from sdnloom.network.openflow.layouts import HEADER


@dataclass(frozen=True, slots=True)
class Framer:
    """The bytes that arrived after the last whole message."""

    buffer: bytes = b""

    def push(self, data: bytes) -> tuple["Framer", tuple[bytes, ...]]:
        """Return the framer after more bytes, and the messages that they complete.

        The split does not depend on how the stream was cut. After a header whose length is too small nothing more
        comes: `fault` says why.
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
        """How many bytes the next message lacks at least; 0 between messages, and when the stream is at fault."""
        if not self.buffer or self.fault is not None:
            return 0
        size = int.from_bytes(self.buffer[2:4], "big") if len(self.buffer) >= 4 else HEADER.size
        return max(size, HEADER.size) - len(self.buffer)

    @property
    def waits(self) -> bool:
        """Whether a message has begun and more bytes are awaited."""
        return self.missing > 0

    @property
    def fault(self) -> DecodeError | None:
        """Why no further message can be found in this stream, or None."""
        if len(self.buffer) < HEADER.size or (size := int.from_bytes(self.buffer[2:4], "big")) >= HEADER.size:
            return None
        return DecodeError("bad_request", "bad_len", f"the header's length is {size}: expected 8 or more")
