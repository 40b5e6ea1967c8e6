"""The ways in which a Python object can change: for each, how it is read, kept and put back in place.

An object is captured by the aspects of its type: a list by its items, an instance by its attributes, a subclass of dict
by both. The built-in methods of the base type do it, never an override, so capturing runs no code of the program.
A type that nothing here knows how to put back is refused; a guess would be a wrong state later.
"""

import array
import collections
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
import weakref
from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from typing import Any, NamedTuple

from sdnloom.errors import SdnloomError

ATOMS: frozenset[type] = frozenset(
    {int, str, bytes, float, bool, type(None), complex, range, type(Ellipsis), type(NotImplemented)}
)


class CaptureError(SdnloomError):
    """A program keeps something in its state that cannot be captured. The message names the place."""


class Form(Enum):
    """What a kept copy looks like, for those who read it: the walk and the digest."""

    MAP = "map"  # a dict; order does not count
    SEQUENCE = "sequence"  # order counts
    SET = "set"  # order does not count
    TEXT = "text"  # a string that says it all; no object inside


class Aspect(NamedTuple):
    """`load(o, save(o))` changes nothing; after any change to `o` it brings back what `save` saw."""

    name: str
    form: Form
    save: Callable[[Any], Any]
    load: Callable[[Any, Any], None] | None  # None: this part of an object never changes


Aspects = tuple[Aspect, ...]


def parts(form: Form, saved: Any) -> Iterable[Any]:
    """Return the objects inside a kept copy."""
    if form is Form.MAP:
        return itertools.chain(saved, saved.values())
    return () if form is Form.TEXT else saved


def _load_dict(target: dict[Any, Any], saved: dict[Any, Any]) -> None:
    dict.clear(target)
    dict.update(target, saved)


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


def _attributes(target: Any) -> dict[str, Any]:
    found: dict[str, Any] = object.__getattribute__(target, "__dict__")
    return found


def _save_attributes(target: Any) -> dict[str, Any]:
    return _attributes(target).copy()


def _load_attributes(target: Any, saved: dict[str, Any]) -> None:
    live = _attributes(target)
    live.clear()
    live.update(saved)


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
    target.__setstate__(saved[0])


def _load_lock(lock: Any, saved: str) -> None:
    if lock.locked():
        lock.release()


def _cache_of(wrapper: Any) -> dict[Any, Any]:
    """Return the dict that a `functools.cache` keeps its results in; it has no public name."""
    own = wrapper.__dict__
    return next(each for each in gc.get_referents(wrapper) if type(each) is dict and each is not own)


def _save_cache(wrapper: Any) -> dict[Any, Any]:
    return _cache_of(wrapper).copy()


def _load_cache(wrapper: Any, saved: dict[Any, Any]) -> None:
    _load_dict(_cache_of(wrapper), saved)


def _fixed(read: Callable[[Any], list[Any] | tuple[Any, ...]]) -> Aspects:
    """The aspects of an immutable object that holds others."""
    return (Aspect("parts", Form.SEQUENCE, read, None),)


def _text(read: Callable[[Any], str]) -> Aspects:
    """The aspects of an immutable object that holds no others."""
    return (Aspect("value", Form.TEXT, read, None),)


def _hidden_from_class(name: str) -> bool:
    return name in ("__dict__", "__weakref__", "__doc__", "__module__", "_abc_impl", "__abstractmethods__")


def namespace_of(owner: Any) -> dict[str, Any]:
    """Return what names stand for in a module or class, without what the interpreter keeps there."""
    if isinstance(owner, type):
        return {name: each for name, each in vars(owner).items() if not _hidden_from_class(name)}
    return {name: each for name, each in vars(owner).items() if name != "__builtins__"}


def load_namespace(owner: Any, saved: Mapping[str, Any]) -> None:
    """Make names in a module or class stand for what they stood for; only those that differ are touched."""
    write = type.__setattr__ if isinstance(owner, type) else types.ModuleType.__setattr__
    erase = type.__delattr__ if isinstance(owner, type) else types.ModuleType.__delattr__
    live = namespace_of(owner)
    for name in live.keys() - saved.keys():
        erase(owner, name)
    for name, each in saved.items():
        if name not in live or live[name] is not each:
            write(owner, name, each)


