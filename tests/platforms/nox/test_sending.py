"""What NOX apps send are the OpenFlow messages that NOX would send."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdnloom.network.openflow import (
    NO_BUFFER,
    AggregateRequest,
    ApplyActions,
    BarrierRequest,
    DescRequest,
    Enqueue,
    FlowCommand,
    FlowMod,
    FlowStatsRequest,
    Match,
    Output,
    PacketOut,
    PopVlan,
    Port,
    PortMod,
    PortStatsRequest,
    SetField,
    TableStatsRequest,
    decode,
)
from sdnloom.network.openflow.constants import V10, VLAN_PRESENT
from sdnloom.network.packet import Vlan, encode, stack
from sdnloom.network.program import Call, SwitchDown
from sdnloom.network.switch.tables.lookup import matches, packet_fields
from sdnloom.platforms.nox import openflow, wire
from sdnloom.platforms.nox.inputs import message_event
from sdnloom.platforms.nox.netinet import (
    create_bin_eaddr,
    create_datapathid_from_host,
    create_eaddr,
    create_ipaddr,
    ethernetaddr,
    ipaddr,
)
from sdnloom.platforms.nox.octets import octet_array
from sdnloom.platforms.nox.packet.ethernet import ethernet
from sdnloom.platforms.nox.util import convert_to_eaddr, convert_to_ipaddr, extract_flow, set_match
from tests.network.packet.generators import arps, bits, ethernets, icmps, ipv4s, tcps, udps
from tests.platforms.nox.helpers import JOINED, frame, give, packet_in, program

DOING = """
class App(Component):
    def came(self, dpid, inport, reason, length, bufid, packet):
        {statement}

    def install(self):
        self.register_for_packet_in(self.came)
