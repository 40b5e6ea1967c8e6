"""Clients whose packets are discovered, and the pools that they send from."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from sdnloom.errors import SdnloomError
from sdnloom.network.hosts import ArpHost, Client, Host, MobileHost
from sdnloom.network.hosts.arp import ArpState
from sdnloom.network.hosts.client import ClientState, NamedPacket
from sdnloom.network.hosts.component import HostCore
from sdnloom.network.hosts.host import HostView
from sdnloom.network.hosts.mobile import MobileState, inner_host
from sdnloom.network.network import Network
from sdnloom.network.packet import Packet
from sdnloom.network.topology.spec import HostSpec, SwitchPort, Topology
from sdnloom.network.traffic import ping_to

Pools = Mapping[tuple[str, SwitchPort], Mapping[str, NamedPacket]]  # (host, switch port) -> label -> the packet


class DiscoveryError(SdnloomError):
    """A host or program for which packets cannot be discovered."""


@dataclass(frozen=True)
class DiscoveringClient:
    """A client whose packets are discovered, and the switch ports that it may be attached to."""

    spec: HostSpec
    client: Client
    ports: tuple[SwitchPort, ...]

    def told(self, topology: Topology) -> tuple[Packet, ...]:
        """The packets that it may send at any time because it is told to; pings as if it knew all addresses."""
        if self.client.discover == "only" or self.client.order != "any":
            return ()
        view = HostView(self.spec, topology)
        owners = {host.ip: host.mac for host in topology.hosts}
        addresses = [view.address_of(target) for target in self.client.to]
        hops = [(address, owners.get(self.spec.next_hop(address))) for address in addresses]
        return (*(ping_to(self.spec, mac, address) for address, mac in hops if mac is not None), *self.client.packets)

    def may_meet(self, core: HostCore) -> bool:
        """Whether a state counts for packets of the client that are under way.

        Those are left out in which it has sent all its packets: what the last one changed in switches, it hardly meets
        itself, and another packet would be demanded that differs from all that it has sent. A client that sends only
        once meets its own changes.
        """
        return self._state(core).sent < max(self.client.sends, 2)

    def may_send(self, core: HostCore) -> bool:
        """Whether the client can send in this state."""
        state = self._state(core)
        return state.sent < self.client.sends and state.credit != 0

    def _state(self, core: HostCore) -> ClientState:
        state: Any = core.state.inner if isinstance(core.state, MobileState) else core.state
        state = state.client if isinstance(state, ArpState) else state
        assert isinstance(state, ClientState)
        return state


def client_of(host: Host) -> Client | None:
    """Return the host as a client whose packets are discovered; None if they are not."""
    inner = inner_host(host)
    return inner if isinstance(inner, Client) and inner.discover else None


def discovering_clients(network: Network) -> Iterator[DiscoveringClient]:
    """Yield the clients whose packets are discovered."""
    for host in network.hosts:
        client = client_of(host)
        if client is not None and client.sends:
            spec = network.topology.host(host.name)
            yield DiscoveringClient(spec, client, tuple(dict.fromkeys((spec.switch_port, *host.ports()))))


def with_pools(network: Network, pools: Pools) -> Network:
    """Return the network whose discovering clients send from these pools."""

    def filled(host: Host) -> Host:
        client = client_of(host)
        if client is None:
            return host
        own = {port: tuple(pool.values()) for (name, port), pool in sorted(pools.items()) if name == host.name}
        with_pool = replace(client, pools=tuple(own.items()))
        return replace(host, host=with_pool) if isinstance(host, MobileHost) else with_pool

    return replace(network, hosts=tuple(map(filled, network.hosts)))


def silent_clients(network: Network) -> Iterator[DiscoveringClient]:
    """Yield the clients that never send: they are told nothing, and nothing was discovered for them."""
    for one in discovering_clients(network):
        if not one.client.is_told and not any(pool for _, pool in one.client.pools):
            yield one


def with_packet_discovery(network: Network, only: bool = False) -> Network:
    """Return the network whose clients send discovered packets as well as those that they are told, or `only` those.

    Hosts with ARP that send discover, too. Those that others ping and that send nothing answer every packet that is
    addressed to them, as discovered packets are of every kind; two such hosts would answer each other's answers. A TCP
    client sends what its connection needs and discovers nothing.
    """
    inner = list(map(inner_host, network.hosts))
    pinged = {name for host in inner if isinstance(host, ArpHost) for name in host.to}

    def discovering(host: Client) -> Client:
        found = replace(host, discover="only" if only else host.discover or True)
        return found if found.is_told else replace(found, order="any")

    def changed(host: Host) -> Host:
        if isinstance(host, MobileHost):
            return replace(host, host=changed(host.host))
        if type(host) is Client:
            return discovering(host)
        if type(host) is ArpHost:
            if host.sends and (host.is_told or host.discover):
                return discovering(host)
            return replace(host, answers="everything") if host.name in pinged else host
        return host

    return replace(network, hosts=tuple(map(changed, network.hosts)))
