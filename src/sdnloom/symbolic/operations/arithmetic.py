"""The binary operators of rewritten code.

Only a symbolic right operand needs help: a plain left operand of another class than int, such as a bool or a float,
would compute the result without it. Sets with symbolic elements are combined by comparing elements.
"""

import operator
from collections.abc import Callable
from typing import Any, Final

from sdnloom.symbolic.operations.builtin_calls import REPLACEMENTS
from sdnloom.symbolic.operations.format import format_percent
from sdnloom.symbolic.operations.keys import SYMBOLIC_KEYS, has_symbolic_keys, is_dict, is_keys_view, is_set, make_set
from sdnloom.symbolic.operations.methods import METHODS
from sdnloom.symbolic.values.make import SIMPLE, SYMBOLIC, concretise_all

_ON_SETS: Final = {"and": "intersection", "or": "union", "sub": "difference", "xor": "symmetric_difference"}


def _apply(name: str, left: Any, right: Any) -> Any:
    """Return `left operator right` where the right one is symbolic or a container may hold symbolic elements."""
    if (
        type(right) in SYMBOLIC
        and isinstance(left, int | float)
        and type(left) is not int
        and type(left) not in SYMBOLIC
    ):
        method = getattr(right, f"__r{name}__", None)
        found = NotImplemented if method is None else method(left)
        if found is not NotImplemented:
            return found
    if name in _ON_SETS and (is_keys_view(left) or is_keys_view(right)) and has_symbolic_keys():
        left, right = make_set(left), make_set(right)
    if name in _ON_SETS and is_set(left) and is_set(right) and has_symbolic_keys():
        return METHODS[set][_ON_SETS[name]](left, right)
    if has_symbolic_keys() and name == "or" and is_dict(left) and is_dict(right):
        return REPLACEMENTS[dict](left, right)
    return _PLAIN[name](left, right)


def _apply_in_place(name: str, left: Any, right: Any) -> Any:
    if type(left) is bytearray:
        concretise_all(right, f"{name} of a bytearray that rewritten code did not make")
    elif has_symbolic_keys() and isinstance(left, set) and name in _ON_SETS and is_set(right):
        METHODS[set]["update" if name == "or" else f"{_ON_SETS[name]}_update"](left, right)
        return left
    elif has_symbolic_keys() and name == "or" and is_dict(left):
        METHODS[dict]["update"](left, right)
        return left
    elif isinstance(left, int | float):
        return _apply(name, left, right)
    return _IN_PLACE[name](left, right)


_NAMES: Final = ("add", "sub", "mul", "floordiv", "truediv", "pow", "lshift", "rshift", "and", "or", "xor", "mod")
_PLAIN: Final[dict[str, Callable[[Any, Any], Any]]] = {name: getattr(operator, f"__{name}__") for name in _NAMES}
_IN_PLACE: Final[dict[str, Callable[[Any, Any], Any]]] = {name: getattr(operator, f"__i{name}__") for name in _NAMES}


def add(left: Any, right: Any) -> Any:
    """left + right"""
    if type(right) in SYMBOLIC or SYMBOLIC_KEYS:
        return _apply("add", left, right)
    return left + right


def iadd(left: Any, right: Any) -> Any:
    """left += right"""
    if type(right) in SYMBOLIC or SYMBOLIC_KEYS or type(left) is bytearray:
        return _apply_in_place("add", left, right)
    left += right
    return left


def sub(left: Any, right: Any) -> Any:
    """left - right"""
    if type(right) in SYMBOLIC or SYMBOLIC_KEYS:
        return _apply("sub", left, right)
    return left - right


def isub(left: Any, right: Any) -> Any:
    """left -= right"""
    if type(right) in SYMBOLIC or SYMBOLIC_KEYS or type(left) is bytearray:
        return _apply_in_place("sub", left, right)
    left -= right
    return left


def mul(left: Any, right: Any) -> Any:
    """left * right"""
    if type(right) in SYMBOLIC or SYMBOLIC_KEYS:
        return _apply("mul", left, right)
    return left * right


def imul(left: Any, right: Any) -> Any:
    """left *= right"""
    if type(right) in SYMBOLIC or SYMBOLIC_KEYS or type(left) is bytearray:
        return _apply_in_place("mul", left, right)
    left *= right
    return left


