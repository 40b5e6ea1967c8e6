"""Planted: the archive is reached by the short path."""

from engineering import SHORT, TrafficEngineering


class ShortArchive(TrafficEngineering):
    def path_to(self, address):
        return SHORT
