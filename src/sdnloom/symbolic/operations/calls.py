"""Calls with symbolic arguments.

Rewritten functions are called with them. For functions in C, and Python functions that are not rewritten, a replacement
is called if there is one; otherwise their symbolic arguments are concretised. `trust` names packages whose code is not
rewritten but may be called with symbolic values, because it only passes them on.
"""

import functools
import itertools
from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable, Mapping
from enum import Enum, Flag
from types import (
    BuiltinFunctionType,
    FunctionType,
    GeneratorType,
    MethodDescriptorType,
    MethodType,
    MethodWrapperType,
    WrapperDescriptorType,
)
from typing import Any, Final

from sdnloom.symbolic.operations.builtin_calls import (
    COMPARING,
    COUNT_ARGUMENTS,
    FUNCTION_ARGUMENT,
    PASS_THROUGH,
    REPLACEMENTS,
    SINKS,
)
from sdnloom.symbolic.operations.keys import has_symbolic_keys
from sdnloom.symbolic.operations.methods import METHODS, STORING
from sdnloom.symbolic.values.make import SIMPLE, SYMBOLIC, SymByteArray, concrete, concretise_all, has_symbolic
from sdnloom.symbolic.values.sym_int import fork_or_concretise

HOOKS_ALIAS: Final = "_sdnloom_operations"  # the name of `hooks` in rewritten modules
_HEAP: Final = 1 << 9  # Py_TPFLAGS_HEAPTYPE: the class was made by a class statement
_TRUSTED: set[str] = {"sdnloom", "copy", "functools", "collections", "contextlib", "abc", "typing", "dataclasses"}
_NOT_TRUSTED: set[str] = set()
_SAMPLES: Final[tuple[Any, ...]] = ([], (), set(), {}, {}.values(), {}.items(), deque())
_REVERSIBLE: Final[tuple[Any, ...]] = ([], {}, deque())
_SINK_MODULES: Final = frozenset({"logging", "warnings", "traceback"})


Caller = Callable[[Any, tuple[Any, ...], Mapping[str, Any]], Any]
_PACKAGES: Final[dict[str, Caller]] = {}  # package -> what calls its functions with symbolic arguments


def register_package(name: str, caller: Caller) -> None:
    """Let a function call the functions of a package that are not rewritten, if arguments may be symbolic."""
    _PACKAGES[name] = caller


def trust(*packages: str) -> None:
    """Allow calls with symbolic values into code of these packages that is not rewritten."""
    _TRUSTED.update(packages)


def distrust(*modules: str) -> None:
    """Take these modules, and those of packages, out of a trusted package: as they are, they lose constraints."""
    _NOT_TRUSTED.update(modules)


def is_trusted(module: str) -> bool:
    """Return whether a module is of a package that may be called with symbolic values."""
    return _is_of(module, _TRUSTED) and not _is_of(module, _NOT_TRUSTED)


def _is_of(module: str, packages: set[str]) -> bool:
    return module.partition(".")[0] in packages or any(
        module == each or module.startswith(f"{each}.") for each in packages
    )


