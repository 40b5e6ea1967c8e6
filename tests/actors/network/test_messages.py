"""Control messages: how they are written, and where the error is of one that a switch refuses."""

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sdnloom.actors import ActorError, Controller, NamedPacket, SHlink, SSlink, Switch, network_program
from sdnloom.actors.program import NO_TASK_ERRORS
from sdnloom.network.openflow import Group, Match, OpenFlowAction, Output, Port, SetField
from sdnloom.network.packet import Ethernet, decode, encode, stack
from tests.actors.network.full_search import full_search

LINKS = (SHlink("S1", "H1", 1), SSlink("S1", 2, "S2", 2), SHlink("S2", "H2", 1))


class Probe(Controller):
    """Runs a function on the first packet."""

    async def packet_in(self, switch: Any, in_port: int, packet: NamedPacket) -> None:
        TESTED[0](switch, in_port, packet)


TESTED: list[Callable[[Any, int, NamedPacket], Any]] = []


def search_with(tested: Callable[[Any, int, NamedPacket], Any]) -> Any:
    TESTED[:] = [tested]
    return full_search(network_program(Probe("ctrl"), LINKS, sends=[("H1", "H2")]))


@pytest.mark.parametrize(
    ("tested", "expected"),
    [
        (
            lambda s, i, p: s.install({"in_port": 1}, (Output(7),)),
            "bad_action/bad_out_port; expected a port of the switch: 1, 2",
        ),
        (lambda s, i, p: s.install({"ipv4_dst": 5}, (Output(1),)), "bad_match/bad_prereq; expected the fields that"),
        (lambda s, i, p: s.install({"tunnel_id": 5}, ()), "bad_match/bad_field"),
        (lambda s, i, p: s.install({"colour": 5}, ()), "unknown match field 'colour'"),
        (lambda s, i, p: s.install({}, (Group(3),)), "bad_action/bad_out_group"),
        (lambda s, i, p: s.install({}, Output(1)), "expected a tuple of OpenFlow actions"),
        (lambda s, i, p: s.install(5, ()), "match 5; expected a Match or a dict of its fields"),
        (lambda s, i, p: s.install({}, (), 70000), "priority 70000; expected a number from 0 to 65535"),
        (lambda s, i, p: s.remove({"ipv4_dst": 5}), "bad_match/bad_prereq"),
        (lambda s, i, p: s.packet_out(p, (Output(9),), i), "bad_action/bad_out_port"),
        (lambda s, i, p: s.packet_out(p.name, (Output(1),), i), "packet 'p1'; expected a NamedPacket"),
        (lambda s, i, p: s.packet_out(p, (Output(1),), 9), "bad_request/bad_port"),
        (lambda s, i, p: s.flood(p.packet, i), "expected a NamedPacket"),
        (lambda s, i, p: s.flood(p, 9), "bad_request/bad_port; expected a port of the switch: 1, 2"),
        (lambda s, i, p: s.install({}, (Output("S2"),)), "port 'S2'; expected the number of a port"),  # type: ignore[arg-type]
        (lambda s, i, p: s.send_out(p), "send_out(p1) is given a NamedPacket; expected the name of a packet"),
        (lambda s, i, p: s.instal({}, ()), "Switch 'S1' has no task 'instal'; expected one of: barrier, flood, "),
        (lambda s, i, p: p["tcp_dst"], "packet p1 has no field 'tcp_dst'; it has"),
    ],
)
def test_a_refused_message_is_an_error_at_the_line_of_its_sender(
    tested: Callable[[Any, int, NamedPacket], Any], expected: str
) -> None:
    (found,) = search_with(tested).findings
    assert found.property == NO_TASK_ERRORS
    assert found.message.startswith("ctrl.packet_in(S1, 1, p1) ")
    assert expected in found.message
    line = tested.__code__.co_firstlineno
    assert found.message.endswith(f"({Path(__file__).name}:{line})")


def test_a_packet_that_is_not_held_cannot_be_released() -> None:
    (found,) = search_with(lambda s, i, p: s.send_out("p7")).findings
    assert "S1 holds no packet of the name 'p7'; expected one that it sent to the controller" in found.message
    lines, first = inspect.getsourcelines(Switch.send_out)
    assert lines
    assert found.message.endswith(f"(switch.py:{first})")


def test_a_message_can_be_written_with_a_dict_or_a_match_and_actions_in_a_list() -> None:
    tables = []
    for match in ({"in_port": 1, "eth_dst": "00:00:00:00:00:02"}, Match.of(in_port=1, eth_dst=2)):
        found = search_with(lambda s, i, p, match=match: s.install(match, [Output(Port(Port.FLOOD))], priority=3))
        ((view, wrong),) = found.finals
        assert wrong == set()
        tables.append(view["S1"].table)
    assert tables[0] == tables[1] == {(3, Match.of(in_port=1, eth_dst=2)): (Output(int(Port.FLOOD)),)}


