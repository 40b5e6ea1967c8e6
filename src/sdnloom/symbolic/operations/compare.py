"""Membership, identity and comparisons of rewritten code."""

import operator
from collections import deque
from collections.abc import Callable
from typing import Any, Final

from sdnloom.symbolic.operations.calls import ITERATORS, MAYBE_SYMBOLIC
from sdnloom.symbolic.operations.keys import (
    SYMBOLIC_KEYS,
    equal_values,
    has_key,
    has_symbolic_keys,
    is_dict,
    is_keys_view,
    is_set,
    make_set,
)
from sdnloom.symbolic.operations.methods import METHODS
from sdnloom.symbolic.values.make import SYMBOLIC, SymInt, as_symbolic, has_symbolic


def in_(key: Any, container: Any) -> bool:
    """key in container"""
    if type(key) in MAYBE_SYMBOLIC or SYMBOLIC_KEYS:
        return _contains(key, container)
    return key in container


def _contains(key: Any, container: Any) -> bool:
    if is_dict(container) or is_set(container) or is_keys_view(container):
        return has_key(container, key)
    kind = type(container)
    if not has_symbolic(key):
        compares = has_symbolic_keys() and kind in _ELEMENTS
        return any(each is key or equal_values(each, key) for each in container) if compares else key in container
    if kind in _ELEMENTS or kind in ITERATORS:
        return any(each is key or equal_values(each, key) for each in container)
    if kind is range and isinstance(key, SymInt):
        last = container[-1] if container else 0
        low, high = min(container.start, last), max(container.start, last)
        return bool(container) and low <= key <= high and (key - container.start) % container.step == 0
    if kind in (str, bytes, bytearray):
        return key in as_symbolic(container)
    return key in container


def not_in(key: Any, container: Any) -> bool:
    """key not in container"""
    return not in_(key, container)


def is_(left: Any, right: Any) -> bool:
    """left is right"""
    if type(left) in SYMBOLIC or type(right) in SYMBOLIC:
        return left is right or _identical(left, right)
    return left is right


def _identical(left: Any, right: Any) -> bool:
    """Return whether CPython has one object for both: small ints, and texts and bytes of one element."""
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


def _compare_symbolic(name: str, left: Any, right: Any) -> Any:
    """Compare with the symbolic operand's method, on whichever side it is; containers are compared by elements."""
    if (
        type(right) in SYMBOLIC
        and type(left) not in SYMBOLIC
        and type(left) not in _EXACT
        and isinstance(left, _BUILT_IN)
    ):
        found: Any = NotImplemented
        if getattr(type(left), f"__{name}__") in _BUILT_IN_METHODS:
            found = getattr(right, f"__{_SWAPPED[name]}__")(left)
        if found is not NotImplemented:
            return found
    if has_symbolic_keys() and (is_keys_view(left) or is_keys_view(right)):
        left, right = (make_set(each) if is_keys_view(each) else each for each in (left, right))
    if type(right) in MAYBE_SYMBOLIC and (has_symbolic(left) or has_symbolic(right)):
        if has_symbolic_keys() and is_set(left) and is_set(right):
            return _compare_sets(name, left, right)
        if name in ("eq", "ne") and isinstance(left, _CONTAINERS):
            return equal_values(left, right) == (name == "eq")
        if isinstance(left, list | tuple) and getattr(type(left), f"__{name}__") in _ORDER:
            return _compare_elements(name, left, right)
    return _PLAIN[name](left, right)


def _compare_elements(name: str, left: Any, right: Any) -> Any:
    """Compare two lists or two tuples by their first different elements."""
    if isinstance(right, list if isinstance(left, list) else tuple):
        for a, b in zip(left, right, strict=False):
            if not (a is b or equal_values(a, b)):
                return _ORDERINGS[name](a, b)
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
)  # a symbolic right operand is of a subclass, so Python calls its method first
_BUILT_IN: Final = (int, float, str, bytes)
_BUILT_IN_METHODS: Final = tuple(
    getattr(kind, f"__{name}__") for kind in _BUILT_IN for name in ("eq", "ne", "lt", "le", "gt", "ge")
)


def eq(left: Any, right: Any) -> Any:
    """left == right"""
    if type(right) in MAYBE_SYMBOLIC or SYMBOLIC_KEYS:
        return _compare_symbolic("eq", left, right)
    return left == right


def ne(left: Any, right: Any) -> Any:
    """left != right"""
    if type(right) in MAYBE_SYMBOLIC or SYMBOLIC_KEYS:
        return _compare_symbolic("ne", left, right)
    return left != right


def lt(left: Any, right: Any) -> Any:
    """left < right"""
    if type(right) in MAYBE_SYMBOLIC or SYMBOLIC_KEYS:
        return _compare_symbolic("lt", left, right)
    return left < right


def le(left: Any, right: Any) -> Any:
    """left <= right"""
    if type(right) in MAYBE_SYMBOLIC or SYMBOLIC_KEYS:
        return _compare_symbolic("le", left, right)
    return left <= right


def gt(left: Any, right: Any) -> Any:
    """left > right"""
    if type(right) in MAYBE_SYMBOLIC or SYMBOLIC_KEYS:
        return _compare_symbolic("gt", left, right)
    return left > right


def ge(left: Any, right: Any) -> Any:
    """left >= right"""
    if type(right) in MAYBE_SYMBOLIC or SYMBOLIC_KEYS:
        return _compare_symbolic("ge", left, right)
    return left >= right


_ORDERINGS: Final[dict[str, Callable[[Any, Any], Any]]] = {"lt": lt, "le": le, "gt": gt, "ge": ge}
