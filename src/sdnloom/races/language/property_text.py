"""Text to forwarding properties.

    E is empty                   no packet gets through E, e.g. `port = 1 . @Network . port = 16 is empty`
    E is nonempty                some packet does
    E <= F     E == F            inclusion, equivalence with a reference policy
    isolated A, B                no packet gets from A to B or from B to A
    waypoint W from A to B       every packet that gets from A to B passes W

E and F are NetKAT policies in which `@Network` is the policy of the data plane; A, B and W are predicates.
"""

from collections.abc import Mapping

from sdnloom.netkat.syntax import PASS_ALL, Not, Policy, product_of, sum_of
from sdnloom.netkat.tokens import Token
from sdnloom.races.language.errors import DyNetkatError
from sdnloom.races.language.model_text import ModelText
from sdnloom.races.language.properties import Formula, Inclusion, RaceType
from sdnloom.races.language.templates import NETWORK, hole

NETWORK_NAME = "@Network"
TEMPORAL = frozenset(
    {"always", "eventually", "globally", "finally", "until", "next", "release", "ltl", "once", "since"}
)
_FORMS = "`... is empty`, `... is nonempty`, `... == ...`, `... <= ...`, `isolated A, B` or `waypoint W from A to B`"


def with_network(names: Mapping[str, Policy]) -> dict[str, Policy]:
    """Return the names that a property may use."""
    return {**names, NETWORK_NAME: hole(NETWORK)}


def parse_formula(source: ModelText, start: int, end: int, names: Mapping[str, Policy]) -> Formula:
    """Return the formula written between two offsets."""
    return _FormulaReader(source, start, end, with_network(names)).formula()


def parse_race_type(source: ModelText, offset: int, text: str) -> RaceType:
    """Return the race type of that name."""
    for race_type in RaceType:
        if race_type.value == text.replace(" ", ""):
            return race_type
    expected = ", ".join(repr(race_type.value) for race_type in RaceType)
    raise source.error(offset, f"unknown race type {text[:40]!r}, expected one of {expected}")


class _FormulaReader:
    def __init__(self, source: ModelText, start: int, end: int, names: Mapping[str, Policy]) -> None:
        self._source = source
        self._names = names
        self._tokens = source.tokens(start, end)
        self._text = " ".join(source.text[start:end].split())

    def formula(self) -> Formula:
        first = self._tokens[0]
        self._refuse_temporal()
        if first.kind == "word" and first.text == "isolated" and not self._is_test(0):
            a, b = self._split(1, ",", "`isolated A, B`")
            return self._empty(sum_of([product_of([a, hole(NETWORK), b]), product_of([b, hole(NETWORK), a])]))
        if first.kind == "word" and first.text == "waypoint" and not self._is_test(0):
            return self._waypoint()
        if len(self._tokens) > 3 and [token.text for token in self._tokens[-3:-1]] in (
            ["is", "empty"],
            ["is", "nonempty"],
        ):
            policy = self._policy(0, len(self._tokens) - 3)
            return self._empty(policy, negated=self._tokens[-2].text == "nonempty")
        for sign in ("==", "≡", "<=", "≤"):
            if any(token.text == sign for token in self._tokens):
                left, right = self._split(0, sign, f"one {sign!r}")
                inclusions: tuple[Inclusion, ...] = (Inclusion(left, right),)
                if sign in ("==", "≡"):
                    inclusions += (Inclusion(right, left),)
                return Formula(inclusions, text=self._text)
        raise self._source.error(first.start, f"found no question about the network, expected {_FORMS}")

    def _empty(self, policy: Policy, negated: bool = False, avoid: Policy = PASS_ALL) -> Formula:
        return Formula((Inclusion(policy),), negated, avoid, self._text)

    def _waypoint(self) -> Formula:
        from_at, to_at = self._word("from", 1), self._word("to", 1)
        if to_at < from_at:
            raise self._source.error(self._tokens[to_at].start, "found 'to' before 'from'")
        waypoint, source = self._predicate(1, from_at), self._predicate(from_at + 1, to_at)
        target = self._predicate(to_at + 1, len(self._tokens) - 1)
        return self._empty(product_of([source, hole(NETWORK), target]), avoid=Not(waypoint))

    def _word(self, word: str, start: int) -> int:
        for index in range(start, len(self._tokens)):
            if self._tokens[index].text == word and not self._is_test(index):
                return index
        raise self._source.error(self._tokens[-1].start, f"found the end, expected {word!r}: waypoint W from A to B")

    def _is_test(self, index: int) -> bool:
        """Return whether the word at the index is a field in a test: any word may name a field."""
        return self._tokens[index + 1].text in ("=", "!=", "≠", "<-", ":=", "←")

    def _split(self, start: int, sign: str, what: str) -> tuple[Policy, Policy]:
        signs = [index for index in range(start, len(self._tokens)) if self._tokens[index].text == sign]
        if len(signs) != 1:
            at = self._tokens[signs[1] if signs else -1].start
            raise self._source.error(at, f"found {len(signs)} of {sign!r}, expected {what}")
        left, right = self._policy(start, signs[0]), self._policy(signs[0] + 1, len(self._tokens) - 1)
        if sign == ",":
            self._need_predicate(start, left)
            self._need_predicate(signs[0] + 1, right)
        return left, right

    def _policy(self, first: int, stop: int) -> Policy:
        if first >= stop:
            raise self._source.error(self._tokens[stop].start, f"found {_shown(self._tokens[stop])}, expected a policy")
        return self._source.policy(self._tokens[first:stop], self._names)

    def _predicate(self, first: int, stop: int) -> Policy:
        policy = self._policy(first, stop)
        self._need_predicate(first, policy)
        return policy

    def _need_predicate(self, first: int, policy: Policy) -> None:
        if not policy.is_predicate:
            raise self._source.error(self._tokens[first].start, "found an assignment or a star, expected a predicate")

    def _refuse_temporal(self) -> None:
        for index, token in enumerate(self._tokens[:-1]):
            if token.kind == "word" and token.text.lower() in TEMPORAL and not self._is_test(index):
                value = index > 0 and self._is_test(index - 1)
                if not value and token.text not in self._names:
                    raise _temporal(self._source, token)


def _temporal(source: ModelText, token: Token) -> DyNetkatError:
    return source.error(token.start, f"temporal properties are not supported (found {token.text!r}): expected {_FORMS}")


def _shown(token: Token) -> str:
    return "the end" if token.kind == "end" else repr(token.text)
