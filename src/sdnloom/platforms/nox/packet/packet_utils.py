"""`nox.lib.packet.packet_utils`: addresses and protocol numbers as text and back, and the internet checksum."""

import struct
from typing import Any

from sdnloom.network.packet.checksum import checksum as complement
from sdnloom.network.value import ip4_text
from sdnloom.platforms.nox.octets import array, octet_array, octets

__all__ = [
    "array_to_ipstr",
    "array_to_octstr",
    "checksum",
    "ethtype_to_str",
    "ip_to_str",
    "ipproto_to_str",
    "ipstr_to_int",
    "longlong_to_octstr",
    "mac_to_int",
    "mac_to_oui",
    "mac_to_str",
    "octstr_to_array",
]

_ETHERTYPES = {0x0800: "IP", 0x0806: "ARP", 0x8035: "RARP", 0x8100: "VLAN", 0x88CC: "LLDP"}
_PROTOCOLS = {
    0: "IP",
    1: "ICMP",
    2: "IGMP",
    4: "IPIP",
    6: "TCP",
    9: "IGRP",
    17: "UDP",
    47: "GRE",
    89: "OSPF",
}


def checksum(data: Any, start: int, skip_word: int = 0) -> int:
    """Return the internet checksum of bytes on top of a sum; the word of that number (0: none) counts as zero."""
    content = bytes(data) + b"\0" * (len(data) % 2)
    words = struct.unpack(f"!{len(content) // 2}H", content)
    return complement(start + sum(word for place, word in enumerate(words) if not skip_word or place != skip_word))


def ip_to_str(a: int) -> str:
    """Return an IP address as text."""
    return ip4_text(a & 0xFFFFFFFF)


def ipstr_to_int(a: str) -> int:
    """Return an IP address as a number."""
    first, second, third, fourth = (int(each) for each in a.split(".")[:4])
    return first << 24 | second << 16 | third << 8 | fourth


def array_to_ipstr(a: Any) -> str:
    """Return four numbers as an IP address."""
    return f"{a[0]}.{a[1]}.{a[2]}.{a[3]}"


def octstr_to_array(ocstr: str) -> array:
    """Return hexadecimal bytes with colons between them as an array."""
    return octet_array([int(each, 16) for each in ocstr.split(":")])


def array_to_octstr(arr: Any) -> str:
    """Return numbers as hexadecimal bytes with colons between them."""
    return ":".join(f"{each:02x}" for each in arr)


def longlong_to_octstr(ll: int) -> str:
    """Return a number as eight hexadecimal bytes with colons between them."""
    return array_to_octstr(struct.pack("!Q", ll))


def mac_to_oui(a: Any) -> str:
    """Return the name of a vendor: none, because there is no list of vendors here."""
    return ""


def mac_to_str(a: Any, resolve_name: bool = False) -> str:
    """Return an Ethernet address (bytes, array or number) as text; vendors' names are not known here."""
    return array_to_octstr(bytes(struct.pack("!Q", a)[2:] if isinstance(a, int) else octets(a)))


def mac_to_int(mac: Any) -> int:
    """Return an Ethernet address as a number."""
    value = 0
    for byte in struct.unpack("6B", octets(mac)):
        value = value << 8 | byte
    return value


def ethtype_to_str(t: int) -> str:
    """Return the name of an Ethernet type."""
    return "llc" if t < 0x0600 else _ETHERTYPES.get(t, f"{t:x}")


def ipproto_to_str(t: int) -> str:
    """Return the name of an IP protocol."""
    return _PROTOCOLS.get(t, f"{t:x}")
