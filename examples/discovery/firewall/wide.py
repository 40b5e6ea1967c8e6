"""Planted: a rule for secure shell to the web server has the mask of its network, so it opens all machines there."""

from firewall import ALLOW, NETWORK, TCP, WORLD, Firewall


class Wide(Firewall):
    def configure_filter(self, datapath):
        super().configure_filter(datapath)
        network = (str(NETWORK.network_address), str(NETWORK.netmask))
        match = datapath.ofproto_parser.OFPMatch(in_port=WORLD, ipv4_dst=network, tcp_dst=22, **TCP)
        self.admit(datapath, ALLOW, match)
