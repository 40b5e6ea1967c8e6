"""Names of real modules that act on the sandbox while a program runs, in libraries that it uses too.

A program's own modules import virtual modules. Libraries are shared by all programs and by sdnloom, and use the real
ones; so while a program runs, names of the real modules are rebound, and the copies of them that libraries made with
`from time import time`. Only modules that the program's modules lead to, by the names that they hold, are rebound: this
is done for every step. A library is imported outside of the sandbox (`shared_imports`), because the next program gets
the same one.

Limit: an object that a library made while it was imported, such as a lock, is a real one.
"""

import sys
import weakref
from abc import ABCMeta
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from threading import Thread, get_ident  # the real ones
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any, NamedTuple

from sdnloom.platforms.process.program_thread import ForProgram, ProgramThread, for_program
from sdnloom.platforms.sandbox.patches import Patches

_NO_LIBRARY = frozenset({"sdnloom", "os_ken", "ryu", "greenlet", "numba", "llvmlite", "pytest", "_pytest", "execnet"})
_LED_THROUGH = frozenset({"os_ken.lib.hub"})  # a module of the framework that leads on, if it is named
# Modules that lead nowhere: what they use of others does not matter, or is changed by itself.
_ENDS = frozenset({"logging", "typing", "importlib", "inspect", "warnings", "traceback", "contextlib", "unittest"})
_ALWAYS = ("os", "sys")  # code that holds no name of them can act on them: print, input, open
# Modules that these use without holding their names.
_WITH = {
    "numpy": ("secrets",),
    "asyncio": ("subprocess",),
    "multiprocessing": ("subprocess",),
    "concurrent": ("threading", "queue"),
}

_ORIGINALS = frozenset({"threading", "os", "posix", "random", "reprlib"})  # their own code needs the real ones

_LOOK_AGAIN = -2  # no size of a module

_Names = Mapping[str, Any]
_Source = Callable[[ModuleType], _Names]


class _Facts(NamedTuple):
    """What a module holds: how many names, the modules that it leads to, names that may be copies."""

    size: int
    modules: frozenset[str]
    copies: tuple[str, ...]


_facts: "weakref.WeakKeyDictionary[ModuleType, _Facts]" = weakref.WeakKeyDictionary()


def _facts_of(module: ModuleType) -> _Facts:
    if not type(module).__weakrefoffset__:  # an object of an extension that calls itself a module, such as cffi's Lib
        return _Facts(len(vars(module)), frozenset(), ())
    found = _facts.get(module)
    if found is None or found.size != len(vars(module)):
        modules, copies = set[str](), []
        for name, each in list(vars(module).items()):
            if isinstance(each, ModuleType):
                modules.add(each.__name__)
            elif isinstance(each, type | FunctionType | BuiltinFunctionType | MethodType) or name == "environ":
                home = str(getattr(each, "__module__", None) or "")
                modules.add(home)
                if _top(home) in sys.stdlib_module_names or not isinstance(each, type | FunctionType):
                    copies.append(name)
        found = _facts[module] = _Facts(len(vars(module)), frozenset(modules), tuple(copies))
    return found


def _top(name: str) -> str:
    return name.partition(".")[0]


