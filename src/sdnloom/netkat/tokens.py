"""Tokens of NetKAT and of languages that contain it: ASCII notation and the papers' symbols become the same kinds."""

import json
import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Final

from sdnloom.netkat.errors import PolicySyntaxError, SourcePosition
from sdnloom.netkat.syntax import WORD, FieldValue

# More digits than a 128-bit address has; also keeps the conversion cheap.
MAX_DIGITS: Final = 40

NETKAT_SYMBOLS: Final[Mapping[str, Sequence[str]]] = {
    "sum": ("+", "|", "∪", "∨", "⊔"),
    "product": (".", ";", "&", "·", "⋅", "∙", "∧", "∩", "∘"),
    "star": ("*", "∗", "⋆", "★"),
    "not": ("~", "!", "¬"),
    "assign": ("<-", ":=", "←"),
    "equivalent": ("==", "≡"),
    "contained": ("<=", "≤", "⊑"),
    "inequivalent": ("!==", "≢"),
    "different": ("!=", "≠"),
    "is": ("=", "≜"),
    "(": ("(",),
    ")": (")",),
    ",": (",",),
    "constant": ("⊤", "⊥", "∅"),
}


@dataclass(frozen=True, slots=True)
class Token:
    """One token. `kind` is word, value, end or that of a symbol; a word or a value has a `value`."""

    kind: str
    text: str
    start: int
    value: FieldValue = ""

    @property
    def end(self) -> int:
        """The offset behind the token."""
        return self.start + len(self.text)

    def shown(self) -> str:
        """The token as an error message names it."""
        if self.kind == "end":
            return "the end of the text"
        return repr(self.text if len(self.text) <= 40 else self.text[:37] + "...")


class Notation:
    """The symbols of a language by kind of token, and whether a string may go over several lines."""

    def __init__(self, symbols: Mapping[str, Sequence[str]], multiline_strings: bool = False) -> None:
        self.kinds: Final = {symbol: kind for kind, written in symbols.items() for symbol in written}
        self.multiline_strings: Final = multiline_strings
        longest_first = sorted(self.kinds, key=lambda symbol: (-len(symbol), symbol))
        wordlike = [symbol for symbol in longest_first if symbol[0].isalnum()]
        symbol_pattern = "|".join(re.escape(symbol) for symbol in longest_first if symbol not in wordlike)
        wordlike_pattern = "|".join(map(re.escape, wordlike)) or r"(?!)"
        character, escape = (r'[^"\\]', r"\\[\s\S]") if multiline_strings else (r'[^"\\\n]', r"\\[^\n]")
        # A number right before a dot and a digit is neither: `10.0.0` would silently be the product of three policies.
        self.pattern: Final = re.compile(
            rf"""
              (?P<space>(?:\s+|\#[^\n]*|//[^\n]*)+)
            | (?P<wordlike>{wordlike_pattern})
            | (?P<mac>[0-9A-Fa-f]{{2}}(?::[0-9A-Fa-f]{{2}}){{5}}(?![\w:]))
            | (?P<ipv4>[0-9]{{1,3}}(?:\.[0-9]{{1,3}}){{3}}(?!\w|\.[0-9]))
            | (?P<number>-?(?:0[xX][0-9A-Fa-f]+|[0-9]+)(?!\w|\.[0-9]))
            | (?P<word>@?{WORD.pattern})
            | (?P<string>"(?:{character}|{escape})*")
            | (?P<symbol>{symbol_pattern})
            """,
            re.VERBOSE,
        )


NETKAT: Final = Notation(NETKAT_SYMBOLS)


class SourceText:
    """A text and its name; turns offsets into positions and stretches of it into tokens."""

    def __init__(self, text: str, name: str) -> None:
        self.text = text
        self.name = name
        self._line_starts = [0, *(match.end() for match in re.finditer("\n", text))]

    def position(self, offset: int) -> SourcePosition:
        """The line and column of an offset."""
        line = bisect_right(self._line_starts, offset)
        return SourcePosition(self.name, line, offset - self._line_starts[line - 1] + 1)

    def tokenize(self, notation: Notation = NETKAT, start: int = 0, end: int | None = None) -> list[Token]:
        """The tokens between two offsets, without an end token; raises PolicySyntaxError for text that is none."""
        tokens: list[Token] = []
        offset, end = start, len(self.text) if end is None else end
        while offset < end:
            match = notation.pattern.match(self.text, offset, end)
            if match is None:
                raise PolicySyntaxError(self.position(offset), _complaint(self.text, offset, notation))
            kind, lexeme = str(match.lastgroup), match.group()
            if kind in ("symbol", "wordlike"):
                tokens.append(Token(notation.kinds[lexeme], lexeme, offset))
            elif kind == "word":
                tokens.append(Token("word", lexeme, offset, lexeme))
            elif kind != "space":
                tokens.append(Token("value", lexeme, offset, self._value(kind, lexeme, offset, notation)))
            offset = match.end()
        return tokens

    def _value(self, kind: str, lexeme: str, offset: int, notation: Notation) -> FieldValue:
        if kind == "string":
            return self._unquote(lexeme, offset, strict=not notation.multiline_strings)
        if kind == "mac":
            return lexeme.lower()
        if kind == "ipv4":
            parts = [int(part) for part in lexeme.split(".")]
            if max(parts) > 255:
                raise PolicySyntaxError(self.position(offset), f"{lexeme!r} is no IPv4 address: each part is 0 to 255")
            return ".".join(map(str, parts))
        if len(lexeme) > MAX_DIGITS:
            raise PolicySyntaxError(self.position(offset), f"number of {len(lexeme)} digits; at most {MAX_DIGITS} fit")
        return int(lexeme, 16 if "x" in lexeme.lower() else 10)

    def _unquote(self, lexeme: str, offset: int, strict: bool) -> str:
        # Strings are JSON's: one well-known set of escapes.
        try:
            return str(json.loads(lexeme, strict=strict))
        except ValueError as error:
            raise PolicySyntaxError(self.position(offset), f"bad string {lexeme[:40]}: {error}") from None


class TokenList:
    """Tokens of a source text, closed by an end token."""

    def __init__(self, source: SourceText, tokens: Sequence[Token], end: int) -> None:
        self.source = source
        self.tokens = [*tokens, Token("end", "", end)]

    @staticmethod
    def of(text: str, name: str) -> "TokenList":
        """The tokens of a whole text in NetKAT's notation."""
        source = SourceText(text, name)
        return TokenList(source, source.tokenize(), len(text))

    def position(self, token: Token) -> SourcePosition:
        """The line and column of a token."""
        return self.source.position(token.start)

    def error(self, token: Token, message: str) -> PolicySyntaxError:
        """The error that points at the token."""
        return PolicySyntaxError(self.position(token), message)

    def excerpt(self, first: int, end: int) -> str:
        """The tokens from index `first` up to `end` as one line, without comments."""
        pieces: list[str] = []
        reached = -1
        for token in self.tokens[first:end]:
            pieces += [" ", token.text] if -1 < reached < token.start else [token.text]
            reached = token.end
        return "".join(pieces)


def _complaint(text: str, offset: int, notation: Notation) -> str:
    found = text[offset]
    if found == '"':
        line = "" if notation.multiline_strings else " on its line"
        return f"the string that starts here is not closed{line}"
    if found.isdigit() or found == "-":
        word = "".join(takewhile(lambda char: char.isalnum() or char in "-_.", text[offset : offset + 40]))
        return (
            f"found {word!r}, expected a number or an address; "
            "put spaces around the '.' of a product, and quotes around other values that start with a digit"
        )
    return f"found {found!r}, which is not part of the language"
