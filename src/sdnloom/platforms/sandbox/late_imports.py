"""Imports inside of functions, so that a program's modules can be loaded before it runs.

A module that is first imported by a handler would bring state into the middle of a run, where no earlier snapshot knows
it. Loading it ahead is a difference from a real run only if importing the module does more than define things.
"""

import dis
import importlib.util
from collections.abc import Iterator
from types import CodeType


def late_imports(code: CodeType, package: str) -> Iterator[str]:
    """Yield the full names of what functions of a module import: modules, and what may be modules inside of them."""
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield from _imports(each, package)
            yield from late_imports(each, package)


def _imports(code: CodeType, package: str) -> Iterator[str]:
    before: list[dis.Instruction] = []
    for instruction in dis.get_instructions(code):
        if instruction.opname == "IMPORT_NAME" and len(before) > 1:
            level, names = before[-2].argval, before[-1].argval
            name = _absolute(str(instruction.argval), level if isinstance(level, int) else 0, package)
            if name is not None:
                yield name
                yield from (f"{name}.{each}" for each in names or () if each != "*")
        if instruction.opname != "EXTENDED_ARG":  # in front of any instruction of a long function
            before.append(instruction)


def _absolute(name: str, level: int, package: str) -> str | None:
    try:
        return importlib.util.resolve_name("." * level + name, package)
    except ImportError:  # beyond the top-level package
        return None
