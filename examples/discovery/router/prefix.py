"""Planted: the priority of a route is the number of its host bits, so the shortest prefix wins."""

from router import ROUTE, Router


class ShortestPrefix(Router):
    def priority(self, interface):
        return ROUTE + 32 - interface.network.prefixlen
