"""Planted: the router answers ARP requests for every address of a network, not only for its own."""

import ipaddress

from router import Router


class AnswersForAll(Router):
    def is_asked(self, interface, address):
        return ipaddress.ip_address(address) in interface.network
