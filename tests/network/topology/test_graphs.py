"""Topologies from networkx graphs, GraphML files and topohub; a missing package is named."""

import sys
from collections import Counter
from pathlib import Path

import networkx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdnloom.network.topology import TopologyError, from_networkx, load_graphml, load_topohub


@given(st.integers(1, 12), st.sets(st.tuples(st.integers(0, 11), st.integers(0, 11)), max_size=20), st.integers(0, 2))
def test_graph_and_topology_have_the_same_neighbours(nodes: int, pairs: set[tuple[int, int]], hosts: int) -> None:
    graph = networkx.empty_graph(nodes)
    graph.add_edges_from((a, b) for a, b in sorted(pairs) if a != b and a < nodes and b < nodes)
    topology = from_networkx(graph, hosts)
    names = dict(zip(graph.nodes, [switch.name for switch in topology.switches], strict=True))
    expected = {frozenset((names[a], names[b])) for a, b in graph.edges}
    assert {frozenset((link.a, link.b)) for link in topology.links} == expected
    assert Counter(host.switch for host in topology.hosts) == Counter({name: hosts for name in names.values() if hosts})
    for node, name in names.items():
        assert topology.switch(name).ports == tuple(range(1, graph.degree[node] + hosts + 1))


def test_names_are_kept_where_they_are_distinct_words() -> None:
    graph = networkx.Graph()
    graph.add_node(0, name="New York")
    graph.add_node(1, label="Chicago")
    graph.add_node("west")
    assert [s.name for s in from_networkx(graph).switches] == ["New_York", "Chicago", "west"]
    graph.add_node(2, name="Chicago")
    assert [s.name for s in from_networkx(graph).switches] == ["s1", "s2", "s3", "s4"]


def test_nodes_of_type_host_are_the_hosts() -> None:
    graph = networkx.Graph([("a", "x"), ("b", "y"), ("a", "b")])
    graph.nodes["x"]["type"] = graph.nodes["y"]["type"] = "host"
    topology = from_networkx(graph)
    assert [(host.name, str(host.switch_port)) for host in topology.hosts] == [("x", "a:1"), ("y", "b:2")]


def test_parallel_edges_stay_and_directions_go() -> None:
    assert len(from_networkx(networkx.MultiGraph([(1, 2), (1, 2)])).links) == 2
    assert len(from_networkx(networkx.DiGraph([(1, 2), (2, 1), (2, 3)])).links) == 2
    assert len(from_networkx(networkx.MultiDiGraph([(1, 2), (2, 1), (2, 1)])).links) == 2


def test_self_loop_is_refused() -> None:
    with pytest.raises(TopologyError, match="'s1' and itself"):
        from_networkx(networkx.Graph([(1, 1)]))


def test_graphml_file_is_read(tmp_path: Path) -> None:
    file = tmp_path / "ring.graphml"
    networkx.write_graphml(networkx.cycle_graph(4), file)
    topology = load_graphml(file, hosts=0)
    assert (topology.name, len(topology.switches), len(topology.hosts), len(topology.links)) == ("ring", 4, 0, 4)


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"no xml",
        b"<graphml/>",
        b"\xff\xfe\0",
        b"<a>" * 20_000,
    ],
)
def test_file_that_is_no_graphml_is_named(tmp_path: Path, text: bytes) -> None:
    file = tmp_path / "bad.graphml"
    file.write_bytes(text)
    with pytest.raises(TopologyError, match=r"bad\.graphml"):
        load_graphml(file)


def test_missing_graphml_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(TopologyError, match=r"gone\.graphml: cannot read the GraphML file"):
        load_graphml(tmp_path / "gone.graphml")


def test_topohub_names_are_known() -> None:
    topology = load_topohub("topozoo/Abilene")
    assert (len(topology.switches), len(topology.hosts), len(topology.links)) == (11, 11, 14)
    assert "New_York" in [switch.name for switch in topology.switches]


@pytest.mark.parametrize(
    ("key", "words"),
    [
        ("abilene", ["'abilene' is no network of topohub", "topozoo/Abilene"]),
        ("topozoo/Abilen", ["topozoo/Abilene"]),
        ("../../x", ["'../../x'"]),
        ("", ["such as topozoo/Abilene"]),
    ],
)
def test_unknown_topohub_name_gets_suggestions(key: str, words: list[str]) -> None:
    with pytest.raises(TopologyError) as caught:
        load_topohub(key)
    for word in words:
        assert word in str(caught.value)


@pytest.mark.parametrize(
    ("package", "load"),
    [("networkx", lambda: load_graphml(Path("x.graphml"))), ("topohub", lambda: load_topohub("topozoo/Abilene"))],
)
def test_missing_package_is_named_with_the_command_that_installs_it(
    monkeypatch: pytest.MonkeyPatch, package: str, load
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(TopologyError, match=rf"package {package}: pip install 'sdnloom\[topologies\]'"):
        load()
