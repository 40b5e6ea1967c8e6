"""Builds the system of the engine from a network, a program and properties."""

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
    """The built network as a property sees it when it is bound: topology, switches, wiring and components."""

    network: Network
    configs: Mapping[str, Switch]
    wiring: Wiring
    components: tuple[Component, ...]

    @property
    def topology(self) -> Topology:
        """The topology of the network."""
        return self.network.topology

    @property
    def switches(self) -> tuple[str, ...]:
        """The names of all switches. In a state, the core of each is a `SwitchState`."""
        return tuple(sorted(self.configs))

    @property
    def hosts(self) -> tuple[str, ...]:
        """The names of all hosts. In a state, the core of each is a `HostCore`."""
        return tuple(sorted(host.name for host in self.topology.hosts))

    def owner(self, mac: int) -> HostSpec | None:
        """The host with that MAC address, or None."""
        return next((host for host in self.topology.hosts if host.mac == mac), None)

    def actions(self) -> frozenset[tuple[str, str]]:
        """Every (component, action), for a property that depends on the order of all steps."""
        return frozenset((component.name, action.name) for component in self.components for action in component.actions)


class Bindable(Protocol):
    """A property of networks in general; `bind` turns it into properties of the engine for one network."""

    @property
    def name(self) -> str:
        """The name in reports and scenarios."""

    @property
    def identity(self) -> bool:
        """Whether it needs packets that carry packet ids."""

    @property
    def rest(self) -> bool:
        """Whether it needs the event `NetworkRested` after a host has moved."""

    def bind(self, view: NetworkView) -> tuple[Property, ...]:
        """The properties of the engine for this network."""


def build(network: Network, program: Program, properties: Iterable[Bindable | Property] = ()) -> System:
    """Return the system. Raises an SdnloomError that names the part, its value and what was expected."""
    given = tuple(properties)
    unbound = [each for each in given if not isinstance(each, Property)]
    identity = any(each.identity for each in unbound) if network.identity is None else network.identity
    hosts = _hosts(network, identity, any(each.rest for each in unbound))
    wiring = wire_network(network, hosts)
    configs = {spec.name: switch_config(spec, network.switches) for spec in network.topology.switches}
    check_counters(network.statistics, network.topology)
    faults = _switch_faults(network)
    with_carrier = _with_carrier(network, faults)
    control = ControllerComponent(network, program)
    core, cores = control.start(configs)
    components, channels = [control.component(core)], list(wiring.channels)
    for name, config in configs.items():
        switch = SwitchComponent(
            name,
            config,
            wiring,
            faults.get(name, SwitchFaults()),
            network.timeouts,
            network.joining,
            with_carrier,
            network.statistics,
        )
        components.append(switch.component(cores[name]))
        channels += [Channel(f"{name}.of", name, Fifo()), Channel(f"{name}.up", "controller", Fifo())]
        if name in with_carrier:
            channels.append(Channel(f"{name}.carrier", name, Fifo()))
    for host, view in hosts:
        component, more = component_of(host, view)
        components.append(component)
        channels += more
    link_failures = link_failure_component(network)
    if link_failures is not None:
        components.append(link_failures)
    network_view = NetworkView(network, configs, wiring, tuple(components))
    bound = [one for each in given for one in ((each,) if isinstance(each, Property) else each.bind(network_view))]
    return System(tuple(components), tuple(channels), tuple(bound))


def switch_config(spec: SwitchSpec, options: SwitchOptions) -> Switch:
    """Return the configuration of a switch; the addresses of its ports are made from its datapath id."""
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
    """Return the switches whose links can go down: because the link fails, or because the neighbour loses its power."""
    found = {end.switch for _, ends, _ in failing_links(network) for end in ends}
    for link in network.topology.links:
        for one, other in (link.ends, link.ends[::-1]):
            if one.switch in faults and faults[one.switch].fail:
                found.add(other.switch)
    return frozenset(found)
