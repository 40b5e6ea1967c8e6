"""Bytes of well-known messages, written by hand from the specification."""

import pytest

from sdnloom.network.openflow import (
    HEADER,
    NO_BUFFER,
    STRUCTS,
    V10,
    V13,
    ApplyActions,
    BarrierRequest,
    EncodeError,
    Enqueue,
    FeaturesReply,
    FlowCommand,
    FlowFlag,
    FlowMod,
    FlowRemoved,
    GotoTable,
    GroupMod,
    Hello,
    Match,
    OpenFlowMessage,
    Output,
    PacketIn,
    PacketOut,
    Port,
    PushVlan,
    SetField,
    WriteActions,
    WriteMetadata,
    decode,
    encode,
    struct_layout,
    wire_form,
)

GOLDEN: dict[str, tuple[int, OpenFlowMessage, str]] = {
    "hello": (V10, Hello(xid=1), "01 00 0008 00000001"),
    "hello with a bitmap of versions": (
        V13,
        Hello(bytes.fromhex("0001000800000012")),
        "04 00 0010 00000000  0001 0008 00000012",
    ),
    "barrier request of 1.0": (V10, BarrierRequest(xid=2), "01 12 0008 00000002"),
    "barrier request of 1.3": (V13, BarrierRequest(xid=2), "04 14 0008 00000002"),
    "packet-in of 1.0": (
        V10,
        PacketIn(Match.of(in_port=3), b"\xaa\xbb", total_len=60, reason=1, buffer_id=256),
        "01 0a 0014 00000000  00000100 003c 0003 01 00 aabb",
    ),
    "packet-in of 1.3": (
        V13,
        PacketIn(Match.of(in_port=3), b"\xaa\xbb", total_len=60, reason=1, buffer_id=256, table_id=2, cookie=5),
        "04 0a 002c 00000000  00000100 003c 01 02 00000000000000050001 000c 80000004 00000003 00000000  0000 aabb",
    ),
    "packet-out that floods in 1.0": (
        V10,
        PacketOut((Output(Port.FLOOD, 0),), in_port=1, buffer_id=7),
        "01 0d 0018 00000000  00000007 0001 0008  0000 0008 fffb 0000",
    ),
    "packet-out that floods in 1.3": (
        V13,
        PacketOut((Output(Port.FLOOD, 0),), b"\xcc", in_port=Port.CONTROLLER),
        "04 0d 0029 00000000  ffffffff fffffffd 0010 0000000000000000 0010 fffffffb 0000 000000000000  cc",
    ),
    "flow-mod of a learning switch in 1.0": (
        V10,
        FlowMod(
            Match.of(in_port=1, eth_dst="00:00:00:00:00:02"),
            instructions=(ApplyActions((Output(2, 0),)),),
            flags=FlowFlag.SEND_FLOW_REM | FlowFlag.EMERG,
        ),
        "01 0e 0050 00000000"
        "003ffff6 0001 000000000000 000000000002 0000 00 00 0000 00 00 0000 00000000 00000000 0000 0000"
        "0000000000000000 0000 0000 0000 8000 ffffffff ffff 0005"
        "0000 0008 0002 0000",
    ),
    "table-miss entry of 1.3": (
        V13,
        FlowMod(priority=0, instructions=(ApplyActions((Output(Port.CONTROLLER),)),)),
        "04 0e 0050 00000000  0000000000000000 0000000000000000 00 00 0000 0000 0000"
        "ffffffff ffffffff ffffffff 0000 0000"
        "0001 0004 00000000  0004 0018 00000000 0000 0010 fffffffd ffff 000000000000",
    ),
    "flow-mod with tables and tags in 1.3": (
        V13,
        FlowMod(
            Match.of(eth_type=0x0800, ipv4_dst="10.0.0.0/8"),
            command=FlowCommand.MODIFY_STRICT,
            instructions=(
                WriteActions((PushVlan(), SetField("vlan_vid", 0x1007))),
                WriteMetadata(1, 0xF),
                GotoTable(9),
            ),
            idle_timeout=5,
            priority=1,
        ),
        "04 0e 0088 00000000  0000000000000000 0000000000000000 00 02 0005 0000 0001"
        "ffffffff ffffffff ffffffff 0000 0000"
        "0001 0016 80000a02 0800 80001908 0a000000 ff000000 0000"
        "0003 0020 00000000  0011 0008 8100 0000  0019 0010 80000c02 1007 000000000000"
        "0002 0018 00000000 0000000000000001 000000000000000f"
        "0001 0008 09 000000",
    ),
    "features reply of 1.3": (
        V13,
        FeaturesReply(0xABC, n_buffers=256, n_tables=254, capabilities=0x4F),
        "04 06 0020 00000000  0000000000000abc 00000100 fe 00 0000 0000004f 00000000",
    ),
}