DICT = Aspect("items", Form.MAP, dict.copy, _load_dict)
ATTRIBUTES = Aspect("attributes", Form.MAP, _save_attributes, _load_attributes)
NAMESPACE: Aspects = (Aspect("names", Form.MAP, namespace_of, load_namespace),)
_FUNCTION = Aspect("function", Form.SEQUENCE, _save_function, _load_function)
_CACHE = Aspect("cache", Form.MAP, _save_cache, _load_cache)
_BUFFER = (Aspect("buffer", Form.SEQUENCE, lambda each: [each.__getstate__()], _load_buffer),)
_LIST_ITERATORS = (type(iter([])), type(iter(())), type(iter(range(0))), type(iter("")), type(reversed([])))

# Base type -> how its own contents are captured; attributes and slots of subclasses come on top.
_KNOWN: dict[type, Aspects] = {
    object: (),
    dict: (DICT,),
    collections.OrderedDict: (Aspect("ordered", Form.SEQUENCE, _save_ordered, _load_ordered),),
    collections.defaultdict: (
        DICT,
        Aspect("factory", Form.SEQUENCE, lambda each: [each.default_factory], _load_factory),
    ),
    list: (Aspect("items", Form.SEQUENCE, list.copy, _load_list),),
    set: (Aspect("items", Form.SET, set.copy, _load_set),),
    collections.deque: (
        Aspect("bound", Form.TEXT, lambda each: str(each.maxlen), None),
        Aspect("items", Form.SEQUENCE, lambda each: list(collections.deque.__iter__(each)), _load_deque),
    ),
    bytearray: (Aspect("bytes", Form.TEXT, lambda each: bytes(each), _load_bytearray),),
    array.array: (
        Aspect("code", Form.TEXT, lambda each: each.typecode, None),
        Aspect("items", Form.SEQUENCE, array.array.tolist, _load_array),
    ),
    tuple: _fixed(tuple.__iter__),  # type: ignore[arg-type]
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
    random.Random: (Aspect("random", Form.SEQUENCE, lambda each: [each.getstate()], _load_state),),
    io.BytesIO: _BUFFER,
    io.StringIO: _BUFFER,
    type(threading.Lock()): (Aspect("free", Form.TEXT, lambda each: "", _load_lock),),
    int: _text(int.__repr__),
    str: _text(str.__repr__),
    bytes: _text(bytes.__repr__),
    float: _text(float.__repr__),
    complex: _text(complex.__repr__),
    datetime.date: _text(lambda each: f"{each!r} {getattr(each, 'fold', 0)}"),
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
}
_NO_ATTRIBUTES = (Enum, logging.Logger, types.FunctionType, functools.partial, types.SimpleNamespace)
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
CACHE_WRAPPER: type = type(functools.cache(lambda: None))
COUNT = itertools.count


@functools.cache
def aspects_of(kind: type) -> Aspects | str:
    """Return how objects of a type are captured, or why they cannot be."""
    if issubclass(kind, (type, types.ModuleType)):
        return NAMESPACE
    for base, why in _ONCE.items():
        if issubclass(kind, base) and not issubclass(kind, (io.BytesIO, io.StringIO)):
            return why
    own = (*_slots(kind), ATTRIBUTES) if kind.__dictoffset__ else _slots(kind)
    if issubclass(kind, BaseException):
        return (*_KNOWN[BaseException], *own)
    base = next(each for each in kind.__mro__ if each in _KNOWN or _made_in_c(each))
    known = _KNOWN.get(base)
    if known is None:
        return f"a {kind.__module__}.{kind.__qualname__}, whose state cannot be read or put back"
    if issubclass(base, datetime.date | datetime.time) and kind.__dictoffset__ == 0:
        return known
    return known if issubclass(kind, _NO_ATTRIBUTES) else (*known, *own)


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


def why_refused(target: Any) -> Aspects | str:
    """Return how this very object is captured, or why not: for types where that depends on the object."""
    kind = type(target)
    if isinstance(target, CACHE_WRAPPER):
        bound = target.cache_parameters()["maxsize"]  # type: ignore[attr-defined]
        return (_CACHE, *_fixed(lambda each: (each.__wrapped__,))) if bound is None else "a bounded lru_cache made in C"
    if isinstance(target, weakref.ReferenceType):
        return _text(lambda each: "dead") if target() is None else "a weak reference, which a snapshot would keep alive"
    if isinstance(target, type(threading.Lock())) and target.locked():
        return "a lock that is held"
    if isinstance(target, _LIST_ITERATORS):
        return _fixed(lambda each: each.__reduce__()[1:])
    return aspects_of(kind)
