"""Trace of the statements of some files that a call executes, in order.

Two runs that take the same branches have the same trace; rewritten code is compared with the original by it. A
statement is known by its first line, because the order of lines within a statement depends on the compiler. `__hash__`
and functions with a cache of `functools` are left out: whether they run depends on the cache, and rewritten code has
none.
"""

import ast
import sys
from collections.abc import Callable, Iterable
from functools import lru_cache
from pathlib import Path
from sys import settrace  # the function itself: while an app runs, the name in `sys` is the app's
from types import FrameType
from typing import Any, NamedTuple, TypeVar

_T = TypeVar("_T")


class Line(NamedTuple):
    """A line of a file, by the file's name alone: traces are compared across folders and machines."""

    file: str
    number: int


def line_trace(call: Callable[[], _T], files: Iterable[Path]) -> tuple[_T, tuple[Line, ...]]:
    """The result of the call, and the statements of these files that it ran; immediate repetitions count once."""
    wanted = {str(file.resolve()): file for file in files}
    known: dict[str, tuple[str, dict[int, int], frozenset[int]] | None] = {}
    lines: list[Line] = []
    hidden = False

    def leave(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal hidden
        if event == "return":  # also when an exception ends it
            hidden = False
        return leave

    def called(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal hidden
        if hidden:
            return None
        name = frame.f_code.co_filename
        if name not in known:
            file = wanted.get(name) or wanted.get(str(Path(name).resolve()))
            known[name] = None if file is None else (file.name, statements(file), cached_functions(file))
        found = known[name]
        if found is None:
            return None
        label, first, cached = found
        if frame.f_code.co_name == "__hash__" or frame.f_code.co_firstlineno in cached:
            hidden = True
            return leave
        last = 0

        def inside(frame: FrameType, event: str, argument: Any) -> Any:
            nonlocal last
            if event == "line":
                number = first.get(frame.f_lineno, frame.f_lineno)
                if number != last:  # the same statement continues after a call
                    last = number
                    lines.append(Line(label, number))
            return inside

        return inside

    before = sys.gettrace()
    settrace(called)
    try:
        result = call()
    finally:
        settrace(before)
    return result, tuple(lines)


@lru_cache(maxsize=256)
def statements(file: Path) -> dict[int, int]:
    """For each line of a statement its first line; a compound statement is its header."""
    first: dict[int, int] = {}
    for node in ast.walk(ast.parse(file.read_bytes())):
        if isinstance(node, ast.stmt | ast.ExceptHandler | ast.match_case):
            body: list[ast.stmt] | None = getattr(node, "body", None)
            start = node.pattern.lineno if isinstance(node, ast.match_case) else node.lineno
            end = body[0].lineno - 1 if body else getattr(node, "end_lineno", None) or start
            for line in range(start, max(start, end) + 1):
                first[line] = max(start, first.get(line, 0))  # the innermost statement of a line
    return first


@lru_cache(maxsize=256)
def cached_functions(file: Path) -> frozenset[int]:
    """The first lines of the functions that have a cache of `functools`."""
    return frozenset(
        min([node.lineno, *(each.lineno for each in node.decorator_list)])
        for node in ast.walk(ast.parse(file.read_bytes()))
        if isinstance(node, ast.FunctionDef) and any(map(_names_cache, node.decorator_list))
    )


def _names_cache(decorator: ast.expr) -> bool:
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    name = called.attr if isinstance(called, ast.Attribute) else called.id if isinstance(called, ast.Name) else ""
    return name in ("cache", "lru_cache")
