"""Membership, identity and comparisons of rewritten code."""

import operator
from collections import deque
from collections.abc import Callable
from typing import Any, Final

from sdnloom.symbolic.operations_calls import SUSPECT
from sdnloom.symbolic.operations_keys import SEEN, holds, is_dict, is_set, is_view, look_up, make_set, same, seen
from sdnloom.symbolic.operations_methods import METHODS
from sdnloom.symbolic.values import SYMBOLIC, SymInt, has_symbolic, lifted


def contains(key: Any, container: Any) -> bool:
    """key in container"""
    if type(key) in SUSPECT or SEEN:
        return _contains(key, container)
    return key in container


def _contains(key: Any, container: Any) -> bool:
    if is_dict(container) or is_set(container) or is_view(container):
        return holds(container, key)
    if type(container) is _ITEMS and seen():
        return any(same(each, key) for each in container)
    if not has_symbolic(key):
        return key in container
    kind = type(container)
    if kind in (list, tuple, deque):
        return any(each is key or eq(each, key) for each in container)
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
    if seen() and (has_symbolic(left) or has_symbolic(right)):
        if is_set(left) and is_set(right):
            return _compare_sets(name, left, right)
        if name in ("eq", "ne") and is_dict(left) and is_dict(right):
            return _equal_dicts(left, right) == (name == "eq")
    return _PLAIN[name](left, right)


_ITEMS: Final[Any] = type({}.items())
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


def _equal_dicts(left: Any, right: Any) -> bool:
    return len(left) == len(right) and all(
        holds(right, key) and eq(value, look_up(right, key)) for key, value in left.items()
    )


def eq(left: Any, right: Any) -> Any:
    """left == right"""
    if type(right) in SYMBOLIC or SEEN:
        return _slow("eq", left, right)
    return left == right


def ne(left: Any, right: Any) -> Any:
    """left != right"""
    if type(right) in SYMBOLIC or SEEN:
        return _slow("ne", left, right)
    return left != right


def lt(left: Any, right: Any) -> Any:
    """left < right"""
    if type(right) in SYMBOLIC or SEEN:
        return _slow("lt", left, right)
    return left < right


def le(left: Any, right: Any) -> Any:
    """left <= right"""
    if type(right) in SYMBOLIC or SEEN:
        return _slow("le", left, right)
    return left <= right


def gt(left: Any, right: Any) -> Any:
    """left > right"""
    if type(right) in SYMBOLIC or SEEN:
        return _slow("gt", left, right)
    return left > right


def ge(left: Any, right: Any) -> Any:
    """left >= right"""
    if type(right) in SYMBOLIC or SEEN:
        return _slow("ge", left, right)
    return left >= right
