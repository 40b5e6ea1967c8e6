"""Loads apps as os-ken's manager does, with one clear message for each kind of mistake."""

import importlib
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from os_ken import cfg
from os_ken.base import app_manager
from os_ken.ofproto import ofproto_protocol

from sdnloom.engine.stop_points import interruptible
from sdnloom.network.openflow import VERSION_NUMBERS
from sdnloom.platforms.handler_errors import own_line
from sdnloom.platforms.load_errors import FRAMEWORKS, RYU_APPS, load_message
from sdnloom.platforms.osken.app_services import OrderedManager, require_app
from sdnloom.platforms.osken.errors import AppError
from sdnloom.platforms.osken.sandbox import Sandbox
from sdnloom.platforms.sandbox.threads import HubError


@dataclass(frozen=True)
class LoadedApps:
    """The names of the apps that were loaded, their modules, and the OpenFlow version that they speak."""

    names: tuple[str, ...]
    modules: tuple[str, ...]
    version: str


class Manager(OrderedManager):
    """os-ken's manager, importing apps into their sandbox."""

    def __init__(self, sandbox: Sandbox, wanted: Sequence[str]) -> None:
        super().__init__()
        self._sandbox, self._wanted = sandbox, wanted

    def import_app(self, name: str) -> ModuleType:
        """Import a module in the sandbox."""
        return _import(self._sandbox, name)

    def own_name(self, name: str) -> str:
        """Return os-ken's name of a service of Ryu."""
        return self._sandbox.alias.own_name(name)

    def check_context(self, app: str, key: str, context: Any) -> None:
        """Raise AppError if another app has another class for a context."""
        if self.contexts_cls[key] is not context:
            raise AppError(
                f"{app}: its context {key!r} is {_full_name(context)}, that of another app is "
                f"{_full_name(self.contexts_cls[key])}; expected the same class"
            )

    def load_app(self, name: str) -> Any:
        """Return the app class of a module; AppError if a module that was asked for has none."""
        kind = super().load_app(name)
        if kind is None and name in self._wanted:
            raise AppError(f"{name}: no app in it; expected a subclass of OSKenApp (or RyuApp) that the module defines")
        if name == "os_ken.controller.ofp_handler":
            # Its own `start` only adds a listening socket; here switches connect by themselves.
            type.__delattr__(kind, "start")
        return kind


def _full_name(kind: type) -> str:
    return f"{kind.__module__}.{kind.__qualname__}"


def load(sandbox: Sandbox, names: Sequence[str], version: str | None) -> LoadedApps:
    """Import the apps and their dependencies, and make them without starting them."""
    if not names:
        raise AppError("no app; expected at least one file or module")
    if version is not None and version not in VERSION_NUMBERS:
        raise AppError(f"version is {version!r}; expected one of {', '.join(VERSION_NUMBERS)}")
    names = [sandbox.alias.own_name(name) for name in names]
    sandbox.own.reserved |= {*FRAMEWORKS, "sdnloom"}
    sandbox.own_modules_only()
    sandbox.stand_in(app_manager, {"require_app": require_app})
    with sandbox.running():
        manager = sandbox.manager = Manager(sandbox, names)
        app_manager.AppManager._instance = manager  # apps ask for it
        cfg.CONF.reset()
        _in_a_thread(sandbox, lambda: manager.load_apps(names), "loading")
        _in_a_thread(sandbox, sandbox.own.load_ahead, "loading")
        sandbox.cover()
        cfg.CONF([], project="sdnloom", default_config_files=[], default_config_dirs=[])
        sandbox.configure()
        _in_a_thread(sandbox, lambda: _make(manager, sandbox.bricks), "making")
        sandbox.cover()
        supported = set(ofproto_protocol._supported_versions)
    spoken = [name for name, number in VERSION_NUMBERS.items() if number in supported]
    if not spoken:
        raise AppError(
            f"{', '.join(names)}: speaks none of OpenFlow {', '.join(VERSION_NUMBERS)}; expected one of them"
        )
    if version is not None and version not in spoken:
        raise AppError(f"{', '.join(names)}: speaks OpenFlow {', '.join(spoken)}; expected {version}")
    kinds = {name: kind for name, kind in manager.applications_cls.items() if name in names}
    modules = tuple(kinds[name].__module__ if name in kinds else name for name in names)
    return LoadedApps(tuple(kind.__name__ for kind in kinds.values()), modules, version or spoken[-1])


