"""Fences on an OpenFlow connection to Open vSwitch: messages that tell when it has dealt with all before them."""

import secrets
from typing import Final

from sdnloom.switches.connection import MessageConnection
from sdnloom.switches.errors import ConnectionLostError
from sdnloom.switches.reset_messages import ECHO_REPLY, ECHO_REQUEST, header

_ROUND: Final = 50  # messages that the daemon takes before it looks after other things


def fence(connection: MessageConnection, version: int, requests: int = _ROUND + 1) -> list[bytes]:
    """Return what arrives before the answer to the last of many echo requests.

    The daemon takes at most 50 messages in one round of its main loop, and what a message makes it do later it does at
    the start of the next round: the 51st request is answered after all that was under way before the first. The
    requests carry random bytes, so that no answer to somebody else's echo request is taken for one of these.
    """
    token = secrets.token_bytes(8)
    last = header(version, ECHO_REPLY, token + b"\1")
    body = header(version, ECHO_REQUEST, token + b"\0")
    connection.send(body * (requests - 1) + header(version, ECHO_REQUEST, token + b"\1"))
    arrived: list[bytes] = []
    while (message := next_message(connection, arrived)) != last:
        if message[1] != ECHO_REPLY or message[8:16] != token:
            arrived.append(message)
    return arrived


def next_message(connection: MessageConnection, arrived: list[bytes]) -> bytes:
    """Return the next message; a connection that is lost takes along what arrived."""
    try:
        return connection.next()
    except ConnectionLostError as error:
        raise type(error)(f"Open vSwitch: {error}", arrived) from None
