"""Hashes of the states of a SystemGraph that depend on the contents of a state alone.

The numbers in a state depend on the order in which a process has met its parts, so they cannot be hashed. Each code of
a column has a digest of its value's text instead. A member of a swarm has, for each code, a random number that is a
keyed hash of the digest; the hash of a state is the sum of these numbers over its columns (Zobrist hashing with
addition), so two states that differ collide with the probability of random numbers. The lowest 64 bits are the same
for all members, which makes their samples comparable; the slots above belong to the member.
"""

from collections.abc import Callable
from hashlib import blake2b
from operator import getitem
from typing import Any

from sdnloom.engine.stable_text import stable_text
from sdnloom.engine.system_graph import SystemGraph

SLOT_BITS = 64  # of a hash for each bit that a state sets, and for the part that all members share
SLOT_MASK = (1 << SLOT_BITS) - 1
MOST_SLOTS = 8  # a keyed hash has 64 bytes
_DIGEST_BYTES = 16


class _Digests(dict[int, bytes]):
    """Key -> digest of the text of its value.

    Values that differ and have one text get digests of their own, in the order in which this process meets them: then
    hashes depend on the process.
    """

    def __init__(self, value_of: Callable[[int], Any]) -> None:
        super().__init__()
        self._value_of = value_of
        self._used: set[bytes] = set()

    def __missing__(self, key: int) -> bytes:
        digest = _digest(stable_text(self._value_of(key)).encode("utf-8", "surrogatepass"))
        while digest in self._used:
            digest = _digest(digest)
        self._used.add(digest)
        self[key] = digest
        return digest


def _digest(content: bytes, column: int = 0) -> bytes:
    return blake2b(content, digest_size=_DIGEST_BYTES, person=column.to_bytes(4, "little")).digest()


class ContentDigests:
    """The digests of the codes of a graph; all members that run in one process share them."""

    def __init__(self, graph: SystemGraph) -> None:
        tables = graph.tables
        self.graph = graph
        self._cores = [_Digests(table.values.__getitem__) for table in tables.cores]
        self._contents = [_Digests(table.values.__getitem__) for table in tables.contents]
        self._memories = {
            column: _Digests(graph.values[column].__getitem__) for column in range(graph.components, len(graph.masks))
        }

    def of(self, column: int, code: int) -> bytes:
        """The digest of a code: equal in every process for equal values of the column, if no others print alike."""
        if column >= self.graph.components:
            return _digest(self._memories[column][code], column)
        core, *contents = self.graph.values[column][code]
        inbox = self.graph.tables.inbox[column]
        parts = [self._contents[channel][number] for channel, number in zip(inbox, contents, strict=True)]
        return _digest(self._cores[column][core] + b"".join(parts), column)


class _HashColumn(dict[int, int]):
    """Code of a column -> its random number. Filled on demand."""

    def __init__(self, digests: ContentDigests, column: int, key: bytes, slots: int) -> None:
        super().__init__()
        self._digests, self._column, self._key, self._bytes = digests, column, key, slots * SLOT_BITS // 8

    def __missing__(self, code: int) -> int:
        digest = self._digests.of(self._column, code)
        own = blake2b(digest, digest_size=self._bytes, key=self._key).digest()
        number = self[code] = int.from_bytes(digest[: SLOT_BITS // 8] + own, "little")
        return number


class StateHash:
    """The hash function of one member: the lowest slot is the same for every member, `slots` more are its own."""

    def __init__(self, digests: ContentDigests, seed: str, slots: int) -> None:
        key = blake2b(seed.encode(), digest_size=32).digest()
        self._masks = digests.graph.masks
        self._columns = [_HashColumn(digests, column, key, slots) for column in range(len(self._masks))]

    def __call__(self, state: int) -> int:
        """The hash of a state."""
        return sum(map(getitem, self._columns, map(state.__and__, self._masks)))
