"""The hash of a symbolic value when a container in C asks for it, outside of rewritten code.

C does not tell which container asks, so the value is compared with the candidates that the caller of the run declared,
with one fork each; a value that equals none of them is concretised. So the path records what the hash depends on.
Rewritten code does not hash: it looks keys up by comparing them.
"""

from collections.abc import Hashable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

_candidates: tuple[Hashable, ...] = ()
_concrete_depth = 0


@contextmanager
def hash_candidates(values: Iterable[Hashable]) -> Iterator[None]:
    """Declare, for a block, values that containers outside of rewritten code may have as keys."""
    global _candidates
    before, _candidates = _candidates, tuple(sorted(set(values), key=repr))
    try:
        yield
    finally:
        _candidates = before


@contextmanager
def concrete_hashing() -> Iterator[None]:
    """Hash symbolic values by their concrete value, for a block whose lookups were decided by comparison."""
    global _concrete_depth
    _concrete_depth += 1
    try:
        yield
    finally:
        _concrete_depth -= 1


def hashes_concretely() -> bool:
    """Return whether symbolic values are hashed by their concrete value now."""
    return _concrete_depth > 0


def hash_of(value: Any) -> int:
    """Return the hash of the concrete value; forks over the candidates and concretises the value otherwise."""
    kind = next(each for each in (int, float, str, bytes) if isinstance(value, each))
    number: int = kind.__hash__(value)
    if not _concrete_depth:
        for candidate in _candidates:
            if type(candidate) is kind and value == candidate:
                return number
        value.concretise("hash in code that is not rewritten")
    return number
