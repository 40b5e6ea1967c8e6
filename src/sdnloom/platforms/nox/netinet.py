"""`nox.lib.netinet.netinet`: addresses as objects. An IP address holds its number in network byte order."""

import socket
import struct
from functools import total_ordering
from typing import Any, ClassVar

from sdnloom.network.value import AddressError, ip, ip4_text, mac, mac_text
from sdnloom.platforms.nox.octets import Octets, octets

__all__ = [
    "Packet_expr",
    "c_htonl",
    "c_ntohl",
    "create_bin_eaddr",
    "create_datapathid_from_host",
    "create_eaddr",
    "create_ipaddr",
    "datapathid",
    "ethernetaddr",
    "ipaddr",
]


def c_htonl(val: int) -> int:
    """Return a number of 32 bits in network byte order."""
    return socket.htonl(val)


def c_ntohl(val: int) -> int:
    """Return a number of 32 bits in the machine's byte order."""
    return socket.ntohl(val)


@total_ordering
class _Number:
    """Base of addresses: equal and ordered by number."""

    _number: int

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and other._number == self._number

    def __lt__(self, other: Any) -> Any:
        return self._number < other._number if type(other) is type(self) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._number)

    def __str__(self) -> str:
        return self.string()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.string()!r})"

    def hb_long(self) -> int:
        """Return the number in the machine's byte order."""
        return self._number

    def string(self) -> str:
        """Return the address as text."""
        return hex(self._number)


class ethernetaddr(_Number):
    """An Ethernet address of a number, a text, or nothing (zeros)."""

    LEN = 6

    def __init__(self, value: Any = 0) -> None:
        self._number = _ethernet(value)

    @property
    def octet(self) -> Octets:
        """The six bytes."""
        return Octets(self._number.to_bytes(6, "big"))

    def binary_str(self) -> Octets:
        """Return the six bytes."""
        return self.octet

    def string(self) -> str:
        """Return it as text."""
        return mac_text(self._number)

    def nb_long(self) -> int:
        """Return the number whose bytes in this machine's memory are two zeros and the address."""
        (found,) = struct.unpack("=Q", bytes(2) + self.octet)
        return int(found)

    def is_multicast(self) -> bool:
        """Whether it is a multicast address."""
        return bool(self._number >> 40 & 1)

    def is_broadcast(self) -> bool:
        """Whether it is the broadcast address."""
        return self._number == (1 << 48) - 1

    def is_zero(self) -> bool:
        """Whether all bits are zero."""
        return self._number == 0


def _ethernet(value: Any) -> int:
    if isinstance(value, ethernetaddr):
        return value.hb_long()
    if isinstance(value, int) and 0 <= value < 1 << 64:
        return value & (1 << 48) - 1
    if isinstance(value, str):
        return mac(value)
    raise TypeError(f"{value!r} is no Ethernet address; expected a number or a text like '00:00:00:00:00:01'")


class ipaddr(_Number):
    """An IPv4 address of a number in the machine's byte order, a text, or nothing (zeros)."""

    def __init__(self, value: Any = 0) -> None:
        if isinstance(value, ipaddr):
            self._number = value._number
        elif isinstance(value, int) and 0 <= value < 1 << 32:
            self._number = value
        elif isinstance(value, str) and "." in value:
            self._number = ip(value)
        else:
            raise TypeError(f"{value!r} is no IPv4 address; expected a number or a text like '10.0.0.1'")

    @property
    def addr(self) -> int:
        """The number in network byte order."""
        return c_htonl(self._number)

    def string(self) -> str:
        """Return it as text."""
        return ip4_text(self._number)


class datapathid(_Number):
    """The datapath id of a switch."""

    def __init__(self) -> None:
        self._number = 0

    @staticmethod
    def from_host(number: int) -> "datapathid":
        """Return the datapath id of a number."""
        made = datapathid()
        made._number = number
        return made

    def as_host(self) -> int:
        """Return the number."""
        return self._number

    def string(self) -> str:
        """Return it as twelve or more hexadecimal digits."""
        return f"{self._number:012x}"


def create_datapathid_from_host(number: int) -> datapathid:
    """Return a datapath id as an object."""
    return datapathid.from_host(number)


def create_eaddr(value: Any) -> ethernetaddr | None:
    """Return the address of a number or text, or None if there is no such address."""
    try:
        return ethernetaddr(value)
    except (TypeError, AddressError):
        return None


def create_bin_eaddr(value: Any) -> ethernetaddr | None:
    """Return the address of six bytes, or None if there are more or fewer."""
    content = octets(value)
    return ethernetaddr(int.from_bytes(content, "big")) if len(content) == ethernetaddr.LEN else None


def create_ipaddr(value: Any) -> ipaddr | None:
    """Return the address of a number or text, or None if there is no such address."""
    try:
        return ipaddr(value)
    except (TypeError, AddressError):
        return None


class Packet_expr:
    """A packet match: fields that must have a value. `register_for_packet_match` makes one."""

    FIELDS: ClassVar[tuple[str, ...]] = (
        "AP_SRC",
        "AP_DST",
        "DL_VLAN",
        "DL_VLAN_PCP",
        "DL_TYPE",
        "DL_SRC",
        "DL_DST",
        "NW_SRC",
        "NW_DST",
        "NW_PROTO",
        "TP_SRC",
        "TP_DST",
        "GROUP_SRC",
        "GROUP_DST",
    )
    AP_SRC, AP_DST, DL_VLAN, DL_VLAN_PCP, DL_TYPE, DL_SRC, DL_DST = range(7)
    NW_SRC, NW_DST, NW_PROTO, TP_SRC, TP_DST, GROUP_SRC, GROUP_DST = range(7, 14)

    def __init__(self) -> None:
        self.wanted: dict[str, Any] = {}

    def set_eth_field(self, field: int, value: Any) -> None:
        """Require an Ethernet address."""
        self.wanted[self.FIELDS[field].lower()] = value.hb_long()

    def set_uint32_field(self, field: int, value: int) -> None:
        """Require a number."""
        self.wanted[self.FIELDS[field].lower()] = value
