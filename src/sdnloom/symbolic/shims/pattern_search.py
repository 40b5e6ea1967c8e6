"""Matching a regular expression against symbolic text character by character, in the order of the original engine.

Each test of a character that depends on an input forks, so on one path the outcome is that of the original. The engine
itself matches the concrete text too: spans are taken from it, and if a search here found others, the text is
concretised.
"""

import re
import re._constants as sre  # type: ignore[import-not-found]
from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

from sdnloom.symbolic.shims.pattern_parts import REPEATS, SINGLE, PatternItem, PatternParts, changed_flags, parts_of
from sdnloom.symbolic.values.code_units import CodeUnit, decide_among, decide_equal
from sdnloom.symbolic.values.fork import tick

Groups = dict[int, tuple[int, int]]  # number of a group -> its span
MAX_LENGTH: Final = 256  # of a text that is searched character by character


class PatternTooComplexError(Exception):
    """A construct of a pattern that is not followed."""


class FoundSpans(NamedTuple):
    """The span of a match and of its groups."""

    start: int
    end: int
    groups: Groups


class CharacterSearch:
    """A search in one text on one path."""

    def __init__(self, pattern: "re.Pattern[Any]", units: Sequence[CodeUnit], codes: Sequence[int]) -> None:
        self._parts: PatternParts = parts_of(pattern)
        self._units, self._codes = units, codes

    def find(self, start: int, end: int, mode: str) -> FoundSpans | None:
        """Return the first match between two positions; a search tries all starts."""
        self._end = end
        for begin in range(start, end + 1) if mode == "search" else (start,):
            for position, groups in self._sequence(self._parts.items, 0, begin, {}, self._parts.flags):
                if mode != "fullmatch" or position == end:
                    return FoundSpans(begin, position, groups)
        return None

    def _sequence(
        self, items: Sequence[PatternItem], index: int, position: int, groups: Groups, flags: int
    ) -> Iterator[tuple[int, Groups]]:
        """Yield the ends of matches of the items from an index on, in the order in which the engine tries them."""
        if index == len(items):
            yield position, groups
            return
        for after, changed in self._item(items[index], position, groups, flags):
            yield from self._sequence(items, index + 1, after, changed, flags)

    def _item(self, item: PatternItem, position: int, groups: Groups, flags: int) -> Iterator[tuple[int, Groups]]:
        tick()
        op, argument = item
        if op in SINGLE:
            if position < self._end and self._accepts(item, position, flags):
                yield position + 1, groups
        elif op is sre.BRANCH:
            for each in argument[1]:
                yield from self._sequence(each, 0, position, groups, flags)
        elif op is sre.SUBPATTERN:
            number, added, removed, inner = argument
            for after, changed in self._sequence(inner, 0, position, groups, changed_flags(flags, added, removed)):
                yield after, changed if number is None else {**changed, number: (position, after)}
        elif op in REPEATS:
            yield from self._repeat(op, argument, position, groups, flags)
        elif op is sre.AT:
            if self._holds(argument, position, flags):
                yield position, groups
        elif op in (sre.ASSERT, sre.ASSERT_NOT):
            yield from self._look(op, argument, position, groups, flags)
        elif op is sre.ATOMIC_GROUP:
            yield from self._first(self._sequence(argument, 0, position, groups, flags))
        elif op is sre.GROUPREF and not flags & re.IGNORECASE:
            yield from self._again(argument, position, groups)
        elif op is sre.GROUPREF_EXISTS:
            number, yes, no = argument
            yield from self._sequence((yes if number in groups else no) or [], 0, position, groups, flags)
        else:
            raise PatternTooComplexError

    def _accepts(self, item: PatternItem, position: int, flags: int) -> bool:
        test = self._parts.test(item, flags)
        unit = self._units[position]
        return test.accepts(unit) if isinstance(unit, int) else decide_among(unit, self._codes[position], test.codes)

    def _repeat(
        self, op: Any, argument: Any, position: int, groups: Groups, flags: int
    ) -> Iterator[tuple[int, Groups]]:
        least, most, inner = argument
        most = len(self._units) + 1 if most is sre.MAXREPEAT else int(most)

        def rest(count: int, here: int, groups: Groups) -> Iterator[tuple[int, Groups]]:
            if count >= least and op is sre.MIN_REPEAT:
                yield here, groups
            if count < most:
                for after, changed in self._sequence(inner, 0, here, groups, flags):
                    if after > here or count + 1 < least:
                        yield from rest(count + 1, after, changed)
                    else:  # a repetition of nothing is the last one
                        yield after, changed
            if count >= least and op is not sre.MIN_REPEAT:
                yield here, groups

        found = rest(0, position, groups)
        yield from self._first(found) if op is sre.POSSESSIVE_REPEAT else found

    def _first(self, found: Iterator[tuple[int, Groups]]) -> Iterator[tuple[int, Groups]]:
        for each in found:
            yield each
            return

    def _look(self, op: Any, argument: Any, position: int, groups: Groups, flags: int) -> Iterator[tuple[int, Groups]]:
        direction, inner = argument
        begin = position
        if direction < 0:
            least, most = inner.getwidth()
            if least != most:
                raise PatternTooComplexError
            begin -= int(least)
        found = next(self._sequence(inner, 0, begin, groups, flags), None) if begin >= 0 else None
        if (found is not None) == (op is sre.ASSERT):
            yield position, groups if found is None else found[1]

    def _again(self, number: int, position: int, groups: Groups) -> Iterator[tuple[int, Groups]]:
        if number in groups:
            start, end = groups[number]
            after = position + end - start
            same = self._codes[start:end] == self._codes[position:after]
            if after <= self._end and decide_equal(self._units[start:end], self._units[position:after], same):
                yield after, groups

    def _holds(self, kind: Any, position: int, flags: int) -> bool:
        if kind in (sre.AT_BEGINNING, sre.AT_BEGINNING_STRING):
            if position == 0:
                return True
            return bool(kind is sre.AT_BEGINNING and flags & re.MULTILINE) and self._is_newline(position - 1)
        if kind in (sre.AT_END, sre.AT_END_STRING):
            if position == self._end:
                return True
            last = position + 1 == self._end or flags & re.MULTILINE
            return bool(kind is sre.AT_END and last) and self._is_newline(position)
        if kind in (sre.AT_BOUNDARY, sre.AT_NON_BOUNDARY):
            left, right = self._is_word(position - 1, flags), self._is_word(position, flags)
            return (left != right) == (kind is sre.AT_BOUNDARY) and self._end > 0
        raise PatternTooComplexError

    def _is_newline(self, position: int) -> bool:
        unit = self._units[position]
        return unit == ord("\n") if isinstance(unit, int) else decide_among(unit, self._codes[position], b"\n")

    def _is_word(self, position: int, flags: int) -> bool:
        if not 0 <= position < self._end:
            return False
        unit, test = self._units[position], self._parts.word(flags)
        return test.accepts(unit) if isinstance(unit, int) else decide_among(unit, self._codes[position], test.codes)
