"""A canonical digest of an object graph: equal for states that a program cannot tell apart, in any process.

Objects are numbered in the order of a canonical walk, so addresses do not count, and shared objects differ from equal
ones. A dict or set is walked in the order of its keys' texts, so neither insertion order nor hash seeds count (the
order of an OrderedDict does). Types count: 1, 1.0 and True differ. Immutable values have no identity.

Two elements of a set can look alike and differ only in which objects refer to them; `colour_refinement` tells them
apart. Limit: a state of alike objects that refer to each other as a regular graph may get several digests. That costs a
search time, never a wrong verdict.
"""

import hashlib
import operator
from collections.abc import Callable, Collection, Mapping
from itertools import pairwise
from types import FunctionType, ModuleType
from typing import Any

from sdnloom.platforms.capture.colour_refinement import VALUES, ColourRefinement
from sdnloom.platforms.capture.save_restore import ATOMS, DICT, CaptureError, Form
from sdnloom.platforms.capture.snapshot import Scope
from sdnloom.platforms.capture.stable_labels import atom_text, label
from sdnloom.platforms.capture.type_rules import ways

MAX_TOKENS = 5_000_000
MAX_DEPTH = 50  # of objects that are keys of dicts inside keys of dicts ...
_SORTABLE = {str, int, bytes}
_FIRST = operator.itemgetter(0)

Opaque = Callable[[Any], Any]
KeyOrder = tuple[int, tuple[int, ...]]  # the number of a dict in the walk, and the places of its sorted keys


def digest(roots: Mapping[str, Any], scope: Scope, masked: Collection[str] = (), opaque: Opaque | None = None) -> bytes:
    """Return 16 bytes that depend on the state only.

    Values under a masked name ("xid", or "Datapath.xid" for one class) do not count. `opaque` returns a value to
    digest for an object that cannot be captured (`frames_view`, or a text); without it there is a CaptureError.
    """
    text = canonical_text(roots, scope, masked, opaque)
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def canonical_text(
    roots: Mapping[str, Any],
    scope: Scope,
    masked: Collection[str] = (),
    opaque: Opaque | None = None,
    orders: list[KeyOrder] | None = None,
) -> str:
    """Return the text that is digested, for finding the difference of two states.

    The insertion orders of dicts, which the text leaves out, are added to `orders` unless they are the canonical ones.
    """
    try:
        return Writer(roots, scope, frozenset(masked), opaque or _refuse, orders=orders).text()
    except RecursionError:
        raise CaptureError("the state has tuples or keys nested too deep; expected a flatter state") from None


def _refuse(target: Any) -> Any:
    why = ways(target)
    raise CaptureError(f"the state holds {why}; expected state that can be digested")


Item = str | tuple[Any]  # finished text, or an object still to be written


