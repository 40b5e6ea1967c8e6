"""Memory of terms that an exploration makes in each of its runs: made once, and kept until the exploration ends.

Runs of one exploration repeat most of their operations. Law: a remembered function returns the term that it would make
again, as terms are interned. At most a fixed number of results is kept.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any, Final, TypeVar, cast

_MOST: Final = 1 << 17  # results of one function
_caches: list[Any] = []
_open = 0

Function = TypeVar("Function", bound=Callable[..., Any])


def remembered(function: Function) -> Function:
    """Return the function with a memory, which `term_memory` empties. Arguments are terms, numbers and functions."""
    cached = lru_cache(maxsize=_MOST)(function)
    _caches.append(cached)
    return cast(Function, cached)


@contextmanager
def term_memory() -> Iterator[None]:
    """Empty all memories at the end of the block. Blocks nest: the outermost one counts."""
    global _open
    _open += 1
    try:
        yield
    finally:
        _open -= 1
        if not _open:
            for each in _caches:
                each.cache_clear()
