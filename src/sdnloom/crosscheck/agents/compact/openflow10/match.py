"""The match of OpenFlow 1.0: value and mask in the layout of the wire, without the wildcards.

A field without what it depends on is ignored, as OpenFlow 1.0.1 says: its mask is 0. Everything here is arithmetic on
the wire's bits, so a symbolic match makes no branch.
"""

from sdnloom.crosscheck.agents.compact.arithmetic import any_equal_bit, equal_bit
from sdnloom.crosscheck.agents.compact.frame import ARP_TYPE, IP_TYPE, NO_TAG
from sdnloom.crosscheck.agents.compact.masked_match import MaskedMatch
from sdnloom.crosscheck.agents.compact.wire import number_at, octets_of

MATCH_OCTETS = 40
_BITS = 8 * (MATCH_OCTETS - 4)
_PORTED = (1, 6, 17)  # protocols with ports, or a type and a code


class CompactMatch10(MaskedMatch):
    """A match, its octets on the wire, and the bit that says that it has no wildcards."""

    bits = _BITS
    is_empty = False

    def __init__(self, wire: bytes) -> None:
        wildcards = number_at(wire, 0, 4)

        def matched(bit: int) -> int:
            return 1 - (wildcards >> bit & 1)

        vlan, kind, protocol = number_at(wire, 18, 2), number_at(wire, 22, 2), wire[25]
        is_ip = matched(4) & equal_bit(kind, IP_TYPE, 16)
        is_network = is_ip | matched(4) & equal_bit(kind, ARP_TYPE, 16)
        has_protocol = matched(5) & is_network
        has_ports = has_protocol & is_ip & any_equal_bit(protocol, _PORTED, 8)
        untagged = matched(1) & equal_bit(vlan, NO_TAG, 16)
        has_priority = matched(20) & (1 - untagged)
        ignored = (wildcards >> 8 & 63, wildcards >> 14 & 63)  # low bits of the addresses
        prefixes = [is_network * (0xFFFFFFFF << bits & 0xFFFFFFFF) for bits in ignored]
        # A priority without a VLAN id means any tag; the key of a frame without a tag has bit 15 of the id.
        vlan_mask = matched(1) * 0xFFFF | (has_priority & (1 - matched(1))) * 0x8000
        mask = (
            octets_of(matched(0) * 0xFFFF, 2)
            + octets_of(matched(2) * 0xFFFFFFFFFFFF, 6)
            + octets_of(matched(3) * 0xFFFFFFFFFFFF, 6)
            + octets_of(vlan_mask, 2)
            + bytes((has_priority * 7, 0))
            + octets_of(matched(4) * 0xFFFF, 2)
            + bytes(((matched(21) & is_ip) * 0xFC, has_protocol * 0xFF, 0, 0))
            + octets_of(prefixes[0], 4)
            + octets_of(prefixes[1], 4)
            + octets_of((matched(6) & has_ports) * 0xFFFF, 2)
            + octets_of((matched(7) & has_ports) * 0xFFFF, 2)
        )
        vlan_value = vlan & 0xFFF | untagged * 0xF000
        self.wire = wire
        self.mask = number_at(mask, 0, 36)
        self.value = number_at(wire[4:18] + octets_of(vlan_value, 2) + wire[20:40], 0, 36) & self.mask
        self.no_wildcards = has_ports & (untagged | has_priority)
        for bit in (0, 1, 2, 3, 6, 7, 21):
            self.no_wildcards = self.no_wildcards & matched(bit)
        for bits in ignored:
            self.no_wildcards = self.no_wildcards & equal_bit(bits, 0, 6)
        self.in_port = number_at(wire, 4, 2)
        self.has_in_port = matched(0)
