"""Aspects of Python objects: pairs of functions that save and restore one mutable part of an object.

An object is captured by the aspects of its type: a list by its items, an instance by its attributes, a subclass of dict
by both. They use the built-in methods of the base type, never an override, so capturing runs no code of the program.
`sdnloom.platforms.capture.type_rules` has the aspects of each type.
"""

import itertools
import types
from collections.abc import Callable, Iterable, Mapping
from enum import Enum, EnumMeta
from typing import Any, ClassVar, NamedTuple

from sdnloom.errors import SdnloomError

ATOMS: frozenset[type] = frozenset(
    {int, str, bytes, float, bool, type(None), complex, range, type(Ellipsis), type(NotImplemented)}
)


class CaptureError(SdnloomError):
    """The state of a program holds an object that cannot be captured. The message names the place."""


class Form(Enum):
    """Form of a saved copy, for the walk and the digest."""

    MAP = "map"  # a dict; order does not count
    SEQUENCE = "sequence"  # order counts
    SET = "set"  # order does not count
    TEXT = "text"  # a string that describes it fully; no object inside


class Aspect(NamedTuple):
    """One part of an object. Law: `load(o, save(o))` changes nothing; after any change to `o` it undoes the change."""

    name: str
    form: Form
    save: Callable[[Any], Any]
    load: Callable[[Any, Any], None] | None  # None: this part of an object never changes


Aspects = tuple[Aspect, ...]


class CapturedAspect:
    """Base of objects of sdnloom that define how they are captured."""

    __slots__ = ()
    aspects: ClassVar[Aspects] = ()


def parts(form: Form, saved: Any) -> Iterable[Any]:
    """Return the objects inside a saved copy."""
    if form is Form.MAP:
        return itertools.chain(saved, saved.values())
    return () if form is Form.TEXT else saved


def _save_dict(target: dict[Any, Any]) -> dict[Any, Any]:
    # A copy reuses the hashes, so `__hash__` of keys is not called; but it does call an overridden `__iter__`.
    return dict.copy(target) if type(target).__iter__ is dict.__iter__ else dict(dict.items(target))


def load_dict(target: dict[Any, Any], saved: dict[Any, Any]) -> None:
    dict.clear(target)
    dict.update(target, saved)


def _attributes(target: Any) -> dict[str, Any]:
    found: dict[str, Any] = object.__getattribute__(target, "__dict__")
    return found


def _save_attributes(target: Any) -> dict[str, Any]:
    return _attributes(target).copy()


def _load_attributes(target: Any, saved: dict[str, Any]) -> None:
    live = _attributes(target)
    live.clear()
    live.update(saved)


# Names that the interpreter and decorators of the standard library set; no program changes them.
_NOT_STATE = frozenset(
    {
        "__builtins__",
        "__warningregistry__",
        "__spec__",
        "__loader__",
        "__cached__",
        "__file__",
        "__path__",
        "__doc__",
        "__module__",
        "__dict__",
        "__weakref__",
        "__slots__",
        "__annotations__",
        "__annotate__",
        "__annotate_func__",
        "__annotations_cache__",
        "__orig_bases__",
        "__parameters__",
        "__abstractmethods__",
        "_abc_impl",
        "__dataclass_fields__",
        "__dataclass_params__",
        "__match_args__",
        "_field_defaults",
        "__static_attributes__",
        "__firstlineno__",
    }
)


def namespace_of(owner: Any) -> dict[str, Any]:
    """Return the names and values of a module or class, without those of the interpreter."""
    found = {name: each for name, each in vars(owner).items() if name not in _NOT_STATE}
    if isinstance(owner, EnumMeta):
        return {name: each for name, each in found.items() if not name.startswith("_")}
    return found


def load_namespace(owner: Any, saved: Mapping[str, Any]) -> None:
    """Restore the names of a module or class; only those that differ are written."""
    write = type.__setattr__ if isinstance(owner, type) else types.ModuleType.__setattr__
    erase = type.__delattr__ if isinstance(owner, type) else types.ModuleType.__delattr__
    live = namespace_of(owner)
    for name in live.keys() - saved.keys():
        erase(owner, name)
    for name, each in saved.items():
        if name not in live or live[name] is not each:
            write(owner, name, each)


DICT = Aspect("items", Form.MAP, _save_dict, load_dict)
ATTRIBUTES = Aspect("attributes", Form.MAP, _save_attributes, _load_attributes)
NAMESPACE: Aspects = (Aspect("names", Form.MAP, namespace_of, load_namespace),)
