"""Packet ids: texts at the end of the payload that tell packets apart and survive switches and app code.

Packet ids multiply the states, so hosts add them only where a property asks for them.
"""

from dataclasses import replace

from sdnloom.network.packet import Packet

_MARK = b"#"


def add_packet_id(packet: Packet, text: str) -> Packet:
    """Return the packet with an id."""
    return replace(packet, payload=packet.payload + _MARK + text.encode())


def packet_id_of(packet: Packet) -> str:
    """Return the id of a packet, or "" if it has none."""
    _, mark, text = packet.payload.rpartition(_MARK)
    return text.decode("utf-8", "replace") if mark else ""


def sender_of(text: str) -> str:
    """Return the host that gave a packet this id."""
    return text.partition(":")[0]
