"""Planted: the mask of the data centre has one bit too many, so half of it takes the way of all other networks."""

import netaddr
from engineering import TrafficEngineering


class LongMask(TrafficEngineering):
    def data_centre(self):
        return netaddr.IPNetwork("10.0.2.0/25")
