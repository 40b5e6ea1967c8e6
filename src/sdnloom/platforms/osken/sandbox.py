"""Sandbox of os-ken apps: hub, clock, random numbers, modules, and os-ken's global names.

Several programs can live in one process. Each has its own hub, its own registry of apps and its own copies of the
modules that hold state; os-ken's names refer to those of a program only while it runs. The foundation of os-ken
(protocol, packet library, base classes) has no such state and is shared.
"""

import builtins
import contextlib
import functools
import logging
import random
import sys
from collections.abc import Iterator, Mapping, Sequence, Set
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from os_ken import cfg
from os_ken.base import app_manager
from os_ken.lib import hub as hub_module
from os_ken.ofproto import ofproto_protocol
from os_ken.topology import switches as switches  # has options of os-ken's command line, such as observe_links

from sdnloom.platforms.osken import wsgi as osken_wsgi
from sdnloom.platforms.osken.errors import AppError
from sdnloom.platforms.osken.event_loops import EventLoops
from sdnloom.platforms.osken.hub import hub_names
from sdnloom.platforms.osken.ryu_alias import RyuAlias, find_apps
from sdnloom.platforms.process.output_log import OutputLog
from sdnloom.platforms.process.process import Process
from sdnloom.platforms.process.process_names import end_thread, os_module
from sdnloom.platforms.process.program_thread import in_program
from sdnloom.platforms.process.shared_imports import SharedImports
from sdnloom.platforms.process.surroundings import surroundings
from sdnloom.platforms.sandbox.clock import Clock, Draws
from sdnloom.platforms.sandbox.fake_modules import importer, rebind, virtual_modules
from sdnloom.platforms.sandbox.fake_threading import blocking_modules
from sdnloom.platforms.sandbox.hub import Hub
from sdnloom.platforms.sandbox.inert_metrics import is_metrics, settle_metrics
from sdnloom.platforms.sandbox.own_modules import Compiler, OwnModules, compile_source, hidden
from sdnloom.platforms.sandbox.patches import Patches
from sdnloom.platforms.sandbox.stable_hash import settle_hashes
from sdnloom.platforms.sandbox.threads import Flavour

# Modules of os-ken that every app uses and none changes.
_CONTROLLER = ("controller", "event", "handler", "ofp_event")
_LIBRARY = ("addrconv", "dpid", "hub", "ip", "mac", "pack_utils", "stringify", "type_desc")
_FOUNDATION = frozenset(
    {
        *("os_ken", "os_ken.app", "os_ken.base", "os_ken.controller", "os_ken.lib"),
        *(f"os_ken.{name}" for name in ("base.app_manager", "cfg", "exception", "flags", "log", "utils")),
        *(f"os_ken.controller.{name}" for name in _CONTROLLER),
        *(f"os_ken.lib.{name}" for name in _LIBRARY),
    }
)
_PACKETS = "os_ken.lib.packet"
_SHARED_BELOW = ("os_ken.ofproto", _PACKETS)
# Modules that parse packets: a program with a compiler of its own gets compiled copies of them.
_READERS = frozenset(f"os_ken.lib.{name}" for name in ("ip", "mac"))
# A connection draws its first transaction id at random. Ours start at 0, so that draw must not be one of the program's:
# it is made by a generator that nothing else uses.
_NO_CHANCE = {("os_ken.controller.controller", "random")}
_OTHER_CHANCE = random.Random(0)
# Names of os-ken's hub that lead to sockets.
_SERVERS = (
    *(b"StreamServer", b"StreamClient", b"WSGIServer"),
    *(b"hub.listen", b"hub.connect", b"hub.socket", b"hub.ssl", b"lib.hub import"),
)
WSGI = ("ryu.app.wsgi", "os_ken.app.wsgi")
# A search would flood the log; to see it, give the logger a handler.
logging.getLogger("os_ken").addHandler(logging.NullHandler())


