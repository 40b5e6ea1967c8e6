"""Paths of symbolic packets through a switch, compared with the switch model on every packet of a small domain."""

import random

import pytest

from sdnloom.inputs.domains import Domain
from sdnloom.inputs.rewritten_packet import changed_packet, packet_values
from sdnloom.inputs.skeletons import Skeleton
from sdnloom.inputs.stacks import stack_of
from sdnloom.inputs.switch_paths import SwitchPaths, forwarding_state, packet_ins
from sdnloom.network.openflow import (
    ApplyActions,
    DecNwTtl,
    GotoTable,
    Group,
    Match,
    Output,
    PacketIn,
    PopVlan,
    Port,
    PushVlan,
    SetField,
    WriteActions,
)
from sdnloom.network.openflow.messages import Bucket
from sdnloom.network.packet import IPv4, decode, encode
from sdnloom.network.switch import FlowEntry, GroupEntry, Switch, SwitchCore, plain_ports, receive_packet
from sdnloom.symbolic.terms.evaluate import evaluate_term
from tests.inputs.brute_force import listed_packets

DOMAINS = {
    "ipv4/tcp": {
        "eth.dst": (2, 3, 0xFFFF_FFFF_FFFF),
        "ipv4.dst": (0x0A00_0002, 0x0A00_0103),
        "ipv4.ttl": (1, 2, 64),
        "tcp.dst_port": (22, 80),
    },
    "vlan/ethernet": {"eth.dst": (2, 3), "vlan.vid": (1, 2, 3), "vlan.pcp": (0, 5)},
    "arp": {"arp.op": (1, 2), "arp.tpa": (0x0A00_0002, 0x0A00_0003), "eth.dst": (2, 0xFFFF_FFFF_FFFF)},
}
MATCHES = [
    {"eth_dst": 2},
    {"eth_dst": (0x0100_0000_0000, 0x0100_0000_0000)},
    {"eth_type": 0x800, "ipv4_dst": (0x0A00_0100, 0xFFFF_FF00)},
    {"eth_type": 0x800, "ip_proto": 6, "tcp_dst": 80},
    {"eth_type": 0x806, "arp_op": 1},
    {"eth_type": 0x806, "arp_tpa": 0x0A00_0002},
    {"vlan_vid": 0x1002},
    {"vlan_vid": (0x1000, 0x1000), "vlan_pcp": 5},
    {"in_port": 1},
    {"in_port": 2},
    {},
]
ACTIONS = [
    Output(2),
    Output(Port.FLOOD),
    Output(Port.CONTROLLER),
    Output(Port.NORMAL),
    Output(Port.IN_PORT),
    Group(1),
    DecNwTtl(),
    SetField("eth_dst", 3),
    SetField("ipv4_dst", 0x0A00_0002),
    SetField("tcp_dst", 80),
    SetField("vlan_vid", 0x1002),
    PushVlan(0x8100),
    PopVlan(),
]


def skeleton_of(name):
    stack = stack_of(name)
    chosen = DOMAINS[name]
    fixed = {"eth.src": 1}
    return Skeleton(
        stack,
        tuple(
            Domain.of(*chosen[field.name])
            if field.name in chosen
            else Domain.anything(field, field.read(stack.template))
            if field.computed
            else Domain.of(fixed.get(field.name, field.read(stack.template)))
            for field in stack.fields
        ),
    )


def random_core(chance):
    entries = {}
    for _ in range(chance.randint(1, 7)):
        table = chance.choice((0, 0, 1))
        match = Match.of(**chance.choice(MATCHES))
        actions = tuple(chance.choice(ACTIONS) for _ in range(chance.randint(1, 3)))
        instructions = [chance.choice((ApplyActions, WriteActions))(actions)]
        if table == 0 and chance.random() < 0.5:
            instructions.append(GotoTable(1))
        entry = FlowEntry(table, chance.choice((1, 2, 3)), match, tuple(instructions))
        entries[entry.key] = entry
    groups = (GroupEntry(1, 0, (Bucket((SetField("eth_dst", 2), Output(3))), Bucket((Output(2),)))),)
    flows = tuple(sorted(entries.values(), key=lambda each: each.order))
    return SwitchCore(flows=flows, groups=groups, macs=((0, 2, 2, 300_000),))


def what_happened(outcomes):
    """Return the frames that left through each port, and those that the controller was sent."""
    out = {(port, encode(packet)) for each in outcomes for port, packet in each.outputs}
    sent = {message.data for each in outcomes for message in each.messages if isinstance(message, PacketIn)}
    return out, sent


