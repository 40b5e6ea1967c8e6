"""Text to DyNetKAT terms.

    bot  ⊥                       nothing
    N ; D                        process packets with the policy N, go on as D
    x ! N ; D      x ? N ; D     send or receive the policy N on the channel x
    D o+ D  ⊕                    choice
    X   X(N, ...)                a recursive variable
    ( ... )                      around a term, an action or a policy

`;` binds tighter than `o+`. Policies are NetKAT as in `sdnloom.netkat.parser`, where `;` ends them; they may be quoted
as RaceLoom wants them. The reader keeps a stack of its own: nesting is limited by memory only.
"""

import json
import re
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, field

from sdnloom.netkat.errors import PolicySyntaxError, SourcePosition
from sdnloom.netkat.parser import RESERVED, parse_policy
from sdnloom.netkat.syntax import WORD, Policy
from sdnloom.races.language.errors import DyNetkatError
from sdnloom.races.language.templates import PREFIX
from sdnloom.races.language.terms import (
    BOT,
    Action,
    Forward,
    ProcessTerm,
    Receive,
    Send,
    VariableCall,
    choice_of,
    sequence,
)

_KIND = {"o+": "choice", "⊕": "choice", "||": "parallel", "∥": "parallel", "⊥": "bot"}
_TOKEN = re.compile(
    rf"""
      (?P<space>(?:\s+|\#[^\n]*|//[^\n]*)+)
    | (?P<string>"(?:[^"\\]|\\.)*")
    | (?P<mark>o\+|\|\||[⊕∥⊥])
    | (?P<word>@?{WORD.pattern})
    | (?P<number>[0-9](?:\w|[.:](?=\w))*)
    | (?P<other>!=|<-|<=|==|:=|.)
    """,
    re.VERBOSE | re.DOTALL,
)
_BRACKETS = {"(", ")", ";", "!", "?", ","}


@dataclass(frozen=True, slots=True)
class TermToken:
    """One token: `kind` is word, string, choice, parallel, bot, end, a bracket or mark itself, or `other`."""

    kind: str
    text: str
    start: int
    end: int


class Source:
    """A text to read from; turns offsets into places and stretches of it into policies."""

    def __init__(self, text: str, name: str) -> None:
        self.text = text
        self.name = name
        self._starts = [0, *(match.end() for match in re.finditer("\n", text))]

    def place(self, offset: int) -> SourcePosition:
        line = bisect_right(self._starts, offset)
        return SourcePosition(self.name, line, offset - self._starts[line - 1] + 1)

    def error(self, offset: int, message: str) -> DyNetkatError:
        return DyNetkatError(self.place(offset), message)

    def tokens(self, start: int, end: int) -> list[TermToken]:
        """Return the tokens between two offsets, with an end token."""
        found: list[TermToken] = []
        position = start
        while position < end:
            match = _TOKEN.match(self.text, position, end)
            assert match is not None  # `other` matches any character
            kind, lexeme = str(match.lastgroup), match.group()
            position = match.end()
            if lexeme == '"':
                raise self.error(match.start(), "the string that starts here is not closed")
            if kind == "mark":
                kind = _KIND[lexeme]
            elif lexeme in _BRACKETS:
                kind = lexeme
            if kind != "space":
                found.append(TermToken(kind, lexeme, match.start(), position))
        last = found[-1].end if found else start
        found.append(TermToken("end", "", last, last))
        return found

    def policy(self, start: int, end: int, names: Mapping[str, Policy]) -> Policy:
        """Return the policy written between two offsets; errors name their place in the whole text."""
        lexeme = self.text[start:end]
        if PREFIX in lexeme:
            raise self.error(start, f"field names that start with {PREFIX!r} are reserved")
        if lexeme.startswith('"') and _TOKEN.fullmatch(lexeme):
            start, lexeme = start + 1, self._unquote(start, lexeme)
        try:
            return parse_policy(lexeme, names=names, source=self.name)
        except PolicySyntaxError as error:
            base, found = self.place(start), error.place
            column = found.column + (base.column - 1 if found.line == 1 else 0)
            raise DyNetkatError(SourcePosition(self.name, base.line + found.line - 1, column), error.message) from None

    def _unquote(self, start: int, lexeme: str) -> str:
        try:
            return str(json.loads(lexeme, strict=False))
        except ValueError as error:
            raise self.error(start, f"bad string {lexeme[:40]}: {error}") from None


@dataclass(frozen=True)
class VariableUse:
    """A variable used in a term: how many arguments, where, and whether an action stands before it."""

    name: str
    arguments: int
    place: SourcePosition
    guarded: bool


@dataclass(frozen=True)
class ChannelUse:
    """A channel used in a term, and where."""

    name: str
    place: SourcePosition


@dataclass
class TermUses:
    """What a term refers to, for the checks of the model it is part of."""

    variables: list[VariableUse] = field(default_factory=list)
    channels: list[ChannelUse] = field(default_factory=list)


@dataclass
class _Group:
    """A term being read, from its opening parenthesis on."""

    opened: TermToken | None
    guarded: bool
    parts: list[ProcessTerm] = field(default_factory=list)
    actions: list[Action] = field(default_factory=list)


