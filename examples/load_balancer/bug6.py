"""BUG-VI: a connection gets its rule, but the packet that asked for it stays in the switch."""

from balancer import LoadBalancer


class InstallsOnly(LoadBalancer):
    def connect(self, message, ip, segment, replica):
        self.install_connection(ip, segment, replica)
