"""A second OpenFlow connection to a bridge, for questions of our own: which entries it has, which removals are done.

The controller of the bridge knows nothing of it: it has transaction ids, a role and settings of its own. Open vSwitch
sends it only what it asks for.
"""

import secrets
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Final

from sdnloom.network.openflow.constants import V10
from sdnloom.switches.connection import MessageConnection
from sdnloom.switches.errors import ConnectionLostError, RealSwitchError
from sdnloom.switches.fence import fence
from sdnloom.switches.reset_messages import ERROR, FLOW_MOD, FLOW_REMOVED, header, plain_hello, ports_request
from sdnloom.switches.unix_socket import connect_unix

_COOKIE_AT: Final = {V10: 48, 4: 8}  # where a FlowRemoved has its cookie
LAST_TABLE: Final = 253  # that Open vSwitch shows
_NICIRA: Final = 0x2320
_ALL: Final = 0xFFFFFFFF
_ADD, _DELETE_STRICT = 0, 4
_SEND_FLOW_REMOVED: Final = 1
_DELETED: Final = 1 << 2  # the reason of a removal, as a bit
_MORE: Final = 1


class ServiceConnection:
    """A connection to the socket that Open vSwitch has for the management of each bridge."""

    def __init__(self, path: Path, version: int, rounds: Callable[[int], None]) -> None:
        self._version = version
        self._mark = b"\x5e" + secrets.token_bytes(7)
        self._sentinel = _sentinel(version, self._mark, secrets.token_bytes(8))
        self._connection = MessageConnection(connect_unix(path))
        self._connection.send(plain_hello(version))
        rounds(2)  # a daemon that waits for a Hello looks for it only when something else wakes it
        self._connection.send(_only_removals(version))
        fence(self._connection, version)

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def removals(self) -> None:
        """Wait until all removals of entries so far were reported to the controller, those that it asked to know of.

        The switch reports a removal only after every thread has let go of the entry, in the order of deletion. So an
        entry that nothing matches is added and deleted: its report comes after those of all entries deleted before.
        """
        self._connection.send(self._sentinel)
        self._wait_for(self.is_sentinel_report)

    def is_sentinel_report(self, message: bytes) -> bool:
        """Return whether a message reports the removal of the sentinel; the controller of the bridge gets it, too."""
        at = _COOKIE_AT[self._version]
        return message[1] == FLOW_REMOVED and message[at : at + 8] == self._mark

    def fence(self) -> None:
        """Wait until what is under way in the switch is done."""
        fence(self._connection, self._version)

    def flow_stats(self) -> list[bytes]:
        """Return the messages that list the entries of all tables."""
        return self._replies(_flow_stats_request(self._version))

    def port_descriptions(self) -> list[bytes]:
        """Return the messages that describe the ports."""
        return self._replies(ports_request(self._version))

    def _replies(self, request: bytes) -> list[bytes]:
        self._connection.send(request)
        replies = [self._wait_for(lambda message: message[1] != FLOW_REMOVED)]
        statistics = 17 if self._version == V10 else 19
        while replies[-1][1] == statistics and replies[-1][11] & _MORE:
            replies.append(self._wait_for(lambda message: message[1] == statistics))
        return replies

    def _wait_for(self, wanted: Callable[[bytes], bool]) -> bytes:
        """Return the next message that is wanted."""
        while True:
            try:
                message = self._connection.next()
            except ConnectionLostError as error:
                raise type(error)(f"Open vSwitch: {error}") from None
            if message[1] == ERROR:
                kind, code = struct.unpack_from("!HH", message, 8)
                raise RealSwitchError(f"Open vSwitch refuses a question of sdnloom: error type {kind}, code {code}")
            if wanted(message):
                return message


def _only_removals(version: int) -> bytes:
    """Return the messages that ask for reports of deleted entries and for nothing else."""
    masks = struct.pack("!6I", 0, 0, 0, 0, _DELETED, 0)
    # Such a connection gets reports at all only if it wants bytes of packets; the other settings stay as they are.
    wants_bytes = header(version, 9, struct.pack("!HH", 0, 128))
    if version != V10:
        return header(version, 28, masks) + wants_bytes
    tables = header(version, 4, struct.pack("!IIB7x", _NICIRA, 15, 1))  # NXT_FLOW_MOD_TABLE_ID
    return header(version, 4, struct.pack("!II", _NICIRA, 19) + masks) + tables + wants_bytes  # NXT_SET_ASYNC_CONFIG


def _sentinel(version: int, cookie: bytes, registers: bytes) -> bytes:
    """Return two messages: add an entry, and delete it with a report of its removal.

    It matches values of two registers that no packet has, and is in a table that none reaches. So no entry of the
    controller is the same.
    """
    match = b"".join(struct.pack("!HBB4s", 1, at << 1, 4, registers[4 * at : 4 * at + 4]) for at in (0, 1))
    return b"".join(
        _flow_mod(version, cookie, match, command, flags)
        for command, flags in ((_ADD, _SEND_FLOW_REMOVED), (_DELETE_STRICT, 0))
    )


def _flow_mod(version: int, cookie: bytes, match: bytes, command: int, flags: int) -> bytes:
    if version == V10:  # NXT_FLOW_MOD: a FlowMod of 1.0 has no registers
        head = struct.pack("!II8s4H", _NICIRA, 13, cookie, LAST_TABLE << 8 | command, 0, 0, 0)
        return header(version, 4, head + struct.pack("!IHHH6x", _ALL, 0xFFFF, flags, len(match)) + match)
    head = struct.pack("!8sQBBHHHIIIH2x", cookie, 0, LAST_TABLE, command, 0, 0, 0, _ALL, _ALL, _ALL, flags)
    fields = struct.pack("!HH", 1, 4 + len(match)) + match
    return header(version, FLOW_MOD, head + fields + bytes(-len(fields) % 8))


def _flow_stats_request(version: int) -> bytes:
    all_tables, flows = 0xFF, 1
    if version == V10:
        match = struct.pack("!I36x", 0x3FFFFF)
        return header(version, 16, struct.pack("!HH", flows, 0) + match + struct.pack("!BxH", all_tables, 0xFFFF))
    body = struct.pack("!B3xII4xQQHH4x", all_tables, _ALL, _ALL, 0, 0, 1, 4)
    return header(version, 18, struct.pack("!HH4x", flows, 0) + body)
