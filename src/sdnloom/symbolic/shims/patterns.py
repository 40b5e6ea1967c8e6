"""`re` for symbolic text: whether a pattern matches is one condition; groups are found character by character.

A match that a program only tests costs one fork. Only if it asks for a group or a position is the text taken apart into
characters. Long texts and constructs that are not followed are concretised, and reported.
"""

import fnmatch
import os
import re
from collections.abc import Callable, Iterator
from typing import Any, Final

from sdnloom.symbolic.operations.calls import call
from sdnloom.symbolic.shims.pattern_automaton import text_condition
from sdnloom.symbolic.shims.pattern_parts import parts_of
from sdnloom.symbolic.shims.pattern_search import MAX_LENGTH, CharacterSearch, FoundSpans, PatternTooComplexError
from sdnloom.symbolic.values.fork import decide
from sdnloom.symbolic.values.make import SymSequence, concrete, concretise_all
from sdnloom.symbolic.values.sym_int import concrete_slice

_MODES: Final = ("match", "fullmatch", "search")


class SymbolicMatch:
    """A match in symbolic text, with the methods of `re.Match`; the text is taken apart when one needs positions."""

    __class__ = property(lambda self: re.Match)  # for the program; isinstance checks type() first

    def __init__(self, pattern: "re.Pattern[Any]", text: Any, mode: str, spans: FoundSpans | None, plain: Any) -> None:
        self._mode, self._spans, self._plain = mode, spans, plain
        self.re, self.string, self.pos, self.endpos = pattern, text, plain.pos, plain.endpos

    def _found(self) -> FoundSpans:
        if self._spans is None:
            try:
                self._spans = _search(self.re, self.string, self.pos, self.endpos, self._mode)
            except PatternTooComplexError:
                self.string.concretise(f"group of re.{self._mode}")
        return self._spans or _spans_of(self._plain)

    def _number(self, group: Any) -> int:
        if isinstance(group, str):
            if group not in self.re.groupindex:
                raise IndexError("no such group")
            return self.re.groupindex[group]
        number = int(concrete(group))
        if not 0 <= number <= self.re.groups:
            raise IndexError("no such group")
        return number

    def span(self, group: Any = 0) -> tuple[int, int]:
        """Return the span of a group."""
        number, found = self._number(group), self._found()
        return (found.start, found.end) if not number else found.groups.get(number, (-1, -1))

    def start(self, group: Any = 0) -> int:
        """Return where a group starts."""
        return self.span(group)[0]

    def end(self, group: Any = 0) -> int:
        """Return where a group ends."""
        return self.span(group)[1]

    def _text(self, group: Any, default: Any = None) -> Any:
        start, end = self.span(group)
        return default if start < 0 else self.string[start:end]

    def group(self, *groups: Any) -> Any:
        """Return the text of a group, or of several."""
        if len(groups) <= 1:
            return self._text(*(groups or (0,)))
        return tuple(map(self._text, groups))

    def __getitem__(self, group: Any) -> Any:
        return self._text(group)

    def groups(self, default: Any = None) -> tuple[Any, ...]:
        """Return the texts of all groups."""
        return tuple(self._text(number, default) for number in range(1, self.re.groups + 1))

    def groupdict(self, default: Any = None) -> dict[str, Any]:
        """Return the texts of the named groups."""
        return {name: self._text(name, default) for name in self.re.groupindex}

    @property
    def lastindex(self) -> int | None:
        """The number of the group that was matched last."""
        self._found()
        found: int | None = self._plain.lastindex
        return found

    @property
    def lastgroup(self) -> str | None:
        """The name of the group that was matched last."""
        self._found()
        found: str | None = self._plain.lastgroup
        return found

    def expand(self, template: Any) -> Any:
        """Return a template with the groups in it; the text is concretised."""
        concretise_all([self.string, template], "re.Match.expand")
        return self._plain.expand(concrete(template))

    def __bool__(self) -> bool:
        return True

    def __copy__(self) -> "SymbolicMatch":
        return self

    def __deepcopy__(self, memo: object) -> "SymbolicMatch":
        return self


def _search(pattern: "re.Pattern[Any]", text: Any, pos: int, endpos: int, mode: str) -> FoundSpans | None:
    """Return the spans of the match on this path; raises PatternTooComplexError if they cannot be followed."""
    units, plain = text.units(), text.concrete()
    codes = [ord(each) if isinstance(each, str) else each for each in plain]
    if len(units) > MAX_LENGTH:
        raise PatternTooComplexError
    found = CharacterSearch(pattern, units, codes).find(pos, endpos, mode)
    expected = getattr(pattern, mode)(plain, pos, endpos)
    if found is None or expected is None:
        if (found is None) != (expected is None):
            raise PatternTooComplexError
        return None
    if (found.start, found.end) != expected.span():
        raise PatternTooComplexError
    return _spans_of(expected)


def _spans_of(plain: "re.Match[Any]") -> FoundSpans:
    groups = {number: plain.span(number) for number in range(1, plain.re.groups + 1) if plain.start(number) >= 0}
    return FoundSpans(plain.start(), plain.end(), groups)


