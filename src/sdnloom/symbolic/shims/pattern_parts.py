"""Regular expressions taken apart: the parsed pattern, and tests of single characters, which the engine answers."""

import re
import re._compiler as sre_compile  # type: ignore[import-not-found]
import re._constants as sre  # type: ignore[import-not-found]
import re._parser as sre_parse  # type: ignore[import-not-found]
from collections.abc import Hashable, Sequence
from functools import cached_property, lru_cache
from typing import Any, Final

PatternItem = tuple[Any, Any]  # an operation of a parsed pattern and its argument
SINGLE: Final = frozenset((sre.LITERAL, sre.NOT_LITERAL, sre.ANY, sre.IN))  # they test one character
REPEATS: Final = frozenset((sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT))


class CharacterTest:
    """Which characters an item of a pattern accepts; the engine itself decides, so flags are as in the original."""

    def __init__(self, items: Sequence[PatternItem], flags: int, is_text: bool) -> None:
        state = sre_parse.State()
        state.flags = flags
        self._pattern = sre_compile.compile(sre_parse.SubPattern(state, list(items)), flags)
        self._is_text = is_text
        self._known: dict[int, bool] = {}

    def accepts(self, code: int) -> bool:
        """Return whether the character with this code is accepted."""
        found = self._known.get(code)
        if found is None:
            text = chr(code) if self._is_text else bytes((code,))
            found = self._known[code] = self._pattern.fullmatch(text) is not None
        return found

    @cached_property
    def codes(self) -> frozenset[int]:
        """The codes below 256 that are accepted."""
        return frozenset(code for code in range(256) if self.accepts(code))


class PatternParts:
    """A compiled pattern, parsed again."""

    def __init__(self, pattern: "re.Pattern[Any]") -> None:
        self.pattern = pattern
        self.is_text = isinstance(pattern.pattern, str)
        self.flags = pattern.flags & ~re.DEBUG
        self.items: list[PatternItem] = list(sre_parse.parse(pattern.pattern, self.flags).data)
        self.can_be_empty = sre_parse.parse(pattern.pattern, self.flags).getwidth()[0] == 0
        self._tests: dict[Hashable, CharacterTest] = {}

    def test(self, item: PatternItem, flags: int) -> CharacterTest:
        """Return the test of an item that accepts one character."""
        key = (repr(item), flags)
        if key not in self._tests:
            self._tests[key] = CharacterTest([item], flags, self.is_text)
        return self._tests[key]

    def word(self, flags: int) -> CharacterTest:
        r"""Return the test of `\w`."""
        return self.test((sre.IN, [(sre.CATEGORY, sre.CATEGORY_WORD)]), flags & ~re.IGNORECASE)


@lru_cache(maxsize=256)
def parts_of(pattern: "re.Pattern[Any]") -> PatternParts:
    """Return a compiled pattern, parsed again."""
    return PatternParts(pattern)


def changed_flags(flags: int, added: int, removed: int) -> int:
    """Return the flags inside of a group such as `(?i:...)`."""
    if added & (re.ASCII | re.UNICODE | re.LOCALE):
        flags &= ~(re.ASCII | re.UNICODE | re.LOCALE)
    return (flags | added) & ~removed
