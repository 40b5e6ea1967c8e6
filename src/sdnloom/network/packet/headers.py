"""The headers a packet is made of, as frozen values.

A field that the encoder can compute (a checksum, a length) is None when it has the computed value, and a number only
when the wire says something else; so wrong checksums and truncated packets survive, and correct ones stay short.
"""

from dataclasses import dataclass
from enum import IntEnum, IntFlag

from sdnloom.network.value import Hex, Ip4, Ip6, Mac, Value


class EtherType(IntEnum):
    """Values of `Ethernet.type` and `Vlan.type` that the decoder knows."""

    IPV4 = 0x0800
    ARP = 0x0806
    VLAN = 0x8100
    IPV6 = 0x86DD
    SERVICE_VLAN = 0x88A8
    LLDP = 0x88CC


class IpProto(IntEnum):
    """Values of `proto` that the decoder knows."""

    HOP_BY_HOP = 0
    ICMP = 1
    TCP = 6
    UDP = 17
    ROUTING = 43
    FRAGMENT = 44
    ICMPV6 = 58
    DESTINATION = 60


class TcpFlag(IntFlag):
    """Bits of `Tcp.flags`."""

    FIN = 0x01
    SYN = 0x02
    RST = 0x04
    PSH = 0x08
    ACK = 0x10
    URG = 0x20


@dataclass(frozen=True, slots=True, repr=False)
class Header(Value):
    """Base of all headers."""


@dataclass(frozen=True, slots=True, repr=False)
class Ethernet(Header):
    """Destination, source, and the type of what follows (or an 802.3 length: then the rest is opaque)."""

    dst: Mac
    src: Mac
    type: Hex = 0


@dataclass(frozen=True, slots=True, repr=False)
class Vlan(Header):
    """An 802.1Q tag without its TPID, which is the `type` of the header before; `type` is of what follows."""

    vid: int
    pcp: int = 0
    dei: int = 0
    type: Hex = 0


@dataclass(frozen=True, slots=True, repr=False)
class Arp(Header):
    """ARP for IPv4 over Ethernet."""

    op: int
    sha: Mac
    spa: Ip4
    tha: Mac
    tpa: Ip4


@dataclass(frozen=True, slots=True, repr=False)
class IPv4(Header):
    """IPv4. `flags` has DF = 2 and MF = 1, `offset` counts 8 bytes; a fragment's payload is opaque."""

    src: Ip4
    dst: Ip4
    proto: int = 0
    ttl: int = 64
    dscp: int = 0
    ecn: int = 0
    ident: int = 0
    flags: int = 0
    offset: int = 0
    options: bytes = b""
    length: int | None = None
    checksum: int | None = None


@dataclass(frozen=True, slots=True, repr=False)
class IPv6(Header):
    """IPv6 with IPv4's names: `proto` is the next header and `ttl` the hop limit."""

    src: Ip6
    dst: Ip6
    proto: int = 0
    ttl: int = 64
    dscp: int = 0
    ecn: int = 0
    label: int = 0
    length: int | None = None


@dataclass(frozen=True, slots=True, repr=False)
class IPv6Extension(Header):
    """Hop-by-hop, routing or destination options; `data` is all but the first two bytes (length 6 modulo 8)."""

    proto: int
    data: bytes = bytes(6)


@dataclass(frozen=True, slots=True, repr=False)
class IPv6Fragment(Header):
    """The fragment extension header; what follows is opaque unless it is a whole datagram (offset 0, more 0)."""

    proto: int
    offset: int = 0
    more: int = 0
    ident: int = 0
    reserved: int = 0
    unused: int = 0


@dataclass(frozen=True, slots=True, repr=False)
class Icmp(Header):
    """ICMP; `rest` is the second word (identifier << 16 | sequence number of an echo)."""

    type: int
    code: int = 0
    rest: Hex = 0
    checksum: int | None = None


@dataclass(frozen=True, slots=True, repr=False)
class Icmpv6(Header):
    """ICMPv6; all after the checksum is payload."""

    type: int
    code: int = 0
    checksum: int | None = None


@dataclass(frozen=True, slots=True, repr=False)
class Tcp(Header):
    """TCP; `flags` has all 12 bits after the data offset, `options` a multiple of 4 bytes."""

    src: int
    dst: int
    seq: int = 0
    ack: int = 0
    flags: Hex = 0
    window: int = 0
    urgent: int = 0
    options: bytes = b""
    checksum: int | None = None


@dataclass(frozen=True, slots=True, repr=False)
class Udp(Header):
    """UDP; `checksum` 0 says that the sender computed none."""

    src: int
    dst: int
    length: int | None = None
    checksum: int | None = None


@dataclass(frozen=True, slots=True, repr=False)
class Lldp(Header):
    """LLDP: (type, content) of each TLV before the end TLV, which is always written."""

    tlvs: tuple[tuple[int, bytes], ...] = ()


@dataclass(frozen=True, slots=True, repr=False)
class Packet(Value):
    """A flat stack of headers, outermost first, then opaque payload.

    `trailer` is what follows the IP datagram in the frame (Ethernet padding). Flat because matching asks "is there a
    TCP header?", set-field replaces one element, and identity is a nonce in the one payload whatever the stack.
    """

    headers: tuple[Header, ...] = ()
    payload: bytes = b""
    trailer: bytes = b""
