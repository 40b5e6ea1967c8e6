"""Planted: the rule for the replies of a connection forgets its ports, so everything may come in from that address."""

from firewall import Firewall


class Hole(Firewall):
    def ports_of_replies(self, segment):
        return {}
