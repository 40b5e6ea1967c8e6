"""Agents by name: built-in ones, switches on a socket, and classes of the user's own.

A class is given as `module:Class` or `path/to/file.py:Class`. Its module, and the modules of its folder or package, are
loaded as private copies: once as they are for concrete runs, and once rewritten for exploration. So two versions of an
agent, in two folders with the same file names, can be compared in one process. That code runs with all rights of the
user; no agent is loaded because of something in a partition, test or witness file.
"""

import importlib
import importlib.machinery
import inspect
import os
import sys
from collections.abc import Callable, Collection, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any, Final, Protocol

from sdnloom.crosscheck.agent import Agent, AgentError
from sdnloom.crosscheck.exchange import printed_elsewhere
from sdnloom.network.openflow.constants import VERSIONS
from sdnloom.network.usercode import user_code_errors
from sdnloom.symbolic.operations.calls import distrust
from sdnloom.symbolic.rewrite.imports import RewrittenModules


class AgentSource(Protocol):
    """Where agents of one kind come from. A black box cannot be explored, only tried."""

    name: str
    versions: frozenset[int]  # wire versions of OpenFlow that it speaks
    black_box: bool

    def open(self, version: int) -> AbstractContextManager[Agent]:
        """Start an agent for concrete runs, and stop it at the end of the block."""
        ...

    def symbolic(self, version: int) -> Callable[[], Agent]:
        """Return what makes agents whose code is rewritten for exploration, one for each run."""
        ...


# Name -> module and function that makes the source of the text behind the name, such as `flags` of `modified:flags`.
# Modules are imported when their agent is named.
BUILT_IN_AGENTS: Final[dict[str, str]] = {
    "strict": "sdnloom.crosscheck.agents.strict_source:strict_source",
    "reference-like": "sdnloom.crosscheck.agents.compact.source:reference_like_source",
    "ovs-like": "sdnloom.crosscheck.agents.compact.source:ovs_like_source",
    "modified": "sdnloom.crosscheck.agents.compact.source:modified_source",
    "openvswitch": "sdnloom.crosscheck.agents.openvswitch:openvswitch_source",
    "unix": "sdnloom.crosscheck.agents.socket_agent:unix_source",
    "tcp": "sdnloom.crosscheck.agents.socket_agent:tcp_source",
    "listen": "sdnloom.crosscheck.agents.socket_agent:listen_source",
}
_STRICT: Final = "sdnloom.crosscheck.agents.strict"
_COMPACT: Final = "sdnloom.crosscheck.agents.compact"
distrust(_STRICT, _COMPACT)  # as they are, they read symbolic bytes as plain ones
_METHODS: Final = ("reset", "message", "packet", "advance")
_PARTS: Final = {"unix": "unix:PATH", "tcp": "tcp:PORT", "listen": "listen:PORT"}
_EXPECTED: Final = (
    f"one of {', '.join(_PARTS.get(each, each) for each in BUILT_IN_AGENTS)}, module:Class or file.py:Class"
)


def load_agent(name: str) -> AgentSource:
    """Return the source of the agent with this name; raise AgentError if there is none."""
    known, _, rest = name.partition(":")
    if known in BUILT_IN_AGENTS:
        module, _, attribute = BUILT_IN_AGENTS[known].partition(":")
        source: AgentSource = getattr(importlib.import_module(module), attribute)(rest)
        return source
    place, colon, kind = name.rpartition(":")
    if not colon or not place or not kind.isidentifier():
        raise AgentError(f"agent {name!r}: expected {_EXPECTED}")
    return class_in_file(Path(place), kind) if place.endswith(".py") else class_in_module(place, kind)


def class_in_file(file: Path, kind: str, name: str | None = None) -> "ClassSource":
    """Return the source of a class in a file. The file may import others of its folder."""
    path = file.resolve()
    try:
        source = path.read_text("utf-8")
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise AgentError(f"{file}: cannot read the agent: {reason}") from None
    folder = str(path.parent)

    def load(rewriting: bool) -> ModuleType:
        modules = _modules(lambda module: _is_in(module, folder), [folder, *sys.path], rewriting)
        return modules.run(source, str(path), f"sdnloom_agent_{path.stem}")

    return ClassSource(name or f"{file}:{kind}", file, kind, load)


