"""BUG-VIII: the rule to the controller asks for 0 bytes of each packet, once a way to say "all". Now it means none."""

from balancer import LoadBalancer


class AsksForNothing(LoadBalancer):
    controller_bytes = 0

    def unreadable(self, message):
        self.logger.debug("nothing to see in a packet of %d bytes", message.total_len)