@pytest.mark.parametrize("name", GOLDEN)
def test_bytes_are_the_specifications(name: str) -> None:
    version, message, text = GOLDEN[name]
    wire = bytes.fromhex(text.replace(" ", ""))
    assert encode(message, version) == wire
    assert decode(wire) == message


@pytest.mark.parametrize(
    ("version", "message", "complaint"),
    [
        (V10, FlowMod(table_id=1), r"FlowMod.table_id = 1: this version has no place for it, expected 0"),
        (V10, FlowMod(cookie_mask=1), "FlowMod.cookie_mask = 1"),
        (V10, FlowRemoved(Match(), hard_timeout=3), "FlowRemoved.hard_timeout = 3"),
        (V10, FlowMod(instructions=(GotoTable(1),)), "expected nothing or one ApplyActions"),
        (V10, FlowMod(instructions=(ApplyActions((PushVlan(),)),)), r"PushVlan\(\) has no form in this version"),
        (V10, FlowMod(flags=FlowFlag.RESET_COUNTS), "RESET_COUNTS does not exist"),
        (V10, PacketOut((SetField("vlan_vid", 5),)), "expected a VLAN number with the bit VLAN_PRESENT"),
        (V10, PacketOut((SetField("tcp_src", 5),)), r"SetField\(field='tcp_src', value=5\) has no form"),
        (V10, PacketOut((Output(70_000),)), "port 70000: expected one below 65280 or a reserved one"),
        (V10, GroupMod(1), r"GroupMod\(group_id=1\) does not exist in OpenFlow version 1"),
        (V10, PacketIn(Match.of(in_port=1, metadata=2)), "expected in_port and nothing else"),
        (V13, PacketOut((Enqueue(1, 2),)), r"Enqueue\(port=1, queue_id=2\) has no form"),
        (V13, PacketOut((SetField("tp_src", 5),)), "match field 'tp_src' has no form in OpenFlow 1.3"),
        (V13, PacketOut((SetField("vlan_pcp", 8),)), "match field vlan_pcp = 8: expected a number from 0 to 0x7"),
        (V13, FlowMod(flags=FlowFlag.EMERG), r"flow_mod.flags = <FlowFlag.EMERG: 65536>: expected"),
        (V13, FlowMod(priority=1 << 16), "flow_mod.priority = 65536: expected a number from 0 to 0xffff"),
        (V13, PacketOut(data=bytes(70_000)), "header.length = 70024: expected a number from 0 to 0xffff"),
        (V13, BarrierRequest(xid=-1), "header.xid = -1"),
        (V10, PacketOut((Output("1"),)), r"packet_out.actions of PacketOut|output.port of Output\(port='1'\)"),
        (V13, PacketOut((None,)), "None has no form in this version"),
        (V13, PacketOut(None), "packet_out.actions of PacketOut"),
        (V13, PacketOut(data="text"), "packet_out.data of PacketOut.*'text' is no bytes"),
        (V13, PacketIn(None), "packet_in.match of PacketIn"),
        (6, BarrierRequest(), "OpenFlow version 6: expected one of 1, 4"),
    ],
)
def test_a_value_without_a_wire_form_is_refused_by_name(version: int, message: OpenFlowMessage, complaint: str) -> None:
    with pytest.raises(EncodeError, match=complaint):
        encode(message, version)


def test_the_layout_says_where_a_field_is() -> None:
    buffer_id = struct_layout(V10, "flow_mod")["buffer_id"]
    assert (buffer_id.offset, buffer_id.bits) == (56 * 8, 32)
    wire = encode(FlowMod(buffer_id=0xABCDEF01), V10)
    start = HEADER.size + buffer_id.offset // 8
    assert int.from_bytes(wire[start : start + buffer_id.bits // 8], "big") == 0xABCDEF01
    assert encode(FlowMod(buffer_id=NO_BUFFER), V10)[start : start + 4] == b"\xff" * 4
    assert struct_layout(V13, "flow_mod")["buffer_id"].offset == 24 * 8
    inner = struct_layout(V10, "flow_mod")["match.nw_src"]
    wire = encode(FlowMod(Match.of(eth_type=0x0800, ipv4_src="10.0.0.1")), V10)
    start = HEADER.size + inner.offset // 8
    assert wire[start : start + inner.bits // 8] == bytes([10, 0, 0, 1])


def test_a_message_class_has_a_type_and_a_structure() -> None:
    assert wire_form(FlowMod, V10) == (14, STRUCTS[V10]["flow_mod"])
    assert wire_form(BarrierRequest, V13) == (20, STRUCTS[V13]["empty"])
    with pytest.raises(EncodeError, match="GroupMod does not exist in OpenFlow version 1"):
        wire_form(GroupMod, V10)
