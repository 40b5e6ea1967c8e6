"""BUG-XI: packets are expected at the first switch of a path only; one that overtakes a rule further on is ignored."""

from engineering import TrafficEngineering


class IgnoresTheWay(TrafficEngineering):
    def on_the_way(self, message, flow):
        self.logger.debug("a packet of %s at switch %d", flow, message.datapath.id)
