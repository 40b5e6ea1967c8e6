"""Regular topologies. Names and ports of single, linear, tree and torus are those of Mininet's shapes of that name."""

import itertools
from collections.abc import Iterable

from sdnloom.network.topology.builder import TopologyBuilder
from sdnloom.network.topology.spec import Topology, TopologyError

MAX_SWITCHES = 10_000
MAX_MESH = 200  # the links grow with the square


def single(hosts: int = 2, ports: int = 0) -> Topology:
    """One switch with `hosts` hosts. Every switch of a shape has at least the ports 1 to `ports`."""
    _check("hosts", hosts, 0)
    built = _builder("single", 1, ports)
    for number in range(1, hosts + 1):
        built.link(built.host(f"h{number}"), "s1")
    return built.build()


def linear(switches: int, hosts: int = 1, ports: int = 0) -> Topology:
    """Switches in a line with `hosts` hosts at each. Their ports come before those of links."""
    return _line("linear", switches, hosts, ports).build()


def ring(switches: int, hosts: int = 1, ports: int = 0) -> Topology:
    """Switches in a circle with `hosts` hosts at each."""
    _check("switches", switches, 3)
    built = _line("ring", switches, hosts, ports)
    built.link("s1", f"s{switches}")
    return built.build()


def mesh(switches: int, hosts: int = 1, ports: int = 0) -> Topology:
    """Switches that are all linked with each other, with `hosts` hosts at each."""
    _check("switches", switches, 1, most=MAX_MESH)
    built = _builder("mesh", switches, ports)
    _add_hosts(built, switches, hosts)
    for a, b in itertools.combinations(range(1, switches + 1), 2):
        built.link(f"s{a}", f"s{b}")
    return built.build()


def torus(rows: int, columns: int, ports: int = 0) -> Topology:
    """A grid whose ends are joined, with a host at each switch: s1x1 is linked with s1x2, s2x1 and those before it."""
    _check("rows", rows, 3)
    _check("columns", columns, 3)
    _check("ports", ports, 0)
    if rows * columns > MAX_SWITCHES:
        raise TopologyError(f"a torus of {rows} by {columns}: expected at most {MAX_SWITCHES} switches")
    built = TopologyBuilder("torus")
    places = list(itertools.product(range(rows), range(columns)))
    for row, column in places:
        name = f"{row + 1}x{column + 1}"
        built.switch(f"s{name}", (row + 1) << 8 | (column + 1) if columns < 256 else None, range(1, ports + 1))
        built.link(built.host(f"h{name}"), f"s{name}")
    for row, column in places:
        here = f"s{row + 1}x{column + 1}"
        built.link(here, f"s{row + 1}x{(column + 1) % columns + 1}")
        built.link(here, f"s{(row + 1) % rows + 1}x{column + 1}")
    return built.build()


def tree(depth: int, fanout: int = 2, ports: int = 0) -> Topology:
    """A tree of `depth` levels of switches, each with `fanout` children; the children of the last level are hosts."""
    _check("depth", depth, 1)
    _check("fanout", fanout, 1)
    if depth > 64 or sum(fanout**level for level in range(depth + 1)) > MAX_SWITCHES:
        raise TopologyError(f"a tree of depth {depth} and fanout {fanout}: expected at most {MAX_SWITCHES} parts")
    built = TopologyBuilder("tree")
    switches, hosts = itertools.count(1), itertools.count(1)

    def grow(level: int) -> str:
        if level == 0:
            return built.host(f"h{next(hosts)}")
        node = built.switch(f"s{next(switches)}", ports=range(1, ports + 1))
        for _ in range(fanout):
            built.link(node, grow(level - 1))
        return node

    _check("ports", ports, 0)
    grow(depth)
    return built.build()


def custom(
    switches: Iterable[str],
    links: Iterable[tuple[str, str]] = (),
    hosts: Iterable[tuple[str, str]] = (),
    name: str = "custom",
    ports: int = 0,
) -> Topology:
    """A topology by hand: links as ("s1:2", "s2:1") and hosts as ("A", "s1:1"); "s1" alone is its next free port."""
    _check("ports", ports, 0)
    built = TopologyBuilder(name)
    for switch in switches:
        built.switch(switch, ports=range(1, ports + 1))
    for host, at in hosts:
        switch, port = parse_end(at)
        built.link(switch, built.host(host), port)
    for a, b in links:
        (a_name, a_port), (b_name, b_port) = parse_end(a), parse_end(b)
        built.link(a_name, b_name, a_port, b_port)
    return built.build()


def parse_end(text: str) -> tuple[str, int | None]:
    """Return switch and port of "s1:2"; the port of "s1" is None."""
    name, colon, number = text.partition(":")
    if not colon:
        return name, None
    if not (number.isascii() and number.isdigit() and len(number) < 10):
        raise TopologyError(f"{text!r} is no port of a switch; expected one such as s1:2")
    return name, int(number)


def _line(name: str, switches: int, hosts: int, ports: int) -> TopologyBuilder:
    built = _builder(name, switches, ports)
    _add_hosts(built, switches, hosts)
    for number in range(2, switches + 1):
        built.link(f"s{number - 1}", f"s{number}")
    return built


def _builder(name: str, switches: int, ports: int) -> TopologyBuilder:
    _check("switches", switches, 1)
    _check("ports", ports, 0)
    built = TopologyBuilder(name)
    for number in range(1, switches + 1):
        built.switch(f"s{number}", ports=range(1, ports + 1))
    return built


def _add_hosts(built: TopologyBuilder, switches: int, hosts: int) -> None:
    _check("hosts", hosts, 0)
    for number in range(1, switches + 1):
        for one in range(1, hosts + 1):
            built.link(built.host(f"h{number}" if hosts == 1 else f"h{one}s{number}"), f"s{number}")


def _check(what: str, number: int, least: int, most: int = MAX_SWITCHES) -> None:
    if type(number) is not int or not least <= number <= most:
        raise TopologyError(f"{what} is {number!r}; expected a whole number from {least} to {most}")
