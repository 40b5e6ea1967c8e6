"""Topologies: the value, regular shapes, and loaders for files and named networks."""

from sdnloom.network.topology.builder import TopologyBuilder
from sdnloom.network.topology.shapes import custom, linear, mesh, ring, single, tree
from sdnloom.network.topology.spec import HostSpec, LinkSpec, Place, SwitchSpec, Topology, TopologyError

__all__ = [
    "HostSpec",
    "LinkSpec",
    "Place",
    "SwitchSpec",
    "Topology",
    "TopologyBuilder",
    "TopologyError",
    "custom",
    "linear",
    "mesh",
    "ring",
    "single",
    "tree",
]
