"""The contract of a controller program inside a component, for platforms and their users.

It lives in `network.controller`, below this layer, because the network model calls it; platforms implement it.
"""

from sdnloom.network.program import (
    Call,
    ClockTick,
    Input,
    MessageIn,
    Program,
    Reaction,
    SwitchDown,
    SwitchUp,
    ThreadTurn,
    TimerInput,
)

__all__ = [
    "Call",
    "ClockTick",
    "Input",
    "MessageIn",
    "Program",
    "Reaction",
    "SwitchDown",
    "SwitchUp",
    "ThreadTurn",
    "TimerInput",
]
