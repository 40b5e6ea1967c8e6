"""Libraries that symbolic values pass through because their own code runs rewritten while code is explored.

Only libraries that a program imports are rewritten. Branches inside of them count as those of the line that calls them.
"""

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Final, NamedTuple

from sdnloom.symbolic.operations.calls import MAYBE_SYMBOLIC
from sdnloom.symbolic.rewrite.in_place import RewrittenInPlace
from sdnloom.symbolic.rewrite.module import IMPORTED
from sdnloom.symbolic.shims.address_libraries import ADDRESS_CLASSES, ipaddress_parts, netaddr_parts
from sdnloom.symbolic.shims.collection_classes import COLLECTIONS, collections_parts
from sdnloom.symbolic.shims.graphs import GRAPHS, networkx_parts
from sdnloom.symbolic.values.make import register_attributes


class FollowedLibrary(NamedTuple):
    """A library: how its modules are rewritten, and its classes whose instances may have symbolic attributes."""

    parts: Callable[[], Iterable[RewrittenInPlace]]
    kinds: frozenset[str]
    wanted_by: frozenset[str] = frozenset()  # names in it that a program has to mention; the library, if there are none


LIBRARIES: Final = {
    "collections": FollowedLibrary(collections_parts, COLLECTIONS, COLLECTIONS | {"Counter"}),
    "ipaddress": FollowedLibrary(ipaddress_parts, ADDRESS_CLASSES),
    "netaddr": FollowedLibrary(netaddr_parts, ADDRESS_CLASSES),
    "networkx": FollowedLibrary(networkx_parts, GRAPHS),
}
_depth = 0
_installed: list[RewrittenInPlace] = []


@contextmanager
def followed_libraries() -> Iterator[None]:
    """Follow symbolic values through the libraries that programs import, for a block; blocks nest."""
    global _depth
    if not _depth:
        _installed[:] = [part for name in sorted(LIBRARIES) if _is_wanted(name) for part in _parts(name)]
    _depth += 1
    try:
        if _depth == 1:
            for each in _installed:
                each.install()
        yield
    finally:
        _depth -= 1
        if not _depth:
            for each in reversed(_installed):
                each.remove()


def _is_wanted(name: str) -> bool:
    names = LIBRARIES[name].wanted_by
    return (
        name in IMPORTED and name in sys.modules and (not names or any(f"{name}.{each}" in IMPORTED for each in names))
    )


@cache
def _parts(name: str) -> tuple[RewrittenInPlace, ...]:
    """Return the modules of a library, rewritten; made once."""
    library = LIBRARIES[name]
    parts = tuple(library.parts())
    for part in parts:
        for kind in vars(part.module).values():
            if isinstance(kind, type) and kind.__module__ == part.module.__name__ and kind.__name__ in library.kinds:
                register_attributes(kind)
                MAYBE_SYMBOLIC.add(kind)
    return parts
