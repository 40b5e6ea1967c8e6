"""Dives: depth-first searches beside a breadth-first search, for defects that are many steps away."""
