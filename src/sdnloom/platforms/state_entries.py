"""The state of a program's objects as text that people read: one entry per value, each item of a dict by itself.

Objects are read as the capture of states reads them: by the methods of built-in types and by their attributes, never by
code of the program (no `__repr__`, no property). Entries of equal states are equal, whatever the hash seed is.

Limits: values are cut after `MOST_VALUE_TEXT` characters, tables after `MOST_ITEMS` items, and nothing is followed
deeper than `MOST_NESTING`; what is left out is said.
"""

import array
import collections
import datetime
import decimal
import ipaddress
import logging
import re
import types
from collections.abc import Collection, Iterable, Iterator, Mapping
from enum import Enum
from typing import Any

from sdnloom.engine.stable_text import printable_text
from sdnloom.network.program import StateEntry

MOST_VALUE_TEXT = 120
MOST_ITEMS = 200
MOST_NESTING = 8
MOST_ELEMENTS = 10_000  # of a container that is looked into
_WAITS = "waits"
_LINE = 60  # characters of a sequence that is written on one line
_HIDDEN = (types.ModuleType, logging.Logger, logging.LoggerAdapter)
_CODE = (types.FunctionType, types.BuiltinFunctionType, types.MethodType, type, classmethod, staticmethod, property)
_SETS = (set, frozenset)
_SEQUENCES = (list, tuple, collections.deque, array.array)
_CONTAINERS: tuple[Any, ...] = (dict, *_SETS, *_SEQUENCES)
_TEXTS = (
    *(ipaddress.IPv4Address, ipaddress.IPv6Address, ipaddress.IPv4Network, ipaddress.IPv6Network),
    *(datetime.datetime, datetime.date, datetime.time, datetime.timedelta, decimal.Decimal, range),
)
_PLAIN = re.compile(r"(?!\d+$)[\w:./-]+")  # texts that need no quotes: names and addresses, not numbers


def waiting_entries(lines: Iterable[str]) -> tuple[StateEntry, ...]:
    """The lines of code that wait for a timer, as entries."""
    return tuple(StateEntry(_WAITS, f"{_WAITS}[{number}]", line) for number, line in enumerate(lines, 1))


