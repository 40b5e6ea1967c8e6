"""OpenFlow messages that bring a switch back to the state after power-on; bytes.

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
_ALL: Final = 0xFFFFFFFF
_DELETE: Final = 3


def header(version: int, kind: int, body: bytes = b"", xid: int = 0) -> bytes:
    """Return a message with a body."""
    return struct.pack("!BBHI", version, kind, 8 + len(body), xid) + body


def plain_hello(version: int) -> bytes:
    """Return the Hello that a controller of one version sends."""
    return header(version, _HELLO, xid=1)


def delete_flows(version: int) -> bytes:
    """Return the message that deletes all entries."""
    if version == V10:
        match = struct.pack("!I36x", 0x3FFFFF)
        return header(version, FLOW_MOD, match + struct.pack("!QHHHHIHH", 0, _DELETE, 0, 0, 0, _ALL, 0xFFFF, 0))
    head = struct.pack("!QQBBHHHIIIH2x", 0, 0, 0xFF, _DELETE, 0, 0, 0, _ALL, _ALL, _ALL, 0)
    return header(version, FLOW_MOD, head + struct.pack("!HH4x", 1, 4))


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
