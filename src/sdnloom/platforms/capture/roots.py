"""Roots of a program's state, computed from its objects and its modules.

State is in its objects, and in names of modules, attributes of classes, default arguments, variables of closures and
attributes of functions. Nearly all of the latter never change, so each module and class is compared with its contents
when the program was loaded, and only two things are captured: names that were rebound, and names whose object is
mutable.

Law: the captured value depends on the present state only, not on how often or when it was captured.
"""

import operator
from collections.abc import Collection, Iterable, Mapping
from types import CellType, FunctionType, MappingProxyType, ModuleType
from typing import Any, ClassVar

from sdnloom.platforms.capture.save_restore import ATOMS, Aspect, Aspects, CapturedAspect, Form, load_dict, namespace_of
from sdnloom.platforms.capture.snapshot import Scope
from sdnloom.platforms.capture.type_rules import aspects_of, ways

_GONE = "(deleted)"


class DeletedName:
    """Marks a name that existed when the program was loaded and was deleted."""

    def __repr__(self) -> str:
        return _GONE


GONE = DeletedName()


class Namespace(CapturedAspect):
    """The names of a module or class, compared with their values when the program was loaded."""

    __slots__ = ("_base", "_erase", "_first", "_live", "_still", "_write", "owner")
    aspects: ClassVar[Aspects] = (
        Aspect("names", Form.MAP, lambda each: each.save(), lambda each, saved: each.load(saved)),
    )

    def __init__(self, owner: Any, changing: Iterable[str]) -> None:
        self.owner = owner
        self._live: Mapping[str, Any] = MappingProxyType(vars(owner))
        self._first = tuple(vars(owner).values())
        self._base = namespace_of(owner)
        self._still = {name: self._base[name] for name in changing}  # the capture of a namespace that did not change
        self._write = type.__setattr__ if isinstance(owner, type) else ModuleType.__setattr__
        self._erase = type.__delattr__ if isinstance(owner, type) else ModuleType.__delattr__

    def is_as_loaded(self) -> bool:
        """Whether every name has the value that it had when the program was loaded."""
        live = self._live
        return len(live) == len(self._first) and all(map(operator.is_, live.values(), self._first))

    def is_quiet(self) -> bool:
        """Whether nothing has to be captured: all names are as loaded, and none has a mutable value."""
        return not self._still and self.is_as_loaded()

    def save(self) -> dict[str, Any]:
        """Return the values of the names that were rebound or are mutable."""
        if self.is_as_loaded():
            return self._still
        live, base = namespace_of(self.owner), self._base
        gone = {name: GONE for name in base if name not in live}
        return gone | {
            name: each
            for name, each in live.items()
            if name in self._still or name not in base or not _same(each, base[name])
        }

    def load(self, saved: Mapping[str, Any]) -> None:
        """Restore the names; those that are not in `saved` get the values of the start."""
        if saved is self._still and self.is_as_loaded():
            return
        live, wanted = namespace_of(self.owner), {**self._base, **saved}
        for name, each in wanted.items():
            if each is GONE:
                if name in live:
                    self._erase(self.owner, name)
            elif name not in live or live[name] is not each:
                self._write(self.owner, name, each)
        for name in live.keys() - wanted.keys():
            self._erase(self.owner, name)
        if saved is self._still:
            self._first = tuple(self._live.values())  # deleted names are added again at the end


def _same(one: Any, other: Any) -> bool:
    """Whether two values are equal in type and content."""
    if one is other:
        return True
    if type(one) is not type(other):
        return False
    if type(one) is tuple:
        return len(one) == len(other) and all(map(_same, one, other))
    return type(one) in ATOMS and repr(one) == repr(other)


class StableNamespaces(CapturedAspect):
    """Namespaces without mutable values. While all names are as loaded, nothing has to be captured."""

    __slots__ = ("_spaces",)
    aspects: ClassVar[Aspects] = (
        Aspect("spaces", Form.MAP, lambda each: each.save(), lambda each, saved: each.load(saved)),
    )

    def __init__(self, spaces: Mapping[str, Namespace]) -> None:
        self._spaces = dict(spaces)

    def save(self) -> dict[str, Any]:
        """Return the names that were rebound, each with its namespace."""
        return {
            f"{path}:{name}": each
            for path, space in self._spaces.items()
            if not space.is_as_loaded()
            for name, each in space.save().items()
        }

    def load(self, saved: Mapping[str, Any]) -> None:
        """Restore all names."""
        for path, space in self._spaces.items():
            names = saved and {
                key[len(path) + 1 :]: each for key, each in saved.items() if key.rpartition(":")[0] == path
            }
            if saved or not space.is_as_loaded():
                space.load(names)


