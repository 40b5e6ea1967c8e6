"""Policies as hash-consed diagrams of pairs (packet in, packet out), canonical over unbounded value domains.

A node tests one field. For finitely many input values it has a row: output value -> relation on the later fields.
For every other input value it has `changes`, the outputs that do not depend on the input, and `same`, where the field
keeps its value. Two policies are equivalent exactly if their diagrams are the same object. The idea is KATch's symbolic
packet program (PLDI 2024).
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

from sdnloom.netkat.packets import PacketSet, Space
from sdnloom.netkat.syntax import Assign, FieldValue, Policy, Product, Star, Sum, subpolicies, value_key

_LEAF: Final = 1 << 30


class Relation:
    """A set of pairs of packets; compare with `is`."""

    __slots__ = ("branches", "changes", "level", "same", "serial")
    level: int
    branches: dict[FieldValue, "Row"]
    changes: "Row"
    same: "Relation"
    serial: int

    def __init__(
        self, serial: int, level: int, branches: dict[FieldValue, "Row"], changes: "Row", same: "Relation | None"
    ) -> None:
        self.serial = serial
        self.level = level
        self.branches = branches
        self.changes = changes
        self.same = self if same is None else same


Row: TypeAlias = dict[FieldValue, Relation]


@dataclass(frozen=True, slots=True)
class Pair:
    """An input packet and one output packet."""

    before: Mapping[str, FieldValue]
    after: Mapping[str, FieldValue]


class Relations:
    """Builds and combines the relations over one space of packets."""

    def __init__(self, space: Space) -> None:
        self.space = space
        self.empty: Final = Relation(0, _LEAF, {}, {}, None)
        self.identity: Final = Relation(1, _LEAF, {}, {}, None)
        self._nodes: dict[tuple[object, ...], Relation] = {}
        self._unions: dict[tuple[Relation, Relation], Relation] = {}
        self._differences: dict[tuple[Relation, Relation], Relation] = {}
        self._products: dict[tuple[Relation, Relation], Relation] = {}
        self._filters: dict[PacketSet, Relation] = {}
        self._policies: dict[Policy, Relation] = {}
        self._pushed: dict[tuple[Relation, PacketSet], PacketSet] = {}
        self._pulled: dict[tuple[Relation, PacketSet], PacketSet] = {}

    def of(self, policy: Policy) -> Relation:
        """Return the pairs (in, out) of the policy."""
        known = self._policies
        if policy not in known:
            for part in subpolicies(policy, known):
                known[part] = self._build(part)
        return known[policy]

    def _build(self, policy: Policy) -> Relation:
        known = self._policies
        match policy:
            case Assign(field, value):
                self.space.mention(field, value)
                return self.node(self.space.level(field), {}, {value: self.identity}, self.empty)
            case Star(body):
                return self.star(known[body])
            case Sum(parts) if not policy.is_predicate:
                return self.union_of([known[part] for part in parts])
            case Product(parts) if not policy.is_predicate:
                result = self.identity
                for part in parts:
                    result = self.product(result, known[part])
                return result
            case _:
                return self.filter(self.space.predicate(policy))

    def filter(self, packets: PacketSet) -> Relation:
        """Return the identity on the packets of the set."""
        if packets is self.space.nothing:
            return self.empty
        if packets is self.space.everything:
            return self.identity
        known = self._filters.get(packets)
        if known is None:
            branches: dict[FieldValue, Row] = {}
            for value, child in packets.branches.items():
                branches[value] = {value: self.filter(child)}
            known = self._filters[packets] = self.node(packets.level, branches, {}, self.filter(packets.default))
        return known

    def node(self, level: int, branches: Mapping[FieldValue, Row], changes: Row, same: Relation) -> Relation:
        """Return the canonical relation: no empty entry, no row that the default would give as well."""
        changes = self._trim(changes)
        kept: dict[FieldValue, Row] = {}
        for value, row in branches.items():
            trimmed = self._trim(row)
            if trimmed != self._default_row(changes, same, value):
                kept[value] = trimmed
        if not kept and not changes:
            return same
        rows = frozenset([(value, frozenset(row.items())) for value, row in kept.items()])
        key = (level, rows, frozenset(changes.items()), same)
        known = self._nodes.get(key)
        if known is None:
            known = self._nodes[key] = Relation(len(self._nodes) + 2, level, kept, changes, same)
        return known

    def _trim(self, row: Row) -> Row:
        if self.empty in row.values():
            return {value: child for value, child in row.items() if child is not self.empty}
        return row

    def _default_row(self, changes: Row, same: Relation, value: FieldValue) -> Row:
        if same is self.empty:
            return changes
        return {**changes, value: self.union(changes[value], same) if value in changes else same}

    def _row(self, relation: Relation, level: int, value: FieldValue) -> Row:
        """Return the row of one value of the field at `level`."""
        if relation.level != level:
            return {} if relation is self.empty else {value: relation}
        row = relation.branches.get(value)
        return self._default_row(relation.changes, relation.same, value) if row is None else row

    def union(self, a: Relation, b: Relation) -> Relation:
        """Return the pairs of either."""
        if a is b or b is self.empty:
            return a
        if a is self.empty:
            return b
        if a.serial > b.serial:
            a, b = b, a
        known = self._unions.get((a, b))
        if known is None:
            level = min(a.level, b.level)
            branches: dict[FieldValue, Row] = {}
            for value in _inputs(a, b, level):
                row = self._row(a, level, value).copy()
                self._add(row, self._row(b, level, value))
                branches[value] = row
            (changes_a, same_a), (changes_b, same_b) = _default(a, level), _default(b, level)
            changes = changes_a.copy()
            self._add(changes, changes_b)
            known = self._unions[a, b] = self.node(level, branches, changes, self.union(same_a, same_b))
        return known

    def union_of(self, relations: Iterable[Relation]) -> Relation:
        """Return the union of all, merged in pairs."""
        pending = list(relations)
        while len(pending) > 1:
            pairs = [self.union(a, b) for a, b in zip(pending[::2], pending[1::2], strict=False)]
            pending = pairs + pending[len(pairs) * 2 :]
        return pending[0] if pending else self.empty

    def difference(self, a: Relation, b: Relation) -> Relation:
        """Return the pairs of the first that are not in the second."""
        if a is b or a is self.empty:
            return self.empty
        if b is self.empty:
            return a
        known = self._differences.get((a, b))
        if known is None:
            level = min(a.level, b.level)
            branches: dict[FieldValue, Row] = {}
            for value in _inputs(a, b, level):
                branches[value] = self._subtract(self._row(a, level, value), self._row(b, level, value))
            (changes_a, same_a), (changes_b, same_b) = _default(a, level), _default(b, level)
            # At an input that one side changes to itself, `changes` and `same` overlap: such inputs need rows.
            for value in changes_a.keys() | changes_b.keys():
                if value not in branches:
                    branches[value] = self._subtract(self._row(a, level, value), self._row(b, level, value))
            same = self.difference(same_a, same_b)
            known = self._differences[a, b] = self.node(level, branches, self._subtract(changes_a, changes_b), same)
        return known

    def _subtract(self, a: Row, b: Row) -> Row:
        row: Row = {}
        for value, child in a.items():
            row[value] = self.difference(child, b.get(value, self.empty))
        return row

    def product(self, a: Relation, b: Relation) -> Relation:
        """Return the pairs (in, out) with a pair (in, x) of `a` and a pair (x, out) of `b`."""
        if a is self.empty or b is self.identity:
            return a
        if b is self.empty or a is self.identity:
            return b
        known = self._products.get((a, b))
        if known is None:
            level = min(a.level, b.level)
            branches: dict[FieldValue, Row] = {}
            for value in _inputs(a, b, level):
                branches[value] = self._through(self._row(a, level, value), b, level)
            (changes_a, same_a), (changes_b, same_b) = _default(a, level), _default(b, level)
            changes = self._through(changes_a, b, level)
            for value, child in changes_b.items():
                self._add(changes, {value: self.product(same_a, child)})
            known = self._products[a, b] = self.node(level, branches, changes, self.product(same_a, same_b))
        return known

    def _through(self, row: Row, b: Relation, level: int) -> Row:
        result: Row = {}
        for middle, first in row.items():
            for value, second in self._row(b, level, middle).items():
                self._add(result, {value: self.product(first, second)})
        return result

    def _add(self, row: Row, more: Row) -> None:
        for value, child in more.items():
            row[value] = self.union(row[value], child) if value in row else child

    def star(self, a: Relation) -> Relation:
        """Return the reflexive and transitive closure, by squaring."""
        closure = self.union(self.identity, a)
        while (larger := self.product(closure, closure)) is not closure:
            closure = larger
        return closure

    def push(self, relation: Relation, packets: PacketSet) -> PacketSet:
        """Return the outputs of the relation for packets in the set."""
        space = self.space
        if relation is self.identity or packets is space.nothing:
            return packets
        if relation is self.empty:
            return space.nothing
        known = self._pushed.get((relation, packets))
        if known is None:
            level = min(relation.level, packets.level)
            changes, same = _default(relation, level)
            kept = self.push(same, _child(packets, level, None))
            # Values with rows or branches of their own; any other output value may also have been kept.
            special = _special(relation, packets, level)
            out = dict.fromkeys(special, space.nothing)
            for value in special:
                self._push_row(self._row(relation, level, value), _child(packets, level, value), out, kept)
            self._push_row(changes, _child(packets, level, None), out, kept)
            known = self._pushed[relation, packets] = space.node(level, out, kept)
        return known

    def _push_row(self, row: Row, packets: PacketSet, out: dict[FieldValue, PacketSet], kept: PacketSet) -> None:
        for value, below in row.items():
            out[value] = self.space.union(out.get(value, kept), self.push(below, packets))

    def pull(self, relation: Relation, packets: PacketSet) -> PacketSet:
        """Return the packets for which the relation has some output in the set."""
        space = self.space
        if relation is self.identity or packets is space.nothing:
            return packets
        if relation is self.empty:
            return space.nothing
        known = self._pulled.get((relation, packets))
        if known is None:
            level = min(relation.level, packets.level)
            changes, same = _default(relation, level)
            branches: dict[FieldValue, PacketSet] = {}
            for value in _special(relation, packets, level):
                branches[value] = self._pull_row(self._row(relation, level, value), packets, level)
            default = space.union(
                self._pull_row(changes, packets, level), self.pull(same, _child(packets, level, None))
            )
            known = self._pulled[relation, packets] = space.node(level, branches, default)
        return known

    def _pull_row(self, row: Row, packets: PacketSet, level: int) -> PacketSet:
        result = self.space.nothing
        for value, below in row.items():
            result = self.space.union(result, self.pull(below, _child(packets, level, value)))
        return result

    def pair(self, relation: Relation, fields: Iterable[str] = ()) -> Pair | None:
        """Return one pair, with a value for each field it or `fields` names; None if there is none."""
        if relation is self.empty:
            return None
        before: dict[str, FieldValue] = {}
        after: dict[str, FieldValue] = {}
        node = relation
        while node is not self.identity:
            field = self.space.fields[node.level]
            before[field], after[field], node = self._choose(node, field)
        for field in fields:
            if field not in before:
                before[field] = after[field] = self.space.fresh(field)
        return Pair(dict(sorted(before.items())), dict(sorted(after.items())))

    def _choose(self, node: Relation, field: str) -> tuple[FieldValue, FieldValue, Relation]:
        for value in sorted(node.branches, key=value_key):
            for out in sorted(node.branches[value], key=value_key):
                return value, out, node.branches[value][out]
        fresh = self.space.fresh(field)
        if node.same is not self.empty:
            return fresh, fresh, node.same
        out = min(node.changes, key=value_key)
        return fresh, out, node.changes[out]


def _inputs(a: Relation, b: Relation, level: int) -> set[FieldValue]:
    inputs: set[FieldValue] = set()
    for relation in (a, b):
        if relation.level == level:
            inputs.update(relation.branches)
    return inputs


def _special(relation: Relation, packets: PacketSet, level: int) -> set[FieldValue]:
    special: set[FieldValue] = set(relation.branches if relation.level == level else ())
    if packets.level == level:
        special.update(packets.branches)
    return special


def _default(relation: Relation, level: int) -> tuple[Row, Relation]:
    return (relation.changes, relation.same) if relation.level == level else ({}, relation)


def _child(packets: PacketSet, level: int, value: FieldValue | None) -> PacketSet:
    """Return the packets below the value of the field at `level`; below any other value for None."""
    if packets.level != level:
        return packets
    return packets.default if value is None else packets.branches.get(value, packets.default)
