"""Whether a regular expression matches a symbolic text, as one condition on the numbers that the text writes.

The pattern becomes an automaton, which runs over the fields of the text: an octet of an address, a digit, a character.
For each state and each value of a field there is one next state, so the condition of a state is a disjunction over the
values that lead to it. Patterns with back references, look-around and the like have no automaton (None); then the text
is matched character by character (`pattern_search`).
"""

import re
import re._constants as sre  # type: ignore[import-not-found]
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final, NamedTuple

from sdnloom.symbolic.shims.pattern_parts import (
    REPEATS,
    SINGLE,
    CharacterTest,
    PatternItem,
    PatternParts,
    changed_flags,
    parts_of,
)
from sdnloom.symbolic.terms import constructors as terms
from sdnloom.symbolic.terms.constructors import TRUE, Term, const
from sdnloom.symbolic.values.code_units import DIGITS, CodeUnit, Digit, merged_equalities
from sdnloom.symbolic.values.make import Ipv6Style, SymBytes, SymInt, SymStr
from sdnloom.symbolic.values.sym_int import bits_needed, fit
from sdnloom.symbolic.values.sym_str import Chars, Piece, WrittenNumber, split_into_fields

MAX_AUTOMATON: Final = 300  # of an automaton; a larger one is not made
MAX_VALUES: Final = 256  # of a field; a number with more is taken apart into digits
_END: Final = -1  # the code after the last character
_START: Final = -2  # the code before the first


class _UnsupportedError(Exception):
    """The pattern has no automaton."""


@dataclass
class _State:
    """A state: tests of one character, assertions about a position, and moves without a condition."""

    reads: "list[tuple[CharacterTest, _State]]" = field(default_factory=list)
    asserts: "list[tuple[Any, int, _State]]" = field(default_factory=list)
    moves: "list[_State]" = field(default_factory=list)


class Automaton:
    """The automaton of a pattern; `accepts` is its last state."""

    def __init__(self, parts: PatternParts) -> None:
        self._parts, self._count = parts, 0
        self._looks_back = self._looks_at_words = False  # whether some assertion depends on the character before
        self.accepts = self._new()
        self.start = self._sequence(parts.items, parts.flags, self.accepts)

    def _new(self) -> _State:
        self._count += 1
        if self._count > MAX_AUTOMATON:
            raise _UnsupportedError
        return _State()

    def _sequence(self, items: Sequence[PatternItem], flags: int, after: _State) -> _State:
        for item in reversed(items):
            after = self._item(item, flags, after)
        return after

    def _item(self, item: PatternItem, flags: int, after: _State) -> _State:
        op, argument = item
        made = self._new()
        if op in SINGLE:
            made.reads.append((self._parts.test(item, flags), after))
        elif op is sre.AT:
            made.asserts.append((argument, flags, after))
            self._looks_back |= argument is sre.AT_BEGINNING and bool(flags & re.MULTILINE)
            self._looks_at_words |= argument in (sre.AT_BOUNDARY, sre.AT_NON_BOUNDARY)
        elif op is sre.BRANCH:
            made.moves += [self._sequence(each, flags, after) for each in argument[1]]
        elif op is sre.SUBPATTERN:
            _, added, removed, inner = argument
            made.moves.append(self._sequence(inner, changed_flags(flags, added, removed), after))
        elif op in REPEATS and op is not sre.POSSESSIVE_REPEAT:
            made.moves.append(self._repeat(argument, flags, after))
        else:
            raise _UnsupportedError
        return made

    def _repeat(self, argument: Any, flags: int, after: _State) -> _State:
        least, most, inner = argument
        if most is sre.MAXREPEAT:
            entry = self._new()
            entry.moves += [self._sequence(inner, flags, entry), after]
        else:
            entry = after
            for _ in range(most - least):
                before = self._new()
                before.moves += [self._sequence(inner, flags, entry), after]
                entry = before
        for _ in range(least):
            entry = self._sequence(inner, flags, entry)
        return entry

    def representative(self, code: int) -> int:
        """Return a code that is alike as the character before a position, so that runs that differ in it are one."""
        if self._looks_at_words and 0 <= code < 128 and code != ord("\n"):
            return ord("a") if self._parts.word(self._parts.flags).accepts(code) else ord(" ")
        return code if self._looks_back or self._looks_at_words else 0

    def closure(self, states: Iterable[_State], before: int, after: int) -> dict[int, _State]:
        """Return the states that are reached without reading, between characters with these codes."""
        found: dict[int, _State] = {}
        waiting = list(states)
        while waiting:
            state = waiting.pop()
            if id(state) in found:
                continue
            found[id(state)] = state
            waiting += state.moves
            waiting += [after_it for kind, flags, after_it in state.asserts if self._holds(kind, flags, before, after)]
        return found

    def _holds(self, kind: Any, flags: int, before: int, after: int) -> bool:
        if kind in (sre.AT_BEGINNING, sre.AT_BEGINNING_STRING):
            several_lines = kind is sre.AT_BEGINNING and flags & re.MULTILINE
            return before == _START or bool(several_lines and before == ord("\n"))
        if kind in (sre.AT_END, sre.AT_END_STRING):
            if kind is sre.AT_END and after == ord("\n"):  # needs the character after that one
                raise _UnsupportedError
            return after == _END
        if kind in (sre.AT_BOUNDARY, sre.AT_NON_BOUNDARY):
            test = self._parts.word(flags)
            left, right = (code >= 0 and test.accepts(code) for code in (before, after))
            return (left != right) == (kind is sre.AT_BOUNDARY)
        raise _UnsupportedError


