"""Makes `import ryu...` find os-ken, which is the same code under another name, and Ryu's own apps.

`ryu.x.y` is the very module `os_ken.x.y`, so classes are the same whichever name an app uses. Two modules get the names
that os-ken dropped (RyuApp, RyuException). Modules below `ryu.app` that os-ken does not have come from Ryu's source.
"""

import importlib
import importlib.abc
import importlib.util
from collections.abc import Callable, Mapping, Sequence
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import Any

OLD, NEW = "ryu", "os_ken"
RENAMED = {
    "ryu.base.app_manager": {"RyuApp": "OSKenApp"},
    "ryu.exception": {"RyuException": "OSKenException"},
}
_VIEWED = {OLD, f"{OLD}.app", *RENAMED, *(name.rpartition(".")[0] for name in RENAMED)}


class _AliasLoader(importlib.abc.Loader):
    def __init__(self, module: ModuleType) -> None:
        self._module, self._spec = module, module.__spec__

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return self._module

    def exec_module(self, module: ModuleType) -> None:
        module.__spec__ = self._spec  # the import under the alias has changed it


class RyuAlias(importlib.abc.MetaPathFinder):
    """Finder for `ryu` and its submodules.

    `folder` has Ryu's own apps, and `given` replacements for modules that os-ken does not have.
    """

    def __init__(
        self, app_path: Path | None, own: Callable[[str, Path], ModuleSpec], given: Mapping[str, ModuleType]
    ) -> None:
        self.folder, self._own, self._given = app_path, own, dict(given)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return the spec of the os-ken module, or of the file of Ryu's own app."""
        if fullname in self._given:
            return alias_spec(fullname, self._given[fullname])
        if fullname != OLD and not fullname.startswith(OLD + "."):
            return None
        file = self.file_of(fullname)
        if file is not None:
            return self._own(fullname, file)
        twin = NEW + fullname[len(OLD) :]
        try:
            module = importlib.import_module(twin)
        except ModuleNotFoundError as error:
            if error.name != twin:
                raise
            return None
        return alias_spec(fullname, _renamed(fullname, module))

    def own_name(self, name: str) -> str:
        """Return the name under which a module is loaded: os-ken's if it has a module below `ryu` too."""
        if not name.startswith(OLD + ".") or name in self._given or self.file_of(name) is not None:
            return name
        twin = NEW + name[len(OLD) :]
        return twin if _exists(twin) else name

    def file_of(self, name: str) -> Path | None:
        """Return the file of one of Ryu's own apps; os-ken and the replacements come first."""
        if self.folder is None or not name.startswith(OLD + ".app.") or name in self._given:
            return None
        if _exists(NEW + name[len(OLD) :]):
            return None
        base = self.folder.joinpath(*name.split(".")[2:])
        for file in (base.with_suffix(".py"), base / "__init__.py"):
            if file.is_file():
                return file
        return None


def _exists(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except ModuleNotFoundError:  # its package does not exist either
        return False


def _renamed(name: str, module: ModuleType) -> ModuleType:
    """Return a view of the module with the names that Ryu had; the os-ken module is not changed.

    A package that contains such a module, or Ryu's apps, gets a view too; otherwise its attributes would be os-ken's.
    """
    inside = {each.rpartition(".")[2] for each in _VIEWED if each.rpartition(".")[0] == name}
    if name not in _VIEWED:
        return module
    view = ModuleType(name, module.__doc__)
    view.__spec__ = module.__spec__
    if hasattr(module, "__path__"):
        view.__path__ = module.__path__
    for old, new in RENAMED.get(name, {}).items():
        setattr(view, old, getattr(module, new))

    def find(attribute: str) -> Any:
        if attribute in inside:
            raise AttributeError(attribute)  # it has to be imported, as a view
        return getattr(module, attribute)

    names = [each for each in vars(module) if not each.startswith("_") and each not in inside]
    vars(view).update(__getattr__=find, __all__=[*names, *RENAMED.get(name, {})])
    return view


def alias_spec(name: str, module: ModuleType) -> ModuleSpec:
    """Return a spec under which a module that exists already is imported."""
    found = importlib.util.spec_from_loader(name, _AliasLoader(module), is_package=hasattr(module, "__path__"))
    assert found is not None
    return found


def find_apps(path: Sequence[Path] = ()) -> Path | None:
    """Return the folder of Ryu's apps: `ryu/app` in one of the folders given, else that of an installed Ryu."""
    for folder in path:
        if (found := folder / OLD / "app").is_dir():
            return found.resolve()
    spec = importlib.util.find_spec(OLD)
    places = list(spec.submodule_search_locations or ()) if spec is not None else []
    return Path(places[0]) / "app" if places else None
