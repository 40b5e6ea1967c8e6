"""Regular topologies. Names and ports of single, linear, tree and torus are those of Mininet."""

import itertools
from collections.abc import Iterable

from sdnloom.network.topology.builder import TopologyBuilder
from sdnloom.network.topology.spec import Topology, TopologyError

MAX_SWITCHES = 10_000
MAX_MESH = 200  # the number of links is quadratic


def single(hosts: int = 2, ports: int = 0) -> Topology:
    """One switch with `hosts` hosts. Every switch of a shape has at least the ports 1 to `ports`."""
    _check("hosts", hosts, 0)
    builder = _builder("single", 1, ports)
    for number in range(1, hosts + 1):
        builder.link(builder.host(f"h{number}"), "s1")
    return builder.build()


def linear(switches: int, hosts: int = 1, ports: int = 0) -> Topology:
    """Switches in a line with `hosts` hosts at each. The ports of hosts come before those of links."""
    return _line("linear", switches, hosts, ports).build()


def ring(switches: int, hosts: int = 1, ports: int = 0) -> Topology:
    """Switches in a ring with `hosts` hosts at each."""
    _check("switches", switches, 3)
    builder = _line("ring", switches, hosts, ports)
    builder.link("s1", f"s{switches}")
    return builder.build()


def mesh(switches: int, hosts: int = 1, ports: int = 0) -> Topology:
    """Switches that are all linked to each other, with `hosts` hosts at each."""
    _check("switches", switches, 1, most=MAX_MESH)
    builder = _builder("mesh", switches, ports)
    _add_hosts(builder, switches, hosts)
    for a, b in itertools.combinations(range(1, switches + 1), 2):
        builder.link(f"s{a}", f"s{b}")
    return builder.build()


def torus(rows: int, columns: int, ports: int = 0) -> Topology:
    """A grid whose opposite edges are joined, with a host at each switch: s1x1 is linked to s1x2 and s2x1."""
    _check("rows", rows, 3)
    _check("columns", columns, 3)
    _check("ports", ports, 0)
    if rows * columns > MAX_SWITCHES:
        raise TopologyError(f"a torus of {rows} by {columns}: expected at most {MAX_SWITCHES} switches")
    builder = TopologyBuilder("torus")
    positions = list(itertools.product(range(rows), range(columns)))
    for row, column in positions:
        name = f"{row + 1}x{column + 1}"
        builder.switch(f"s{name}", (row + 1) << 8 | (column + 1) if columns < 256 else None, range(1, ports + 1))
        builder.link(builder.host(f"h{name}"), f"s{name}")
    for row, column in positions:
        name = f"s{row + 1}x{column + 1}"
        builder.link(name, f"s{row + 1}x{(column + 1) % columns + 1}")
        builder.link(name, f"s{(row + 1) % rows + 1}x{column + 1}")
    return builder.build()


def tree(depth: int, fanout: int = 2, ports: int = 0) -> Topology:
    """A tree of `depth` levels of switches, each with `fanout` children; the children of the last level are hosts."""
    _check("depth", depth, 1)
    _check("fanout", fanout, 1)
    if depth > 64 or sum(fanout**level for level in range(depth + 1)) > MAX_SWITCHES:
        raise TopologyError(f"a tree of depth {depth} and fanout {fanout}: expected at most {MAX_SWITCHES} parts")
    builder = TopologyBuilder("tree")
    switches, hosts = itertools.count(1), itertools.count(1)

    def grow(level: int) -> str:
        if level == 0:
            return builder.host(f"h{next(hosts)}")
        node = builder.switch(f"s{next(switches)}", ports=range(1, ports + 1))
        for _ in range(fanout):
            builder.link(node, grow(level - 1))
        return node

    _check("ports", ports, 0)
    grow(depth)
    return builder.build()


def custom(
    switches: Iterable[str],
    links: Iterable[tuple[str, str]] = (),
    hosts: Iterable[tuple[str, str]] = (),
    name: str = "custom",
    ports: int = 0,
) -> Topology:
    """A topology from lists of links ("s1:2", "s2:1") and hosts ("A", "s1:1"); "s1" is its next free port."""
    _check("ports", ports, 0)
    builder = TopologyBuilder(name)
    for switch in switches:
        builder.switch(switch, ports=range(1, ports + 1))
    for host, at in hosts:
        switch, port = parse_end(at)
        builder.link(switch, builder.host(host), port)
    for a, b in links:
        (a_name, a_port), (b_name, b_port) = parse_end(a), parse_end(b)
        builder.link(a_name, b_name, a_port, b_port)
    return builder.build()


def parse_end(text: str) -> tuple[str, int | None]:
    """Return switch and port of "s1:2"; the port of "s1" is None."""
    name, colon, number = text.partition(":")
    if not colon:
        return name, None
    if not (number.isascii() and number.isdigit() and len(number) < 10):
        raise TopologyError(f"{text!r} is no port of a switch; expected one such as s1:2")
    return name, int(number)


def _line(name: str, switches: int, hosts: int, ports: int) -> TopologyBuilder:
    builder = _builder(name, switches, ports)
    _add_hosts(builder, switches, hosts)
    for number in range(2, switches + 1):
        builder.link(f"s{number - 1}", f"s{number}")
    return builder


def _builder(name: str, switches: int, ports: int) -> TopologyBuilder:
    _check("switches", switches, 1)
    _check("ports", ports, 0)
    builder = TopologyBuilder(name)
    for number in range(1, switches + 1):
        builder.switch(f"s{number}", ports=range(1, ports + 1))
    return builder


def _add_hosts(builder: TopologyBuilder, switches: int, hosts: int) -> None:
    _check("hosts", hosts, 0)
    for number in range(1, switches + 1):
        for host in range(1, hosts + 1):
            builder.link(builder.host(f"h{number}" if hosts == 1 else f"h{host}s{number}"), f"s{number}")


def _check(what: str, number: int, least: int, most: int = MAX_SWITCHES) -> None:
    if type(number) is not int or not least <= number <= most:
        raise TopologyError(f"{what} is {number!r}; expected a whole number from {least} to {most}")
