"""The contract of a controller program inside a component, for platforms and their users.

It lives in `network.controller`, below this layer, because the network model calls it; platforms implement it.
"""

from sdnloom.network.controller import Call, Came, Fired, Input, Joined, Left, Program, Reaction, Tick, Turn

__all__ = ["Call", "Came", "Fired", "Input", "Joined", "Left", "Program", "Reaction", "Tick", "Turn"]
