"""Packets and their headers as frozen values.

A field that the encoder can compute (a checksum, a length) is None if it has the computed value, and a number
otherwise. So wrong checksums and truncated packets are kept, and correct packets print short.
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
    MPLS = 0x8847
    MPLS_MULTICAST = 0x8848
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
    """Destination, source, and the type of the next header (or an 802.3 length: then the rest is payload)."""

    dst: Mac
    src: Mac
    type: Hex = 0


@dataclass(frozen=True, slots=True, repr=False)
class Vlan(Header):
    """An 802.1Q tag without its TPID, which is the `type` of the header before; `type` is that of the next header."""

    vid: int
    pcp: int = 0
    dei: int = 0
    type: Hex = 0


@dataclass(frozen=True, slots=True, repr=False)
class Mpls(Header):
    """An MPLS label. `bos` is 1 in the last label of a stack, which does not name what follows it."""

    label: int
    tc: int = 0
    bos: int = 1
    ttl: int = 64


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
    """IPv4. `flags`: DF = 2, MF = 1; `offset` counts units of 8 bytes; the content of a fragment is payload."""

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
    """Hop-by-hop, routing or destination options; `data` are the bytes after the first two (length 6 modulo 8)."""

    proto: int
    data: bytes = bytes(6)


@dataclass(frozen=True, slots=True, repr=False)
class IPv6Fragment(Header):
    """The fragment extension header; the rest is payload unless it is a whole datagram (offset 0, more 0)."""

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
    """ICMPv6; the bytes after the checksum are payload."""

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
    """UDP; a `checksum` of 0 means that the sender computed none."""

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
    """A flat sequence of headers, outermost first, then payload.

    `trailer` are the bytes after the IP datagram in the frame (Ethernet padding). The headers are flat because a match
    asks for one header, a set-field replaces one, and a packet id is in the payload whatever the headers.
    """

    headers: tuple[Header, ...] = ()
    payload: bytes = b""
    trailer: bytes = b""
