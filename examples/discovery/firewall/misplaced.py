"""Planted: the administration port is closed in the inside switch, where those who may use it pass too."""

from firewall import DENY, Firewall


class Misplaced(Firewall):
    def close_administration(self, datapath):
        """Nothing: the inside switch does it."""

    def configure_inside(self, datapath):
        super().configure_inside(datapath)
        self.deny_administration(datapath, DENY)
