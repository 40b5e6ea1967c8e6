"""Swarm: many bitstate searches with different hash functions, orders and depths, for spaces that nothing can hold."""
