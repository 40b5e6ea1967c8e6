"""What a router is for, as something to see: a ping has come to a host in another network. And what it must not do."""

from dataclasses import dataclass

from sdnloom.engine.model import Needs, Property
from sdnloom.network.events import Received, ToController
from sdnloom.network.packet import Icmp
from sdnloom.network.packet_id import stamp_of
from sdnloom.network.traffic import header_of
from sdnloom.properties import NetworkProperty


def pinged(host: str) -> Property:
    """Something desired: a ping reaches the host."""

    def fold(seen, event):
        return seen or (isinstance(event, Received) and event.host == host and bool(header_of(event.packet, Icmp)))

    def said(seen, _):
        return f"a ping has reached {host}" if seen else None

    return Property(f"{host} is pinged", Needs.EVENT, said, fold=fold, initial=False, sometimes=True)


@dataclass(frozen=True)
class Settles(NetworkProperty):
    """No packet goes to the controller more than `most` times: the program makes up its mind about it."""

    name: str = "Settles"
    most: int = 1

    @property
    def identity(self):
        return True

    def bind(self, world):
        def fold(counts, event):
            packet = stamp_of(event.packet) if isinstance(event, ToController) else ""
            if not packet:
                return counts
            count = dict(counts).get(packet, 0)
            return counts - {(packet, count)} | {(packet, count + 1)}

        def said(counts, _):
            often = sorted(packet for packet, count in counts if count > self.most)
            return f"packet {often[0]} went to the controller more than {self.most} times" if often else None

        return (Property(self.name, Needs.EVENT, said, fold=fold, initial=frozenset()),)
