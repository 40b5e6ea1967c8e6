"""The state of a plain Python object as an immutable value, and back.

Laws: `thaw(freeze(x))` equals `x`; equal states freeze to equal values whatever the order of sets and, unless
`ordered`, of dicts; values of different types stay different (True is not 1). Dicts come back with their items sorted,
or in insertion order if they were frozen `ordered`. What cannot be frozen is refused by name: open files, generators,
locks, cycles, a mutable value shared by two owners.
"""

import collections
import types
from collections.abc import Callable, Hashable, Iterable, Mapping
from enum import Enum
from typing import Any, NamedTuple, Protocol

from sdnloom.engine.stable_text import stable_text
from sdnloom.errors import SdnloomError

MAX_DEPTH = 200


class StateError(SdnloomError):
    """The state of a program holds a value that cannot be frozen. The message names the attribute."""


class Frozen(NamedTuple):
    """A value with its type, for values that are mutable or equal to a value of another type."""

    kind: Any
    items: Any = ()
    extra: Any = None


_PLAIN = (int, str, bytes, type(None))
_TAGGED = (bool, float, complex)
_CODE = (types.FunctionType, types.BuiltinFunctionType, types.MethodType)
_BY_NAME = (type, types.ModuleType, Enum, range, *_CODE)
MUTABLE = (dict, list, set, collections.deque, bytearray)
_REFUSED = (types.GeneratorType, types.CoroutineType, types.FrameType, types.TracebackType)


Rows = tuple[tuple[str, Hashable], ...]  # attributes, by name


class NewDict(Protocol):
    """Makes the dicts of a thawed value."""

    def new_dict(self, kind: Any, size: int) -> Any:
        """A new, empty dict of that type for so many items."""


def freeze(value: Any, where: str = "state", ordered: bool = False) -> Hashable:
    """Return the value as an immutable one. Raises StateError for a value that cannot be frozen."""
    return _freeze(value, where, _Owners(ordered), 0)


def frozen_attributes(attributes: Mapping[str, Any], where: str, ordered: bool = False) -> Rows:
    """Return the attributes of an object as sorted rows for `restore`."""
    owners = _Owners(ordered)
    return tuple((name, _freeze(each, f"{where}.{name}", owners, 1)) for name, each in sorted(attributes.items()))


class _Owners(dict[int, str]):
    """Mutable values by id with the place where each was met first, and whether dicts keep their order."""

    def __init__(self, ordered: bool) -> None:
        super().__init__()
        self.ordered = ordered


def _freeze(value: Any, where: str, owners: _Owners, depth: int) -> Hashable:
    kind = type(value)
    if kind in _PLAIN:
        return value  # type: ignore[no-any-return]
    if kind in _TAGGED:
        return Frozen(kind.__name__, value)
    if depth > MAX_DEPTH:
        raise StateError(f"{where} is nested deeper than {MAX_DEPTH} levels; expected a flatter state")
    if kind is tuple:
        return Frozen("tuple", tuple(_parts(value, where, owners, depth)))
    if kind is frozenset:
        return Frozen("frozenset", frozenset(_parts(sorted(value, key=stable_text), where, owners, depth)))
    if isinstance(value, tuple):
        return Frozen(kind, tuple(_parts(value, where, owners, depth)), (None, ()))
    if isinstance(value, _BY_NAME):
        _refuse_variables(value, where)
        return Frozen("same", value)
    if _is_value(value):
        return Frozen("same", value)
    if id(value) in owners:
        raise StateError(
            f"{where} is the same mutable {kind.__name__} as {owners[id(value)]}; "
            "expected each mutable value to have one owner"
        )
    owners[id(value)] = where
    return _freeze_mutable(value, where, owners, depth)


def _freeze_mutable(value: Any, where: str, owners: _Owners, depth: int) -> Frozen:
    kind = vars(type(value)).get("recorded_kind", type(value))  # the type that a recording dict stands for
    base = next((each for each in MUTABLE if isinstance(value, each)), None)
    attributes = attributes_of(value) if kind is type(value) else {}
    if (base is None and attributes is None) or isinstance(value, _REFUSED):
        raise StateError(f"{where} is a {kind.__module__}.{kind.__qualname__}, whose state cannot be captured")
    rows = tuple(
        (name, _freeze(each, f"{where}.{name}", owners, depth + 1)) for name, each in sorted((attributes or {}).items())
    )
    if base is dict:
        factory = getattr(value, "default_factory", None)
        _refuse_variables(factory, f"{where}.default_factory")
        return Frozen(kind, _pairs(value, where, owners, depth), (factory, rows))
    if base is set:
        return Frozen(kind, frozenset(_parts(sorted(value, key=stable_text), where, owners, depth)), (None, rows))
    if base is bytearray:
        return Frozen(kind, bytes(value), (None, rows))
    if base is not None:
        return Frozen(kind, tuple(_parts(value, where, owners, depth)), (getattr(value, "maxlen", None), rows))
    return Frozen(kind, (), (None, rows))