class StateReader:
    """Reads the objects of one program.

    Objects of classes that `own` modules define are shown by their attributes, others by the name of their class.
    `hidden` are attributes that the framework gives every app, and `known` names of objects, by their ids.
    """

    def __init__(
        self, own: Collection[str], hidden: Collection[str] = (), known: Mapping[int, str] | None = None
    ) -> None:
        self._own, self._hidden, self._known = frozenset(own), frozenset(hidden), dict(known or {})

    def entries(self, holders: Mapping[str, Any]) -> tuple[StateEntry, ...]:
        """The attributes of these objects; with the names of the objects if there are several."""
        found: list[StateEntry] = []
        seen = {id(holder): name for name, holder in holders.items()}
        for name, holder in holders.items():
            before = f"{name}." if len(holders) > 1 else ""
            for attribute, value in _attributes(holder):
                if attribute not in self._hidden:
                    found += self._entries(f"{before}{attribute}", value, seen)
        return tuple(found)

    def value(self, name: str, value: Any) -> tuple[StateEntry, ...]:
        """The entries of a value of that name."""
        return self._entries(name, value, {})

    def variables(self, modules: Mapping[str, Any]) -> list[tuple[str, tuple[StateEntry, ...]]]:
        """The variables of modules and of the classes that they define, each with its entries."""
        found = []
        seen: dict[int, str] = {}
        for module in modules.values():
            names = _names(module)
            classes = [
                (f"{name}.", each) for name, each in names if isinstance(each, type) and _home(each) in self._own
            ]
            for before, owner in [("", module), *classes]:
                for name, value in _names(owner):
                    if not issubclass(type(value), _CODE):
                        entries = self._entries(f"{before}{name}", value, seen)
                        found.append((f"{module.__name__}:{before}{name}", entries))
        return found

    def _entries(self, name: str, value: Any, seen: dict[int, str]) -> tuple[StateEntry, ...]:
        if issubclass(type(value), _HIDDEN):
            return ()
        rows = list(self._rows(name, value, seen, 0))
        kept = [StateEntry(name, place, text) for place, text in rows[:MOST_ITEMS]]
        if len(rows) > MOST_ITEMS:
            kept.append(StateEntry(name, f"{name}...", f"and {len(rows) - MOST_ITEMS:,} more entries"))
        return tuple(kept)

    def _rows(self, place: str, value: Any, seen: dict[int, str], depth: int) -> Iterator[tuple[str, str]]:
        """The places below a value with their texts."""
        brief = self._brief(value)
        if brief is None and id(value) in seen:
            brief = f"same as {seen[id(value)]}"
        elif brief is None and depth >= MOST_NESTING:
            brief = "..."
        elif brief is None:
            seen[id(value)] = place
            brief = self._line(value)
        if brief is not None:
            yield place, brief
        elif issubclass(type(value), _SETS):
            yield from ((f"{text} in {place}", "True") for text in self._elements(value))
        else:
            for below, each in self._inside(place, value):
                yield from self._rows(below, each, seen, depth + 1)

    def _brief(self, value: Any) -> str | None:
        """The text of a value without others in it; None if it has to be looked into."""
        kind = type(value)
        if id(value) in self._known:
            return self._known[id(value)]
        if value is None or kind in (bool, int, float, complex):
            return repr(value)
        if issubclass(kind, Enum):
            return f"{kind.__name__}.{object.__getattribute__(value, '_name_')}"
        if issubclass(kind, str):
            return _cut(repr(str.__str__(value)))
        if issubclass(kind, bytes | bytearray):
            return _octets(bytes(memoryview(value)))
        if issubclass(kind, int | float):
            return int.__repr__(value) if issubclass(kind, int) else float.__repr__(value)
        if kind in _TEXTS:
            return _cut(str(value))
        if issubclass(kind, types.FunctionType | types.MethodType):
            return _cut((value.__func__ if kind is types.MethodType else value).__qualname__)
        if issubclass(kind, type):
            return _cut(type.__dict__["__qualname__"].__get__(value))
        if (base := next((each for each in _CONTAINERS if issubclass(kind, each)), None)) is not None:
            count = base.__len__(value)
            return None if count <= MOST_ELEMENTS else f"<{kind.__name__} of {count:,} elements>"
        if self._is_own(kind):
            return None
        return f"<{kind.__name__}>"

    def _inside(self, place: str, value: Any) -> Iterator[tuple[str, Any]]:
        """The values in a container or an object of the program, with their places; dicts sorted by their keys."""
        kind = type(value)
        if issubclass(kind, dict):
            keyed = [(self._key(key), each) for key, each in dict.items(value)]
            yield from ((f"{place}[{key}]", each) for key, each in sorted(keyed, key=lambda pair: _in_order(pair[0])))
        elif _field_names(kind):
            names = zip(_field_names(kind), tuple.__iter__(value), strict=False)
            yield from ((f"{place}.{name}", each) for name, each in names)
        elif (base := next((each for each in _SEQUENCES if issubclass(kind, each)), None)) is not None:
            yield from ((f"{place}[{number}]", each) for number, each in enumerate(base.__iter__(value)))
        if not issubclass(kind, tuple) and self._is_own(kind):
            for name, each in _attributes(value):
                if not issubclass(type(each), _HIDDEN):
                    yield f"{place}.{name}", each

    def _elements(self, value: Any) -> list[str]:
        """The elements of a set as texts, in order."""
        base = set if issubclass(type(value), set) else frozenset
        return sorted((self._key(each) for each in base.__iter__(value)), key=_in_order)

    def _line(self, value: Any) -> str | None:
        """A short sequence or set of plain values, or an empty value, on one line; None if it is something else."""
        kind = type(value)
        if issubclass(kind, _SETS):
            text = f"{{{', '.join(self._elements(value))}}}"
            return ("an empty set" if text == "{}" else text) if len(text) <= _LINE else None
        inside = list(self._inside("", value))
        if not inside:
            first = "{}" if issubclass(kind, dict) else "()" if issubclass(kind, tuple) else "[]"
            return first if issubclass(kind, _CONTAINERS) else f"<{kind.__name__}>"
        texts = [self._brief(each) for _, each in inside]
        if not issubclass(kind, _SEQUENCES) or None in texts or (self._is_own(kind) and not _field_names(kind)):
            return None
        shown = ", ".join(filter(None, texts))
        if _field_names(kind):
            named = zip(_field_names(kind), filter(None, texts), strict=False)
            text = f"{kind.__name__}({', '.join(map('='.join, named))})"
        else:
            text = f"({shown})" if issubclass(kind, tuple) else f"[{shown}]"
        return text if len(text) <= _LINE else None

    def _key(self, key: Any, depth: int = 0) -> str:
        """A key of a dict, or an element of a set, as text; names and addresses have no quotes."""
        kind = type(key)
        if issubclass(kind, str) and _PLAIN.fullmatch(text := str.__str__(key)):
            return _cut(text)
        if issubclass(kind, tuple | frozenset) and depth < MOST_NESTING:
            base = tuple if issubclass(kind, tuple) else frozenset
            parts = [self._key(each, depth + 1) for each in base.__iter__(key)]
            return _cut(f"({', '.join(parts)})" if base is tuple else f"{{{', '.join(sorted(parts))}}}")
        brief = self._brief(key)
        if brief is None:
            shown = ", ".join(f"{name}={self._brief(each) or '...'}" for name, each in _attributes(key))
            brief = _cut(f"{kind.__name__}({shown})")
        return brief

    def _is_own(self, kind: type) -> bool:
        return any(_home(each) in self._own for each in kind.__mro__[:-1])


