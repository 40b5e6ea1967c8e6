"""Rewritten copies of modules, beside the originals; they are never in `sys.modules`.

`RewrittenModules` loads the selected modules from source and rewrites them; they import each other. All other modules
that they import are the originals, so a library that is not selected works with the original of one that is. Names of a
rewritten module can get other values before any other module imports them. A platform with its own loader needs only
`rewrite` and `shims.install`.

With `rewriting=False` the copies have their own code: so two versions of a program, whose modules have the same names,
can be loaded side by side.
"""

import ast
import builtins
import importlib
import importlib.machinery
import importlib.util
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import CodeType, ModuleType
from typing import Any

from sdnloom.errors import SdnloomError
from sdnloom.symbolic import shims
from sdnloom.symbolic.rewrite.module import IMPORTED, imported_names, rewrite
from sdnloom.symbolic.values.fork import is_ours

Selects = Callable[[str], bool]
Changes = Mapping[str, Callable[[ModuleType], Mapping[str, Any]]]  # module -> its names that get other values


class RewriteImportError(SdnloomError):
    """A module that cannot be rewritten and loaded."""


class RewrittenModules:
    """Loads and rewrites the modules that `selects` accepts; they import `substitutes` in place of other modules.

    Top-level modules are looked for in the folders of `path`, by default those of `sys.path`. `changes` are called with
    a module when its code has run, and return names to replace in it.
    """

    def __init__(
        self,
        selects: Selects,
        substitutes: Mapping[str, ModuleType] | None = None,
        *,
        path: Sequence[str] | None = None,
        rewriting: bool = True,
        changes: Changes | None = None,
    ) -> None:
        if rewriting:
            shims.install()
        self._path, self._rewriting = path, rewriting
        self.modules: dict[str, ModuleType] = {}
        self._selects = selects
        self._substitutes = dict(substitutes or {})
        self._changes = dict(changes or {})
        self._originals: dict[str, ModuleType] = {}
        self._builtins = {**vars(builtins), "__import__": self._import}

    def load(self, name: str) -> ModuleType:
        """Return the rewritten module of a name; its packages are loaded first."""
        if name in self.modules:
            return self.modules[name]
        package = name.rpartition(".")[0]
        parent = self._module(package) if package else None
        spec = importlib.machinery.PathFinder.find_spec(name, self._path if parent is None else parent.__path__)
        if spec is not None and spec.origin is None and spec.submodule_search_locations is not None:
            self.modules[name] = importlib.util.module_from_spec(spec)  # a package without a file of its own
            return self.modules[name]
        if spec is None or spec.origin is None or not isinstance(spec.loader, importlib.machinery.SourceFileLoader):
            raise RewriteImportError(
                f"module {name!r}: expected Python source to rewrite, found {spec and spec.origin}"
            )
        module = importlib.util.module_from_spec(spec)
        self.modules[name] = module
        try:
            vars(module)["__builtins__"] = self._builtins
            code = self._code(spec.loader.get_data(spec.origin), spec.origin)
            with self._named(module):
                exec(code, vars(module))
            if name in self._changes:
                vars(module).update(self._changes[name](module))
        except BaseException:
            del self.modules[name]
            raise
        if parent is not None:
            setattr(parent, name.rpartition(".")[2], module)
        return module

    def run(self, source: str, filename: str, name: str = "under_test") -> ModuleType:
        """Return a module made of rewritten source."""
        module = ModuleType(name)
        vars(module).update(__builtins__=self._builtins, __file__=filename)
        IMPORTED.update(imported_names(ast.parse(source, filename)))
        with self._named(module):
            exec(self._code(source, filename), vars(module))
        return module

    def _code(self, source: str | bytes, filename: str) -> CodeType:
        return rewrite(source, filename) if self._rewriting else compile(source, filename, "exec", dont_inherit=True)

    @contextmanager
    def _named(self, module: ModuleType) -> Iterator[None]:
        """Let a module of another path be found by its name while it runs: dataclasses look their module up."""
        if self._path is None:
            yield
            return
        missing = object()
        before = sys.modules.get(module.__name__, missing)
        sys.modules[module.__name__] = module
        try:
            yield
        finally:
            if before is missing:
                sys.modules.pop(module.__name__, None)
            else:
                sys.modules[module.__name__] = before  # type: ignore[assignment]

    def _module(self, name: str) -> ModuleType:
        """Return the module that a rewritten module imports under a name."""
        if name in self._substitutes:
            return self._substitutes[name]
        return self.load(name) if self._selects(name) else self._original(name)

    def _original(self, name: str) -> ModuleType:
        """Return the original, or a copy of a package, whose attributes can be rewritten modules."""
        if name not in self._originals:
            original = importlib.import_module(name)
            module = original
            if hasattr(original, "__path__"):
                module = ModuleType(name, original.__doc__)
                vars(module).update(vars(original))
            self._originals[name] = module
        return self._originals[name]

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
        if not self._is_affected(full, fromlist or ()):
            return builtins.__import__(name, globals, locals, fromlist, level)
        parts = full.split(".")
        for end in range(1, len(parts) + 1):
            self._attach(".".join(parts[:end]))
        module = self._module(full)
        for each in fromlist or ():
            if self._selects(f"{full}.{each}"):
                self._attach_if_module(f"{full}.{each}")
        return module if fromlist else self._module(parts[0])

    def _is_affected(self, name: str, fromlist: Any) -> bool:
        """Return whether an import leads to a module that is rewritten or substituted."""
        parts = name.split(".")
        above = [".".join(parts[:end]) for end in range(1, len(parts) + 1)]
        below = [f"{name}.{each}" for each in fromlist]
        return any(self._selects(each) or each in self._substitutes for each in (*above, *below))

    def _attach(self, name: str) -> None:
        module = self._module(name)
        package, _, last = name.rpartition(".")
        if package and _holds_module(self._module(package), last):
            setattr(self._module(package), last, module)

    def _attach_if_module(self, name: str) -> None:
        package, _, last = name.rpartition(".")
        parent = self._module(package)
        if not _holds_module(parent, last):
            return
        paths = getattr(parent, "__path__", None)
        if name not in self.modules and (
            paths is None or importlib.machinery.PathFinder.find_spec(name, paths) is None
        ):
            return
        setattr(parent, last, self.load(name))


def _holds_module(package: ModuleType, name: str) -> bool:
    """Return whether a name of a package is free or a module, not a function that the package gave that name."""
    return isinstance(getattr(package, name, package), ModuleType)


def visible_traceback(error: BaseException) -> BaseException:
    """Return the exception with a traceback of the code under test only, as the original code would raise it."""
    found = error.__traceback__
    kept = []
    while found is not None:
        if not is_ours(found.tb_frame.f_code.co_filename):
            kept.append(found)
        found = found.tb_next
    for link, following in zip(kept, [*kept[1:], None], strict=True):
        link.tb_next = following
    return error.with_traceback(kept[0] if kept else None)
