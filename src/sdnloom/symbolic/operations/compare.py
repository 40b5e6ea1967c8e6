"""Membership, identity and comparisons of rewritten code."""

import operator
from collections import deque
from collections.abc import Callable
from typing import Any, Final

from sdnloom.symbolic.operations.calls import ITERATORS, SUSPECT
from sdnloom.symbolic.operations.keys import SEEN, holds, is_dict, is_set, is_view, make_set, same, seen
from sdnloom.symbolic.operations.methods import METHODS
from sdnloom.symbolic.values.make import SYMBOLIC, SymInt, has_symbolic, lifted


def contains(key: Any, container: Any) -> bool:
    """key in container"""
    if type(key) in SUSPECT or SEEN:
        return _contains(key, container)
    return key in container


def _contains(key: Any, container: Any) -> bool:
    if is_dict(container) or is_set(container) or is_view(container):
        return holds(container, key)
    kind = type(container)
    if not has_symbolic(key):
        compares = seen() and kind in _ELEMENTS
        return any(each is key or same(each, key) for each in container) if compares else key in container
    if kind in _ELEMENTS or kind in ITERATORS:
        return any(each is key or same(each, key) for each in container)
    if kind is range and isinstance(key, SymInt):
        last = container[-1] if container else 0
        low, high = min(container.start, last), max(container.start, last)
        return bool(container) and low <= key <= high and (key - container.start) % container.step == 0
    if kind in (str, bytes, bytearray):
        return key in lifted(container)
    return key in container


def not_contains(key: Any, container: Any) -> bool:
    """key not in container"""
    return not contains(key, container)


def is_(left: Any, right: Any) -> bool:
    """left is right"""
    if type(left) in SYMBOLIC or type(right) in SYMBOLIC:
        return left is right or _identical(left, right)
    return left is right


def _identical(left: Any, right: Any) -> bool:
    """Return whether CPython keeps one object for both: small ints, and texts and bytes of one element."""
    if isinstance(left, SymInt) or isinstance(right, SymInt):
        if not (type(left) in (int, SymInt) and type(right) in (int, SymInt)):
            return False
        return bool(-5 <= left <= 256) and eq(left, right)
    if (type(left) in SYMBOLIC and type(right) in SYMBOLIC) or (
        isinstance(left, str | bytes) and isinstance(right, str | bytes)
    ):
        return len(left) == 1 == len(right) and eq(left, right)
    return False


def is_not(left: Any, right: Any) -> bool:
    """left is not right"""
    return not is_(left, right)


def _slow(name: str, left: Any, right: Any) -> Any:
    """Return a comparison that the symbolic operand decides, wherever it stands; containers compare by elements."""
    if (
        type(right) in SYMBOLIC
        and type(left) not in SYMBOLIC
        and type(left) not in _EXACT
        and isinstance(left, _BUILT_IN)
    ):
        found: Any = NotImplemented
        if getattr(type(left), f"__{name}__") in _OWN:
            found = getattr(right, f"__{_SWAPPED[name]}__")(left)
        if found is not NotImplemented:
            return found
    if seen() and (is_view(left) or is_view(right)):
        left, right = (make_set(each) if is_view(each) else each for each in (left, right))
    if type(right) in SUSPECT and (has_symbolic(left) or has_symbolic(right)):
        if seen() and is_set(left) and is_set(right):
            return _compare_sets(name, left, right)
        if name in ("eq", "ne") and isinstance(left, _CONTAINERS):
            return same(left, right) == (name == "eq")
        if isinstance(left, list | tuple) and getattr(type(left), f"__{name}__") in _ORDER:
            return _compare_elements(name, left, right)
    return _PLAIN[name](left, right)


def _compare_elements(name: str, left: Any, right: Any) -> Any:
    """Return the order of two lists or two tuples: that of the first elements that differ."""
    if isinstance(right, list if isinstance(left, list) else tuple):
        for a, b in zip(left, right, strict=False):
            if not (a is b or same(a, b)):
                return _NAMED[name](a, b)
        return _PLAIN[name](len(left), len(right))
    return _PLAIN[name](left, right)


_CONTAINERS: Final = (list, tuple, deque, dict, set, frozenset)
_ELEMENTS: Final[frozenset[type]] = frozenset((list, tuple, deque, type({}.values()), type({}.items())))
_ORDER: Final = frozenset(getattr(kind, f"__{name}__") for kind in (list, tuple) for name in ("lt", "le", "gt", "ge"))
_SWAPPED: Final = {"eq": "eq", "ne": "ne", "lt": "gt", "le": "ge", "gt": "lt", "ge": "le"}
_PLAIN: Final[dict[str, Callable[[Any, Any], Any]]] = {name: getattr(operator, name) for name in _SWAPPED}


def _compare_sets(name: str, left: Any, right: Any) -> bool:
    if name in ("gt", "ge"):
        left, right, name = right, left, _SWAPPED[name]
    smaller = {"le": len(left) <= len(right), "lt": len(left) < len(right)}.get(name, len(left) == len(right))
    inside: bool = smaller and METHODS[set]["issubset"](left, right)
    return inside != (name == "ne")


_EXACT: Final = frozenset(
    (int, str, bytes)
)  # a symbolic right operand is of a subclass and asked first by Python itself
_BUILT_IN: Final = (int, float, str, bytes)
_OWN: Final = tuple(getattr(kind, f"__{name}__") for kind in _BUILT_IN for name in ("eq", "ne", "lt", "le", "gt", "ge"))


def eq(left: Any, right: Any) -> Any:
    """left == right"""
    if type(right) in SUSPECT or SEEN:
        return _slow("eq", left, right)
    return left == right


def ne(left: Any, right: Any) -> Any:
    """left != right"""
    if type(right) in SUSPECT or SEEN:
        return _slow("ne", left, right)
    return left != right


def lt(left: Any, right: Any) -> Any:
    """left < right"""
    if type(right) in SUSPECT or SEEN:
        return _slow("lt", left, right)
    return left < right


def le(left: Any, right: Any) -> Any:
    """left <= right"""
    if type(right) in SUSPECT or SEEN:
        return _slow("le", left, right)
    return left <= right


def gt(left: Any, right: Any) -> Any:
    """left > right"""
    if type(right) in SUSPECT or SEEN:
        return _slow("gt", left, right)
    return left > right


def ge(left: Any, right: Any) -> Any:
    """left >= right"""
    if type(right) in SUSPECT or SEEN:
        return _slow("ge", left, right)
    return left >= right


_NAMED: Final[dict[str, Callable[[Any, Any], Any]]] = {"lt": lt, "le": le, "gt": gt, "ge": ge}
