"""Monitors and final checks: each reports exactly what it says."""

from typing import Any

import pytest

from sdnloom.actors import (
    AllDelivered,
    Balanced,
    ConsistentTables,
    Controller,
    NamedPacket,
    NoContradictoryEntries,
    NoDelivery,
    NoForwardingLoop,
    Program,
    SHlink,
    SSlink,
    network_program,
)
from sdnloom.network.openflow import Match, Output, Port
from tests.actors.network.full_search import full_search, one_run

LINKS = (
    SHlink("S1", "H1", 1),
    SHlink("S1", "H2", 2),
    SSlink("S1", 3, "S2", 1),
    SSlink("S2", 2, "S3", 1),
    SSlink("S3", 2, "S1", 4),
)
IP, SSH = {"eth_type": 0x0800}, {"eth_type": 0x0800, "ip_proto": 6, "tcp_dst": 22}
ANY: dict[str, Any] = {}


class Idle(Controller):
    async def packet_in(self, switch: Any, in_port: int, packet: NamedPacket) -> None:
        pass


class Installer(Controller):
    """Installs entries in S1, then removes some: messages are handled in order."""

    messages: tuple[Any, ...] = ()

    async def packet_in(self, switch: Any, in_port: int, packet: NamedPacket) -> None:
        for method, *args in self.messages:
            getattr(switch, method)(*args)
            await switch.barrier()


def installed(*messages: Any) -> Program:
    frozen = tuple(
        (method, match if isinstance(match, Match) else Match.of(**match), *rest) for method, match, *rest in messages
    )
    return network_program(
        Installer("ctrl", messages=frozen),
        LINKS,
        sends=[("H1", "H2")],
        monitors=[NoContradictoryEntries()],
        final=[ConsistentTables()],
    )


ROUND = [("S1", ANY, (Output(3),), 1), ("S2", ANY, (Output(2),), 1), ("S3", ANY, (Output(2),), 1)]


@pytest.mark.parametrize("stops", [True, False])
def test_a_packet_in_a_ring_is_reported_and_every_program_ends(stops: bool) -> None:
    monitors, final = [NoForwardingLoop()], [AllDelivered()]
    program = network_program(
        Idle("ctrl"), LINKS, sends=[("H1", "H2")], entries=ROUND, monitors=monitors, final=final, stops_loops=stops
    )
    found = full_search(program)
    visited = ["S1"] if stops else ["S1", "S2", "S3"]
    loops = {each.message for each in found.findings if each.property == "NoForwardingLoop"}
    assert loops == {f"packet p1 reaches the switch {name} for the second time" for name in visited}
    assert len(found.finals) == (1 if stops else 0)  # without, the packet runs for ever, in finitely many states
    assert {each.property for _, wrong in found.finals for each in wrong} == (
        {"NoForwardingLoop", "AllDelivered"} if stops else set()
    )


def test_a_flooded_ring_is_a_loop_too() -> None:
    flood = [(name, ANY, (Output(int(Port.FLOOD)),), 1) for name in ("S1", "S2", "S3")]
    program = network_program(Idle("ctrl"), LINKS, sends=[("H1", "H2")], entries=flood, monitors=[NoForwardingLoop()])
    assert {each.property for each in full_search(program).findings} == {"NoForwardingLoop"}


@pytest.mark.parametrize(
    ("messages", "in_the_end", "on_the_way"),
    [
        ([("install", SSH, (), 1), ("install", IP, (Output(2),), 1)], True, True),
        ([("install", IP, (Output(2),), 1), ("install", SSH, (), 1)], True, True),
        ([("install", IP, (Output(2),), 1), ("install", {"in_port": 1}, (Output(3),), 1)], True, True),
        ([("install", SSH, (), 1), ("remove", SSH), ("install", IP, (Output(2),), 1)], False, False),
        ([("install", SSH, (), 1), ("install", IP, (Output(2),), 1), ("remove", SSH, 1)], False, True),
        ([("install", SSH, (), 2), ("install", IP, (Output(2),), 1)], False, False),
        ([("install", SSH, (Output(2),), 1), ("install", IP, (Output(2),), 1)], False, False),
        ([("install", {"in_port": 1}, (), 1), ("install", {"in_port": 2}, (Output(2),), 1)], False, False),
        ([("install", IP, (), 1), ("install", IP, (Output(2),), 1)], False, False),  # the last write wins
    ],
)
def test_contradictory_entries(messages: list[Any], in_the_end: bool, on_the_way: bool) -> None:
    _, wrong = one_run(installed(*messages))
    assert {each.property for each in wrong} == {
        *(["ConsistentTables"] if in_the_end else []),
        *(["NoContradictoryEntries"] if on_the_way else []),
    }