def call(function: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
    """Return `function(*args, **kwargs)` if an argument may be symbolic, or a container have symbolic keys."""
    kind = type(function)
    if kind is MethodType or kind is FunctionType:
        return (
            function(*args, **kwargs)
            if HOOKS_ALIAS in getattr(function, "__globals__", ())
            else _call_python(function, args, kwargs)
        )
    if function is type and len(args) == 1:
        return REPLACEMENTS[type](*args)
    if kind is BuiltinFunctionType:
        if function in PASS_THROUGH or (type(function.__self__) is list and function.__name__ in STORING):
            return _pass_through(function, args, kwargs)
    elif kind is type and function in PASS_THROUGH:
        return _pass_through(function, args, kwargs)
    args = _iterators_as_lists(args)
    if function in COMPARING and (kwargs or has_symbolic_keys()):
        return REPLACEMENTS[function](*args, **kwargs)
    if not (_any_symbolic(args) or (kwargs and _any_symbolic(kwargs.values()))):
        # Plain arguments: only a method of a container with symbolic keys can depend on an input.
        if has_symbolic_keys() and isinstance(getattr(function, "__self__", None), CONTAINERS):
            return _call_builtin(function, args, kwargs)
        return function(*args, **kwargs)
    if isinstance(function, type):
        return _call_class(function, args, kwargs)
    if isinstance(function, BuiltinFunctionType) or kind is MethodWrapperType:
        return _call_builtin(function, args, kwargs)
    if kind is MethodDescriptorType or kind is WrapperDescriptorType:
        return _call_unbound(function, args, kwargs)
    if kind is functools.partial:
        return call(function.func, (*function.args, *args), {**function.keywords, **kwargs})
    if kind.__flags__ & _HEAP and isinstance(vars(kind).get("__call__"), FunctionType):
        return _call_python(kind.__call__, (function, *args), kwargs)
    return _call_concretised(function, args, kwargs)


def _pass_through(function: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
    """Call a function in C that only passes its arguments on, or gives them to another function."""
    if has_symbolic_keys():
        args = tuple(map(in_fixed_order, args))
    if function in COUNT_ARGUMENTS:
        first = COUNT_ARGUMENTS[function]
        name = f"count for {function.__name__}"
        args = (*args[:first], *(fork_or_concretise(arg, name) for arg in args[first:]))
        kwargs = {key: fork_or_concretise(value, name) for key, value in kwargs.items()}
    elif function in FUNCTION_ARGUMENT and (
        has_symbolic_keys() or _any_symbolic(args) or not ITERATORS.isdisjoint(map(type, args))
    ):
        position = FUNCTION_ARGUMENT[function]
        if len(args) > position:
            args = (*args[:position], _symbolic_callable(args[position]), *args[position + 1 :])
        kwargs = {key: _symbolic_callable(value) if key in ("key", "func") else value for key, value in kwargs.items()}
    return function(*args, **kwargs)


def _symbolic_callable(function: Any) -> Any:
    """Return the function in a form that C may call with symbolic arguments."""
    if function is None or (
        isinstance(function, FunctionType | MethodType) and HOOKS_ALIAS in _function_globals(function)
    ):
        return function
    return lambda *args: call(function, args, {})


def _function_globals(function: Any) -> Mapping[str, Any]:
    found: Mapping[str, Any] = getattr(function, "__globals__", {})
    return found


def _iterators_as_lists(args: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the arguments with iterators as lists, so that their elements can be examined."""
    if ITERATORS.isdisjoint(map(type, args)):
        return args
    return tuple(list(arg) if type(arg) in ITERATORS else arg for arg in args)


def _call_python(function: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
    function_globals = getattr(function, "__globals__", None)
    if function_globals is None or HOOKS_ALIAS in function_globals:  # a method of something built in, or rewritten
        return function(*args, **kwargs)
    replacement = REPLACEMENTS.get(function)
    module = str(function_globals.get("__name__", ""))
    if replacement is not None and _any_symbolic(args):
        return replacement(*args, **kwargs)
    top = module.partition(".")[0]
    if top in _PACKAGES:
        return _PACKAGES[top](function, args, kwargs)
    if top in _SINK_MODULES:
        return function(*map(concrete, args), **{key: concrete(value) for key, value in kwargs.items()})
    if not is_trusted(module):
        args = _iterators_as_lists(args)
        _concretise_arguments(
            f"call of {module}.{getattr(function, '__name__', 'a function')}, which is not rewritten", args, kwargs
        )
    owner = getattr(function, "__self__", None)
    if isinstance(owner, tuple) or (isinstance(owner, type) and issubclass(owner, tuple)):  # as _replace and _make
        MAYBE_SYMBOLIC.add(type(owner) if isinstance(owner, tuple) else owner)
    return function(*args, **kwargs)


def _call_class(kind: type, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
    replacement = REPLACEMENTS.get(kind)
    if replacement is not None:
        return replacement(*args, **kwargs)
    if kind in PASS_THROUGH:
        return _pass_through(kind, args, kwargs)
    if issubclass(kind, BaseException):
        return kind(*map(in_fixed_order, args), **kwargs)
    if issubclass(kind, Enum) and len(args) == 1 and not kwargs and type(args[0]) in SYMBOLIC:
        return _enum_member(kind, args[0])
    if kind.__flags__ & _HEAP:
        for name in ("__init__", "__new__"):
            constructor = getattr(kind, name)
            if (
                isinstance(constructor, FunctionType)
                and HOOKS_ALIAS not in constructor.__globals__
                and HOOKS_ALIAS not in _globals_of(kind)
            ):
                module = str(constructor.__globals__.get("__name__", ""))
                if not (is_trusted(module) or module.startswith("namedtuple_")):
                    _concretise_arguments(
                        f"call of {kind.__module__}.{kind.__name__}, which is not rewritten", args, kwargs
                    )
                    break
        if issubclass(kind, CONTAINERS):
            MAYBE_SYMBOLIC.add(kind)
        if _only_stores_arguments(kind):
            return kind(*args, **kwargs)
    return _call_concretised(kind, args, kwargs)


def _enum_member(kind: type[Enum], value: Any) -> Enum:
    """Return the member with a symbolic value, after a fork for each; flag combinations are enumerated or concretised.

    Flags cache every combination, so they must not be called with a symbolic one.
    """
    for each in kind.__members__.values():
        if value == each.value:
            return each
    if issubclass(kind, Flag):
        return kind(fork_or_concretise(value, f"combination of {kind.__name__}") if isinstance(value, int) else value)
    refuses = getattr(kind._missing_, "__func__", None) is Enum.__dict__["_missing_"].__func__
    return kind(concrete(value) if refuses else value)


def _only_stores_arguments(kind: type) -> bool:
    """Return whether the constructors of a class that are in C only store their arguments."""
    for name in ("__new__", "__init__"):
        owner = next(each for each in kind.__mro__ if name in vars(each))
        constructor = vars(owner)[name]
        if not isinstance(constructor, FunctionType | staticmethod) and owner not in _STORING_CLASSES:
            return False
    return True


_STORING_CLASSES: Final = frozenset(
    (object, tuple, list, dict, set, frozenset, deque, OrderedDict, defaultdict, functools.partial)
)


def _globals_of(kind: type) -> Mapping[str, Any]:
    """Return the globals of a class's own methods; the generated methods of a dataclass have others."""
    for each in vars(kind).values():
        if isinstance(each, FunctionType) and each.__module__ == kind.__module__:
            return each.__globals__
    return {}


def _call_builtin(function: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
    if function in PASS_THROUGH:
        return _pass_through(function, args, kwargs)
    replacement = REPLACEMENTS.get(function)
    if replacement is not None:
        return replacement(*args, **kwargs)
    if function in SINKS:
        return function(*map(concrete, args), **{key: concrete(value) for key, value in kwargs.items()})
    receiver = function.__self__
    name = function.__name__
    method = METHODS.get(type(receiver), {}).get(name)
    if method is not None:
        return method(receiver, *args, **kwargs)
    if _method_only_stores(receiver, name):
        return function(*args, **kwargs)
    if isinstance(receiver, dict | set):  # a subclass that a program made: its own methods are Python
        for base in (dict, set):
            if isinstance(receiver, base) and name in METHODS[base]:
                return METHODS[base][name](receiver, *args, **kwargs)
    return _call_concretised(function, args, kwargs)


def _any_symbolic(args: Iterable[Any]) -> bool:
    for arg in args:  # noqa: SIM110 (part of every call)
        if type(arg) not in SIMPLE and has_symbolic(arg):
            return True
    return False


def _call_unbound(function: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
    """Call `kind.method(receiver, ...)` of a built-in kind."""
    kind, name = function.__objclass__, function.__name__
    method = METHODS.get(kind, {}).get(name)
    if method is not None and isinstance(args[0], kind) and type(args[0]) not in SYMBOLIC:
        return method(*args, **kwargs)
    if type(args[0]) in SYMBOLIC:
        return getattr(args[0], name)(*args[1:], **kwargs)
    if _method_only_stores(args[0], name):
        return function(*args, **kwargs)
    return _call_concretised(function, args, kwargs)


def _method_only_stores(receiver: Any, name: str) -> bool:
    """Return whether a method of a built-in kind only stores its arguments."""
    if isinstance(receiver, list | deque | GeneratorType):
        return name in STORING
    return name in ("__init__", "__setattr__", "__delattr__", "__init_subclass__", "with_traceback", "add_note")


def in_fixed_order(value: Any) -> Any:
    """Return an iterable whose order depends on no input: a set with symbolic elements is concretised."""
    if has_symbolic_keys() and type(value) in (set, frozenset) and has_symbolic(value):
        concretise_all(value, "order of a set")
    return value


def _call_concretised(function: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
    name = getattr(function, "__qualname__", type(function).__name__)
    module = getattr(function, "__module__", None)
    _concretise_arguments(
        f"call of {module}.{name}" if module and module != "builtins" else f"call of {name}", args, kwargs
    )
    return function(*args, **kwargs)


def _concretise_arguments(construct: str, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
    for each in (*args, *kwargs.values()):
        concretise_all(each, construct)


CONTAINERS: Final[tuple[type, ...]] = (dict, set, frozenset, type({}.keys()), list, tuple, deque)
# Iterators may become lists, because functions in C that do not pass them on consume them.
ITERATORS: Final[frozenset[type]] = frozenset(
    (GeneratorType, map, filter, zip, enumerate, reversed, itertools.chain, itertools.islice, itertools.zip_longest,
     itertools.product, itertools.takewhile, itertools.dropwhile, itertools.accumulate, itertools.starmap,
     itertools.combinations, itertools.permutations, itertools.compress, itertools.filterfalse, itertools.pairwise,
     *(type(iter(each)) for each in _SAMPLES), *(type(reversed(each)) for each in _REVERSIBLE))
)  # fmt: skip
# Types of arguments that may be symbolic: symbolic values, and containers or iterators that may have some. A named
# tuple is added when one is made of symbolic values.
MAYBE_SYMBOLIC: Final[set[type]] = {
    *SYMBOLIC, SymByteArray, tuple, list, dict, set, frozenset, slice, deque, OrderedDict, defaultdict, *ITERATORS,
    type({}.values()), type({}.items()), type({}.keys()),
}  # fmt: skip
