"""The internet checksum. As 2**16 is 1 modulo 2**16 - 1, the sum of 16-bit words with carry is one remainder."""

from sdnloom.network.packet.headers import IPv4, IPv6


def checksum(number: int) -> int:
    """Return the complement of the ones' complement sum of a number's 16-bit words."""
    return 0xFFFF - (number % 0xFFFF or (0xFFFF if number else 0))


def padded_number(data: bytes) -> int:
    """Return bytes as one number, with an odd last byte padded on the right."""
    return int.from_bytes(data, "big") << (len(data) % 2 * 8)


def transport_checksum(network: IPv4 | IPv6 | None, proto: int, segment: bytes) -> int:
    """Return the checksum of a segment with the pseudo header of its network layer; its checksum field is 0."""
    number = padded_number(segment)
    if network is not None:
        number += network.src + network.dst + proto + len(segment)
    return checksum(number)
