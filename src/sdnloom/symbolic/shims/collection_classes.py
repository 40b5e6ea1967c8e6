"""Classes of `collections` that are written in Python, rewritten in place; their contents are in dicts and lists."""

import collections
from collections.abc import Iterable
from typing import Any, Final

from sdnloom.symbolic.operations.builtin_calls import register_replacement
from sdnloom.symbolic.operations.compare import in_
from sdnloom.symbolic.operations.hooks import getitem, setitem
from sdnloom.symbolic.rewrite.in_place import RewrittenInPlace

COLLECTIONS: Final = frozenset({"ChainMap", "UserDict", "UserList", "UserString"})
_REWRITTEN: Final = (*COLLECTIONS, "Counter")


def collections_parts() -> Iterable[RewrittenInPlace]:
    """Return the module with these classes, rewritten."""
    register_replacement(collections._count_elements, _count)  # type: ignore[attr-defined]
    return [RewrittenInPlace(collections, lambda name: name.partition(".")[0] in _REWRITTEN)]


def _count(mapping: Any, elements: Iterable[Any]) -> None:
    for each in elements:
        setitem(getitem(mapping, each) + 1 if in_(each, mapping) else 1, mapping, each)
