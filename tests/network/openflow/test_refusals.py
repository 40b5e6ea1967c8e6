"""A malformed message raises the error that the specification requires a switch to answer."""

import struct

import pytest

from sdnloom.network.openflow import (
    V10,
    V13,
    ApplyActions,
    Bucket,
    DecodeError,
    Error,
    FlowMod,
    GroupMod,
    Match,
    Output,
    PacketOut,
    SetField,
    decode,
    encode,
)


def message(version: int, code: int, body: bytes, xid: int = 7) -> bytes:
    return struct.pack("!BBHI", version, code, 8 + len(body), xid) + body


def flow_mod_13(match: bytes, instructions: bytes = b"") -> bytes:
    head = struct.pack("!QQBBHHHIIIHxx", 0, 0, 0, 0, 0, 0, 1, 0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0)
    return message(V13, 14, head + match + instructions)


def oxm_match(*fields: str, length: int | None = None, kind: int = 1) -> bytes:
    body = b"".join(map(bytes.fromhex, fields))
    size = 4 + len(body)
    return struct.pack("!HH", kind, size if length is None else length) + body + bytes(-size % 8)


def packet_out_10(actions: bytes, actions_len: int | None = None) -> bytes:
    size = len(actions) if actions_len is None else actions_len
    return message(V10, 13, struct.pack("!IHH", 0xFFFFFFFF, 1, size) + actions)


def packet_out_13(actions: bytes) -> bytes:
    return message(V13, 13, struct.pack("!IIH6x", 0xFFFFFFFF, 1, len(actions)) + actions)


EMPTY = oxm_match()
CASES = {
    "a header that is cut": (b"\x01\x00", "bad_request", "bad_len"),
    "a length that is not the message's": (b"\x01\x05\x00\x0a\0\0\0\0", "bad_request", "bad_len"),
    "an unknown version": (b"\x05\x05\x00\x08\0\0\0\0", "bad_request", "bad_version"),
    "a barrier with a body": (message(V10, 18, b"x"), "bad_request", "bad_len"),
    "a short set-config": (message(V13, 9, b"\0\0"), "bad_request", "bad_len"),
    "a short flow-mod": (message(V10, 14, bytes(63)), "bad_request", "bad_len"),
    "statistics without a type": (message(V13, 18, b"\0"), "bad_request", "bad_len"),
    "a short statistics request": (message(V10, 16, bytes.fromhex("00010000") + bytes(43)), "bad_request", "bad_len"),
    "actions beyond the end": (packet_out_10(bytes(8), 16), "bad_request", "bad_len"),
    "actions of a length that 8 does not divide": (packet_out_10(bytes(12)), "bad_request", "bad_len"),
    "an action of length 0": (packet_out_10(bytes(8)), "bad_action", "bad_len"),
    "an action of length 4": (packet_out_10(bytes.fromhex("0000000400000000")), "bad_action", "bad_len"),
    "an action longer than the rest": (packet_out_10(bytes.fromhex("0000001000010000")), "bad_action", "bad_len"),
    "an output that is too long": (
        packet_out_10(bytes.fromhex("0000001000010000") + bytes(8)),
        "bad_action",
        "bad_len",
    ),
    "an output that is too short": (packet_out_13(bytes.fromhex("0000000800000001")), "bad_action", "bad_len"),
    "a VLAN of 13 bits": (packet_out_10(bytes.fromhex("0001000810000000")), "bad_action", "bad_argument"),
    "a VLAN priority of 4 bits": (packet_out_10(bytes.fromhex("0002000808000000")), "bad_action", "bad_argument"),
    "a type of service with congestion bits": (
        packet_out_10(bytes.fromhex("0008000801000000")),
        "bad_action",
        "bad_argument",
    ),
    "a set-field with a mask": (
        packet_out_13(bytes.fromhex("00190018 80000d04 1000 1000".replace(" ", "")) + bytes(12)),
        "bad_action",
        "bad_set_type",
    ),
    "a set-field with a mask of all ones": (
        packet_out_13(bytes.fromhex("0019001080000d041005ffff") + bytes(4)),
        "bad_action",
        "bad_set_type",
    ),
    "a set-field whose field is too long": (
        packet_out_13(bytes.fromhex("0019001080000010") + bytes(8)),
        "bad_action",
        "bad_set_len",
    ),
    "a set-field with room after its field": (
        packet_out_13(bytes.fromhex("0019001880000c021005") + bytes(14)),
        "bad_action",
        "bad_set_len",
    ),
    "a set-field of a value too large": (
        packet_out_13(bytes.fromhex("0019001080000c02ffff") + bytes(6)),
        "bad_action",
        "bad_set_argument",
    ),
    "an instruction of length 0": (flow_mod_13(EMPTY, bytes(8)), "bad_instruction", "bad_len"),
    "an instruction cut short": (flow_mod_13(EMPTY, bytes(4)), "bad_request", "bad_len"),
    "a goto-table that is too long": (
        flow_mod_13(EMPTY, bytes.fromhex("0001001001000000") + bytes(8)),
        "bad_instruction",
        "bad_len",
    ),
    "a clear-actions with actions": (
        flow_mod_13(EMPTY, bytes.fromhex("0005001000000000") + bytes(8)),
        "bad_instruction",
        "bad_len",
    ),
    "a standard match": (flow_mod_13(oxm_match(kind=0)), "bad_match", "bad_type"),
    "no match at all": (flow_mod_13(b""), "bad_match", "bad_len"),
    "a match of length 3": (flow_mod_13(oxm_match(length=3)), "bad_match", "bad_len"),
    "a match longer than the message": (flow_mod_13(oxm_match(length=60)), "bad_match", "bad_len"),
    "a field cut short": (flow_mod_13(oxm_match("8000")), "bad_match", "bad_len"),
    "a field longer than the match": (flow_mod_13(oxm_match("8000000400")), "bad_match", "bad_len"),
    "an in_port of 2 bytes": (flow_mod_13(oxm_match("800000020001")), "bad_match", "bad_len"),
    "a masked in_port": (flow_mod_13(oxm_match("8000010800000001ffffff0f")), "bad_match", "bad_mask"),
    "a value with bits outside its mask": (
        flow_mod_13(oxm_match("8000070c000000000001ffffffffff00")),
        "bad_match",
        "bad_wildcards",
    ),
    "a DSCP of 7 bits": (flow_mod_13(oxm_match("80000a020800", "8000100140")), "bad_match", "bad_value"),
    "a field twice": (flow_mod_13(oxm_match("8000000400000001", "8000000400000001")), "bad_match", "dup_field"),
    "an IPv4 address without a packet type": (flow_mod_13(oxm_match("800016040a000001")), "bad_match", "bad_prereq"),
    "an IPv4 address before its packet type": (
        flow_mod_13(oxm_match("800016040a000001", "80000a020800")),
        "bad_match",
        "bad_prereq",
    ),
    "a TCP port of UDP": (
        flow_mod_13(oxm_match("80000a020800", "8000140111", "80001a020050")),
        "bad_match",
        "bad_prereq",
    ),
    "a VLAN priority without a tag": (flow_mod_13(oxm_match("80000c020000", "80000e0101")), "bad_match", "bad_prereq"),
    "an experimenter's field without its number": (flow_mod_13(oxm_match("ffff000100")), "bad_match", "bad_len"),
    "a bucket of length 0": (message(V13, 15, bytes(24)), "group_mod_failed", "bad_bucket"),
    "a bucket cut short": (message(V13, 15, bytes(16)), "group_mod_failed", "bad_bucket"),
}


