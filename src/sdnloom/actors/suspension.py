"""The identity of a suspended coroutine: all that decides how it goes on, as one stored value.

CPython keeps in a suspended coroutine its local variables and the values that it has computed halfway: the iterators
of `for` loops, contexts of `with`, the coroutine that it awaits. `gc.get_referents` lists them in order; with the
position in the code they are the identity. Where they cannot be frozen, the log of what the coroutine has read is the
identity: it decides the same, but two logs may lead to one identity, so the search may have more states.
"""

import gc
from collections.abc import Callable
from types import (
    BuiltinFunctionType,
    CellType,
    CodeType,
    CoroutineType,
    FrameType,
    FunctionType,
    GeneratorType,
    MethodType,
    ModuleType,
)
from typing import Any

from sdnloom.actors.task import CodePosition
from sdnloom.actors.values import MutableValueError, Stored, freeze

_HELD = (
    *(list, dict, set, BaseException),
    *(BuiltinFunctionType, CellType, CoroutineType, FunctionType, GeneratorType, MethodType),
)
_ITERATORS = (enumerate, zip, map, filter, reversed)


def code_positions(coroutine: Any) -> tuple[CodePosition, ...]:
    """Where the coroutine is suspended, and the coroutines that it awaits, outermost first."""
    found = []
    while isinstance(coroutine, CoroutineType) and coroutine.cr_frame is not None:
        frame, code = coroutine.cr_frame, coroutine.cr_code
        found.append(CodePosition(code.co_qualname, frame.f_lasti, code.co_filename, frame.f_lineno))
        coroutine = coroutine.cr_await
    return tuple(found)


def identity(coroutine: Any, special: Callable[[Any], Stored | None]) -> Stored | None:
    """The identity of a suspended coroutine, None if some value in it cannot be frozen."""
    try:
        return _Freezer(special).freeze(coroutine)
    except MutableValueError:
        return None


class _Freezer:
    """Freezes what a frame holds: also lists, dicts, functions and iterators. Shared objects are frozen once."""

    def __init__(self, special: Callable[[Any], Stored | None]) -> None:
        self._special = special
        self._seen: dict[int, int] = {}
        self._kept: list[Any] = []  # so that ids stay unique

    def freeze(self, value: Any) -> Stored:
        return freeze(value, self._mutable)

    def _all(self, values: Any) -> tuple[Stored, ...]:
        return tuple([self.freeze(each) for each in values])

    def _mutable(self, value: Any) -> Stored | None:
        found = self._special(value)
        if found is not None:
            return found
        if isinstance(value, type):
            return "class", value.__module__, value.__qualname__
        if isinstance(value, CodeType):
            return "code", value.co_qualname, value.co_firstlineno
        if isinstance(value, ModuleType):
            return "module", value.__name__
        if id(value) in self._seen:
            return "again", self._seen[id(value)]
        if not isinstance(
            value, list | dict | set | CellType | FunctionType | MethodType | BuiltinFunctionType
        ) and not (isinstance(value, BaseException | CoroutineType | GeneratorType) or _is_iterator(value)):
            return None
        self._seen[id(value)] = len(self._seen)
        self._kept.append(value)
        return self._of(value)

    def _of(self, value: Any) -> Stored:
        match value:
            case list():
                return "list", self._all(value)
            case dict():
                return "dict", tuple((self.freeze(key), self.freeze(each)) for key, each in value.items())
            case set():
                return "set", frozenset(self._all(value))
            case CellType():
                return "cell", _cell_contents(value, self.freeze)
            case FunctionType():
                code = value.__code__
                closure, defaults = self._all(value.__closure__ or ()), self._all(value.__defaults__ or ())
                return "function", code.co_qualname, code.co_firstlineno, closure, defaults
            case MethodType():
                return "method", value.__func__.__qualname__, self.freeze(value.__self__)
            case BuiltinFunctionType():
                return "builtin", value.__qualname__, self.freeze(value.__self__)
            case BaseException():
                return "exception", type(value).__qualname__, self._all(value.args)
            case CoroutineType() | GeneratorType():
                return self._frame(value)
        return "iterator", type(value).__qualname__, self.freeze(value.__reduce__())

    def _frame(self, value: Any) -> Stored:
        frame = value.cr_frame if isinstance(value, CoroutineType) else value.gi_frame
        if frame is None:
            return "ended", value.__qualname__
        held = [each for each in gc.get_referents(value) if not isinstance(each, FrameType)]
        names = tuple(frame.f_locals)
        if not all(any(each is local for each in held) for local in _direct_locals(frame)):
            raise MutableValueError(f"{value.__qualname__}: this Python does not show what a coroutine holds")
        values = [each for each in held if each is not frame.f_globals and each is not frame.f_builtins]
        return "frame", value.__qualname__, frame.f_lasti, names, self._all(values)


def _direct_locals(frame: FrameType) -> list[Any]:
    """The local variables that are not in cells."""
    code = frame.f_code
    cells = {*code.co_cellvars, *code.co_freevars}
    return [value for name, value in frame.f_locals.items() if name not in cells]


def _cell_contents(cell: CellType, freezing: Callable[[Any], Stored]) -> Stored:
    try:
        return (freezing(cell.cell_contents),)
    except ValueError:  # an empty cell
        return ()


def _is_iterator(value: Any) -> bool:
    return isinstance(value, _ITERATORS) or type(value).__name__.endswith("iterator")
