"""Hashes of a program's objects that do not depend on where they are in memory.

Python hashes an object without a `__hash__` of its own by its address, so a set of such objects iterates in an order
that differs when the program is made again. Here all objects of a class have one hash, and the order of a set follows
from the order of its changes. Law: a program that runs again sees its sets in the same order. The cost is a linear
search in sets and dicts whose keys are such objects.
"""

from types import ModuleType
from typing import Any


def hash_by_class(target: Any) -> int:
    """Return one number for all objects of a class."""
    kind = type(target)
    return int.from_bytes(f"{kind.__module__}.{kind.__qualname__}".encode()[-7:], "big")


def settle_hashes(module: ModuleType) -> None:
    """Give the classes of a module that hash their objects by address a hash that stays the same."""
    todo = [each for each in vars(module).values() if isinstance(each, type)]
    done = set[type]()
    while todo:
        kind = todo.pop()
        if kind in done or kind.__module__ != module.__name__:
            continue
        done.add(kind)
        if getattr(kind, "__hash__", None) is object.__hash__ and not issubclass(kind, type):
            type.__setattr__(kind, "__hash__", hash_by_class)
        todo += [each for each in vars(kind).values() if isinstance(each, type)]
