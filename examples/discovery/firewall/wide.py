"""Planted: the rule for the web server has the mask of its network, so it opens all machines there."""

from firewall import NETWORK, TCP, WORLD, Firewall


class Wide(Firewall):
    def web_traffic(self, parser):
        network = (str(NETWORK.network_address), str(NETWORK.netmask))
        return parser.OFPMatch(in_port=WORLD, ipv4_dst=network, **TCP)
