"""Planted: the rule for the replies of a connection forgets the port that they come from, so any port may send some."""

from firewall import Firewall


class Hole(Firewall):
    def ports_of_replies(self, segment):
        return {"tcp_dst": segment.src_port}
