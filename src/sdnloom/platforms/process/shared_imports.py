"""Imports libraries outside of the sandbox: all programs of this process and sdnloom share them.

A library that is imported while a program runs would otherwise keep locks of its hub and readings of its clock, and
could not do what libraries do when they are imported (start a process to list fonts, ask for the host's name).
"""

import importlib.abc
import sys
import warnings
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any


class OutsideLoader(importlib.abc.Loader):
    """Runs a module outside of the sandbox, with the loader that was found for it."""

    def __init__(
        self, loader: Any, outside: Callable[[], AbstractContextManager[None]], imported: Callable[[ModuleType], None]
    ) -> None:
        self._loader, self._outside, self._imported = loader, outside, imported

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        """Make the module as its loader does."""
        with self._outside():
            made: ModuleType | None = self._loader.create_module(spec)
        return made

    def exec_module(self, module: ModuleType) -> None:
        """Run the module; for all others its loader is the one that was found."""
        if module.__spec__ is not None:
            module.__spec__.loader = self._loader
        module.__loader__ = self._loader
        with self._outside(), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what a library warns of when it is imported is not about the search
            self._loader.exec_module(module)
        self._imported(module)


class SharedImports(importlib.abc.MetaPathFinder):
    """Finds what the finders after it find, and wraps its loader; on `sys.meta_path` while a program runs.

    `outside` is the context outside of the sandbox; `imported` is called with each module that has run.
    """

    def __init__(
        self, outside: Callable[[], AbstractContextManager[None]], imported: Callable[[ModuleType], None]
    ) -> None:
        self._outside, self._imported = outside, imported

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return the spec of a module that is not the program's."""
        place = sys.meta_path.index(self)
        for finder in sys.meta_path[place + 1 :]:
            spec = finder.find_spec(fullname, path, target)
            if spec is not None:
                if hasattr(spec.loader, "exec_module"):
                    spec.loader = OutsideLoader(spec.loader, self._outside, self._imported)
                return spec
        return None