class TermReader:
    """Reads one term; `uses` collects what it refers to."""

    def __init__(self, source: Source, start: int, end: int, names: Mapping[str, Policy], uses: TermUses) -> None:
        self._source = source
        self._names = names
        self._uses = uses
        self._tokens = source.tokens(start, end)
        self._closing = self._match_parentheses()
        self._at = 0

    def term(self) -> ProcessTerm:
        """Return the term that the whole stretch denotes."""
        groups = [_Group(None, guarded=False)]
        while True:
            operand = self._operand(groups)
            while operand is not None:
                group = groups[-1]
                group.parts.append(sequence(group.actions, operand))
                group.actions = []
                kind = self._next.kind
                if kind == "choice":
                    self._at += 1
                    break
                if kind == "parallel":
                    raise self._unexpected("the end of the term: parallel composition belongs in the `system` line")
                groups.pop()
                operand = choice_of(group.parts)
                if group.opened is None:
                    if kind != "end":
                        raise self._unexpected("'o+' or the end of the term")
                    return operand
                self._at += 1  # the parenthesis that `_match_parentheses` found

    @property
    def _next(self) -> TermToken:
        return self._tokens[self._at]

    def _unexpected(self, expected: str) -> DyNetkatError:
        token = self._next
        found = "the end of the term" if token.kind == "end" else repr(token.text[:40])
        return self._source.error(token.start, f"found {found}, expected {expected}")

    def _match_parentheses(self) -> dict[int, int]:
        closing: dict[int, int] = {}
        stack: list[int] = []
        for index, token in enumerate(self._tokens):
            if token.kind == "(":
                stack.append(index)
            elif token.kind == ")":
                if not stack:
                    raise self._source.error(token.start, "found ')' without its '('")
                closing[stack.pop()] = index
        if stack:
            raise self._source.error(self._tokens[stack[-1]].start, "this '(' has no ')', expected one")
        return closing

    def _operand(self, groups: list[_Group]) -> ProcessTerm | None:
        """Read actions up to a term that stands by itself; None after an opening parenthesis."""
        group = groups[-1]
        while True:
            stop = self._stop()
            if self._tokens[stop].kind == ";":
                group.actions.append(self._action(self._at, stop))
                self._at = stop + 1
                continue
            guarded = group.guarded or bool(group.actions)
            if self._next.kind == "(" and self._closing[self._at] + 1 == stop:
                groups.append(_Group(self._next, guarded))
                self._at += 1
                return None
            return self._alone(stop, guarded)

    def _stop(self) -> int:
        """Return the index of the token that ends the operand that starts here."""
        index = self._at
        while self._tokens[index].kind not in (";", "choice", "parallel", ")", "end"):
            index = self._closing.get(index, index) + 1
        return index

    def _alone(self, stop: int, guarded: bool) -> ProcessTerm:
        token = self._next
        if token.kind in ("bot", "word") and token.text in ("bot", "⊥") and stop == self._at + 1:
            self._at = stop
            return BOT
        if token.kind != "word":
            raise self._unexpected("a policy, a channel with '!' or '?', a recursive variable, 'bot' or '('")
        arguments: tuple[Policy, ...] = ()
        after = self._at + 1
        if after < stop and self._tokens[after].kind == "(":
            arguments = self._arguments(after)
            after = self._closing[after] + 1
        if after != stop:
            self._at = stop
            raise self._unexpected("';' and a term after the action that ends here")
        self._at = stop
        self._uses.variables.append(VariableUse(token.text, len(arguments), self._source.place(token.start), guarded))
        return VariableCall(token.text, arguments)

    def _arguments(self, opened: int) -> tuple[Policy, ...]:
        closed = self._closing[opened]
        found: list[Policy] = []
        first = index = opened + 1
        while index <= closed:
            if index == closed or self._tokens[index].kind == ",":
                found.append(self._policy(first, index, "an argument"))
                first = index + 1
            index = self._closing.get(index, index) + 1
        return tuple(found)

    def _action(self, first: int, stop: int) -> Action:
        # `(x ! N)` is an action in parentheses; `(a).(b)` is a policy that merely starts and ends with one.
        while self._tokens[first].kind == "(" and self._closing[first] == stop - 1 and stop - first > 2:
            first, stop = first + 1, stop - 1
        token = self._tokens[first]
        if token.kind == "word" and self._tokens[first + 1].kind in ("!", "?"):
            policy = self._policy(first + 2, stop, f"the policy after {self._tokens[first + 1].text!r}")
            self._uses.channels.append(ChannelUse(token.text, self._source.place(token.start)))
            kind = Send if self._tokens[first + 1].kind == "!" else Receive
            return kind(token.text, policy)
        return Forward(self._policy(first, stop, "a policy or a communication before ';'"))

    def _policy(self, first: int, stop: int, what: str) -> Policy:
        if first >= stop:
            self._at = first
            raise self._unexpected(what)
        for token in self._tokens[first:stop]:
            if token.kind == "?":
                raise self._source.error(token.start, "found '?', expected a policy: a channel is one word before it")
        while self._tokens[first].kind == "(" and self._closing[first] == stop - 1 and stop - first > 2:
            first, stop = first + 1, stop - 1
        return self._source.policy(self._tokens[first].start, self._tokens[stop - 1].end, self._names)


def check_name(source: Source, offset: int, name: str, what: str) -> None:
    """Raise an error unless the text is a plain name that no constant has."""
    if not WORD.fullmatch(name) or name in RESERVED or name in ("bot", "o"):
        raise source.error(offset, f"found {name[:40]!r}, expected a name for {what}")
