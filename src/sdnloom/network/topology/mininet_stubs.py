"""Stubs of the `mininet` package, so that a Topo file runs without Mininet.

`mininet.topo` and `mininet.topolib` record switches, hosts and links. All other modules that a Topo file usually
imports (node and link classes, the network, the command line, logging) have only classes that do nothing.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

_INERT = ("clean", "cli", "clustercli", "link", "log", "net", "node", "nodelib", "term", "util")


class Topo:
    """Mininet's Topo: the constructor calls `build` with its arguments, which adds nodes and links."""

    def __init__(self, *args: Any, **params: Any) -> None:
        self.recorded_switches: dict[str, dict[str, Any]] = {}
        self.recorded_hosts: dict[str, dict[str, Any]] = {}
        self.recorded_links: list[tuple[str, str, Any, Any]] = []
        self.hopts = params.pop("hopts", {})
        self.sopts = params.pop("sopts", {})
        self.lopts = params.pop("lopts", {})
        self.build(*args, **params)

    def build(self, *args: Any, **params: Any) -> None:
        """Add nodes and links. A Topo file overrides it, or adds them after the constructor."""

    def addNode(self, name: str, **opts: Any) -> str:  # noqa: N802 (Mininet's names)
        """Add a node: a switch if `isSwitch` is true, else a host."""
        return self.addSwitch(name, **opts) if opts.pop("isSwitch", False) else self.addHost(name, **opts)

    def addHost(self, name: str, **opts: Any) -> str:  # noqa: N802
        """Add a host and return its name."""
        self.recorded_hosts[name] = {**self.hopts, **opts}
        return name

    def addSwitch(self, name: str, **opts: Any) -> str:  # noqa: N802
        """Add a switch and return its name."""
        self.recorded_switches[name] = {**self.sopts, **opts}
        return name

    def addLink(  # noqa: N802
        self, node1: str, node2: str, port1: Any = None, port2: Any = None, key: Any = None, **opts: Any
    ) -> int:
        """Add a link and return its number."""
        self.recorded_links.append((node1, node2, port1, port2))
        return len(self.recorded_links) - 1

    def isSwitch(self, name: str) -> bool:  # noqa: N802
        """Whether the node is a switch."""
        return name in self.recorded_switches

    def nodes(self, sort: bool = True) -> list[str]:
        """The names of all nodes."""
        names = [*self.recorded_switches, *self.recorded_hosts]
        return sorted(names) if sort else names

    def switches(self, sort: bool = True) -> list[str]:
        """The names of all switches."""
        return sorted(self.recorded_switches) if sort else list(self.recorded_switches)

    def hosts(self, sort: bool = True) -> list[str]:
        """The names of all hosts."""
        return sorted(self.recorded_hosts) if sort else list(self.recorded_hosts)

    def links(self, sort: bool = False, **_: Any) -> list[tuple[str, str]]:
        """The pairs of linked nodes."""
        pairs = [(a, b) for a, b, _, _ in self.recorded_links]
        return sorted(pairs) if sort else pairs

    def nodeInfo(self, name: str) -> dict[str, Any]:  # noqa: N802
        """The options of a node."""
        return self.recorded_switches[name] if name in self.recorded_switches else self.recorded_hosts[name]


class SingleSwitchTopo(Topo):
    """One switch and k hosts."""

    def build(self, k: int = 2, **_: Any) -> None:
        self.addSwitch("s1")
        for number in range(1, k + 1):
            self.addLink(self.addHost(f"h{number}"), "s1")


class LinearTopo(Topo):
    """k switches in a line with n hosts each."""

    def build(self, k: int = 2, n: int = 1, **_: Any) -> None:
        for number in range(1, k + 1):
            self.addSwitch(f"s{number}")
            for host in range(1, n + 1):
                self.addLink(self.addHost(f"h{number}" if n == 1 else f"h{host}s{number}"), f"s{number}")
            if number > 1:
                self.addLink(f"s{number}", f"s{number - 1}")


class TreeTopo(Topo):
    """A tree of switches with hosts as leaves."""

    def build(self, depth: int = 1, fanout: int = 2, **_: Any) -> None:
        self._grow(depth, fanout)

    def _grow(self, depth: int, fanout: int) -> str:
        if depth == 0:
            return self.addHost(f"h{len(self.recorded_hosts) + 1}")
        node = self.addSwitch(f"s{len(self.recorded_switches) + 1}")
        for _ in range(fanout):
            self.addLink(node, self._grow(depth - 1, fanout))
        return node


class _Inert(ModuleType):
    """A module in which every name is a class that does nothing."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        placeholder = type(name, (_Placeholder,), {"__module__": self.__name__})
        setattr(self, name, placeholder)
        return placeholder


class _Placeholder:
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        pass


def _irange(start: int, end: int) -> range:
    """Mininet's range that includes its end."""
    return range(start, end + 1)


@contextmanager
def mininet_stubs() -> Iterator[type[Topo]]:
    """Let imports find the stubs inside the block; an installed Mininet is restored afterwards."""
    package = ModuleType("mininet")
    modules = {name: _Inert(f"mininet.{name}") for name in _INERT}
    modules["topo"] = _module("mininet.topo", Topo, SingleSwitchTopo, LinearTopo)
    modules["topolib"] = _module("mininet.topolib", TreeTopo)
    modules["util"].irange = _irange  # type: ignore[attr-defined]
    modules["topo"].irange = _irange  # type: ignore[attr-defined]
    package.__path__ = []
    saved = {name: module for name, module in sys.modules.items() if name.split(".")[0] == "mininet"}
    for name in saved:
        del sys.modules[name]
    for name, module in modules.items():
        setattr(package, name, module)
        sys.modules[f"mininet.{name}"] = module
    sys.modules["mininet"] = package
    try:
        yield Topo
    finally:
        for name in [name for name in sys.modules if name.split(".")[0] == "mininet"]:
            del sys.modules[name]
        sys.modules.update(saved)


def _module(name: str, *classes: type) -> _Inert:
    module = _Inert(name)
    for cls in classes:
        setattr(module, cls.__name__, cls)
    return module
