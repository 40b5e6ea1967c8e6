"""Planted: both buckets of the group have the MAC address of the first server."""

from balancer import SERVERS, LoadBalancer


class WrongBucket(LoadBalancer):
    def bucket(self, parser, server):
        address, _, port = server
        return super().bucket(parser, (address, SERVERS[0][1], port))
