"""What a search did not try, each with the option that adds it: what a verdict without a violation says nothing about.

Options vary scenarios of files as well as of apps. Hosts, switches and links are named only after a search.
"""

from collections.abc import Iterable
from typing import NamedTuple

from sdnloom.check.scope.traffic import tried_traffic
from sdnloom.engine.result import SentRoute, Statistics
from sdnloom.network.network import Network
from sdnloom.network.program import HasClock, capability

_LINK_FAULTS = (
    ("drop", "lost", "--drop"),
    ("duplicate", "duplicated", "--duplicate"),
    ("reorder", "reordered", "--reorder"),
)
_MOST_NAMES = 6  # hosts, switches or links that a line names


class Omission(NamedTuple):
    """Something that was not tried, and the options that add it, if there are any."""

    what: str
    options: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.what}: {', '.join(self.options)}" if self.options else self.what


def omissions(
    network: Network, statistics: Statistics, program: object, discovers: bool, covers: bool
) -> tuple[Omission, ...]:
    """What the search of this network left out. `covers` says that the lines of the program were recorded."""
    traffic = [each.traffic for each in tried_traffic(network)]
    links = [faults for _, faults in network.link_faults]
    switches = [faults for _, faults in network.switch_faults]
    found = []
    if not any(each.moves for each in traffic):
        found.append(Omission("hosts that move", ("--move",)))
    if not (network.timeouts.expiries or network.timeouts.settle):
        found.append(Omission("timeouts of flow entries", ("--timeouts",)))
    missing = [(word, option) for key, word, option in _LINK_FAULTS if not any(getattr(each, key) for each in links)]
    if missing:
        found.append(Omission(f"packets that are {_either(word for word, _ in missing)}", _joined(missing)))
    failing = [
        *([] if any(each.fail for each in links) else [("links", "--fail-link")]),
        *([] if any(each.fail for each in switches) else [("switches", "--restart-switch")]),
        *([] if any(each.disconnect for each in switches) else [("control connections", "--disconnect-switch")]),
    ]
    if failing:
        found.append(Omission(f"{_either(word for word, _ in failing)} that fail", _joined(failing)))
    if not any(each.tcp for each in traffic):
        found.append(Omission("TCP connections", ("--host HOST,kind=tcp_client,to=OTHER",)))
    if not discovers:
        counted = network.statistics or network.switches.counters
        counters = "" if counted else ", and counters in statistics other than 0"
        found.append(Omission(f"packets that nobody listed{counters}", ("--discover",)))
    clock = capability(program, HasClock)
    if clock is not None and clock.timers_seen and not network.ticks:
        found.append(Omission(f"timers of the program in between ({', '.join(clock.timers_seen)})", ("--ticks",)))
    if not covers:
        found.append(Omission("lines of the program that were never reached", ("--coverage",)))
    return (*found, *_unvisited(network, statistics.routes))


def _unvisited(network: Network, routes: frozenset[SentRoute]) -> list[Omission]:
    """The hosts that sent nothing or got nothing, and the switches and links that no packet passed."""
    if not routes:  # there was no search
        return []
    hosts = [host.name for host in network.topology.hosts]
    switches = [switch.name for switch in network.topology.switches]
    reached = {route.channel.partition("@")[0].removesuffix(".in") for route in routes}
    sent = {route.sender for route in routes if route.channel.endswith(".in")}
    used = {(route.channel, route.port) for route in routes}
    unused = [
        link.name
        for link in network.topology.links
        if not any((f"{end.switch}.in", end.port) in used for end in link.ends)
    ]
    rows = (
        ("hosts that sent no packet", [name for name in hosts if name not in sent], ("--ping",)),
        ("hosts that no packet reached", [name for name in hosts if name not in reached], ()),
        ("switches that no packet passed", [name for name in switches if name not in reached], ()),
        ("links that no packet crossed", unused, ()),
    )
    return [Omission(f"{what} ({_names(names)})", option) for what, names, option in rows if names]


def _names(names: list[str]) -> str:
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return ", ".join(names[:_MOST_NAMES]) + more


def _either(found: Iterable[str]) -> str:
    *first, last = found
    return f"{', '.join(first)} or {last}" if first else last


def _joined(pairs: list[tuple[str, str]]) -> tuple[str, ...]:
    return tuple(option for _, option in pairs)
