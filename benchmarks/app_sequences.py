"""Random events for real apps, and three ways to the same state: directly, from a snapshot, and by replay.

`python -m benchmarks.app_sequences FOLDER APP FIRST COUNT` prints the digests of all states of some sequences, one line
each, so that processes with different hash seeds can be compared.
"""

import random
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sdnloom.network.build import switch_config
from sdnloom.network.network import SwitchOptions
from sdnloom.network.openflow import (
    FlowStats,
    FlowStatsReply,
    Match,
    OpenFlowMessage,
    PacketIn,
    PortStats,
    PortStatsReply,
    PortStatus,
)
from sdnloom.network.packet import Ethernet, Icmp, IPv4, Udp, encode, stack
from sdnloom.network.program import Call, ClockTick, Input, MessageIn, Reaction, SwitchDown, SwitchUp
from sdnloom.network.topology import Topology, ring
from sdnloom.network.traffic import arp_reply, arp_request, frame, ping
from sdnloom.network.value import ip
from sdnloom.platforms.osken.program import OskenProgram

NETWORK = ring(3)
GATEWAYS = ("10.0.0.254/24", "172.16.20.1/24", "10.0.0.2/30")
BPDU = "424203 0000 00 00 {flags} {priority}{root} 00000000 {priority}{bridge} 80{port} 0000 1400 0200 0f00"


@dataclass(frozen=True)
class App:
    """One of Ryu's apps, and the events beyond packets that it is given."""

    name: str
    version: str = "1.3"
    hub: str = "native"
    bpdus: bool = False
    requests: bool = False


APPS = (
    App("simple_switch", "1.0"),
    App("simple_switch_13"),
    App("example_switch_13"),
    App("simple_monitor_13"),
    App("simple_switch_stp_13", hub="eventlet", bpdus=True),  # on the native hub its threads end at once
    App("rest_router", requests=True),
)


def program(app: App, folder: Path) -> OskenProgram:
    """The app, freshly loaded from the folder of Ryu's package."""
    return OskenProgram([f"ryu.app.{app.name}"], version=app.version, hub=app.hub, path=[folder])


def random_inputs(app: App, seed: int, length: int, topology: Topology = NETWORK) -> Iterator[Input]:
    """A sequence of random events for the app; a switch joins before any message comes from it."""
    chance = random.Random(f"{app.name} {seed}")
    configs = [
        switch_config(spec, SwitchOptions(version=app.version, profile="reference")) for spec in topology.switches
    ]
    names = [spec.name for spec in topology.switches]
    joined: set[int] = set()
    for _ in range(length):
        number = chance.randrange(len(names))
        roll = chance.random()
        if number not in joined:
            joined.add(number)
            yield SwitchUp(names[number], configs[number].datapath_id, configs[number].ports)
        elif roll < 0.05:
            joined.remove(number)
            yield SwitchDown(names[number])
        elif roll < 0.2:
            yield ClockTick()
        elif roll < 0.4 and app.requests:
            yield _request(chance, configs[number].datapath_id)
        else:
            ports = configs[number].ports
            yield MessageIn(names[number], _message(app, chance, topology, ports))


def _message(app: App, chance: random.Random, topology: Topology, ports: Any) -> OpenFlowMessage:
    desc = chance.choice(ports)
    roll = chance.random()
    if roll < 0.1:
        return PortStatus(chance.randrange(3), replace(desc, state=chance.randrange(2)))
    if roll < 0.2 and app.name == "simple_monitor_13":
        return PortStatsReply(tuple(PortStats(each.port_no, tx_bytes=chance.randrange(3)) for each in ports))
    if roll < 0.3 and app.name == "simple_monitor_13":
        matches = [Match.of(in_port=each.port_no, eth_dst=chance.randrange(1, 4)) for each in ports]
        return FlowStatsReply(tuple(FlowStats(each, priority=1) for each in matches))
    data = _bpdu(chance) if app.bpdus and roll < 0.5 else _frame(chance, topology)
    return PacketIn(Match.of(in_port=desc.port_no), data, len(data))


