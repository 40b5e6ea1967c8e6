"""Events of networks of actors that `network.events` lacks. The packets in all events of actors are NamedPackets."""

from dataclasses import dataclass

from sdnloom.actors.network.packets import NamedPacket
from sdnloom.network.events import EntryInstalled
from sdnloom.network.openflow import OpenFlowAction
from sdnloom.network.value import Value


@dataclass(frozen=True, slots=True, repr=False)
class Revisited(Value):
    """A packet reached a switch that it, or a copy of it, had reached before."""

    switch: str
    port: int
    packet: NamedPacket


@dataclass(frozen=True, slots=True, repr=False)
class EntryWritten(EntryInstalled):
    """A switch installed a flow entry with these actions, or put them in the place of others."""

    actions: tuple[OpenFlowAction, ...] = ()
