"""Descriptions of ports in messages of Open vSwitch, as they would be if its ports were the devices of the scenario.

Its ports are dummy devices, which have no speed, and can lose their carrier only by being taken down. So what a device
decides is put into each description: name, features, speeds, and that a port without carrier is not therefore
configured to be down. The ports of a list are put in order, because Open vSwitch has them in that of a hash table.
"""

import struct
from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final

from sdnloom.network.openflow import V10, Port, PortConfig, PortDesc

# Number, address, name, config, state, and what the device can do.
_FORM: Final = {V10: struct.Struct("!H6s16sIIIIII"), 4: struct.Struct("!I4x6s2x16sIIIIIIII")}
_FEATURES_REPLY: Final = 6
_PORT_STATUS: Final = 12
_MULTIPART_REPLY: Final = 19
_PORT_DESCRIPTIONS: Final = 13
_SHORT: Final = 0xFFFF


def with_port_devices(message: bytes, ports: Mapping[int, PortDesc], without_carrier: Collection[int]) -> bytes:
    """Return a message with the descriptions of its ports corrected; other messages as they are."""
    start = _start(message)
    if start is None:
        return message
    version = message[0]
    form = _FORM[version]
    known = {number & _SHORT if version == V10 else number: port for number, port in ports.items()}
    rows = [_row(row, known, without_carrier, version) for row in form.iter_unpack(message[start:])]
    return message[:start] + b"".join(form.pack(*row) for row in sorted(rows, key=lambda row: row[0]))


def port_numbers(replies: Collection[bytes]) -> set[int]:
    """Return the numbers of the ports that replies describe, but LOCAL."""
    return {number for number, _ in _configs(replies)}


def ports_down(replies: Collection[bytes]) -> set[int]:
    """Return the numbers of the ports, but LOCAL, that replies describe as down by configuration."""
    return {number for number, config in _configs(replies) if config & PortConfig.PORT_DOWN}


def _configs(replies: Collection[bytes]) -> Iterator[tuple[int, int]]:
    for reply in replies:
        local = int(Port.LOCAL) & (_SHORT if reply[0] == V10 else -1)
        for number, _, _, config, *_ in _FORM[reply[0]].iter_unpack(reply[_start(reply) :]):
            if number != local:
                yield number, config


def _start(message: bytes) -> int | None:
    """Return where the descriptions of ports in a message begin; None if it has none."""
    version, kind = message[0], message[1]
    if version == V10 and kind == _FEATURES_REPLY:
        return 32
    if kind == _PORT_STATUS:
        return 16
    multipart = version != V10 and kind == _MULTIPART_REPLY
    return 16 if multipart and int.from_bytes(message[8:10], "big") == _PORT_DESCRIPTIONS else None


def _row(
    row: tuple[Any, ...], ports: Mapping[int, PortDesc], without_carrier: Collection[int], version: int
) -> tuple[Any, ...]:
    number, address, _, config, state, *_ = row
    port = ports.get(number)
    if port is None:
        return row
    if number in without_carrier:
        config &= ~int(PortConfig.PORT_DOWN)
    features = (port.curr, port.advertised, port.supported, port.peer)
    speeds = () if version == V10 else (port.curr_speed, port.max_speed)
    return (number, address, port.name.encode()[:15], config, state, *features, *speeds)
