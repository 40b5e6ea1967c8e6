"""The hash of a symbolic value where a container in C asks for it, outside rewritten code.

C never says which container it is, so the value is compared with the candidates that the caller of the run named, one
fork each; a value that equals none of them is pinned. Either way the path says what the hash depended on, and a pin is
reported. Rewritten code does not come here: it looks keys up by comparing them.
"""

from collections.abc import Hashable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

_candidates: tuple[Hashable, ...] = ()
_quiet = 0


@contextmanager
def hash_candidates(values: Iterable[Hashable]) -> Iterator[None]:
    """Name plain values that containers outside the rewritten code may hold as keys, for a block."""
    global _candidates
    before, _candidates = _candidates, tuple(sorted(set(values), key=repr))
    try:
        yield
    finally:
        _candidates = before


@contextmanager
def concrete_hashing() -> Iterator[None]:
    """Hash symbolic values by their value in this run for a block whose lookups have been decided by comparison."""
    global _quiet
    _quiet += 1
    try:
        yield
    finally:
        _quiet -= 1


def hash_of(value: Any) -> int:
    """Return the hash of the value in this run."""
    kind = next(each for each in (int, str, bytes) if isinstance(value, each))
    number: int = kind.__hash__(value)
    if not _quiet:
        for candidate in _candidates:
            if type(candidate) is kind and value == candidate:
                return number
        value.concretise("hash in code that is not rewritten")
    return number
