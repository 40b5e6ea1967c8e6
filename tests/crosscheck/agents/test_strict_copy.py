"""The explored copy of `strict` compared with the model on random sequences of messages, packets and time."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sdnloom.crosscheck.agent import Agent
from sdnloom.crosscheck.agents.strict import StrictAgent
from sdnloom.crosscheck.agents.strict_copy import strict_copy
from sdnloom.network.openflow import (
    V10,
    V13,
    AggregateRequest,
    ApplyActions,
    BarrierRequest,
    Enqueue,
    FlowMod,
    FlowStatsRequest,
    GotoTable,
    Match,
    Output,
    PacketOut,
    PopVlan,
    Port,
    PortMod,
    PortStatsRequest,
    PushVlan,
    SetConfig,
    SetField,
    TableStatsRequest,
)
from sdnloom.network.openflow.codec import encode
from sdnloom.network.openflow.messages import OpenFlowMessage
from sdnloom.network.packet import Arp, Ethernet, IPv4, Tcp, Udp, Vlan, stack
from sdnloom.network.packet import encode as encode_packet
from sdnloom.symbolic import Execution, symbolic_bytes, var
from sdnloom.symbolic.terms.evaluate import evaluate_term
from sdnloom.symbolic.terms.node import Term
from sdnloom.symbolic.values.sym_bytes import units_of_bytes

FRAMES = [
    encode_packet(packet)
    for packet in (
        stack(Ethernet(2, 1), IPv4(0x0A000001, 0x0A000002), Tcp(1, 80)),
        stack(Ethernet(2, 1), Vlan(5, 3), IPv4(0x0A000001, 0x0A000102), Udp(1, 80)),
        stack(Ethernet(2, 1), Arp(1, 1, 0x0A000001, 0, 0x0A000002)),
    )
]
EXAMPLES = 16
ports = st.sampled_from((1, 2, 3, 4, *(int(each) for each in Port if each != Port.MAX)))


def matches(version: int) -> st.SearchStrategy[Match]:
    masked = st.sampled_from((0x0A000002, (0x0A000000, 0xFFFFFF00), (0x0A000000, 0xFFFFFFFE)))
    fields: dict[str, st.SearchStrategy[Any]] = {
        "in_port": st.sampled_from((1, 2)),
        "eth_dst": st.sampled_from((2, 3)),
        "vlan_vid": st.sampled_from((0, 0x1005)),
    }
    if version == V13:
        fields["eth_src"] = st.sampled_from((1, (1, 1), (0, 2)))
    ip = {"ipv4_dst": masked, "ip_proto": st.sampled_from((6, 17))}
    return st.one_of(
        st.fixed_dictionaries({}, optional=fields).map(lambda found: Match.of(**found)),
        st.fixed_dictionaries({"eth_type": st.just(0x0800)}, optional={**fields, **ip}).map(
            lambda found: Match.of(**found)
        ),
    )


def actions(version: int) -> st.SearchStrategy[tuple[Any, ...]]:
    both = st.one_of(
        st.builds(Output, ports, st.sampled_from((0, 20, 0xFFFF))),
        st.builds(SetField, st.just("eth_dst"), st.sampled_from((3, 0xFFFFFFFFFFFF))),
        st.builds(SetField, st.sampled_from(("ipv4_src", "ipv4_dst")), st.just(0x0A000009)),
        st.just(PopVlan()),
    )
    old = st.one_of(
        st.builds(SetField, st.just("vlan_vid"), st.sampled_from((0x1006, 0x1005))),
        st.builds(SetField, st.sampled_from(("tp_src", "tp_dst")), st.just(9)),
        st.builds(Enqueue, ports, st.just(1)),
    )
    new = st.one_of(st.just(PushVlan()), st.builds(SetField, st.just("tcp_dst"), st.just(9)))
    return st.lists(both | (old if version == V10 else new), max_size=3).map(tuple)


def plain_flow_mods(version: int) -> st.SearchStrategy[FlowMod]:
    """Return FlowMods that succeed: few matches and priorities, so that entries meet."""
    return st.builds(
        FlowMod,
        st.sampled_from((Match(), Match.of(in_port=1), Match.of(eth_dst=2), Match.of(eth_type=0x0800))),
        st.sampled_from((0, 0, 0, 0, 1, 2, 3, 4)),
        st.sampled_from((2, 3)).map(lambda port: (ApplyActions((Output(port),)),)),
        st.sampled_from((1, 1, 2)),
        st.sampled_from((0, 0, 2)),
        st.sampled_from((0, 0, 3)),
        cookie=st.integers(0, 1),
        flags=st.sampled_from((0, 1, 1, 3) if version == V10 else (0, 1, 1, 8, 16)),
    )


@st.composite
def flow_mods(draw: st.DrawFn, version: int) -> FlowMod:
    instructions: list[Any] = [ApplyActions(found)] if (found := draw(actions(version))) else []
    more: dict[str, Any] = {}
    if version == V13:
        instructions += draw(st.sampled_from(([], [GotoTable(1)])))
        more = {"table_id": draw(st.sampled_from((0, 0, 1, 0xFF))), "cookie_mask": draw(st.sampled_from((0, 1)))}
    return FlowMod(
        draw(matches(version)),
        draw(st.integers(0, 5)),
        tuple(instructions),
        draw(st.sampled_from((1, 1, 2, 0))),
        draw(st.sampled_from((0, 0, 2))),
        draw(st.sampled_from((0, 0, 3))),
        cookie=draw(st.integers(0, 1)),
        out_port=draw(st.sampled_from((Port.ANY, 2))),
        buffer_id=draw(st.sampled_from((0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0, 300))),
        flags=draw(st.sampled_from((0, 1, 2, 3, 1 << 16 if version == V10 else 8))),
        **more,
    )


def requests(version: int) -> st.SearchStrategy[OpenFlowMessage]:
    return st.one_of(
        flow_mods(version),
        flow_mods(version),
        st.builds(FlowStatsRequest, match=matches(version), table_id=st.sampled_from((0, 0xFF))),
        st.builds(AggregateRequest, table_id=st.just(0xFF)),
        st.builds(SetConfig, st.integers(0, 2), st.sampled_from((0, 60, 0xFFFF))),
        st.builds(PortMod, st.integers(1, 3), st.just(0x020000000001), st.sampled_from((0, 1, 0x20)), st.just(0x21)),
        st.builds(PacketOut, actions(version), st.sampled_from(FRAMES), st.sampled_from((1, Port.CONTROLLER))),
        st.sampled_from((BarrierRequest(), TableStatsRequest(), PortStatsRequest(port_no=Port.ANY))),
    )


def steps(version: int) -> st.SearchStrategy[list[Any]]:
    """Return sequences that end with probes and statistics, which show the entries."""
    plain, mixed = (
        each.map(lambda message: encode(message, version)) for each in (plain_flow_mods(version), requests(version))
    )
    probe, time = st.tuples(st.integers(1, 2), st.sampled_from(FRAMES)), st.sampled_from((1000, 2000))
    seen = encode(FlowStatsRequest(table_id=0xFF), version)
    tail = [(1, FRAMES[0]), (2, FRAMES[1]), seen, 2000, seen, 1000, (1, FRAMES[2])]
    return st.tuples(
        st.lists(plain, min_size=1, max_size=4), st.lists(st.one_of(plain, plain, mixed, probe, time), max_size=6)
    ).map(lambda both: both[0] + both[1] + tail)


def given_to(agent: Agent, sequence: list[Any], execution: Execution | None = None) -> list[Any]:
    """Return all that the agent sends; with an execution every message and frame is symbolic."""
    observed = [*agent.reset()]
    for number, step in enumerate(sequence):
        if isinstance(step, int):
            observed += agent.advance(step)
            continue
        data = step[1] if isinstance(step, tuple) else step
        if execution is not None:
            data = symbolic_bytes(data, var(f"s{number}", 8 * len(data)))
        observed += agent.packet(step[0], data) if isinstance(step, tuple) else agent.message(data)
    return observed


def evaluated(observed: Any, model: dict[str, int]) -> Any:
    """Return bytes by their terms."""
    if isinstance(observed, tuple):
        return int(observed[0]), evaluated(observed[1], model)
    if not isinstance(observed, bytes):
        return observed
    plain = bytes(observed) if type(observed) is bytes else bytes.__getitem__(observed, slice(None))
    return bytes(
        evaluate_term(unit, model) if isinstance(unit, Term) else unit if isinstance(unit, int) else plain[place]
        for place, unit in enumerate(units_of_bytes(observed))
    )


@pytest.mark.parametrize(("version", "buffers"), [(V10, 256), (V10, 0), (V13, 256)])
def test_the_copy_does_what_the_model_does(version: int, buffers: int) -> None:
    make = strict_copy(version, buffers)

    @settings(max_examples=EXAMPLES)
    @given(sequence=steps(version))
    def compare(sequence: list[Any]) -> None:
        expected = given_to(StrictAgent(version, buffers), sequence)
        assert given_to(make(), sequence) == expected
        model = {
            f"s{number}": int.from_bytes(step[1] if isinstance(step, tuple) else step, "big")
            for number, step in enumerate(sequence)
            if not isinstance(step, int)
        }
        execution = Execution(model, max_depth=10_000)
        with execution.active():
            observed = given_to(make(), sequence, execution)
        for branch in execution.branches:
            assert bool(evaluate_term(branch.condition, model)) is branch.taken, branch.site
        assert [evaluated(each, model) for each in observed] == expected

    compare()
