"""BUG-XIII: packets on the way are looked after at switches of paths in use, and the load decides which are in use.

When the load drops, a packet can still be on its way to a switch of an on-demand path whose rule is late.
"""

from engineering import ALWAYS_ON, ON_DEMAND, TrafficEngineering


class ForgetsPaths(TrafficEngineering):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.in_use = sorted(ALWAYS_ON.values())

    def load_seen(self):
        self.in_use = sorted(ALWAYS_ON.values())
        if self.busy:
            self.in_use += sorted(ON_DEMAND.values())

    def on_the_way(self, message, flow):
        if any(message.datapath.id in path for path in self.in_use):
            super().on_the_way(message, flow)
