"""The `[topology]` table, and the ports and addresses of `[[hosts]]`."""

import itertools
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from sdnloom.network.topology import (
    HostSpec,
    SwitchPort,
    Topology,
    TopologyError,
    custom,
    linear,
    load_graphml,
    load_mininet,
    load_topohub,
    mesh,
    ring,
    single,
    torus,
    tree,
)
from sdnloom.network.topology.builder import FIRST_IP, with_hosts_at_each
from sdnloom.network.topology.shapes import parse_end
from sdnloom.network.topology.spec import in_network
from sdnloom.network.value import AddressError, ip, ip4_text, mac
from sdnloom.scenario_file.table import Table

_MOST = 10_000
_MOST_HOSTS = 1000


def read_topology(table: Table) -> Topology:
    """The topology of a `[topology]` table, with its own hosts."""
    shape = table.choice("shape", SHAPES)
    topology = SHAPES[shape](table)
    table.close()
    return topology


def _single(table: Table) -> Topology:
    hosts, ports = table.whole("hosts", 0, _MOST, 2), _ports(table)
    return table.calling("", lambda: single(hosts, ports))


def _line(build: Callable[[int, int, int], Topology]) -> Callable[[Table], Topology]:
    def read(table: Table) -> Topology:
        switches, hosts, ports = table.whole("switches", 1, _MOST), _hosts(table), _ports(table)
        return table.calling("", lambda: build(switches, hosts, ports))

    return read


def _tree(table: Table) -> Topology:
    depth, fanout, ports = table.whole("depth", 1, 64), table.whole("fanout", 1, _MOST, 2), _ports(table)
    return _with_hosts(table, table.calling("", lambda: tree(depth, fanout, ports)), ports)


def _torus(table: Table) -> Topology:
    rows, columns, ports = table.whole("rows", 3, _MOST), table.whole("columns", 3, _MOST), _ports(table)
    return _with_hosts(table, table.calling("", lambda: torus(rows, columns, ports)), ports)


def _custom(table: Table) -> Topology:
    switches, ports = table.texts("switches"), _ports(table)
    links = table.get(
        "links",
        'a list of pairs such as ["s1:2", "s2:2"]',
        lambda value: isinstance(value, list) and all(map(_is_pair, value)),
        [],
    )
    return _with_hosts(table, table.calling("", lambda: custom(switches, links, ports=ports)), ports)


