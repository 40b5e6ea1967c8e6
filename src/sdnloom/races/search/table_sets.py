"""Sets of table vectors as hash-consed decision diagrams.

A vector has a value for each cell: 0 for the initial policy of the cell, other numbers for policies written to it. A
node decides one cell; a cell that no node decides may have any value that can be written to it. That rule keeps the
sets that updates lead to small, because they are free in nearly every cell. Equal sets have equal numbers.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, islice
from operator import mul
from typing import Final, TypeAlias

NodeId: TypeAlias = int
Vector: TypeAlias = tuple[int, ...]

EMPTY: Final = 0
FREE: Final = 1  # every cell from here on holds some written value


class TableSets:
    """The diagrams over cells with given numbers of values; `writable[c]` are the values that can be written to c."""

    def __init__(self, sizes: Sequence[int], writable: Sequence[Iterable[int]]) -> None:
        self.sizes: Final = tuple(sizes)
        self._free: Final = tuple(
            tuple(value in set(values) for value in range(size)) for size, values in zip(sizes, writable, strict=True)
        )
        assert all(map(any, self._free)), "a cell is never written"
        self._first_free: Final = tuple(free.index(True) for free in self._free)
        # Vectors of written values only, over the cells before each one.
        self._free_below: Final = list(accumulate(map(sum, self._free), mul, initial=1))
        end = len(self.sizes)
        self._levels: list[int] = [end, end]
        self._children: list[tuple[NodeId, ...]] = [(), ()]
        self._unique: dict[tuple[int, tuple[NodeId, ...]], NodeId] = {}
        self._unions: dict[tuple[NodeId, NodeId], NodeId] = {}
        self._intersections: dict[tuple[NodeId, NodeId], NodeId] = {}
        self._differences: dict[tuple[NodeId, NodeId], NodeId] = {}
        self._written: dict[tuple[NodeId, int, int], NodeId] = {}
        self._cofactors: dict[tuple[NodeId, int, int], NodeId] = {}
        self._widened: dict[tuple[NodeId, int], NodeId] = {}
        self._counts: dict[NodeId, int] = {}

    @property
    def nodes(self) -> int:
        """The number of nodes."""
        return len(self._levels)

    def node(self, cell: int, children: tuple[NodeId, ...]) -> NodeId:
        """Return the set whose vectors continue in the child of the cell's value."""
        key = (cell, children)
        found = self._unique.get(key)
        if found is None:
            below = children[self._first_free[cell]]
            if children == self._skipped(cell, below):
                found = below
            else:
                found = len(self._levels)
                self._levels.append(cell)
                self._children.append(children)
            self._unique[key] = found
        return found

    def single(self, vector: Vector) -> NodeId:
        """Return the set of one vector."""
        node = FREE
        for cell in reversed(range(len(self.sizes))):
            node = self._only(cell, vector[cell], node)
        return node

    def everything(self, cell: int = 0) -> NodeId:
        """Return the set of all vectors, seen from a cell on."""
        node = FREE
        for below in reversed(range(cell, len(self.sizes))):
            node = self.node(below, (node,) * self.sizes[below])
        return node

    def union(self, a: NodeId, b: NodeId) -> NodeId:
        """Return the vectors in either set."""
        if a == b or b == EMPTY:
            return a
        if a == EMPTY:
            return b
        if a > b:
            a, b = b, a
        found = self._unions.get((a, b))
        if found is None:
            cell, pairs = self._pairs(a, b)
            found = self._unions[a, b] = self.node(cell, tuple([self.union(x, y) for x, y in pairs]))
        return found

    def intersection(self, a: NodeId, b: NodeId) -> NodeId:
        """Return the vectors in both sets."""
        if a == EMPTY or b == EMPTY:
            return EMPTY
        if a == b:
            return a
        if a > b:
            a, b = b, a
        found = self._intersections.get((a, b))
        if found is None:
            cell, pairs = self._pairs(a, b)
            found = self._intersections[a, b] = self.node(cell, tuple([self.intersection(x, y) for x, y in pairs]))
        return found

    def few(self, node: NodeId, most: int) -> tuple[Vector, ...] | None:
        """Return the vectors of the set if there are at most `most`; None if there are more."""
        found = tuple(islice(self.vectors(node), most + 1))
        return found if len(found) <= most else None

    def difference(self, a: NodeId, b: NodeId) -> NodeId:
        """Return the vectors in the first set and not in the second."""
        if a in (EMPTY, b):
            return EMPTY
        if b == EMPTY:
            return a
        found = self._differences.get((a, b))
        if found is None:
            cell, pairs = self._pairs(a, b)
            found = self._differences[a, b] = self.node(cell, tuple([self.difference(x, y) for x, y in pairs]))
        return found

    def _pairs(self, a: NodeId, b: NodeId) -> tuple[int, Iterable[tuple[NodeId, NodeId]]]:
        """Return the first cell that a node decides, and the children of both there."""
        level, other = self._levels[a], self._levels[b]
        if level == other:
            return level, zip(self._children[a], self._children[b], strict=True)
        if level < other:
            return level, zip(self._children[a], self._skipped(level, b), strict=True)
        return other, zip(self._skipped(other, a), self._children[b], strict=True)

    def write(self, node: NodeId, cell: int, value: int) -> NodeId:
        """Return the vectors after the value was written to the cell."""
        if node == EMPTY:
            return EMPTY
        level = self._levels[node]
        if level > cell:
            return self._only(cell, value, node)
        key = (node, cell, value)
        found = self._written.get(key)
        if found is None:
            children = self._children[node]
            if level == cell:
                below = EMPTY
                for child in children:
                    below = self.union(below, child)
                found = self._only(cell, value, below)
            else:
                found = self.node(level, tuple([self.write(child, cell, value) for child in children]))
            self._written[key] = found
        return found

    def cofactor(self, node: NodeId, cell: int, value: int) -> NodeId:
        """Return the vectors that are in the set after the value is written to the cell."""
        if node == EMPTY:
            return EMPTY
        key = (node, cell, value)
        found = self._cofactors.get(key)
        if found is None:
            level = min(self._levels[node], cell)
            children = self._below(node, level)
            if level == cell:
                found = self.node(cell, (children[value],) * self.sizes[cell])
            else:
                found = self.node(level, tuple([self.cofactor(child, cell, value) for child in children]))
            self._cofactors[key] = found
        return found

    def widen(self, node: NodeId, cell: int) -> NodeId:
        """Return every vector that agrees with some vector of the set in all other cells."""
        if node == EMPTY:
            return EMPTY
        key = (node, cell)
        found = self._widened.get(key)
        if found is None:
            level = min(self._levels[node], cell)
            children = self._below(node, level)
            if level == cell:
                below = EMPTY
                for child in children:
                    below = self.union(below, child)
                found = self.node(cell, (below,) * self.sizes[cell])
            else:
                found = self.node(level, tuple([self.widen(child, cell) for child in children]))
            self._widened[key] = found
        return found

    def count(self, node: NodeId) -> int:
        """Return the number of vectors."""
        return self._count(node, 0)

    def _count(self, node: NodeId, start: int) -> int:
        if node == EMPTY:
            return 0
        level = self._levels[node]
        total = self._counts.get(node)
        if total is None:
            total = 1 if node == FREE else 0
            for child in self._children[node]:
                total += self._count(child, level + 1)
            self._counts[node] = total
        return total * (self._free_below[level] // self._free_below[start])

    def vectors(self, node: NodeId) -> Iterator[Vector]:
        """Yield the vectors in lexicographic order."""
        stack: list[tuple[NodeId, Vector]] = [(node, ())]
        while stack:
            current, done = stack.pop()
            if current == EMPTY:
                continue
            if len(done) == len(self.sizes):
                yield done
                continue
            children = self._below(current, len(done))
            stack += [(children[value], (*done, value)) for value in reversed(range(len(children)))]

    def contains(self, node: NodeId, vector: Vector, unwritten: int | None = None) -> bool:
        """Return whether the vector is in the set; pass `unwritten(vector)` if it is known."""
        levels, children = self._levels, self._children
        mask = self.unwritten(vector) if unwritten is None else unwritten
        done = 0
        while node > FREE:
            level = levels[node]
            if mask >> done & (1 << level - done) - 1:
                return False
            node = children[node][vector[level]]
            done = level + 1
        return node == FREE and not mask >> done

    def unwritten(self, vector: Vector) -> int:
        """Return a number with a bit for each cell whose value cannot be written to it."""
        return sum(1 << cell for cell, value in enumerate(vector) if not self._free[cell][value])

    def source_of(self, node: NodeId, vector: Vector, cell: int | None) -> Vector | None:
        """Return the least vector of the set that agrees with the given one in all other cells, if any."""
        if cell is None:
            return vector if self.contains(node, vector) else None
        others = self.unwritten(vector) & ~(1 << cell)
        for value in range(self.sizes[cell]):
            wanted = (*vector[:cell], value, *vector[cell + 1 :])
            if self.contains(node, wanted, others | (not self._free[cell][value]) << cell):
                return wanted
        return None

    def _below(self, node: NodeId, cell: int) -> tuple[NodeId, ...]:
        """Return the children of the node at the cell, also if it does not decide the cell."""
        return self._children[node] if self._levels[node] == cell else self._skipped(cell, node)

    def _skipped(self, cell: int, node: NodeId) -> tuple[NodeId, ...]:
        """Return the children at a cell that a node does not decide."""
        return tuple([node if written else EMPTY for written in self._free[cell]])

    def _only(self, cell: int, value: int, below: NodeId) -> NodeId:
        return self.node(cell, tuple([below if at == value else EMPTY for at in range(self.sizes[cell])]))
