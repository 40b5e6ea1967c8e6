"""Packets of a test file: `packet = "tcp"` with fields by the names of the headers' layouts, such as `tcp.dst = 80`.

Fields that are not given are those of the standard packet, from 10.0.0.1 to 10.0.0.2. Checksums and lengths are
computed for the defaults of symbolic fields.
"""

from dataclasses import replace
from typing import Any, Final

from sdnloom.crosscheck.switch_test import Variable
from sdnloom.crosscheck.template.octets import Hole, SymbolicOctets
from sdnloom.crosscheck.template.values import Inputs, read_octets_text, read_value
from sdnloom.network.packet import LAYOUTS, Arp, Ethernet, Icmp, IPv4, Packet, Tcp, TcpFlag, Udp, Vlan, encode, stack
from sdnloom.network.packet.headers import Header
from sdnloom.scenario_file.table import Table

MOST_PAYLOAD: Final = 1500
MAC_1, MAC_2 = 0x000000000001, 0x000000000002
IP_1, IP_2 = 0x0A000001, 0x0A000002

_ETHERNET: Final = Ethernet(MAC_2, MAC_1, 0x88B5)  # a type for local experiments
_IPV4: Final = IPv4(IP_1, IP_2)
PACKET_KINDS: Final[dict[str, tuple[Header, ...]]] = {
    "ethernet": (_ETHERNET,),
    "arp": (_ETHERNET, Arp(1, MAC_1, IP_1, 0, IP_2)),
    "ipv4": (_ETHERNET, replace(_IPV4, proto=253)),  # a protocol for experiments
    "icmp": (_ETHERNET, _IPV4, Icmp(8)),
    "tcp": (_ETHERNET, _IPV4, Tcp(1024, 80, flags=int(TcpFlag.SYN))),
    "udp": (_ETHERNET, _IPV4, Udp(1024, 80)),
}
_NAMES: Final[dict[type[Header], str]] = {kind: layout.name for kind, layout in LAYOUTS.items()}
_COMPUTED: Final = ("shape", "version", "words", "length", "checksum")


def read_packet_octets(table: Table, inputs: Inputs, outer: str = "") -> SymbolicOctets:
    """Return the frame of a table; `outer` is the path of the frame in a message that carries it."""
    kind = table.choice("packet", PACKET_KINDS)
    headers: list[Any] = list(PACKET_KINDS[kind])
    if "vlan" in table:
        headers.insert(1, Vlan(1))
    linked: list[Any] = list(stack(*headers).headers)
    holes: list[Hole] = []
    at = 0
    for number, header in enumerate(linked):
        linked[number], found = _header(table, header, inputs, outer, at)
        holes += found
        at += 8 * LAYOUTS[type(header)].size
    payload = table.get("payload", "a text of hexadecimal digits", lambda value: isinstance(value, str), "")
    frame = encode(Packet(tuple(linked), read_octets_text(table, "payload", payload, MOST_PAYLOAD)))
    return SymbolicOctets(frame, tuple(holes))


def _header(table: Table, header: Any, inputs: Inputs, outer: str, at: int) -> tuple[Header, list[Hole]]:
    name, layout = _NAMES[type(header)], LAYOUTS[type(header)]
    inner = table.table(name)
    values: dict[str, int] = {}
    holes = []
    for slot in layout.slots.values():
        if slot.name in _COMPUTED:
            continue
        path = f"{outer}{name}.{slot.name}"
        value = read_value(inner, slot.name, path, slot.bits, int(getattr(header, slot.name)), inputs)
        if isinstance(value, Variable):
            holes.append(Hole(at + slot.offset, slot.bits, value.name))
            value = value.default
        values[slot.name] = value
    inner.close()
    return replace(header, **values), holes
