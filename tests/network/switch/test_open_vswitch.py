"""The switch model agrees with a real Open vSwitch, and the comparison detects mistakes in the model."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from sdnloom.network.openflow import (
    V10,
    V13,
    ApplyActions,
    Bucket,
    FlowCommand,
    FlowFlag,
    FlowMod,
    FlowStatsRequest,
    GotoTable,
    Group,
    GroupMod,
    Match,
    OpenFlowMessage,
    Output,
    PacketOut,
    Port,
    PortConfig,
    PortMod,
    PushVlan,
    SetConfig,
    SetField,
    WriteActions,
)
from sdnloom.network.packet import Ethernet, Icmp, IPv4, Packet, Tcp, Udp, Vlan, encode, stack
from sdnloom.network.switch import Switch, pipeline, plain_ports, timeouts
from sdnloom.network.switch.core import FlowEntry
from sdnloom.network.switch.tables import flow_mod as flowmod
from sdnloom.network.switch.tables.lookup import matches
from tests.network.switch import views
from tests.network.switch.deviations import (
    ALWAYS,
    DEVIATIONS,
    HARD_TIMER_OF_MODIFY,
    IDLE_TIMER_OF_REPLACEMENT,
    TWINS,
)
from tests.network.switch.differential import Comparison
from tests.network.switch.sequences import Arrival, Generator, Send, Stimulus, Wait

SHARDS = 4
SEQUENCES = 260  # of each shard: 2 versions * 4 shards * 260 = 2,080
NAMES = {each.name for each in DEVIATIONS} | {*TWINS, *ALWAYS, HARD_TIMER_OF_MODIFY, IDLE_TIMER_OF_REPLACEMENT}
SILENT = {"checksum-in-fragment"}  # part of the view, so it is never counted
DOCS = Path(__file__).parents[3] / "docs" / "switch.md"


@pytest.mark.slow
@pytest.mark.parametrize("shard", range(SHARDS))
@pytest.mark.parametrize("version", [V10, V13], ids=["1.0", "1.3"])
def test_model_and_open_vswitch_do_the_same(compare: Callable[[int], Comparison], version: int, shard: int) -> None:
    comparison = compare(version)
    for number in range(SEQUENCES):
        difference = comparison.run(Generator(comparison.config, shard * SEQUENCES + number).sequence())
        assert difference is None, f"sequence {shard * SEQUENCES + number}: {difference}"
    # Not vacuous: sequences run to their end nearly always, and the rules name few of their steps.
    assert comparison.steps > 8 * SEQUENCES
    assert sum(comparison.named.values()) < 0.05 * comparison.steps


# -- deviations: each rule shown by the shortest sequence that needs it -----------------------------------------------

MAC1, MAC2, MAC3 = 0x020000000001, 0x020000000002, 0x020000000003
TCP = stack(Ethernet(MAC2, MAC1), IPv4(1, 2, ttl=9), Tcp(80, 81), payload=bytes(40))
ICMP = stack(Ethernet(MAC2, MAC1), IPv4(1, 2, ttl=9), Icmp(8), payload=bytes(40))
TAGGED = stack(Ethernet(MAC2, MAC1), Vlan(5, 3), IPv4(1, 2, ttl=9), Udp(80, 81), payload=bytes(40))
FRAGMENT = Packet((Ethernet(MAC2, MAC1, 0x0800), IPv4(1, 2, 1, ttl=9, offset=2)), bytes(range(46)))
LATER_TCP = Packet((Ethernet(MAC2, MAC1, 0x0800), IPv4(1, 2, 6, ttl=9, offset=2)), bytes(range(46)))


def entry(*actions: Any, **fields: Any) -> Stimulus:
    return Send(FlowMod(instructions=(ApplyActions(tuple(actions)),), **fields))


def packet_out(*actions: Any, packet: Packet = TCP, **fields: Any) -> Stimulus:
    return Send(PacketOut(tuple(actions), encode(packet), **fields))


def port_mod(config: Switch, bits: int) -> Stimulus:
    return Send(PortMod(1, config.ports[0].hw_addr, bits, bits))


def out(version: int, port: int) -> Output:
    return Output(port, 0 if version == V10 else 0xFFFF)


STATS = Send(FlowStatsRequest())
FULL = Match.of(
    in_port=1,
    eth_dst=MAC2,
    eth_src=MAC1,
    eth_type=0x0800,
    vlan_vid=0,
    ip_dscp=0,
    ip_proto=6,
    ipv4_src=1,
    ipv4_dst=2,
    tcp_src=80,
    tcp_dst=81,
)
OUT10, OUT13 = out(V10, 2), out(V13, 2)
SHOWN: dict[str, tuple[int, Callable[[Switch], list[Stimulus]]]] = {
    "overlap-with-itself": (V10, lambda _: [entry(OUT10), entry(OUT10, flags=int(FlowFlag.CHECK_OVERLAP))]),
    "ports-of-icmp": (V10, lambda _: [packet_out(SetField("tp_src", 7), OUT10, packet=ICMP)]),
    "push-copies-tag": (V13, lambda _: [packet_out(PushVlan(), OUT13, packet=TAGGED, in_port=1)]),
    "action-set-after-miss": (
        V13,
        lambda _: [
            Send(FlowMod(instructions=(WriteActions((OUT13,)), GotoTable(1)))),
            Arrival(1, TCP),
        ],
    ),
    "changes-behind-table": (
        V13,
        lambda _: [entry(SetField("eth_dst", MAC3)), packet_out(out(V13, Port.TABLE), OUT13, in_port=1)],
    ),
    "group-in-bucket": (V13, lambda _: [Send(GroupMod(1, buckets=(Bucket((Group(2),)),)))]),
    "group-loop": (
        V13,
        lambda _: [
            Send(GroupMod(1)),
            Send(GroupMod(2, buckets=(Bucket((Group(1),)),))),
            Send(GroupMod(1, command=1, buckets=(Bucket((Group(2),)),))),
        ],
    ),
    "chained-group": (
        V13,
        lambda _: [
            Send(GroupMod(1)),
            Send(GroupMod(2, buckets=(Bucket((Group(1),)),))),
            Send(GroupMod(1, command=2)),
        ],
    ),
    "third-tag": (V13, lambda _: [packet_out(PushVlan(), PushVlan(), OUT13, packet=TAGGED, in_port=1)]),
    "bridge-of-two-tags": (
        V13,
        lambda _: [packet_out(PushVlan(0x88A8), out(V13, Port.NORMAL), packet=TAGGED, in_port=1)],
    ),
    "icmp-of-fragment": (
        V13,
        lambda _: [packet_out(SetField("icmpv4_code", 1), OUT13, packet=FRAGMENT, in_port=1)],
    ),
    "zeros-in-fragment": (
        V13,
        lambda _: [
            entry(OUT13, match=Match.of(eth_type=0x0800, ip_proto=1, icmpv4_type=0)),
            Arrival(1, FRAGMENT),
        ],
    ),
    "never-a-port": (V10, lambda _: [entry(out(V10, Port.TABLE))]),
    "reassembly": (V13, lambda _: [Send(SetConfig(2))]),
    "no-packet-in": (V10, lambda config: [port_mod(config, PortConfig.NO_PACKET_IN), Arrival(1, TCP)]),
    "down-port": (V10, lambda config: [port_mod(config, PortConfig.PORT_DOWN), Arrival(1, TCP)]),
    "deaf-port": (V10, lambda config: [port_mod(config, PortConfig.NO_RECV), packet_out(OUT10, in_port=1)]),
    "counted-though-dropped": (
        V10,
        lambda config: [entry(OUT10), port_mod(config, PortConfig.NO_RECV), Arrival(1, TCP), STATS],
    ),
    "exact-among-equals": (
        V10,
        lambda _: [entry(OUT10, priority=0xFFFF), entry(OUT10, match=FULL, flags=int(FlowFlag.CHECK_OVERLAP))],
    ),
    "hidden-entries": (
        V13,
        lambda _: [Send(FlowMod(command=FlowCommand.DELETE, table_id=0xFF, cookie_mask=0xFFFFFFFFFFFFFFFF))],
    ),
    "reason-behind-packet-out": (
        V13,
        lambda _: [entry(out(V13, Port.CONTROLLER), priority=0), packet_out(out(V13, Port.TABLE), in_port=1)],
    ),
    "hard-timer-of-modify": (
        V13,
        lambda _: [
            entry(OUT13, hard_timeout=2),
            Wait(1001),
            entry(out(V13, 3), command=FlowCommand.MODIFY),
            Wait(1001),
            STATS,
        ],
    ),
    "idle-timer-of-replacement": (V10, lambda _: [entry(OUT10), Wait(1001), entry(OUT10, idle_timeout=1)]),
}


# What cannot be shown without another rule.
ALSO = {
    "third-tag": {"push-copies-tag"},
    "bridge-of-two-tags": {"push-copies-tag"},
}


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(SHOWN))
def test_rule_names_the_difference_it_is_for(compare: Callable[[int], Comparison], name: str) -> None:
    version, sequence = SHOWN[name]
    comparison = compare(version)
    assert comparison.run(sequence(comparison.config)) is None
    named = {rule for rule, count in comparison.named.items() if count}
    assert named - ALSO.get(name, set()) == {name}


def test_transport_checksum_inside_a_fragment_is_the_one_blanked_difference(
    compare: Callable[[int], Comparison], monkeypatch: pytest.MonkeyPatch
) -> None:
    comparison = compare(V10)
    sequence = [packet_out(SetField("ipv4_src", 0x01020304), OUT10, packet=LATER_TCP)]
    assert comparison.run(sequence) is None
    monkeypatch.setattr(views, "without_fragment_checksum", lambda frame: frame)
    assert comparison.run(sequence) is not None


def test_every_rule_is_shown_and_documented() -> None:
    assert set(SHOWN) == NAMES
    rows = {line.split("`")[1] for line in DOCS.read_text().splitlines() if line.startswith("| `")}
    assert rows >= NAMES | SILENT


# -- mutants: a model with one mistake is told from the switch --------------------------------------------------------


def _worst(flows: Any, table: int, fields: Any) -> tuple[FlowEntry, ...]:
    found = [each for each in flows if each.table == table and matches(each.match, fields)]
    return tuple(each for each in found if each.priority == min(other.priority for other in found))


MUTANTS: dict[str, tuple[int, Any, str, Any]] = {
    "lowest priority wins": (V10, pipeline, "best_entries", _worst),
    "non-strict delete reaches less specific entries": (
        V10,
        flowmod,
        "covers",
        lambda one, two: flowmod.overlap(one, two),
    ),
    "delete ignores the output port": (V10, flowmod, "outputs_to", lambda entry, port: True),
    "a hit does not restart the idle timer": (V10, pipeline, "touch", lambda step, entry, packet: entry),
    "tags are not stripped": (V10, pipeline, "pop_vlan", lambda packet: packet),
    "1.0 set-vlan adds no tag": (V10, pipeline, "set_vlan", pipeline.set_field),
    "flooding goes back to where it came from": (
        V13,
        pipeline,
        "_broadcasts",
        lambda step, port, number: port.port_no == 1,
    ),
    "groups have no buckets": (V13, pipeline, "_buckets", lambda step, group: ()),
    "actions are not checked against the match": (
        V13,
        flowmod,
        "check_instructions",
        lambda step, table, match, given: given,
    ),
    "1.3 adds where there is nothing to modify": (
        V13,
        flowmod,
        "_modify",
        lambda step, message, wanted: flowmod._add(step, message, wanted),
    ),
    "nothing expires": (
        V13,
        timeouts,
        "_expire",
        lambda step: step.update(flows=tuple(map(_timeless, step.core.flows))),
    ),
}


def _timeless(one: FlowEntry) -> FlowEntry:
    return replace(one, idle_left=None, hard_left=None)


# Sequences that tell mutants which few others tell; looked at first, and any other may stand in for them.
TELLING = {"delete ignores the output port": 146, "tags are not stripped": 139}


@pytest.mark.slow
@pytest.mark.parametrize("mutant", sorted(MUTANTS))
def test_mistake_in_the_model_is_found(compare: Callable[[int], Comparison], mutant: str) -> None:
    version, module, name, mistake = MUTANTS[mutant]
    comparison = compare(version)
    with patch.object(module, name, mistake):
        order = (TELLING.get(mutant, 0), *range(SEQUENCES))
        differences = (comparison.run(Generator(comparison.config, seed).sequence()) for seed in order)
        assert any(difference is not None for difference in differences)


def test_sequences_are_the_same_in_every_run() -> None:
    config = Switch(1, plain_ports(1, 2, 3), V13)
    one, two = (Generator(config, 7).sequence() for _ in range(2))
    assert one == two
    assert all(isinstance(each.message, OpenFlowMessage) for each in one if isinstance(each, Send))