def test_a_released_packet_without_an_entry_is_lost_and_gone_from_the_buffer() -> None:
    found = search_with(lambda s, i, p: s.send_out(p.name))
    ((view, _),) = found.finals
    assert view["S1"].buffer == {}
    assert view["H2"].received == set()
    assert any(event.startswith("Dropped(switch='S1'") for event in found.events)


def test_flood_sends_out_of_all_other_ports() -> None:
    found = search_with(lambda s, i, p: s.flood(p, i))
    ((view, _),) = found.finals
    assert view["H2"].received == {"p1"}
    assert view["H1"].received == set()


def test_an_entry_may_send_to_the_controller_also_a_packet_that_was_released() -> None:
    """The first lookup misses; the entry that send_out finds sends the packet to the controller, which keeps it."""

    def tested(switch: Any, in_port: int, packet: NamedPacket) -> None:
        if packet["eth_dst"] == 2:
            to_controller: tuple[OpenFlowAction, ...] = (SetField("eth_dst", 3), Output(int(Port.CONTROLLER)))
            switch.install({}, to_controller)
            switch.barrier()
            switch.send_out(packet.name)

    ((view, wrong),) = search_with(tested).finals
    assert wrong == set()
    ((packet, in_port),) = view["S1"].buffer.values()
    assert (packet.name, packet["eth_dst"], in_port) == ("p1", 3, 1)


def test_entries_at_the_start_are_there_and_last_writes_win() -> None:
    program = network_program(
        Probe("ctrl"),
        LINKS,
        sends=[("H1", "H2")],
        entries=[
            ("S1", {"in_port": 1}, (), 5),
            ("S1", {"in_port": 1}, (Output(2),), 5),
            ("S2", Match(), (Output(1),), 1),
        ],
    )
    ((view, wrong),) = full_search(program).finals
    assert wrong == set()
    assert view["H2"].received == {"p1"}
    assert view["S1"].table == {(5, Match.of(in_port=1)): (Output(2),)}


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"entries": [("S1", {"in_port": 1}, (Output(8),), 5)]}, "bad_action/bad_out_port"),
        ({"entries": [("S9", {}, (), 5)]}, "expected (switch, match, actions, priority), a switch of S1, S2"),
        ({"sends": [("H9", "H1")]}, "'H9', which is no host; expected one of H1, H2"),
        ({"sends": [("H1", "H9")]}, "'H9' is no host; expected one of H1, H2"),
        ({"sends": [("H1", 5)]}, "sends has 5 for 'H1'; expected a Packet, a NamedPacket or the name of a host"),
        ({"sends": ["H1"]}, "expected a pair of the name of a host and a packet"),
        ({"sends": [("H1", NamedPacket("a", stack(Ethernet(1, 1))))] * 2}, "2 packets of the name 'a'"),
        ({"hosts": {"H9": Switch}}, "hosts has 'H9', which is no host"),
        ({"links": None}, "needs either links or a topology"),
        ({"links": [("S1", "H1", 1)]}, "expected SHlink(switch, host, port) or SSlink(...)"),
        ({"links": [SHlink("S1", "H1", -1)]}, "has the port -1; expected a number from 0"),
        ({"controller": Switch("S7")}, "expected an actor of a subclass of Controller"),
    ],
)
def test_a_wrong_network_is_refused(changes: dict[str, Any], expected: str) -> None:
    arguments: dict[str, Any] = {"controller": Probe("ctrl"), "links": LINKS} | changes
    with pytest.raises(ActorError) as error:
        network_program(**arguments)
    assert expected in str(error.value)


def test_the_controller_gets_a_packet_as_it_is_even_if_its_bytes_mean_another() -> None:
    """An Ethernet frame with an IPv4 type and no IPv4 header would be decoded differently."""
    odd = stack(Ethernet(2, 1, 0x0800), payload=bytes.fromhex("45000014") + bytes(16))
    assert decode(encode(odd)) != odd
    entries = [("S1", {"in_port": 1}, (Output(int(Port.CONTROLLER)),), 1)]
    program = network_program(Probe("ctrl"), LINKS, sends=[("H1", odd)], entries=entries)
    TESTED[:] = [lambda switch, in_port, packet: None]
    ((view, _),) = full_search(program).finals
    assert view["S1"].buffer == {"p1": (NamedPacket("p1", odd), 1)}
