"""Planted: the program compares all bytes since the start with what is much for one period, so the load never drops."""

from engineering import TrafficEngineering


class NeverDrops(TrafficEngineering):
    def load(self, sent):
        return sent
