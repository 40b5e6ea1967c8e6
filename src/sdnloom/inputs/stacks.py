"""Frames by protocol stack: which headers follow each other, and where in the bytes each named field lies.

Every stack is one concrete frame, the template, and the places of its fields. Lengths and types of the headers inside
are fields too, so that a test of a parser can vary them; exploring a handler leaves them as the template has them.
"""

from dataclasses import dataclass, replace
from enum import Enum
from functools import cache

from sdnloom.errors import SdnloomError
from sdnloom.network.bitstruct import BitStruct
from sdnloom.network.packet import (
    LAYOUTS,
    Arp,
    Ethernet,
    Header,
    Icmp,
    Icmpv6,
    IPv4,
    IPv6,
    Lldp,
    Packet,
    Tcp,
    Udp,
    Vlan,
    decode,
    encode,
    stack,
)


class StackError(SdnloomError):
    """A stack or a field that is not known. The message names what there is."""


class FieldFormat(Enum):
    """How the values of a field are written."""

    MAC = "a MAC address"
    IP4 = "an IPv4 address"
    IP6 = "an IPv6 address"
    HEX = "a hexadecimal number"
    NUMBER = "a number"


@dataclass(frozen=True)
class StackField:
    """A named field: bits from the start of the frame, and how many.

    A `shaping` field says how the rest is to be read; a `computed` one is a checksum over other fields.
    """

    name: str
    offset: int
    bits: int
    kind: FieldFormat
    shaping: bool = False
    computed: bool = False

    @property
    def most(self) -> int:
        """The largest value."""
        return (1 << self.bits) - 1

    def read(self, frame: bytes) -> int:
        """The value of the field in a frame that is long enough."""
        return int.from_bytes(frame, "big") >> (8 * len(frame) - self.offset - self.bits) & self.most


@dataclass(frozen=True)
class Stack:
    """A protocol stack: its name, a frame, and the fields of that frame in wire order."""

    name: str
    template: bytes
    fields: tuple[StackField, ...]

    def field(self, name: str) -> StackField:
        """The field of that name."""
        for each in self.fields:
            if each.name == name:
                return each
        raise StackError(
            f"{name!r} is no field of the stack {self.name}; expected one of {', '.join(f.name for f in self.fields)}"
        )

    def filled(self, values: dict[str, int]) -> bytes:
        """The template with these values in their fields. Checksums that are not among them are made right."""
        size = 8 * len(self.template)
        number = int.from_bytes(self.template, "big")
        for name, value in values.items():
            each = self.field(name)
            if not 0 <= value <= each.most:
                raise StackError(f"{name} = {value:#x}; expected a number from 0 to {each.most:#x}")
            shift = size - each.offset - each.bits
            number = number & ~(each.most << shift) | value << shift
        frame = number.to_bytes(len(self.template), "big")
        given = {each.name for each in self.fields if each.computed and each.name in values}
        return frame if given == {each.name for each in self.fields if each.computed} else _summed(frame, given)


def _summed(frame: bytes, given: set[str]) -> bytes:
    """The frame with every checksum recomputed whose name is not given."""
    packet = decode(frame)
    headers = [
        replace(header, checksum=None)  # type: ignore[call-arg]
        if hasattr(header, "checksum") and f"{_NAMES[type(header)]}.checksum" not in given
        else header
        for header in packet.headers
    ]
    return encode(Packet(tuple(headers), packet.payload, packet.trailer))


_NAMES: dict[type[Header], str] = {
    Ethernet: "eth",
    Vlan: "vlan",
    Arp: "arp",
    IPv4: "ipv4",
    IPv6: "ipv6",
    Icmp: "icmp",
    Icmpv6: "icmpv6",
    Tcp: "tcp",
    Udp: "udp",
}
_RENAMED = {f"{one}.{end}": f"{one}.{end}_port" for one in ("tcp", "udp") for end in ("src", "dst")}
_SHAPING = ("version", "words", "length", "shape", "proto", "type")
_KINDS = {
    ("eth", "dst"): FieldFormat.MAC,
    ("eth", "src"): FieldFormat.MAC,
    ("arp", "sha"): FieldFormat.MAC,
    ("arp", "tha"): FieldFormat.MAC,
    ("arp", "spa"): FieldFormat.IP4,
    ("arp", "tpa"): FieldFormat.IP4,
    ("ipv4", "src"): FieldFormat.IP4,
    ("ipv4", "dst"): FieldFormat.IP4,
    ("ipv6", "src"): FieldFormat.IP6,
    ("ipv6", "dst"): FieldFormat.IP6,
    ("eth", "type"): FieldFormat.HEX,
    ("vlan", "type"): FieldFormat.HEX,
    ("arp", "shape"): FieldFormat.HEX,
    ("tcp", "flags"): FieldFormat.HEX,
    ("icmp", "rest"): FieldFormat.HEX,
    ("bpdu", "flags"): FieldFormat.HEX,
    ("bpdu", "root_mac_address"): FieldFormat.MAC,
    ("bpdu", "bridge_mac_address"): FieldFormat.MAC,
}

