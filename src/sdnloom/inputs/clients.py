"""The hosts of a network whose packets are discovered, and the pools that they send from."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from sdnloom.errors import SdnloomError
from sdnloom.network.hosts import ArpHost, Client, Host, MobileHost
from sdnloom.network.hosts.client import ClientState, Named
from sdnloom.network.hosts.component import HostCore
from sdnloom.network.hosts.mobile import MobileState
from sdnloom.network.network import Network
from sdnloom.network.topology.spec import HostSpec, SwitchPort

Pools = Mapping[tuple[str, SwitchPort], Mapping[str, Named]]  # (host, port) -> label -> the packet


class DiscoveryError(SdnloomError):
    """A host that cannot discover its packets."""


@dataclass(frozen=True)
class Discoverer:
    """A client that discovers its packets, and everywhere it may be."""

    spec: HostSpec
    client: Client
    ports: tuple[SwitchPort, ...]

    def may_send(self, core: HostCore) -> bool:
        """Whether it can send in this state."""
        state: Any = core.state.inner if isinstance(core.state, MobileState) else core.state
        assert isinstance(state, ClientState)
        return state.sent < self.client.sends and state.credit != 0


def client_of(host: Host) -> Client | None:
    """The client that a host is, if it discovers its packets."""
    inner = host.host if isinstance(host, MobileHost) else host
    if not isinstance(inner, Client) or not inner.discover:
        return None
    if isinstance(inner, ArpHost):
        raise DiscoveryError(f"host {host.name!r} is of kind arp; expected kind client, the only one that discovers")
    return inner


def discoverers(network: Network) -> Iterator[Discoverer]:
    """The hosts that discover their packets."""
    for host in network.hosts:
        client = client_of(host)
        if client is not None and client.sends:
            spec = network.topology.host(host.name)
            yield Discoverer(spec, client, tuple(dict.fromkeys((spec.switch_port, *host.ports()))))


def with_pools(network: Network, pools: Pools) -> Network:
    """The network whose discovering hosts send from these pools."""

    def filled(host: Host) -> Host:
        client = client_of(host)
        if client is None:
            return host
        own = {port: tuple(pool.values()) for (name, port), pool in sorted(pools.items()) if name == host.name}
        ready = replace(client, pools=tuple(own.items()))
        return replace(host, host=ready) if isinstance(host, MobileHost) else ready

    return replace(network, hosts=tuple(map(filled, network.hosts)))


def all_discovering(network: Network) -> Network:
    """The network whose clients send what is discovered instead of what they were told."""

    def changed(host: Host) -> Host:
        if isinstance(host, MobileHost):
            return replace(host, host=changed(host.host))
        if type(host) is Client:
            return replace(host, to=(), packets=(), order="any", discover=True)
        return host

    return replace(network, hosts=tuple(map(changed, network.hosts)))