class Attributes(CapturedAspect):
    """Attributes of functions that have no other state, compared with those of the start."""

    __slots__ = ("_rows",)
    aspects: ClassVar[Aspects] = (
        Aspect("functions", Form.MAP, lambda each: each.save(), lambda each, saved: each.load(saved)),
    )

    def __init__(self, functions: Mapping[str, FunctionType]) -> None:
        self._rows = {path: (each, each.__dict__.copy()) for path, each in functions.items()}

    def save(self) -> dict[str, Any]:
        """Return the attributes of each function whose attributes changed."""
        return {
            path: live
            for path, (each, base) in self._rows.items()
            if len(live := each.__dict__) != len(base)
            or (
                base
                and not all(map(operator.is_, live.values(), base.values()))
                and not all(map(_same, live.values(), base.values()))
            )
        }

    def load(self, saved: Mapping[str, Any]) -> None:
        """Restore the attributes of functions that had those of the start; the others are restored with their dict."""
        for path in [path for path in self.save() if path not in saved]:
            function, base = self._rows[path]
            load_dict(function.__dict__, base)


class Roots:
    """The roots of a program's state: named objects, and the contents of its modules.

    The modules' classes and functions get stable names in the scope, because they are captured here. Attributes of
    functions and names of classes in `framework` belong to the framework; their values never change inside.
    """

    def __init__(
        self,
        scope: Scope,
        objects: Mapping[str, Any],
        modules: Iterable[ModuleType],
        framework: Collection[str] = (),
    ) -> None:
        self.scope, self._framework = scope, frozenset(framework)
        self._functions: dict[str, FunctionType] = {}
        self._owners: dict[str, Any] = {}
        for module in modules:
            self._collect(module.__name__, module)
        spaces = {
            path: Namespace(owner, [name for name, each in namespace_of(owner).items() if self._counts(name, each)])
            for path, owner in self._owners.items()
        }
        quiet = {path: space for path, space in spaces.items() if space.is_quiet()}
        self.values: dict[str, Any] = {
            **objects,
            **{path: space for path, space in spaces.items() if path not in quiet},
            "names": StableNamespaces(quiet),
            "functions": Attributes(self._functions),
        }

    def digest_roots(self) -> dict[str, Any]:
        """Return the roots that a digest needs: those that are not as loaded. A snapshot needs all."""
        return {
            name: each
            for name, each in self.values.items()
            if type(each) not in (StableNamespaces, Attributes) or each.save()
        }

    def _collect(self, path: str, target: Any) -> None:
        """Collect the namespaces below a module, and the functions without state."""
        if id(target) in self.scope.names:
            return
        if isinstance(target, FunctionType):
            if self._is_bare(target) and target.__module__ in self.scope.modules:
                self._functions[path] = target
                self.scope.pin(path, target)
        elif isinstance(target, type | ModuleType):
            if not self.scope.is_foreign(target):
                self._owners[path] = target
                self.scope.pin(path, target)
                for name, each in namespace_of(target).items():
                    self._collect(f"{path}.{name}", each)
        elif isinstance(target, property):
            for name in ("fget", "fset", "fdel"):
                self._collect(f"{path}.{name}", getattr(target, name))
        elif isinstance(target, classmethod | staticmethod):
            self._collect(path, target.__func__)

    def _counts(self, name: str, target: Any) -> bool:
        return name not in self._framework and not self._is_static(target)

    def _is_bare(self, function: FunctionType) -> bool:
        """Whether a function has no state except attributes: no closure, no mutable defaults."""
        cells = function.__closure__ or ()
        defaults = (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values())
        return (
            all(map(_holds_class, cells))  # the closure of a method that uses `super` or `__class__`
            and all(type(each) in ATOMS for each in defaults)
            and not any(self._counts(name, each) for name, each in function.__dict__.items())
        )

    def _is_static(self, target: Any) -> bool:
        """Whether an object and all objects that it holds are immutable by their types."""
        if type(target) in ATOMS or id(target) in self.scope.names:
            return True
        if isinstance(target, type | ModuleType | FunctionType):
            return self.scope.is_foreign(target)
        if isinstance(target, property):
            return all(self._is_static(each) for each in (target.fget, target.fset, target.fdel))
        if isinstance(target, classmethod | staticmethod):
            return self._is_static(target.__func__)
        if type(target) in (tuple, frozenset):
            return all(map(self._is_static, target))
        how = ways(target)
        if isinstance(how, str) or aspects_of(type(target)) is not how:
            return False
        return bool(how) and all(aspect.form is Form.TEXT and aspect.load is None for aspect in how)


def _holds_class(cell: CellType) -> bool:
    try:
        return isinstance(cell.cell_contents, type)
    except ValueError:  # not bound yet
        return False