def _frame(chance: random.Random, topology: Topology) -> bytes:
    source, target = chance.sample(topology.hosts, 2)
    router = 0x0200_0001_0001
    kinds = (
        lambda: ping(source, target),
        lambda: frame(source, target),
        lambda: arp_request(source, target.ip),
        lambda: arp_request(source, ip("10.0.0.254")),
        lambda: arp_reply(source, target.mac, target.ip),
        lambda: stack(Ethernet(router, source.mac), IPv4(source.ip, ip("172.16.20.9")), Udp(1, 2), payload=b"x"),
        lambda: stack(Ethernet(router, source.mac), IPv4(source.ip, ip("10.0.0.254")), Icmp(8), payload=b"x"),
        lambda: stack(Ethernet(0x0180_C200_000E, source.mac, 0x88CC), payload=b"\x00\x00"),
    )
    return encode(chance.choice(kinds)())


def _bpdu(chance: random.Random) -> bytes:
    """A configuration BPDU of any of three bridges; now and then one with a reserved flag."""
    text = BPDU.format(
        flags=chance.choice(("00", "00", "01", "81", "02")),
        priority=chance.choice(("8000", "9000", "a000")),
        root=f"{chance.randrange(1, 4):012x}",
        bridge=f"{chance.randrange(1, 4):012x}",
        port=f"{chance.randrange(1, 4):02x}",
    )
    return encode(stack(Ethernet(0x0180_C200_0000, chance.randrange(1, 4), 38), payload=bytes.fromhex(text)))


def _request(chance: random.Random, dpid: int) -> Call:
    place = chance.choice((f"/router/{dpid:016x}", "/router/all", "/router/0000000000000009"))
    body = chance.choice(
        (
            *(f'{{"address": "{each}"}}' for each in GATEWAYS),
            '{"gateway": "10.0.0.1"}',
            '{"destination": "192.168.0.0/16", "gateway": "172.16.20.7"}',
            '{"address_id": "1"}',
            "{",
        )
    )
    return Call(f"{chance.choice(('GET', 'POST', 'POST', 'DELETE'))} {place}", (body,))


@dataclass(frozen=True)
class Course:
    """The result of a sequence: after each event, the digest and the app's reaction."""

    inputs: tuple[Input, ...]
    reactions: tuple[Reaction, ...]

    @property
    def digests(self) -> tuple[str, ...]:
        """The digests of the states."""
        return tuple(each.core.digest for each in self.reactions)  # type: ignore[attr-defined]

    @property
    def behaviour(self) -> tuple[Any, ...]:
        """Everything that a network can observe: states, messages to each switch in order, and events.

        In which order an app tells different switches is not part of it: they have connections of their own. It can
        differ, because the order of the keys of a dict is no part of a state.
        """
        return tuple(
            (each.core, sorted(each.messages, key=lambda sent: sent[0]), sorted(map(repr, each.events)), each.choice)
            for each in self.reactions
        )


def directly(app: App, folder: Path, inputs: list[Input]) -> Course:
    """Run the events on a freshly loaded app, without restoring any state."""
    fresh = program(app, folder)
    core, given, reactions = fresh.initial(), [], []
    for each in inputs:
        reaction = fresh.first(core, each)
        if reaction is not None:  # time cannot pass while no timer is set
            given.append(each)
            reactions.append(reaction)
            core = reaction.core  # type: ignore[assignment]
    return Course(tuple(given), tuple(reactions))


def restored(known: OskenProgram, course: Course, chance: random.Random) -> Course:
    """Run the events on an app that is put into another state before each of them and then restored."""
    core, reactions = known.initial(), []
    seen = [core]
    for each in course.inputs:
        away = chance.choice(seen)
        known.first(away, chance.choice(course.inputs[:1]))
        reaction = known.first(core, each)
        assert reaction is not None
        reactions.append(reaction)
        core = reaction.core  # type: ignore[assignment]
        seen.append(core)
    return Course(course.inputs, tuple(reactions))


def replayed(known: OskenProgram, course: Course, chance: random.Random) -> Course:
    """The same without snapshots but the first: each state is rebuilt by replaying the app's events."""
    states = known._states
    for core, kept in states._stored.items():
        if kept.before is not None:
            states._stored[core] = replace(kept, snapshot=None, stacks=())
    states._snapshot = lambda first: (None, ())  # type: ignore[method-assign]
    return restored(known, course, chance)


def main(folder: str, name: str, first: str, count: str) -> None:
    app = next(each for each in APPS if each.name == name)
    for seed in range(int(first), int(first) + int(count)):
        print(" ".join(directly(app, Path(folder), list(random_inputs(app, seed, 12))).digests))


if __name__ == "__main__":
    main(*sys.argv[1:])
