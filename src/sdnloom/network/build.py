"""Builds the system of the engine from a network, a program and properties."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple, Protocol

from sdnloom.engine.disciplines import Fifo
from sdnloom.engine.model import Channel, Component, Property, System
from sdnloom.network.controller_component import ControllerComponent
from sdnloom.network.events import exception_text
from sdnloom.network.hosts.component import component_of
from sdnloom.network.hosts.host import Host, HostView
from sdnloom.network.link_failures import failing_links, link_failure_component
from sdnloom.network.links import Wiring, wire_network
from sdnloom.network.network import Network, NetworkError, SwitchFaults, SwitchOptions
from sdnloom.network.openflow import V10, V13, PacketQueue, Port, PortConfig, PortDesc, PortState
from sdnloom.network.program import Program
from sdnloom.network.startup.course import CourseStep, PlannedInput, Startup, Trouble
from sdnloom.network.startup.setup_steps import check_setup
from sdnloom.network.startup.violation import EarlyViolation, early_violation, forbids, judged_by_events
from sdnloom.network.statistics import check_counters
from sdnloom.network.switch import PROFILES, Switch, SwitchCore, initial_switch_core
from sdnloom.network.switch_component import SwitchComponent
from sdnloom.network.topology.spec import HostSpec, SwitchSpec, Topology

_10_GBIT = {V10: 1 << 6 | 1 << 7, V13: 1 << 6 | 1 << 11}  # 10 Gbit/s full duplex over copper, as features of a port


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


class StartupUse(Enum):
    """What the course of events before a search is for."""

    JUDGED = "judged"  # a violation in it is the answer
    PASSED = "passed"  # an exception in it is a note
    STEPS = "steps"  # it is part of the system


@dataclass(frozen=True)
class BuiltNetwork:
    """The system of a network, its properties, and what the bounds say about the course of events before the search.

    With `early` a property is violated before the search: the system then begins with the switches that join, and has
    only properties that events decide; `declared` are all.
    """

    system: System
    declared: tuple[Property, ...]
    controller: ControllerComponent  # that made the controller of the system
    configs: Mapping[str, Switch]
    wiring: Wiring
    notes: tuple[str, ...] = ()
    early: EarlyViolation | None = None
    course: tuple[CourseStep, ...] = ()  # the steps before the search; steps of `system` where it has them


def build(network: Network, program: Program, properties: Iterable[Bindable | Property] = ()) -> System:
    """Return the system. Raises an SdnloomError that names the part, its value and what was expected."""
    return build_network(network, program, properties).system


def build_network(
    network: Network,
    program: Program,
    properties: Iterable[Bindable | Property] = (),
    use: StartupUse = StartupUse.JUDGED,
) -> BuiltNetwork:
    """Return the system as `build` does, and what is to be known about its start."""
    given = tuple(properties)
    parts = _parts(network, given)
    check_counters(network.statistics, network.topology)
    check_setup(network.setup, network.topology, network.joining)
    control = ControllerComponent(network, program)
    ignored = set(Trouble) if use is StartupUse.PASSED else set[Trouble]()
    while (end := Startup(network, program, parts.configs).run(ignored)).trouble is not None:
        before, of_startup, wiring = _before_search(network, program, given, end.plan)
        early = early_violation(before, end.steps)
        if early is not None or use is StartupUse.STEPS:
            declared = _declared(parts, before, given)
            return BuiltNetwork(before, declared, of_startup, parts.configs, wiring, end.notes, early, end.steps)
        if end.raised is not None and forbids(before, end.raised):
            raise NetworkError(f"{exception_text(end.raised)} before the search; expected no exception")
        ignored.add(end.trouble)
    if use is StartupUse.STEPS:
        before, of_startup, wiring = _before_search(network, program, given, end.plan)
        declared = _declared(parts, before, given)
        return BuiltNetwork(before, declared, of_startup, parts.configs, wiring, end.notes, course=end.steps)
    system = _system(parts, control.component(end.program), end.switches, given, _bind)
    return BuiltNetwork(system, system.properties, control, parts.configs, parts.wiring, end.notes, course=end.steps)


def _bind(each: Bindable, view: NetworkView) -> tuple[Property, ...]:
    return each.bind(view)


def _declared(parts: "_Parts", before: System, given: Sequence[Bindable | Property]) -> tuple[Property, ...]:
    """Return all properties of the network, though the system is the one before the search."""
    view = NetworkView(parts.network, parts.configs, parts.wiring, before.components)
    return tuple(one for each in given for one in ((each,) if isinstance(each, Property) else each.bind(view)))


def _before_search(
    network: Network, program: Program, given: tuple[Bindable | Property, ...], plan: Sequence[PlannedInput]
) -> tuple[System, ControllerComponent, Wiring]:
    """Return the system in which the switches join, hosts send nothing, and the plan is followed; its parts."""
    bare = Network(
        network.topology, switches=network.switches, statistics=network.statistics, joining=True, settle_ticks=0
    )
    parts = _parts(bare, ())
    control = ControllerComponent(bare, program, plan)

    def bind(each: Bindable, view: NetworkView) -> tuple[Property, ...]:
        of_startup = getattr(each, "bind_startup", None)
        return judged_by_events(each.bind(view)) if of_startup is None else of_startup(view)

    events = judged_by_events([each for each in given if isinstance(each, Property)])
    asked = [each for each in given if not isinstance(each, Property) or each in events]
    cores = {name: initial_switch_core(config) for name, config in parts.configs.items()}
    return _system(parts, control.component(program.initial()), cores, asked, bind), control, parts.wiring


class _Parts(NamedTuple):
    """The network's parts that do not depend on the program."""

    network: Network
    hosts: list[tuple[Host, HostView]]
    wiring: Wiring
    configs: dict[str, Switch]
    faults: dict[str, SwitchFaults]


