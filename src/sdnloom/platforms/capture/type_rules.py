"""Rules by type: how objects are captured, or why they cannot be.

A type without a rule is refused; a guess would be a wrong state later.
"""

import array
import collections
import copy
import datetime
import decimal
import functools
import gc
import io
import itertools
import logging
import random
import re
import struct
import threading
import types
import typing
import weakref
from collections.abc import Callable, Iterable
from enum import Enum
from typing import Any

from sdnloom.platforms.capture.numpy_rules import numpy_aspects
from sdnloom.platforms.capture.save_restore import (
    ATTRIBUTES,
    DICT,
    NAMESPACE,
    Aspect,
    Aspects,
    CapturedAspect,
    Form,
    load_dict,
)


def _save_ordered(target: Any) -> list[Any]:
    # A subclass may move entries when they are read, so keys and values are read underneath it.
    keys = collections.OrderedDict.__iter__(target)
    return [each for key in keys for each in (key, dict.__getitem__(target, key))]


def _load_ordered(target: Any, saved: list[Any]) -> None:
    collections.OrderedDict.clear(target)
    for key, value in zip(saved[::2], saved[1::2], strict=True):
        collections.OrderedDict.__setitem__(target, key, value)


def _load_list(target: list[Any], saved: list[Any]) -> None:
    list.__setitem__(target, slice(None), saved)


def _load_set(target: set[Any], saved: set[Any]) -> None:
    set.clear(target)
    set.update(target, saved)


def _load_deque(target: Any, saved: list[Any]) -> None:
    collections.deque.clear(target)
    collections.deque.extend(target, saved)


def _load_factory(target: Any, saved: list[Any]) -> None:
    target.default_factory = saved[0]


def _load_bytearray(target: bytearray, saved: bytes) -> None:
    target[:] = saved


def _load_array(target: Any, saved: list[Any]) -> None:
    target[:] = array.array(target.typecode, saved)


def _save_cell(cell: types.CellType) -> list[Any]:
    try:
        return [cell.cell_contents]
    except ValueError:  # not bound yet
        return []


def _load_cell(cell: types.CellType, saved: list[Any]) -> None:
    if saved:
        cell.cell_contents = saved[0]
    elif _save_cell(cell):
        del cell.cell_contents


def _save_function(function: types.FunctionType) -> list[Any]:
    return [function.__defaults__, function.__kwdefaults__, *(function.__closure__ or ())]


def _load_function(function: types.FunctionType, saved: list[Any]) -> None:
    function.__defaults__, function.__kwdefaults__ = saved[0], saved[1]


def _load_error(error: BaseException, saved: list[Any]) -> None:
    error.args, error.__cause__, error.__context__ = saved


def _load_state(target: Any, saved: Any) -> None:
    target.setstate(saved[0])


def _load_buffer(target: Any, saved: Any) -> None:
    target.__setstate__((*saved, None))


def _load_lock(lock: Any, saved: str) -> None:
    if lock.locked():
        lock.release()


def _load_rlock(lock: Any, saved: str) -> None:
    while lock._is_owned():
        lock.release()


def _cache_of(wrapper: Any) -> dict[Any, Any]:
    """Return the dict of results of a `functools.cache`; it has no public name."""
    own = wrapper.__dict__
    return next(each for each in gc.get_referents(wrapper) if type(each) is dict and each is not own)


def _save_cache(wrapper: Any) -> dict[Any, Any]:
    return _cache_of(wrapper).copy()


def _load_cache(wrapper: Any, saved: dict[Any, Any]) -> None:
    load_dict(_cache_of(wrapper), saved)


def _fixed(read: Callable[[Any], list[Any] | tuple[Any, ...]]) -> Aspects:
    """The aspects of an immutable object that holds others."""
    return (Aspect("parts", Form.SEQUENCE, read, None),)


def _text(read: Callable[[Any], str]) -> Aspects:
    """The aspects of an immutable object that holds no others."""
    return (Aspect("value", Form.TEXT, read, None),)


