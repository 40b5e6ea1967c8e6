"""Planted: answers get the MAC address of the service and keep the IP address of the server."""

from balancer import CLIENTS, SERVICE_MAC, LoadBalancer


class Unhidden(LoadBalancer):
    def to_client(self, parser):
        return [parser.OFPActionSetField(eth_src=SERVICE_MAC), parser.OFPActionOutput(CLIENTS)]
