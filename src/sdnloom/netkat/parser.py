"""Text to policies. Precedence from loose to tight: sum, product, star, negation.

Notation, each line ASCII first and the papers' symbols after it:

    zero  false  drop  0    ∅ ⊥      drop every packet
    one   true   skip  1    ε ⊤      pass every packet
    f = v    f != v         ≠        test
    f <- v   f := v         ←        assignment
    ~a   !a                 ¬        negation of a predicate
    p . q   p ; q   a & b   · ⋅ ∧    product
    p + q   a | b           ∪ ∨      sum
    p*                      ∗ ⋆      star
    name   @name                     a named policy

A value is a number, a word, an IPv4 or MAC address, or a string in double quotes. `#` and `//` start comments.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches

from sdnloom.netkat.errors import PolicyError, PolicySyntaxError
from sdnloom.netkat.syntax import DROP_ALL, PASS_ALL, Assign, Not, Policy, Star, Test, product_of, sum_of
from sdnloom.netkat.tokens import Token, TokenList

CONSTANTS: Mapping[str, Policy] = {
    **dict.fromkeys(("zero", "false", "drop", "0", "∅", "⊥"), DROP_ALL),
    **dict.fromkeys(("one", "true", "skip", "1", "ε", "⊤"), PASS_ALL),
}
RESERVED = frozenset({*CONSTANTS, "dup", "δ"})
_COMPARISONS = frozenset({"is", "different", "assign"})

Resolve = Callable[[Token], Policy]


def parse_policy(
    text: str,
    *,
    names: Mapping[str, Policy] | None = None,
    fields: Collection[str] | None = None,
    source: str = "<policy>",
) -> Policy:
    """Return the policy that the text denotes.

    `names` are the policies it may refer to; with `fields`, every field must be one of them. Raises
    PolicySyntaxError with `source:line:column`, what was found and what was expected.
    """
    tokens = TokenList.of(text, source)
    return parse_tokens(tokens, names or {}, fields)


def parse_tokens(tokens: TokenList, names: Mapping[str, Policy], fields: Collection[str] | None = None) -> Policy:
    """Return the policy that all the tokens together denote."""
    parser = PolicyParser(tokens, resolver(tokens, names), fields)
    policy = parser.policy()
    if parser.next.kind != "end":
        raise parser.unexpected("an operator or the end of the policy")
    return policy


def resolver(tokens: TokenList, names: Mapping[str, Policy]) -> Resolve:
    """Return the function that looks up a name; for an unknown one it raises an error that suggests close ones.

    `@name` means the name with its sign if there is one, else without it.
    """

    def resolve(token: Token) -> Policy:
        for name in (token.text, token.text.removeprefix("@")):
            if name in names:
                return names[name]
        hint = suggestion(token.text, names)
        raise tokens.error(token, f"unknown policy name {token.shown()} (a test reads `field = value`){hint}")

    return resolve


def suggestion(word: str, known: Collection[str]) -> str:
    """Return the end of an error message: the closest known words, or that there are none."""
    if not known:
        return "; no names are defined here"
    near = get_close_matches(word, sorted(known), n=3)
    if near:
        return "; did you mean " + " or ".join(map(repr, near)) + "?"
    few = sorted(known)[:8]
    return "; known: " + ", ".join(few) + (", ..." if len(known) > len(few) else "")


@dataclass
class _Group:
    """A policy that is being read, from its opening parenthesis on."""

    opened: Token | None
    summands: list[Policy] = field(default_factory=list)
    factors: list[Policy] = field(default_factory=list)
    negations: list[Token] = field(default_factory=list)


class PolicyParser:
    """Reads policies from tokens with a stack of its own: nesting is limited by memory only."""

    def __init__(self, tokens: TokenList, resolve: Resolve, fields: Collection[str] | None, index: int = 0) -> None:
        self.tokens = tokens
        self.index = index
        self._resolve = resolve
        self._fields = fields

    @property
    def next(self) -> Token:
        return self.tokens.tokens[self.index]

    def take(self) -> Token:
        token = self.next
        self.index += 1
        return token

    def unexpected(self, expected: str) -> PolicySyntaxError:
        return self.tokens.error(self.next, f"found {self.next.shown()}, expected {expected}")

    def policy(self) -> Policy:
        """Return the longest policy from here; the token that ends it is not taken."""
        groups = [_Group(None)]
        while True:
            operand = self._operand(groups)
            while operand is not None:
                self._complete(groups[-1], operand)
                operand = self._operator(groups)
                if operand is not None and not groups:
                    return operand

    def _operand(self, groups: list[_Group]) -> Policy | None:
        """Read prefixes and one operand; None after an opening parenthesis."""
        while self.next.kind == "not":
            groups[-1].negations.append(self.take())
        if self.next.kind == "(":
            groups.append(_Group(self.take()))
            return None
        return self._atom()

    def _complete(self, group: _Group, operand: Policy) -> None:
        while group.negations:
            sign = group.negations.pop()
            if not operand.is_predicate:
                message = "only a predicate can be negated; below this sign stands an assignment or a star"
                raise self.tokens.error(sign, message)
            operand = Not(operand)
        while self.next.kind == "star":
            self.take()
            operand = Star(operand)
        group.factors.append(operand)

    def _operator(self, groups: list[_Group]) -> Policy | None:
        """Read the tokens after an operand; return the policy of a group that ends here."""
        group, kind = groups[-1], self.next.kind
        if kind == "product":
            self.take()
            return None
        if kind == "sum":
            self.take()
            group.summands.append(self._build(product_of, group.factors))
            group.factors = []
            return None
        if group.opened is None:
            groups.pop()
            return self._whole(group)
        if kind != ")":
            opened = self.tokens.position(group.opened)
            raise self.unexpected(f"an operator or ')' for the '(' at {opened.line}:{opened.column}")
        self.take()
        groups.pop()
        return self._whole(group)

    def _whole(self, group: _Group) -> Policy:
        return self._build(sum_of, [*group.summands, self._build(product_of, group.factors)])

    def _build(self, combine: Callable[[list[Policy]], Policy], parts: list[Policy]) -> Policy:
        try:
            return combine(parts)
        except PolicyError as error:
            raise self.tokens.error(self.tokens.tokens[self.index - 1], str(error)) from None

    def _atom(self) -> Policy:
        if self.next.kind not in ("word", "value", "constant"):
            raise self.unexpected("a test, an assignment, a policy name, '(' or a constant")
        token = self.take()
        if token.kind == "word" and self.next.kind in _COMPARISONS:
            return self._comparison(token)
        if token.text in CONSTANTS:
            return CONSTANTS[token.text]
        if token.text in ("dup", "δ"):
            raise self.tokens.error(token, "dup is not supported: only dup-free NetKAT is decided here")
        if token.kind == "value":
            raise self.tokens.error(token, f"found {token.shown()}, expected a policy; a test reads `field = value`")
        return self._resolve(token)

    def _comparison(self, name: Token) -> Policy:
        operator = self.take()
        if self.next.kind not in ("value", "word") or self.next.text.startswith("@"):
            raise self.unexpected(f"a value for the field {name.shown()}")
        value = self.take().value
        field_name = name.text.removeprefix("@")
        if self._fields is not None and field_name not in self._fields:
            raise self.tokens.error(name, f"undeclared field {name.shown()}{suggestion(field_name, self._fields)}")
        if operator.kind == "assign":
            return Assign(field_name, value)
        test = Test(field_name, value)
        return Not(test) if operator.kind == "different" else test
