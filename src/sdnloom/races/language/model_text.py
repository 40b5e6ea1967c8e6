"""Texts of DyNetKAT models and properties: tokens in DyNetKAT's notation, and policies."""

from collections.abc import Mapping, Sequence
from typing import Final

from sdnloom.netkat.errors import PolicySyntaxError, SourcePosition
from sdnloom.netkat.parser import parse_policy, parse_tokens
from sdnloom.netkat.syntax import Policy
from sdnloom.netkat.tokens import NETKAT_SYMBOLS, Notation, SourceText, Token, TokenList
from sdnloom.races.language.errors import DyNetkatError
from sdnloom.races.language.templates import PREFIX

_SYMBOLS = {"choice": ("o+", "⊕"), "parallel": ("||", "∥"), "receive": ("?",), "arrow": ("->",)}
DYNETKAT: Final = Notation({**NETKAT_SYMBOLS, **_SYMBOLS}, multiline_strings=True)


class ModelText(SourceText):
    """A text whose errors are DyNetkatErrors. Policies in it may be quoted, as RaceLoom writes them."""

    def error(self, offset: int, message: str) -> DyNetkatError:
        """Return the error that points at an offset."""
        return DyNetkatError(self.position(offset), message)

    def tokens(self, start: int = 0, end: int | None = None) -> list[Token]:
        """Return the tokens between two offsets, with an end token."""
        try:
            found = self.tokenize(DYNETKAT, start, end)
        except PolicySyntaxError as error:
            raise DyNetkatError(error.position, error.message) from None
        found.append(Token("end", "", found[-1].end if found else start))
        return found

    def policy(self, tokens: Sequence[Token], names: Mapping[str, Policy], end: int | None = None) -> Policy:
        """Return the policy that the tokens denote. They have no end token; it is at `end`, or behind the last one."""
        if any(PREFIX in token.text for token in tokens):
            raise self.error(tokens[0].start, f"field names that start with {PREFIX!r} are reserved")
        try:
            if len(tokens) == 1 and tokens[0].text.startswith('"'):
                return self._quoted_policy(tokens[0], names)
            return parse_tokens(TokenList(self, tokens, tokens[-1].end if end is None else end), names)
        except PolicySyntaxError as error:
            raise DyNetkatError(error.position, error.message) from None

    def _quoted_policy(self, token: Token, names: Mapping[str, Policy]) -> Policy:
        try:
            return parse_policy(str(token.value), names=names, source=self.name)
        except PolicySyntaxError as error:
            start, found = self.position(token.start + 1), error.position
            column = found.column + (start.column - 1 if found.line == 1 else 0)
            position = SourcePosition(self.name, start.line + found.line - 1, column)
            raise PolicySyntaxError(position, error.message) from None

    def whole_policy(self, names: Mapping[str, Policy]) -> Policy:
        """Return the policy that the whole text denotes."""
        return self.policy(self.tokens()[:-1], names, len(self.text))