@pytest.mark.parametrize("name", CASES)
def test_it_names_the_error_to_answer_with(name: str) -> None:
    wire, kind, code = CASES[name]
    with pytest.raises(DecodeError) as refused:
        decode(wire)
    assert (refused.value.type, refused.value.code) == (kind, code)


def test_the_reply_carries_the_xid_and_64_bytes_of_the_request() -> None:
    wire = message(V10, 18, bytes(range(100)), xid=0xABCD)
    with pytest.raises(DecodeError) as refused:
        decode(wire)
    assert refused.value.reply(wire) == Error("bad_request", "bad_len", wire[:64], xid=0xABCD)


def test_the_well_formed_twins_are_accepted() -> None:
    assert decode(packet_out_10(bytes.fromhex("000000080001ffff"))) == PacketOut((Output(1),), in_port=1, xid=7)
    assert decode(packet_out_13(bytes.fromhex("0019001080000c021005") + bytes(6))) == PacketOut(
        (SetField("vlan_vid", 0x1005),), in_port=1, xid=7
    )
    prefix = oxm_match("80000a020800", "800016040a000001")
    assert decode(flow_mod_13(prefix)) == FlowMod(Match.of(eth_type=0x0800, ipv4_src="10.0.0.1"), priority=1, xid=7)
    bucket = bytes.fromhex("00100000ffffffffffffffff00000000")
    assert decode(message(V13, 15, bytes(8) + bucket)) == GroupMod(0, buckets=(Bucket(),), xid=7)


def test_a_huge_message_of_tiny_elements_is_read_in_one_pass() -> None:
    actions = tuple(Output(port) for port in range(8_000))
    wire = encode(FlowMod(instructions=(ApplyActions(actions),)), V10)
    assert decode(wire) == FlowMod(instructions=(ApplyActions(actions),))
