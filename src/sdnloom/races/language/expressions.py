"""Text to DyNetKAT terms.

    bot  ⊥                       nothing
    N ; D                        process packets with the policy N, continue as D
    x ! N ; D      x ? N ; D     send or receive the policy N on the channel x
    D o+ D  ⊕                    choice
    X   X(N, ...)                a recursive variable
    ( ... )                      around a term, an action or a policy

`;` binds tighter than `o+`. Policies are NetKAT as in `sdnloom.netkat.parser`, where `;` ends them; they may be quoted
as in RaceLoom. The reader keeps its own stack: nesting is limited by memory only.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from sdnloom.netkat.errors import SourcePosition
from sdnloom.netkat.parser import RESERVED
from sdnloom.netkat.syntax import WORD, Policy
from sdnloom.netkat.tokens import Token
from sdnloom.races.language.errors import DyNetkatError
from sdnloom.races.language.model_text import ModelText
from sdnloom.races.language.terms import (
    BOT,
    Forward,
    ProcessTerm,
    Receive,
    Send,
    TermAction,
    VariableCall,
    choice_of,
    sequence,
)


@dataclass(frozen=True)
class VariableUse:
    """A variable used in a term: the number of its arguments, its position, and whether an action precedes it."""

    name: str
    arguments: int
    position: SourcePosition
    guarded: bool


@dataclass(frozen=True)
class ChannelUse:
    """A channel used in a term, and its position."""

    name: str
    position: SourcePosition


@dataclass
class TermUses:
    """Variables and channels that a term uses, for the checks of the model it is part of."""

    variables: list[VariableUse] = field(default_factory=list)
    channels: list[ChannelUse] = field(default_factory=list)


@dataclass
class _Group:
    """A term that is being read, from its opening parenthesis on."""

    opened: Token | None
    guarded: bool
    parts: list[ProcessTerm] = field(default_factory=list)
    actions: list[TermAction] = field(default_factory=list)


class TermReader:
    """Reads one term; `uses` collects the variables and channels that it uses."""

    def __init__(self, source: ModelText, start: int, end: int, names: Mapping[str, Policy], uses: TermUses) -> None:
        self._source = source
        self._names = names
        self._uses = uses
        self._tokens = source.tokens(start, end)
        self._closing = self._match_parentheses()
        self._at = 0

    def term(self) -> ProcessTerm:
        """Return the term that the text between the offsets denotes."""
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
    def _next(self) -> Token:
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
        """Read actions up to a variable or `bot`, which is returned; None after an opening parenthesis."""
        group = groups[-1]
        while True:
            stop = self._stop()
            if self._tokens[stop].text == ";":
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
        while not _ends_operand(self._tokens[index]):
            index = self._closing.get(index, index) + 1
        return index

    def _alone(self, stop: int, guarded: bool) -> ProcessTerm:
        token = self._next
        if token.text in ("bot", "⊥") and stop == self._at + 1:
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
        self._uses.variables.append(
            VariableUse(token.text, len(arguments), self._source.position(token.start), guarded)
        )
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

    def _action(self, first: int, stop: int) -> TermAction:
        # `(x ! N)` is an action in parentheses; `(a).(b)` is a policy that merely starts and ends with one.
        while self._tokens[first].kind == "(" and self._closing[first] == stop - 1 and stop - first > 2:
            first, stop = first + 1, stop - 1
        token = self._tokens[first]
        if token.kind == "word" and self._tokens[first + 1].text in ("!", "?"):
            policy = self._policy(first + 2, stop, f"the policy after {self._tokens[first + 1].text!r}")
            self._uses.channels.append(ChannelUse(token.text, self._source.position(token.start)))
            kind = Send if self._tokens[first + 1].text == "!" else Receive
            return kind(token.text, policy)
        return Forward(self._policy(first, stop, "a policy or a communication before ';'"))

    def _policy(self, first: int, stop: int, what: str) -> Policy:
        if first >= stop:
            self._at = first
            raise self._unexpected(what)
        for token in self._tokens[first:stop]:
            if token.kind == "receive":
                raise self._source.error(token.start, "found '?', expected a policy: a channel is one word before it")
        while self._tokens[first].kind == "(" and self._closing[first] == stop - 1 and stop - first > 2:
            first, stop = first + 1, stop - 1
        return self._source.policy(self._tokens[first:stop], self._names)


def _ends_operand(token: Token) -> bool:
    return token.text == ";" or token.kind in ("choice", "parallel", ")", "end")


def check_name(source: ModelText, offset: int, name: str, what: str) -> None:
    """Raise an error unless the text is a name and not reserved."""
    if not WORD.fullmatch(name) or name in RESERVED or name in ("bot", "o"):
        raise source.error(offset, f"found {name[:40]!r}, expected a name for {what}")
