"""Which packet is this? A text at the end of the opaque payload, so that it survives switches and app code.

Identity on everything multiplies the states, so hosts add it only where a property asks for it.
"""

from dataclasses import replace

from sdnloom.network.packet import Packet

_MARK = b"#"


def add_packet_id(packet: Packet, text: str) -> Packet:
    """Return the packet with an identity of its own."""
    return replace(packet, payload=packet.payload + _MARK + text.encode())


def packet_id_of(packet: Packet) -> str:
    """Return the identity of a packet, or "" when it has none."""
    _, mark, text = packet.payload.rpartition(_MARK)
    return text.decode("utf-8", "replace") if mark else ""


def sender_of(text: str) -> str:
    """Return the host that gave a packet this identity."""
    return text.partition(":")[0]
