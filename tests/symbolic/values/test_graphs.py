# ruff: noqa: E501 (tables: one program a line)
"""`networkx` and classes of `collections` with symbolic keys."""

import pytest

from sdnloom.symbolic.operations.keys import SYMBOLIC_KEYS
from tests.symbolic.values.comparison import Number, compare_with_original

GRAPHS = {
    "has node": "def f(x): return x in net(), net().has_node(x)",
    "neighbours": "def f(x):\n  g = net()\n  return sorted(g[x]) if x in g else None",
    "port": "def f(x):\n  g = net()\n  return g[1][x]['port'] if g.has_edge(1, x) else 0",
    "learned": "def f(x):\n  g = net()\n  if x not in g:\n    g.add_node(x)\n    g.add_edge(x, 2)\n    g.add_edge(2, x, port=7)\n  return len(g), g.has_edge(2, x)",
    "shortest path": "def f(x):\n  g = net()\n  return nx.shortest_path(g, 1, x) if x in g else None",
    "missing node": "def f(x):\n  try:\n    return nx.shortest_path_length(net(), 1, x)\n  except nx.NodeNotFound:\n    return 'unknown'",
    "new node": "def f(x):\n  g = net()\n  g.add_edge(2, x, port=7)\n  p = nx.shortest_path(g, 1, x)\n  return len(p), p[-1] == x",
    "simple paths": "def f(x):\n  try:\n    return list(nx.shortest_simple_paths(net(), 1, x))[0]\n  except (nx.NodeNotFound, nx.NetworkXNoPath, nx.NetworkXError):\n    return 'none'",
    "two": "def f(x, y):\n  g = net()\n  return nx.has_path(g, x, y) if x in g and y in g else None",
}  # fmt: skip
NET = "import networkx as nx\ndef net():\n  g = nx.DiGraph()\n  g.add_nodes_from([1, 2, 3, 5])\n  g.add_edge(1, 2, port=1)\n  g.add_edge(2, 3, port=2)\n  g.add_edge(3, 1, port=3)\n  g.add_edge(3, 5, port=4)\n  return g\n"


@pytest.mark.parametrize("name", GRAPHS)
def test_nodes_of_a_graph_are_followed(name: str) -> None:
    arguments = {"x": Number(7), **({"y": Number(7)} if name == "two" else {})}
    found = compare_with_original(NET + GRAPHS[name], **arguments)
    assert found.concretised == ()
    assert found.complete


def test_symbolic_keys_are_forgotten_after_a_run() -> None:
    compare_with_original(NET + GRAPHS["new node"], x=Number(7))
    assert SYMBOLIC_KEYS == []  # otherwise plain code would take other calls inside of the hooks than before


CLASSES = {
    "chain of maps": "def f(x):\n  m = collections.ChainMap({1: 'a'}, {2: 'b', 1: 'c'})\n  return m.get(x, 'none'), x in m",
    "chain with a symbolic key": "def f(x):\n  m = collections.ChainMap({}, {1: 'a'})\n  m[x] = 'new'\n  return m[1], len(m), 3 in m",
    "child": "def f(x):\n  m = collections.ChainMap({1: 'a'}).new_child({x: 'b'})\n  return m[1]",
    "user dict": "def f(x):\n  d = collections.UserDict({1: 'a'})\n  d[x] = 'b'\n  return d[1], d.get(2), 3 in d",
    "user list": "def f(x):\n  u = collections.UserList([1, 5])\n  u.append(x)\n  return u.index(x), u.count(5), x in u",
    "counter": "def f(x):\n  c = collections.Counter([1, 5, x])\n  return c[1], c[x], c[7]",
    "user string": "def f(x):\n  return collections.UserString(str(x)).startswith('1')",
}  # fmt: skip


@pytest.mark.parametrize("name", CLASSES)
def test_classes_of_collections_are_followed(name: str) -> None:
    found = compare_with_original(f"import collections\n{CLASSES[name]}", x=Number(15))
    assert found.concretised == ()
    assert found.complete