class _Run(NamedTuple):
    """Where a run over a text is: its states, the code of the last character, and whether it has matched."""

    states: frozenset[int]
    last: int
    matched: bool


class _Runner:
    """Runs of an automaton over texts, memoised."""

    def __init__(self, automaton: Automaton, mode: str) -> None:
        self._automaton, self._mode = automaton, mode
        self._states: dict[int, _State] = {id(automaton.start): automaton.start}
        self._after: dict[tuple[_Run, int], _Run] = {}
        self.first = _Run(frozenset((id(automaton.start),)), _START, False)

    def read(self, run: _Run, code: int) -> _Run:
        """Return the run after one more character; `_END` ends it."""
        if run.matched and self._mode != "fullmatch":
            return run
        found = self._after.get((run, code))
        if found is None:
            found = self._after[run, code] = self._read(run, code)
        return found

    def is_settled(self, run: _Run) -> bool:
        """Return whether no further character can change the result."""
        return self._mode != "fullmatch" and (self._is_matched(run) or (self._mode == "match" and not run.states))

    def _is_matched(self, run: _Run) -> bool:
        """Return whether the automaton accepts what was read, whatever follows."""
        waiting, seen = [self._states[number] for number in run.states], set[int]()
        while waiting:
            state = waiting.pop()
            if id(state) not in seen:
                seen.add(id(state))
                waiting += state.moves
        return run.matched or id(self._automaton.accepts) in seen

    def settled(self, run: _Run) -> _Run:
        """Return a run that no further character can change; there is no condition if it is not one."""
        if not self.is_settled(run):
            raise _UnsupportedError
        return _Run(frozenset(), 0, self._is_matched(run))

    def _read(self, run: _Run, code: int) -> _Run:
        here = [self._states[number] for number in run.states]
        if self._mode == "search":
            here.append(self._automaton.start)
        reached = self._automaton.closure(here, run.last, code)
        matched = id(self._automaton.accepts) in reached and (self._mode != "fullmatch" or code == _END)
        if matched:
            return _Run(frozenset(), 0, True)
        following = {
            id(after): after
            for state in reached.values()
            for test, after in state.reads
            if code >= 0 and test.accepts(code)
        }
        self._states |= following
        return _Run(frozenset(following), self._automaton.representative(code), False)


@lru_cache(maxsize=256)
def _runner(pattern: "re.Pattern[Any]", mode: str) -> _Runner | None:
    try:
        return _Runner(Automaton(parts_of(pattern)), mode)
    except _UnsupportedError:
        return None


@dataclass(frozen=True)
class _Field:
    """A part of a text: the condition of each of its values, and the codes that it writes for them."""

    term: Term
    values: Sequence[tuple[int, Sequence[int]]]  # (value, codes), by ascending value


@dataclass(frozen=True)
class _Ipv6Start:
    """The part of a text that is an IPv6 address."""

    number: SymInt


def text_condition(pattern: "re.Pattern[Any]", text: Any, mode: str) -> Term | None:
    """Return the condition that a symbolic text matches in a mode: match, fullmatch or search; None if unknown."""
    runner = _runner(pattern, mode)
    if runner is None:
        return None
    runs: dict[_Run, Term] = {runner.first: TRUE}
    try:
        for part in _parts(text):
            if isinstance(part, _Ipv6Start):
                runs = _after_ipv6(runner, runs, part.number)
            else:
                runs = (
                    _after_field(runner, runs, part) if isinstance(part, _Field) else _after_codes(runner, runs, part)
                )
            if len(runs) > MAX_AUTOMATON:
                return None
        return terms.any_(*(condition for run, condition in runs.items() if runner.read(run, _END).matched))
    except _UnsupportedError:
        return None


def _after_codes(runner: _Runner, runs: dict[_Run, Term], codes: Sequence[int]) -> dict[_Run, Term]:
    after: dict[_Run, list[Term]] = {}
    for run, condition in runs.items():
        for code in codes:
            run = runner.read(run, code)
        after.setdefault(run, []).append(condition)
    return {run: terms.any_(*conditions) for run, conditions in after.items()}