def _matcher(mode: str) -> Callable[..., Any]:
    def method(pattern: "re.Pattern[Any]", string: Any, pos: Any = 0, endpos: Any = None) -> Any:
        if not isinstance(string, SymSequence) or isinstance(pattern.pattern, str) != (string.kind is str):
            concretise_all([string, pos, endpos], f"re.Pattern.{mode}")
            return getattr(pattern, mode)(*(concrete(each) for each in (string, pos, endpos) if each is not None))
        plain = string.concrete()
        whole = endpos is None and type(pos) is int and pos == 0
        condition = text_condition(pattern, string, mode) if whole else None
        if condition is not None:
            found = getattr(pattern, mode)(plain)
            matched = decide(condition, found is not None)
            return SymbolicMatch(pattern, string, mode, None, found) if matched else None
        try:
            bounds = concrete_slice(slice(pos, endpos), len(string)).indices(len(string))
            start, end = max(0, bounds[0]), bounds[1]
            spans = _search(pattern, string, start, end, mode) if start <= end else None
        except PatternTooComplexError:
            string.concretise(f"re.{mode} of {pattern.pattern!r}")
            return getattr(pattern, mode)(plain, *(concrete(each) for each in (pos, endpos) if each is not None))
        return (
            None
            if spans is None
            else SymbolicMatch(pattern, string, mode, spans, getattr(pattern, mode)(plain, start, end))
        )

    return method


def _all_matches(pattern: "re.Pattern[Any]", string: Any, name: str) -> list[SymbolicMatch] | None:
    """Return the matches from left to right, or None if they are not followed: the string was concretised then."""
    if isinstance(string, SymSequence) and isinstance(pattern.pattern, str) == (string.kind is str):
        try:
            if parts_of(pattern).can_be_empty:
                raise PatternTooComplexError
            found, position, plain = [], 0, string.concrete()
            while (spans := _search(pattern, string, position, len(plain), "search")) is not None:
                matched = pattern.search(plain, position)
                found.append(SymbolicMatch(pattern, string, "search", spans, matched))
                position = spans.end
            return found
        except PatternTooComplexError:
            pass
    concretise_all(string, f"re.{name} of {pattern.pattern!r}")
    return None


def _findall(pattern: "re.Pattern[Any]", string: Any, *bounds: Any) -> list[Any]:
    found = None if bounds else _all_matches(pattern, string, "findall")
    if found is None:
        concretise_all([string, bounds], "re.findall")
        return pattern.findall(concrete(string), *map(concrete, bounds))
    if pattern.groups <= 1:
        return [each.group(pattern.groups) or string.kind() for each in found]
    return [each.groups(string.kind()) for each in found]


def _finditer(pattern: "re.Pattern[Any]", string: Any, *bounds: Any) -> Iterator[Any]:
    found = None if bounds else _all_matches(pattern, string, "finditer")
    if found is None:
        concretise_all([string, bounds], "re.finditer")
        return pattern.finditer(concrete(string), *map(concrete, bounds))
    return iter(found)


def _subn(pattern: "re.Pattern[Any]", repl: Any, string: Any, count: Any = 0) -> tuple[Any, int]:
    simple = callable(repl) or isinstance(repl, SymSequence) or (isinstance(repl, str) and "\\" not in repl)
    found = _all_matches(pattern, string, "sub") if simple and type(count) is int else None
    if found is None:
        concretise_all([string, repl, count], "re.sub")
        return pattern.subn(concrete(repl), concrete(string), concrete(count))
    result, end = string[:0], 0
    for each in found[: count or None]:
        new = call(repl, (each,), {}) if callable(repl) else repl
        result, end = result + string[end : each.start()] + new, each.end()
    return result + string[end:], len(found[: count or None])


def _split(pattern: "re.Pattern[Any]", string: Any, maxsplit: Any = 0) -> list[Any]:
    found = _all_matches(pattern, string, "split") if type(maxsplit) is int else None
    if found is None:
        concretise_all([string, maxsplit], "re.split")
        return pattern.split(concrete(string), concrete(maxsplit))
    parts, end = [], 0
    for each in found[: maxsplit or None]:
        parts += [string[end : each.start()], *each.groups()]
        end = each.end()
    return [*parts, string[end:]]


def pattern_methods() -> dict[str, Callable[..., Any]]:
    """Return the methods of a compiled pattern as functions, for rewritten code."""
    return {
        **{mode: _matcher(mode) for mode in _MODES},
        "findall": _findall,
        "finditer": _finditer,
        "subn": _subn,
        "sub": lambda pattern, repl, string, count=0: _subn(pattern, repl, string, count)[0],
        "split": _split,
    }


def pattern_replacements() -> dict[Any, Any]:
    """Return the functions that rewritten code calls instead of those of `re` if an argument is symbolic."""
    methods = pattern_methods()

    def by_pattern(name: str, flags_after: int) -> Callable[..., Any]:
        """The function that compiles its pattern first; flags follow so many other arguments."""

        def function(pattern: Any, *args: Any, flags: Any = 0, **named: Any) -> Any:
            if len(args) > flags_after:
                args, flags = args[:flags_after], args[flags_after]
            concretise_all([pattern, flags], f"pattern of re.{name}")
            return methods[name](re.compile(concrete(pattern), concrete(flags)), *args, **named)

        return function

    def fnmatch_function(name: Any, pattern: Any) -> bool:
        concretise_all(pattern, "pattern of fnmatch")
        return methods["match"](re.compile(fnmatch.translate(concrete(pattern))), name) is not None

    places = {**dict.fromkeys((*_MODES, "findall", "finditer"), 1), "sub": 3, "subn": 3, "split": 2}
    found: dict[Any, Any] = {getattr(re, name): by_pattern(name, place) for name, place in places.items()}
    return (
        found | ({fnmatch.fnmatch: fnmatch_function} if os.sep == "/" else {}) | {fnmatch.fnmatchcase: fnmatch_function}
    )
