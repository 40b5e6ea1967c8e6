"""The property library: NICE's section 6.2 and more. A property of your own is an engine `Property` or a `Rule`."""

from sdnloom.check.properties.base import Rule
from sdnloom.check.properties.delivery import NoBlackHoles, NoBlackHolesMobile
from sdnloom.check.properties.flows import FlowAffinity
from sdnloom.check.properties.loops import NoForwardingLoops
from sdnloom.check.properties.paths import DirectPaths, StrictDirectPaths
from sdnloom.check.properties.programs import NoHandlerException
from sdnloom.check.properties.reach import Isolated, Reachable, Waypoint
from sdnloom.check.properties.routing import UseCorrectRoutingTable
from sdnloom.check.properties.sometimes import Sometimes, sometimes
from sdnloom.check.properties.switches import NoAmbiguousMatch, NoForgottenPackets

LIBRARY: dict[str, type[Rule]] = {
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
    "NoAmbiguousMatch",
    "NoBlackHoles",
    "NoBlackHolesMobile",
    "NoForgottenPackets",
    "NoForwardingLoops",
    "NoHandlerException",
    "Reachable",
    "Rule",
    "Sometimes",
    "StrictDirectPaths",
    "UseCorrectRoutingTable",
    "Waypoint",
    "sometimes",
]
