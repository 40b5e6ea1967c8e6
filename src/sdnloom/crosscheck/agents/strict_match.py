"""Matches of the explored copy of `strict`: each question about a match is one condition, not a branch for each field.

The model makes of a match the list of the fields that it has, so a symbolic match of 1.0 would fork for each wildcard.
Here a match is the model's own match of this run, which answers, and its terms, which say for which inputs the answer
is the same (`match_terms`). If the two ever disagreed, the exploration would report a divergence.
"""

from collections.abc import Mapping
from typing import Any, Final

from sdnloom.crosscheck.agents import match_terms
from sdnloom.crosscheck.agents.match_terms import MatchTerms, field_bits
from sdnloom.network.openflow import match10
from sdnloom.network.openflow.match import Match, canonical
from sdnloom.network.switch.core import match_order
from sdnloom.network.switch.tables import flow_mod, lookup
from sdnloom.symbolic.terms.constructors import Term, const
from sdnloom.symbolic.values.sym_int import SymInt, concrete_int, fit, make_int
from sdnloom.symbolic.values.truth import Truth, holds

# Fields of 1.3 whose mask may stay open: no other field depends on them.
OPEN_MASKS: Final = frozenset(
    ("metadata", "eth_dst", "eth_src", "ipv4_src", "ipv4_dst", "arp_spa", "arp_tpa", "arp_sha", "arp_tha", "ipv6_src",
     "ipv6_dst", "ipv6_flabel")
)  # fmt: skip


class MergedMatch:
    """A match: `plain` is that of this run, `terms` that of all inputs, `source` the copy's own match of 1.3."""

    def __init__(self, plain: Match, terms: MatchTerms, source: Any = None) -> None:
        self.plain, self.terms, self.source = plain, terms, source

    @property
    def fields(self) -> Any:
        """The fields of a match of 1.3, those of an open mask included; none only if there are none."""
        rows = self.source.fields
        if not rows or not all(is_open(mask) for _, _, mask in rows):
            return rows
        names = {name for name, _, _ in self.plain.fields}
        return tuple(row for row in rows if holds(Truth(row[0] in names, self.terms.parts[row[0]].present)))

    def get(self, name: str) -> Any:
        """Return (value, mask) of a field of 1.3, or None."""
        return self.source.get(name)

    def exact(self, name: str) -> Any:
        """Return the value of a field of 1.3 that is matched on all its bits, else None."""
        return self.source.exact(name)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, MergedMatch) and (self is other or holds(same_match(self, other)))

    __hash__ = object.__hash__  # no set of the explored copy looks matches up


def merged(match: Any) -> MergedMatch:
    """Return a match of 1.3, or one that the model has made itself, in merged form."""
    if isinstance(match, MergedMatch):
        return match
    rows: list[tuple[str, int, int | None]] = []
    terms: list[tuple[str, Term, Term]] = []
    for name, value, mask in match.fields:
        bits = field_bits(name)
        rows.append((name, concrete_int(value), None if mask is None else concrete_int(mask)))
        terms.append((name, fit(value, bits), const(-1, bits) if mask is None else fit(mask, bits)))
    return MergedMatch(canonical(rows), match_terms.given_match(tuple(terms)), match)


def is_open(mask: int | None) -> bool:
    """Return whether a mask of 1.3 is symbolic, so that it may be empty or full too."""
    return type(mask) is SymInt


def read_merged_match(number: int) -> MergedMatch:
    """Return the 1.0 match of 40 bytes, given as one number."""
    return MergedMatch(match10.read_match10(concrete_int(number)), match_terms.wire_match(fit(number, 320)))


def write_merged_match(match: MergedMatch) -> int:
    """Return the 40 bytes of a 1.0 match as one number."""
    return make_int(match10.write_match10(match.plain), match_terms.wire_term(match.terms))


def merged_port(number: int) -> int:
    """Return the 32-bit number of a 16-bit port."""
    return make_int(match10.port_from_16(concrete_int(number)), match_terms.wide_port(fit(number, 16)))


def matches_packet(match: Any, fields: Mapping[str, int]) -> Truth:
    """Return whether a match matches a packet with these fields."""
    match = merged(match)
    used = [(name, fields[name]) for name in match.terms.parts if name in fields]
    terms = tuple((name, fit(value, field_bits(name))) for name, value in used)
    plain = lookup.matches(match.plain, {name: concrete_int(value) for name, value in used})
    return Truth(plain, match_terms.packet_condition(match.terms, terms))


def covers_match(general: Any, special: Any) -> Truth:
    """Return whether the second match is equal to or more specific than the first."""
    general, special = merged(general), merged(special)
    plain = lookup.covers(general.plain, special.plain)
    return Truth(plain, match_terms.cover_condition(general.terms, special.terms))


def overlaps_match(one: Any, other: Any) -> Truth:
    """Return whether some packet may match both."""
    one, other = merged(one), merged(other)
    return Truth(lookup.overlap(one.plain, other.plain), match_terms.overlap_condition(one.terms, other.terms))


def same_match(one: Any, other: Any) -> Truth:
    """Return whether two matches are equal."""
    one, other = merged(one), merged(other)
    return Truth(one.plain == other.plain, match_terms.same_condition(one.terms, other.terms))


def precedes_match(one: Any, other: Any) -> Truth:
    """Return whether a match is before another one in the canonical order of entries."""
    one, other = merged(one), merged(other)
    before = match_order(one.plain) < match_order(other.plain)
    return Truth(before, match_terms.order_condition(one.terms, other.terms))


def lacks_wildcards(match: MergedMatch) -> Truth:
    """Return whether a match of 1.0 has no wildcards."""
    return Truth(flow_mod.has_no_wildcards(match.plain), match_terms.exact_condition(match.terms))
