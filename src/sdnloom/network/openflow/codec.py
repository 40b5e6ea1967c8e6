"""Encoding and decoding of OpenFlow messages, for both versions and both directions.

Laws: `decode(encode(message, version)) == message` for every message that `decode` can return in that version; an
attribute that a version cannot carry raises EncodeError. `decode` of any bytes returns a message or raises DecodeError,
and nothing else. A value of an unknown type is kept as bytes and written unchanged.
"""

from typing import Any

from sdnloom.network.bitstruct import BitStruct, EncodeError
from sdnloom.network.openflow.constants import V13, VERSIONS
from sdnloom.network.openflow.errors import DecodeError
from sdnloom.network.openflow.layouts import HEADER, STRUCTS
from sdnloom.network.openflow.messages import Hello, OpaqueMessage, OpenFlowMessage
from sdnloom.network.openflow.records import Record, RecordPart, Rest
from sdnloom.network.openflow.stats import OpaqueStatsReply, OpaqueStatsRequest
from sdnloom.network.openflow.tables import MESSAGES, STATS, STATS_REPLY, STATS_REQUEST

HELLO = 0

_BODY = RecordPart("body", Rest())
_OPAQUE_REQUEST = {version: Record(OpaqueStatsRequest, STRUCTS[version]["stats"], _BODY) for version in VERSIONS}
_OPAQUE_REPLY = {version: Record(OpaqueStatsReply, STRUCTS[version]["stats"], _BODY) for version in VERSIONS}

# Value class -> (type number, record), statistics included.
_BY_CLASS: dict[int, dict[Any, tuple[int, Record]]] = {
    version: {
        **MESSAGES[version],
        OpaqueStatsRequest: (STATS_REQUEST[version], _OPAQUE_REQUEST[version]),
        OpaqueStatsReply: (STATS_REPLY[version], _OPAQUE_REPLY[version]),
        **{request.build: (STATS_REQUEST[version], request) for request, _ in STATS[version].values()},
        **{reply.build: (STATS_REPLY[version], reply) for _, reply in STATS[version].values()},
    }
    for version in VERSIONS
}
_BY_CODE = {version: dict(MESSAGES[version].values()) for version in VERSIONS}


def wire_form(kind: type[OpenFlowMessage], version: int) -> tuple[int, BitStruct]:
    """Return the type number of a message class and the structure after the header."""
    found = _BY_CLASS[version].get(kind)
    if found is None:
        raise EncodeError(f"{kind.__name__} does not exist in OpenFlow version {version}")
    return found[0], found[1].struct


def encode(message: OpenFlowMessage, version: int) -> bytes:
    """Return the bytes of a message in a version (V10 or V13; a Hello in any)."""
    if version not in VERSIONS and not isinstance(message, Hello):
        raise EncodeError(f"OpenFlow version {version!r}: expected one of {', '.join(map(str, VERSIONS))}")
    if isinstance(message, OpaqueMessage):
        code, body = message.type, bytes(message.body)
    else:
        found = _BY_CLASS[version if version in VERSIONS else V13].get(type(message))
        if found is None:
            raise EncodeError(f"{message!r} does not exist in OpenFlow version {version}")
        code, body = found[0], found[1].write(message)
    return HEADER.pack({"version": version, "type": code, "length": HEADER.size + len(body), "xid": message.xid}) + body


def decode(data: bytes, version: int | None = None) -> OpenFlowMessage:
    """Return the message of the bytes, all of them; given a version, other versions are refused (except for Hello)."""
    data = bytes(data)  # slices of a bytearray or a view would not be hashable
    if len(data) < HEADER.size:
        raise DecodeError("bad_request", "bad_len", f"{len(data)} bytes: expected a header of 8")
    header = HEADER.unpack(data)
    if header["length"] != len(data):
        raise DecodeError("bad_request", "bad_len", f"the header's length is {header['length']}, expected {len(data)}")
    code, xid = header["type"], header["xid"]
    known = header["version"]
    if code == HELLO:
        known = known if known in VERSIONS else V13
    elif known not in VERSIONS or (version is not None and known != version):
        expected = VERSIONS if version is None else (version,)
        raise DecodeError("bad_request", "bad_version", f"version {known}: expected {' or '.join(map(str, expected))}")
    record = _record(data, known, code)
    if record is None:
        return OpaqueMessage(code, data[HEADER.size :], xid=xid)
    message, stop = record.read(data, HEADER.size, len(data), xid=xid)
    if stop != len(data):
        raise DecodeError("bad_request", "bad_len", f"type {code} has {len(data) - stop} bytes too many")
    assert isinstance(message, OpenFlowMessage)
    return message


def _record(data: bytes, version: int, code: int) -> Record | None:
    if code not in (STATS_REQUEST[version], STATS_REPLY[version]):
        return _BY_CODE[version].get(code)
    reply = code == STATS_REPLY[version]
    kind = int.from_bytes(data[HEADER.size : HEADER.size + 2], "big")  # if bytes are missing, the record raises
    pair = STATS[version].get(kind) or (_OPAQUE_REQUEST[version], _OPAQUE_REPLY[version])
    return pair[reply]
