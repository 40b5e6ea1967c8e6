"""Topologies: the value, regular shapes, and loaders for files and named networks."""

from sdnloom.network.topology.builder import TopologyBuilder
from sdnloom.network.topology.graphs import from_networkx, load_graphml, load_topohub
from sdnloom.network.topology.mininet import load_mininet
from sdnloom.network.topology.shapes import custom, linear, mesh, ring, single, torus, tree
from sdnloom.network.topology.spec import HostSpec, LinkSpec, SwitchPort, SwitchSpec, Topology, TopologyError

__all__ = [
    "HostSpec",
    "LinkSpec",
    "SwitchPort",
    "SwitchSpec",
    "Topology",
    "TopologyBuilder",
    "TopologyError",
    "custom",
    "from_networkx",
    "linear",
    "load_graphml",
    "load_mininet",
    "load_topohub",
    "mesh",
    "ring",
    "single",
    "torus",
    "tree",
]
