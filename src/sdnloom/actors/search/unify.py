"""Whether stored values may be equal if an index of None in a symbol stands for any member of its group."""

from typing import Any

from sdnloom.actors.program import Naming
from sdnloom.actors.task import Location
from sdnloom.actors.values import Frozen, Reference, Stored, Symbol, substitute


def may_unify(one: Stored, other: Stored) -> bool:
    """Whether two stored values are equal for some members in the place of unknown ones."""
    if one == other:
        return True
    kind = type(one)
    if kind is not type(other):
        return False
    if kind is Symbol:
        unknown = one.index is None or other.index is None
        return unknown and (one.group, one.facet) == (other.group, other.facet)
    if kind is tuple:
        return len(one) == len(other) and all(map(may_unify, one, other))
    if kind is Frozen:
        return one.kind is other.kind and may_unify(one.parts, other.parts)
    if kind is Reference:
        return may_unify(one.actor, other.actor)
    # Elements that differ in unknown members alone are one element, so the sizes of sets say nothing.
    return kind is frozenset and (_has_symbols(one) or _has_symbols(other))


def may_collide(naming: Naming, one: Stored, other: Stored) -> bool:
    """Whether two different stored values without indexes may be the same plain value."""
    if isinstance(one, Symbol) or isinstance(other, Symbol):
        return one == other or not _stands_for(naming, one).isdisjoint(_stands_for(naming, other))
    if isinstance(one, tuple) and isinstance(other, tuple):
        return len(one) == len(other) and all(may_collide(naming, *pair) for pair in zip(one, other, strict=True))
    if isinstance(one, Frozen) and isinstance(other, Frozen):
        return one.kind is other.kind and may_collide(naming, one.parts, other.parts)
    if isinstance(one, Reference) and isinstance(other, Reference):
        return may_collide(naming, one.actor, other.actor)
    if isinstance(one, frozenset) and isinstance(other, frozenset) and (_has_symbols(one) or _has_symbols(other)):
        return True
    return bool(one == other)


def _has_symbols(stored: Stored) -> bool:
    found = False

    def look(atom: Any) -> Stored:
        nonlocal found
        found |= isinstance(atom, Symbol)
        return atom

    substitute(stored, look)
    return found


def _stands_for(naming: Naming, stored: Stored) -> frozenset[Stored]:
    if isinstance(stored, Symbol):
        return frozenset(naming.groups[stored.group].facets[stored.facet])
    return frozenset({stored})


def may_be_same(one: Location, other: Location) -> bool:
    """Whether two locations may be one cell; a query is each cell that it may cover."""
    if one.field != other.field or not may_unify(one.actor, other.actor):
        return False
    for query, key in ((one.key, other.key), (other.key, one.key)):
        if query is not None and not isinstance(query, tuple):
            return not isinstance(key, tuple) or query.covers(key[0])
    return may_unify(one.key, other.key)
