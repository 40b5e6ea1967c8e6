"""Sets of packets as hash-consed decision diagrams over unbounded value domains.

A node tests one field: a branch for each of finitely many values, and a default for every other value. Fields are
tested in the order of the space and redundant nodes are left out, so within one space equal sets are the same object:
`a is b` decides equality and `a is space.nothing` emptiness.
"""

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Final

from sdnloom.netkat.errors import PolicyError
from sdnloom.netkat.syntax import Drop, FieldValue, Not, Policy, Product, Skip, Sum, Test, subpolicies, value_key

# One Python frame per field is needed; this leaves room below the interpreter's limit.
MAX_FIELDS: Final = 200
_LEAF: Final = MAX_FIELDS + 1


class PacketSet:
    """A set of packets of one space. Combine with `|`, `&`, `-`, `~`; compare with `is` or `==`."""

    __slots__ = ("branches", "default", "level", "serial", "space")
    branches: dict[FieldValue, "PacketSet"]
    default: "PacketSet"
    level: int
    serial: int
    space: "Space"

    def __init__(
        self, space: "Space", level: int, branches: dict[FieldValue, "PacketSet"], default: "PacketSet | None"
    ):
        self.space = space
        self.level = level
        self.branches = branches
        self.default = self if default is None else default
        self.serial = space.count()

    def __or__(self, other: "PacketSet") -> "PacketSet":
        return self.space.union(self, other)

    def __and__(self, other: "PacketSet") -> "PacketSet":
        return self.space.intersection(self, other)

    def __sub__(self, other: "PacketSet") -> "PacketSet":
        return self.space.difference(self, other)

    def __invert__(self) -> "PacketSet":
        return self.space.difference(self.space.everything, self)

    def __le__(self, other: "PacketSet") -> bool:
        return self.space.difference(self, other) is self.space.nothing

    def __bool__(self) -> bool:
        return self is not self.space.nothing

    def __contains__(self, packet: Mapping[str, FieldValue]) -> bool:
        node = self
        while node.level != _LEAF:
            field = self.space.fields[node.level]
            if field not in packet:
                raise PolicyError(f"the packet {dict(sorted(packet.items()))!r} has no field {field!r}")
            node = node.branches.get(packet[field], node.default)
        return bool(node)

    def __repr__(self) -> str:
        cubes = [", ".join(cube) or "any packet" for cube in islice(self.cubes(), 9)]
        return f"PacketSet<{' | '.join(cubes[:8]) or 'empty'}{' | ...' if len(cubes) > 8 else ''}>"

    def cubes(self) -> Iterator[tuple[str, ...]]:
        """Yield disjoint conjunctions that make up the set, each as texts such as `pt=1` or `pt not in (1, 2)`."""
        if self.level == _LEAF:
            if self:
                yield ()
            return
        field = self.space.fields[self.level]
        ordered = sorted(self.branches, key=value_key)
        for value in ordered:
            for rest in self.branches[value].cubes():
                yield (f"{field}={value}", *rest)
        for rest in self.default.cubes():
            yield (f"{field} not in ({', '.join(map(str, ordered))})", *rest)


