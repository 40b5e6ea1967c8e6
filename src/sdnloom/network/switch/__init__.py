"""An OpenFlow 1.0 or 1.3 switch as pure functions on one immutable value.

`Switch` says what a switch is, `SwitchCore` is all of its state, and each function returns the outcomes of one step.
There are several outcomes only where the specification leaves the choice open.
"""

from sdnloom.network.openflow import OpenFlowMessage, PortDesc
from sdnloom.network.packet import Packet
from sdnloom.network.switch import pipeline
from sdnloom.network.switch.cells import Cell, coarse, conflict, independent
from sdnloom.network.switch.config import Switch, SwitchError, plain_ports
from sdnloom.network.switch.connection import connect, disconnect
from sdnloom.network.switch.core import (
    BufferedPacket,
    Counts,
    FlowEntry,
    GroupEntry,
    Settings,
    SwitchCore,
    Traffic,
    initial_core,
)
from sdnloom.network.switch.handlers import handle
from sdnloom.network.switch.ports import change
from sdnloom.network.switch.step import Ambiguous, BufferExpired, SwitchOutcome, explore
from sdnloom.network.switch.timeouts import advance, next_deadline

__all__ = [
    "Ambiguous",
    "BufferExpired",
    "BufferedPacket",
    "Cell",
    "Counts",
    "FlowEntry",
    "GroupEntry",
    "Settings",
    "Switch",
    "SwitchCore",
    "SwitchError",
    "SwitchOutcome",
    "Traffic",
    "advance",
    "coarse",
    "conflict",
    "connect",
    "disconnect",
    "independent",
    "initial_core",
    "next_deadline",
    "plain_ports",
    "port_change",
    "receive_message",
    "receive_packet",
]


def receive_packet(config: Switch, core: SwitchCore, in_port: int, packet: Packet) -> tuple[SwitchOutcome, ...]:
    """Return the outcomes of a packet that arrives at a port."""
    return explore(config, core, lambda turn: pipeline.receive(turn, in_port, packet))


def receive_message(config: Switch, core: SwitchCore, message: OpenFlowMessage) -> tuple[SwitchOutcome, ...]:
    """Return the outcomes of a message from the controller."""
    return explore(config, core, lambda turn: handle(turn, message))


def port_change(config: Switch, core: SwitchCore, reason: int, desc: PortDesc) -> SwitchOutcome:
    """Return the outcome of a port that appears, changes or goes away (a `PortReason`)."""
    return explore(config, core, lambda turn: change(turn, reason, desc))[0]
