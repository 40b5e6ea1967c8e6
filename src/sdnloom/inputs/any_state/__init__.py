"""Handlers in any state of a bounded shape: which lines and exceptions some state and packet lead to.

`state_shapes` learns the shape of a program's state from states that a search met, `state_values` makes states of that
shape with symbolic values, `source_lines` reads what the source says, and `state_exploration` runs the handlers.
"""
