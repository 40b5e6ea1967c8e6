"""The match of OpenFlow 1.3: a list of fields on the wire, value and mask in a layout of all known fields.

Which fields a match has is known without a branch on symbolic values, because their headers are concrete. Whether a
field has what it depends on is one branch for each field. The key of a frame has the same layout.
"""

from dataclasses import dataclass

from sdnloom.crosscheck.agents.compact.arithmetic import any_equal_bit, equal_bit, nonzero_bit
from sdnloom.crosscheck.agents.compact.frame import ARP_TYPE, ICMP_PROTOCOL, IP_TYPE, CompactFrame
from sdnloom.crosscheck.agents.compact.masked_match import MaskedMatch
from sdnloom.crosscheck.agents.compact.openflow13.numbers import OXM_BASIC, Errors13
from sdnloom.crosscheck.agents.compact.wire import Refusal, number_at, octets_of

_IPV6_TYPE = 0x86DD
PRESENT = 0x1000  # the bit of a VLAN id that says that there is a tag


@dataclass(frozen=True)
class MatchField13:
    """A field: octets on the wire, bits that a value may have, whether it takes a mask, and the fact that it needs."""

    octets: int
    bits: int
    maskable: bool = False
    need: str | None = None


# Number of a field -> the field. Their order is that of the layout.
FIELDS13 = {
    0: MatchField13(4, 32),  # in_port
    2: MatchField13(8, 64, True),  # metadata
    3: MatchField13(6, 48, True),  # eth_dst
    4: MatchField13(6, 48, True),  # eth_src
    5: MatchField13(2, 16),  # eth_type
    6: MatchField13(2, 13, True),  # vlan_vid
    7: MatchField13(1, 3, need="tag"),  # vlan_pcp
    8: MatchField13(1, 6, need="ip"),  # ip_dscp
    9: MatchField13(1, 2, need="ip"),  # ip_ecn
    10: MatchField13(1, 8, need="ip"),  # ip_proto
    11: MatchField13(4, 32, True, "ipv4"),  # ipv4_src
    12: MatchField13(4, 32, True, "ipv4"),  # ipv4_dst
    13: MatchField13(2, 16, need="tcp"),  # tcp_src
    14: MatchField13(2, 16, need="tcp"),  # tcp_dst
    15: MatchField13(2, 16, need="udp"),  # udp_src
    16: MatchField13(2, 16, need="udp"),  # udp_dst
    19: MatchField13(1, 8, need="icmp"),  # icmpv4_type
    20: MatchField13(1, 8, need="icmp"),  # icmpv4_code
    21: MatchField13(2, 16, need="arp"),  # arp_op
    22: MatchField13(4, 32, True, "arp"),  # arp_spa
    23: MatchField13(4, 32, True, "arp"),  # arp_tpa
    24: MatchField13(6, 48, True, "arp"),  # arp_sha
    25: MatchField13(6, 48, True, "arp"),  # arp_tha
}
_OCTETS = sum(field.octets for field in FIELDS13.values())


class CompactMatch13(MaskedMatch):
    """A match. `facts` are bits about all packets that it matches: what they are, and whether they have a tag."""

    bits = 8 * _OCTETS
    no_wildcards = 0

    def __init__(self, data: bytes) -> None:
        kind, size = number_at(data, 0, 2), number_at(data, 2, 2)
        if kind != 1:
            raise Refusal(Errors13.MATCH_TYPE)
        self.size = (size + 7) // 8 * 8  # with its padding
        if size < 4 or self.size > len(data):
            raise Refusal(Errors13.MATCH_LENGTH)
        self.wire = data[: self.size]
        self.in_port, self.has_in_port = 0, 0
        self.facts = dict.fromkeys(("tag", "ip", "ipv4", "arp", "tcp", "udp", "icmp"), 0)
        found: dict[int, tuple[int, int]] = {}
        rest = data[4:size]
        while rest:
            number, value, mask, rest = _read_field(rest)
            if number in found:
                raise Refusal(Errors13.MATCH_TWICE)
            need = FIELDS13[number].need
            if need is not None and self.facts[need] == 0:
                raise Refusal(Errors13.MATCH_NEED)
            found[number] = value, mask
            self._note(number, value, mask)
        self.is_empty = not found
        values = [octets_of(found.get(number, (0, 0))[0], field.octets) for number, field in FIELDS13.items()]
        masks = [octets_of(found.get(number, (0, 0))[1], field.octets) for number, field in FIELDS13.items()]
        self.mask = number_at(b"".join(masks), 0, _OCTETS)
        self.value = number_at(b"".join(values), 0, _OCTETS) & self.mask

    def _note(self, number: int, value: int, mask: int) -> None:
        facts = self.facts
        if number == 0:
            self.in_port, self.has_in_port = value, 1
        elif number == 5:
            facts["ipv4"], facts["arp"] = equal_bit(value, IP_TYPE, 16), equal_bit(value, ARP_TYPE, 16)
            facts["ip"] = any_equal_bit(value, (IP_TYPE, _IPV6_TYPE), 16)
        elif number == 6:
            facts["tag"] = value >> 12 & mask >> 12 & 1
        elif number == 10:
            facts["tcp"], facts["udp"] = equal_bit(value, 6, 8), equal_bit(value, 17, 8)
            facts["icmp"] = equal_bit(value, 1, 8)