def is_shared(name: str) -> bool:
    """Whether programs share a module: part of os-ken's foundation, or neither os-ken's nor a library of metrics."""
    if not name.startswith("os_ken."):
        return not is_metrics(name)
    return name in _FOUNDATION or name.startswith(_SHARED_BELOW)


def is_stateless(name: str) -> bool:
    """Whether a module of which a program has its own copy holds no state of the program."""
    return reads_packets(name) or is_metrics(name)


def reads_packets(name: str) -> bool:
    """Whether a module is part of os-ken's packet library."""
    return name in _READERS or name.startswith(_PACKETS)


def _settle(module: ModuleType) -> None:
    settle_metrics(module)
    settle_hashes(module)


class Sandbox:
    """The sandbox of one program; `running` is the context in which its code sees it."""

    def __init__(
        self,
        flavour: Flavour,
        draws: Draws,
        path: Sequence[Path] = (),
        config: Mapping[str, Any] | None = None,
        compiler: Compiler = compile_source,
        environment: Mapping[str, str] | None = None,
        arguments: Sequence[str] = (),
        output: OutputLog | None = None,
    ) -> None:
        self.hub = Hub(Clock(), flavour)
        self.process = Process(self.hub, self._is_own_file)
        self.output = output or OutputLog()
        self.draws = draws
        self.loops = EventLoops(self.hub)
        self.config = dict(config or {})
        self.bricks: dict[str, Any] = {}
        self._says_done = self._serves = False
        virtual = virtual_modules(self.hub.clock, draws, self.hub.sleep)
        modules = {
            **virtual,
            **blocking_modules(self.hub, lambda: self._says_done),
            "os": os_module(self.process, draws, environment or {}),
        }
        self._real = surroundings(self.process, draws, self.output, modules, list(arguments))
        names = {"__import__": importer(modules, self._real.see), "exit": end_thread, "quit": end_thread}
        self.own = OwnModules({**vars(builtins), **names}, self._noting(compiler))
        self.own.inside = self._real.resumed
        self._shared_imports = SharedImports(self._real.suspended, self._real.cover_new)
        self._changes = compiler is not compile_source
        self.own.shared, self.own.is_library, self.own.loaded = self._is_shared, is_stateless, _settle
        self.own.folders += [str(folder) for folder in path]
        wsgi = osken_wsgi.module()
        self.alias = RyuAlias(find_apps(path), self.own.spec_of, dict.fromkeys(WSGI, wsgi))
        self.manager: Any = None
        self._swap = self._swapped(virtual)
        self._files: tuple[int, frozenset[str]] = (0, frozenset())

    def _is_own_file(self, file: str) -> bool:
        if self._files[0] != len(self.own.modules):
            self._files = len(self.own.modules), frozenset(map(str, self.own.files()))
        return file in self._files[1]

    def _noting(self, compiler: Compiler) -> Compiler:
        """Return the compiler; it notes what code of the program mentions: that it is done with an item, servers."""

        def compile_noting(source: bytes, path: str) -> CodeType:
            self._says_done |= b"task_done" in source
            self._serves |= any(name in source for name in _SERVERS)
            return compiler(source, path)

        return compile_noting

    def _swapped(self, modules: Mapping[str, ModuleType]) -> Patches:
        swap = Patches()
        for name, each in hub_names(self.hub).items():
            swap.name(vars(hub_module), name, each)
        for name, each in self.loops.methods().items():
            swap.attribute(app_manager.OSKenApp, name, each)
        swap.name(vars(app_manager), "SERVICE_BRICKS", self.bricks)
        swap.attribute(app_manager.AppManager, "_instance", None)
        swap.name(vars(ofproto_protocol), "_supported_versions", set(ofproto_protocol._versions))
        for name in sorted(_FOUNDATION & sys.modules.keys() - {hub_module.__name__}):
            space = dict(vars(sys.modules[name]))
            for each in rebind(space, modules):
                kept = _OTHER_CHANCE if (name, each) in _NO_CHANCE else space[each]
                swap.name(vars(sys.modules[name]), each, kept)
        return swap

    def _is_shared(self, name: str) -> bool:
        return is_shared(name) and not (self._changes and reads_packets(name))

    def hide(self, names: Set[str]) -> None:
        """Hide modules that were imported outside, and their submodules, until the program imports its own."""
        below = [each for each in sys.modules if not names.isdisjoint(_packages(each))]
        for space, name in hidden(sorted({*below, *names})):
            self._swap.absent(space, name)

    def stand_in(self, module: ModuleType, names: Mapping[str, Any]) -> None:
        """Rebind names of a module while the program runs."""
        for name, value in names.items():
            self._swap.name(vars(module), name, value)

    def own_modules_only(self) -> None:
        """Hide all imported modules of which the program gets its own copies."""
        others = [name for name in sys.modules if not self._is_shared(name) or name.split(".")[0] == "ryu"]
        self.hide({*others, *WSGI, "os_ken.controller.ofp_handler", "os_ken.controller.dpset"})

    def _remember_modules(self) -> None:
        """Make modules that were imported while the program ran its own: hidden when it does not run."""
        names = [name for name in sys.modules if self.own.is_own(name) or name.split(".")[0] == "ryu" or name in WSGI]
        for space, name in hidden(sorted(names)):
            if name in space:
                self._swap.adopt(space, name)

    def configure(self) -> None:
        """Set the options of this program in os-ken's configuration."""
        for name, value in self.config.items():
            if name not in cfg.CONF:
                raise AppError(f"config has {name!r}; expected an option that os-ken or the apps have")
            try:
                cfg.CONF.set_override(name, value)
            except (ValueError, TypeError) as error:
                raise AppError(f"config has {name} = {value!r}; expected a value for that option: {error}") from None

    @contextlib.contextmanager
    def running(self) -> Iterator[None]:
        """Context in which os-ken, the program and its libraries see this sandbox."""
        finders = [self.alias, self.own, self._shared_imports]
        with self._swap.installed(), self._real.installed(), self.own.searching():
            known = len(sys.modules)
            sys.meta_path[:0] = finders
            previous, _guard.process = _guard.process, self.process
            try:
                self.process.enter()
                if self.manager is not None:
                    self.configure()
                yield
            finally:
                _guard.process = previous
                for name in self.config:
                    if name in cfg.CONF:
                        cfg.CONF.clear_override(name)
                sys.meta_path[:] = [each for each in sys.meta_path if each not in finders]
                if len(sys.modules) != known:
                    self._remember_modules()
                self.process.leave()

    def cover(self) -> None:
        """Rebind names in the libraries that the program has imported."""
        names = self.own.mentioned | ({hub_module.__name__} if self._serves else set())
        self._real.cover([*self.own.modules.values(), *self.own.libraries.values()], names)


@functools.lru_cache(maxsize=1 << 14)
def _packages(name: str) -> tuple[str, ...]:
    """Return the packages that a module is in. Each new program asks for every module that is imported."""
    parts = name.split(".")
    return tuple(".".join(parts[:size]) for size in range(1, len(parts)))


class _Guard:
    """Audit hook that refuses real sockets, processes and threads while a program runs, also inside libraries.

    It is the last resort, for code that reaches the system past the names that are rebound.
    """

    process: Process | None = None
    WATCHED = frozenset(  # the hook is called for every audit event
        {
            *("socket.__new__", "socket.getaddrinfo", "socket.gethostbyname", "subprocess.Popen", "os.fork"),
            *("os.system", "os.exec", "os.posix_spawn", "os.kill", "os.killpg", "signal.pthread_kill"),
            *("_thread.start_new_thread", "_thread.start_joinable_thread"),  # the last from 3.13 on
        }
    )

    def __call__(self, event: str, arguments: Any) -> None:
        if event in self.WATCHED and self.process is not None and in_program():
            raise self.process.hub.refuse(f"{event.removesuffix('.__new__')} ({self.process.place()})")


_guard = _Guard()
sys.addaudithook(_guard)
