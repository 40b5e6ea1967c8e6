"""An OpenFlow 1.0 or 1.3 switch as pure functions on one immutable value.

`Switch` is the configuration of a switch, `SwitchCore` its whole state, and each function returns the outcomes of one
step. There are several outcomes only where the specification leaves the choice open.
"""

from sdnloom.network.openflow import FeaturesReply, FeaturesRequest, OpenFlowMessage, PortDesc
from sdnloom.network.packet import Packet
from sdnloom.network.switch import pipeline
from sdnloom.network.switch.cells import Cell, cells_conflict, coarse, independent
from sdnloom.network.switch.config import Switch, SwitchError, plain_ports
from sdnloom.network.switch.connection import connect, disconnect
from sdnloom.network.switch.core import (
    BufferedPacket,
    Counts,
    FlowEntry,
    GroupEntry,
    MeterEntry,
    Settings,
    SwitchCore,
    Traffic,
    initial_switch_core,
)
from sdnloom.network.switch.handlers import handle_message
from sdnloom.network.switch.ports import change_port
from sdnloom.network.switch.profiles import PROFILES, ProfileName, SwitchProfile
from sdnloom.network.switch.step import Ambiguous, BufferExpired, LocalDropped, SwitchOutcome, all_outcomes
from sdnloom.network.switch.timeouts import next_deadline, pass_time

__all__ = [
    "PROFILES",
    "Ambiguous",
    "BufferExpired",
    "BufferedPacket",
    "Cell",
    "Counts",
    "FlowEntry",
    "GroupEntry",
    "LocalDropped",
    "MeterEntry",
    "ProfileName",
    "Settings",
    "Switch",
    "SwitchCore",
    "SwitchError",
    "SwitchOutcome",
    "SwitchProfile",
    "Traffic",
    "cells_conflict",
    "coarse",
    "connect",
    "disconnect",
    "features_of",
    "independent",
    "initial_switch_core",
    "next_deadline",
    "pass_time",
    "plain_ports",
    "port_change",
    "receive_message",
    "receive_packet",
]


def receive_packet(config: Switch, core: SwitchCore, in_port: int, packet: Packet) -> tuple[SwitchOutcome, ...]:
    """Return the outcomes of a packet that arrives at a port."""
    return all_outcomes(config, core, lambda step: pipeline.process_packet(step, in_port, packet))


def receive_message(config: Switch, core: SwitchCore, message: OpenFlowMessage) -> tuple[SwitchOutcome, ...]:
    """Return the outcomes of a message from the controller."""
    return all_outcomes(config, core, lambda step: handle_message(step, message))


def features_of(config: Switch, core: SwitchCore) -> FeaturesReply:
    """Return what the switch answers when it is asked for its features."""
    (reply,) = receive_message(config, core, FeaturesRequest())[0].messages
    assert isinstance(reply, FeaturesReply)
    return reply


def port_change(config: Switch, core: SwitchCore, reason: int, desc: PortDesc) -> SwitchOutcome:
    """Return the outcome of a port that appears, changes or goes away (a `PortReason`)."""
    return all_outcomes(config, core, lambda step: change_port(step, reason, desc))[0]
