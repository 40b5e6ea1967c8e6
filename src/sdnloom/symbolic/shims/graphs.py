"""`networkx` for symbolic values: its graphs are rewritten in place, its algorithms only hash and compare nodes.

An algorithm gets the nodes of the graph in place of equal arguments, and looks nodes up by their hashes of this run.
That is right on this path: rewritten graphs have decided which nodes are equal when they were added and when they are
asked for, and comparisons of nodes fork.
"""

import sys
from collections.abc import Iterable, Iterator, Mapping
from types import GeneratorType
from typing import Any, Final

from sdnloom.symbolic.operations.calls import register_package
from sdnloom.symbolic.operations.keys import MISSING, find_key
from sdnloom.symbolic.rewrite.in_place import RewrittenInPlace
from sdnloom.symbolic.values.hash_value import concrete_hashing
from sdnloom.symbolic.values.make import SYMBOLIC

GRAPHS: Final = frozenset({"Graph", "DiGraph", "MultiGraph", "MultiDiGraph"})
_MODULES: Final = ("graph", "digraph", "multigraph", "multidigraph", "coreviews", "reportviews")


def networkx_parts() -> Iterable[RewrittenInPlace]:
    """Return the modules of networkx with its graphs, rewritten."""
    register_package("networkx", _call_algorithm)
    return [RewrittenInPlace(sys.modules[f"networkx.classes.{name}"]) for name in _MODULES]


def _call_algorithm(function: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
    """Return `function(*args, **kwargs)` of networkx, where nodes and the graph may be symbolic."""
    nodes: Any = next((each._node for each in (*args, *kwargs.values()) if type(each).__name__ in GRAPHS), {})
    args = tuple(_node(each, nodes) for each in args)
    kwargs = {name: _node(each, nodes) for name, each in kwargs.items()}
    with concrete_hashing():
        result = function(*args, **kwargs)
    return _resumed(result) if isinstance(result, GeneratorType) else result


def _node(value: Any, nodes: Any) -> Any:
    """Return the equal node of the graph for a symbolic value; the value itself if there is none."""
    if type(value) not in SYMBOLIC:
        return value
    found = find_key(nodes, value)
    return value if found is MISSING else found


def _resumed(found: Iterator[Any]) -> Iterator[Any]:
    """Yield what a generator of networkx yields."""
    while True:
        with concrete_hashing():
            try:
                each = next(found)
            except StopIteration:
                return
        yield each
