"""Rewritten copies of modules, beside the originals: `sys.modules` never sees them.

`RewrittenModules` loads the modules that it selects from source and rewrites them; they import each other. Everything
else they import is the original, so a library that is not selected still works with the original of one that is. A
platform with a loader of its own needs only `rewrite` and `shims.install`.
"""

import builtins
import importlib
import importlib.machinery
import importlib.util
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any

from sdnloom.errors import SdnloomError
from sdnloom.symbolic import shims
from sdnloom.symbolic.rewrite.module import rewrite
from sdnloom.symbolic.values.fork import is_ours

Selects = Callable[[str], bool]


class RewriteImportError(SdnloomError):
    """A module that cannot be loaded rewritten."""


class RewrittenModules:
    """Modules whose names are selected, rewritten; `substitutes` are given to them in place of other modules."""

    def __init__(self, selects: Selects, substitutes: Mapping[str, ModuleType] | None = None) -> None:
        shims.install()
        self.modules: dict[str, ModuleType] = {}
        self._selects = selects
        self._substitutes = dict(substitutes or {})
        self._twins: dict[str, ModuleType] = {}
        self._builtins = {**vars(builtins), "__import__": self._import}

    def load(self, name: str) -> ModuleType:
        """Return the rewritten module of a name; its packages come first, as always."""
        if name in self.modules:
            return self.modules[name]
        package = name.rpartition(".")[0]
        parent = self._module(package) if package else None
        spec = importlib.machinery.PathFinder.find_spec(name, None if parent is None else parent.__path__)
        if spec is None or spec.origin is None or not isinstance(spec.loader, importlib.machinery.SourceFileLoader):
            raise RewriteImportError(
                f"module {name!r}: expected Python source to rewrite, found {spec and spec.origin}"
            )
        module = importlib.util.module_from_spec(spec)
        self.modules[name] = module
        try:
            vars(module)["__builtins__"] = self._builtins
            exec(rewrite(spec.loader.get_data(spec.origin), spec.origin), vars(module))
        except BaseException:
            del self.modules[name]
            raise
        if parent is not None:
            setattr(parent, name.rpartition(".")[2], module)
        return module

    def run(self, source: str, filename: str, name: str = "under_test") -> ModuleType:
        """Return a module made of source, rewritten."""
        module = ModuleType(name)
        vars(module).update(__builtins__=self._builtins, __file__=filename)
        exec(rewrite(source, filename), vars(module))
        return module

    def _module(self, name: str) -> ModuleType:
        """Return the module that a rewritten one gets for a name."""
        if name in self._substitutes:
            return self._substitutes[name]
        return self.load(name) if self._selects(name) else self._twin(name)

    def _twin(self, name: str) -> ModuleType:
        """Return the original, or for a package a copy, which can have rewritten modules for attributes."""
        if name not in self._twins:
            original = importlib.import_module(name)
            made = original
            if hasattr(original, "__path__"):
                made = ModuleType(name, original.__doc__)
                vars(made).update(vars(original))
            self._twins[name] = made
        return self._twins[name]

    def _import(
        self,
        name: str,
        globals: Mapping[str, Any] | None = None,  # noqa: A002
        locals: Mapping[str, Any] | None = None,  # noqa: A002
        fromlist: Any = (),
        level: int = 0,
    ) -> Any:
        package = str((globals or {}).get("__package__") or "")
        full = importlib.util.resolve_name("." * level + name, package) if level else name
        if not self._concerns(full, fromlist or ()):
            return builtins.__import__(name, globals, locals, fromlist, level)
        parts = full.split(".")
        for end in range(1, len(parts) + 1):
            self._attach(".".join(parts[:end]))
        module = self._module(full)
        for each in fromlist or ():
            if self._selects(f"{full}.{each}"):
                self._attach_if_module(f"{full}.{each}")
        return module if fromlist else self._module(parts[0])

    def _concerns(self, name: str, fromlist: Any) -> bool:
        """Return whether an import leads to a module that is rewritten or substituted."""
        parts = name.split(".")
        above = [".".join(parts[:end]) for end in range(1, len(parts) + 1)]
        below = [f"{name}.{each}" for each in fromlist]
        return any(self._selects(each) or each in self._substitutes for each in (*above, *below))

    def _attach(self, name: str) -> None:
        module = self._module(name)
        package, _, last = name.rpartition(".")
        if package:
            setattr(self._module(package), last, module)

    def _attach_if_module(self, name: str) -> None:
        package, _, last = name.rpartition(".")
        parent = self._module(package)
        paths = getattr(parent, "__path__", None)
        if name not in self.modules and (
            paths is None or importlib.machinery.PathFinder.find_spec(name, paths) is None
        ):
            return
        setattr(parent, last, self.load(name))


def visible_traceback(error: BaseException) -> BaseException:
    """Return the exception with a traceback of the code under test alone, as the original would have it."""
    found = error.__traceback__
    kept = []
    while found is not None:
        if not is_ours(found.tb_frame.f_code.co_filename):
            kept.append(found)
        found = found.tb_next
    for link, following in zip(kept, [*kept[1:], None], strict=True):
        link.tb_next = following
    return error.with_traceback(kept[0] if kept else None)
