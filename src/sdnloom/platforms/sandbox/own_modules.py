"""Modules of a program under test: loaded once per program, compiled from source, with a replaced `import`.

A module belongs to the program if it is found in a folder of the program or under a name of the program. All other
modules are imported as usual and shared by all programs.
"""

import contextlib
import functools
import importlib.abc
import importlib.machinery
import importlib.util
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from sdnloom.platforms.sandbox.file_imports import INIT, imports_of, package_folder
from sdnloom.platforms.sandbox.late_imports import late_imports

Compiler = Callable[[bytes, str], CodeType]


@functools.lru_cache(maxsize=512)
def compile_source(source: bytes, path: str) -> CodeType:
    """Return the code of a file without changes; programs that have the same file share its code."""
    return compile(source, path, "exec", dont_inherit=True)


class OwnLoader(importlib.machinery.SourceFileLoader):
    """Runs a module of the program; no bytecode file is written."""

    def __init__(self, name: str, path: str, finder: "OwnModules") -> None:
        super().__init__(name, path)
        self._finder = finder

    def get_code(self, fullname: str) -> CodeType:
        """Compile the file, without the bytecode cache."""
        path = self.get_filename(fullname)
        try:
            code = self._finder.compiler(self.get_data(path), path)
        except SyntaxError as error:
            error.filename = error.filename or path  # Python names no file for a null byte
            raise
        package = fullname if self.is_package(fullname) else fullname.rpartition(".")[0]
        late = dict.fromkeys(late_imports(code, package))
        self._finder.late.update(late)
        self._finder.mentioned.update(late)
        return code

    def exec_module(self, module: ModuleType) -> None:
        """Run the module with the imports of its program."""
        own = self._finder.libraries if self._finder.is_library(module.__name__) else self._finder.modules
        own[module.__name__] = module
        vars(module)["__builtins__"] = self._finder.builtins
        with self._finder.inside():
            super().exec_module(module)
        self._finder.loaded(module)


