"""Text to tokens: the ASCII notation and the papers' symbols become the same kinds."""

import json
import re
from bisect import bisect_right
from dataclasses import dataclass
from itertools import takewhile

from sdnloom.netkat.errors import PolicySyntaxError, SourcePosition
from sdnloom.netkat.syntax import WORD, Value

# More digits than a 128-bit address has; also keeps the conversion cheap.
MAX_DIGITS = 40

_SYMBOLS = {
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
_KIND = {symbol: kind for kind, symbols in _SYMBOLS.items() for symbol in symbols}
_OPERATOR = "|".join(re.escape(symbol) for symbol in sorted(_KIND, key=lambda symbol: (-len(symbol), symbol)))
# A number right before a dot and a digit is neither: `10.0.0` would silently be the product of three policies.
_TOKEN = re.compile(
    rf"""
      (?P<space>(?:\s+|\#[^\n]*|//[^\n]*)+)
    | (?P<mac>[0-9A-Fa-f]{{2}}(?::[0-9A-Fa-f]{{2}}){{5}}(?![\w:]))
    | (?P<ipv4>[0-9]{{1,3}}(?:\.[0-9]{{1,3}}){{3}}(?!\w|\.[0-9]))
    | (?P<number>-?(?:0[xX][0-9A-Fa-f]+|[0-9]+)(?!\w|\.[0-9]))
    | (?P<word>@?{WORD.pattern})
    | (?P<string>"(?:[^"\\\n]|\\[^\n])*")
    | (?P<symbol>{_OPERATOR})
    """,
    re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class Token:
    """One token. `kind` is word, value, end or the name of an operator; `value` is set for a value."""

    kind: str
    text: str
    start: int
    value: Value = ""

    def shown(self) -> str:
        """Return the token as an error message names it."""
        if self.kind == "end":
            return "the end of the text"
        return repr(self.text if len(self.text) <= 40 else self.text[:37] + "...")


class Text:
    """A text with its tokens; turns offsets into places."""

    def __init__(self, text: str, source: str) -> None:
        self.source = source
        self._starts = [0, *(match.end() for match in re.finditer("\n", text))]
        self.tokens = self._tokenize(text)

    def place(self, offset: int) -> SourcePosition:
        """Return the place of an offset."""
        line = bisect_right(self._starts, offset)
        return SourcePosition(self.source, line, offset - self._starts[line - 1] + 1)

    def error(self, token: Token, message: str) -> PolicySyntaxError:
        """Return the error that points at the token."""
        return PolicySyntaxError(self.place(token.start), message)

    def excerpt(self, first: int, end: int) -> str:
        """Return the tokens from position `first` up to `end` as one line, without comments."""
        pieces: list[str] = []
        reached = -1
        for token in self.tokens[first:end]:
            pieces += [" ", token.text] if -1 < reached < token.start else [token.text]
            reached = token.start + len(token.text)
        return "".join(pieces)

    def _tokenize(self, text: str) -> list[Token]:
        tokens: list[Token] = []
        position = 0
        while position < len(text):
            match = _TOKEN.match(text, position)
            if match is None:
                raise PolicySyntaxError(self.place(position), _complaint(text, position))
            kind, lexeme = str(match.lastgroup), match.group()
            if kind == "symbol":
                tokens.append(Token(_KIND[lexeme], lexeme, position))
            elif kind == "word":
                tokens.append(Token("word", lexeme, position, lexeme))
            elif kind != "space":
                tokens.append(Token("value", lexeme, position, self._value(kind, lexeme, position)))
            position = match.end()
        tokens.append(Token("end", "", len(text)))
        return tokens

    def _value(self, kind: str, lexeme: str, position: int) -> Value:
        if kind == "string":
            return self._unquote(lexeme, position)
        if kind == "mac":
            return lexeme.lower()
        if kind == "ipv4":
            parts = [int(part) for part in lexeme.split(".")]
            if max(parts) > 255:
                raise PolicySyntaxError(self.place(position), f"{lexeme!r} is no IPv4 address: each part is 0 to 255")
            return ".".join(map(str, parts))
        if len(lexeme) > MAX_DIGITS:
            raise PolicySyntaxError(self.place(position), f"number of {len(lexeme)} digits; at most {MAX_DIGITS} fit")
        return int(lexeme, 16 if "x" in lexeme.lower() else 10)

    def _unquote(self, lexeme: str, position: int) -> str:
        # Strings are JSON's: one well-known set of escapes.
        try:
            return str(json.loads(lexeme))
        except ValueError as error:
            raise PolicySyntaxError(self.place(position), f"bad string {lexeme[:40]}: {error}") from None


def _complaint(text: str, position: int) -> str:
    found = text[position]
    if found == '"':
        return "the string that starts here is not closed on its line"
    if found.isdigit() or found == "-":
        word = "".join(takewhile(lambda char: char.isalnum() or char in "-_.", text[position : position + 40]))
        return (
            f"found {word!r}, expected a number or an address; "
            "put spaces around the '.' of a product, and quotes around other values that start with a digit"
        )
    return f"found {found!r}, which is no part of the language"
