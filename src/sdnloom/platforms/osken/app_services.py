"""The services that apps of os-ken need, and the order in which apps and services are loaded.

os-ken loads services in the order of a set, which differs from process to process; here it is the order in which they
are asked for, so that apps are the same in every process: in the model and in a process of their own.
"""

import inspect
import sys
from abc import ABC, abstractmethod
from collections.abc import Sequence
from types import FrameType, ModuleType
from typing import Any

from os_ken.base import app_manager


class OrderedManager(app_manager.AppManager, ABC):  # type: ignore[misc]  # os-ken has no types
    """os-ken's manager with that order. A subclass says how modules of apps are imported."""

    @abstractmethod
    def import_app(self, name: str) -> ModuleType:
        """Import the module of an app or a service."""

    def own_name(self, name: str) -> str:
        """Return the name under which a service is loaded."""
        return name

    def check_context(self, app: str, key: str, context: Any) -> None:
        """Raise an error if another app has another class for a context."""
        assert self.contexts_cls[key] is context

    def load_apps(self, names: Sequence[str]) -> None:
        """Load apps and the services that they need, each once; one that is made as a context is not loaded."""
        waiting = list(names)
        while waiting:
            name = waiting.pop(0)
            if name in self.applications_cls or name in {kind.__module__ for kind in self.contexts_cls.values()}:
                continue
            kind = self.load_app(name)
            if kind is None:
                continue
            self.applications_cls[name] = kind
            needed: list[str] = []
            for key, context in kind.context_iteritems():
                self.contexts_cls.setdefault(key, context)
                self.check_context(name, key, context)
                if issubclass(context, app_manager.OSKenApp):
                    needed += needed_services(context)
            waiting += map(self.own_name, [*needed, *needed_services(kind)])

    def load_app(self, name: str) -> Any:
        """Return the app class of a module, as os-ken finds it: the first by name of those the module defines."""
        module = self.import_app(name)
        kinds = [
            each
            for _, each in sorted(vars(module).items())
            if isinstance(each, type) and issubclass(each, app_manager.OSKenApp) and each.__module__ == module.__name__
        ]
        return kinds[0] if kinds else None


def needed_services(kind: Any) -> list[str]:
    """Return the services that an app needs: those of the events that it handles, then those that its module requires.

    The handlers are in the order of their names.
    """
    found: dict[str, None] = {}
    for _, method in inspect.getmembers(kind, lambda each: inspect.isfunction(each) or inspect.ismethod(each)):
        for event in getattr(method, "callers", ()):
            service = getattr(sys.modules[event.__module__], "_SERVICE_NAME", None)
            if service and service != kind.__module__:
                found[service] = None
    return [*found, *dict.fromkeys(getattr(sys.modules[kind.__module__], "_REQUIRED_APP", ()))]


def require_app(app_name: str, api_style: bool = False) -> None:
    """Replacement for os-ken's function: note that the calling module, or the one that imports it, needs a service.

    os-ken counts frames of modules; those of sdnloom, through which modules of a program are imported, do not count.
    """
    frame: FrameType | None = sys._getframe(1)
    callers: list[str] = []
    while frame is not None and len(callers) <= api_style:
        name = str(frame.f_globals.get("__name__"))
        if name.partition(".")[0] not in ("sdnloom", "importlib", "_frozen_importlib", "_frozen_importlib_external"):
            callers.append(name)
        frame = frame.f_back
    module = sys.modules.get(callers[-1]) if len(callers) > api_style else None
    if module is not None:
        vars(module).setdefault("_REQUIRED_APP", []).append(app_name)