_FUNCTION = Aspect("function", Form.SEQUENCE, _save_function, _load_function)
_CACHE = Aspect("cache", Form.MAP, _save_cache, _load_cache)
# The last part of its state is the dict of its attributes, which has its own aspect.
_BUFFER = (Aspect("buffer", Form.SEQUENCE, lambda each: list(each.__getstate__()[:-1]), _load_buffer),)
_ITERATORS: tuple[type, ...] = (
    type(iter([])),
    type(iter(())),
    type(iter(range(0))),
    type(iter("")),
    type(reversed([])),
)
_FIELD = type(vars(collections.namedtuple("_", "field"))["field"])  # descriptor of a field of a named tuple
_LOCK, _RLOCK = type(threading.Lock()), type(threading.RLock())

# Base type -> aspects of its contents; attributes and slots of subclasses are added.
_KNOWN: dict[type, Aspects] = {
    object: (),
    dict: (DICT,),
    collections.OrderedDict: (Aspect("ordered", Form.SEQUENCE, _save_ordered, _load_ordered),),
    collections.defaultdict: (
        DICT,
        Aspect("factory", Form.SEQUENCE, lambda each: [each.default_factory], _load_factory),
    ),
    list: (Aspect("items", Form.SEQUENCE, list.copy, _load_list),),
    set: (Aspect("items", Form.SET, lambda each: set().union(each), _load_set),),
    collections.deque: (
        Aspect("bound", Form.TEXT, lambda each: str(each.maxlen), None),
        Aspect("items", Form.SEQUENCE, lambda each: list(collections.deque.__iter__(each)), _load_deque),
    ),
    bytearray: (Aspect("bytes", Form.TEXT, lambda each: bytes(each), _load_bytearray),),
    array.array: (
        Aspect("code", Form.TEXT, lambda each: each.typecode, None),
        Aspect("items", Form.SEQUENCE, array.array.tolist, _load_array),
    ),
    tuple: _fixed(lambda each: list(tuple.__iter__(each))),
    frozenset: (Aspect("items", Form.SET, lambda each: list(frozenset.__iter__(each)), None),),
    types.CellType: (Aspect("cell", Form.SEQUENCE, _save_cell, _load_cell),),
    types.FunctionType: (_FUNCTION, ATTRIBUTES),
    types.MethodType: _fixed(lambda each: (each.__func__, each.__self__)),
    type([].append): _fixed(lambda each: (each.__name__, each.__self__)),
    type([].__len__): _fixed(lambda each: (each.__name__, each.__self__)),
    types.MappingProxyType: _fixed(gc.get_referents),
    functools.partial: (
        *_fixed(lambda each: (each.func, each.args, each.keywords)),
        ATTRIBUTES,
    ),
    property: _fixed(lambda each: (each.fget, each.fset, each.fdel)),
    classmethod: _fixed(lambda each: (each.__func__,)),
    staticmethod: _fixed(lambda each: (each.__func__,)),
    slice: _fixed(lambda each: (each.start, each.stop, each.step)),
    types.SimpleNamespace: (ATTRIBUTES,),
    BaseException: (Aspect("error", Form.SEQUENCE, lambda e: [e.args, e.__cause__, e.__context__], _load_error),),
    random.SystemRandom: (),  # has no state
    random.Random: (Aspect("random", Form.SEQUENCE, lambda each: [each.getstate()], _load_state),),
    io.BytesIO: _BUFFER,
    io.StringIO: _BUFFER,
    _LOCK: (Aspect("free", Form.TEXT, lambda each: "", _load_lock),),
    _RLOCK: (Aspect("free", Form.TEXT, lambda each: "", _load_rlock),),
    int: _text(int.__repr__),
    str: _text(str.__repr__),
    bytes: _text(bytes.__repr__),
    float: _text(float.__repr__),
    complex: _text(complex.__repr__),
    datetime.date: _text(repr),
    datetime.datetime: _text(lambda each: f"{each!r} {each.fold}"),
    datetime.time: _text(lambda each: f"{each!r} {each.fold}"),
    datetime.timedelta: _text(repr),
    datetime.timezone: _text(repr),
    decimal.Decimal: _text(repr),
    re.Pattern: _text(lambda each: f"{each.pattern!r} {each.flags}"),
    struct.Struct: _text(lambda each: repr(each.format)),
    logging.Logger: _text(lambda each: each.name),
    types.CodeType: _text(lambda each: f"{each.co_qualname} {each.co_firstlineno}"),
    Enum: _text(lambda each: f"{each._name_} {each._value_!r}"),
    types.GenericAlias: _text(repr),
    types.UnionType: _text(repr),
    types.GetSetDescriptorType: _text(lambda each: each.__qualname__),
    types.MemberDescriptorType: _text(lambda each: each.__qualname__),
    types.WrapperDescriptorType: _text(lambda each: each.__qualname__),
    types.MethodDescriptorType: _text(lambda each: each.__qualname__),
    types.ClassMethodDescriptorType: _text(lambda each: each.__qualname__),
    _FIELD: _text(lambda each: repr(each.__reduce__()[1])),
}
# C types since Python 3.12, ordinary instances before. Reading the bound of a parameter or the value of an alias may
# run code of the program. Neither ever changes, so each is identified by its name.
_PARAMETERS: tuple[type, ...] = ()
if hasattr(typing, "TypeAliasType"):
    _PARAMETERS = (typing.TypeVar, typing.ParamSpec, typing.TypeVarTuple, typing.TypeAliasType)
    _KNOWN |= dict.fromkeys(_PARAMETERS, _text(lambda each: f"{each.__module__} {each!r}"))
