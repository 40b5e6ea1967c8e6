"""The property library: NICE, section 6.2, and more.

A new property is a subclass of `NetworkProperty` in a file of this folder, an entry of `LIBRARY` below, and a row in
docs/properties.md; scenario files and the command line find it by its class name. A property of your own can also be a
plain `Property` of the engine.
"""

from sdnloom.properties.base import NetworkProperty
from sdnloom.properties.delivery import NoBlackHoles, NoBlackHolesMobile
from sdnloom.properties.flows import FlowAffinity
from sdnloom.properties.loops import NoForwardingLoops
from sdnloom.properties.paths import DirectPaths, StrictDirectPaths
from sdnloom.properties.pings import PingsAnswered
from sdnloom.properties.programs import NoHandlerException
from sdnloom.properties.reach import Isolated, Reachable, Waypoint
from sdnloom.properties.routes import UseCorrectRoutingTable
from sdnloom.properties.sometimes import Sometimes, sometimes
from sdnloom.properties.switches import NoAmbiguousMatch, NoForgottenPackets

LIBRARY: dict[str, type[NetworkProperty]] = {
    kind.__name__: kind
    for kind in (
        DirectPaths,
        FlowAffinity,
        Isolated,
        NoAmbiguousMatch,
        NoBlackHoles,
        NoBlackHolesMobile,
        NoForgottenPackets,
        NoForwardingLoops,
        NoHandlerException,
        PingsAnswered,
        Reachable,
        Sometimes,
        StrictDirectPaths,
        UseCorrectRoutingTable,
        Waypoint,
    )
}

__all__ = [
    "LIBRARY",
    "DirectPaths",
    "FlowAffinity",
    "Isolated",
    "NetworkProperty",
    "NoAmbiguousMatch",
    "NoBlackHoles",
    "NoBlackHolesMobile",
    "NoForgottenPackets",
    "NoForwardingLoops",
    "NoHandlerException",
    "PingsAnswered",
    "Reachable",
    "Sometimes",
    "StrictDirectPaths",
    "UseCorrectRoutingTable",
    "Waypoint",
    "sometimes",
]
