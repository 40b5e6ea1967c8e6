"""`nox.lib.packet.packet_base`: a header; `next` is its payload, another header or a byte string."""

from typing import Any

from sdnloom.platforms.nox.octets import Octets, array, octet_array, octets

__all__ = ["packet_base"]


class packet_base:
    """Base of the headers. A subclass parses `arr` if it gets one, and sets `parsed` on success."""

    def __init__(self, arr: Any = None, prev: "packet_base | None" = None) -> None:
        self.prev = prev
        self.next: packet_base | bytes | None = Octets()
        self.parsed = False
        self.arr: Any = None
        self.fill()
        if arr is not None:
            self.arr = arr if isinstance(arr, array) else octet_array(arr)
            self.parse()

    def fill(self) -> None:
        """Set every field to its value in a new header."""

    def parse(self) -> None:
        """Read the fields from `arr`; leave `parsed` False if these bytes are no such header."""
        raise NotImplementedError(f"{type(self).__name__}.parse")

    def hdr(self) -> bytes:
        """Return the bytes of the header alone."""
        raise NotImplementedError(f"{type(self).__name__}.hdr")

    def msg(self, *args: Any) -> None:
        """Log a message about the packet; it is discarded."""

    err = warn = msg

    def __bool__(self) -> bool:
        return self.parsed

    def __len__(self) -> int:
        return len(self.tostring())

    def __str__(self) -> str:
        rest = str(self.next) if isinstance(self.next, packet_base) else ""
        return f"{self.describe()}{rest}"

    def describe(self) -> str:
        """Return the header alone as text."""
        return f"[{type(self).__name__}]"

    def find(self, proto: Any) -> Any:
        """Return the first header of that class or name that was parsed, from this one on, or None."""
        name = proto if isinstance(proto, str) else proto.__name__
        if self.parsed and type(self).__name__ == name:
            return self
        return self.next.find(name) if isinstance(self.next, packet_base) else None

    @property
    def payload(self) -> Any:
        """The payload of the header."""
        return self.next

    @payload.setter
    def payload(self, payload: Any) -> None:
        self.set_payload(payload)

    def set_payload(self, payload: Any) -> None:
        """Set the payload: a header or a byte string."""
        if isinstance(payload, packet_base):
            payload.prev = self
        elif not isinstance(payload, str | bytes | array):
            raise TypeError("payload must be string or packet subclass")
        self.next = payload if isinstance(payload, packet_base) else octets(payload)

    def tostring(self) -> Octets:
        """Return the header and its payload as bytes."""
        if self.next is None:
            return Octets(self.hdr())
        rest = self.next.tostring() if isinstance(self.next, packet_base) else octets(self.next)
        return Octets(self.hdr() + rest)

    pack = tostring

    def following(self, kind: "type[packet_base] | None", start: int) -> Any:
        """Return the bytes from `start` on as a header of that class or, if they are none, as a byte string."""
        rest = self.arr[start:]
        found = kind(arr=rest, prev=self) if kind is not None else None
        return found if found is not None and found.parsed else rest.tostring()
