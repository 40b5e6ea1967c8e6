"""Symbolic packets: stacks, domains and labels."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdnloom.inputs.domains import Domain, DomainError, domain_without, parse_domain, value_text
from sdnloom.inputs.skeletons import SenderView, make_skeletons, packet_label, parse_packet_label
from sdnloom.inputs.stacks import STACKS, StackError, stack_of
from sdnloom.network.packet import Arp, Ethernet, IPv4, Tcp, decode, encode
from sdnloom.network.topology import linear

TOPOLOGY = linear(2)
H1 = TOPOLOGY.hosts[0]
SENDING = SenderView(TOPOLOGY, H1)


@pytest.mark.parametrize("name", STACKS)
def test_every_template_is_a_frame_whose_checksums_and_lengths_are_right(name):
    stack = stack_of(name)
    packet = decode(stack.template)
    assert encode(packet) == stack.template
    assert all(getattr(header, part, None) is None for header in packet.headers for part in ("checksum", "length"))


@pytest.mark.parametrize("name", STACKS)
def test_fields_are_adjacent_and_have_different_names(name):
    stack = stack_of(name)
    ends = [0, *(field.offset + field.bits for field in stack.fields)]
    assert all(end <= field.offset for end, field in zip(ends, stack.fields, strict=False))
    assert len({field.name for field in stack.fields}) == len(stack.fields)


@given(st.sampled_from(STACKS), st.data())
def test_filled_values_are_read_back_and_other_fields_are_unchanged(name, data):
    stack = stack_of(name)
    chosen = data.draw(st.lists(st.sampled_from(stack.fields), unique=True))
    values = {field.name: data.draw(st.integers(0, field.max_value)) for field in chosen}
    sums = {field.name: field.read(stack.template) for field in stack.fields if field.computed}
    frame = stack.fill({**sums, **values})
    for field in stack.fields:
        assert field.read(frame) == values.get(field.name, field.read(stack.template))


@given(st.sampled_from(STACKS), st.data())
def test_frames_of_a_skeleton_have_right_checksums_for_all_values(name, data):
    skeleton = make_skeletons([name], SENDING, {})[0]
    values = {
        field.name: data.draw(st.sampled_from([end for pair in domain.ranges for end in pair]))
        for field, domain in skeleton.symbolic
        if not field.computed
    }
    packet = skeleton.packet(values)
    assert skeleton.admits(values)
    assert all(getattr(header, "checksum", None) is None for header in packet.headers)


@given(st.sampled_from(STACKS), st.data())
def test_a_label_parses_to_the_same_packet(name, data):
    skeleton = make_skeletons([name], SENDING, {"eth.src": "any"})[0]
    values = {
        field.name: data.draw(st.sampled_from([end for pair in domain.ranges for end in pair]))
        for field, domain in skeleton.symbolic
        if not field.computed
    }
    label = packet_label(skeleton.stack, {**skeleton.preferred, **values}, SENDING)
    assert parse_packet_label(label, SENDING) == skeleton.packet(values)


def test_a_label_has_the_values_that_are_not_defaults_and_names_hosts():
    skeleton = make_skeletons(["ipv4/tcp"], SENDING, {})[0]
    values = {"eth.dst": TOPOLOGY.hosts[1].mac, "ipv4.dst": TOPOLOGY.hosts[1].ip, "tcp.flags": 0x12}
    label = packet_label(skeleton.stack, {**skeleton.preferred, **values}, SENDING)
    assert label == "ipv4/tcp eth.dst=h2 ipv4.dst=h2 tcp.flags=0x12"


def test_a_host_sends_from_its_own_addresses_to_those_of_the_network():
    skeleton = make_skeletons(["ipv4/tcp"], SENDING, {})[0]
    assert skeleton.domain("eth.src") == Domain.of(H1.mac)
    assert skeleton.domain("ipv4.src") == Domain.of(H1.ip)
    # The other host, everybody, the ports of both switches, and nobody.
    listed = (2, 0xFFFFFFFFFFFF, 0x020000010001, 0x020000010002, 0x020000020001, 0x020000020002, 0x02FF000000FE)
    assert skeleton.domain("eth.dst").listed == listed
    # Then every other one except its own.
    assert skeleton.domain("eth.dst").intervals == ((0, 0), (2, 0xFFFFFFFFFFFF))
    assert skeleton.domain("ipv4.dst").intervals == ((0, H1.ip - 1), (H1.ip + 1, 0xFFFFFFFF))
    assert [field.name for field, _ in skeleton.symbolic] == [
        *("eth.dst", "ipv4.dscp", "ipv4.ecn", "ipv4.ident", "ipv4.flags", "ipv4.ttl", "ipv4.checksum", "ipv4.dst"),
        *("tcp.src_port", "tcp.dst_port", "tcp.seq", "tcp.ack", "tcp.flags", "tcp.window", "tcp.checksum"),
        "tcp.urgent",
    ]
    assert [field.name for field, _ in skeleton.followed if field.name in skeleton.fixed] == [
        *("eth.src", "eth.type", "ipv4.offset", "ipv4.proto", "ipv4.src")
    ]


def test_without_constants_fields_have_the_usual_values_only():
    skeleton = make_skeletons(["ipv4/tcp"], SENDING, {}, constants=False)[0]
    assert skeleton.domain("eth.dst") == Domain.of(
        2, 0xFFFFFFFFFFFF, 0x020000010001, 0x020000010002, 0x020000020001, 0x020000020002, 0x02FF000000FE
    )
    assert [field.name for field, _ in skeleton.symbolic] == [
        *("eth.dst", "ipv4.checksum", "ipv4.dst"),
        *("tcp.src_port", "tcp.dst_port", "tcp.flags", "tcp.checksum"),
    ]
    assert skeleton.followed == skeleton.symbolic


def test_without_a_network_addresses_have_any_value():
    skeleton = make_skeletons(["ethernet"], SenderView(), {})[0]
    for name in ("eth.src", "eth.dst"):
        assert skeleton.domain(name).covers(skeleton.stack.field(name))


def test_frames_without_a_stack_of_their_own_are_ethernet_frames():
    field = stack_of("ethernet").field("eth.type")
    domain = make_skeletons(["ethernet"], SenderView(), {})[0].domain("eth.type")
    excluded = {*range(0x600), 0x0800, 0x0806, 0x8100, 0x86DD, 0x88A8, 0x88CC}
    assert [value for value in range(field.max_value + 1) if value not in domain] == sorted(excluded)


def test_structural_fields_are_symbolic_only_in_tests_of_parsers():
    plain, robust = (make_skeletons(["ipv4/tcp"], SENDING, {}, robust)[0] for robust in (False, True))
    for name in ("eth.type", "ipv4.version", "ipv4.words", "ipv4.length", "ipv4.proto", "tcp.words"):
        assert plain.domain(name).pinned
        assert not robust.domain(name).pinned


def test_any_domain_can_be_widened_and_narrowed():
    overrides = {"eth.src": "any", "ipv4.ttl": "0-1", "ipv4.dst": "10.0.0.0/30, 10.0.0.9", "eth.dst": "h2,broadcast"}
    skeleton = make_skeletons(["ipv4"], SENDING, overrides)[0]
    assert skeleton.domain("eth.src").covers(skeleton.stack.field("eth.src"))
    assert skeleton.domain("ipv4.ttl") == Domain(((0, 1),))
    assert skeleton.domain("ipv4.dst") == Domain(((0x0A000000, 0x0A000003), (0x0A000009, 0x0A000009)))
    assert skeleton.domain("eth.dst") == Domain.of(2, 0xFFFFFFFFFFFF)


@given(st.sampled_from([field for name in STACKS for field in stack_of(name).fields]), st.data())
def test_values_are_read_as_they_are_written(field, data):
    value = data.draw(st.integers(0, field.max_value))
    assert parse_domain(field, value_text(field, value)) == Domain.of(value)


@given(st.sets(st.integers(0, 255)), st.integers(0, 255))
def test_a_domain_without_values_has_all_the_others(values, preferred):
    field = stack_of("ipv4").field("ipv4.ttl")
    domain = domain_without(field, values, preferred)
    assert {value for value in range(256) if value in domain} == (set(range(256)) - values) | {preferred}
    assert domain.first == preferred


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("eth.dst", "h3"),
        ("eth.dst", "00:00:00:00:00"),
        ("eth.dst", ""),
        ("eth.dst", "own,,h2"),
        ("ipv4.dst", "10.0.0.256"),
        ("ipv4.dst", "10.0.0.0/33"),
        ("ipv4.dst", "::1/64"),
        ("ipv4.ttl", "256"),
        ("ipv4.ttl", "-1"),
        ("ipv4.ttl", "9-3"),
        ("ipv4.ttl", "1" * 5000),
        ("ipv4.ttl", "0x"),
        ("ipv4.ttl", "\0"),
        ("ipv4.ttl", "own"),
    ],
)
def test_an_invalid_domain_is_named_with_its_field(name, text):
    with pytest.raises(DomainError, match=f"{name}="):
        make_skeletons(["ipv4"], SENDING, {name: text})


def test_own_has_no_address_without_a_sender():
    with pytest.raises(DomainError, match="'own' has no address here"):
        make_skeletons(["ipv4"], SenderView(TOPOLOGY), {"eth.src": "own"})


@pytest.mark.parametrize(
    "label", ["ipx", "", "ethernet eth.dst", "ethernet eth.dst=any", "ethernet a=b", "arp eth.dst=h9", "ethernet =="]
)
def test_an_invalid_packet_label_is_refused(label):
    with pytest.raises((StackError, DomainError)):
        parse_packet_label(label, SENDING)


def test_packets_have_the_headers_of_their_stack():
    assert [type(header) for header in make_skeletons(["arp"], SENDING, {})[0].packet({}).headers] == [Ethernet, Arp]
    assert [type(header) for header in make_skeletons(["ipv4/tcp"], SENDING, {})[0].packet({}).headers] == [
        *(Ethernet, IPv4, Tcp)
    ]
