"""Random controllers in small networks: every reduction, with and without symmetry, against a full search."""

import random
from collections import Counter
from typing import Any

from sdnloom.actors import (
    AllDelivered,
    Controller,
    NamedPacket,
    NoContradictoryEntries,
    NoForwardingLoop,
    Program,
    SHlink,
    SSlink,
    network_program,
)
from sdnloom.network.openflow import Match, Output, Port, SetField
from tests.actors.comparison import searched
from tests.actors.exhaustive import explored

MOST_STATES = 200
SEEDS = (0, 2, 15, 16, 25, 28, 39, 48)  # of the small ones among the first 60
LINKS = (
    SHlink("S1", "H1", 1),
    SHlink("S1", "H2", 2),
    SSlink("S1", 3, "S2", 3),
    SHlink("S2", "G", 1),
)


class Scripted(Controller):
    """Does what its script says: for the first packet that a switch asks about, and for later ones."""

    script: tuple[Any, ...] = ()
    asked: set = set()  # noqa: RUF012 (the declaration of a field)

    async def packet_in(self, switch: Any, in_port: int, packet: NamedPacket) -> None:
        first = not any(name == switch.name for name, _ in self.asked)
        self.asked.add((switch.name, packet.name))
        for what, at, fields, actions, priority in self.script[0 if first else 1]:
            target = switch if at == "here" else self.switches[at]
            match = self.match(fields, in_port, packet)
            if what == "install":
                target.install(match, actions, priority)
            elif what == "remove":
                target.remove(match, priority if priority else None)
            elif what == "barrier":
                await target.barrier()
            else:
                target.packet_out(packet, actions)
        if self.script[2]:
            switch.send_out(packet.name)
        else:
            switch.packet_out(packet, (Output(int(Port.TABLE)),), in_port)

    def match(self, fields: tuple[str, ...], in_port: int, packet: NamedPacket) -> Match:
        own: dict[str, Any] = {"in_port": in_port, "low bit": (packet["eth_src"] & 1, 1)}
        names = {"low bit": "eth_src"}
        return Match.of(**{names.get(name, name): own[name] if name in own else packet[name] for name in fields})


def random_network(seed: int) -> Program:
    rng = random.Random(seed)
    fields = ("in_port", "eth_src", "eth_dst", *(["low bit"] if seed % 4 == 0 else []))

    def action() -> Any:
        number = rng.choice([1, 2, 3, 3, int(Port.FLOOD), int(Port.IN_PORT)])
        return Output(number) if rng.random() < 0.85 else SetField("eth_dst", rng.choice([2, 3]))

    def row(what: str) -> tuple[Any, ...]:
        chosen = tuple(sorted(rng.sample(fields, rng.randrange(3))))
        if {"low bit", "eth_src"} <= set(chosen):
            chosen = ("low bit",)
        at = rng.choice(["here", "here", "S1", "S2"])
        actions = (SetField("eth_dst", 3),) * (rng.random() < 0.1) + (Output(rng.choice([1, 3])),)
        if rng.random() < 0.6:
            actions = tuple(action() for _ in range(rng.randrange(3)))
        if at != "S1":
            actions = tuple(each for each in actions if each != Output(2))
        return what, at, chosen, actions, rng.choice([0, 1, 1, 2])

    kinds = ["install"] * 5 + ["remove"] + ["barrier"] + ["packet_out"] * (rng.random() < 0.3)
    script = tuple(tuple(row(rng.choice(kinds)) for _ in range(rng.randrange(1, 4))) for _ in range(2))
    sends = (
        [("H1", "G"), ("H2", "G"), ("G", "H1")][: rng.choice([2, 2, 2, 3])] if seed % 3 else [("H1", "G"), ("H1", "G")]
    )
    return network_program(
        Scripted("ctrl", script=(*script, rng.random() < 0.7)),
        LINKS,
        sends=sends,
        monitors=[NoForwardingLoop(), NoContradictoryEntries()][: rng.randrange(3)],
        final=[AllDelivered()],
    )


def test_random_networks_have_the_final_states_and_events_of_a_full_search() -> None:
    counts: Counter[str] = Counter()
    for seed in SEEDS:
        expected = explored(random_network(seed), MOST_STATES)
        for level, symmetry in (("none", True), ("context", bool(seed % 2)), ("entry", not seed % 2)):
            found = searched(random_network(seed), level, symmetry)
            assert without_texts(found.finals) == without_texts(expected.finals), (seed, level, symmetry)
            assert found.events == expected.events, (seed, level, symmetry)
            assert {name for name, _ in found.violations} == {name for name, _ in expected.violations}
            counts["symmetric"] += found.is_symmetric
            counts["reduced"] += found.states < expected.states
        counts["several final states"] += len(expected.finals) > 1
    assert counts["several final states"] == len(SEEDS)
    assert counts["symmetric"] >= 6
    assert counts["reduced"] >= 20


def without_texts(finals: set[Any]) -> set[Any]:
    """Final states with failed tasks counted only: a text may name a packet that a renaming exchanges."""
    return {(cells, len(failures)) for cells, failures in finals}
