"""Programs of actors: `async def` tasks, unordered mailboxes, futures and barriers; every order is searched."""

from sdnloom.actors.actor import Actor, ActorError
from sdnloom.actors.load import load_program
from sdnloom.actors.network.controller import Controller
from sdnloom.actors.network.events import EntryWritten, Revisited
from sdnloom.actors.network.final_checks import AllDelivered, Balanced, ConsistentTables
from sdnloom.actors.network.host import Host
from sdnloom.actors.network.links import SHlink, SSlink, link_topology
from sdnloom.actors.network.monitors import NoContradictoryEntries, NoDelivery, NoForwardingLoop
from sdnloom.actors.network.packets import NamedPacket
from sdnloom.actors.network.program import network_program
from sdnloom.actors.network.switch import Switch
from sdnloom.actors.program import Monitor, Program
from sdnloom.actors.report import ActorReport
from sdnloom.actors.run import check_program
from sdnloom.actors.search.options import ActorOptions
from sdnloom.actors.values import tag

__all__ = [
    "Actor",
    "ActorError",
    "ActorOptions",
    "ActorReport",
    "AllDelivered",
    "Balanced",
    "ConsistentTables",
    "Controller",
    "EntryWritten",
    "Host",
    "Monitor",
    "NamedPacket",
    "NoContradictoryEntries",
    "NoDelivery",
    "NoForwardingLoop",
    "Program",
    "Revisited",
    "SHlink",
    "SSlink",
    "Switch",
    "check_program",
    "link_topology",
    "load_program",
    "network_program",
    "tag",
]