def _pairs(value: dict[Any, Any], where: str, owners: _Owners, depth: int) -> tuple[Any, ...]:
    rows = [
        (_freeze(key, f"a key of {where}", owners, depth + 1), _freeze(each, f"{where}[{key!r}]", owners, depth + 1))
        for key, each in value.items()
    ]
    if not owners.ordered and not isinstance(value, collections.OrderedDict):
        rows.sort(key=stable_text)
    return tuple(rows)


def _parts(values: Iterable[Any], where: str, owners: _Owners, depth: int) -> list[Hashable]:
    return [_freeze(each, f"{where}[{place}]", owners, depth + 1) for place, each in enumerate(values)]


def _refuse_variables(value: Any, where: str) -> None:
    """Raise StateError for a function or method with mutable variables: they would not be part of the state."""
    carried = getattr(value, "__self__", None)
    if isinstance(value, types.MethodType) or not isinstance(carried, types.ModuleType | type | None):
        raise StateError(f"{where} is the method {value.__name__} of an object; expected the object itself")
    if getattr(value, "__closure__", None):
        raise StateError(f"{where} is {value.__qualname__}, a function with variables; expected these in attributes")


def _is_value(value: Any) -> bool:
    """Whether an object is declared immutable: a hashable frozen dataclass."""
    parameters = getattr(type(value), "__dataclass_params__", None)
    if not (parameters is not None and parameters.frozen):
        return False
    try:
        hash(value)
    except TypeError:
        return False
    return True


def attributes_of(value: Any) -> dict[str, Any] | None:
    """Return the attributes of an object, its slots included; None if it has neither."""
    slots = [name for kind in type(value).__mro__ for name in _slots(kind)]
    if not hasattr(value, "__dict__") and not slots:
        return None
    found = dict(getattr(value, "__dict__", {}))
    found.update({name: getattr(value, name) for name in slots if hasattr(value, name)})
    return found


def _slots(kind: type) -> tuple[str, ...]:
    slots = kind.__dict__.get("__slots__", ())
    names = (slots,) if isinstance(slots, str) else tuple(slots)
    return tuple(name for name in names if name not in ("__dict__", "__weakref__"))


def thaw(frozen: Any, dicts: NewDict | None = None) -> Any:
    """Return a fresh value equal to the one that was frozen. No constructor of the program's own runs.

    `dicts` makes the dicts, in the order of the walk; without it they have their original types.
    """
    if type(frozen) is not Frozen:
        return frozen
    kind, items, extra = frozen
    if isinstance(kind, str):
        return tuple([thaw(each, dicts) for each in items]) if kind == "tuple" else _IMMUTABLE[kind](items)
    option, rows = extra
    if issubclass(kind, tuple):
        return tuple.__new__(kind, [thaw(each, dicts) for each in items])
    made = dicts.new_dict(kind, len(items)) if dicts is not None and issubclass(kind, dict) else kind.__new__(kind)
    if isinstance(made, dict):
        if isinstance(made, collections.defaultdict):
            made.default_factory = option
        put = collections.OrderedDict.__setitem__ if isinstance(made, collections.OrderedDict) else dict.__setitem__
        for key, each in items:
            put(made, thaw(key, dicts), thaw(each, dicts))
    elif isinstance(made, list):
        list.extend(made, [thaw(each, dicts) for each in items])
    elif isinstance(made, set):
        set.update(made, map(thaw, items))
    elif isinstance(made, collections.deque):
        collections.deque.__init__(made, [thaw(each, dicts) for each in items], option)
    elif isinstance(made, bytearray):
        bytearray.__init__(made, items)
    return restore(made, rows, dicts)


def restore(target: Any, rows: Iterable[tuple[str, Any]], dicts: NewDict | None = None) -> Any:
    """Return the object with these attributes, thawed; others that it has stay."""
    for name, each in rows:
        object.__setattr__(target, name, thaw(each, dicts))
    return target


_IMMUTABLE: dict[str, Callable[[Any], Any]] = {
    "bool": bool,
    "float": float,
    "complex": complex,
    "frozenset": lambda items: frozenset(map(thaw, items)),
    "same": lambda item: item,
}
