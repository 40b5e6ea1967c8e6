"""Planted: the routes to the second and the third network have the same next hop."""

from router import NEXT_HOPS, Router


class OneHop(Router):
    def next_hop(self, port):
        return NEXT_HOPS[min(port, 2)]