def class_in_module(
    module: str, kind: str, name: str | None = None, *, selects: Callable[[str], bool] | None = None
) -> "ClassSource":
    """Return the source of a class in a module, which is looked for in the current folder too.

    Modules that `selects` accepts are rewritten with it; by default those of its package, without sdnloom's own, and
    those of the current folder if it is there.
    """
    if not all(part.isidentifier() for part in module.split(".")):
        raise AgentError(f"agent {module}:{kind}: {module!r} is no name of a module; expected {_EXPECTED}")
    package = module.partition(".")[0]
    folders = [os.getcwd(), *sys.path]
    spec = importlib.machinery.PathFinder.find_spec(package, folders)
    if spec is None or (spec.origin is None and spec.submodule_search_locations is None):
        raise AgentError(f"agent {module}:{kind}: there is no module {package!r} in this folder or installed")
    place = Path(spec.origin) if spec.origin else Path(next(iter(spec.submodule_search_locations or ("",))))

    def load(rewriting: bool) -> ModuleType:
        return _modules(selects or together, folders, rewriting).load(module)

    def together(other: str) -> bool:
        neighbours = place.is_relative_to(folders[0]) and _is_in(other, folders[0])
        return neighbours or other == module or (other.partition(".")[0] == package != "sdnloom")

    return ClassSource(name or f"{module}:{kind}", place, kind, load)


def _modules(selects: Callable[[str], bool], path: list[str], rewriting: bool) -> RewrittenModules:
    """Return the loader of an agent's code. Agents of sdnloom that it wraps or extends are rewritten with it."""
    if not rewriting:
        return RewrittenModules(selects, path=path, rewriting=False)
    copies = {}
    if _STRICT in sys.modules:  # the agent's own code was loaded before: only then it can import this
        from sdnloom.crosscheck.agents.strict_copy import strict_module  # rewrites the model, which takes a second

        copies[_STRICT] = strict_module()
    return RewrittenModules(lambda module: _is_of_compact(module) or selects(module), copies, path=path)


def _is_of_compact(module: str) -> bool:
    return module == _COMPACT or module.startswith(f"{_COMPACT}.")


def _is_in(module: str, folder: str) -> bool:
    """Return whether a module, or the package that it belongs to, is in a folder."""
    top = module.partition(".")[0]
    if top in sys.stdlib_module_names or top == "sdnloom":
        return False
    return importlib.machinery.PathFinder.find_spec(top, [folder]) is not None


class ClassSource:
    """Agents that are instances of a Python class, called without arguments or with the version if it has one.

    The class may have an attribute `versions`, the wire versions that it speaks; otherwise 1.0 and 1.3 are tried.
    """

    black_box = False

    def __init__(self, name: str, place: Path, kind: str, load: Callable[[bool], ModuleType]) -> None:
        self.name, self._place, self._kind, self._load = name, place, kind, load
        self._classes: dict[bool, type[Any]] = {}
        stated = getattr(self._class(False), "versions", VERSIONS)
        if not isinstance(stated, Collection) or not all(isinstance(version, int) for version in stated):
            raise AgentError(f"agent {name}: versions is {stated!r:.80}; expected numbers such as (1, 4)")
        self.versions = frozenset(stated)

    @contextmanager
    def open(self, version: int) -> Iterator[Agent]:
        """Make an instance with its own code."""
        yield self._factory(version, False)()

    def symbolic(self, version: int) -> Callable[[], Agent]:
        """Return what makes instances with rewritten code."""
        return self._factory(version, True)

    def _class(self, rewriting: bool) -> type[Any]:
        if rewriting not in self._classes:
            self._classes[rewriting] = self._loaded(rewriting)
        return self._classes[rewriting]

    def _loaded(self, rewriting: bool) -> type[Any]:
        with user_code_errors(self._place, "the agent"), printed_elsewhere():
            try:
                module = self._load(rewriting)
            except SyntaxError as error:
                raise AgentError(f"{error.filename}, line {error.lineno}: not Python: {error.msg}") from None
        found = getattr(module, self._kind, None)
        if not isinstance(found, type):
            raise AgentError(f"agent {self.name}: {self._place} has no class {self._kind}")
        missing = [each for each in _METHODS if not callable(getattr(found, each, None))]
        if missing:
            raise AgentError(f"agent {self.name}: the class lacks {', '.join(missing)}")
        return found

    def _factory(self, version: int, rewriting: bool) -> Callable[[], Agent]:
        kind = self._class(rewriting)
        if version not in self.versions:
            raise AgentError(f"agent {self.name} does not speak OpenFlow version {version}")
        try:
            takes_version = "version" in inspect.signature(kind).parameters
        except (TypeError, ValueError):
            takes_version = False

        def make() -> Agent:
            with user_code_errors(self._place, f"{self._kind}()"), printed_elsewhere():
                agent: Agent = kind(version=version) if takes_version else kind()
            return agent

        return make
