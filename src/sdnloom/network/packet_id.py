"""Packet ids: texts that tell packets apart and survive switches and app code.

An id is written at the end of the payload. An ARP packet that a host sends for the first time has none: there would be
bytes after a header that has no payload, which apps do not expect. It is known by its contents.

Packet ids multiply the states, so hosts add them only where a property asks for them.
"""

from dataclasses import replace

from sdnloom.network.packet import Arp, Packet
from sdnloom.network.value import ip4_text

_MARK = b"#"
_ARP_VERBS = {1: "asks", 2: "answers"}


def add_packet_id(packet: Packet, text: str) -> Packet:
    """Return the packet with an id."""
    return replace(packet, payload=packet.payload + _MARK + text.encode())


def written_id(packet: Packet) -> str:
    """Return the id that is written in a packet, or "" if none is."""
    _, mark, text = packet.payload.rpartition(_MARK)
    return text.decode("utf-8", "replace") if mark else ""


def arp_id(packet: Packet) -> str:
    """Return the id of an ARP packet that its contents give, or "" for any other packet."""
    arp = next((header for header in packet.headers if isinstance(header, Arp)), None)
    if arp is None:
        return ""
    who, whom = ip4_text(int(arp.spa)), ip4_text(int(arp.tpa))
    return f"ARP {who} announces" if who == whom else f"ARP {who} {_ARP_VERBS.get(arp.op, 'to')} {whom}"


def arp_answer_id(packet: Packet) -> str:
    """Return the id of the answer to an ARP request, as its contents give it; "" for any other packet."""
    arp = next((header for header in packet.headers if isinstance(header, Arp)), None)
    if arp is None or arp.op != 1 or arp.spa == arp.tpa:
        return ""
    return f"ARP {ip4_text(int(arp.tpa))} {_ARP_VERBS[2]} {ip4_text(int(arp.spa))}"


def is_arp_id(text: str) -> bool:
    """Return whether an id is one that the contents of an ARP packet give. Names of hosts have no spaces."""
    return text.startswith("ARP ")


def packet_id_of(packet: Packet) -> str:
    """Return the id of a packet: the one written in it or, of an ARP packet, its contents; "" if it has none."""
    return written_id(packet) or arp_id(packet)
