"""`nox.lib.packet.packet_exceptions`: what the packet library may raise."""

__all__ = ["IncompletePacket"]


class IncompletePacket(Exception):
    """A frame too short for its first header."""
