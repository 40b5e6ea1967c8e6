"""The topology as one value: switches with numbered ports, hosts at ports, links between ports."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import NamedTuple, TypeVar

from sdnloom.errors import SdnloomError
from sdnloom.network.value import Hex, Ip4, Mac, Value, ip4_text, mac_text

MAX_PORT = 0xFEFF  # the last ordinary port of OpenFlow 1.0; 1.3 has more
MAX_DPID = (1 << 64) - 1
_NAME = re.compile(r"[^\W\d][\w.-]*")


class TopologyError(SdnloomError):
    """A wrong topology. The message names the part, its value and what was expected."""


class SwitchPort(NamedTuple):
    """A port of a switch, written `s1:2`."""

    switch: str
    port: int

    def __str__(self) -> str:
        return f"{self.switch}:{self.port}"


@dataclass(frozen=True, slots=True, repr=False)
class SwitchSpec(Value):
    """A switch: its name, its datapath id and the numbers of its ports."""

    name: str
    dpid: Hex
    ports: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, repr=False)
class HostSpec(Value):
    """A host: its addresses and the port that it is plugged into at the start.

    `prefix` is the length of its network's prefix, by default Mininet's. What is not for its own network goes to the
    address `gateway`; 0 is none: then it sends to every address directly.
    """

    name: str
    mac: Mac
    ip: Ip4
    switch: str
    port: int
    prefix: int = 8
    gateway: Ip4 = 0

    @property
    def switch_port(self) -> SwitchPort:
        """The port that the host is plugged into."""
        return SwitchPort(self.switch, self.port)

    def next_hop(self, ip: int) -> int:
        """The IP address to whose MAC address it sends a packet for an IP address: that address, or the gateway."""
        return self.gateway if self.gateway and not in_network(self, ip) else ip


@dataclass(frozen=True, slots=True, repr=False)
class LinkSpec(Value):
    """A link between two switches. It has no direction: (a, b) and (b, a) are the same link."""

    a: str
    a_port: int
    b: str
    b_port: int

    @property
    def ends(self) -> tuple[SwitchPort, SwitchPort]:
        """Both ends, `a` first."""
        return SwitchPort(self.a, self.a_port), SwitchPort(self.b, self.b_port)

    @property
    def name(self) -> str:
        """The name of the link in messages and scenario files, such as "s1:2-s2:1"."""
        return f"{self.a}:{self.a_port}-{self.b}:{self.b_port}"


@dataclass(frozen=True, slots=True, repr=False)
class Topology(Value):
    """Switches, hosts and links. Law: names, datapath ids, MAC and IP addresses are distinct; a port is used once.

    `lowest_port` is 1 as in OpenFlow, or 0 where ports count from 0.
    """

    name: str
    switches: tuple[SwitchSpec, ...]
    hosts: tuple[HostSpec, ...] = ()
    links: tuple[LinkSpec, ...] = ()
    lowest_port: int = 1

    def __post_init__(self) -> None:
        for switch in self.switches:
            _check_switch(switch, self.lowest_port)
        for host in self.hosts:
            _check_host(host)
        names = [switch.name for switch in self.switches] + [host.name for host in self.hosts]
        _distinct("name", [(name, name) for name in names])
        _distinct("datapath id", [(f"{switch.dpid:#x}", switch.name) for switch in self.switches])
        _distinct("MAC address", [(mac_text(host.mac), host.name) for host in self.hosts])
        _distinct("IP address", [(ip4_text(host.ip), host.name) for host in self.hosts])
        uses: dict[SwitchPort, str] = {}
        for host in self.hosts:
            self._occupy(uses, host.switch_port, f"host {host.name!r}")
        for link in self.links:
            for end in link.ends:
                self._occupy(uses, end, f"link {link.name}")

    def switch(self, name: str) -> SwitchSpec:
        """The switch of that name."""
        return _named("switch", name, self.switches)

    def host(self, name: str) -> HostSpec:
        """The host of that name."""
        return _named("host", name, self.hosts)

    @property
    def peers(self) -> dict[SwitchPort, SwitchPort]:
        """The other end of each link, by the port at one end."""
        pairs = [link.ends for link in self.links]
        return dict(pairs) | {b: a for a, b in pairs}

    def has(self, port: SwitchPort) -> bool:
        """Whether the topology has this port."""
        return any(switch.name == port.switch and port.port in switch.ports for switch in self.switches)

    def check_port(self, port: SwitchPort) -> SwitchPort:
        """Return the port. Raises TopologyError if the topology does not have it."""
        names = [switch.name for switch in self.switches]
        if port.switch not in names:
            raise TopologyError(f"{port} is on no switch; expected one of {', '.join(names) or '(no switches)'}")
        if not self.has(port):
            ports = ", ".join(map(str, self.switch(port.switch).ports)) or "(none)"
            raise TopologyError(f"{port} is a missing port; the ports of {port.switch} are {ports}")
        return port

    def with_hosts(self, hosts: Iterable[HostSpec]) -> "Topology":
        """The topology with these hosts instead of its own."""
        return replace(self, hosts=tuple(hosts))

    def _occupy(self, uses: dict[SwitchPort, str], port: SwitchPort, user: str) -> None:
        try:
            self.check_port(port)
        except TopologyError as error:
            raise TopologyError(f"{user}: {error}") from None
        if port in uses:
            raise TopologyError(f"{user} is at port {port}, which is taken by {uses[port]}; expected a free port")
        uses[port] = user


def in_network(host: HostSpec, ip: int) -> bool:
    """Whether an IP address belongs to the network of a host."""
    return (host.ip ^ ip) >> (32 - host.prefix) == 0


_Spec = TypeVar("_Spec", SwitchSpec, HostSpec)


def _named(what: str, name: str, known: tuple[_Spec, ...]) -> _Spec:
    for spec in known:
        if spec.name == name:
            return spec
    raise TopologyError(f"{name!r} is no {what}; expected one of {', '.join(spec.name for spec in known) or '(none)'}")


def is_node_name(text: object) -> bool:
    """Whether a text can be the name of a switch or a host: one word, as messages and files need it."""
    return isinstance(text, str) and _NAME.fullmatch(text) is not None


def check_node_name(what: str, name: object) -> None:
    """Raise TopologyError unless the name can be that of a switch or a host."""
    if not is_node_name(name):
        raise TopologyError(f"{what} name {name!r}: expected letters, digits and any of _ - . with a letter or _ first")


def _check_switch(switch: SwitchSpec, lowest_port: int) -> None:
    check_node_name("switch", switch.name)
    _check_number(f"dpid of switch {switch.name!r}", switch.dpid, 0, MAX_DPID)
    for port in switch.ports:
        _check_number(f"port of switch {switch.name!r}", port, lowest_port, MAX_PORT)
    if list(switch.ports) != sorted(set(switch.ports)):
        raise TopologyError(f"switch {switch.name!r} has the ports {switch.ports}; expected each once, in order")


def _check_host(host: HostSpec) -> None:
    check_node_name("host", host.name)
    _check_number(f"MAC address of host {host.name!r}", host.mac, 1, (1 << 48) - 1)
    if host.mac >> 40 & 1:
        raise TopologyError(f"host {host.name!r} has the group address {mac_text(host.mac)}; expected a unicast one")
    _check_number(f"IP address of host {host.name!r}", host.ip, 1, (1 << 32) - 1)
    _check_number(f"prefix of host {host.name!r}", host.prefix, 1, 32)
    _check_number(f"gateway of host {host.name!r}", host.gateway, 0, (1 << 32) - 1)
    if host.gateway and (host.gateway == host.ip or not in_network(host, host.gateway)):
        raise TopologyError(
            f"host {host.name!r} has the gateway {ip4_text(host.gateway)}; "
            f"expected another address of its network {ip4_text(host.ip)}/{host.prefix}"
        )


def _check_number(what: str, number: object, low: int, high: int) -> None:
    if type(number) is not int or not low <= number <= high:
        shown = repr(number) if type(number) is not int or abs(number) < 1 << 80 else "a huge number"
        raise TopologyError(f"{what} is {shown}; expected a whole number from {low} to {high}")


def _distinct(what: str, pairs: Iterable[tuple[str, str]]) -> None:
    owners: dict[str, str] = {}
    for value, owner in pairs:
        if value in owners:
            who = f"{owners[value]!r} and {owner!r}" if value != owner else "two parts of the topology"
            raise TopologyError(f"{what} {value} belongs to {who}; expected each {what} once")
        owners[value] = owner
