"""Switch profiles: `openvswitch` reports what a real Open vSwitch does; `reference` is the specification's switch."""

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from sdnloom.network.build import switch_config
from sdnloom.network.network import NetworkError, SwitchOptions
from sdnloom.network.openflow import (
    NO_BUFFER,
    V10,
    V13,
    ApplyActions,
    DescReply,
    DescRequest,
    Enqueue,
    Error,
    FeaturesReply,
    FeaturesRequest,
    FlowMod,
    GetConfigRequest,
    GroupFeaturesRequest,
    MeterFeaturesRequest,
    OpenFlowMessage,
    Output,
    PacketIn,
    PacketOut,
    Port,
    PortConfig,
    PortDesc,
    PortDescReply,
    PortDescRequest,
    PortState,
    PortStatsReply,
    PortStatsRequest,
    TableStatsReply,
    TableStatsRequest,
)
from sdnloom.network.openflow.codec import decode, encode
from sdnloom.network.packet import Ethernet, stack
from sdnloom.network.packet import encode as encode_packet
from sdnloom.network.switch import (
    LocalDropped,
    Switch,
    features_of,
    initial_switch_core,
    receive_message,
    receive_packet,
)
from sdnloom.network.topology.spec import SwitchSpec
from sdnloom.switches.openvswitch import OpenVswitch

VERSIONS = {V10: "1.0", V13: "1.3"}
SPEC = SwitchSpec("s1", 1, (1, 2, 3))
LONG = stack(Ethernet(2, 1, 0x88B5), payload=bytes(range(200)))


def config_of(version: int, profile: str = "openvswitch", **options: object) -> Switch:
    return switch_config(SPEC, SwitchOptions(VERSIONS[version], profile, **options))  # type: ignore[arg-type]


def answers(config: Switch, message: OpenFlowMessage) -> tuple[OpenFlowMessage, ...]:
    return receive_message(config, initial_switch_core(config), message)[0].messages


# -- the model beside a real Open vSwitch -----------------------------------------------------------------------------


@pytest.fixture(scope="module", params=[V10, V13], ids=["1.0", "1.3"])
def real(request: pytest.FixtureRequest, need_tool: Callable[..., None]) -> Iterator[OpenVswitch]:
    need_tool("ovs-vswitchd", "ovsdb-server")
    with OpenVswitch(request.param) as switch:
        yield switch


def asked(switch: OpenVswitch, message: OpenFlowMessage) -> tuple[OpenFlowMessage, ...]:
    return tuple(decode(each, switch.version) for each in switch.message(encode(message, switch.version)).messages)


def bare(message: OpenFlowMessage) -> OpenFlowMessage:
    """Return a reply without what the dummy devices decide: addresses, names, speeds, and that LOCAL is up."""
    if isinstance(message, FeaturesReply | PortDescReply):
        numbers = sorted(desc.port_no for desc in message.ports)
        return replace(message, ports=tuple(PortDesc(number) for number in numbers))
    if isinstance(message, PortStatsReply):
        rows = sorted(((row.port_no, row.rx_packets, row.tx_bytes) for row in message.ports), key=lambda row: row[0])
        return replace(message, ports=tuple(rows))
    return message


@pytest.mark.parametrize(
    "request_type",
    [FeaturesRequest, GetConfigRequest, DescRequest, TableStatsRequest, PortStatsRequest],
)
def test_a_switch_reports_what_open_vswitch_reports(real: OpenVswitch, request_type: type[OpenFlowMessage]) -> None:
    real.forget()
    message = request_type(xid=7)
    theirs, ours = asked(real, message), answers(config_of(real.version), message)
    assert list(map(bare, ours)) == list(map(bare, theirs))


@pytest.mark.parametrize("real", [V13], indirect=True)
@pytest.mark.parametrize("request_type", [PortDescRequest, GroupFeaturesRequest, MeterFeaturesRequest])
def test_a_switch_of_1_3_reports_what_open_vswitch_reports(
    real: OpenVswitch, request_type: type[OpenFlowMessage]
) -> None:
    theirs, ours = asked(real, request_type(xid=7)), answers(config_of(V13), request_type(xid=7))
    assert list(map(bare, ours)) == list(map(bare, theirs))


def test_a_port_that_works_has_the_state_of_open_vswitch(real: OpenVswitch) -> None:
    request: OpenFlowMessage = FeaturesRequest() if real.version == V10 else PortDescRequest()
    (reply,) = asked(real, request)
    assert isinstance(reply, FeaturesReply | PortDescReply)
    theirs = {desc.port_no: (desc.config, desc.state) for desc in reply.ports if desc.port_no != Port.LOCAL}
    ours = {desc.port_no: (desc.config, desc.state) for desc in config_of(real.version).ports}
    del ours[Port.LOCAL]
    assert ours == theirs