class Writer:
    """One canonical walk."""

    def __init__(
        self,
        roots: Mapping[str, Any],
        scope: Scope,
        masked: frozenset[str],
        opaque: Opaque,
        known: Mapping[int, int] | None = None,
        depth: int = 0,
        orders: list[KeyOrder] | None = None,
    ) -> None:
        self._roots, self._scope, self._masked, self._opaque = roots, scope, masked, opaque
        self._known = {} if known is None else known  # numbers given by the walk that this one is part of
        self._numbers: dict[int, int] = {}
        self._plain = scope.plain_kinds
        self._depth = depth
        self._alive: list[Any] = []
        self._orders, self._dicts = orders, 0

    @property
    def numbers(self) -> Mapping[int, int]:
        """Return the numbers of the objects that were met, by id; they live as long as the roots and the writer."""
        return self._numbers

    def text(self) -> str:
        """Return the text of the roots, in the order of their names."""
        todo: list[Item] = []
        for name in sorted(self._roots, reverse=True):
            todo += [";", self._item(self._roots[name]), name + "="]
        return self._write(todo)

    def _write(self, todo: list[Item]) -> str:
        out: list[str] = []
        while todo:
            item = todo.pop()
            if item.__class__ is str:
                out.append(item)
                continue
            items = self._expand(item[0])
            items.reverse()
            todo += items
            if len(out) > MAX_TOKENS:
                raise CaptureError(f"the state has more than {MAX_TOKENS} parts; expected a smaller state")
        return "".join(out)

    def _item(self, target: Any) -> Item:
        return atom_text(target) if type(target) in ATOMS else (target,)

    def _reference(self, target: Any) -> str | None:
        """Return the reference to an object that has no text of its own, or whose text was written before."""
        key = id(target)
        if key in self._scope.names:
            return f"@{self._scope.names[key]}"
        if key in self._numbers:
            return f"#{self._numbers[key]}"
        if key in self._known:
            return f"^{self._known[key]}"
        if isinstance(target, type | ModuleType | FunctionType) and self._scope.is_foreign(target):
            return f"&{label(target)}"
        return None

    def _expand(self, target: Any) -> list[Item]:
        key, kind = id(target), type(target)
        plain = self._plain[kind] if kind in self._plain else self._scope.plain(kind)
        if plain is None or key in self._scope.names or key in self._numbers or key in self._known:
            found = self._reference(target)
            if found is not None:
                return [found]
        if kind not in VALUES:
            self._numbers[key] = len(self._numbers)
        if plain is not None:
            name, how = plain
            items: list[Item] = [name]
        else:
            ways_of = ways(target)
            if isinstance(ways_of, str):
                view = self._opaque(target)
                self._alive.append(view)
                return [f"!{label(target)}!", self._item(view)]
            how = ways_of
            items = [label(target)]
            if self._scope.is_own(kind):
                items.append((kind,))
        for aspect in how:
            saved = aspect.save(target)
            self._alive.append(saved)  # numbers go by id, so nothing may be freed during the walk
            form = aspect.form
            if form is Form.MAP:
                rows = self._rows(saved)
                if aspect is DICT and self._orders is not None:
                    self._note_order(saved, rows)
                self._expand_map(rows, kind.__qualname__, items)
            elif form is Form.TEXT:
                items.append(f"({saved})")
            else:
                elements = list(saved)
                order = self._order(elements) if form is Form.SET else range(len(elements))
                items.append("<" if form is Form.SET else "[")
                for place in order:
                    each = elements[place]
                    if type(each) in ATOMS:
                        items.append(f"{atom_text(each)},")
                    else:
                        items += ((each,), ",")
                items.append(">" if form is Form.SET else "]")
        return items

    def _note_order(self, saved: Mapping[Any, Any], rows: list[tuple[Any, Any]]) -> None:
        self._dicts += 1
        if not all(map(operator.is_, map(_FIRST, rows), saved)):
            places = {id(key): place for place, key in enumerate(saved)}
            assert self._orders is not None
            self._orders.append((self._dicts, tuple(places[id(key)] for key, _ in rows)))

    def _expand_map(self, rows: list[tuple[Any, Any]], kind: str, items: list[Item]) -> None:
        masked, names = self._masked, self._scope.names
        items.append("{")
        for key, value in rows:
            if type(key) in ATOMS:
                items.append(f"{atom_text(key)}:")
                if masked and type(key) is str and (key in masked or f"{kind}.{key}" in masked):
                    value = ...
            else:
                items += ((key,), ":")
            if type(value) in ATOMS:
                items.append(f"{atom_text(value)},")
            elif id(value) in names:
                items.append(f"@{names[id(value)]},")
            else:
                items += ((value,), ",")
        items.append("}")

    def _rows(self, saved: Mapping[Any, Any]) -> list[tuple[Any, Any]]:
        """Return keys and values in canonical order. A lookup would run `__hash__` of the program."""
        if len(saved) < 2:
            return list(saved.items())
        if len(kinds := set(map(type, saved))) == 1 and kinds <= _SORTABLE:
            return sorted(saved.items(), key=_FIRST)
        rows = list(saved.items())
        return [rows[place] for place in self._order([key for key, _ in rows])]

    def _order(self, keys: list[Any]) -> list[int]:
        """Return the places of keys of a dict or elements of a set in an order that depends on their values only."""
        places = list(range(len(keys)))
        kinds = set(map(type, keys))
        if len(kinds) == 1 and kinds <= _SORTABLE:
            return sorted(places, key=keys.__getitem__)
        texts = list(map(self._key, keys))
        places.sort(key=texts.__getitem__)
        return places if len(set(texts)) == len(texts) else self._order_by_colour(keys, texts)

    def _key(self, target: Any) -> str:
        """Return the text by which a key is sorted: that of the object alone, without the objects that refer to it."""
        if type(target) in ATOMS:
            return f"{type(target).__name__}{atom_text(target)}"
        if type(target) is tuple:
            return f"({','.join(map(self._key, target))})"
        found = self._reference(target)
        if found is not None:
            return found
        if self._depth >= MAX_DEPTH:
            raise CaptureError(f"keys of dicts are nested deeper than {MAX_DEPTH} levels; expected a flatter state")
        known = {**self._known, **self._numbers}
        return Writer({"": target}, self._scope, self._masked, self._opaque, known, self._depth + 1).text()

    def _order_by_colour(self, keys: list[Any], texts: list[str]) -> list[int]:
        """Order keys that look alike by the objects that refer to them; the rest is symmetric, so any order will do."""
        numbers = {**self._known, **self._numbers}
        colours = ColourRefinement([*self._roots.values(), *keys], self._scope, self._masked, self._opaque, numbers)
        while True:
            shades = [(text, colours.key(each)) for text, each in zip(texts, keys, strict=True)]
            places = sorted(range(len(keys)), key=shades.__getitem__)
            alike = [one for one, other in pairwise(places) if shades[one] == shades[other]]
            if not any(colours.single_out(keys[place]) for place in alike):
                return places
