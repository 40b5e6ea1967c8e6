"""Which numbers belong to which host: its port, its MAC and its IP address.

Tagged numbers let a search rename hosts that are alike. The switch model computes with plain numbers; what it answers
is tagged again by value. A number that no host owns stays plain.
"""

from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar

from sdnloom.actors.network.packets import NamedPacket
from sdnloom.actors.values import tag
from sdnloom.network.openflow import Enqueue, Match, OpenFlowAction, Output, SetField
from sdnloom.network.packet import Arp, Ethernet, Header, IPv4, Packet
from sdnloom.network.topology import SwitchPort, Topology

_T = TypeVar("_T")
_MATCH_FACETS = {
    **dict.fromkeys(("eth_src", "eth_dst", "arp_sha", "arp_tha"), "mac"),
    **dict.fromkeys(("ipv4_src", "ipv4_dst", "arp_spa", "arp_tpa"), "ip"),
}
_HEADER_FACETS: dict[type[Header], dict[str, str]] = {
    Ethernet: {"src": "mac", "dst": "mac"},
    Arp: {"sha": "mac", "tha": "mac", "spa": "ip", "tpa": "ip"},
    IPv4: {"src": "ip", "dst": "ip"},
}


def plain(value: Any) -> Any:
    """The value with plain numbers and texts in the place of tagged ones and of members of enums."""
    if isinstance(value, bool):
        return value
    if isinstance(value, int):
        return int(value)
    if isinstance(value, str):
        return str(value)
    if type(value) is tuple:
        return tuple(map(plain, value))
    if is_dataclass(value) and not isinstance(value, type):
        return replace(value, **{each.name: plain(getattr(value, each.name)) for each in fields(value) if each.init})
    return value


class Tags:
    """The numbers of the hosts of a topology."""

    def __init__(self, topology: Topology) -> None:
        self._values: dict[str, dict[int, int]] = {
            facet: {getattr(host, facet): tag(getattr(host, facet), host.name, facet) for host in topology.hosts}
            for facet in ("mac", "ip")
        }
        self._ports: dict[SwitchPort, int] = {
            host.switch_port: tag(host.port, host.name, "port") for host in topology.hosts
        }

    def port(self, switch: str, number: int) -> int:
        """A port of a switch."""
        return self._ports.get(SwitchPort(str(switch), int(number)), int(number))

    def address(self, facet: str, number: int) -> int:
        """A MAC address (`mac`) or an IP address (`ip`)."""
        return self._values[facet].get(number, int(number))

    def field(self, switch: str, name: str, number: int) -> int:
        """The value of a match field."""
        if name == "in_port":
            return self.port(switch, number)
        return self.address(_MATCH_FACETS[name], number) if name in _MATCH_FACETS else int(number)

    def match(self, switch: str, match: Match) -> Match:
        """A match; values under a mask stay plain."""
        return Match(
            tuple(
                (name, self.field(switch, name, value) if mask is None else value, mask)
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
        """A packet."""
        return replace(packet, headers=tuple(map(self._header, packet.headers)))

    def _header(self, header: Header) -> Header:
        facets = _HEADER_FACETS.get(type(header))
        if facets is None:
            return header
        return replace(header, **{name: self.address(facet, getattr(header, name)) for name, facet in facets.items()})

    def named_packet(self, name: str, packet: Packet) -> NamedPacket:
        """A packet with its name, which keeps its tag."""
        return NamedPacket(name, self.packet(packet))
