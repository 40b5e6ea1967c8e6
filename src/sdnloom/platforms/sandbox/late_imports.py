"""Finds imports inside of functions, so that a program's modules can be loaded before it runs.

A module that is first imported by a handler would add state in the middle of a run, which no earlier snapshot has.
Loading it ahead differs from a real run only if importing the module has side effects.
"""

import dis
import importlib.util
from collections.abc import Iterator
from types import CodeType
from typing import Final

_IMPORT_NAME: Final = dis.opmap["IMPORT_NAME"]


def late_imports(code: CodeType, package: str) -> Iterator[str]:
    """Yield the full names that functions of a module import: modules, and names in them that may be modules."""
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield from _imports(each, package)
            yield from late_imports(each, package)


def _imports(code: CodeType, package: str) -> Iterator[str]:
    if _IMPORT_NAME not in code.co_code[::2]:  # few functions import, and decoding instructions takes long
        return
    before: list[dis.Instruction] = []
    for instruction in dis.get_instructions(code):
        if instruction.opname == "IMPORT_NAME" and len(before) > 1:
            level, names = before[-2].argval, before[-1].argval
            name = _absolute(str(instruction.argval), level if isinstance(level, int) else 0, package)
            if name is not None:
                yield name
                yield from (f"{name}.{each}" for each in names or () if each != "*")
        if instruction.opname != "EXTENDED_ARG":  # may precede any instruction of a long function
            before.append(instruction)


def _absolute(name: str, level: int, package: str) -> str | None:
    try:
        return importlib.util.resolve_name("." * level + name, package)
    except ImportError:  # beyond the top-level package
        return None
