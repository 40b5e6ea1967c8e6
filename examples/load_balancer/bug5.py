"""BUG-V: packets that match no rule are ignored, and before the first policy there is no rule to match."""

from balancer import LoadBalancer


class IgnoresUnmatched(LoadBalancer):
    def tcp_in(self, message, ip, segment):
        if message.reason == self.ofp.OFPR_ACTION:
            super().tcp_in(message, ip, segment)
