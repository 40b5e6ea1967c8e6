"""Constructors of symbolic values (an int, str or bytes with a term), and functions on values of any kind.

`symbolic_int`, `symbolic_text` and `symbolic_bytes` make inputs of a run; everything else follows from them.
"""

import contextlib
from collections import deque
from types import MemberDescriptorType
from typing import Any, Final

from sdnloom.symbolic.terms.constructors import Term
from sdnloom.symbolic.values.number_styles import (
    DECIMAL,
    IPV4,
    IPV6,
    MAC,
    IntegerStyle,
    Ipv6Style,
    MacStyle,
    NumberStyle,
)
from sdnloom.symbolic.values.sym_bytearray import SymByteArray
from sdnloom.symbolic.values.sym_bytes import SymBytes, bytes_of_octets, bytes_of_term, octet_terms
from sdnloom.symbolic.values.sym_float import SymFloat, concrete_float, float_of_int
from sdnloom.symbolic.values.sym_int import SymInt, make_int
from sdnloom.symbolic.values.sym_sequence import SymSequence
from sdnloom.symbolic.values.sym_str import SymStr, text_of_number, text_of_units

__all__ = [
    "DECIMAL",
    "IPV4",
    "IPV6",
    "MAC",
    "SIMPLE",
    "SYMBOLIC",
    "IntegerStyle",
    "Ipv6Style",
    "MacStyle",
    "NumberStyle",
    "SymByteArray",
    "SymBytes",
    "SymFloat",
    "SymInt",
    "SymSequence",
    "SymStr",
    "as_symbolic",
    "concrete",
    "concretise_all",
    "float_of_int",
    "has_attributes",
    "has_symbolic",
    "octet_terms",
    "register_attributes",
    "stored_attributes",
    "symbolic_bytes",
    "symbolic_int",
    "symbolic_text",
    "writes_itself",
]  # fmt: skip

SYMBOLIC: Final = frozenset((SymInt, SymFloat, SymStr, SymBytes))
_MAX_DEPTH: Final = 8
# The `__iter__` of containers that can be iterated without consuming them and without running code of the program.
_CONTAINERS: Final[tuple[Any, ...]] = (
    list, tuple, set, frozenset, deque, type({}.keys()), type({}.values()), type({}.items())
)  # fmt: skip
_SEQUENCES: Final[tuple[Any, ...]] = (list, tuple, set, frozenset, deque)
_CONTAINER_ITERATORS: Final = frozenset(kind.__iter__ for kind in _CONTAINERS)
SIMPLE: Final = frozenset((int, str, bytes, bool, float, type(None)))
# Classes whose instances count as symbolic if an attribute is, such as the addresses of a library.
_WITH_ATTRIBUTES: Final[set[type]] = set()


def symbolic_int(value: int, term: Term) -> int:
    """Return an unsigned int with this value in this run and this term."""
    return make_int(value, term)


def symbolic_bytes(value: bytes, term: Term | tuple[Term, ...]) -> bytes:
    """Return bytes with this value in this run and the bits of this term, most significant first.

    For many runs, the `octet_terms` of the term may be given instead.
    """
    return bytes_of_octets(value, term) if isinstance(term, tuple) else bytes_of_term(value, term)


def symbolic_text(value: str, term: Term, style: NumberStyle | None = None) -> str:
    """Return the text that a style writes for the term; without a style, each 8 bits of the term are a character."""
    if style is not None:
        number = style.parse(value)
        if number is None:
            raise ValueError(f"{value!r} is not how {style} writes a number")
        return text_of_number(make_int(number, term), style)
    encoded = value.encode("latin-1")
    symbolic = bytes_of_term(encoded, term)
    return text_of_units(value, symbolic.units()) if isinstance(symbolic, SymBytes) else value


def register_attributes(kind: type) -> None:
    """Let instances of a class count as symbolic if an attribute is."""
    _WITH_ATTRIBUTES.add(kind)


def has_attributes(kind: type) -> bool:
    """Return whether instances of a class, or of one of its bases, count as symbolic if an attribute is."""
    return any(each in _WITH_ATTRIBUTES for each in kind.__mro__)


def writes_itself(kind: type) -> bool:
    """Return whether instances of a class are written by Python code that follows symbolic attributes."""
    return kind in _WITH_ATTRIBUTES


