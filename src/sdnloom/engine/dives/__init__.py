"""Dives: searches into the depth beside a breadth-first search, for defects that are many steps away."""
