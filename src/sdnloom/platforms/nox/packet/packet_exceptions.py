"""`nox.lib.packet.packet_exceptions`: exceptions of the packet library."""

__all__ = ["IncompletePacket"]


class IncompletePacket(Exception):
    """A frame too short for its first header."""
