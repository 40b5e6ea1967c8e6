"""Whether stored values may be equal if an index of None in a symbol stands for any member of its group."""

from sdnloom.actors.task import Location
from sdnloom.actors.values import Frozen, Reference, Stored, Symbol


def may_be_equal(one: Stored, other: Stored) -> bool:
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
        return len(one) == len(other) and all(map(may_be_equal, one, other))
    if kind is Frozen:
        return one.kind is other.kind and may_be_equal(one.parts, other.parts)
    if kind is Reference:
        return may_be_equal(one.actor, other.actor)
    if kind is frozenset:  # which elements belong together is not asked
        return len(one) == len(other)
    return False


def may_be_same(one: Location, other: Location) -> bool:
    """Whether two locations may be one cell; a query is each cell that it may cover."""
    if one.field != other.field or not may_be_equal(one.actor, other.actor):
        return False
    for query, key in ((one.key, other.key), (other.key, one.key)):
        if query is not None and not isinstance(query, tuple):
            return not isinstance(key, tuple) or query.covers(key[0])
    return may_be_equal(one.key, other.key)
