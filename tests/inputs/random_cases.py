"""Random small scenarios: a network, a program as text, properties, and a domain in which every packet can be sent."""

import random
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sdnloom.check.scenario import Scenario
from sdnloom.engine.model import Needs, Property
from sdnloom.engine.result import Limits, SearchOptions
from sdnloom.inputs.skeletons import SenderView, make_skeletons
from sdnloom.network import events
from sdnloom.network.hosts import Client, Host, MobileHost, Replier
from sdnloom.network.hosts.mobile import inner_host
from sdnloom.network.network import Network, SwitchOptions
from sdnloom.network.topology import SwitchPort, Topology, linear, ring, single
from sdnloom.network.usercode import run_file
from sdnloom.platforms.python.program import PythonProgram
from sdnloom.properties import (
    DirectPaths,
    Isolated,
    NetworkProperty,
    NoAmbiguousMatch,
    NoBlackHoles,
    NoForgottenPackets,
    NoForwardingLoops,
    NoHandlerException,
    StrictDirectPaths,
    Waypoint,
)
from tests.inputs.brute_force import listed_packets
from tests.inputs.random_handlers import HandlerMaker, Values
from tests.inputs.random_tables import TableMaker
from tests.inputs.small_domains import SmallDomain, random_domain

FAMILIES = ("tables", "programs", "both", "hidden")
MOST_STATES = 8_000
_TOLD = (events.Received, events.Dropped, events.Lost, events.HandlerRaised, events.ToController, events.MessageRefused)


@dataclass(frozen=True)
class Case:
    """One random scenario; `text` is its program."""

    family: str
    number: int
    network: Network
    domain: SmallDomain
    text: str
    properties: tuple[Any, ...]
    kinds: tuple[type, ...]  # of events that make up the outcome of a run

    def discovering(self, folder: Path) -> Scenario:
        """The scenario with discovered packets."""
        hosts = tuple(_changed(host, discover=True) for host in self.network.hosts)
        return replace(
            self._scenario(folder), network=replace(self.network, hosts=hosts), discovery=self.domain.options
        )

    def enumerating(self, folder: Path) -> Scenario:
        """The scenario in which the same clients may send every packet of the domain."""
        topology = self.network.topology
        hosts = tuple(
            _changed(host, packets=self.domain.packets(SenderView(topology, topology.host(host.name))))
            for host in self.network.hosts
        )
        return replace(self._scenario(folder), network=replace(self.network, hosts=hosts))

    def _scenario(self, folder: Path) -> Scenario:
        program = PythonProgram(_loaded(self.text, folder, f"case_{self.family}_{self.number}"))
        options = SearchOptions(engine="loop", find_all=True, limits=Limits(states=MOST_STATES))
        return Scenario(self.network, program, self.properties, options)


def random_case(family: str, number: int) -> Case:
    """The case of that number; it is always the same."""
    chance = random.Random(f"{family} {number}")
    network = _network(chance)
    clients = [host for host in network.hosts if isinstance(inner_host(host), Client)]
    domain = random_domain(chance, 6 if len(clients) > 1 or inner_host(clients[0]).sends > 1 else 24)
    ports = tuple((spec.name, tuple(spec.ports)) for spec in network.topology.switches)
    version = network.switches.version
    rules = []
    for name, numbers in ports:
        maker = TableMaker(chance, domain, version, numbers)
        entries = 0 if family in ("programs", "hidden") else chance.randint(1, 5)
        rules += [(name, message) for message in maker.messages(entries)]
    packets = tuple(values for host in clients for values in _values(network.topology, host.name, domain))
    depth = chance.randint(0, 1) if family == "tables" else chance.randint(1, 3)
    text = HandlerMaker(chance, domain, version, ports, packets, family == "hidden").text(rules, depth)
    kinds = tuple(chance.sample(_TOLD, 3))
    return Case(family, number, network, domain, text, _properties(chance, network), kinds)


def _values(topology: Topology, host: str, domain: SmallDomain) -> list[Values]:
    """The fields of each packet of the domain that a host can send."""
    wanted = domain.options
    sender = SenderView(topology, topology.host(host))
    absent = {field.name: -1 for field in domain.fields}
    found: list[Values] = []
    for skeleton in make_skeletons(wanted.stacks, sender, wanted.packet_domains):
        found += [
            {**absent, **{name: value for name, value in values.items() if name in absent}}
            for values in listed_packets(skeleton)
        ]
    return found


def _network(chance: random.Random) -> Network:
    shape = chance.choice(("single", "single", "three", "linear", "linear", "ring", "mobile"))
    topology = {
        "single": single(2),
        "three": single(3),
        "linear": linear(2),
        "ring": ring(3),
        "mobile": single(2, ports=3),
    }[shape]
    hosts: list[Host] = [Client("h1", sends=chance.choice((1, 2)) if shape != "ring" else 1)]
    other = chance.choice(("host", "replier", "replier", "client"))
    if other == "client":
        hosts = [Client("h1"), Client("h2")]
    elif other == "replier":
        hosts.append(Replier("h2"))
    if shape == "mobile":
        place = chance.randrange(len(hosts))
        host = hosts[place]
        hosts[place] = MobileHost(host.name, host=host, to=(SwitchPort("s1", 3),), moves=1)
    version = chance.choice(("1.0", "1.3"))
    profile = chance.choice(("openvswitch", "openvswitch", "reference"))
    return Network(topology, tuple(hosts), SwitchOptions(version=version, profile=profile))


def _properties(chance: random.Random, network: Network) -> tuple[Any, ...]:
    topology = network.topology
    names = [host.name for host in topology.hosts]
    one, other = names[0], chance.choice(names[1:])
    shipped: list[NetworkProperty] = [
        NoForwardingLoops(),
        NoBlackHoles(),
        DirectPaths(),
        StrictDirectPaths(),
        NoForgottenPackets(),
        NoHandlerException(),
        NoAmbiguousMatch(),
        Isolated(source=one, target=other),
    ]
    if len(topology.switches) > 2:
        shipped.append(Waypoint(source=one, target="h2", via="s3"))
    return tuple(chance.sample(shipped, chance.randint(1, 2)))


def outcomes_of(kinds: tuple[type, ...], seen: set[frozenset[Any]]) -> Property:
    """A property that always holds and writes down which events the runs of a search consist of: kinds and places.

    So it stands for all properties that ask which of these events have happened.
    """

    def fold(memory: frozenset[Any], event: Any) -> frozenset[Any]:
        if isinstance(event, kinds):
            place = getattr(event, "switch", None) or getattr(event, "host", None) or getattr(event, "port", "")
            memory |= {f"{type(event).__name__} {place} {getattr(event, 'line', '')}"}
            seen.add(memory)
        return memory

    return Property("outcomes", Needs.EVENT, lambda memory, _: None, fold=fold, initial=frozenset())


def _changed(host: Host, **fields: Any) -> Host:
    """The host with other fields if it is a client."""
    if isinstance(host, MobileHost):
        return replace(host, host=_changed(host.host, **fields))
    return replace(host, **fields) if isinstance(host, Client) else host


def _loaded(text: str, folder: Path, name: str) -> type:
    file = folder / f"{name}.py"
    file.write_text(text)
    kind: type = run_file(file).Controller
    return kind