def test_a_contradiction_names_both_entries_in_a_fixed_order() -> None:
    texts = set()
    for messages in ([("install", SSH, (), 1), ("install", IP, (Output(2),), 1)],) * 2:
        for order in (messages, messages[::-1]):
            _, wrong = one_run(installed(*order))
            texts |= {each.message for each in wrong if each.property == "NoContradictoryEntries"}
    assert texts == {
        "switch S1 has contradictory entries of priority 1: eth_type=0x800 -> port 2 and "
        "eth_type=0x800,ip_proto=6,tcp_dst=22 -> drop"
    }


def delivered(monitors: Any = (), final: Any = (), sends: Any = (("H1", "H2"), ("H1", "H2"), ("H2", "H1"))) -> Program:
    return network_program(
        Idle("ctrl"),
        LINKS,
        sends=sends,
        entries=[("S1", {"in_port": 1}, (Output(2),), 1)],  # nothing leads to H1
        monitors=monitors,
        final=final,
    )


@pytest.mark.parametrize(
    ("check", "expected"),
    [
        (AllDelivered(), "not delivered: p3"),
        (AllDelivered(lambda packet: packet["eth_src"] == 1), None),
        (AllDelivered(lambda packet: packet["eth_src"] == 2), "not delivered: p3"),
        (AllDelivered(lambda packet: packet["eth_src"] == 1, hosts=["H1"]), "not delivered: p1, p2"),
        (Balanced(["H1", "H2"]), "packets received: H1 0, H2 2; expected a difference of at most 1"),
        (Balanced(["H1", "H2"], most=2), None),
        (Balanced([]), None),
    ],
)
def test_checks_of_final_states(check: Any, expected: str | None) -> None:
    _, wrong = one_run(delivered(final=[check]))
    assert [each.message for each in wrong] == ([] if expected is None else [expected])


@pytest.mark.parametrize(
    ("monitor", "expected"),
    [
        (NoDelivery(lambda packet: True), {"host H2 receives the packet p1", "host H2 receives the packet p2"}),
        (NoDelivery(lambda packet: packet.name == "p2"), {"host H2 receives the packet p2"}),
        (NoDelivery(lambda packet: True, hosts=["H1"]), set()),
        (NoDelivery(lambda packet: packet["eth_src"] == 2), set()),
    ],
)
def test_deliveries_that_must_not_be(monitor: NoDelivery, expected: set[str]) -> None:
    _, wrong = one_run(delivered(monitors=[monitor]))
    assert {each.message for each in wrong} == expected


def test_properties_are_named_after_their_classes_or_as_they_are_told() -> None:
    assert NoForwardingLoop().name == "NoForwardingLoop"
    assert NoDelivery(lambda packet: True, name="NoSSH").name == "NoSSH"
    assert Balanced(["H1"]).__name__ == "Balanced"
    assert AllDelivered(name="Web").__name__ == "Web"


def test_a_packet_that_comes_back_to_its_sender_is_not_delivered() -> None:
    back = [("S1", ANY, (Output(int(Port.IN_PORT)),), 1)]
    view, wrong = one_run(
        network_program(Idle("ctrl"), LINKS, sends=[("H1", "H2")], entries=back, final=[AllDelivered()])
    )
    assert view["H1"].received == {"p1"}
    assert [each.message for each in wrong] == ["not delivered: p1"]
