"""PKT-SEQ (NICE, section 5.1): bounds on how many packets a client sends in all, and how many unanswered.

Every client has such budgets of its own (`sends` and `burst`); this strategy reduces them for all clients. It is a
bound and not a heuristic: the verdict of a search within it can be *holds*, and names the bound.
"""

from dataclasses import dataclass, replace
from typing import ClassVar

from sdnloom.network.hosts import Client, Host, MobileHost
from sdnloom.network.network import Network, check_not_negative
from sdnloom.strategies.base import SearchStrategy


@dataclass(frozen=True)
class PktSeq(SearchStrategy):
    """Each client sends at most `length` packets, at most `burst` of them unanswered; None keeps the client's bound.

    Each packet that a client receives allows it one more. TCP clients and ARP hosts are bounded by their protocols.
    """

    name: ClassVar[str] = "pkt-seq"
    length: int | None = None
    burst: int | None = None

    def __post_init__(self) -> None:
        for name in ("length", "burst"):
            if getattr(self, name) is not None:
                check_not_negative(f"{name} of pkt-seq", getattr(self, name))

    def narrow(self, network: Network) -> Network:
        """Return the network with the budgets of every client reduced."""
        return replace(network, hosts=tuple(map(self._cut, network.hosts)))

    def _cut(self, host: Host) -> Host:
        if isinstance(host, MobileHost):
            return replace(host, host=self._cut(host.host))
        if not isinstance(host, Client):
            return host
        sends = host.sends if self.length is None else min(host.sends, self.length)
        limits = [limit for limit in (host.burst, self.burst) if limit is not None]
        return replace(host, sends=sends, burst=min(limits, default=None))
