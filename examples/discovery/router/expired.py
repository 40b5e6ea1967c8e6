"""Planted: the program does not look at the reason of a PacketIn and routes packets whose time to live is up."""

from router import Router


class NeverExpires(Router):
    def expired(self, message):
        return False
