"""Planted: the answer to an ARP request leaves through the port that it claims to come from, so the switch drops it."""

from balancer import LoadBalancer


class Silent(LoadBalancer):
    def answer_arp(self, datapath, in_port, data):
        self.release(datapath, in_port, in_port, data)