def _after_field(runner: _Runner, runs: dict[_Run, Term], part: _Field) -> dict[_Run, Term]:
    after: dict[_Run, list[Term]] = {}
    for run, condition in runs.items():
        values: dict[_Run, list[int]] = {}
        for value, codes in part.values:
            reached = run
            for code in codes:
                reached = runner.read(reached, code)
            values.setdefault(reached, []).append(value)
        for reached, chosen in values.items():
            own = TRUE if len(chosen) == len(part.values) else _one_of(part.term, chosen)
            after.setdefault(reached, []).append(_both(condition, own))
    return {run: terms.any_(*conditions) for run, conditions in after.items()}


def _after_ipv6(runner: _Runner, runs: dict[_Run, Term], number: SymInt) -> dict[_Run, Term]:
    """Return the runs after an IPv6 address if its first group decides them; what follows depends on all groups."""
    first = terms.extract(fit(number, 128), 127, 112)
    after: dict[_Run, list[Term]] = {}
    for run, condition in runs.items():
        starts = {runner.settled(runner.read(run, ord(char))) for char in ":0"}  # if the first group is zero
        if len(starts) != 1:
            raise _UnsupportedError
        ranges: dict[_Run, list[Term]] = {starts.pop(): [terms.eq(first, const(0, 16))]}
        for size in range(1, 5):
            for reached, low, high in _after_digits(runner, run, 0, size):
                ranges.setdefault(reached, []).append(terms.between(first, low, high))
        for reached, chosen in ranges.items():
            after.setdefault(reached, []).append(terms.all_(condition, terms.any_(*chosen)))
    return {run: terms.any_(*conditions) for run, conditions in after.items()}


def _after_digits(runner: _Runner, run: _Run, before: int, size: int) -> Iterator[tuple[_Run, int, int]]:
    """Yield the runs after a group with so many more digits and a colon, and the range of groups that leads to each."""
    if not size:
        yield runner.settled(runner.read(run, ord(":"))), before, before
        return
    for digit in range(0 if before else 1, 16):
        reached, value = runner.read(run, ord(DIGITS[digit])), before << 4 | digit
        if runner.is_settled(reached):
            yield runner.settled(reached), value << 4 * (size - 1), (value + 1 << 4 * (size - 1)) - 1
        else:
            yield from _after_digits(runner, reached, value, size - 1)


def _both(first: Term, second: Term) -> Term:
    """Return the conjunction; equalities of neighbouring fields are merged into one."""
    if first.op == "and":
        return terms.all_(*merged_equalities([*first.args, second]))
    return terms.all_(*merged_equalities([first, second])) if TRUE not in (first, second) else terms.all_(first, second)


def _one_of(term: Term, values: Sequence[int]) -> Term:
    """Return the condition that a term has one of these values, which ascend."""
    ranges: list[list[int]] = []
    for value in values:
        if ranges and ranges[-1][1] == value - 1:
            ranges[-1][1] = value
        else:
            ranges.append([value, value])
    return terms.any_(*(terms.between(term, low, high) for low, high in ranges))


def _parts(text: Any) -> Iterator["_Field | _Ipv6Start | tuple[int, ...]"]:
    """Yield the fields of a text, and the codes between them."""
    if isinstance(text, SymBytes):
        yield from _unit_parts(text.units())
        return
    assert isinstance(text, SymStr)
    separators = [p.style.separator for p in text.pieces if isinstance(p, WrittenNumber) and p.style.separator]
    for piece in split_into_fields(text.pieces, *separators):
        yield from _piece_parts(piece)


def _piece_parts(piece: Piece) -> Iterator["_Field | _Ipv6Start | tuple[int, ...]"]:
    if isinstance(piece, str):
        yield tuple(map(ord, piece))
    elif isinstance(piece, Chars):
        yield from _unit_parts(piece.units)
    elif isinstance(piece.style, Ipv6Style):
        yield _Ipv6Start(piece.number)
    elif piece.number.low >= 0 and piece.number.high - piece.number.low < MAX_VALUES:
        number, style = piece.number, piece.style
        values = [(value, tuple(map(ord, style.render(value)))) for value in range(number.low, number.high + 1)]
        yield _Field(_term_of(number), values)
    else:
        units = piece.style.expand(piece.number)
        if units is None:
            raise _UnsupportedError
        yield from _unit_parts(units)


def _unit_parts(units: Iterable[CodeUnit]) -> Iterator["_Field | _Ipv6Start | tuple[int, ...]"]:
    for unit in units:
        if isinstance(unit, int):
            yield (unit,)
        elif isinstance(unit, Digit):
            digits = DIGITS.upper() if unit.upper else DIGITS
            numbers = range(unit.number.low, unit.number.high + 1)
            yield _Field(_term_of(unit.number), [(value, (ord(digits[value]),)) for value in numbers])
        else:
            yield _Field(unit, [(code, (code,)) for code in range(256)])


def _term_of(number: SymInt) -> Term:
    return fit(number, bits_needed(number.low, number.high))