def _is_pair(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(isinstance(end, str) for end in value)


def _mininet(table: Table) -> Topology:
    file = table.beside("file", table.text("file", expected="the name of a Mininet Topo file"))
    name = table.text("topo", None, expected="a name of topos, with arguments as after mininet's --topo")
    arguments = table.get("arguments", "a list", lambda value: isinstance(value, list), [])
    options = table.plain("options", {})
    if not isinstance(options, dict):
        table.fail("options", options, "a table")
    return _with_hosts(table, table.calling("file", lambda: load_mininet(file, name, arguments, options)))


def _graphml(table: Table) -> Topology:
    file = table.beside("file", table.text("file", expected="the name of a GraphML file"))
    hosts = _hosts(table)
    return table.calling("file", lambda: load_graphml(file, hosts))


def _topohub(table: Table) -> Topology:
    name = table.text("name", expected="a network of topohub such as topozoo/Abilene")
    hosts = _hosts(table)
    return table.calling("name", lambda: load_topohub(name, hosts))


SHAPES: dict[str, Callable[[Table], Topology]] = {
    "single": _single,
    "linear": _line(linear),
    "ring": _line(ring),
    "mesh": _line(mesh),
    "tree": _tree,
    "torus": _torus,
    "custom": _custom,
    "mininet": _mininet,
    "graphml": _graphml,
    "topohub": _topohub,
}


def _with_hosts(table: Table, topology: Topology, ports: int = 0) -> Topology:
    """The topology with `hosts` hosts at each switch; without that key, with its own."""
    hosts = table.whole("hosts", 0, _MOST_HOSTS, None)
    return topology if hosts is None else table.calling("hosts", lambda: with_hosts_at_each(topology, hosts, ports))


def _hosts(table: Table) -> int:
    return table.whole("hosts", 0, _MOST_HOSTS, 1)  # type: ignore[no-any-return]


def _ports(table: Table) -> int:
    return table.whole("ports", 0, 1000, 0)  # type: ignore[no-any-return]


def read_hosts(topology: Topology, tables: Sequence[Table]) -> Topology:
    """The topology with the hosts of the `[[hosts]]` tables.

    If they have ports of their own (`at`), they replace those of the topology; if not, they are hosts of the topology.
    """
    names = _distinct(tables, "name", [table.text("name") for table in tables])
    macs = _distinct(tables, "mac", [_address(table, "mac", mac) for table in tables])
    ips = _distinct(tables, "ip", [_address(table, "ip", ip) for table in tables])
    entries = list(zip(tables, names, macs, ips, strict=True))
    if any("at" in table for table in tables):
        return _with_gateways(topology.with_hosts(_placed(topology, entries)), tables)
    hosts = {host.name: host for host in topology.hosts}
    for table, name, address, network in entries:
        if name not in hosts:
            known = ", ".join(hosts) or "none"
            table.fail("name", name, f'a host of the topology ({known}), or a port for every host: at = "s1:1"')
        spec = hosts[name]
        hosts[name] = replace(spec, mac=address or spec.mac, ip=network or spec.ip)
    return _with_gateways(topology.with_hosts(hosts.values()), tables)


def _with_gateways(topology: Topology, tables: Sequence[Table]) -> Topology:
    """The topology whose hosts have the prefix lengths and gateways of their tables."""
    specs = {host.name: host for host in topology.hosts}
    for table in tables:
        host = specs[table.text("name")]
        prefix = _prefix(table)
        if prefix is not None:
            host = replace(host, prefix=prefix)
        specs[host.name] = replace(host, gateway=_gateway(table, host, topology) if "gateway" in table else 0)
    return topology.with_hosts(specs.values())


def _prefix(table: Table) -> int | None:
    """The length of the prefix after the slash in `ip`; None if there is none."""
    text = table.text("ip", None) or ""
    _, slash, length = text.partition("/")
    if not slash:
        return None
    if not (length.isascii() and length.isdigit() and len(length) < 3 and 1 <= int(length) <= 32):
        table.fail("ip", text, "a prefix length from 1 to 32 after the slash, such as 10.0.0.1/24")
    return int(length)


def _gateway(table: Table, host: HostSpec, topology: Topology) -> int:
    text = table.text("gateway")
    if "ip" in table and _prefix(table) is None:
        table.fail("ip", table.text("ip"), "a prefix length, such as 10.0.0.1/24: the gateway serves other networks")
    expected = (
        f"an address of the network {ip4_text(host.ip)}/{host.prefix}, or the name of a host with such an address"
    )
    owner = next((other for other in topology.hosts if other.name == text), None)
    try:
        address = ip(text) if owner is None and ":" not in text else owner.ip if owner else 0
    except AddressError:
        table.fail("gateway", text, expected)
    if not address or address == host.ip or not in_network(host, address):
        table.fail("gateway", text, expected)
    return address


def _placed(topology: Topology, entries: list[tuple[Table, str, int | None, int | None]]) -> list[HostSpec]:
    """Hosts with ports of their own; addresses that are not given are those of a number that is free."""
    macs, ips = {entry[2] for entry in entries}, {entry[3] for entry in entries}
    taken: set[SwitchPort] = set()
    hosts = []
    for number, (table, name, address, network) in enumerate(entries, 1):
        port = _free_port(topology, table, taken)
        address = address or next(n for n in itertools.count(number) if n not in macs)
        network = network or next(n for n in itertools.count(FIRST_IP + number) if n not in ips)
        taken.add(port)
        macs.add(address)
        ips.add(network)
        hosts.append(HostSpec(name, address, network, *port))
    return hosts


def _distinct(tables: Sequence[Table], key: str, values: list[Any]) -> list[Any]:
    for number, value in enumerate(values):
        if value is not None and value in values[:number]:
            other = tables[values.index(value)].text("name")
            tables[number].fail(key, tables[number].text(key), f"a {key} that no other host has (host {other} has it)")
    return values


def _address(table: Table, key: str, parse: Callable[[str], int]) -> int | None:
    expected = "a MAC address such as 00:00:00:00:00:01" if key == "mac" else "an IPv4 address such as 10.0.0.1"
    text = table.text(key, None, expected)
    if text is None:
        return None
    try:
        number = parse(text.partition("/")[0] if key == "ip" else text)
    except AddressError:
        table.fail(key, text, expected)
    if number == 0 or (key == "ip" and ":" in text) or (key == "mac" and number >> 40 & 1):
        table.fail(key, text, f"{expected} of one host")
    return number


def _free_port(topology: Topology, table: Table, taken: set[SwitchPort]) -> SwitchPort:
    linked = topology.peers
    free = [
        str(SwitchPort(switch.name, port))
        for switch in topology.switches
        for port in switch.ports
        if SwitchPort(switch.name, port) not in linked and SwitchPort(switch.name, port) not in taken
    ]
    expected = f"a free port of a switch: {_some(free)}"
    text = table.text("at", expected=expected)
    try:
        switch, port = parse_end(text)
    except TopologyError:
        table.fail("at", text, expected)
    if text not in free or port is None:
        table.fail("at", text, expected)
    return SwitchPort(switch, port)


def _some(names: list[str]) -> str:
    shown = ", ".join(names[:12]) or "(none is left; raise topology.ports)"
    return f"{shown}, ..." if len(names) > 12 else shown