class OwnModules(importlib.abc.MetaPathFinder):
    """Finds the modules of one program and keeps them; the first finder on `sys.meta_path` while the program runs.

    `folders` are searched for top-level modules; `owned` are top-level names that belong to the program wherever they
    are found; modules that are not `shared` get a copy; `places` has the files of modules, and the folders of packages,
    that are on no path. `inside` is the context in which code of the program runs: a library that the program imports
    is run outside of it, and may import modules of the program in turn. `loaded` is called with each
    module that has run.
    """

    def __init__(self, builtins: Mapping[str, Any], compiler: Compiler = compile_source) -> None:
        self.builtins, self.compiler = dict(builtins), compiler
        self.folders: list[str] = []
        self.places: dict[str, Path] = {}
        self.reserved: set[str] = set()  # top-level names that are never those of a file in `folders`
        self.inside: Callable[[], AbstractContextManager[None]] = contextlib.nullcontext
        self._path, self._outer = list(sys.path), frozenset(sys.path)
        self.owned: set[str] = set()  # top-level names
        self.shared: Callable[[str], bool] = lambda name: True
        self.is_library: Callable[[str], bool] = lambda name: False
        self.loaded: Callable[[ModuleType], None] = lambda module: None
        self.modules: dict[str, ModuleType] = {}
        self.late: dict[str, None] = {}  # names that functions of its modules import, until they are loaded
        self.mentioned: set[str] = set()  # all names that they import
        self.libraries: dict[str, ModuleType] = {}  # loaded like the others, but without state of the program

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return the spec of a module of the program; None leaves it to the other finders."""
        if fullname in self.places:
            return self._placed(fullname, self.places[fullname])
        top = fullname.partition(".")[0]
        if path is None and (found := self._beside(fullname)):
            self.owned.add(fullname)
            return self._own(found)
        if top in self.owned or not self.shared(fullname):
            found = PathFinder.find_spec(fullname, path)
            return None if found is None else self._own(found)
        return None

    def _placed(self, name: str, place: Path) -> ModuleSpec:
        if not place.is_dir():
            return self.spec_of(name, place)
        if (place / INIT).is_file():
            return self.spec_of(name, place / INIT)
        spec = ModuleSpec(name, None, is_package=True)
        spec.submodule_search_locations = [str(place)]
        return spec

    def _beside(self, name: str) -> ModuleSpec | None:
        """Return the spec of a top-level module in the program's folders.

        As in Python, a folder without `__init__.py` is a package only if no module has that name.
        """
        if name in sys.stdlib_module_names or name in self.reserved:
            return None
        found = PathFinder.find_spec(name, self._own_path())
        if found is None or found.origin is not None:
            return found
        others = [finder.find_spec(name, None) for finder in sys.meta_path if finder is not self]
        if any(each is not None and each.origin is not None for each in others):
            return None
        return PathFinder.find_spec(name, [*self.folders, *sys.path])

    def _own_path(self) -> list[str]:
        """Return the program's folders, and those that it has added to `sys.path` itself."""
        return [*self.folders, *(each for each in sys.path if each not in self._outer)]

    @contextlib.contextmanager
    def searching(self) -> Iterator[None]:
        """Context in which `sys.path` is the program's: what it adds is there as long as it runs."""
        before, sys.path = sys.path, self._path
        try:
            yield
        finally:
            self._path, sys.path = sys.path, before

    def spec_of(self, name: str, file: Path) -> ModuleSpec:
        """Return the spec of a file as a module of the program."""
        folders = [str(file.parent)] if file.name == INIT else None
        loader = OwnLoader(name, str(file), self)
        found = importlib.util.spec_from_file_location(
            name, str(file), loader=loader, submodule_search_locations=folders
        )
        assert found is not None
        return found

    def _own(self, spec: ModuleSpec) -> ModuleSpec:
        if isinstance(spec.loader, importlib.machinery.SourceFileLoader) and spec.origin is not None:
            spec.loader = OwnLoader(spec.name, spec.origin, self)
        return spec

    def place(self, file: Path) -> str:
        """Make a file and its neighbours importable; return the name of its module.

        A file with relative imports is a module of the package that its folder is. A file that bears the name of a
        module that it imports itself, or of one that every program needs, gets another name.
        """
        imports = imports_of(file)
        self.folders.append(str(file.parent))
        package = package_folder(file, imports.level)
        if package != file.parent or (package / INIT).is_file():
            self.folders.append(str(package.parent))
        if not imports.level or not package.name:
            name = self._free_name(file.stem, imports.names, file)
            self.places[name] = file
            self.owned.add(name)
            return name
        top = self._free_name(package.name, frozenset(), package)
        self.places[top] = package
        self.owned.add(top)
        inner = file.relative_to(package).with_suffix("")
        return ".".join((top, *inner.parts))

    def _free_name(self, name: str, imported: frozenset[str], place: Path) -> str:
        loaded = getattr(self.modules.get(name), "__file__", None)
        others = {each for each in (self.places.get(name), loaded and Path(loaded)) if each} - {place, place / INIT}
        if name in sys.stdlib_module_names or name in self.reserved or name in imported or "." in name:
            self.reserved.add(name)
        elif not others:
            return name
        free = f"app_{name.replace('.', '_')}"
        return free if self.places.get(free, place) == place else self._free_name(free, imported, place)

    def neighbours(self, folder: Path) -> list[str]:
        """Return the names under which the modules and packages of a folder can be imported."""
        files = [each.stem for each in folder.glob("*.py")]
        packages = [each.parent.name for each in folder.glob(f"*/{INIT}")]
        return sorted({*files, *packages} - sys.stdlib_module_names - self.reserved)

    def has_module(self, name: str) -> bool:
        """Whether a top-level module of this name is in the program's folders; a folder alone is none."""
        found = PathFinder.find_spec(name, self.folders)
        return found is not None and found.origin is not None

    def is_own(self, name: str) -> bool:
        """Whether a module was loaded for this program alone."""
        return name in self.modules or name in self.libraries or name.partition(".")[0] in self.owned

    def load_ahead(self) -> None:
        """Import the program's own modules that functions will import; failures are left to the functions."""
        while self.late:
            name, _ = self.late.popitem()
            if name not in sys.modules and self._is_program(name):
                with contextlib.suppress(ImportError):
                    importlib.import_module(name)

    def _is_program(self, name: str) -> bool:
        """Whether a module is the user's, not a library's."""
        top = name.partition(".")[0]
        return top in self.owned or name.startswith("ryu.app.") or self._beside(top) is not None

    def files(self) -> tuple[Path, ...]:
        """Return the files of all modules loaded so far, in order, without copies of a library's."""
        found = {
            Path(module.__file__)
            for name, module in self.modules.items()
            if module.__file__ and (name.partition(".")[0] in self.owned or self.shared(name))
        }
        return tuple(sorted(found))


def hidden(names: Iterable[str]) -> list[tuple[dict[str, Any], str]]:
    """Return the namespaces that hold modules of these names: `sys.modules`, and the attributes of their packages."""
    places: list[tuple[dict[str, Any], str]] = []
    for name in names:
        places.append((sys.modules, name))
        package, _, last = name.rpartition(".")
        if package in sys.modules:
            places.append((vars(sys.modules[package]), last))
    return places
