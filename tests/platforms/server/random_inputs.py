"""Random inputs of a program for two switches."""

import random

from sdnloom.network.openflow import (
    NO_BUFFER,
    BarrierReply,
    EchoReply,
    Error,
    FeaturesReply,
    FlowRemoved,
    FlowStatsReply,
    Match,
    OpenFlowMessage,
    PacketIn,
    PortDesc,
    PortStatus,
)
from sdnloom.network.program import Input, MessageIn, SwitchDown, SwitchUp

NAMES = ("s1", "s2")


def joined(name: str, version: str) -> SwitchUp:
    number = NAMES.index(name) + 1
    ports = tuple(PortDesc(port, 0x100 * number + port, f"{name}-eth{port}") for port in (1, 2, 3))
    features = FeaturesReply(number, 256, 1, 0x7, ports=ports if version == "1.0" else ())
    return SwitchUp(name, number, ports, features)


def frame(chance: random.Random) -> bytes:
    """A frame between few addresses, a group address among them; sometimes it is cut."""
    addresses = (b"\0\0\0\0\0\x0a", b"\0\0\0\0\0\x0b", b"\0\0\0\0\0\x0c", b"\xff" * 6)
    data = chance.choice(addresses) + chance.choice(addresses) + chance.choice((b"\x08\x06", b"\x88\xb5")) + bytes(30)
    return data[: chance.choice((46, 46, 46, 46, 10))]


def message(chance: random.Random) -> OpenFlowMessage:
    data = frame(chance)
    buffer = chance.choice((NO_BUFFER, 5))
    match = Match.of(in_port=chance.choice((1, 2, 3)))
    return chance.choice(
        (
            *[PacketIn(match, data, len(data), buffer_id=buffer, xid=chance.randrange(1 << 32))] * 4,
            FlowRemoved(Match.of(eth_dst=5), packet_count=chance.randrange(9)),
            PortStatus(chance.randrange(3), PortDesc(chance.randrange(1, 4), 7, "eth")),
            BarrierReply(xid=chance.randrange(3)),
            Error("bad_action", "bad_out_port", b"x" * 12),
            FlowStatsReply(),
            EchoReply(b"of nobody"),
        )
    )


def any_input(chance: random.Random, connected: set[str], outside: tuple[Input, ...], version: str) -> Input:
    """Most often a message of a switch that is connected."""
    away = sorted(set(NAMES) - connected)
    if away and (not connected or chance.random() < 0.5):
        return joined(chance.choice(away), version)
    if chance.random() < 0.05:
        return SwitchDown(chance.choice(sorted(connected)))
    if outside and chance.random() < 0.2:
        return chance.choice(outside)
    return MessageIn(chance.choice(sorted(connected)), message(chance))