def floordiv(left: Any, right: Any) -> Any:
    """left // right"""
    if type(right) in SYMBOLIC or SYMBOLIC_KEYS:
        return _apply("floordiv", left, right)
    return left // right


def ifloordiv(left: Any, right: Any) -> Any:
    """left //= right"""
    if type(right) in SYMBOLIC or SYMBOLIC_KEYS or type(left) is bytearray:
        return _apply_in_place("floordiv", left, right)
    left //= right
    return left


def truediv(left: Any, right: Any) -> Any:
    """left / right"""
    if type(right) in SYMBOLIC or SYMBOLIC_KEYS:
        return _apply("truediv", left, right)
    return left / right


def itruediv(left: Any, right: Any) -> Any:
    """left /= right"""
    if type(right) in SYMBOLIC or SYMBOLIC_KEYS or type(left) is bytearray:
        return _apply_in_place("truediv", left, right)
    left /= right
    return left


def pow_(left: Any, right: Any) -> Any:
    """left ** right"""
    if type(right) in SYMBOLIC or SYMBOLIC_KEYS:
        return _apply("pow", left, right)
    return left**right


def ipow(left: Any, right: Any) -> Any:
    """left **= right"""
    if type(right) in SYMBOLIC or SYMBOLIC_KEYS or type(left) is bytearray:
        return _apply_in_place("pow", left, right)
    left **= right
    return left


def lshift(left: Any, right: Any) -> Any:
    """left << right"""
    if type(right) in SYMBOLIC or SYMBOLIC_KEYS:
        return _apply("lshift", left, right)
    return left << right


def ilshift(left: Any, right: Any) -> Any:
    """left <<= right"""
    if type(right) in SYMBOLIC or SYMBOLIC_KEYS or type(left) is bytearray:
        return _apply_in_place("lshift", left, right)
    left <<= right
    return left


def rshift(left: Any, right: Any) -> Any:
    """left >> right"""
    if type(right) in SYMBOLIC or SYMBOLIC_KEYS:
        return _apply("rshift", left, right)
    return left >> right


def irshift(left: Any, right: Any) -> Any:
    """left >>= right"""
    if type(right) in SYMBOLIC or SYMBOLIC_KEYS or type(left) is bytearray:
        return _apply_in_place("rshift", left, right)
    left >>= right
    return left


def and_(left: Any, right: Any) -> Any:
    """left & right"""
    if type(right) in SYMBOLIC or SYMBOLIC_KEYS:
        return _apply("and", left, right)
    return left & right


def iand(left: Any, right: Any) -> Any:
    """left &= right"""
    if type(right) in SYMBOLIC or SYMBOLIC_KEYS or type(left) is bytearray:
        return _apply_in_place("and", left, right)
    left &= right
    return left


def or_(left: Any, right: Any) -> Any:
    """left | right"""
    if type(right) in SYMBOLIC or SYMBOLIC_KEYS:
        return _apply("or", left, right)
    return left | right


def ior(left: Any, right: Any) -> Any:
    """left |= right"""
    if type(right) in SYMBOLIC or SYMBOLIC_KEYS or type(left) is bytearray:
        return _apply_in_place("or", left, right)
    left |= right
    return left


def xor(left: Any, right: Any) -> Any:
    """left ^ right"""
    if type(right) in SYMBOLIC or SYMBOLIC_KEYS:
        return _apply("xor", left, right)
    return left ^ right


def ixor(left: Any, right: Any) -> Any:
    """left ^= right"""
    if type(right) in SYMBOLIC or SYMBOLIC_KEYS or type(left) is bytearray:
        return _apply_in_place("xor", left, right)
    left ^= right
    return left


def mod(left: Any, right: Any) -> Any:
    """left % right"""
    if type(right) in SIMPLE and not SYMBOLIC_KEYS:
        return left % right
    if type(left) is str or type(left) is bytes:
        simple = type(right) is tuple and SIMPLE.issuperset(map(type, right))
        return left % right if simple else format_percent(left, right)
    return _apply("mod", left, right)


def imod(left: Any, right: Any) -> Any:
    """left %= right"""
    return mod(left, right) if isinstance(left, str | bytes) else _apply_in_place("mod", left, right)