def _read_field(data: bytes) -> tuple[int, int, int, bytes]:
    """Return number, value and mask of the first field, and the octets after it."""
    if len(data) < 4:
        raise Refusal(Errors13.MATCH_LENGTH)
    number, masked, size = data[2] >> 1, data[2] & 1, data[3]
    if size > len(data) - 4:
        raise Refusal(Errors13.MATCH_LENGTH)
    if number_at(data, 0, 2) != OXM_BASIC or number not in FIELDS13:
        raise Refusal(Errors13.MATCH_FIELD)
    field = FIELDS13[number]
    if size != field.octets << masked:
        raise Refusal(Errors13.MATCH_LENGTH)
    value, full = number_at(data, 4, field.octets), (1 << field.bits) - 1
    mask = number_at(data, 4 + field.octets, field.octets) if masked else full
    width = 8 * field.octets
    if nonzero_bit(value & (mask ^ (1 << width) - 1), width) if masked else 0:
        raise Refusal(Errors13.MATCH_WILDCARDS)
    if value > full:
        raise Refusal(Errors13.MATCH_VALUE)
    mask = mask & full
    if masked and not field.maskable and mask not in (0, full):
        raise Refusal(Errors13.MATCH_MASK)
    if number == 6 and value != 0 and value & PRESENT == 0:
        raise Refusal(Errors13.MATCH_VALUE)
    return number, value, mask, data[4 + size :]


def frame_key13(frame: CompactFrame, in_port: int) -> tuple[int, int]:
    """Return the fields of a frame in the layout of a match, as one number, and the bits of those that it lacks."""
    fields = _frame_fields(frame, in_port)
    values = [fields.get(number, bytes(field.octets)) for number, field in FIELDS13.items()]
    lacks = [bytes(field.octets) if number in fields else b"\xff" * field.octets for number, field in FIELDS13.items()]
    return number_at(b"".join(values), 0, _OCTETS), number_at(b"".join(lacks), 0, _OCTETS)


def _frame_fields(frame: CompactFrame, in_port: int) -> dict[int, bytes]:
    data, at, start = frame.data, frame.network, frame.transport
    found = {0: octets_of(in_port, 4), 2: bytes(8), 6: bytes(2)}
    if len(data) < 14:
        return found
    found |= {3: data[:6], 4: data[6:12], 5: octets_of(frame.type, 2)}
    if frame.tag is not None:
        found[6] = octets_of(number_at(data, frame.tag, 2) & 0xFFF | PRESENT, 2)
        found[7] = bytes((data[frame.tag] >> 5,))
    if at is not None and frame.type == ARP_TYPE:
        found |= {21: data[at + 6 : at + 8], 22: data[at + 14 : at + 18], 23: data[at + 24 : at + 28]}
        found |= {24: data[at + 8 : at + 14], 25: data[at + 18 : at + 24]}
    elif at is not None:
        found |= {8: bytes((data[at + 1] >> 2,)), 9: bytes((data[at + 1] & 3,)), 10: bytes((frame.protocol,))}
        found |= {11: data[at + 12 : at + 16], 12: data[at + 16 : at + 20]}
    if start is not None:
        if frame.protocol == ICMP_PROTOCOL:
            found |= {19: data[start : start + 1], 20: data[start + 1 : start + 2]}
        else:
            first = 13 if frame.protocol == 6 else 15
            found |= {first: data[start : start + 2], first + 1: data[start + 2 : start + 4]}
    return found
