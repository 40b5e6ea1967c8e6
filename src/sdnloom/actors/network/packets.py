"""Packets of actors: packets of the network with a name that tells equal ones apart."""

from dataclasses import dataclass
from typing import Any

from sdnloom.actors.values import TaggedStr, tag
from sdnloom.network.openflow import Match
from sdnloom.network.packet import Header, Packet
from sdnloom.network.switch.tables.lookup import packet_fields
from sdnloom.network.traffic import answer_to

_ANSWER = " answer"  # the end of the facet of an answer's name


class PacketFieldError(KeyError):
    """A packet lacks a field."""

    def __str__(self) -> str:
        return str(self.args[0])


def answer_name(name: str) -> str:
    """The name of the answer to a packet; it has the same owner, if the packet is no answer itself."""
    text = f"answer to {name}"
    if not isinstance(name, TaggedStr) or name.facet.endswith(_ANSWER):
        return text
    return tag(text, name.owner, name.facet + _ANSWER)  # type: ignore[no-any-return]


@dataclass(frozen=True, slots=True)
class NamedPacket:
    """A packet and its name. Switches rewrite the packet; its copies keep the name.

    `packet["ipv4_dst"]` is the value of a match field.
    """

    name: str
    packet: Packet

    @property
    def headers(self) -> tuple[Header, ...]:
        """The headers, outermost first."""
        return self.packet.headers

    def get(self, field: str, default: Any = None) -> Any:
        """The value of a match field other than `in_port`; the default if the packet lacks it."""
        return packet_fields(self.packet).get(field, default) if field != "in_port" else default

    def __getitem__(self, field: str) -> Any:
        found = self.get(field)
        if found is None:
            known = ", ".join(name for name in packet_fields(self.packet) if name != "in_port")
            raise PacketFieldError(f"packet {self.name} has no field {field!r}; it has {known}")
        return found

    def match(self, *names: str) -> Match:
        """The match of all packets that have the same values in these fields."""
        return Match.of(**{name: self[name] for name in names})

    def answer(self, name: str = "") -> "NamedPacket":
        """The packet with source and destination exchanged, without payload; an echo request becomes a reply.

        Without a name it is called `answer to ...`.
        """
        return NamedPacket(name or answer_name(self.name), answer_to(self.packet))

    def __str__(self) -> str:
        return str(self.name)

    def __repr__(self) -> str:
        return f"NamedPacket({str(self.name)!r}, {self.packet!r})"
