"""Protocol stacks: the headers of a frame in order, and the position of each named field in its bytes.

Every stack is one concrete frame, the template, and the positions of its fields. Lengths and types of inner headers are
fields too, so that a test of a parser can vary them; exploration of a handler leaves them as the template has them.
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
    Mpls,
    Packet,
    Tcp,
    Udp,
    Vlan,
    decode,
    encode,
    stack,
)


class StackError(SdnloomError):
    """An unknown stack or field. The message names the known ones."""


class FieldFormat(Enum):
    """Notation of a field's values."""

    MAC = "a MAC address"
    IP4 = "an IPv4 address"
    IP6 = "an IPv6 address"
    HEX = "a hexadecimal number"
    NUMBER = "a number"


@dataclass(frozen=True)
class StackField:
    """A named field: its offset from the start of the frame and its size, in bits.

    A `structural` field, such as a length or a type, determines how the rest of the frame is parsed; a `computed` one
    is a checksum over other fields. `most` is the largest value, if that is less than its bits allow.
    """

    name: str
    offset: int
    bits: int
    kind: FieldFormat
    structural: bool = False
    computed: bool = False
    most: int | None = None

    @property
    def max_value(self) -> int:
        """The largest value."""
        return (1 << self.bits) - 1 if self.most is None else self.most

    def read(self, frame: bytes) -> int:
        """Return the value of the field in a frame, which must be long enough."""
        return int.from_bytes(frame, "big") >> (8 * len(frame) - self.offset - self.bits) & (1 << self.bits) - 1


@dataclass(frozen=True)
class Stack:
    """A protocol stack: its name, a template frame, and the fields of that frame in wire order."""

    name: str
    template: bytes
    fields: tuple[StackField, ...]

    def field(self, name: str) -> StackField:
        """Return the field of that name."""
        for each in self.fields:
            if each.name == name:
                return each
        raise StackError(
            f"{name!r} is no field of the stack {self.name}; expected one of {', '.join(f.name for f in self.fields)}"
        )

    def fill(self, values: dict[str, int]) -> bytes:
        """Return the template with these values in their fields; checksums without a value are computed."""
        size = 8 * len(self.template)
        number = int.from_bytes(self.template, "big")
        for name, value in values.items():
            each = self.field(name)
            if not 0 <= value <= each.max_value:
                raise StackError(f"{name} = {value:#x}; expected a number from 0 to {each.max_value:#x}")
            shift = size - each.offset - each.bits
            number = number & ~((1 << each.bits) - 1 << shift) | value << shift
        frame = number.to_bytes(len(self.template), "big")
        given = {each.name for each in self.fields if each.computed and each.name in values}
        return frame if given == {each.name for each in self.fields if each.computed} else _with_checksums(frame, given)


def _with_checksums(frame: bytes, given: set[str]) -> bytes:
    """Return the frame with every checksum recomputed whose name is not given."""
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
    Mpls: "mpls",
    Arp: "arp",
    IPv4: "ipv4",
    IPv6: "ipv6",
    Icmp: "icmp",
    Icmpv6: "icmpv6",
    Tcp: "tcp",
    Udp: "udp",
}
_RENAMED = {f"{proto}.{end}": f"{proto}.{end}_port" for proto in ("tcp", "udp") for end in ("src", "dst")}
_STRUCTURAL = ("version", "words", "length", "shape", "proto", "type", "bos")
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

# IEEE 802.1D, 9.3.1: a configuration message. Priorities count in steps of 4096 (bridges) and 16 (ports).
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
BRIDGE_GROUP = 0x0180_C200_0000  # the group address of bridges, the destination of configuration messages
LLDP_GROUP = 0x0180_C200_000E
EXPERIMENTAL_TYPE = 0x88B5  # an Ethernet type for experiments; its payload is opaque
FIRST_LABEL = 16  # labels below are reserved (RFC 3032)
EXPERIMENTAL_PROTO = 253  # an IP protocol for experiments
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
UNTAGGED = ("ethernet", "lldp", "bpdu", "arp", "ipv4", "ipv6", *_TRANSPORTS)
STACKS = (
    *UNTAGGED,
    *(f"vlan/{name}" for name in UNTAGGED if name not in ("lldp", "bpdu")),
    *(f"mpls/{name}" for name in UNTAGGED if name.startswith("ip")),
)


_TYPE_STACKS = {0x0800: "ipv4", 0x0806: "arp", 0x86DD: "ipv6", 0x88CC: "lldp", 0x8100: "vlan/ethernet"}
_PROTO_STACKS = {1: "ipv4/icmp", 6: "ipv4/tcp", 17: "ipv4/udp", 58: "ipv6/icmpv6"}


