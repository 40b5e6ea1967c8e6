"""What the wire supplies leaves the rest of a message as it was sent, and hides no other difference."""

from dataclasses import replace

import pytest

from sdnloom.confirm.quoted_message import Quoted
from sdnloom.confirm.supplied_parts import SuppliedParts
from sdnloom.network.openflow import (
    NO_BUFFER,
    V10,
    V13,
    ApplyActions,
    Error,
    FlowMod,
    GetConfigReply,
    Match,
    Output,
    PacketIn,
    PacketOut,
    Port,
    PortConfig,
    PortDescReply,
    PortReason,
    PortState,
    PortStatus,
    decode,
    encode,
)
from tests.confirm.openvswitch.configs import configs

VERSIONS = pytest.mark.parametrize("version", [V10, V13], ids=["1.0", "1.3"])
FRAME = bytes(range(80))
OUT = (ApplyActions((Output(2),)),)
EXACT = Match.of(
    in_port=1,
    eth_dst=1,
    eth_src=2,
    eth_type=0x800,
    vlan_vid=0,
    ip_dscp=0,
    ip_proto=6,
    ipv4_src=1,
    ipv4_dst=2,
    tcp_src=3,
    tcp_dst=4,
)


def with_kept_packet(version: int) -> SuppliedParts:
    """The parts of s1, with a packet in buffer 7."""
    supplied = SuppliedParts(configs(version, 1, profile="reference"))
    arrived = PacketIn(Match.of(in_port=3), FRAME, len(FRAME))
    supplied.from_switch("s1", replace(arrived, buffer_id=7), arrived)
    return supplied


@VERSIONS
def test_a_packet_out_gets_the_kept_packet_in_place_of_its_own(version: int) -> None:
    sent = PacketOut((Output(2),), b"not this one", 1, 7, xid=9)
    (given,) = with_kept_packet(version).to_switch("s1", encode(sent, version))
    assert given == encode(replace(sent, data=FRAME, buffer_id=NO_BUFFER), version)


@VERSIONS
def test_a_flow_mod_reaches_the_switch_as_it_was_sent_but_for_its_buffer(version: int) -> None:
    sent = bytearray(encode(FlowMod(EXACT, instructions=OUT, priority=5, buffer_id=7, xid=9), version))
    if version == V10:
        sent[8:12] = (0x00100000).to_bytes(
            4, "big"
        )  # a wildcard that says nothing, so that the codec has no word for it
    given, released = with_kept_packet(version).to_switch("s1", bytes(sent))
    assert [at for at, (one, other) in enumerate(zip(sent, given, strict=True)) if one != other] == list(
        range(*{V10: (64, 68), V13: (32, 36)}[version])
    )
    let_go = decode(released, version)
    assert isinstance(let_go, PacketOut)
    assert (let_go.data, let_go.in_port) == (FRAME, 3)


def test_a_match_of_1_0_without_wildcards_has_no_wildcard_bit() -> None:
    data = encode(FlowMod(EXACT), V10)
    assert data[8:12] == bytes(4)
    assert decode(data, V10) == FlowMod(EXACT)


@VERSIONS
def test_an_error_quotes_the_message_of_the_controller(version: int) -> None:
    model = FlowMod(EXACT, instructions=OUT, cookie=1)
    sent = encode(replace(model, cookie=99, xid=5), version)
    quoted = Quoted(model, sent, sent)
    expected = Error("bad_action", "bad_out_port", encode(model, version)[:64])
    whole = Error("bad_action", "bad_out_port", sent, xid=5)
    assert quoted.as_sent(expected, whole, version) == (whole, replace(whole, data=expected.data))
    for wrong in (b"", sent[:63], sent[:-1] + b"?", encode(model, version)):
        other = replace(whole, data=wrong)
        assert quoted.as_sent(expected, other, version) == (other, other)
    elsewhere = replace(expected, data=b"another message")
    assert quoted.as_sent(elsewhere, whole, version) == (whole, whole)


def test_a_used_buffer_is_known_to_the_wire_only() -> None:
    supplied = with_kept_packet(V10)
    used, unknown = Error("bad_request", "buffer_empty"), Error("bad_request", "buffer_unknown")
    assert supplied.from_switch("s1", used, unknown) == used
    assert supplied.from_switch("s1", unknown, used) == used
    other = Error("bad_request", "eperm")
    assert supplied.from_switch("s1", used, other) == other


@VERSIONS
def test_a_port_status_keeps_its_port_and_its_link(version: int) -> None:
    chosen = configs(version, 1, profile="reference")
    one, two = chosen["s1"].ports[:2]
    supplied = SuppliedParts(chosen)
    down = replace(one, state=int(PortState.LINK_DOWN))
    expected = PortStatus(PortReason.MODIFY, down)
    real = replace(down, curr=64, name="dummy")
    assert supplied.from_switch("s1", expected, PortStatus(PortReason.MODIFY, real)) == expected
    for other in (replace(real, port_no=two.port_no), replace(real, state=0), replace(real, config=1)):
        assert supplied.from_switch("s1", expected, PortStatus(PortReason.MODIFY, other)) != expected


@VERSIONS
def test_a_switch_that_describes_itself_keeps_the_ports_that_were_observed(version: int) -> None:
    chosen = configs(version, 1, profile="reference")
    supplied = SuppliedParts(chosen)
    one, *others = chosen["s1"].ports
    local = replace(one, port_no=int(Port.LOCAL))
    expected = PortDescReply((one, *others))
    real = [replace(port, curr=64) for port in (local, *others, one)]
    assert supplied.from_switch("s1", expected, PortDescReply(tuple(real))) == expected
    assert supplied.from_switch("s1", expected, PortDescReply(tuple(real[:-1]))) == PortDescReply(tuple(others))
    blocked = replace(one, config=int(PortConfig.NO_FWD))
    found = supplied.from_switch("s1", expected, PortDescReply((*real[:-1], blocked)))
    assert found == PortDescReply((blocked, *others))


def test_the_length_that_a_controller_sets_is_that_of_the_switch() -> None:
    supplied = SuppliedParts(configs(V10, 1, profile="reference", miss_send_len=60))
    reply = GetConfigReply(0, 60)
    assert supplied.from_switch("s1", reply, GetConfigReply(0, 128)) == reply
    assert supplied.from_switch("s1", reply, GetConfigReply(0, 77)) == GetConfigReply(0, 77)
    usual = SuppliedParts(configs(V10, 1, profile="reference"))
    assert usual.from_switch("s1", reply, GetConfigReply(0, 128)) == GetConfigReply(0, 128)
