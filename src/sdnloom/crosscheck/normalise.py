"""Normalisation of what an agent did in one step: observations become events that can be compared.

Messages keep their order; frames follow, by port, because ports have no common order; then what ended the exchange.
Left out is what may differ without a meaning: the number of a buffer (only whether there is one counts), durations, the
datapath id, hardware addresses and names of ports, the xid of messages that answer nothing, bytes of an error beyond
the first 64, and the text of a hello_failed error. An error of a vendor has fields of its own.
"""

from collections.abc import Iterable, Iterator
from typing import Any, Final

from sdnloom.crosscheck.agent import AgentError, Close, Crash, Wait
from sdnloom.crosscheck.output import CLOSE, CRASH, FRAME, WAIT, AgentEvent, OutputValue
from sdnloom.crosscheck.wire.message_fields import NamedValues, message_fields
from sdnloom.crosscheck.wire.symbolic_value import as_octets, as_output, comparable, plain_or_term, settled
from sdnloom.crosscheck.wire.vendor_error import vendor_error_fields
from sdnloom.network.openflow.constants import NO_BUFFER
from sdnloom.network.openflow.errors import ERROR_DATA, DecodeError
from sdnloom.network.openflow.layouts import HEADER
from sdnloom.symbolic.terms.constructors import const, eq, extract, ite
from sdnloom.symbolic.terms.node import Term
from sdnloom.symbolic.values.sym_bytes import bytes_of

UNKNOWN_MESSAGE: Final = "Message"  # the kind of an event for bytes that the codec cannot read
_UNASKED: Final = frozenset(("Hello", "EchoRequest", "PacketIn", "FlowRemoved", "PortStatus"))
_LEFT_OUT: Final = frozenset(("duration_sec", "duration_nsec", "datapath_id", "hw_addr"))
_HELLO: Final = 0
_HELLO_FAILED: Final = 0
_PORT_BITS: Final = 32
_ENDS: Final[dict[type, str]] = {Crash: CRASH, Close: CLOSE, Wait: WAIT}


def events_of(observed: Iterable[Any], version: int) -> tuple[AgentEvent, ...]:
    """Return the events of one step. Raises AgentError for a value that is no observation."""
    messages: list[AgentEvent] = []
    frames: list[tuple[Any, AgentEvent]] = []
    ends: list[AgentEvent] = []
    for each in observed:
        if isinstance(each, bytes | bytearray):
            messages += _message_events(bytes_of(each), version)
        elif type(each) in _ENDS:
            ends.append(AgentEvent(_ENDS[type(each)], (), each.reason if isinstance(each, Crash) else ""))
        else:
            port, frame = _port_and_frame(each)
            value = as_output(port, _PORT_BITS)
            frames.append((port, AgentEvent(FRAME, (("port", value), ("data", as_octets(frame))))))
    if len(frames) > 1:
        frames.sort(key=lambda pair: pair[0])  # forks if ports are symbolic
    return (*messages, *(event for _, event in frames), *ends)


def _port_and_frame(observed: Any) -> tuple[int, bytes]:
    if isinstance(observed, tuple) and len(observed) == 2:
        port, frame = observed
        if isinstance(port, int) and isinstance(frame, bytes | bytearray) and 0 <= port < 1 << _PORT_BITS:
            return port, bytes_of(frame)
    shown = repr(observed) if type(observed) in (int, str, float, type(None)) else f"a {type(observed).__name__}"
    expected = "a list of messages (bytes), frames (a port and bytes), Crash, Close, Wait"
    raise AgentError(f"the agent returned {shown}; expected {expected}")


def _message_events(data: bytes, version: int) -> Iterator[AgentEvent]:
    """Yield the messages of some bytes; an agent may send several at once."""
    while len(data) >= HEADER.size:
        size = HEADER.unpack(data)["length"]
        if size == len(data) or not HEADER.size <= size < len(data):
            break
        size = settled(size)
        yield _message_event(data[:size], version)
        data = data[size:]
    yield _message_event(data, version)


def _message_event(data: bytes, version: int) -> AgentEvent:
    if len(data) < HEADER.size:
        return AgentEvent(UNKNOWN_MESSAGE, (("body", as_octets(data)),))
    header = HEADER.unpack(data)
    stated, xid = as_output(header["version"], 8), as_output(header["xid"], 32)
    whole = header["length"] == len(data)  # a fork if the length is symbolic, and so on
    if whole and header["type"] == _HELLO:
        return AgentEvent("Hello", (("version", stated), ("body", as_octets(data[HEADER.size :]))))
    if whole and header["version"] == version:
        try:
            name, fields = message_fields(data, version)
        except DecodeError:
            pass
        else:
            identity: NamedValues = [] if name in _UNASKED else [("xid", xid)]
            return AgentEvent(name, tuple(identity + list(_comparable_fields(name, fields))))
    code, size, body = as_output(header["type"], 8), as_output(header["length"], 16), as_octets(data[HEADER.size :])
    return AgentEvent(UNKNOWN_MESSAGE, (("version", stated), ("type", code), ("length", size), ("body", body)))


def _comparable_fields(name: str, fields: NamedValues) -> Iterator[tuple[str, OutputValue]]:
    """Yield the fields of a message that count."""
    failed = name == "Error" and comparable(dict(fields)["type"]) == _HELLO_FAILED
    for field, value in fields:
        last = field.rpartition(".")[2]
        if last in _LEFT_OUT or (last == "name" and field.startswith(("ports[", "desc."))):
            continue
        if field == "buffer_id" and not isinstance(value, bytes | str):
            yield "buffered", _buffered(value)
        elif name == "Error" and field == "data":
            if vendor := vendor_error_fields(dict(fields)["type"], value):
                yield from vendor[:-1]
                value = vendor[-1][1]
            if not failed:
                yield field, _first_octets(value, ERROR_DATA)
        else:
            yield field, value


def _buffered(number: int | Term) -> int | Term:
    if isinstance(number, Term):
        return plain_or_term(ite(eq(number, const(NO_BUFFER, number.width)), const(0, 1), const(1, 1)))
    return int(number != NO_BUFFER)


def _first_octets(value: OutputValue, count: int) -> OutputValue:
    if isinstance(value, Term):
        cut = extract(value, value.width - 1, max(0, value.width - 8 * count))
        return cut if cut.op != "const" else cut.args[0].to_bytes(cut.width // 8, "big")
    assert isinstance(value, bytes)
    return value[:count]
