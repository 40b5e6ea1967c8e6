"""Pure-Python libraries whose functions get rewritten code for a block, and their own code back after it.

The functions stay the same objects: whoever holds a reference to one follows symbolic values, and an object of a
library has the same class for all code, rewritten or not. Exceptions are methods from which C needs a plain number,
such as `__hash__`, and properties with a cache, which are replaced in their class.
"""

import functools
from collections.abc import Callable, Iterator
from types import CodeType, FunctionType, ModuleType
from typing import Any, NamedTuple

from sdnloom.errors import SdnloomError
from sdnloom.symbolic.operations import hooks
from sdnloom.symbolic.operations.calls import HOOKS_ALIAS
from sdnloom.symbolic.rewrite.module import rewrite
from sdnloom.symbolic.rewrite.statements import CALLED_BY_C
from sdnloom.symbolic.values.fork import pass_over

_CACHE = type(functools.lru_cache(lambda: None))


class InPlaceError(SdnloomError):
    """A library whose functions cannot be given other code."""


class CodeChange(NamedTuple):
    """A function with its own code and the rewritten one."""

    function: FunctionType
    plain: CodeType
    rewritten: CodeType


class NameChange(NamedTuple):
    """An attribute of a module or class with its own value, ABSENT if it has none, and the one for the block."""

    owner: Any
    name: str
    plain: Any
    followed: Any


ABSENT = object()


class RewrittenInPlace:
    """A module whose functions can be switched to rewritten code and back; `selects` chooses them by qualified name."""

    def __init__(self, module: ModuleType, selects: Callable[[str], bool] = lambda name: True) -> None:
        self.module, self._selects = module, selects
        self.codes: list[CodeChange] = []
        self.names: list[NameChange] = [NameChange(module, HOOKS_ALIAS, ABSENT, hooks)]
        self._pairs = self._rewritten_codes()
        self._seen: set[int] = set()
        self._prepare(module, vars(module))

    def change_name(self, owner: Any, name: str, value: Any) -> None:
        """Replace an attribute of the module or of one of its classes in the block."""
        self.names.append(NameChange(owner, name, vars(owner)[name], value))

    def install(self) -> None:
        """Give the functions their rewritten code."""
        for change in self.codes:
            change.function.__code__ = change.rewritten  # type: ignore[misc]
        for name in self.names:
            setattr(name.owner, name.name, name.followed)

    def remove(self) -> None:
        """Give the functions their own code back, also if an exception ended `install`."""
        for name in reversed(self.names):
            if name.plain is ABSENT:
                vars(name.owner).pop(name.name, None)
            else:
                setattr(name.owner, name.name, name.plain)
        for change in self.codes:
            change.function.__code__ = change.plain  # type: ignore[misc]

    def _rewritten_codes(self) -> dict[tuple[str, int], CodeType]:
        """Return the rewritten code of each function by its qualified name and first line."""
        spec = self.module.__spec__
        source = getattr(spec.loader, "get_source", lambda name: None)(self.module.__name__) if spec else None
        file = getattr(self.module, "__file__", None)
        if source is None or file is None:
            raise InPlaceError(f"module {self.module.__name__!r}: expected Python source to rewrite, found none")
        data = source.encode()
        plain, rewritten = (
            _by_name(code) for code in (compile(data, file, "exec", dont_inherit=True), rewrite(data, file))
        )
        pass_over(file)
        return {
            (own.co_qualname, own.co_firstlineno): other
            for name, codes in plain.items()
            for own, other in zip(codes, rewritten[name], strict=True)
        }

    def _prepare(self, owner: Any, names: Any) -> None:
        for name, value in list(names.items()):
            if isinstance(value, type):
                if value.__module__ == self.module.__name__ and id(value) not in self._seen:
                    self._seen.add(id(value))
                    self._prepare(value, vars(value))
                continue
            for function in _functions_in(value):
                self._change_code(owner, name, function)
            if isinstance(value, property) and isinstance(value.fget, _CACHE):
                fget = value.fget.__wrapped__
                self.names.append(NameChange(owner, name, value, property(fget, value.fset, value.fdel, value.__doc__)))

    def _change_code(self, owner: Any, name: str, function: FunctionType) -> None:
        code = self._pairs.get((function.__code__.co_qualname, function.__code__.co_firstlineno))
        if code is None or function.__module__ != self.module.__name__ or not self._selects(function.__qualname__):
            return
        if code.co_freevars != function.__code__.co_freevars:
            raise InPlaceError(f"{self.module.__name__}.{function.__qualname__}: rewriting changes its closure")
        if name in CALLED_BY_C and isinstance(owner, type):
            made = FunctionType(code, function.__globals__, name, function.__defaults__, function.__closure__)
            self.names.append(NameChange(owner, name, function, hooks.called_by_c(made)))
        elif id(function) not in self._seen:
            self._seen.add(id(function))
            self.codes.append(CodeChange(function, function.__code__, code))


def _by_name(code: CodeType) -> dict[str, list[CodeType]]:
    """Return the code of the functions of a module and its classes by qualified name, in the order of the source.

    Functions inside of functions are part of their code. A lambda counts if it is the only one of its name on its line.
    """
    found: dict[str, list[CodeType]] = {}
    for each in code.co_consts:
        if not isinstance(each, CodeType) or "<locals>" in each.co_qualname:
            continue
        if each.co_name == "<lambda>":
            found.setdefault(f"{each.co_qualname} {each.co_firstlineno}", []).append(each)
        elif not each.co_name.startswith("<"):
            found.setdefault(each.co_qualname, []).append(each)
            for name, codes in _by_name(each).items():
                found.setdefault(name, []).extend(codes)
    return {name: codes for name, codes in found.items() if "<lambda>" not in name or len(codes) == 1}


def _functions_in(value: Any) -> Iterator[FunctionType]:
    """Yield the functions that a value of a namespace holds."""
    if isinstance(value, FunctionType):
        yield value
    elif isinstance(value, staticmethod | classmethod):
        yield from _functions_in(value.__func__)
    elif isinstance(value, property):
        for each in (value.fget, value.fset, value.fdel):
            yield from _functions_in(each)
    elif isinstance(value, functools.cached_property):
        yield from _functions_in(value.func)
    elif isinstance(value, _CACHE):
        yield from _functions_in(value.__wrapped__)
