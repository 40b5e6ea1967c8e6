"""Which numbers belong to which owner: the port, the MAC and the IP address of a host, and what a program has tagged.

Tagged numbers let a search rename hosts, and packets, that are alike. The switch model computes with plain numbers;
what it answers is tagged again by value. A number that nobody owns stays plain.
"""

from collections.abc import Iterable
from dataclasses import fields, is_dataclass, replace
from functools import lru_cache
from typing import Any

from sdnloom.actors.network.packets import NamedPacket
from sdnloom.actors.values import TaggedInt, tag
from sdnloom.network.openflow import Enqueue, Match, OpenFlowAction, Output, SetField
from sdnloom.network.packet import Arp, Ethernet, Header, IPv4, Packet, Tcp, Udp
from sdnloom.network.topology import SwitchPort, Topology

_FACETS = {
    **dict.fromkeys(("eth_src", "eth_dst", "arp_sha", "arp_tha"), "mac"),
    **dict.fromkeys(("ipv4_src", "ipv4_dst", "arp_spa", "arp_tpa"), "ip"),
}
_MATCH_FIELDS: dict[type[Header], dict[str, str]] = {  # the match field of each attribute of a header
    Ethernet: {"src": "eth_src", "dst": "eth_dst"},
    Arp: {"sha": "arp_sha", "tha": "arp_tha", "spa": "arp_spa", "tpa": "arp_tpa"},
    IPv4: {"src": "ipv4_src", "dst": "ipv4_dst"},
    Tcp: {"src": "tcp_src", "dst": "tcp_dst"},
    Udp: {"src": "udp_src", "dst": "udp_dst"},
}


def plain(value: Any) -> Any:
    """The value with plain numbers and texts in the place of tagged ones and of members of enums."""
    if isinstance(value, int):
        return int(value)
    if isinstance(value, str):
        return str(value)
    if type(value) is tuple:
        return tuple(map(plain, value))
    is_record: bool = is_dataclass(value) and not isinstance(value, type)
    return _plain_record(value) if is_record else value


@lru_cache(maxsize=1 << 16)
def _plain_record(value: Any) -> Any:
    """A packet, a header, a match or an action; equal ones, with or without tags, are the same when they are plain."""
    return replace(value, **{each.name: plain(getattr(value, each.name)) for each in fields(value) if each.init})


class Tags:
    """The numbers of the hosts of a topology, and those that are tagged in the headers of packets."""

    def __init__(self, topology: Topology, packets: Iterable[Packet] = ()) -> None:
        self._ports: dict[SwitchPort, int] = {
            host.switch_port: tag(host.port, host.name, "port") for host in topology.hosts
        }
        self._values: dict[tuple[str, int], int] = {
            (name, getattr(host, facet)): tag(getattr(host, facet), host.name, facet)
            for host in topology.hosts
            for name, facet in _FACETS.items()
        }
        self._packets: dict[Packet, Packet] = {}
        for packet in packets:
            for header in packet.headers:
                for attribute, name in _MATCH_FIELDS.get(type(header), {}).items():
                    value = getattr(header, attribute)
                    if isinstance(value, TaggedInt):
                        self._values[name, int(value)] = value

    def port(self, switch: str, number: int) -> int:
        """A port of a switch."""
        return self._ports.get(SwitchPort(str(switch), int(number)), int(number))

    def field(self, switch: str, name: str, number: int) -> int:
        """The value of a match field."""
        return self.port(switch, number) if name == "in_port" else self._value(name, number)

    def _value(self, name: str, number: int) -> int:
        return self._values.get((name, int(number)), int(number))

    def match(self, switch: str, match: Match) -> Match:
        """A match; values under a mask stay plain."""
        return Match(
            tuple(
                (name, self.field(switch, name, value) if mask is None else int(value), mask)
                for name, value, mask in match.fields
            )
        )

    def actions(self, switch: str, actions: tuple[OpenFlowAction, ...]) -> tuple[OpenFlowAction, ...]:
        """A list of actions."""
        return tuple(self._action(switch, action) for action in actions)

    def _action(self, switch: str, action: OpenFlowAction) -> OpenFlowAction:
        if isinstance(action, Output | Enqueue):
            return replace(action, port=self.port(switch, action.port))
        if isinstance(action, SetField):
            return replace(action, value=self.field(switch, action.field, action.value))
        return action

    def packet(self, packet: Packet) -> Packet:
        """A packet; equal packets have the same tags."""
        if packet not in self._packets:
            self._packets[packet] = replace(packet, headers=tuple(map(self._header, packet.headers)))
        return self._packets[packet]

    def _header(self, header: Header) -> Header:
        found = _MATCH_FIELDS.get(type(header))
        if found is None:
            return header
        values = {attribute: self._value(name, getattr(header, attribute)) for attribute, name in found.items()}
        return replace(header, **values)

    def named_packet(self, name: str, packet: Packet) -> NamedPacket:
        """A packet with its name, which keeps its tag."""
        return NamedPacket(name, self.packet(packet))