_NO_ATTRIBUTES = (
    Enum,
    logging.Logger,
    types.FunctionType,
    functools.partial,
    types.SimpleNamespace,
    *_PARAMETERS,
)
_HEAP, _IMMUTABLE = 1 << 9, 1 << 8  # type flags; a class statement makes a heap type that is not immutable
_ONCE = {
    types.GeneratorType: "a generator, whose frame cannot be copied",
    types.CoroutineType: "a coroutine, whose frame cannot be copied",
    types.AsyncGeneratorType: "an asynchronous generator, whose frame cannot be copied",
    types.FrameType: "a frame, which cannot be copied",
    types.TracebackType: "a traceback, which holds frames",
    threading.Thread: "a thread, which cannot be copied",
    io.IOBase: "an open file, whose position and contents are outside of the program",
}
_CACHE_WRAPPER = type(functools.cache(lambda: None))
_MAPPINGS_IN_C = ("pytricia.PyTricia",)  # types of extensions whose whole state is their keys and values
_SINKS = ("prometheus_client",)  # libraries whose objects take values and never return them (`sandbox/inert_metrics`)


_FOUND: dict[type, Aspects | str] = {}


def capture_by(kind: type, aspects: Aspects) -> None:
    """Set the aspects of a type, for callers that know more about its objects than the general rules."""
    _FOUND[kind] = aspects


def forget(kinds: Iterable[type]) -> None:
    """Drop the rules of classes that are no longer used."""
    for kind in kinds:
        _FOUND.pop(kind, None)


def classes_of(modules: Iterable[types.ModuleType]) -> list[type]:
    """Return the classes that modules define."""
    return [
        each
        for module in modules
        for each in vars(module).values()
        if isinstance(each, type) and each.__module__ == module.__name__
    ]


def aspects_of(kind: type) -> Aspects | str:
    """Return how objects of a type are captured, or why they cannot be."""
    found = _FOUND.get(kind)
    if found is None:
        found = _FOUND[kind] = _find(kind)
    return found


def _find(kind: type) -> Aspects | str:
    if issubclass(kind, CapturedAspect):
        return kind.aspects
    if issubclass(kind, (type, types.ModuleType)):
        return NAMESPACE
    if kind.__module__.partition(".")[0] in _SINKS:
        return ()
    if (of_numpy := numpy_aspects(kind)) is not None:
        return of_numpy
    for base, why in _ONCE.items():
        if issubclass(kind, base) and not issubclass(kind, (io.BytesIO, io.StringIO)):
            return why
    own = (*_slots(kind), ATTRIBUTES) if kind.__dictoffset__ else _slots(kind)
    if issubclass(kind, BaseException):
        return (*_KNOWN[BaseException], *own)
    base = next(each for each in kind.__mro__ if each in _KNOWN or _made_in_c(each))
    known = _KNOWN.get(base)
    if known is None and f"{base.__module__}.{base.__qualname__}" in _MAPPINGS_IN_C:
        known = _mapping(base)
    if known is None:
        return f"a {kind.__module__}.{kind.__qualname__}, whose state cannot be read or put back"
    return known if issubclass(kind, _NO_ATTRIBUTES) else (*known, *own)


