"""BUG-XII: the load chooses one table for all new flows, so while there is much traffic all of them go on demand."""

from engineering import ALWAYS_ON, ON_DEMAND, TrafficEngineering


class OneTable(TrafficEngineering):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.on_demand = False

    def load_seen(self):
        self.on_demand = self.busy

    def choose(self, first, last):
        return (ON_DEMAND if self.on_demand else ALWAYS_ON)[first, last]
