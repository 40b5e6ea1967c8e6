"""Topologies from graphs: networkx graphs, GraphML files, and the named networks of the `topohub` package."""

import difflib
import importlib
import re
import warnings
from collections import Counter
from collections.abc import Hashable
from importlib.resources import files
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import ParseError

from sdnloom.network.topology.builder import TopologyBuilder
from sdnloom.network.topology.spec import Topology, TopologyError, is_node_name

MAX_NODES = 10_000
_KEY = re.compile(r"[\w-][\w.-]*(/[\w-][\w.-]*)*")


def from_networkx(graph: Any, hosts: int = 1, name: str | None = None) -> Topology:
    """The topology of a networkx graph: a switch per node, a link per edge, `hosts` hosts at each switch.

    A node whose attribute `type` is "host" is a host; then no others are added. Nodes keep their names (the attribute
    `name` or `label`, or the node itself) if these are distinct and valid; otherwise they are s1, s2, ... in order.
    Directions are ignored; parallel edges are parallel links.
    """
    nodes = list(graph.nodes(data=True))
    if len(nodes) > MAX_NODES:
        raise TopologyError(f"a graph of {len(nodes)} nodes; expected at most {MAX_NODES}")
    names = _names(nodes)
    ends = {node for node, data in nodes if data.get("type") == "host"}
    builder = TopologyBuilder(name or str(graph.graph.get("name") or "graph"))
    for node, _ in nodes:
        if node not in ends:
            builder.switch(names[node])
    for node, _ in nodes:
        if node in ends:
            builder.host(names[node])
    for number, (node, _) in enumerate(nodes if not ends else (), 1):
        for host in range(1, hosts + 1):
            builder.link(builder.host(f"h{number}" if hosts == 1 else f"h{host}s{number}"), names[node])
    for a, b in _edges(graph):
        builder.link(names[a], names[b])
    return builder.build()


def load_graphml(file: str | Path, hosts: int = 1) -> Topology:
    """The topology of a GraphML file."""
    file = Path(file)
    networkx = _optional("networkx", "GraphML files")
    try:
        graph = networkx.read_graphml(file)
    except OSError as error:
        raise TopologyError(f"{file}: cannot read the GraphML file: {error.strerror or error}") from error
    except (ParseError, networkx.NetworkXError, ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
        raise TopologyError(f"{file}: not a GraphML file: {error}") from error
    try:
        return from_networkx(graph, hosts, file.stem)
    except TopologyError as error:
        raise TopologyError(f"{file}: {error}") from error


def load_topohub(key: str, hosts: int = 1) -> Topology:
    """The topology of a network of the `topohub` package, such as "topozoo/Abilene" or "sndlib/polska"."""
    topohub = _optional("topohub", "named networks")
    networkx = _optional("networkx", "named networks")
    try:
        if not _KEY.fullmatch(key):
            raise KeyError(key)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ResourceWarning)  # topohub does not close its file
            document = topohub.get(key)
    except (KeyError, ValueError):
        raise TopologyError(f"{key!r} is no network of topohub; expected {_suggestions(topohub, key)}") from None
    return from_networkx(networkx.node_link_graph(document, edges="edges"), hosts, key)


def _suggestions(topohub: Any, key: str) -> str:
    data = files(topohub) / "data"
    known = [
        f"{group.name}/{entry.name.removesuffix('.json')}"
        for group in sorted(data.iterdir(), key=lambda group: group.name)
        if group.is_dir()
        for entry in sorted(group.iterdir(), key=lambda entry: entry.name)
        if entry.name.endswith(".json")
    ]
    last = key.rpartition("/")[2].lower()
    close = [name for name in known if name.rpartition("/")[2].lower() == last]
    close = close or difflib.get_close_matches(key, known, 3)
    return f"one such as {', '.join(close or ['topozoo/Abilene', 'sndlib/polska'])}"


def _optional(package: str, what: str) -> Any:
    try:
        return importlib.import_module(package)
    except ImportError as error:
        raise TopologyError(f"{what} need the package {package}: pip install 'sdnloom[topologies]'") from error


def _names(nodes: list[tuple[Hashable, dict[str, Any]]]) -> dict[Hashable, str]:
    wanted = {n: re.sub(r"\s+", "_", str(data.get("name", data.get("label", n))).strip()) for n, data in nodes}
    distinct = len(set(wanted.values())) == len(nodes)
    # Added hosts are called h1, h2, ..., so a switch must not have such a name.
    if distinct and all(
        is_node_name(name) and not re.fullmatch(r"h[0-9]+(s[0-9]+)?", name) for name in wanted.values()
    ):
        return wanted
    kinds: Counter[str] = Counter()
    results = {}
    for node, data in nodes:
        kind = "h" if data.get("type") == "host" else "s"
        kinds[kind] += 1
        results[node] = f"{kind}{kinds[kind]}"
    return results


def _edges(graph: Any) -> list[tuple[Hashable, Hashable]]:
    """The edges without direction; of two nodes, the direction with more edges counts."""
    pairs = list(graph.edges())
    if not graph.is_directed():
        return pairs
    counts = Counter(pairs)
    kept: dict[tuple[Hashable, Hashable], int] = {}
    for (a, b), count in counts.items():
        if count > counts[b, a] or (count == counts[b, a] and (b, a) not in kept):
            kept[a, b] = count
    return list(Counter(kept).elements())