class RealModules:
    """The rebound names of real modules, for one program.

    `sources` gives the names of each module, which is rebound as soon as the program leads to it. `methods` are methods
    of `threading.Thread`, for libraries that have subclasses of it.
    """

    def __init__(self, sources: Mapping[str, _Source], methods: Mapping[str, Callable[..., Any]]) -> None:
        self._sources, self._methods = dict(sources), dict(methods)
        self._patches = Patches()
        self._twins: dict[int, Any] = {}
        self._originals: list[Any] = []  # keeps ids valid
        self._reached: dict[str, int] = {}  # modules that the program leads to -> how many names they had
        self._seen: set[str] = set()
        self._known: frozenset[str] = frozenset()  # names of all imported modules, when it was last looked
        self._activate(_ALWAYS)

    def cover(self, modules: Iterable[ModuleType], names: Iterable[str] = ()) -> None:
        """Rebind names in all modules that these modules lead to, or that have these names."""
        self._reached = dict.fromkeys(self._reached, _LOOK_AGAIN)
        self._cover_more(modules, names)

    def _cover_more(self, modules: Iterable[ModuleType], names: Iterable[str]) -> None:
        """The same for what was not reached before, or has got more names since then; programs import a lot."""
        todo = [*names]
        for each in modules:
            todo += {each.__name__, *_facts_of(each).modules} - _LED_THROUGH
        reached = self._newly_reached(todo)
        tops = set(map(_top, reached))
        more = {each for top in tops for each in _WITH.get(top, ())}
        sources = [name for name in self._sources if name in reached or name in more or _top(name) in tops]
        for name in self._reached if self._activate(sources) else reached:
            module = sys.modules.get(name)
            if isinstance(module, ModuleType) and not name.startswith("_") and name not in _ORIGINALS:
                self._rebind_copies(module)
        if self._methods and any(_top(each.__module__) in tops for each in Thread.__subclasses__()):
            for name, method in self._methods.items():
                self.method(Thread, name, method)
            self._methods.clear()

    def _newly_reached(self, todo: list[str]) -> list[str]:
        """Return the names of modules that these lead to and that were not reached yet, or have grown since."""
        for name, size in self._reached.items():
            if _size(name) != size:
                todo.append(name)
        if len(sys.modules) != len(self._known):
            before, self._known = self._known, frozenset(sys.modules)
            libraries = {top for top in map(_top, self._reached) if _is_library(top)}
            todo += [name for name in self._known - before if _top(name) in libraries]
        packages: dict[str, list[str]] = {}
        done = set[str]()
        while todo:
            name = todo.pop()
            top = _top(name)
            if name in done or (top in _NO_LIBRARY and name not in _LED_THROUGH):
                continue
            size = _size(name)
            if self._reached.get(name) == size:
                continue
            done.add(name)
            self._reached[name] = size
            module = sys.modules.get(name)
            if isinstance(module, ModuleType) and top not in _ENDS:
                todo += _facts_of(module).modules
            if _is_library(top):  # all of its modules
                if not packages:
                    for each in self._known:
                        packages.setdefault(_top(each), []).append(each)
                todo += packages.get(top, ())
        return list(done)

    def see(self, name: str, members: Iterable[str] | None) -> None:
        """Rebind names at the moment that the program imports a module, or members of it."""
        if _top(name) not in _NO_LIBRARY and (name not in self._seen or members):
            names = {name, *(f"{name}.{each}" for each in members or ())} - self._seen
            if names and ProgramThread.ident:
                self._seen |= names
                self._cover_more([], [each for each in names if each in sys.modules])

    def cover_new(self, module: ModuleType) -> None:
        """Rebind names of a library that has just been imported; nothing while it is one that another one imports."""
        if ProgramThread.ident:
            self._cover_more([module], ())

    def _activate(self, names: Iterable[str]) -> bool:
        """Rebind names of these modules if they are imported; whether any was."""
        found = [name for name in names if name in self._sources and name in sys.modules]
        for name in found:
            self._rebind(sys.modules[name], self._sources.pop(name)(sys.modules[name]))
        return bool(found)

    def name(self, space: dict[str, Any], name: str, value: Any) -> None:
        """Rebind a name of another namespace."""
        self._patches.name(space, name, value)

    def method(self, owner: type, name: str, value: Callable[..., Any]) -> None:
        """Rebind a method of a class."""
        self._patches.attribute(owner, name, for_program(value, vars(owner)[name]))

    def _rebind(self, module: ModuleType, names: _Names) -> None:
        """Rebind names of a module; a name such as `Kind.function` is a function without `self` of a class in it."""
        space = vars(module)
        for name, fake in names.items():
            kind, _, function = name.rpartition(".")
            if kind:
                owner = space[kind]
                self._patches.attribute(owner, function, staticmethod(for_program(fake, vars(owner)[function])))
                continue
            real = space.get(name)
            if real is None:
                continue
            if callable(real) and callable(fake):
                fake = _standing_for(fake, real) if isinstance(fake, type) else for_program(fake, real)
            self._patches.name(space, name, fake)
            if callable(real) or name == "environ":
                self._twins[id(real)] = fake
                self._originals.append(real)

    def _rebind_copies(self, module: ModuleType) -> None:
        space = vars(module)
        for name in _facts_of(module).copies:
            twin = self._twins.get(id(space.get(name)))
            if twin is not None:
                self._patches.name(space, name, twin)

    @contextmanager
    def installed(self) -> Iterator[None]:
        """Context in which the names act on the sandbox, in this thread."""
        before = ProgramThread.ident
        with self._patches.installed():
            ProgramThread.ident = get_ident()
            try:
                yield
            finally:
                ProgramThread.ident = before

    @contextmanager
    def resumed(self) -> Iterator[None]:
        """Context, inside of `suspended`, in which the names act on the sandbox again."""
        if ProgramThread.ident:
            yield
            return
        with self.installed():
            yield

    @contextmanager
    def suspended(self) -> Iterator[None]:
        """Context, inside of `installed`, in which all names are real again."""
        before, ProgramThread.ident = ProgramThread.ident, 0
        try:
            with self._patches.suspended():
                yield
        finally:
            ProgramThread.ident = before


def _size(name: str) -> int:
    """How many names a module has; -1 if there is none."""
    module = sys.modules.get(name)
    return len(vars(module)) if isinstance(module, ModuleType) else -1


def _is_library(top: str) -> bool:
    return top not in sys.stdlib_module_names and top not in _NO_LIBRARY


def _standing_for(fake: type, real: Any) -> type:
    """Return a subclass of a class that makes objects of the real one in other threads."""
    if "real" in vars(fake):  # it stands for a real class already
        return fake
    body = {"__module__": fake.__module__, "__doc__": fake.__doc__, "real": real}
    return (_ForProgramABC if isinstance(fake, ABCMeta) else ForProgram)(fake.__name__, (fake,), body)


class _ForProgramABC(ForProgram, ABCMeta):
    """The same for abstract base classes."""