def stack_of_type(name: str, field: str, value: int) -> str | None:
    """Return the stack of packets like those of a stack, with another value of a type; None if it is that stack."""
    prefix = next((each for each in ("vlan/", "mpls/") if name.startswith(each)), "")
    if field == "eth.type":
        found = "bpdu" if value < 0x600 else _TYPE_STACKS.get(value, "ethernet")
    elif field == "vlan.type":
        found = f"vlan/{_TYPE_STACKS.get(value, 'ethernet')}"
    else:
        version = field.partition(".")[0]
        usual = _PROTO_STACKS.get(value, version)
        found = prefix + (usual if usual in (version, f"{version}/icmp", "ipv6/icmpv6") else f"{version}/{usual[5:]}")
    return found if found in STACKS and found != name else None


@cache
def stack_of(name: str, payload: int = 0) -> Stack:
    """Return the stack of that name, with this many bytes of payload, each of them a field."""
    if name not in STACKS:
        raise StackError(f"{name!r} is no protocol stack; expected one of {', '.join(STACKS)}")
    untagged = name.removeprefix("vlan/").removeprefix("mpls/")
    outer: list[Header] = [Ethernet(0, 0, EXPERIMENTAL_TYPE)]
    if untagged != name:
        outer = [Ethernet(0, 0), Vlan(1, type=EXPERIMENTAL_TYPE) if name.startswith("vlan/") else Mpls(FIRST_LABEL)]
    if untagged == "bpdu":
        return _bpdu()
    if untagged == "lldp":
        return stack_of_packet(name, stack(Ethernet(LLDP_GROUP, 0), _LLDP))
    return stack_of_packet(name, stack(*outer, *_inner_headers(untagged), payload=bytes(payload)))


def _inner_headers(untagged: str) -> list[Header]:
    if untagged == "ethernet":
        return []
    if untagged == "arp":
        return [Arp(1, 0, 0, 0, 0)]
    network = IPv4(0, 0, EXPERIMENTAL_PROTO) if untagged.startswith("ipv4") else IPv6(0, 0, EXPERIMENTAL_PROTO)
    return [network, *([_TRANSPORTS[untagged]] if untagged in _TRANSPORTS else [])]


def stack_of_packet(name: str, packet: Packet) -> Stack:
    """Return the stack of a packet's headers. Fields of a second header of a kind are numbered, as in vlan2.vid."""
    fields: list[StackField] = []
    at = 0
    kinds = [type(header) for header in packet.headers]
    for number, header in enumerate(packet.headers):
        layout = LAYOUTS.get(type(header))
        if layout is None:
            break  # LLDP: a list of values without fixed positions
        last = number == len(packet.headers) - 1
        before = kinds[:number].count(type(header))
        found = _fields(_NAMES[type(header)], layout, at, last)
        if before:
            prefix = f"{_NAMES[type(header)]}{before + 1}"
            found = [replace(each, name=f"{prefix}.{each.name.partition('.')[2]}") for each in found]
        fields += found
        at += 8 * layout.size
    fields += [
        StackField(f"payload.{index}", at + 8 * index, 8, FieldFormat.HEX, structural=True)
        for index in range(len(packet.payload))
    ]
    return Stack(name, encode(packet), tuple(fields))


def _fields(prefix: str, layout: BitStruct, at: int, last: bool) -> list[StackField]:
    found = []
    for slot in layout.slots.values():
        name = f"{prefix}.{slot.name}"
        # The last header is followed by opaque payload, so its type does not determine how the frame is parsed.
        free = last and slot.name in ("type", "proto")
        structural = slot.name in _STRUCTURAL and not free and prefix not in ("icmp", "icmpv6")
        kind = _KINDS.get((prefix, slot.name), FieldFormat.NUMBER)
        found.append(
            StackField(_RENAMED.get(name, name), at + slot.offset, slot.bits, kind, structural, slot.name == "checksum")
        )
    return found


def _bpdu() -> Stack:
    llc = _LLC.pack({"dsap": 0x42, "ssap": 0x42, "control": 3})
    content = llc + _BPDU.pack(_BPDU_DEFAULTS)
    frame = encode(Packet((Ethernet(BRIDGE_GROUP, 0, len(content)),))) + content
    at = 8 * LAYOUTS[Ethernet].size
    eth = [replace(each, structural=each.name == "eth.type") for each in _fields("eth", LAYOUTS[Ethernet], 0, False)]
    inside = [replace(each, structural=True) for each in _fields("llc", _LLC, at, False)]
    body = _fields("bpdu", _BPDU, at + 8 * _LLC.size, True)
    structural = ("bpdu.protocol", "bpdu.version", "bpdu.type")
    body = [replace(each, structural=each.name in structural) for each in body]
    return Stack("bpdu", frame, (*eth, *inside, *body))