def _make(manager: Manager, bricks: Mapping[str, Any]) -> None:
    """Make contexts and apps and connect them, as `instantiate_apps` does before it starts them."""
    contexts = manager.create_contexts()
    for name, kind in manager.applications_cls.items():
        try:
            manager._instantiate(name, kind, **contexts)
        except AssertionError:
            if not ofproto_protocol._supported_versions:
                raise AppError(
                    f"{name}: speaks no OpenFlow version that all the other apps speak; expected one in common"
                ) from None
            # os-ken knows apps by the names of their classes, and gives no other message.
            twin = type(bricks.get(kind.__name__))
            if twin.__name__ != kind.__name__ or twin is kind:
                raise
            raise AppError(
                f"{name}: its app is named {kind.__name__}, like that of {twin.__module__}; expected different names"
            ) from None
    manager._update_bricks()


def _in_a_thread(sandbox: Sandbox, function: Callable[[], Any], what: str) -> None:
    """Run code of the apps that is not a handler; an exception in it becomes one message."""
    hub = sandbox.hub
    try:
        with interruptible():
            thread = hub.call(function)
            while not thread.dead:
                if sandbox.process.end is not None:
                    end = sandbox.process.end
                    ends = f"{end.place}: {what} the apps ends their process ({end.how})"
                    raise AppError(f"{ends}; expected it to go on{_last_words(sandbox)}")
                if hub.ready:
                    hub.run(hub.ready[0])
                elif hub.due():
                    hub.fire(hub.due()[0])  # it sleeps; no switch can connect before it ends
                else:
                    raise AppError(f"{what} the apps does not end: {thread.label} waits for something that never comes")
    except HubError as error:  # a feature that is refused
        place = own_line(error, _files(sandbox, error))
        raise AppError(f"{Path(place[0]).name}:{place[1]}: {error}" if place else str(error)) from error
    mine = [each for each in hub.escaped if each.error is thread.error]
    if thread.error is not None:
        hub.escaped[:] = [each for each in hub.escaped if each not in mine]
        message = load_message(thread.error, _files(sandbox, thread.error), f"{what} the apps")
        raise AppError(message + (_last_words(sandbox) if isinstance(thread.error, SystemExit) else ""))
    if hub.refused:
        raise AppError(
            f"{what} the apps needs {hub.refused[0]}, which is not available; expected apps that do without it"
        )


def _last_words(sandbox: Sandbox) -> str:
    """Return what the apps printed last, for a message: a program that ends usually says why before."""
    sandbox.output.take_recent()
    lines = [line.text.strip() for line in sandbox.output.lines if line.text.strip()]
    return f"; before that it printed: {lines[-1][:300]}" if lines else ""


def _files(sandbox: Sandbox, error: BaseException) -> frozenset[str]:
    """Return the files whose lines are named for an error: the apps', or os-ken's copies if no app was involved."""
    mine = frozenset(map(str, sandbox.own.files()))
    if own_line(error, mine) is not None:
        return mine
    return frozenset(str(module.__file__) for module in sandbox.own.modules.values())


def _forget(sandbox: Sandbox, names: Sequence[str]) -> None:
    """Hide modules of these names that were imported for another program."""
    sandbox.hide({name for name in names if name in sys.modules and name not in sandbox.own.modules})


def _folder_message(folder: Path) -> str:
    texts = {file: file.read_text(errors="replace") for file in sorted(folder.glob("*.py"))}
    apps = [str(file) for file, text in texts.items() if "OSKenApp" in text or "RyuApp" in text]
    found = f", such as {', '.join(apps)}" if apps else " of an app, and it has none"
    return f"{folder}: a folder; expected a Python file{found}"


def _import(sandbox: Sandbox, name: str) -> ModuleType:
    path = Path(name)
    if path.is_dir() and not sandbox.own.has_module(name):
        raise AppError(_folder_message(path))
    try:
        if name.endswith(".py") or path.is_file():
            if not path.is_file():
                raise AppError(f"{name}: no such file")
            file = path.resolve()
            module = sandbox.own.place(file)
            _forget(sandbox, [module.partition(".")[0], *sandbox.own.neighbours(file.parent)])
            return importlib.import_module(module)
        top = name.partition(".")[0]
        if top not in FRAMEWORKS:
            _forget(sandbox, [top])
            sandbox.own.owned.add(top)
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name and not name.startswith(f"{error.name}."):
            raise
        advice = RYU_APPS if name.startswith("ryu.app.") else "expected a Python file or a module that can be imported"
        raise AppError(f"{name}: no such module; {advice}") from None