@pytest.mark.parametrize("name", DOMAINS)
@pytest.mark.parametrize("seed", range(60))
def test_each_packet_takes_the_one_path_whose_conditions_it_satisfies(name, seed):
    chance = random.Random(seed)
    config = Switch(1, ports=plain_ports(1, 2, 3), version=4, buffers=0)
    core, skeleton = random_core(chance), skeleton_of(name)
    paths = SwitchPaths({"s1": config}).paths("s1", 1, skeleton, forwarding_state(core))
    assert not any(path.lost or path.undecided for path in paths)
    for values in listed_packets(skeleton):
        [path] = [each for each in paths if all(evaluate_term(one, values) for one in each.conditions)]
        packet = skeleton.packet(values)
        expected = what_happened(receive_packet(config, core, 1, packet))
        frame = encode(packet)
        read = {field.name: field.read(frame) for field in skeleton.stack.fields}
        assert {(port, predicted(after, read)) for port, after in path.outputs} == expected[0]
        assert {predicted(after, read) for _, after in path.packet_ins} == expected[1]


def predicted(after, values):
    """Return the frame that a symbolic packet is for the packet that was sent with these values."""
    own = {field.name: values.get(field.name, domain.first) for field, domain in after.skeleton.symbolic}
    own |= {name: evaluate_term(term, values) for name, term in after.origin}
    computed = {field.name for field in after.skeleton.stack.fields if field.computed}
    return after.skeleton.frame({name: value for name, value in own.items() if name not in computed})


def test_an_entry_below_the_one_that_matches_is_shadowed():
    config = Switch(1, ports=plain_ports(1, 2), version=4)
    flows = (
        FlowEntry(0, 2, Match.of(eth_type=0x800), (ApplyActions((Output(2),)),)),
        FlowEntry(0, 1, Match.of(eth_type=0x800, ip_proto=6, tcp_dst=80), ()),
    )
    [path] = SwitchPaths({"s1": config}).paths("s1", 1, skeleton_of("ipv4/tcp"), SwitchCore(flows=flows))
    assert path.conditions == ()
    assert [bool(evaluate_term(each, {"tcp.dst_port": 80})) for each in path.shadowed] == [True]


def test_a_message_is_found_for_packets_that_only_some_entry_sends_to_the_controller():
    config = Switch(1, ports=plain_ports(1, 2), version=4)
    to_controller = (ApplyActions((Output(Port.CONTROLLER),)),)
    flows = (FlowEntry(0, 1, Match.of(eth_type=0x806, arp_op=2), to_controller, cookie=7),)
    core = SwitchCore(flows=flows)
    [(message, packets)] = packet_ins(config, core, 1, skeleton_of("arp"))
    assert (message.cookie, message.data, packets) == (7, b"", skeleton_of("arp"))
    assert packet_ins(config, core, 1, skeleton_of("ipv4/tcp")) == []


def test_a_packet_is_one_of_a_skeleton_if_its_headers_and_values_are():
    skeleton = skeleton_of("ipv4/tcp")
    packet = skeleton.packet({"eth.dst": 3, "ipv4.ttl": 2})
    assert packet_values(skeleton, packet)["ipv4.ttl"] == 2
    assert packet_values(skeleton, skeleton_of("arp").packet({})) is None
    strange = decode(encode(packet).replace(bytes.fromhex("0a000002"), bytes.fromhex("0b000002")))
    assert isinstance(strange.headers[1], IPv4)
    assert packet_values(skeleton, strange) is None


def test_two_samples_show_which_fields_were_copied():
    skeleton = skeleton_of("ipv4/tcp")
    frames = [
        skeleton.frame({"eth.dst": mac, "ipv4.dst": address}) for mac, address in ((2, 0x0A000002), (3, 0x0A000103))
    ]
    answers = []
    for frame in frames:
        ethernet, network, *rest = decode(frame).headers
        source = type(ethernet)(ethernet.src, ethernet.dst, ethernet.type)
        answers.append(decode(encode(type(decode(frame))((source, network, *rest)))))
    found = changed_packet(skeleton, list(zip(frames, answers, strict=True)))
    assert [(name, term.args[0]) for name, term in found.origin] == [("eth.src", "eth.dst")]
    assert found.skeleton.domain("eth.dst") == Domain.of(1)
