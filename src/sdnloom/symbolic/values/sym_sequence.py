"""Common base of symbolic text and bytes: methods that compare parts.

Each method works like that of str and bytes, by comparing slices; every comparison whose result depends on an input
forks. All other methods concretise the value.
"""

from collections.abc import Callable, Iterable
from typing import Any, ClassVar

from sdnloom.symbolic.values.code_units import CodeUnit, decide_among, decide_equal, decide_less
from sdnloom.symbolic.values.sym_int import SymInt, concrete_index, concrete_slice, fork_or_concretise


class SymSequence:
    """Mixin of SymStr and SymBytes. A subclass defines its units and how a value is made of units."""

    kind: ClassVar[type]  # str or bytes
    blank: ClassVar[frozenset[int]]  # codes that strip() removes

    def units(self) -> tuple[CodeUnit, ...]:
        """Return the units; a text of variable length forks on its length first."""
        raise NotImplementedError

    def concrete(self) -> Any:
        """Return the value without its term."""
        raise NotImplementedError

    def concretise(self, construct: str) -> Any:
        """Return the concrete value, because of the construct."""
        raise NotImplementedError

    @classmethod
    def of_units(cls, value: Any, units: tuple[CodeUnit, ...]) -> Any:
        """Return a value with these units; a plain value if no unit depends on an input."""
        raise NotImplementedError

    @classmethod
    def units_of(cls, other: Any) -> tuple[CodeUnit, ...]:
        """Return the units of any value of the kind."""
        raise NotImplementedError

    def __getitem__(self, index: Any) -> Any:
        units = self.units()
        if isinstance(index, slice):
            index = concrete_slice(index, len(units))
            return self.of_units(self.concrete()[index], units[index])
        if isinstance(index, SymInt):
            index = concrete_index(index, len(units), "string" if self.kind is str else "index")
        return self.at(index, units)

    def at(self, index: int, units: tuple[CodeUnit, ...]) -> Any:
        """Return one element: a text of one character, or the number of one byte."""
        raise NotImplementedError

    def __len__(self) -> int:
        return len(self.units())

    def __bool__(self) -> bool:
        return len(self) > 0

    def __iter__(self) -> Any:
        return iter([self[position] for position in range(len(self))])

    def __eq__(self, other: object) -> Any:
        if not isinstance(other, self.kind):
            return NotImplemented
        return decide_equal(self.units(), self.units_of(other), self.concrete() == _concrete(other))

    def __ne__(self, other: object) -> Any:
        found = self.__eq__(other)
        return found if found is NotImplemented else not found

    def __lt__(self, other: Any) -> Any:
        if not isinstance(other, self.kind):
            return NotImplemented
        return decide_less(self.units(), self.units_of(other), self.concrete() < _concrete(other))

    def __gt__(self, other: Any) -> Any:
        if not isinstance(other, self.kind):
            return NotImplemented
        return decide_less(self.units_of(other), self.units(), self.concrete() > _concrete(other))

    def __le__(self, other: Any) -> Any:
        found = self.__gt__(other)
        return found if found is NotImplemented else not found

    def __ge__(self, other: Any) -> Any:
        found = self.__lt__(other)
        return found if found is NotImplemented else not found

    def __hash__(self) -> int:
        from sdnloom.symbolic.values.hash_value import hash_of  # the modules depend on each other

        return hash_of(self)

    def __mul__(self, times: Any) -> Any:
        if not isinstance(times, int):
            return NotImplemented
        times = fork_or_concretise(times, "repetition of a sequence", 0)
        return self.of_units(self.concrete() * times, self.units() * times)

    __rmul__ = __mul__

    def __contains__(self, part: Any) -> bool:
        return self.find(part) >= 0

    # Searching.

    def find(self, part: Any, start: Any = None, end: Any = None) -> int:
        return next(self._positions(part, start, end, 1), -1)

    def rfind(self, part: Any, start: Any = None, end: Any = None) -> int:
        return next(self._positions(part, start, end, -1), -1)

    def index(self, part: Any, start: Any = None, end: Any = None) -> int:
        return self._found(self.find(part, start, end))

    def rindex(self, part: Any, start: Any = None, end: Any = None) -> int:
        return self._found(self.rfind(part, start, end))

    def _found(self, position: int) -> int:
        if position < 0:
            raise ValueError("substring not found" if self.kind is str else "subsection not found")
        return position

    def _positions(self, part: Any, start: Any, end: Any, step: int) -> Any:
        """Yield the positions of the part, from the left or from the right; compares lazily."""
        part = self._part(part)
        size, length = len(part), len(self)
        low, high, _ = concrete_slice(slice(start, end), length).indices(length)
        if start is not None and low > length - size and size == 0 and start > length:
            return
        positions = range(low, high - size + 1)
        for position in positions if step > 0 else reversed(positions):
            if self._same(position, part):
                yield position

    def _part(self, part: Any) -> Any:
        """Return the argument of a search as a value of the kind; SymBytes also accepts an int for one byte."""
        if not isinstance(part, self.kind) and not isinstance(part, bytearray):
            raise TypeError(f"expected {self.kind.__name__}, got {type(part).__name__}")
        return part

    def _same(self, position: int, part: Any) -> bool:
        here: bool = self[position : position + len(part)] == part
        return here

    def count(self, part: Any, start: Any = None, end: Any = None) -> int:
        part = self._part(part)
        length, size, found = len(self), len(part), 0
        position, high, _ = concrete_slice(slice(start, end), length).indices(length)
        while position + size <= high:
            hit = self._same(position, part)
            found += hit
            position += size if hit and size else 1
        return found

    def startswith(self, prefix: Any, start: Any = None, end: Any = None) -> bool:
        whole = self if start is None and end is None else self[start:end]
        if isinstance(prefix, tuple):
            return (
                any(SymSequence.startswith(whole, each) for each in prefix)
                if isinstance(whole, SymSequence)
                else whole.startswith(prefix)
            )
        if len(prefix) > len(whole):
            return False
        answer: bool = whole[: len(prefix)] == prefix
        return answer

    def endswith(self, suffix: Any, start: Any = None, end: Any = None) -> bool:
        whole = self if start is None and end is None else self[start:end]
        if isinstance(suffix, tuple):
            return (
                any(SymSequence.endswith(whole, each) for each in suffix)
                if isinstance(whole, SymSequence)
                else whole.endswith(suffix)
            )
        if len(suffix) > len(whole):
            return False
        answer: bool = whole[len(whole) - len(suffix) :] == suffix
        return answer

    # Splitting.

    def split(self, sep: Any = None, maxsplit: Any = -1) -> list[Any]:
        if sep is None:
            return self._words(maxsplit)
        if not len(sep):
            raise ValueError("empty separator")
        parts: list[Any] = []
        begin, position, length = 0, 0, len(self)
        while position + len(sep) <= length and maxsplit != len(parts):
            if self._same(position, sep):
                parts.append(self[begin:position])
                begin = position = position + len(sep)
            else:
                position += 1
        return [*parts, self[begin:]]

    def rsplit(self, sep: Any = None, maxsplit: Any = -1) -> list[Any]:
        if sep is None or isinstance(maxsplit, SymInt):
            return list(self.concretise(f"{self.kind.__name__}.rsplit").rsplit(_concrete(sep), maxsplit))
        if not len(sep):
            raise ValueError("empty separator")
        parts: list[Any] = []
        end = position = len(self)
        while position - len(sep) >= 0 and maxsplit != len(parts):
            if self._same(position - len(sep), sep):
                parts.insert(0, self[position:end])
                end = position = position - len(sep)
            else:
                position -= 1
        return [self[:end], *parts]

    def _words(self, maxsplit: Any) -> list[Any]:
        words: list[Any] = []
        position, length = 0, len(self)
        while True:
            while position < length and self._is_one_of(position, self.blank):
                position += 1
            if position == length:
                return words
            begin = position
            if maxsplit == len(words):
                return [*words, self[begin:].rstrip()]
            while position < length and not self._is_one_of(position, self.blank):
                position += 1
            words.append(self[begin:position])

    def _is_one_of(self, position: int, codes: Iterable[int]) -> bool:
        """Return whether the element at this position has one of the codes; forks on one condition."""
        return decide_among(self.units()[position], self.code(position), codes)

    def code(self, position: int) -> int:
        """Return the code of one element in this run."""
        found = self.concrete()[position]
        return ord(found) if isinstance(found, str) else found

    def partition(self, sep: Any) -> tuple[Any, Any, Any]:
        position = self.find(sep)
        return (
            (self[:position], sep, self[position + len(sep) :]) if position >= 0 else (self, self.kind(), self.kind())
        )

    def rpartition(self, sep: Any) -> tuple[Any, Any, Any]:
        position = self.rfind(sep)
        return (
            (self[:position], sep, self[position + len(sep) :]) if position >= 0 else (self.kind(), self.kind(), self)
        )

    def replace(self, old: Any, new: Any, count: Any = -1, /) -> Any:
        if not len(old):
            return self.concretise("replace of nothing").replace(old, new, count)
        found, first = self.kind(), True
        for part in self.split(old, count):
            found = part if first else found + new + part
            first = False
        return found

    def strip(self, what: Any = None) -> Any:
        return self.lstrip(what).rstrip(what)

    def lstrip(self, what: Any = None) -> Any:
        codes, position, length = self._stripped(what), 0, len(self)
        while position < length and self._is_one_of(position, codes):
            position += 1
        return self[position:]

    def rstrip(self, what: Any = None) -> Any:
        codes, position = self._stripped(what), len(self)
        while position and self._is_one_of(position - 1, codes):
            position -= 1
        return self[:position]

    def _stripped(self, what: Any) -> frozenset[int]:
        if what is None:
            return self.blank
        if isinstance(what, SymSequence):
            what = what.concretise(f"{self.kind.__name__}.strip")
        return frozenset(map(ord, what) if isinstance(what, str) else what)

    def removeprefix(self, prefix: Any) -> Any:
        return self[len(prefix) :] if self.startswith(prefix) else self

    def removesuffix(self, suffix: Any) -> Any:
        return self[: len(self) - len(suffix)] if len(suffix) and self.endswith(suffix) else self

    # Padding.

    def ljust(self, width: Any, fill: Any = None, /) -> Any:
        return self + self._fill(fill) * (width - len(self))

    def rjust(self, width: Any, fill: Any = None, /) -> Any:
        return self._fill(fill) * (width - len(self)) + self

    def _fill(self, fill: Any) -> Any:
        return fill if fill is not None else self.kind(" ") if self.kind is str else b" "

    def __reduce_ex__(self, protocol: Any) -> Any:
        return self.kind, (self.concretise("copy or pickle"),)

    def __copy__(self) -> "SymSequence":
        return self

    def __deepcopy__(self, memo: object) -> "SymSequence":
        return self

    def __getnewargs__(self) -> tuple[Any, ...]:
        return (self.concretise("copy or pickle"),)


def _concrete(value: Any) -> Any:
    return value.concrete() if isinstance(value, SymSequence) else value


def concretising_method(kind: type, name: str) -> Callable[..., Any]:
    """Return a method that concretises the value and calls the method of the plain value."""

    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        concrete = self.concretise(f"{kind.__name__}.{name}")
        plain = [
            arg.concretise(f"{kind.__name__}.{name}") if isinstance(arg, SymSequence | SymInt) else arg for arg in args
        ]
        return getattr(concrete, name)(*plain, **kwargs)

    method.__name__ = name
    return method


def concretise_other_methods(target: type, kind: type) -> None:
    """Add a concretising method to a class for each public method of its kind that the class does not define."""
    for name in sorted(vars(kind)):
        follows = any(name in vars(each) for each in target.__mro__ if each not in (kind, object))
        if (
            not name.startswith("_")
            and not follows
            and callable(getattr(kind, name))
            and name not in ("maketrans", "fromhex")
        ):
            setattr(target, name, concretising_method(kind, name))
