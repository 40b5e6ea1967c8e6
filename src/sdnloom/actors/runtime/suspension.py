"""The identity of a suspended coroutine: all that decides how it goes on, as one stored value.

CPython keeps in a suspended coroutine its local variables and the values that it has computed halfway: the iterators
of `for` loops, contexts of `with`, the coroutine that it awaits. `gc.get_referents` lists them in order; with the
position in the code they are the identity. Where they cannot be frozen, or another Python does not show them, the log
of what the coroutine has read is the identity: it decides the same, but two logs may lead to one identity, so the
search may have more states.
"""

import dis
import functools
import gc
import hashlib
import itertools
import operator
import warnings
from abc import ABC, abstractmethod
from bisect import bisect_left
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Generator
from types import (
    BuiltinFunctionType,
    CellType,
    CodeType,
    CoroutineType,
    FrameType,
    FunctionType,
    GeneratorType,
    MethodDescriptorType,
    MethodType,
    ModuleType,
    WrapperDescriptorType,
)
from typing import Any

from sdnloom.actors.task import CodePosition
from sdnloom.actors.values import MutableValueError, Stored, freeze
from sdnloom.engine.stable_text import stable_text

_CODE = (BuiltinFunctionType, CellType, CoroutineType, FunctionType, GeneratorType, MethodType)
_REDUCED = {  # what `__reduce__` describes completely
    *(list, dict, set, deque, OrderedDict, defaultdict, Counter, bytearray, slice, functools.partial),
    *(enumerate, zip, map, filter, reversed, operator.itemgetter, operator.attrgetter),
    *(each for each in vars(itertools).values() if isinstance(each, type)),
}


def code_positions(coroutine: Any) -> tuple[CodePosition, ...]:
    """Where the coroutine is suspended, and the coroutines that it awaits, outermost first."""
    found = []
    while isinstance(coroutine, CoroutineType) and coroutine.cr_frame is not None:
        frame, code = coroutine.cr_frame, coroutine.cr_code
        number = bisect_left(_await_offsets(code), frame.f_lasti)
        found.append(CodePosition(code.co_qualname, frame.f_lasti, number, code.co_filename, frame.f_lineno))
        coroutine = coroutine.cr_await
    return tuple(found)


@functools.cache
def _await_offsets(code: CodeType) -> list[int]:
    """Where the function begins to await something, in order."""
    return [each.offset for each in dis.get_instructions(code) if each.opname == "GET_AWAITABLE"]


def identity(coroutine: Any, special: Callable[[Any], Stored | None]) -> Stored | None:
    """The identity of a suspended coroutine, None if some value in it cannot be frozen."""
    try:
        return _Freezer(special).freeze(coroutine) if _shows_all() else None
    except MutableValueError:
        return None


class HeldInFrame(ABC):
    """Base of objects of ours in frames; what decides their behaviour is what `held` returns."""

    @abstractmethod
    def held(self) -> Any:
        """What the object stands for."""


