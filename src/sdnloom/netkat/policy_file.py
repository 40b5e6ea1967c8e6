"""Files of policies: field declarations, named policies and claims about them.

    fields sw, pt, dst                     # optional; then every field must be declared
    let table = pt = 1 . pt <- 2           # definitions may refer to each other in any order, without cycles
    let net   = (table . links) . (table . links)*
    let links = pt = 2 . pt <- 3
    check net == table . links             # also !== and <=

A statement ends where the next begins. `let`, `fields` and `check` are words like any other elsewhere.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from sdnloom.netkat.errors import PolicyError, SourcePosition
from sdnloom.netkat.parser import RESERVED, PolicyParser, resolver
from sdnloom.netkat.syntax import PASS_ALL, WORD, Policy
from sdnloom.netkat.tokens import Token, TokenList

MAX_BYTES: Final = 64 * 1024 * 1024
_WORDS: Final = ("let", "fields", "check")
_STATEMENTS: Final = "'let', 'fields' or 'check'"
_RELATIONS: Final = {"equivalent": "==", "inequivalent": "!==", "contained": "<="}


@dataclass(frozen=True, slots=True)
class Claim:
    """Two policies that a file says to be equivalent (`==`), different (`!==`) or contained (`<=`)."""

    position: SourcePosition
    text: str
    left: Policy
    relation: str
    right: Policy


@dataclass(frozen=True, slots=True)
class PolicyFile:
    """The fields, policies and claims of a file. `fields` is None if it declares none."""

    source: str
    fields: Mapping[str, SourcePosition] | None = None
    policies: Mapping[str, Policy] = field(default_factory=dict)
    positions: Mapping[str, SourcePosition] = field(default_factory=dict)
    claims: tuple[Claim, ...] = ()


def read_policy_file(path: str | Path) -> PolicyFile:
    """Return the policies of a file; every failure to read it is a PolicyError that names it."""
    path = Path(path)
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise PolicyError(f"{path}: cannot be read: {error.strerror or error}") from None
    if len(data) > MAX_BYTES:
        raise PolicyError(f"{path}: larger than {MAX_BYTES // 1024 // 1024} MiB")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise PolicyError(f"{path}:{line}: byte {data[error.start]:#04x} is not UTF-8 text") from None
    return parse_policy_file(text, source=str(path))


def parse_policy_file(text: str, *, source: str = "<program>") -> PolicyFile:
    """Return the policies of a text; raises PolicySyntaxError with the position of a mistake."""
    tokens = TokenList.of(text, source)
    outline = _Outline(tokens)
    policies = _define(tokens, outline)
    claims: list[Claim] = []
    for start in outline.claims:
        parser = PolicyParser(tokens, resolver(tokens, policies), outline.fields, start)
        left = parser.policy()
        relation = _RELATIONS[parser.take().kind]
        right = parser.policy()
        position = tokens.position(tokens.tokens[start - 1])
        claims.append(Claim(position, tokens.excerpt(start, parser.index), left, relation, right))
    return PolicyFile(
        source,
        outline.fields,
        {name: policies[name] for name in outline.bodies},
        {name: tokens.position(tokens.tokens[start - 2]) for name, start in outline.bodies.items()},
        tuple(claims),
    )


class _Outline:
    """The statements of a file: where each begins and the names it refers to; checks the syntax."""

    def __init__(self, tokens: TokenList) -> None:
        self.tokens = tokens
        self.fields: dict[str, SourcePosition] | None = None
        self.bodies: dict[str, int] = {}
        self.references: dict[str, list[Token]] = {}
        self.claims: list[int] = []
        self._parser = PolicyParser(tokens, self._refer, None)
        self._names: list[Token] = []
        while self._parser.next.kind != "end":
            self._statement()

    def _refer(self, token: Token) -> Policy:
        if token.text in _WORDS and self._parser.next.kind == "word":
            # A statement that begins here, rather than a policy of that name.
            raise self.tokens.error(token, f"found {token.shown()}, expected a policy after the operator before it")
        self._names.append(token)
        return PASS_ALL  # allowed everywhere; the second pass resolves the name

    def _statement(self) -> None:
        parser = self._parser
        word = parser.next
        if word.kind != "word" or word.text not in _WORDS:
            raise parser.unexpected(f"an operator or {_STATEMENTS}" if self.bodies or self.claims else _STATEMENTS)
        parser.take()
        if word.text == "let":
            self._let()
        elif word.text == "fields":
            self._declare()
        else:
            self.claims.append(parser.index)
            self._names = []  # a claim defines nothing; its names are resolved in the second pass
            parser.policy()
            if parser.next.kind not in _RELATIONS:
                raise parser.unexpected("an operator, '==', '!==' or '<='")
            parser.take()
            parser.policy()

    def _let(self) -> None:
        parser = self._parser
        name = self._word("a name for the policy")
        if name.text in RESERVED:
            raise self.tokens.error(name, f"{name.shown()} is a word of the language and cannot name a policy")
        if name.text in self.bodies:
            first = self.tokens.position(self.tokens.tokens[self.bodies[name.text] - 2])
            raise self.tokens.error(name, f"{name.shown()} is already defined at {first}")
        if parser.next.kind not in ("is", "assign"):
            raise parser.unexpected(f"'=' after the name {name.shown()}")
        parser.take()
        self.bodies[name.text] = parser.index
        self._names = self.references[name.text] = []
        parser.policy()

    def _declare(self) -> None:
        self.fields = {} if self.fields is None else self.fields
        while True:
            name = self._word("a field name")
            if name.text in self.fields:
                raise self.tokens.error(name, f"field {name.shown()} is already declared at {self.fields[name.text]}")
            self.fields[name.text] = self.tokens.position(name)
            if self._parser.next.kind != ",":
                return
            self._parser.take()

    def _word(self, expected: str) -> Token:
        if self._parser.next.kind != "word" or not WORD.fullmatch(self._parser.next.text):
            raise self._parser.unexpected(expected)
        return self._parser.take()


def _define(tokens: TokenList, outline: _Outline) -> dict[str, Policy]:
    """Return every named policy; each is built after those it refers to."""
    done: dict[str, Policy] = {}
    for root in outline.bodies:
        # The names being defined, each with its references that are not resolved yet.
        path = [(root, iter(outline.references[root]))] if root not in done else []
        on_path = {root}
        while path:
            name, waiting = path[-1]
            token = next((reference for reference in waiting if _target(reference, outline) not in done), None)
            if token is None:
                path.pop()
                on_path.discard(name)
                done[name] = PolicyParser(tokens, resolver(tokens, done), outline.fields, outline.bodies[name]).policy()
                continue
            target = _target(token, outline)
            if target in on_path:
                cycle = [name for name, _ in path]
                cycle = [*cycle[cycle.index(target) :], target]
                shown = cycle if len(cycle) <= 9 else [*cycle[:4], "...", *cycle[-4:]]
                raise tokens.error(token, f"policies defined in a cycle: {' -> '.join(shown)}")
            if target not in outline.bodies:
                resolver(tokens, dict.fromkeys(outline.bodies, PASS_ALL))(token)  # raises, with suggestions
            path.append((target, iter(outline.references[target])))
            on_path.add(target)
    return done


def _target(token: Token, outline: _Outline) -> str:
    return token.text if token.text in outline.bodies else token.text.removeprefix("@")
