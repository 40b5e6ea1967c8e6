"""Which addresses of this machine a TCP port is listened on, as Linux tells it. No connection is made for it."""

import ipaddress
from collections.abc import Sequence
from pathlib import Path
from typing import Final, TypeAlias

SOCKET_TABLES: Final = ("/proc/net/tcp", "/proc/net/tcp6")
_LISTENS: Final = "0A"  # the state of a socket that accepts connections
IpAddress: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address


def listening_addresses(port: int, tables: Sequence[str] = SOCKET_TABLES) -> tuple[IpAddress, ...]:
    """Return the addresses on which somebody listens at a port."""
    found: list[IpAddress] = []
    for table in tables:
        try:
            lines = Path(table).read_text().splitlines()[1:]
        except OSError:  # a machine without IPv6
            continue
        for line in lines:
            _, local, _, state, *_ = line.split()
            address, _, number = local.partition(":")
            if state == _LISTENS and int(number, 16) == port:
                found.append(_address(address))
    return tuple(found)


def _address(text: str) -> IpAddress:
    """Read an address: words of 32 bits, each in the order of bytes that the machine has."""
    words = [int(text[at : at + 8], 16) for at in range(0, len(text), 8)]
    packed = b"".join(word.to_bytes(4, "little") for word in words)
    if len(packed) == 4:
        return ipaddress.IPv4Address(packed)
    address = ipaddress.IPv6Address(packed)
    return address.ipv4_mapped or address


def takes_loopback(address: IpAddress) -> bool:
    """Whether who listens at an address gets connections to 127.0.0.1; "::" does unless it is told not to."""
    return address.is_unspecified or address == ipaddress.IPv4Address("127.0.0.1")
