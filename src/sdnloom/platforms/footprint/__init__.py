"""Footprint of a handler: the cells of the program state that it reads and writes."""
