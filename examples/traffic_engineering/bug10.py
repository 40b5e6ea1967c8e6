"""BUG-X: a new flow gets its path, but its first packet stays in the switch."""

from engineering import TrafficEngineering


class InstallsOnly(TrafficEngineering):
    def first_packet(self, message, flow, path):
        self.logger.debug("%s goes through %s", flow, path)
