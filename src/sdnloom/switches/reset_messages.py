"""OpenFlow messages that bring a switch back to the state after power-on, and those that tell when it is done; bytes.

They are written here octet by octet, so that what is sent to a real switch does not depend on the codec under test.
"""

import struct
from collections.abc import Mapping
from typing import Final

from sdnloom.network.openflow.constants import V10

_HELLO: Final = 0
ERROR: Final = 1
ECHO_REQUEST: Final = 2
ECHO_REPLY: Final = 3
FEATURES_REQUEST: Final = 5
FLOW_REMOVED: Final = 11
FLOW_MOD: Final = 14
_SENTINEL_COOKIE: Final = 0x5E47_1E15_5E47_1E15
SENTINEL_TYPE: Final = 0x88B6  # of the entry that marks the end of removals in 1.0: tests must leave this type alone
_SENTINEL_TABLE: Final = 253  # the last table of Open vSwitch in 1.3: nothing goes there
_ALL: Final = 0xFFFFFFFF
_ADD, _DELETE, _DELETE_STRICT = 0, 3, 4
_SEND_FLOW_REMOVED: Final = 1


def header(version: int, kind: int, body: bytes = b"", xid: int = 0) -> bytes:
    """Return a message with a body."""
    return struct.pack("!BBHI", version, kind, 8 + len(body), xid) + body


def plain_hello(version: int) -> bytes:
    """Return the Hello that a controller of one version sends."""
    return header(version, _HELLO, xid=1)


def delete_flows(version: int) -> bytes:
    """Return the message that deletes all entries."""
    return _flow_mod(version, _DELETE, flags=0, sentinel=False)


def default_config(version: int) -> bytes:
    """Return the SetConfig of the configuration after power-on: normal fragments, miss_send_len 128."""
    return header(version, 9, struct.pack("!HH", 0, 128))


def reset_connection(version: int) -> tuple[bytes, ...]:
    """Return the messages that reset what belongs to the connection: role and asynchronous configuration of 1.3."""
    if version == V10:
        return ()
    equal = 1
    return (
        header(version, 24, struct.pack("!I4xQ", equal, 0)),  # RoleRequest
        header(version, 28, struct.pack("!6I", 3, 0, 7, 7, 15, 0)),  # SetAsync
    )


def delete_groups_and_meters(version: int) -> tuple[bytes, ...]:
    """Return the messages that delete all groups and meters; 1.0 has none."""
    if version == V10:
        return ()
    delete, all_groups = 2, 0xFFFFFFFC
    return (
        header(version, 15, struct.pack("!HBxI", delete, 0, all_groups)),
        header(version, 29, struct.pack("!HHI", delete, 0, _ALL)),
    )


def ports_request(version: int) -> bytes:
    """Return the request whose reply lists the ports with their hardware addresses."""
    if version == V10:
        return header(version, FEATURES_REQUEST)
    return header(version, 18, struct.pack("!HH4x", 13, 0))  # port descriptions


def hardware_addresses(version: int, reply: bytes) -> dict[int, bytes]:
    """Return the hardware address of each port in the reply to `ports_request`: a PortMod has to name it."""
    if version == V10:
        return dict(struct.iter_unpack("!H6s40x", reply[32:]))
    return dict(struct.iter_unpack("!I4x6s50x", reply[16:]))


def clear_port(version: int, number: int, addresses: Mapping[int, bytes]) -> bytes:
    """Return the message that clears all configuration of a port."""
    if version == V10:
        return header(version, 15, struct.pack("!H6sIII4x", number, addresses[number], 0, 0x7F, 0))
    return header(version, 16, struct.pack("!I4x6s2xIII4x", number, addresses[number], 0, 0x65, 0))


def removal_sentinel(version: int) -> bytes:
    """Return two messages: add an entry that nothing matches, and delete it with a report of its removal."""
    return _flow_mod(version, _ADD, _SEND_FLOW_REMOVED, sentinel=True) + _flow_mod(
        version, _DELETE_STRICT, flags=0, sentinel=True
    )


def is_sentinel_report(message: bytes) -> bool:
    """Return whether a message reports the removal of the sentinel."""
    return message[1] == FLOW_REMOVED and struct.pack("!Q", _SENTINEL_COOKIE) in message


def _flow_mod(version: int, command: int, flags: int, sentinel: bool) -> bytes:
    cookie = _SENTINEL_COOKIE if sentinel else 0
    if version == V10:
        wildcards = 0x3FFFFF & ~0x10 if sentinel else 0x3FFFFF  # the sentinel fixes dl_type
        match = struct.pack("!IH6s6sHBxHBB2xIIHH", wildcards, 0, b"", b"", 0, 0, SENTINEL_TYPE, 0, 0, 0, 0, 0, 0)
        body = match + struct.pack("!QHHHHIHH", cookie, command, 0, 0, 0, _ALL, 0xFFFF, flags)
    else:
        table = _SENTINEL_TABLE if sentinel else 0xFF
        head = struct.pack("!QQBBHHHI", cookie, 0, table, command, 0, 0, 0, _ALL)
        body = head + struct.pack("!IIH2x", _ALL, _ALL, flags) + struct.pack("!HH4x", 1, 4)
    return header(version, FLOW_MOD, body)