class _Freezer:
    """Freezes what a frame holds: also lists, dicts, functions and iterators. Shared objects are frozen once.

    Sets and dicts are frozen in the order in which they iterate, because a program can see it.
    """

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
            return _class(value)
        if isinstance(value, CodeType):
            return _code(value)
        if isinstance(value, ModuleType):
            return "module", value.__name__
        if isinstance(value, MethodDescriptorType | WrapperDescriptorType):
            return "descriptor", _class(value.__objclass__), value.__name__
        if id(value) in self._seen:
            return "again", self._seen[id(value)]
        kind = type(value)
        if kind not in _REDUCED and not (isinstance(value, (*_CODE, BaseException, HeldInFrame)) or _is_iterator(kind)):
            return None
        self._seen[id(value)] = len(self._seen)
        self._kept.append(value)
        return self._of(value)

    def _of(self, value: Any) -> Stored:
        match value:
            case CellType():
                return "cell", _cell_contents(value, self.freeze)
            case FunctionType():
                if getattr(value, "is_task", False):  # our wrapper adds nothing of its own
                    return self.freeze(value.__wrapped__)  # type: ignore[attr-defined]
                held = value.__closure__, value.__defaults__, value.__kwdefaults__, value.__dict__
                return "function", value.__module__, _code(value.__code__), self._all(held)
            case MethodType():
                return "method", self.freeze(value.__func__), self.freeze(value.__self__)
            case BuiltinFunctionType():
                return "builtin", value.__qualname__, self.freeze(value.__self__)
            case BaseException():
                error = value.args, value.__dict__, value.__cause__, value.__context__, value.__suppress_context__
                return "exception", _class(type(value)), self._all(error)
            case CoroutineType() | GeneratorType():
                return self._frame(value)
            case HeldInFrame():
                return type(value).__name__, self.freeze(value.held())
        return self._reduced(value)

    def _reduced(self, value: Any) -> Stored:
        kind = type(value)
        if kind in (list, set):
            return kind.__name__, self._all(value)
        if kind is dict:
            return "dict", self._all(value.items())
        try:
            with warnings.catch_warnings():  # Python 3.12 and 3.13 warn of iterators of itertools
                warnings.simplefilter("ignore", DeprecationWarning)
                made, args, *rest = value.__reduce__()
            items = [tuple(each) for each in rest[1:] if each is not None]
        except Exception as error:  # a dict that was changed while it is iterated
            raise MutableValueError(f"{value!r} cannot be frozen: {error}") from error
        iterated = [each for each in gc.get_referents(value) if type(each) in (dict, set)]
        return "reduced", _class(kind), self._all((made, args, *rest[:1], *items, iterated))

    def _frame(self, value: Any) -> Stored:
        frame = value.cr_frame if isinstance(value, CoroutineType) else value.gi_frame
        if frame is None:
            return "ended", value.__qualname__
        held = [each for each in gc.get_referents(value) if not isinstance(each, FrameType)]
        names = tuple(frame.f_locals)
        if not all(any(each is local for each in held) for local in _direct_locals(frame)):
            raise MutableValueError(f"{value.__qualname__}: this Python does not show what a coroutine holds")
        code = frame.f_code
        known = (code, frame.f_globals, frame.f_builtins)  # and the function itself, which says nothing more
        values = [each for each in held if all(each is not one for one in known)]
        own = next((n for n, each in enumerate(values) if getattr(each, "__code__", None) is code), None)
        if own is not None:
            del values[own]
        # The last one is the error that is handled. None and nothing mean the same there, and the position in the code
        # says how many values there are, so no None at the end tells anything.
        while values and values[-1] is None:
            values.pop()
        return "frame", frame.f_globals["__name__"], _code(code), frame.f_lasti, names, self._all(values)


def _direct_locals(frame: FrameType) -> list[Any]:
    """The local variables that are not in cells."""
    code = frame.f_code
    cells = {*code.co_cellvars, *code.co_freevars}
    return [value for name, value in frame.f_locals.items() if name not in cells]


def _cell_contents(cell: CellType, freezing: Callable[[Any], Stored]) -> Stored:
    try:
        contents = cell.cell_contents
    except ValueError:  # an empty cell
        return ()
    return (freezing(contents),)


def _class(kind: type) -> Stored:
    if "<locals>" in kind.__qualname__:
        raise MutableValueError(f"{kind.__qualname__} is a class that a function makes; each call makes another one")
    return "class", kind.__module__, kind.__qualname__


@functools.cache
def _code(code: CodeType) -> Stored:
    """The code of a function. Line and name are not enough: a line may have several lambdas."""
    constants = [_code(each) if isinstance(each, CodeType) else stable_text(each) for each in code.co_consts]
    kinds = [type(each).__name__ for each in code.co_consts]
    names = code.co_names, code.co_varnames, code.co_cellvars, code.co_freevars
    text = repr((code.co_code, constants, kinds, names, code.co_flags, code.co_exceptiontable))
    digest = hashlib.blake2b(text.encode(), digest_size=8).hexdigest()
    return "code", code.co_qualname, code.co_firstlineno, digest


def _is_iterator(kind: type) -> bool:
    return kind.__module__ == "builtins" and kind.__name__.endswith("iterator")


class _Awaited:
    """What the probe awaits."""

    def __await__(self) -> Generator[Any, Any, None]:
        yield self


@functools.cache
def _shows_all() -> bool:
    """Whether this Python lists what a suspended coroutine holds and no variable names."""
    held = [[2], ValueError(), iter([1])]
    coroutine = _probe([_Awaited(), *held])
    coroutine.send(None)
    try:
        return all(any(each is one for each in gc.get_referents(coroutine)) for one in held)
    finally:
        coroutine.close()


async def _probe(operands: list[Any]) -> Any:
    """Suspended with an iterator, a handled error and the first element of a list on its stack."""
    for _ in operands.pop():
        try:
            raise operands.pop()
        except ValueError:
            return [operands.pop(), await operands.pop()]
    return None
