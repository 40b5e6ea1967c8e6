"""The modules that NOX apps import: `nox`, and the used parts of `twisted`. Each program gets new ones.

Only the program can import them (`load`); `sys.modules` does not have them.
"""

import logging
import socket
import struct
import types
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from sdnloom.platforms.nox import component, events, netinet, octets, openflow, util
from sdnloom.platforms.nox.kernel import Kernel, NoxError, NoxTimer
from sdnloom.platforms.nox.packet import (
    arp,
    ethernet,
    icmp,
    ipv4,
    lldp,
    packet_base,
    packet_exceptions,
    packet_utils,
    tcp,
    udp,
    vlan,
)
from sdnloom.platforms.sandbox.clock import Clock
from sdnloom.platforms.sandbox.fake_modules import virtual_modules

_HEADERS = (arp, ethernet, icmp, ipv4, lldp, tcp, udp, vlan)
_PACKETS = (*_HEADERS, packet_base, packet_exceptions, packet_utils)
_NETWORK_CALLS = (
    "socket",
    "create_connection",
    "create_server",
    "socketpair",
    "fromfd",
    "getaddrinfo",
    "gethostbyname",
)


class Reactor:
    """`twisted.internet.reactor`: its timers are NOX's."""

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel

    def callLater(self, delay: float, function: Callable[..., Any], *arguments: Any) -> NoxTimer:
        """Call a function once, after some seconds."""
        return self._kernel.set_timer(delay, function, arguments)

    def seconds(self) -> float:
        """Return the time."""
        return self._kernel.clock.seconds()


def provided_modules(kernel: Kernel) -> dict[str, types.ModuleType]:
    """Return the modules by name, including those of `sdnloom.platforms.sandbox.fake_modules`."""
    numbers = {name: each for name, each in vars(openflow).items() if name.startswith(("OFP", "ofp_", "UINT32"))}
    packets = {f"nox.lib.packet.{_last(each)}": _exported(each) for each in _PACKETS}
    everything: dict[str, Any] = {}
    for names in packets.values():
        everything |= names
    core = {
        **_exported(events),
        **_exported(util),
        **{name: everything[name] for name in everything if not name.startswith(("TYPE_", "CODE_"))},
        **component.NAMES,
        "Component": component.Component,
        "Packet_expr": netinet.Packet_expr,
        "lg": logging.getLogger("core"),
        "htons": socket.htons,
        "htonl": socket.htonl,
    }
    contents: dict[str, Mapping[str, Any]] = {
        "nox.coreapps.pyrt.pycomponent": _exported(events),
        "nox.lib.openflow": numbers,
        "nox.lib.netinet.netinet": _exported(netinet),
        **packets,
        "nox.lib.util": _exported(util),
        "nox.lib.core": core,
        "twisted.python.log": {"msg": _say, "err": _say, "debug": _say},
        "twisted.internet": {"reactor": Reactor(kernel)},
        "array": {name: getattr(octets, name) for name in ("array", "ArrayType", "typecodes")},
        "socket": {**vars(socket), **{name: _refusing(f"socket.{name}") for name in _NETWORK_CALLS}},
    }
    found = _packages(contents)
    virtual = virtual_modules(kernel.clock, kernel.draws, _sleeping(kernel.clock))
    core_module = found["nox.lib.core"]
    # `nox.lib.packet` holds modules, and NOX's core has them by `import *`: a header is `ethernet.ethernet`.
    vars(core_module).update({_last(each): found[f"nox.lib.packet.{_last(each)}"] for each in _PACKETS})
    shared = {"core": core_module, "openflow": found["nox.lib.openflow"], "array": found["array"]}
    for name in ("nox.lib.core", "nox.lib.util"):
        vars(found[name]).update(shared, struct=struct, types=types, logging=logging)
    return {**found, **virtual}


def _last(module: types.ModuleType) -> str:
    return module.__name__.rpartition(".")[2]


def _exported(module: types.ModuleType) -> dict[str, Any]:
    return {name: getattr(module, name) for name in module.__all__}


def _packages(contents: Mapping[str, Mapping[str, Any]]) -> dict[str, types.ModuleType]:
    """Return modules with these contents and the packages that they are in."""
    found: dict[str, types.ModuleType] = {}
    for name in sorted({prefix for each in contents for prefix in _prefixes(each)}):
        module = found[name] = types.ModuleType(name)
        if any(each.startswith(f"{name}.") for each in contents):
            module.__path__ = []
        vars(module).update({key: each for key, each in contents.get(name, {}).items() if not key.startswith("__")})
    for name, module in found.items():
        package, _, last = name.rpartition(".")
        if package and last not in vars(found[package]):
            setattr(found[package], last, module)
    return found


def _prefixes(name: str) -> Iterable[str]:
    parts = name.split(".")
    return (".".join(parts[:size]) for size in range(1, len(parts) + 1))


def _say(*texts: Any, **about: Any) -> None:
    """Twisted's log: discarded."""


def _sleeping(clock: Clock) -> Callable[[float], None]:
    def sleep(seconds: float) -> None:
        """Let time pass; NOX has one thread, so nothing else runs."""
        clock.now += max(0, round(seconds * 1_000_000_000))

    return sleep


def _refusing(name: str) -> Callable[..., Any]:
    def refuse(*arguments: Any, **options: Any) -> Any:
        raise NoxError(f"the program calls {name}; expected one that reaches the network through NOX only")

    return refuse


def pins(modules: Mapping[str, types.ModuleType]) -> dict[str, Any]:
    """Return the objects in these modules that hold no state of the program, by stable names."""
    found: dict[str, Any] = {}
    for name in sorted(modules):
        found[name] = modules[name]
        for key, each in vars(modules[name]).items():
            if isinstance(each, types.FunctionType | types.MethodType | Reactor):
                found.setdefault(f"{name}.{key}", each)
    return found