def _attributes(value: Any) -> list[tuple[str, Any]]:
    """The attributes of an object and its slots, by name, read below any code of its class."""
    found: dict[str, Any] = {}
    kind = type(value)
    if kind.__dictoffset__:
        found.update(object.__getattribute__(value, "__dict__"))
    for each in kind.__mro__:
        for name, descriptor in each.__dict__.items():
            if type(descriptor) is types.MemberDescriptorType:
                try:
                    found[name] = descriptor.__get__(value, kind)
                except AttributeError:  # not set
                    continue
    return sorted(((name, each) for name, each in found.items() if type(name) is str), key=lambda pair: pair[0])


def _names(owner: Any) -> list[tuple[str, Any]]:
    """The names of a module or class and their values, without those of Python."""
    found = [(name, each) for name, each in vars(owner).items() if not name.startswith("__")]
    return sorted(found, key=lambda pair: pair[0])


def _home(kind: type) -> str:
    found = kind.__dict__.get("__module__")
    return found if isinstance(found, str) else ""


def _field_names(kind: type) -> tuple[str, ...]:
    """The names of the fields of a named tuple; none for another type."""
    found = next((each.__dict__["_fields"] for each in kind.__mro__ if "_fields" in each.__dict__), ())
    return found if issubclass(kind, tuple) and type(found) is tuple else ()


def _cut(text: str) -> str:
    text = printable_text(text)
    return text if len(text) <= MOST_VALUE_TEXT else f"{text[: MOST_VALUE_TEXT - 3]}..."


def _octets(value: bytes) -> str:
    """Printable octets as text, six others as an address, the rest in hexadecimal."""
    if value.isascii() and value.decode("ascii").isprintable():
        return _cut(repr(value))
    if len(value) == 6:
        return value.hex(":")
    return (
        f"0x{value.hex()}" if len(value) * 2 < MOST_VALUE_TEXT else f"0x{value[:40].hex()}... ({len(value):,} octets)"
    )


def _in_order(key: str) -> tuple[int, int, str]:
    """Numbers by value, then texts."""
    return (0, int(key), "") if key.removeprefix("-").isdecimal() and len(key) < 40 else (1, 0, key)
