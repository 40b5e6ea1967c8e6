"""Facts that a path implies about single terms: bounds, excluded values, finite choices. Cheap and incomplete.

Law: `refutes` returns True only if the literal contradicts the facts, so it may replace a solver's "unsat"; False says
nothing. A literal is a condition with its truth value.
"""

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from sdnloom.symbolic.terms.evaluate import evaluate_term
from sdnloom.symbolic.terms.node import Term, variables

_NONE: Final[frozenset[int]] = frozenset()
_SHORT: Final = 32  # a list of up to this many values is examined value by value
_DEEP: Final = 200  # conjunctions nested deeper than this are not examined


class Range(NamedTuple):
    """Possible values of a term: `low` to `high` without the excluded ones, and only `choices` if given."""

    low: int
    high: int
    excluded: frozenset[int] = _NONE
    choices: frozenset[int] | None = None

    def __contains__(self, value: object) -> bool:
        return (
            isinstance(value, int)
            and self.low <= value <= self.high
            and value not in self.excluded
            and (self.choices is None or value in self.choices)
        )

    def between(self, low: int, high: int) -> "Range":
        """Return the part of the range from `low` to `high`."""
        return Range(max(self.low, low), min(self.high, high), self.excluded, self.choices).tight()

    def only(self, values: Iterable[int]) -> "Range":
        """Return the part of the range that is among the values."""
        return self._replace(choices=frozenset(value for value in values if value in self)).tight()

    def without(self, value: int) -> "Range":
        """Return the range with one value less."""
        if value not in self:
            return self
        return Range(self.low, self.high, self.excluded | {value}, self.choices).tight()

    def tight(self) -> "Range":
        """Return the same set with bounds that are members, or with `low > high` if it is empty."""
        if self.choices is not None:
            values = [value for value in self.choices if value in self]
            return Range(min(values), max(values), _NONE, frozenset(values)) if values else EMPTY_RANGE
        low, high = self.low, self.high
        while low <= high and low in self.excluded:
            low += 1
        while high > low and high in self.excluded:
            high -= 1
        return self if (low, high) == (self.low, self.high) else Range(low, high, self.excluded)

    def empty(self) -> bool:
        """Return whether no value is left."""
        return self.low > self.high

    def values(self) -> Iterator[int]:
        """Yield the members, smallest first; a large range must be cut by the caller."""
        if self.choices is not None:
            yield from sorted(self.choices)
        else:
            yield from (value for value in range(self.low, self.high + 1) if value not in self.excluded)


EMPTY_RANGE: Final = Range(1, 0)


class Facts:
    """Ranges by term. `fixed` has the variables with one value left, `listed` those with a short list of values."""

    __slots__ = ("_ranges", "fixed", "listed")

    def __init__(self) -> None:
        self._ranges: dict[Term, Range] = {}
        self.fixed: dict[str, int] = {}
        self.listed: dict[str, Term] = {}

    def copy(self) -> "Facts":
        """Return a copy that can be extended independently."""
        other = Facts()
        other._ranges = self._ranges.copy()
        other.fixed = self.fixed.copy()
        other.listed = self.listed.copy()
        return other

    def range(self, term: Term) -> Range:
        """Return the values that the term may have according to the facts."""
        known = self._ranges.get(term)
        if known is not None:
            return known
        if term.op == "const":
            return Range(term.args[0], term.args[0])
        if term.op == "zext":
            return Range(0, (1 << term.args[0].width) - 1)
        return Range(0, (1 << term.width) - 1)

    def learn(self, condition: Term, holds: bool) -> None:
        """Add a literal to the facts."""
        op, args = condition.op, condition.args
        if op == "not":
            self.learn(args[0], not holds)
        elif op == "all" and condition.depth <= _DEEP:
            if holds:
                for part in args:
                    self.learn(part, True)
            else:
                self._learn_choice(args)
        else:
            for term, narrowed in self._narrowed(condition, holds):
                self._narrow(term, narrowed)
            listed, left = self._left(condition, holds)
            if listed is not None:
                self._narrow(listed, self.range(listed).only(left))

    def _narrow(self, term: Term, narrowed: Range) -> None:
        self._ranges[term] = narrowed
        if term.op == "var":
            if narrowed.low == narrowed.high:
                self.fixed[term.args[0]] = narrowed.low
            if narrowed.choices is not None and len(narrowed.choices) <= _SHORT:
                self.listed[term.args[0]] = term

    def refutes(self, condition: Term, holds: bool) -> bool:
        """Return whether the literal contradicts the facts; False if that is not known."""
        op, args = condition.op, condition.args
        if op == "not":
            return self.refutes(args[0], not holds)
        if op == "all" and condition.depth <= _DEEP:
            if holds:
                return any(self.refutes(part, True) for part in args)
            return all(self.refutes(part, False) for part in args)
        if any(narrowed.empty() for _, narrowed in self._narrowed(condition, holds)):
            return True
        fixed = self.fixed
        if fixed and variables(condition) <= fixed.keys():
            return bool(evaluate_term(condition, fixed)) != holds
        listed, left = self._left(condition, holds)
        return listed is not None and not left

    def choices(self, name: str) -> list[int]:
        """Return the values that a variable may have if there are few, smallest first; none otherwise."""
        term = self.listed.get(name)
        return list(self.range(term).values()) if term is not None else []

    def _left(self, condition: Term, holds: bool) -> tuple[Term | None, list[int]]:
        """Return the only variable of a condition and its values that satisfy it, if the variable has a short list."""
        names = variables(condition) if self.listed else ()
        if len(names) != 1:
            return None, []
        (name,) = names
        term = self.listed.get(name)
        if term is None:
            return None, []
        return term, [value for value in self.choices(name) if bool(evaluate_term(condition, {name: value})) is holds]

    def _learn_choice(self, parts: tuple[Term, ...]) -> None:
        """Learn that not all parts hold: if each is `term != constant` for one term, it is one of the constants."""
        term, values = None, []
        for part in parts:
            if part.op != "not" or part.args[0].op != "eq":
                return
            left, right = part.args[0].args
            if right.op != "const" or (term is not None and left is not term):
                return
            term = left
            values.append(right.args[0])
        if term is not None:
            self._narrow(term, self.range(term).only(values))

    def _narrowed(self, condition: Term, holds: bool) -> list[tuple[Term, Range]]:
        """Return the terms whose ranges the literal narrows, with their new ranges."""
        if condition.op == "eq":
            left, right = condition.args
            if not left.width:
                return []
            mine = self.range(left)
            if right.op == "const":
                value = right.args[0]
                return [(left, mine.between(value, value) if holds else mine.without(value))]
            theirs = self.range(right)
            if holds:
                low, high = max(mine.low, theirs.low), min(mine.high, theirs.high)
                return [(left, mine.between(low, high)), (right, theirs.between(low, high))]
            if theirs.low == theirs.high:
                return [(left, mine.without(theirs.low))]
            return [(right, theirs.without(mine.low))] if mine.low == mine.high else []
        if condition.op == "ult":
            left, right = condition.args if holds else reversed(condition.args)
            strict = 1 if holds else 0
            mine, theirs = self.range(left), self.range(right)
            below = mine.between(0, theirs.high - strict) if theirs.high >= strict else EMPTY_RANGE
            return [(left, below), (right, theirs.between(mine.low + strict, theirs.high))]
        return []
