"""Pairs of steps that are independent, so that a reduction gains, and pairs that must be dependent."""

import pytest

from sdnloom.network.openflow import (
    V10,
    V13,
    Bucket,
    FlowCommand,
    FlowFlag,
    FlowMod,
    FlowStatsRequest,
    Group,
    GroupMod,
    Match,
    Output,
    PacketOut,
    Port,
    PortConfig,
    PortMod,
    SetAsync,
    SetConfig,
)
from sdnloom.network.packet import Ethernet, encode, stack
from sdnloom.network.switch import SwitchCore, coarse, independent
from tests.network.switch.build import CONTROLLER, OUT2, OUT3, TCP, add, after, only, switch
from tests.network.switch.differential import model
from tests.network.switch.sequences import Arrival, Send, Stimulus, Wait

A, B = Match.of(eth_dst=1), Match.of(eth_dst=2)
TO_A, TO_B = (stack(Ethernet(dst, 9, 0x88B5)) for dst in (1, 2))
CONFIG = switch(V13, buffers=4, counters=False)
DELETE = int(FlowCommand.DELETE)


def start() -> SwitchCore:
    group = GroupMod(1, buckets=(Bucket((OUT2,)),))
    return after(CONFIG, group, add(OUT2, match=A, priority=5), add(OUT3, match=B, priority=5, idle_timeout=4))


def leave_each_other_alone(one: Stimulus, two: Stimulus) -> bool:
    a, b = (only(model(CONFIG, start(), each)) for each in (one, two))
    return independent(a.reads, a.writes, b.reads, b.writes)


def out(*actions: object) -> Stimulus:
    return Send(PacketOut(tuple(actions), encode(TCP), in_port=1))  # type: ignore[arg-type]


NO_FWD = Send(PortMod(2, CONFIG.ports[1].hw_addr, int(PortConfig.NO_FWD), int(PortConfig.NO_FWD)))

ALONE: dict[str, tuple[Stimulus, Stimulus]] = {
    "entries that no packet meets both": (Send(add(OUT3, match=A)), Send(add(OUT2, match=B))),
    "different entries of overlapping matches": (Send(add(OUT3)), Send(add(OUT2, match=B))),
    "an entry and a packet that it does not match": (Send(add(OUT3, match=B, priority=9)), Arrival(1, TO_A)),
    "an entry and a packet that a higher one takes": (Send(add(OUT3, match=A, priority=1)), Arrival(1, TO_A)),
    "an entry and a table the packet does not come to": (Send(add(OUT3, table_id=1)), Arrival(1, TO_A)),
    "deletions of different entries": (Send(FlowMod(A, DELETE)), Send(FlowMod(B, DELETE))),
    "a deletion and an entry outside its reach": (Send(FlowMod(A, DELETE)), Send(add(OUT2, match=B))),
    "an entry that is there already and its packet": (Send(add(OUT2, match=A, priority=5)), Arrival(1, TO_A)),
    "two packets that leave no trace": (Arrival(1, TO_A), Arrival(3, TO_A)),
    "a port and a packet that does not use it": (NO_FWD, Arrival(1, TO_B)),
    "different groups": (Send(GroupMod(1, command=1)), Send(GroupMod(2))),
    "time and a packet of an entry without timer": (Wait(10), Arrival(1, TO_A)),
    "overlap checks at different priorities": (
        Send(add(match=A, priority=7, flags=int(FlowFlag.CHECK_OVERLAP))),
        Send(add(priority=8, flags=int(FlowFlag.CHECK_OVERLAP))),
    ),
}
CONFLICT: dict[str, tuple[Stimulus, Stimulus]] = {
    "the same entry": (Send(add(OUT3, match=A)), Send(add(OUT2, match=A))),
    "an entry and a packet that it takes": (Send(add(OUT3, match=A, priority=9)), Arrival(1, TO_A)),
    "an entry of equal priority and a packet": (Send(add(OUT3, priority=5)), Arrival(1, TO_A)),
    "a deletion and the packet of its entry": (Send(FlowMod(A, DELETE)), Arrival(1, TO_A)),
    "a deletion and an entry within its reach": (Send(FlowMod(command=DELETE)), Send(add(OUT2, match=B, priority=9))),
    "a modification and an entry within its reach": (
        Send(add(OUT3, command=int(FlowCommand.MODIFY))),
        Send(add(OUT2, match=B, priority=9)),
    ),
    "an overlap check and an entry that overlaps": (
        Send(add(match=A, priority=7, flags=int(FlowFlag.CHECK_OVERLAP))),
        Send(add(priority=7)),
    ),
    "statistics and an entry they show": (Send(FlowStatsRequest(A)), Send(add(OUT2, match=A, priority=9))),
    "two packets of an entry with an idle timer": (Arrival(1, TO_B), Wait(10)),
    "time and an entry with a timer": (Wait(10), Send(add(OUT2, match=A, hard_timeout=3))),
    "a port and a packet that leaves by it": (NO_FWD, Arrival(1, TO_A)),
    "a port and a flood": (NO_FWD, out(Output(Port.FLOOD))),
    "a group and a packet in it": (Send(GroupMod(1, command=2)), out(Group(1))),
    "a changed group and a packet in it": (Send(GroupMod(1, command=1)), out(Group(1))),
    "a group and an entry that uses it": (Send(GroupMod(1, command=2)), Send(add(Group(1), match=A, priority=9))),
    "two packets for buffers": (out(Output(Port.CONTROLLER, 5)), out(Output(Port.CONTROLLER, 5))),
    "asynchronous configuration and a packet for the controller": (
        Send(SetAsync((0, 0), (0, 0), (0, 0))),
        out(CONTROLLER),
    ),
    "what NORMAL learns and what NORMAL uses": (out(Output(Port.NORMAL)), out(Output(Port.NORMAL))),
    "fragment handling and a packet": (Send(SetConfig(1)), Arrival(1, TO_A)),
}


@pytest.mark.parametrize("pair", sorted(ALONE))
def test_pair_is_independent(pair: str) -> None:
    assert leave_each_other_alone(*ALONE[pair])


@pytest.mark.parametrize("pair", sorted(CONFLICT))
def test_pair_is_dependent(pair: str) -> None:
    assert not leave_each_other_alone(*CONFLICT[pair])


def test_coarse_cells_are_the_parts_of_a_switch() -> None:
    later = only(model(CONFIG, start(), Wait(10))).core
    hit = only(model(CONFIG, later, Arrival(1, TO_B)))
    assert coarse(hit.writes) == {"table"}
    assert coarse(hit.reads) == {"table", "ports", "config", "connection", "time"}


def test_counters_make_packets_of_one_entry_dependent() -> None:
    counting = switch(V10, counters=True)
    core = after(counting, add(OUT2))
    one, two = (only(model(counting, core, Arrival(port, TCP))) for port in (1, 3))
    assert not independent(one.reads, one.writes, two.reads, two.writes)
