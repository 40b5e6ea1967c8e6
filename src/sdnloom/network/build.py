"""A network, a program and properties as one System of the engine."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol

from sdnloom.engine.disciplines import Fifo
from sdnloom.engine.model import Channel, Component, Property, System
from sdnloom.network.controller_component import ControllerComponent
from sdnloom.network.hosts.component import component_of
from sdnloom.network.hosts.host import Host, HostView
from sdnloom.network.link_failures import failing_links, link_failure_component
from sdnloom.network.links import Wiring, wire_network
from sdnloom.network.network import Network, NetworkError, SwitchFaults, SwitchOptions
from sdnloom.network.openflow import PortDesc
from sdnloom.network.program import Program
from sdnloom.network.statistics import check_counters
from sdnloom.network.switch import Switch
from sdnloom.network.switch_component import SwitchComponent
from sdnloom.network.topology.spec import HostSpec, SwitchSpec, Topology


@dataclass(frozen=True)
class NetworkView:
    """What a property may need to know of the network that it is to hold in."""

    network: Network
    configs: Mapping[str, Switch]
    wiring: Wiring
    components: tuple[Component, ...]

    @property
    def topology(self) -> Topology:
        """Who is connected to whom."""
        return self.network.topology

    @property
    def switches(self) -> tuple[str, ...]:
        """The names of all switches; each is a column whose value is a `SwitchState`."""
        return tuple(sorted(self.configs))

    @property
    def hosts(self) -> tuple[str, ...]:
        """The names of all hosts; each is a column whose value is a `HostCore`."""
        return tuple(sorted(host.name for host in self.topology.hosts))

    def owner(self, mac: int) -> HostSpec | None:
        """The host with that MAC address."""
        return next((host for host in self.topology.hosts if host.mac == mac), None)

    def actions(self) -> frozenset[tuple[str, str]]:
        """Every (component, action): what a property watches that sees the order of everything."""
        return frozenset((one.name, action.name) for one in self.components for action in one.actions)


class Bindable(Protocol):
    """What can be asked of a network: it becomes properties of the engine once the network is known."""

    @property
    def name(self) -> str:
        """The name shown in reports and used in scenarios."""

    @property
    def identity(self) -> bool:
        """Whether it must tell packets apart."""

    @property
    def rest(self) -> bool:
        """Whether it must see the network come to rest after a host moved (the event `Rested`)."""

    def bind(self, world: NetworkView) -> tuple[Property, ...]:
        """The properties for this network."""


def build(network: Network, program: Program, properties: Iterable[Bindable | Property] = ()) -> System:
    """Return the system. Raises an SdnloomError that names the part, its value and what was expected."""
    wanted = tuple(properties)
    asked = [one for one in wanted if not isinstance(one, Property)]
    identity = any(one.identity for one in asked) if network.identity is None else network.identity
    hosts = _hosts(network, identity, any(one.rest for one in asked))
    wiring = wire_network(network, hosts)
    configs = {spec.name: switch_config(spec, network.switches) for spec in network.topology.switches}
    check_counters(network.statistics, network.topology)
    faults = _switch_faults(network)
    with_carrier = _with_carrier(network, faults)
    control = ControllerComponent(network, program)
    core, cores = control.start(configs)
    components, channels = [control.component(core)], list(wiring.channels)
    for name, config in configs.items():
        station = SwitchComponent(
            name,
            config,
            wiring,
            faults.get(name, SwitchFaults()),
            network.timeouts,
            network.joining,
            with_carrier,
            network.statistics,
        )
        components.append(station.component(cores[name]))
        channels += [Channel(f"{name}.of", name, Fifo()), Channel(f"{name}.up", "controller", Fifo())]
        if name in with_carrier:
            channels.append(Channel(f"{name}.carrier", name, Fifo()))
    for host, view in hosts:
        component, more = component_of(host, view)
        components.append(component)
        channels += more
    world_around = link_failure_component(network)
    if world_around is not None:
        components.append(world_around)
    world = NetworkView(network, configs, wiring, tuple(components))
    bound = [each for one in wanted for each in ((one,) if isinstance(one, Property) else one.bind(world))]
    return System(tuple(components), tuple(channels), tuple(bound))


def switch_config(spec: SwitchSpec, options: SwitchOptions) -> Switch:
    """Return what a switch of the topology is; the addresses of its ports are made from its datapath id."""
    base = 0x0200_0000_0000 | (spec.dpid & 0xFF_FFFF) << 16
    ports = tuple(PortDesc(number, base | number, f"{spec.name}-eth{number}"[:15]) for number in spec.ports)
    return Switch(
        spec.dpid,
        ports,
        version=options.wire_version,
        buffers=options.buffers,
        miss_send_len=options.miss_send_len,
        buffer_timeout=options.buffer_timeout,
        max_entries=options.max_entries,
        counters=options.counters,
        overlap=options.overlap,
        fail_mode=options.fail_mode,
    )


def _hosts(network: Network, identity: bool, rest: bool) -> list[tuple[Host, HostView]]:
    known = {spec.name: spec for spec in network.topology.hosts}
    behaviours: dict[str, Host] = {}
    for host in network.hosts:
        if host.name not in known:
            raise NetworkError(f"{host.name!r} is no host of the topology; expected one of {', '.join(sorted(known))}")
        if host.name in behaviours:
            raise NetworkError(f"host {host.name!r} has two behaviours; expected one")
        behaviours[host.name] = host
    found = []
    for spec in network.topology.hosts:
        host = behaviours.get(spec.name, Host(spec.name))
        view = HostView(spec, network.topology, identity, rest)
        host.check(view)
        found.append((host, view))
    return found


def _switch_faults(network: Network) -> dict[str, SwitchFaults]:
    names = [switch.name for switch in network.topology.switches]
    for name, _ in network.switch_faults:
        if name not in names:
            raise NetworkError(f"faults of the switch {name!r}; expected one of {', '.join(sorted(names))}")
    return dict(network.switch_faults)


def _with_carrier(network: Network, faults: Mapping[str, SwitchFaults]) -> frozenset[str]:
    """Return the switches whose links can go down: by themselves, or because the neighbour loses its power."""
    found = {end.switch for _, ends, _ in failing_links(network) for end in ends}
    for link in network.topology.links:
        for here, there in (link.ends, link.ends[::-1]):
            if here.switch in faults and faults[here.switch].fail:
                found.add(there.switch)
    return frozenset(found)
