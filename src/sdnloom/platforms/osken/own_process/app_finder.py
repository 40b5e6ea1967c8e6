"""Finds the modules of apps in a process of their own, where the model finds them.

The model's own finder (`platforms/sandbox/own_modules.py`) says where: files and packages under names, and folders that
are searched for other top-level modules, except for those that Python or the framework have.
"""

import importlib.abc
import importlib.util
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType

from sdnloom.platforms.osken.ryu_alias import alias_spec

_INIT = "__init__.py"


def file_spec(name: str, file: Path) -> ModuleSpec:
    """Return the spec of a file as a module, as Python has it."""
    found = importlib.util.spec_from_file_location(name, str(file))
    assert found is not None
    return found


class AppFinder(importlib.abc.MetaPathFinder):
    """A finder for modules of apps. `given` makes modules that are in no file, when they are imported."""

    def __init__(
        self,
        places: Mapping[str, str],
        folders: Sequence[str],
        reserved: Sequence[str],
        given: Mapping[str, Callable[[], ModuleType]],
    ) -> None:
        self._places = {name: Path(place) for name, place in places.items()}
        self._folders, self._given = list(folders), given
        self._reserved = frozenset(reserved) | sys.stdlib_module_names

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return the spec of a module of an app; None leaves it to the other finders."""
        if fullname in self._given:
            return alias_spec(fullname, self._given[fullname]())
        if fullname in self._places:
            return _placed(fullname, self._places[fullname])
        if path is not None or fullname in self._reserved:
            return None
        found = PathFinder.find_spec(fullname, self._folders)
        if found is None or found.origin is not None:
            return found
        # A folder without `__init__.py` is a package only if no module has that name.
        return PathFinder.find_spec(fullname, [*self._folders, *sys.path])


def _placed(name: str, place: Path) -> ModuleSpec:
    if not place.is_dir():
        return file_spec(name, place)
    if (place / _INIT).is_file():
        return file_spec(name, place / _INIT)
    spec = ModuleSpec(name, None, is_package=True)
    spec.submodule_search_locations = [str(place)]
    return spec