def stored_attributes(value: Any) -> dict[str, Any]:
    """Return the attributes of an object that are stored in it, in its dict or in slots."""
    found = dict(getattr(value, "__dict__", ()))
    for kind in type(value).__mro__:
        for name, each in vars(kind).items() if "__slots__" in vars(kind) else ():
            if isinstance(each, MemberDescriptorType):
                with contextlib.suppress(AttributeError):  # not set
                    found[name] = each.__get__(value)
    return found


def _concrete_copy(value: Any) -> Any:
    """Return a copy of an object with concrete attributes."""
    copied = object.__new__(type(value))
    for name, each in stored_attributes(value).items():
        object.__setattr__(copied, name, concrete(each))
    return copied


def concrete(value: Any) -> Any:
    """Return a value without its term, or a container with concrete elements; anything else as it is."""
    kind = type(value)
    if kind is SymInt:
        return int.__int__(value)
    if kind is SymFloat:
        return concrete_float(value)
    if kind is SymStr or kind is SymBytes:
        return value.concrete()
    if kind is SymByteArray:
        return bytearray(bytes(memoryview(value)))
    if kind in _WITH_ATTRIBUTES:
        return _concrete_copy(value) if has_symbolic(value) else value
    if kind in (list, tuple, set, frozenset):
        return kind(concrete(each) for each in value)
    if kind is dict:
        return {concrete(key): concrete(each) for key, each in value.items()}
    if isinstance(value, tuple) and hasattr(kind, "_make"):  # a named tuple
        return kind._make(concrete(each) for each in value)
    if kind is deque:
        return deque(map(concrete, value), value.maxlen)
    return value


def has_symbolic(value: Any, depth: int = _MAX_DEPTH) -> bool:
    """Return whether a value is symbolic, or a container with a symbolic element, up to a depth."""
    kind = type(value)
    if kind in SYMBOLIC:
        return True
    if kind is SymByteArray:
        return bool(value.tracks())
    if not depth:
        return False
    if getattr(kind, "__iter__", None) in _CONTAINER_ITERATORS:
        for each in value:
            if type(each) not in SIMPLE and has_symbolic(each, depth - 1):
                return True
    elif isinstance(value, dict):
        for key, each in value.items():
            if type(key) not in SIMPLE and has_symbolic(key, depth - 1):
                return True
            if type(each) not in SIMPLE and has_symbolic(each, depth - 1):
                return True
    elif isinstance(value, _SEQUENCES):  # a subclass with its own `__iter__`, which is not called
        base = next(each for each in _SEQUENCES if isinstance(value, each))
        return any(has_symbolic(each, depth - 1) for each in base.__iter__(value))
    elif kind in _WITH_ATTRIBUTES:
        return any(has_symbolic(each, depth - 1) for each in stored_attributes(value).values())
    return False


def concretise_all(value: Any, construct: str, depth: int = _MAX_DEPTH) -> None:
    """Concretise a value and all elements of a container, up to a depth, because of the construct."""
    kind = type(value)
    if kind in SYMBOLIC or kind is SymByteArray:
        value.concretise(construct)
    elif depth and getattr(kind, "__iter__", None) in _CONTAINER_ITERATORS:
        for each in value:
            concretise_all(each, construct, depth - 1)
    elif depth and isinstance(value, dict):
        for key, each in value.items():
            concretise_all(key, construct, depth - 1)
            concretise_all(each, construct, depth - 1)
    elif depth and isinstance(value, _SEQUENCES):
        for each in next(each for each in _SEQUENCES if isinstance(value, each)).__iter__(value):
            concretise_all(each, construct, depth - 1)
    elif depth and kind in _WITH_ATTRIBUTES:
        for each in stored_attributes(value).values():
            concretise_all(each, construct, depth - 1)


def as_symbolic(value: Any) -> Any:
    """Return plain text or bytes as a symbolic value with constant units, in order to call its methods."""
    if isinstance(value, str):
        symbolic = str.__new__(SymStr, value)
        symbolic.pieces = (str(value),)
        return symbolic
    found = bytes.__new__(SymBytes, bytes(value))
    found._units = tuple(bytes(value))
    return found
