"""Two properties of a router: a ping reaches a host in another network; no packet goes to the controller for ever."""

from dataclasses import dataclass

from sdnloom import Needs, NetworkProperty, Property, events, header_of, packet, packet_id_of


def pinged(host: str) -> Property:
    """A `sometimes` property: a ping reaches the host."""

    def fold(seen, event):
        return seen or (
            isinstance(event, events.Received) and event.host == host and bool(header_of(event.packet, packet.Icmp))
        )

    def witness(seen, _):
        return f"a ping has reached {host}" if seen else None

    return Property(f"{host} is pinged", Needs.EVENT, witness, fold=fold, initial=False, sometimes=True)


@dataclass(frozen=True)
class Settles(NetworkProperty):
    """No packet goes to the controller more than `most` times."""

    name: str = "Settles"
    most: int = 1

    @property
    def identity(self):
        return True

    def bind(self, network):
        def fold(counts, event):
            packet_id = packet_id_of(event.packet) if isinstance(event, events.ToController) else ""
            if not packet_id:
                return counts
            count = dict(counts).get(packet_id, 0)
            return counts - {(packet_id, count)} | {(packet_id, count + 1)}

        def violated(counts, _):
            often = sorted(packet_id for packet_id, count in counts if count > self.most)
            return f"packet {often[0]} went to the controller more than {self.most} times" if often else None

        return (Property(self.name, Needs.EVENT, violated, fold=fold, initial=frozenset()),)