def _mapping(base: Any) -> Aspects:
    """The aspects of a type made in C that has the methods of a dict."""

    def save(target: Any) -> dict[Any, Any]:
        return {key: base.__getitem__(target, key) for key in base.keys(target)}

    def load(target: Any, saved: dict[Any, Any]) -> None:
        for key in list(base.keys(target)):
            base.__delitem__(target, key)
        for key, value in saved.items():
            base.__setitem__(target, key, value)

    return (Aspect("entries", Form.MAP, save, load),)


def _made_in_c(kind: type) -> bool:
    return not kind.__flags__ & _HEAP or bool(kind.__flags__ & _IMMUTABLE)


def _slots(kind: type) -> Aspects:
    members = [
        (f"{owner.__qualname__}.{name}", each)
        for owner in kind.__mro__
        if "__slots__" in vars(owner) and not _made_in_c(owner)
        for name, each in vars(owner).items()
        if isinstance(each, types.MemberDescriptorType)
    ]
    if not members:
        return ()

    def save(target: Any) -> dict[str, Any]:
        found = {}
        for name, member in members:
            try:
                found[name] = member.__get__(target)
            except AttributeError:
                continue
        return found

    def load(target: Any, saved: dict[str, Any]) -> None:
        live = save(target)
        for name, member in members:
            if name in saved:
                member.__set__(target, saved[name])
            elif name in live:
                member.__delete__(target)

    return (Aspect("slots", Form.MAP, save, load),)


def ways(target: Any) -> Aspects | str:
    """Return how this object is captured, or why it cannot be: for some types that depends on the object."""
    if isinstance(target, _CACHE_WRAPPER):
        if target.cache_parameters()["maxsize"] is None:
            return (_CACHE, *_fixed(lambda each: (each.__wrapped__,)), ATTRIBUTES)
        return "a bounded lru_cache made in C, whose order of use cannot be put back"
    if isinstance(target, weakref.ReferenceType):
        return (
            _text(lambda each: "dead") if target() is None else "a weak reference, whose target a snapshot keeps alive"
        )
    if (isinstance(target, _LOCK) and target.locked()) or (
        isinstance(target, _RLOCK) and repr(target)[1:9] != "unlocked"
    ):
        return "a lock that is held"
    if isinstance(target, _REPLACEABLE):
        return _text(repr) if isinstance(target, itertools.count) else _fixed(lambda each: each.__reduce__()[1:])
    return aspects_of(type(target))


# Iterators that cannot be set back, but can be copied: their holders get a copy.
_REPLACEABLE = (itertools.count, *_ITERATORS)
_LOOK_CLOSER = (*_REPLACEABLE, _CACHE_WRAPPER, weakref.ReferenceType, _LOCK, _RLOCK)
_BY_NAME = (type, types.ModuleType, types.FunctionType, types.BuiltinFunctionType)


def plain_aspects(kind: type) -> Aspects | None:
    """Return the aspects of every object of a type; None if they depend on the object, or it is refused."""
    found = aspects_of(kind)
    return None if isinstance(found, str) or issubclass(kind, (*_LOOK_CLOSER, *_BY_NAME)) else found


def is_replaceable(target: Any) -> bool:
    """Whether an object is restored by giving its holders a copy."""
    return type(target) in _REPLACEABLE


def duplicate(target: Any) -> Any:
    """Return a copy of an iterator at its present position."""
    if isinstance(target, itertools.count):
        # Copying it by `__reduce__` is deprecated; its text has all: count(start) or count(start, step).
        start, _, step = repr(target)[6:-1].partition(", ")
        return itertools.count(_number(start), _number(step or "1"))
    return copy.copy(target)


def _number(text: str) -> int | float:
    try:
        return int(text)
    except ValueError:
        return float(text)
