"""Frames: where their headers are, and how actions change them."""

from sdnloom.crosscheck.agents.compact.arithmetic import changed_checksum, equal_bit
from sdnloom.crosscheck.agents.compact.wire import number_at, octets_of

NO_TAG = 0xFFFF
NOT_A_TYPE = 0x05FF  # the type of a frame that has a length in its place
TAG_TYPES = (0x8100, 0x88A8)
IP_TYPE, ARP_TYPE = 0x0800, 0x0806
ICMP_PROTOCOL, TCP_PROTOCOL, UDP_PROTOCOL = 1, 6, 17
_CHECKSUM_AT = {TCP_PROTOCOL: 16, UDP_PROTOCOL: 6}
_LEAST_OCTETS = {ICMP_PROTOCOL: 8, TCP_PROTOCOL: 20, UDP_PROTOCOL: 8}


class CompactFrame:
    """A frame and the offsets of its headers; an offset is None if the frame lacks the header."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.tag: int | None = None
        self.network: int | None = None
        self.transport: int | None = None
        self.type = 0
        self.protocol = 0
        self.is_fragment = False
        if len(data) >= 14:
            self._find_headers()

    def _find_headers(self) -> None:
        data, at, self.type = self.data, 14, number_at(self.data, 12, 2)
        while self.type in TAG_TYPES and len(data) >= at + 4:
            if self.tag is None:
                self.tag = at
            self.type, at = number_at(data, at + 2, 2), at + 4
        if self.type == IP_TYPE:
            self._find_ip(at)
        elif self.type == ARP_TYPE:
            if len(data) >= at + 28 and data[at : at + 6] == b"\0\1\x08\0\6\4":
                self.network, self.protocol = at, data[at + 7]
        elif self.type < 0x600:
            self.type = NOT_A_TYPE

    def _find_ip(self, at: int) -> None:
        data = self.data
        if len(data) < at + 20 or data[at] >> 4 != 4:
            return
        size, length = 4 * (data[at] & 15), number_at(data, at + 2, 2)
        if size < 20 or size > length or size > len(data) - at:
            return
        self.network, self.protocol = at, data[at + 9]
        self.is_fragment = number_at(data, at + 6, 2) & 0x3FFF != 0
        end, start = min(at + length, len(data)), at + size
        if self.is_fragment:
            return
        for protocol, least in _LEAST_OCTETS.items():
            if self.protocol == protocol and end - start >= least:
                if protocol == TCP_PROTOCOL and not 20 <= 4 * (data[start + 12] >> 4) <= end - start:
                    return
                self.transport = start

    def is_ip(self) -> bool:
        """Return whether the frame has an IPv4 header."""
        return self.network is not None and self.type == IP_TYPE

    # Changes return the octets of the new frame.

    def with_octets(self, at: int, octets: bytes) -> bytes:
        """Return the frame with some octets replaced."""
        return self.data[:at] + octets + self.data[at + len(octets) :]

    def with_vlan(self, vlan: int) -> bytes:
        """Return the frame with another VLAN id in its outermost tag; a missing tag is added."""
        if self.tag is None:
            return self._with_new_tag(vlan)
        return self.with_octets(self.tag, octets_of(number_at(self.data, self.tag, 2) & 0xF000 | vlan, 2))

    def with_priority(self, priority: int) -> bytes:
        """Return the frame with another priority in its outermost tag; a missing tag is added."""
        if self.tag is None:
            return self._with_new_tag(priority << 13)
        return self.with_octets(self.tag, octets_of(number_at(self.data, self.tag, 2) & 0x1FFF | priority << 13, 2))

    def with_pushed_tag(self, ethertype: int) -> bytes:
        """Return the frame with one more tag, outside of the others, that copies the outermost one."""
        if len(self.data) < 14:
            return self.data
        word = bytes(2) if self.tag is None else octets_of(number_at(self.data, self.tag, 2) & 0xEFFF, 2)
        return self.data[:12] + octets_of(ethertype, 2) + word + self.data[12:]

    def _with_new_tag(self, word: int) -> bytes:
        if len(self.data) < 14:
            return self.data
        return self.data[:12] + octets_of(TAG_TYPES[0], 2) + octets_of(word, 2) + self.data[12:]

    def without_tag(self) -> bytes:
        """Return the frame without its outermost tag."""
        return self.data if self.tag is None else self.data[: self.tag - 2] + self.data[self.tag + 2 :]

    def with_service(self, value: int) -> bytes:
        """Return the frame with another DSCP; the two low bits of the octet stay."""
        if not self.is_ip() or self.network is None:
            return self.data
        before = number_at(self.data, self.network, 2)
        return self._with_word(self.network, before, before & 0xFF03 | value & 0xFC)

    def with_congestion(self, value: int) -> bytes:
        """Return the frame with other ECN bits."""
        if not self.is_ip() or self.network is None:
            return self.data
        before = number_at(self.data, self.network, 2)
        return self._with_word(self.network, before, before & 0xFFFC | value)

    def ttl(self) -> int:
        """Return the time to live of an IPv4 packet."""
        return self.data[(self.network or 0) + 8]

    def with_ttl(self, value: int) -> bytes:
        """Return the frame with another time to live."""
        if not self.is_ip() or self.network is None:
            return self.data
        before = number_at(self.data, self.network + 8, 2)
        return self._with_word(self.network + 8, before, before & 0xFF | value << 8)

    def with_address(self, offset: int, value: int) -> bytes:
        """Return the frame with another IPv4 address, at an offset of the IP header, and right checksums."""
        if not self.is_ip() or self.network is None:
            return self.data
        at = self.network + offset
        before = number_at(self.data, at, 4)
        changed = CompactFrame(self.with_octets(at, octets_of(value, 4)))
        changed = CompactFrame(changed._with_ip_checksum(before, value, 2))
        return changed._with_transport_checksum(before, value, 2)

    def with_transport_port(self, offset: int, value: int) -> bytes:
        """Return the frame with another TCP or UDP port, at an offset of its header, and a right checksum."""
        if self.transport is None or self.protocol == ICMP_PROTOCOL:
            return self.data
        at = self.transport + offset
        before = number_at(self.data, at, 2)
        changed = CompactFrame(self.with_octets(at, octets_of(value, 2)))
        return changed._with_transport_checksum(before, value, 1)

    def _with_word(self, at: int, before: int, after: int) -> bytes:
        return CompactFrame(self.with_octets(at, octets_of(after, 2)))._with_ip_checksum(before, after, 1)

    def _with_ip_checksum(self, before: int, after: int, words: int) -> bytes:
        at = (self.network or 0) + 10
        checksum = changed_checksum(number_at(self.data, at, 2), before, after, words)
        return self.with_octets(at, octets_of(checksum, 2))

    def _with_transport_checksum(self, before: int, after: int, words: int) -> bytes:
        if self.transport is None or self.protocol == ICMP_PROTOCOL:
            return self.data
        is_udp = self.protocol == UDP_PROTOCOL
        at = self.transport + _CHECKSUM_AT[UDP_PROTOCOL if is_udp else TCP_PROTOCOL]
        old = number_at(self.data, at, 2)
        if is_udp and old == 0:  # the sender computed none
            return self.data
        checksum = changed_checksum(old, before, after, words)
        if is_udp:  # 0 would mean that there is none
            checksum = checksum | equal_bit(checksum, 0, 16) * 0xFFFF
        return self.with_octets(at, octets_of(checksum, 2))