"""


def sent(folder, statement, **given):
    """The messages that an app sends to s1 which does this with a packet."""
    reaction = give(program(folder, DOING.format(statement=statement)), JOINED, packet_in(**given))
    assert all(switch == "s1" for switch, _ in reaction.messages)
    return [message for _, message in reaction.messages] + [event.text for event in reaction.events]


FRAME = frame()
ENTRY = (ApplyActions((Output(2, 0),)),)


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        (
            "self.send_openflow(dpid, bufid, packet.arr, openflow.OFPP_FLOOD, inport)",
            [PacketOut((Output(Port.FLOOD, 0),), b"", 1, 7)],
        ),
        (
            "self.send_openflow(dpid, None, packet.arr, openflow.OFPP_FLOOD, inport)",
            [PacketOut((Output(Port.FLOOD, 0),), FRAME, 1, NO_BUFFER)],
        ),
        (
            "self.send_openflow_packet(dpid, packet.tostring(), 2)",
            [PacketOut((Output(2, 0),), FRAME, Port.CONTROLLER, NO_BUFFER)],
        ),
        ("self.send_openflow_packet(dpid, b'', [], 3)", [PacketOut((), b"", 3, NO_BUFFER)]),
        (
            "self.send_openflow_buffer(dpid, 9, [[openflow.OFPAT_OUTPUT, [128, 0xfffd]]], 3)",
            [PacketOut((Output(Port.CONTROLLER, 128),), b"", 3, 9)],
        ),
        (
            "self.install_datapath_flow(dpid, {IN_PORT: 1}, 5, 6, [[0, [0, 2]]], bufid, 9)",
            [FlowMod(Match.of(in_port=1), 0, ENTRY, 9, 5, 6, buffer_id=7)],
        ),
        (
            "self.install_datapath_flow(dpid, {}, 0, 0, [[0, 2]], None, inport=1, packet=packet.arr)",
            [FlowMod(instructions=ENTRY), PacketOut((Output(2, 0),), FRAME, 1, NO_BUFFER)],
        ),
        (
            "self.install_datapath_flow(dpid, {}, 0, 0, [[0, 2]], None, packet=packet.arr)",
            [FlowMod(instructions=ENTRY), "TypeError: None is no port number"],  # NOX wants to know where it came in
        ),
        (
            "self.delete_datapath_flow(dpid, {DL_DST: packet.dst})",
            [FlowMod(Match.of(eth_dst=0x20), FlowCommand.DELETE)],
        ),
        (
            "self.delete_strict_datapath_flow(dpid, {DL_VLAN: 5}, 77)",
            [FlowMod(Match.of(vlan_vid=VLAN_PRESENT | 5), FlowCommand.DELETE_STRICT, priority=77)],
        ),
        (
            "self.send_flow_command(dpid, openflow.OFPFC_MODIFY, {TP_DST: 80, NW_PROTO: 6, DL_TYPE: 0x800})",
            [FlowMod(Match.of(eth_type=0x800, ip_proto=6, tcp_dst=80), FlowCommand.MODIFY)],
        ),
        ("self.send_barrier(dpid); self.send_barrier(dpid)", [BarrierRequest(xid=8238), BarrierRequest(xid=8239)]),
        ("self.send_barrier(dpid, 5)", []),  # as in NOX
        ("self.send_openflow_command(dpid, b'\\x01\\x12\\0\\x08\\0\\0\\0\\x05')", [BarrierRequest(xid=5)]),
        (
            "self.send_port_mod(dpid, 2, '00:00:00:00:0a:02', openflow.OFPPC_NO_FLOOD, openflow.OFPPC_NO_FLOOD)",
            [PortMod(2, 0x0A02, config=16, mask=16)],
        ),
        ("self.ctxt.send_table_stats_request(dpid)", [TableStatsRequest()]),
        ("self.ctxt.send_port_stats_request(dpid)", [PortStatsRequest()]),
        ("self.ctxt.send_desc_stats_request(dpid)", [DescRequest()]),
        (
            "self.ctxt.send_aggregate_stats_request(dpid, set_match({IN_PORT: 1}), 0xff)",
            [AggregateRequest(Match.of(in_port=1))],
        ),
        (
            "self.ctxt.send_flow_stats_request(dpid, set_match({}), 0xff)",
            [FlowStatsRequest()],
        ),
        ("self.send_openflow(99, None, packet.arr, 1)", []),  # nobody is connected by that number
        ("self.send_openflow(dpid, None, packet.arr, 'flood')", ["Exception: Bad argument"]),
        ("self.send_openflow(dpid, None, packet.arr, 70000)", ["OverflowError: port 70000 does not fit in 16 bits"]),
        ("self.install_datapath_flow(dpid, {'dl_color': 5}, 0, 0, [])", [
            "RuntimeError: undefined flow attribute type in attrs: {'dl_color': 5}",
        ]),
        ("self.install_datapath_flow(dpid, {DL_SRC: 'x'}, 0, 0, [])", ["RuntimeError: invalid ethernet addr"]),
        ("self.install_datapath_flow(dpid, {NW_SRC: 'x'}, 0, 0, [])", ["RuntimeError: invalid ip addr"]),
        ("self.install_datapath_flow(dpid, {NW_SRC: 1, NW_SRC_N_WILD: -1}, 0, 0, [])", [
            "RuntimeError: invalid nw_src wildcard bit count: -1",
        ]),
        ("self.send_openflow(dpid, 1, b'', [[77, 1]])", ["RuntimeError: invalid action type: 77"]),
        ("self.send_openflow(dpid, 1, b'', [[0]])", ["RuntimeError: action 0 expected 2 arguments"]),
        ("self.send_openflow_command(dpid, b'bad')", [
            "ValueError: no OpenFlow 1.0 message: bad_request/bad_len: 3 bytes: expected a header of 8",
        ]),
    ],
)  # fmt: skip
def test_a_call_sends_what_nox_sends(tmp_path, statement, expected):
    assert sent(tmp_path, statement, data=FRAME) == expected


def test_actions_of_every_kind_are_written_as_openflow_has_them():
    content = wire.actions_bytes(
        [
            [openflow.OFPAT_SET_VLAN_VID, 7],
            [openflow.OFPAT_SET_VLAN_PCP, 3],
            [openflow.OFPAT_STRIP_VLAN],
            [openflow.OFPAT_SET_DL_SRC, "00:00:00:00:00:01"],
            [openflow.OFPAT_SET_DL_DST, octet_array(b"\0\0\0\0\0\x02")],
            [openflow.OFPAT_SET_NW_SRC, "10.0.0.1"],
            [openflow.OFPAT_SET_NW_DST, 0x0A000002],
            [openflow.OFPAT_SET_NW_TOS, 8],
            [openflow.OFPAT_SET_TP_SRC, 80],
            [openflow.OFPAT_SET_TP_DST, 81],
            [openflow.OFPAT_ENQUEUE, [2, 5]],
            [openflow.OFPAT_OUTPUT, [0, openflow.OFPP_ALL]],
        ]
    )
    assert wire.packet_out(NO_BUFFER, 1, content).actions == (
        SetField("vlan_vid", VLAN_PRESENT | 7),
        SetField("vlan_pcp", 3),
        PopVlan(),
        SetField("eth_src", 1),
        SetField("eth_dst", 2),
        SetField("ipv4_src", 0x0A000001),
        SetField("ipv4_dst", 0x0A000002),
        SetField("ip_dscp", 2),
        SetField("tp_src", 80),
        SetField("tp_dst", 81),
        Enqueue(2, 5),
        Output(Port.ALL, 0),
    )


def test_nothing_reaches_a_switch_that_left(tmp_path):
    source = """
    class App(Component):
        def poke(self):
            self.send_openflow_packet(0x1A, b"x", 1)
    """
    started = program(tmp_path, source)
    joined = give(started, JOINED)
    assert len(give(started, Call("poke"), core=joined.core).messages) == 1
    assert give(started, SwitchDown("s1"), Call("poke"), core=joined.core).messages == ()


def match_of(attrs):
    return wire.flow_mod(set_match(attrs), 0, 0, 0, 1, NO_BUFFER, b"").match


def own_flow_matches(packet, port):
    """Whether an entry for the flow that NOX extracts from a packet matches that packet."""
    flow = {**extract_flow(ethernet(encode(packet))), "in_port": port}
    return matches(match_of(flow), packet_fields(packet, port))


transports = st.one_of(tcps.map(lambda header: replace(header, options=b"")), udps, icmps)


@given(ethernets, ipv4s, transports, st.integers(1, 0xFEFF))
def test_the_flow_of_an_ip_packet_matches_it(link, network, transport, port):
    assert own_flow_matches(stack(link, network, transport), port)


@given(ethernets, bits(12), ipv4s, transports, st.integers(1, 0xFEFF))
def test_the_flow_of_a_tagged_packet_does_not_match_it_as_in_nox(link, vid, network, transport, port):
    """NOX takes the type before the tag, OpenFlow the one after it."""
    assert not own_flow_matches(stack(link, Vlan(vid), network, transport), port)


@given(ethernets, arps, st.integers(1, 0xFEFF))
def test_the_flow_of_an_arp_packet_matches_it_only_without_addresses_as_in_nox(link, arp, port):
    """NOX leaves the addresses of ARP zero."""
    arp = replace(arp, op=arp.op & 0xFF)
    assert own_flow_matches(stack(link, arp), port) == (arp.spa == arp.tpa == 0)
    assert own_flow_matches(stack(link, replace(arp, spa=0, tpa=0)), port)


@given(bits(48), bits(32), st.integers(0, 40), bits(16))
def test_a_flow_becomes_the_match_that_it_describes(mac, address, wild, kind):
    attrs = {"dl_src": mac, "dl_dst": ethernetaddr(mac), "dl_type": 0x0800, "nw_src": address, "nw_src_n_wild": wild}
    mask = (0xFFFFFFFF >> wild << wild) if wild < 32 else 0
    expected = Match.of(eth_src=mac, eth_dst=mac, eth_type=0x0800, ipv4_src=(address, mask))
    assert match_of(attrs) == expected
    assert match_of({"dl_type": kind}) == Match.of(eth_type=kind)


@given(bits(48))
def test_ethernet_addresses_are_taken_in_every_form(number):
    content = number.to_bytes(6, "big")
    expected = ethernetaddr(number)
    forms = (content, octet_array(content), content.decode("latin-1"), str(expected), number, expected)
    assert all(convert_to_eaddr(each) == expected for each in forms)
    assert hash(create_bin_eaddr(content)) == hash(expected)
    assert expected.binary_str() == expected.octet == content
    assert (expected.is_multicast(), expected.is_broadcast(), expected.is_zero()) == (
        bool(content[0] & 1),
        content == b"\xff" * 6,
        not number,
    )


@given(bits(32))
def test_ip_addresses_are_kept_in_network_byte_order(number):
    assert ipaddr(number) == ipaddr(str(ipaddr(number))) == create_ipaddr(number)
    assert convert_to_ipaddr(number) == convert_to_ipaddr(ipaddr(number)) == ipaddr(number).addr
    assert ipaddr(number).addr.to_bytes(4, "little") in (number.to_bytes(4, "big"), number.to_bytes(4, "little"))
    assert ipaddr(number).hb_long() == number


@pytest.mark.parametrize("value", ["", "x", "1.2.3", -1, 1 << 64, None, 1.5, "00:00:00:00:00:0g"])
def test_what_is_no_address_is_none(value):
    assert create_eaddr(value) is None
    assert create_ipaddr(value) is None
    assert convert_to_ipaddr(value) is None


def test_addresses_are_ordered_and_printed():
    assert sorted([ethernetaddr(2), ethernetaddr(1)]) == [ethernetaddr(1), ethernetaddr(2)]
    assert repr(ethernetaddr(1)) == "ethernetaddr('00:00:00:00:00:01')"
    assert ethernetaddr(1) != ipaddr(1)
    assert create_bin_eaddr(b"short") is None
    assert (create_datapathid_from_host(0x1A).as_host(), str(create_datapathid_from_host(0x1A))) == (26, "00000000001a")
    with pytest.raises(TypeError):
        ethernetaddr(1) < ipaddr(2)  # noqa: B015


def test_numbers_are_those_of_openflow():
    names = {"hello": 0, "packet_in": 10, "packet_out": 13, "flow_mod": 14, "barrier_request": 18}
    assert {name: getattr(openflow, f"OFPT_{name.upper()}") for name in names} == names
    assert (openflow.OFPAT_ENQUEUE, openflow.OFPFC_DELETE_STRICT, openflow.OFPPC_NO_PACKET_IN) == (11, 4, 64)
    assert (openflow.OFPC_ARP_MATCH_IP, openflow.OFPC_IP_REASM, openflow.OFPPF_PAUSE_ASYM) == (128, 32, 2048)
    assert openflow.ofp_match.SIZE == 40
    assert message_event(1, decode(b"\x01\x0d\0\x10\xff\xff\xff\xff\xff\xff\xff\xff\0\0\0\0", V10)) is None
