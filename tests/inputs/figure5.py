"""NICE's figure 5 literally: discovery is a transition, and the state of a client has the packets it discovered.

States are visited one by one on the reference semantics. What a client discovers is asked of the pools, so the
comparison is not about which packets are relevant, but about what becomes of them.
"""

from dataclasses import dataclass, field, replace

from sdnloom.engine.semantics import Semantics, reachable
from sdnloom.inputs.packet_pools import PacketPools, Situation, met_state
from sdnloom.inputs.skeletons import SenderView, make_skeletons
from sdnloom.network.build import build
from sdnloom.network.hosts.client import Client
from sdnloom.network.hosts.host import Host, HostAction, HostStep
from sdnloom.network.hosts.mobile import MobileHost, inner_host
from tests.inputs.brute_force import listed_packets


@dataclass(frozen=True)
class Figure5Client(Host):
    """A client whose state is (packets sent, what it discovered); the search adds to the latter."""

    sends: int = field(default=1, kw_only=True)

    def initial(self, view):
        return 0, frozenset()

    def acts(self, view):
        return (HostAction("send", self.send),)

    def send(self, view, state):
        sent, known = state
        if sent >= self.sends:
            return ()
        return [
            HostStep((sent + 1, known), (view.with_packet_id(packet, sent + 1),), choice=label)
            for label, packet in sorted(known, key=lambda one: one[0])
        ]


class RelevantPackets:
    """The packets that are told apart in one situation, as if it were the only one."""

    def __init__(self, network, explorer, wanted):
        self.network, self.explorer, self.wanted, self.found = network, explorer, wanted, {}

    def relevant(self, situation):
        if situation not in self.found:
            pools = PacketPools(self.network, self.explorer, self.wanted)
            pools.explore([situation], {})
            self.found[situation] = [named for pool in pools.pools.values() for named in pool.values()]
        return self.found[situation]


def quiescent_outcomes(network, program, explorer, wanted, limit=200_000):
    """Every quiescent state that figure 5 reaches, without what clients discovered."""
    asking = RelevantPackets(network, explorer, wanted)
    names = [host.name for host in network.hosts if isinstance(inner_host(host), Client) and inner_host(host).discover]
    semantics = Semantics(build(replace(network, hosts=tuple(map(_literal, network.hosts))), program))
    seen, stack, found = set(), [semantics.initial()], set()
    while stack:
        state = stack.pop()
        if state in seen:
            continue
        seen.add(state)
        assert len(seen) < limit
        stack += [transition.state for transition in semantics.transitions(state)]
        stack += [_discovered(semantics, state, name, asking) for name in names]
        if semantics.is_quiescent(state):
            found.add(outcome(semantics, state))
    return found, len(seen)


def every_packet_outcomes(network, program, wanted):
    """Every quiescent state that is reached if discovering clients may send every packet of the domains."""

    def telling(host):
        client = inner_host(host)
        if not isinstance(client, Client) or not client.discover:
            return host
        sender = SenderView(network.topology, network.topology.host(host.name))
        skeletons = make_skeletons(wanted.stacks, sender, wanted.packet_domains)
        packets = [skeleton.packet(values) for skeleton in skeletons for values in listed_packets(skeleton)]
        told = replace(client, packets=tuple(dict.fromkeys(packets)), discover=False)
        return replace(host, host=told) if isinstance(host, MobileHost) else told

    semantics = Semantics(build(replace(network, hosts=tuple(map(telling, network.hosts))), program))
    return {outcome(semantics, state) for state in reachable(semantics) if semantics.is_quiescent(state)}


def outcome(semantics, state):
    """A state without what clients discovered, or how they count."""
    hosts = {component.name for component in semantics.system.components} - {"controller"}
    cores = []
    for component, core in zip(semantics.system.components, state.cores, strict=True):
        if component.name in hosts and hasattr(core, "port"):
            core = (core.port, _sent(core.state))
        cores.append(core)
    return tuple(cores), state.contents


def _sent(state):
    inner = getattr(state, "inner", state)
    left = getattr(state, "moves", None)
    if isinstance(inner, tuple) and inner and isinstance(inner[0], int):
        return left, inner[0]
    return left, inner


def _literal(host):
    client = inner_host(host)
    if not isinstance(client, Client) or not client.discover:
        return host
    literal = Figure5Client(host.name, sends=client.sends)
    return replace(host, host=literal) if isinstance(host, MobileHost) else literal


def _discovered(semantics, state, name, asking):
    """The state after the client's discover_packets (lines 26 to 31): it may send these packets from now on."""
    number = semantics.index[name]
    core = state.cores[number]
    switch = semantics.column(core.port.switch, state)
    if switch.phase != "on":
        return state
    program = semantics.column("controller", state).program
    found = asking.relevant(Situation(name, core.port, *met_state(program, switch.core)))
    moving = hasattr(core.state, "inner")
    sent, known = core.state.inner if moving else core.state
    after = (sent, known | set(found))
    core = core._replace(state=core.state._replace(inner=after) if moving else after)
    return state._replace(cores=(*state.cores[:number], core, *state.cores[number + 1 :]))
