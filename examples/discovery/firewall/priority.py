"""Planted: the rule that closes the administration port is below the rule that opens the web server."""

from firewall import ALLOW, WORLD, Firewall


class LowDeny(Firewall):
    def close_administration(self, datapath):
        self.deny_administration(datapath, ALLOW - 1, in_port=WORLD)
