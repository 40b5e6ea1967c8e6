"""The traffic that a search tried: what each host may send."""

from typing import NamedTuple

from sdnloom.network.hosts import HostTraffic
from sdnloom.network.network import Network


class SentTraffic(NamedTuple):
    """A host and what it sends of its own accord."""

    host: str
    traffic: HostTraffic

    def __str__(self) -> str:
        return f"{self.host} {self.traffic.text}"


def tried_traffic(network: Network) -> tuple[SentTraffic, ...]:
    """The traffic of the hosts in the order of the topology; a host without an entry only receives."""
    declared = {host.name: host.traffic() for host in network.hosts}
    silent = HostTraffic("only receives")
    return tuple(SentTraffic(host.name, declared.get(host.name, silent)) for host in network.topology.hosts)