class Space:
    """The packets over a growing list of fields; owns the diagrams over them and keeps the result of every operation.

    Fields are ordered by first use: use those that no policy assigns first. Sets of different spaces must not be mixed.
    """

    def __init__(self, fields: Iterable[str] = ()) -> None:
        self.fields: list[str] = []
        self._levels: dict[str, int] = {}
        self._mentioned: list[set[FieldValue]] = []
        self._serials = 0
        self._nodes: dict[tuple[object, ...], PacketSet] = {}
        self._unions: dict[tuple[PacketSet, PacketSet], PacketSet] = {}
        self._intersections: dict[tuple[PacketSet, PacketSet], PacketSet] = {}
        self._differences: dict[tuple[PacketSet, PacketSet], PacketSet] = {}
        self._assigned: dict[tuple[PacketSet, int, FieldValue], PacketSet] = {}
        self._cofactors: dict[tuple[PacketSet, int, FieldValue], PacketSet] = {}
        self._supports: dict[tuple[PacketSet, int], tuple[frozenset[FieldValue], bool]] = {}
        self._predicates: dict[Policy, PacketSet] = {}
        self.nothing: Final = PacketSet(self, _LEAF, {}, None)
        self.everything: Final = PacketSet(self, _LEAF, {}, None)
        for field in fields:
            self.level(field)

    def count(self) -> int:
        """Return the next serial number of a diagram."""
        self._serials += 1
        return self._serials

    def level(self, field: str) -> int:
        """Return the index of the field in the order; a new field comes last."""
        level = self._levels.get(field)
        if level is None:
            level = len(self.fields)
            if level == MAX_FIELDS:
                raise PolicyError(f"field {field!r}: packets with more than {MAX_FIELDS} fields are not supported")
            self._levels[field] = level
            self.fields.append(field)
            self._mentioned.append(set())
        return level

    def mention(self, field: str, value: FieldValue) -> None:
        """Record that the value is in use, so that no fresh value equals it."""
        self._mentioned[self.level(field)].add(value)

    def test(self, field: str, value: FieldValue) -> PacketSet:
        """Return the packets whose field has the value."""
        level = self.level(field)
        self._mentioned[level].add(value)
        return self.node(level, {value: self.everything}, self.nothing)

    def packet(self, packet: Mapping[str, FieldValue]) -> PacketSet:
        """Return the set of the packets that agree with this one on its fields."""
        node = self.everything
        for field in sorted(packet, key=self.level, reverse=True):
            self._mentioned[self.level(field)].add(packet[field])
            node = self.node(self.level(field), {packet[field]: node}, self.nothing)
        return node

    def predicate(self, predicate: Policy) -> PacketSet:
        """Return the packets that pass the predicate."""
        known = self._predicates
        if predicate not in known:
            for part in subpolicies(predicate, known):
                known[part] = self._predicate(part)
        return known[predicate]

    def _predicate(self, predicate: Policy) -> PacketSet:
        match predicate:
            case Drop():
                return self.nothing
            case Skip():
                return self.everything
            case Test(field, value):
                return self.test(field, value)
            case Not(inner):
                return ~self._predicates[inner]
            case Sum(parts):
                return self.union_of([self._predicates[part] for part in parts])
            case Product(parts):
                result = self.everything
                for part in parts:
                    result &= self._predicates[part]
                return result
            case _:
                raise PolicyError("expected a predicate: no assignment and no star")

    def node(self, level: int, branches: dict[FieldValue, PacketSet], default: PacketSet) -> PacketSet:
        """Return the canonical set: `branches` by the value of the field at `level`, `default` for other values."""
        if default in branches.values():
            branches = {value: child for value, child in branches.items() if child is not default}
        if not branches:
            return default
        key: tuple[object, ...]
        if len(branches) == 1:
            key = (level, default, *branches.items())
        else:
            key = (level, default, frozenset(branches.items()))
        known = self._nodes.get(key)
        if known is None:
            known = self._nodes[key] = PacketSet(self, level, branches, default)
        return known

    def union(self, a: PacketSet, b: PacketSet) -> PacketSet:
        """Return the packets in either set."""
        nothing, everything = self.nothing, self.everything
        if a is b or b is nothing or a is everything:
            return a
        if a is nothing or b is everything:
            return b
        if a.serial > b.serial:
            a, b = b, a
        known = self._unions.get((a, b))
        if known is not None:
            return known
        self._check(a, b)
        if a.level != b.level:
            high, low = (a, b) if a.level < b.level else (b, a)
            branches = high.branches.copy()
            for value, child in branches.items():
                branches[value] = self.union(child, low)
            result = self.node(high.level, branches, self.union(high.default, low))
        else:
            large, small = (a, b) if len(a.branches) >= len(b.branches) else (b, a)
            branches = large.branches.copy()
            if small.default is not nothing:
                for value, child in large.branches.items():
                    if value not in small.branches:
                        branches[value] = self.union(child, small.default)
            for value, child in small.branches.items():
                branches[value] = self.union(large.branches.get(value, large.default), child)
            result = self.node(a.level, branches, self.union(a.default, b.default))
        self._unions[a, b] = result
        return result

    def union_of(self, sets: Iterable[PacketSet]) -> PacketSet:
        """Return the union of all; merged in pairs, so that many small sets cost n log n."""
        pending = list(sets)
        while len(pending) > 1:
            pairs = [self.union(a, b) for a, b in zip(pending[::2], pending[1::2], strict=False)]
            pending = pairs + pending[len(pairs) * 2 :]
        return pending[0] if pending else self.nothing

    def intersection(self, a: PacketSet, b: PacketSet) -> PacketSet:
        """Return the packets in both sets."""
        nothing, everything = self.nothing, self.everything
        if a is b or b is everything or a is nothing:
            return a
        if a is everything or b is nothing:
            return b
        if a.serial > b.serial:
            a, b = b, a
        known = self._intersections.get((a, b))
        if known is not None:
            return known
        self._check(a, b)
        branches: dict[FieldValue, PacketSet] = {}
        if a.level != b.level:
            high, low = (a, b) if a.level < b.level else (b, a)
            for value, child in high.branches.items():
                branches[value] = self.intersection(child, low)
            result = self.node(high.level, branches, self.intersection(high.default, low))
        else:
            first, second = (a, b) if len(a.branches) <= len(b.branches) else (b, a)
            if first.default is not nothing and second.default is nothing:
                first, second = second, first
            for value, child in first.branches.items():
                branches[value] = self.intersection(child, second.branches.get(value, second.default))
            # Where one default is empty, values that only the other side names are empty as well.
            if first.default is not nothing:
                for value, child in second.branches.items():
                    if value not in branches:
                        branches[value] = self.intersection(first.default, child)
            result = self.node(a.level, branches, self.intersection(a.default, b.default))
        self._intersections[a, b] = result
        return result

    def difference(self, a: PacketSet, b: PacketSet) -> PacketSet:
        """Return the packets in the first set and not in the second."""
        nothing = self.nothing
        if a is b or a is nothing or b is self.everything:
            return nothing
        if b is nothing:
            return a
        known = self._differences.get((a, b))
        if known is not None:
            return known
        self._check(a, b)
        branches: dict[FieldValue, PacketSet] = {}
        if a.level < b.level:
            for value, child in a.branches.items():
                branches[value] = self.difference(child, b)
            result = self.node(a.level, branches, self.difference(a.default, b))
        elif a.level > b.level:
            for value, child in b.branches.items():
                branches[value] = self.difference(a, child)
            result = self.node(b.level, branches, self.difference(a, b.default))
        else:
            for value, child in a.branches.items():
                branches[value] = self.difference(child, b.branches.get(value, b.default))
            if a.default is not nothing:
                for value, child in b.branches.items():
                    if value not in branches:
                        branches[value] = self.difference(a.default, child)
            result = self.node(a.level, branches, self.difference(a.default, b.default))
        self._differences[a, b] = result
        return result

    def assign(self, packets: PacketSet, field: str, value: FieldValue) -> PacketSet:
        """Return the packets after the field was set to the value."""
        level = self.level(field)
        self._mentioned[level].add(value)
        return self._assign(packets, level, value)

    def _assign(self, packets: PacketSet, level: int, value: FieldValue) -> PacketSet:
        if packets is self.nothing:
            return packets
        known = self._assigned.get((packets, level, value))
        if known is not None:
            return known
        if packets.level < level:
            branches = packets.branches.copy()
            for branch, child in branches.items():
                branches[branch] = self._assign(child, level, value)
            result = self.node(packets.level, branches, self._assign(packets.default, level, value))
        elif packets.level == level:
            below = self.union_of([*packets.branches.values(), packets.default])
            result = self.node(level, {value: below}, self.nothing)
        else:
            result = self.node(level, {value: packets}, self.nothing)
        self._assigned[packets, level, value] = result
        return result

    def cofactor(self, packets: PacketSet, field: str, value: FieldValue) -> PacketSet:
        """Return the packets that lie in the set once their field is set to the value."""
        level = self.level(field)
        self._mentioned[level].add(value)
        return self._cofactor(packets, level, value)

    def _cofactor(self, packets: PacketSet, level: int, value: FieldValue) -> PacketSet:
        if packets.level > level:
            return packets
        if packets.level == level:
            return packets.branches.get(value, packets.default)
        known = self._cofactors.get((packets, level, value))
        if known is not None:
            return known
        branches = packets.branches.copy()
        for branch, child in branches.items():
            branches[branch] = self._cofactor(child, level, value)
        result = self.node(packets.level, branches, self._cofactor(packets.default, level, value))
        self._cofactors[packets, level, value] = result
        return result

    def support(self, packets: PacketSet, field: str) -> tuple[frozenset[FieldValue], bool]:
        """Return the values that the field takes in the set and False, or the values that it does not take and True.

        The second form says that every other value occurs.
        """
        return self._support(packets, self.level(field))

    def _support(self, packets: PacketSet, level: int) -> tuple[frozenset[FieldValue], bool]:
        if packets.level > level:
            return frozenset(), packets is not self.nothing
        known = self._supports.get((packets, level))
        if known is not None:
            return known
        nothing = self.nothing
        result: tuple[frozenset[FieldValue], bool]
        if packets.level == level:
            rest = packets.default is not nothing
            named = packets.branches.items()
            result = frozenset([value for value, child in named if (child is nothing) == rest]), rest
        else:
            taken, excluded, rest = set[FieldValue](), None, False
            for child in (*packets.branches.values(), packets.default):
                found, others = self._support(child, level)
                if others:
                    rest = True
                    excluded = found if excluded is None else excluded & found
                else:
                    taken |= found
            result = (frozenset((excluded or frozenset()) - taken), True) if rest else (frozenset(taken), False)
        self._supports[packets, level] = result
        return result

    def witness(
        self, packets: PacketSet, fields: Iterable[str] = (), like: Mapping[str, FieldValue] | None = None
    ) -> dict[str, FieldValue] | None:
        """Return one packet of the set with a value for each field it or `fields` names; None if the set is empty.

        Values of `like` are preferred, then the least named value, then a fresh one that nothing mentions.
        """
        if packets is self.nothing:
            return None
        like = like or {}
        packet: dict[str, FieldValue] = {}
        node = packets
        while node is not self.everything:
            field = self.fields[node.level]
            value = self._choose(node, like.get(field))
            packet[field] = value
            node = node.branches.get(value, node.default)
        for field in fields:
            if field not in packet:
                packet[field] = like[field] if field in like else self.fresh(field)
        return dict(sorted(packet.items()))

    def _choose(self, node: PacketSet, preferred: FieldValue | None) -> FieldValue:
        if preferred is not None and node.branches.get(preferred, node.default) is not self.nothing:
            return preferred
        named = [value for value, child in node.branches.items() if child is not self.nothing]
        return min(named, key=value_key) if named else self.fresh(self.fields[node.level])

    def fresh(self, field: str) -> FieldValue:
        """Return a value of the field that no test, assignment or packet of this space mentions."""
        mentioned = self._mentioned[self.level(field)]
        words = [value for value in mentioned if isinstance(value, str)]
        if words:
            name, number = "other", 2
            while name in mentioned:
                name, number = f"other{number}", number + 1
            return name
        return max([0, *(value for value in mentioned if isinstance(value, int))]) + 1

    def _check(self, a: PacketSet, b: PacketSet) -> None:
        if a.space is not self or b.space is not self:
            raise ValueError("packet sets of different spaces cannot be combined")
