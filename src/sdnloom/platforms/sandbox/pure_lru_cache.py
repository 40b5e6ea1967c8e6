"""`functools.lru_cache` in Python, so that a snapshot can hold it: the C version hides its entries and their order.

A platform replaces `functools.lru_cache` and `functools.cache` by these while it imports a program.
"""

import functools
from collections import OrderedDict
from collections.abc import Callable, Hashable
from types import MethodType
from typing import Any, NamedTuple

_KEYWORDS = "(keywords)"


class CacheInfo(NamedTuple):
    """What `cache_info` returns."""

    hits: int
    misses: int
    maxsize: int | None
    currsize: int


class PureLruCache:
    """A function with its least recently used results."""

    def __init__(self, function: Callable[..., Any], maxsize: int | None, typed: bool) -> None:
        self.__wrapped__: Callable[..., Any]
        functools.update_wrapper(self, function)
        self._maxsize, self._typed = maxsize, typed
        self._results: OrderedDict[Hashable, Any] = OrderedDict()
        self._hits = self._misses = 0

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Return the cached result for these arguments, or call the function."""
        key = self._key(args, kwargs)
        if key in self._results:
            self._hits += 1
            self._results.move_to_end(key)
            return self._results[key]
        self._misses += 1
        result = self.__wrapped__(*args, **kwargs)
        if self._maxsize != 0:
            self._results[key] = result
            self._results.move_to_end(key)
            if self._maxsize is not None and len(self._results) > self._maxsize:
                self._results.popitem(last=False)
        return result

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        """Return a bound method, as a plain function would."""
        return self if instance is None else MethodType(self, instance)

    def _key(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Hashable:
        values = (*args, _KEYWORDS, *kwargs.items()) if kwargs else args
        if not self._typed:
            return values
        return values, tuple(map(type, args)), tuple(map(type, kwargs.values()))

    def cache_info(self) -> CacheInfo:
        """Return hits, misses, bound and size."""
        return CacheInfo(self._hits, self._misses, self._maxsize, len(self._results))

    def cache_clear(self) -> None:
        """Forget all results."""
        self._results.clear()
        self._hits = self._misses = 0

    def cache_parameters(self) -> dict[str, Any]:
        """Return the parameters of the cache."""
        return {"maxsize": self._maxsize, "typed": self._typed}


def lru_cache(maxsize: int | Callable[..., Any] | None = 128, typed: bool = False) -> Any:
    """`functools.lru_cache`, in a form that can be captured."""
    if callable(maxsize):
        return PureLruCache(maxsize, 128, typed)
    bound = None if maxsize is None else max(maxsize, 0)
    return lambda function: PureLruCache(function, bound, typed)


def cache(function: Callable[..., Any]) -> Any:
    """`functools.cache`, in a form that can be captured."""
    return PureLruCache(function, None, False)
