"""The numbers of OpenFlow 1.0 that the compact switch reads and writes, and the bytes of messages of both versions."""


class PortNumbers:
    """The reserved port numbers of a version: the last eight of its numbers."""

    def __init__(self, bits: int) -> None:
        self.bits = bits
        first = (1 << bits) - 8
        self.in_port, self.table, self.normal, self.flood = range(first, first + 4)
        self.all, self.controller, self.local, self.none = range(first + 4, first + 8)


class Kinds10:
    """Types of messages."""

    HELLO, ERROR, ECHO_REQUEST, ECHO_REPLY, VENDOR, FEATURES_REQUEST, FEATURES_REPLY = range(7)
    GET_CONFIG_REQUEST, GET_CONFIG_REPLY, SET_CONFIG, PACKET_IN, FLOW_REMOVED, PORT_STATUS, PACKET_OUT = range(7, 14)
    FLOW_MOD, PORT_MOD, STATS_REQUEST, STATS_REPLY, BARRIER_REQUEST, BARRIER_REPLY = range(14, 20)
    QUEUE_REQUEST, QUEUE_REPLY = 20, 21


class FlowCommands:
    """Commands of a FlowMod, in both versions."""

    ADD, MODIFY, MODIFY_STRICT, DELETE, DELETE_STRICT = range(5)


class Errors10:
    """Errors as pairs of type and code."""

    INCOMPATIBLE = (0, 0)
    BAD_VERSION = (1, 0)
    BAD_TYPE = (1, 1)
    BAD_STATISTICS = (1, 2)
    BAD_VENDOR = (1, 3)
    BAD_LENGTH = (1, 6)
    BUFFER_UNKNOWN = (1, 8)
    ACTION_TYPE = (2, 0)
    ACTION_LENGTH = (2, 1)
    ACTION_VENDOR = (2, 2)
    ACTION_PORT = (2, 4)
    ACTION_ARGUMENT = (2, 5)
    ACTION_QUEUE = (2, 8)
    TABLES_FULL = (3, 0)
    OVERLAP = (3, 1)
    EMERGENCY_TIMEOUT = (3, 3)
    BAD_COMMAND = (3, 4)
    UNSUPPORTED = (3, 5)
    PORT_MOD_PORT = (4, 0)
    PORT_MOD_ADDRESS = (4, 1)
    QUEUE_PORT = (5, 0)
    QUEUE_NUMBER = (5, 1)


VERSION10 = 1
HEADER_OCTETS = 8
ERROR_OCTETS = 64  # of the message that an error quotes
UNBUFFERED = 0xFFFFFFFF


class Refusal(Exception):  # noqa: N818 - not an error of the program: the message is answered with an error
    """The message is not carried out; it is answered with an error."""

    def __init__(self, error: tuple[int, int]) -> None:
        super().__init__(error)
        self.error = error


def number_at(data: bytes, at: int, octets: int) -> int:
    """Return the number in some octets of a message or frame."""
    return int.from_bytes(data[at : at + octets], "big")


def octets_of(number: int, octets: int) -> bytes:
    """Return a number as octets."""
    return number.to_bytes(octets, "big")


def padded_text(text: str, octets: int) -> bytes:
    """Return a text padded with zeros."""
    return text.encode().ljust(octets, b"\0")


def wire_message(kind: int, xid: int, body: bytes = b"", version: int = VERSION10) -> bytes:
    """Return a message."""
    return bytes((version, kind)) + octets_of(HEADER_OCTETS + len(body), 2) + octets_of(xid, 4) + body


def error_reply(error: tuple[int, int], request: bytes, version: int) -> bytes:
    """Return the error that answers a request: its xid and its first octets."""
    body = octets_of(error[0], 2) + octets_of(error[1], 2) + request[:ERROR_OCTETS]
    return wire_message(Kinds10.ERROR, number_at(request, 4, 4), body, version)