@pytest.mark.parametrize("max_len", [0, 20, 128, 0xFFFF])
def test_a_packet_for_the_controller_is_whole_whatever_it_asks_for(real: OpenVswitch, max_len: int) -> None:
    real.forget()
    config = config_of(real.version)
    entry = FlowMod(instructions=(ApplyActions((Output(Port.CONTROLLER, max_len),)),))
    asked(real, entry)
    (raw,) = real.frame(1, encode_packet(LONG)).messages
    theirs = decode(raw, real.version)
    core = receive_message(config, initial_switch_core(config), entry)[0].core
    (ours,) = receive_packet(config, core, 1, LONG)[0].messages
    assert isinstance(theirs, PacketIn)
    assert ours == replace(theirs, xid=0)
    assert (theirs.buffer_id, theirs.total_len, len(theirs.data)) == (NO_BUFFER, 214, 214)


@pytest.mark.parametrize("port", [Port.LOCAL, Port.FLOOD, Port.ALL])
def test_open_vswitch_sends_to_local_what_the_model_drops_there(real: OpenVswitch, port: int) -> None:
    real.forget()
    entry = FlowMod(instructions=(ApplyActions((Output(port),)),))
    asked(real, entry)
    theirs = sorted(number for number, _ in real.frame(1, encode_packet(LONG)).frames)
    config = config_of(real.version)
    core = receive_message(config, initial_switch_core(config), entry)[0].core
    outcome = receive_packet(config, core, 1, LONG)[0]
    dropped = [Port.LOCAL for event in outcome.events if isinstance(event, LocalDropped)]
    assert [*(number for number, _ in outcome.outputs), *dropped] == theirs
    assert len(dropped) == 1  # the device of the comparison is up, that of a bridge is not


@pytest.mark.parametrize("real", [V13], indirect=True)
@pytest.mark.parametrize(
    "in_port", [0, 77, Port.LOCAL, Port.CONTROLLER, Port.ANY, Port.IN_PORT, Port.FLOOD, Port.TABLE]
)
def test_ingress_ports_are_accepted_as_by_open_vswitch(real: OpenVswitch, in_port: int) -> None:
    real.forget()
    message = PacketOut((Output(2),), encode_packet(LONG), in_port)
    theirs = [each for each in asked(real, message) if isinstance(each, Error)]
    ours = [each for each in answers(config_of(V13), message) if isinstance(each, Error)]
    assert [(each.type, each.code) for each in ours] == [(each.type, each.code) for each in theirs]


# -- what the dummy devices cannot show -------------------------------------------------------------------------------


@pytest.mark.parametrize("version", [V10, V13])
def test_local_is_down_and_named_like_the_switch_and_the_others_have_10_gbit(version: int) -> None:
    *ports, local = config_of(version).ports
    copper = 1 << 7 if version == V10 else 1 << 11
    live, speed = (0, 0) if version == V10 else (PortState.LIVE, 10_000_000)
    assert [(each.port_no, each.name, each.config, each.state) for each in ports] == [
        (number, f"s1-eth{number}", 0, live) for number in (1, 2, 3)
    ]
    assert {(each.curr, each.curr_speed, each.max_speed) for each in ports} == {(1 << 6 | copper, speed, 0)}
    assert (local.port_no, local.name) == (Port.LOCAL, "s1")
    assert (local.config, local.state) == (PortConfig.PORT_DOWN, PortState.LINK_DOWN)
    assert (local.curr, local.curr_speed) == (0, 0)
    assert len({each.hw_addr for each in (*ports, local)}) == 4
    for each in config_of(version).ports:  # every value fits into the version's message
        assert decode(encode(FeaturesReply(1, ports=(each,)) if version == V10 else PortDescReply((each,)), version))


@pytest.mark.parametrize("version", [V10, V13])
def test_the_reference_has_buffers_and_no_local_port(version: int) -> None:
    config = config_of(version, "reference")
    assert config == Switch(1, tuple(PortDesc(n, 0x0200_0001_0000 | n, f"s1-eth{n}") for n in (1, 2, 3)), version)
    features = features_of(config, initial_switch_core(config))
    assert (features.n_buffers, features.n_tables) == (256, 1 if version == V10 else 254)
    (reply,) = answers(config, DescRequest())
    assert reply == DescReply("sdnloom", "model", "model", "none", "switch 0x1")
    (tables,) = answers(config, TableStatsRequest())
    assert isinstance(tables, TableStatsReply)
    assert len(tables.tables) == features.n_tables


def test_buffers_can_be_chosen_apart_from_the_profile() -> None:
    assert [config_of(V13, profile).buffers for profile in ("openvswitch", "reference")] == [0, 256]
    assert [config_of(V13, profile, buffers=4).buffers for profile in ("openvswitch", "reference")] == [4, 4]


def test_an_enqueue_to_an_unknown_queue_is_refused_by_the_reference_only() -> None:
    message = FlowMod(instructions=(ApplyActions((Enqueue(2, 5),)),))
    assert answers(config_of(V10), message) == ()
    (refused,) = answers(config_of(V10, "reference"), message)
    assert isinstance(refused, Error)
    assert (refused.type, refused.code) == ("bad_action", "bad_queue")


def test_an_unknown_profile_is_refused() -> None:
    with pytest.raises(NetworkError, match=r"profile is 'cisco'; expected one of openvswitch, reference"):
        SwitchOptions(profile="cisco")  # type: ignore[arg-type]
