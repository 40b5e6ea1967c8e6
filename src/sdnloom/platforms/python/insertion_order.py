"""Insertion order of dicts in plain-Python programs: which dicts a handler iterates over, and their other orders.

A core keeps the items of dicts sorted, so that states which differ only in insertion order are one. That is right as
long as no handler depends on the order, so a handler that iterates over a dict runs again with the items in other
orders. Law: if no handler depends on an order, a search with sorted items finds what a search with real ones would.
Limit: of more than `MOST_ORDERS` orders only some are tried. Code that reads a dict past its methods
(`dict.keys(table)`) goes unnoticed.
"""

import itertools
import math
import random
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from sdnloom.platforms.capture.freeze import Frozen, Rows

MOST_ORDERS = 8  # other orders that are tried for one reaction
_SHOWS_ORDER = (
    "__iter__", "__reversed__", "__repr__", "__copy__", "__or__", "__ror__", "__reduce__", "__reduce_ex__",
    "keys", "values", "items", "copy", "popitem",
)  # fmt: skip
Arrangement = Mapping[int, Sequence[int]]  # dict by number -> the places of its items in the new order


class OrderWatch:
    """Makes the dicts of a state so that they record iterations over them. Dicts are numbered as they are thawed."""

    def __init__(self) -> None:
        self.sizes: list[int] = []
        self.seen: set[int] = set()

    def new_dict(self, kind: Any, size: int) -> Any:
        """A new, empty dict of that type for so many items."""
        number = len(self.sizes)
        self.sizes.append(size)
        if size < 2 or issubclass(kind, OrderedDict):
            return kind.__new__(kind)
        watched: Any = _WATCHED.get(kind)
        if watched is None:
            self.seen.add(number)  # a class of the program's own may do anything
            return kind.__new__(kind)
        made = watched.__new__(watched)
        made.seen, made.number = self.seen, number
        return made

    def see(self, dicts: Iterable[Any]) -> None:
        """Count dicts as iterated over, except for those whose order cannot matter."""
        self.seen |= {each.number for each in dicts if type(each) in _WATCHED.values()}

    def arrangements(self) -> tuple[list[Arrangement], bool]:
        """Other orders of the dicts that were iterated over, the reverse first, and whether these are all."""
        numbers = sorted(self.seen)
        total = math.prod(math.factorial(self.sizes[number]) for number in numbers) - 1
        if total <= MOST_ORDERS:
            return list(self._all(numbers))[:0:-1], True
        chance = random.Random(0)
        found: list[Arrangement] = [{number: range(self.sizes[number])[::-1] for number in numbers}]
        while len(found) < MOST_ORDERS:
            found.append({n: chance.sample(range(self.sizes[n]), self.sizes[n]) for n in numbers})
        return found, False

    def _all(self, numbers: Sequence[int]) -> Iterator[Arrangement]:
        for orders in itertools.product(*(itertools.permutations(range(self.sizes[number])) for number in numbers)):
            yield dict(zip(numbers, orders, strict=True))


def arranged(rows: Rows, arrangement: Arrangement) -> Rows:
    """The frozen attributes with the items of these dicts in other orders."""
    return _Arranger(arrangement).rows(rows)


class _Arranger:
    """Visits dicts in the order in which they are thawed."""

    def __init__(self, arrangement: Arrangement) -> None:
        self._arrangement, self._next = arrangement, 0

    def rows(self, rows: Rows) -> Rows:
        return tuple((name, self.value(each)) for name, each in rows)

    def value(self, frozen: Any) -> Any:
        if type(frozen) is not Frozen or frozen.kind in ("same", "frozenset"):
            return frozen
        kind, items, extra = frozen
        if isinstance(kind, str):
            return Frozen(kind, tuple(map(self.value, items)) if kind == "tuple" else items)
        option, rows = extra
        if issubclass(kind, dict):
            number, self._next = self._next, self._next + 1
            pairs = [(self.value(key), self.value(each)) for key, each in items]
            items = tuple(pairs[place] for place in self._arrangement.get(number, range(len(pairs))))
        elif not issubclass(kind, set | bytearray):
            items = tuple(map(self.value, items))
        return Frozen(kind, items, (option, self.rows(rows)))


def _watching(base: type, name: str) -> Callable[..., Any]:
    original = getattr(base, name)

    def method(self: Any, *arguments: Any, **named: Any) -> Any:
        self.seen.add(self.number)
        return original(self, *arguments, **named)

    return method


def _watched(base: type) -> type:
    methods: dict[str, Any] = {name: _watching(base, name) for name in _SHOWS_ORDER if hasattr(base, name)}
    methods |= {"__slots__": ("number", "seen"), "recorded_kind": base, "watched_kind": base}
    return type(base.__name__, (base,), methods)


_WATCHED: Mapping[type, type] = {base: _watched(base) for base in (dict, defaultdict)}
