"""Builds topologies step by step. Ports, datapath ids and addresses that are not given are numbered as in Mininet.

Ports count from 1 in the order of a switch's links; a datapath id is the number in the switch's name; the n-th host is
10.0.0.n with the MAC address 00:00:00:00:00:n.
"""

import itertools
import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from sdnloom.network.topology.spec import (
    MAX_DPID,
    HostSpec,
    LinkSpec,
    SwitchPort,
    SwitchSpec,
    Topology,
    TopologyError,
    check_node_name,
)

FIRST_IP = 10 << 24


@dataclass
class _Host:
    name: str
    mac: int | None
    ip: int | None
    ports: list[tuple[str, int]] = field(default_factory=list)


@dataclass
class _Switch:
    name: str
    dpid: int | None
    ports: set[int]
    used: set[int] = field(default_factory=set)


class TopologyBuilder:
    """Collects switches, hosts and links; `build` returns the topology.

    Law: given numbers are kept; the others depend only on the order of the calls.
    """

    def __init__(self, name: str = "custom", lowest_port: int = 1) -> None:
        self.name, self._lowest_port = name, lowest_port
        self._switches: dict[str, _Switch] = {}
        self._hosts: dict[str, _Host] = {}
        self._links: list[LinkSpec] = []

    def switch(self, name: str, dpid: int | None = None, ports: Iterable[int] = ()) -> str:
        """Add a switch and return its name; it has `ports` even if nothing is plugged into them."""
        self._check_new("switch", name)
        self._switches[name] = _Switch(name, dpid, set(ports))
        return name

    def host(self, name: str, mac: int | None = None, ip: int | None = None) -> str:
        """Add a host and return its name."""
        self._check_new("host", name)
        self._hosts[name] = _Host(name, mac, ip)
        return name

    def link(self, a: str, b: str, a_port: int | None = None, b_port: int | None = None) -> None:
        """Link two nodes; a port that is not given is the next free one of its switch."""
        for end in (a, b):
            if end not in self._switches and end not in self._hosts:
                raise TopologyError(f"link between {a!r} and {b!r}: {end!r} is neither a switch nor a host")
        if a == b:
            raise TopologyError(f"link between {a!r} and itself; expected two different switches or hosts")
        if a in self._hosts and b in self._hosts:
            raise TopologyError(f"link between hosts {a!r} and {b!r}; expected a switch at one end")
        if a in self._hosts:
            a, b, a_port, b_port = b, a, b_port, a_port
        if b in self._hosts:
            self._hosts[b].ports.append((a, self._port(a, a_port)))
        else:
            self._links.append(LinkSpec(a, self._port(a, a_port), b, self._port(b, b_port)))

    def build(self) -> Topology:
        """Return the topology. Raises TopologyError if it is wrong."""
        dpids = self._datapath_ids()
        return Topology(
            self.name,
            tuple(SwitchSpec(s.name, dpids[s.name], tuple(sorted(s.ports))) for s in self._switches.values()),
            tuple(self._host_specs()),
            tuple(self._links),
            self._lowest_port,
        )

    def _check_new(self, what: str, name: str) -> None:
        check_node_name(what, name)
        if name in self._switches or name in self._hosts:
            raise TopologyError(f"{what} {name!r} is added twice; expected each name once")

    def _port(self, switch: str, port: int | None) -> int:
        known = self._switches[switch]
        if port is None:
            port = len(known.used) + 1
            while port in known.used:
                port += 1
        known.used.add(port)
        known.ports.add(port)
        return port

    def _datapath_ids(self) -> dict[str, int]:
        given = {s.name: s.dpid for s in self._switches.values() if s.dpid is not None}
        taken = set(given.values())
        for name in self._switches:
            number = re.search(r"[0-9]{1,19}", name)
            if name not in given and number and 0 < (dpid := int(number[0])) <= MAX_DPID and dpid not in taken:
                given[name] = dpid
                taken.add(dpid)
        following = 1
        for name in self._switches:
            if name not in given:
                while following in taken:
                    following += 1
                given[name] = following
                taken.add(following)
        return given

    def _host_specs(self) -> Iterable[HostSpec]:
        macs = {host.mac for host in self._hosts.values()}
        ips = {host.ip for host in self._hosts.values()}
        for number, host in enumerate(self._hosts.values(), 1):
            if len(host.ports) != 1:
                ports = ", ".join(f"{switch}:{port}" for switch, port in host.ports) or "no port"
                raise TopologyError(
                    f"host {host.name!r} is plugged into {ports}; expected exactly one port of a switch"
                )
            mac, ip = host.mac, host.ip
            if mac is None:
                mac = number
                while mac in macs:
                    mac += 1
                macs.add(mac)
            if ip is None:
                ip = FIRST_IP + number
                while ip in ips:
                    ip += 1
                ips.add(ip)
            yield HostSpec(host.name, mac, ip, *host.ports[0])


def with_hosts_at_each(topology: Topology, count: int, ports: int = 0) -> Topology:
    """Return the topology with so many hosts at each switch instead of its own: h1, h2, ... in the order of switches.

    A host takes the lowest port that is free. Ports up to `ports` stay, those of the hosts before do not.
    """
    builder = TopologyBuilder(topology.name)
    before = {host.switch_port for host in topology.hosts}
    for spec in topology.switches:
        kept = {port for port in spec.ports if (spec.name, port) not in before or port <= ports}
        builder.switch(spec.name, spec.dpid, kept)
    for link in topology.links:
        builder.link(link.a, link.b, link.a_port, link.b_port)
    taken = set(topology.peers)
    number = 0
    for spec in topology.switches:
        for _ in range(count):
            number += 1
            port = next(each for each in itertools.count(1) if SwitchPort(spec.name, each) not in taken)
            taken.add(SwitchPort(spec.name, port))
            builder.link(builder.host(f"h{number}"), spec.name, b_port=port)
    return builder.build()