# IEEE 802.1D, 9.3.1: a configuration message. Priorities count in steps of 4096 and 16, as their bits do.
_BPDU = BitStruct(
    "bpdu",
    "protocol:16 version:8 type:8 flags:8 root_priority:4 root_system_id_extension:12 root_mac_address:48 "
    "root_path_cost:32 bridge_priority:4 bridge_system_id_extension:12 bridge_mac_address:48 port_priority:4 "
    "port_number:12 message_age:16 max_age:16 hello_time:16 forward_delay:16",
)
_LLC = BitStruct("llc", "dsap:8 ssap:8 control:8")
_BPDU_DEFAULTS = {
    **dict.fromkeys(_BPDU.slots, 0),
    "root_priority": 8,
    "bridge_priority": 8,
    "port_priority": 8,
    "max_age": 20 << 8,
    "hello_time": 2 << 8,
    "forward_delay": 15 << 8,
}
BRIDGES = 0x0180_C200_0000  # the group address of bridges, to which configuration messages go
LLDP_GROUP = 0x0180_C200_000E
FREE_TYPE = 0x88B5  # an Ethernet type for experiments: nothing inside has a meaning
FREE_PROTO = 253  # the same for IP
_ECHO, _ECHO6 = 8, 128
_LLDP = Lldp(((1, b"\x07sdnloom"), (2, b"\x02" + b"1"), (3, b"\x00\x78")))

_TRANSPORTS: dict[str, Header] = {
    "ipv4/icmp": Icmp(_ECHO),
    "ipv4/tcp": Tcp(1024, 80),
    "ipv4/udp": Udp(1024, 53),
    "ipv6/icmpv6": Icmpv6(_ECHO6),
    "ipv6/tcp": Tcp(1024, 80),
    "ipv6/udp": Udp(1024, 53),
}
PLAIN = ("ethernet", "lldp", "bpdu", "arp", "ipv4", "ipv6", *_TRANSPORTS)
STACKS = (*PLAIN, *(f"vlan/{name}" for name in PLAIN if name not in ("lldp", "bpdu")))


@cache
def stack_of(name: str, payload: int = 0) -> Stack:
    """The stack of that name, with so many bytes of payload, each a field."""
    if name not in STACKS:
        raise StackError(f"{name!r} is no protocol stack; expected one of {', '.join(STACKS)}")
    plain = name.removeprefix("vlan/")
    outer: list[Header] = [Ethernet(0, 0, FREE_TYPE)]
    if plain != name:
        outer = [Ethernet(0, 0), Vlan(1, type=FREE_TYPE)]
    if plain == "bpdu":
        return _bpdu()
    if plain == "lldp":
        return _of(name, stack(Ethernet(LLDP_GROUP, 0), _LLDP))
    return _of(name, stack(*outer, *_inner(plain), payload=bytes(payload)))


def _inner(plain: str) -> list[Header]:
    if plain == "ethernet":
        return []
    if plain == "arp":
        return [Arp(1, 0, 0, 0, 0)]
    network = IPv4(0, 0, FREE_PROTO) if plain.startswith("ipv4") else IPv6(0, 0, FREE_PROTO)
    return [network, *([_TRANSPORTS[plain]] if plain in _TRANSPORTS else [])]


def _of(name: str, packet: Packet) -> Stack:
    fields: list[StackField] = []
    at = 0
    for number, header in enumerate(packet.headers):
        layout = LAYOUTS.get(type(header))
        if layout is None:
            break  # LLDP: lists of values, none with a place of its own
        last = number == len(packet.headers) - 1
        fields += _fields(_NAMES[type(header)], layout, at, last)
        at += 8 * layout.size
    fields += [
        StackField(f"payload.{place}", at + 8 * place, 8, FieldFormat.HEX, shaping=True)
        for place in range(len(packet.payload))
    ]
    return Stack(name, encode(packet), tuple(fields))


def _fields(prefix: str, layout: BitStruct, at: int, last: bool) -> list[StackField]:
    found = []
    for slot in layout.slots.values():
        name = f"{prefix}.{slot.name}"
        # What follows the last header is opaque, so its type says nothing about how to read the frame.
        free = last and slot.name in ("type", "proto")
        shaping = slot.name in _SHAPING and not free and prefix not in ("icmp", "icmpv6")
        kind = _KINDS.get((prefix, slot.name), FieldFormat.NUMBER)
        found.append(
            StackField(_RENAMED.get(name, name), at + slot.offset, slot.bits, kind, shaping, slot.name == "checksum")
        )
    return found


def _bpdu() -> Stack:
    llc = _LLC.pack({"dsap": 0x42, "ssap": 0x42, "control": 3})
    content = llc + _BPDU.pack(_BPDU_DEFAULTS)
    frame = encode(Packet((Ethernet(BRIDGES, 0, len(content)),))) + content
    at = 8 * LAYOUTS[Ethernet].size
    eth = [replace(each, shaping=each.name == "eth.type") for each in _fields("eth", LAYOUTS[Ethernet], 0, False)]
    inside = [replace(each, shaping=True) for each in _fields("llc", _LLC, at, False)]
    body = _fields("bpdu", _BPDU, at + 8 * _LLC.size, True)
    shaping = ("bpdu.protocol", "bpdu.version", "bpdu.type")
    body = [replace(each, shaping=each.name in shaping) for each in body]
    return Stack("bpdu", frame, (*eth, *inside, *body))
