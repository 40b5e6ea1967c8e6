"""Queries against the switch model: exact on numbers, and never less than it with symbols."""

import random
from typing import Any

from sdnloom.actors.network.queries import CoveredEntries, MatchingEntries, OverlappingEntries
from sdnloom.actors.program import PLAIN, Group, Naming
from sdnloom.actors.values import Frozen, Symbol, freeze, substitute
from sdnloom.network.openflow import Match
from sdnloom.network.switch.tables.lookup import covers, matches, overlap

NAMING = Naming(
    [
        Group(("A", "B", "C"), {"name": ("A", "B", "C"), "mac": (1, 2, 3), "port": (4, 5, 6)}),
        Group(("D", "E"), {"name": ("D", "E"), "mac": (4, 5), "port": (7, 8)}),
    ]
)
FIELDS = {"in_port": "port", "eth_src": "mac", "eth_dst": "mac"}


def random_number(rng: random.Random, field: str, symbols: bool) -> Any:
    if symbols and rng.random() < 0.6:
        group = rng.randrange(2)
        members = len(NAMING.groups[group].members)
        return Symbol(group, FIELDS[field], rng.choice([None, *range(members)]))
    return rng.randrange(1, 9)


def random_rows(rng: random.Random, symbols: bool) -> tuple[Any, ...]:
    """The fields of a match in stored form."""
    rows: list[Any] = []
    for field in FIELDS:
        what = rng.random()
        if what < 0.3 and field != "in_port":
            mask = rng.randrange(1, 8)
            rows.append((field, rng.randrange(8) & mask, mask))
        elif what < 0.7:
            rows.append((field, random_number(rng, field, symbols), None))
    return tuple(rows)


def assigned(rng: random.Random, stored: Any) -> Any:
    """The stored value with numbers for symbols, under a random renaming; symbols of any individual stand for any."""
    orders = [rng.sample(range(len(group.members)), len(group.members)) for group in NAMING.groups]

    def number(symbol: Any) -> Any:
        index = rng.choice(orders[symbol.group]) if symbol.index is None else orders[symbol.group][symbol.index]
        return NAMING.groups[symbol.group].facets[symbol.facet][index]

    return substitute(stored, number)


def test_on_numbers_the_queries_are_the_relations_of_the_model() -> None:
    rng, found = random.Random(1), [0, 0, 0]
    for _ in range(1500):
        rows, other, priority = random_rows(rng, False), random_rows(rng, False), rng.randrange(2)
        key = (priority, Frozen(Match, (other,)))
        fields = tuple((name, random_number(rng, name, False)) for name in sorted(FIELDS))
        answers = (
            (MatchingEntries(fields, PLAIN).covers(key), matches(Match(other), dict(fields))),
            (CoveredEntries(rows, PLAIN).covers(key), covers(Match(rows), Match(other))),
            (OverlappingEntries((1,), rows, PLAIN).covers(key), priority == 1 and overlap(Match(rows), Match(other))),
        )
        for number, (answer, expected) in enumerate(answers):
            assert answer == expected
            found[number] += answer
    assert all(50 < count < 1300 for count in found)


def test_with_symbols_a_query_covers_what_it_covers_under_some_renaming() -> None:
    rng, narrower = random.Random(2), 0
    for _ in range(1500):
        rows, other = random_rows(rng, True), random_rows(rng, True)
        key = (1, Frozen(Match, (other,)))
        fields = tuple((name, random_number(rng, name, True)) for name in sorted(FIELDS))
        for query in (
            MatchingEntries(fields, NAMING),
            CoveredEntries(rows, NAMING),
            OverlappingEntries((1,), rows, NAMING),
        ):
            answer = query.covers(key)
            narrower += not answer
            together = [assigned(rng, (query_parts(query), key)) for _ in range(4)]
            assert answer or not any(with_parts(query, parts).covers(plain_key) for parts, plain_key in together)
    assert narrower > 1000


def query_parts(query: Any) -> Any:
    return query.fields if isinstance(query, MatchingEntries) else query.rows


def with_parts(query: Any, parts: Any) -> Any:
    if isinstance(query, MatchingEntries):
        return MatchingEntries(parts, PLAIN)
    return CoveredEntries(parts, PLAIN) if isinstance(query, CoveredEntries) else OverlappingEntries((1,), parts, PLAIN)


def test_different_individuals_of_a_group_do_not_match_each_other() -> None:
    one, other, anyone = (Symbol(0, "mac", index) for index in (0, 1, None))
    key = (1, Frozen(Match, ((("eth_dst", one, None),),)))
    assert MatchingEntries((("eth_dst", one),), NAMING).covers(key)
    assert not MatchingEntries((("eth_dst", other),), NAMING).covers(key)
    assert MatchingEntries((("eth_dst", anyone),), NAMING).covers(key)
    assert MatchingEntries((("eth_dst", 3),), NAMING).covers(key)  # a renaming makes the symbol 3
    assert not MatchingEntries((("eth_dst", 7),), NAMING).covers(key)
    assert not MatchingEntries((("eth_dst", Symbol(1, "mac", 0)),), NAMING).covers(key)


def test_a_query_with_symbols_replaced_is_the_query_of_the_numbers() -> None:
    query = MatchingEntries((("eth_dst", Symbol(0, "mac", 1)), ("in_port", 2)), NAMING)
    assert query.substituted(NAMING.plain) == MatchingEntries((("eth_dst", 2), ("in_port", 2)), PLAIN)
    rows = (("eth_dst", Symbol(0, "mac", 1), None),)
    assert CoveredEntries(rows, NAMING).substituted(NAMING.plain) == CoveredEntries((("eth_dst", 2, None),), PLAIN)
    overlapping = OverlappingEntries((Symbol(0, "name", 0), 1), rows, NAMING).substituted(NAMING.plain)
    assert overlapping == OverlappingEntries(("A", 1), (("eth_dst", 2, None),), PLAIN)


def test_a_match_is_stored_as_the_queries_expect() -> None:
    match = Match.of(in_port=1, eth_dst=2)
    assert freeze(match, lambda _: None) == Frozen(Match, (match.fields,))