def _parts(network: Network, given: Sequence[Bindable | Property]) -> _Parts:
    unbound = [each for each in given if not isinstance(each, Property)]
    identity = any(each.identity for each in unbound) if network.identity is None else network.identity
    hosts = _hosts(network, identity, any(each.rest for each in unbound))
    wiring = wire_network(network, hosts)
    configs = {spec.name: switch_config(spec, network.switches) for spec in network.topology.switches}
    return _Parts(network, hosts, wiring, configs, _switch_faults(network))


def _system(
    parts: _Parts,
    controller: Component,
    cores: Mapping[str, SwitchCore],
    given: Sequence[Bindable | Property],
    bind: Callable[[Bindable, NetworkView], tuple[Property, ...]],
) -> System:
    network = parts.network
    with_carrier = _with_carrier(network, parts.faults)
    components, channels = [controller], list(parts.wiring.channels)
    for name, config in parts.configs.items():
        switch = SwitchComponent(
            name,
            config,
            parts.wiring,
            parts.faults.get(name, SwitchFaults()),
            network.timeouts,
            network.joining,
            with_carrier,
            network.statistics,
        )
        components.append(switch.component(cores[name]))
        channels += [Channel(f"{name}.of", name, Fifo()), Channel(f"{name}.up", "controller", Fifo())]
        if name in with_carrier:
            channels.append(Channel(f"{name}.carrier", name, Fifo()))
    for host, view in parts.hosts:
        component, more = component_of(host, view)
        components.append(component)
        channels += more
    link_failures = link_failure_component(network)
    if link_failures is not None:
        components.append(link_failures)
    network_view = NetworkView(network, parts.configs, parts.wiring, tuple(components))
    bound = [one for each in given for one in ((each,) if isinstance(each, Property) else bind(each, network_view))]
    return System(tuple(components), tuple(channels), tuple(bound))


def switch_config(spec: SwitchSpec, options: SwitchOptions) -> Switch:
    """Return the configuration of a switch; the addresses of its ports are made from its datapath id."""
    profile, old = PROFILES[options.profile], options.wire_version == V10
    base = 0x0200_0000_0000 | (spec.dpid & 0xFF_FFFF) << 16
    common = {
        "state": int(PortState.LIVE) if profile.shows_live and not old else 0,
        "curr": _10_GBIT[options.wire_version] if profile.speed else 0,
        "curr_speed": 0 if old else profile.speed * 1000,
    }
    ports = [PortDesc(number, base | number, f"{spec.name}-eth{number}"[:15], **common) for number in spec.ports]
    if profile.local_port:  # named like the bridge, which nobody has brought up
        down = {"config": int(PortConfig.PORT_DOWN), "state": int(PortState.LINK_DOWN)}
        ports.append(PortDesc(Port.LOCAL, base, spec.name[:15], **down))
    return Switch(
        spec.dpid,
        tuple(ports),
        version=options.wire_version,
        profile=options.profile,
        buffers=profile.buffers if options.buffers is None else options.buffers,
        unknown_port="accept" if profile.takes_any_port else "refuse",
        emergency_entries=None if profile.has_emergency else 0,
        local_floods=profile.local_port or None,
        miss_send_len=options.miss_send_len,
        buffer_timeout=options.buffer_timeout,
        max_entries=options.max_entries,
        counters=options.counters,
        overlap=options.overlap,
        fail_mode=options.fail_mode,
        queues=tuple(PacketQueue(queue, port) for port in spec.ports for queue in range(options.queues)),
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
