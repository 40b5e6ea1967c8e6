"""A bridge of Open vSwitch as a switch of a scenario: what it reports, does and forgets, beside the model."""

from dataclasses import replace

import pytest

from sdnloom.confirm.openvswitch.bridge_switch import BridgeSwitch
from sdnloom.confirm.real_parts import NotEnforceable
from sdnloom.network.openflow import (
    V10,
    V13,
    ApplyActions,
    BarrierReply,
    BarrierRequest,
    EchoReply,
    EchoRequest,
    Error,
    FeaturesReply,
    FeaturesRequest,
    FlowCommand,
    FlowFlag,
    FlowMod,
    FlowRemoved,
    FlowRemovedReason,
    FlowStatsReply,
    FlowStatsRequest,
    Match,
    OpenFlowMessage,
    Output,
    PacketIn,
    Port,
    PortConfig,
    PortDesc,
    PortDescReply,
    PortDescRequest,
    PortMod,
    PortReason,
    PortState,
    PortStatus,
    Role,
    RoleRequest,
    SetAsync,
)
from sdnloom.network.openflow.codec import decode, encode
from sdnloom.network.packet import Ethernet, stack
from sdnloom.network.packet import encode as encode_packet
from sdnloom.network.switch import features_of, initial_switch_core, port_change, receive_message
from sdnloom.switches.bridge import SwitchReaction
from sdnloom.switches.errors import ConnectionClosedError, RealSwitchError
from tests.confirm.openvswitch.configs import configs
from tests.confirm.openvswitch.conftest import MakeBridges

VERSIONS = pytest.mark.parametrize("version", [V10, V13], ids=["1.0", "1.3"])
FRAME = encode_packet(stack(Ethernet(2, 1, 0x88B5), payload=bytes(50)))
REPORT = int(FlowFlag.SEND_FLOW_REM)
GAP = 16  # milliseconds between inputs that start timers


def given(switch: BridgeSwitch, version: int, *messages: OpenFlowMessage) -> list[OpenFlowMessage]:
    """Give messages to a switch and return what it answers."""
    reaction = switch.receive_message(b"".join(encode(each, version) for each in messages))
    return read(reaction, version)


def read(reaction: SwitchReaction, version: int) -> list[OpenFlowMessage]:
    return [decode(each, version) for each in reaction.messages]


def described_ports(switch: BridgeSwitch, version: int) -> tuple[PortDesc, ...]:
    request: OpenFlowMessage = FeaturesRequest() if version == V10 else PortDescRequest()
    (reply,) = given(switch, version, request)
    assert isinstance(reply, FeaturesReply | PortDescReply)
    return reply.ports


def entry(out: int, **fields: int) -> FlowMod:
    """Return a FlowMod whose match fields and other fields are told apart by their names."""
    others = {name: fields.pop(name) for name in list(fields) if name in FlowMod.__dataclass_fields__}
    return FlowMod(Match.of(**fields), instructions=(ApplyActions((Output(out),)),), **others)


# -- what it reports ---------------------------------------------------------------------------------------------------


@VERSIONS
def test_a_bridge_describes_itself_as_the_model_does(bridges: MakeBridges, version: int) -> None:
    chosen = configs(version)
    made = bridges(chosen)
    for name, config in chosen.items():
        features = replace(features_of(config, initial_switch_core(config)), xid=7)
        assert given(made.switches[name], version, FeaturesRequest(xid=7)) == [features]
        if version != V10:
            described = PortDescReply(config.ports, xid=8)
            assert given(made.switches[name], version, PortDescRequest(xid=8)) == [described]
    assert made.version.startswith("Open vSwitch ")
    assert made.notes == ()


def test_bridges_of_different_versions_run_side_by_side(bridges: MakeBridges) -> None:
    chosen = {"s1": configs(V10)["s1"], "s2": configs(V13)["s2"]}
    switches = bridges(chosen).switches
    for name, config in chosen.items():
        (features,) = given(switches[name], config.version, FeaturesRequest())
        assert features == features_of(config, initial_switch_core(config))


@VERSIONS
def test_a_bridge_has_local_though_the_scenario_has_it_not(bridges: MakeBridges, version: int) -> None:
    chosen = configs(version, 1, profile="reference")
    (switch,) = bridges(chosen).switches.values()
    given(switch, version, entry(Port.FLOOD))
    assert sorted(port for port, _ in switch.receive_frames([(1, FRAME)]).frames) == [2, 3, Port.LOCAL]
    ports = described_ports(switch, version)
    assert [port.port_no for port in ports] == [1, 2, 3, Port.LOCAL]
    assert ports[-1].config == PortConfig.PORT_DOWN


# -- messages and frames -----------------------------------------------------------------------------------------------


@VERSIONS
def test_answers_to_the_controller_keep_their_transaction_ids_and_none_is_lost(
    bridges: MakeBridges, version: int
) -> None:
    switch = bridges(configs(version, 1)).switches["s1"]
    xids = [0, 1, 0xFE0CE000, 0xFE0CE032, 0xFFFFFFFF]
    asked = [EchoRequest(bytes(9), xid=xid) for xid in xids] + [BarrierRequest(xid=xid) for xid in xids]
    answered = [EchoReply(bytes(9), xid=xid) for xid in xids] + [BarrierReply(xid=xid) for xid in xids]
    assert given(switch, version, *asked) == answered
    for one, answer in zip(asked, answered, strict=True):
        assert given(switch, version, one) == [answer]


@VERSIONS
def test_frames_arrive_one_after_the_other_whatever_their_ports(bridges: MakeBridges, version: int) -> None:
    switch = bridges(configs(version, 1)).switches["s1"]
    given(switch, version, entry(Port.CONTROLLER, priority=0))
    order = [3, 1, 2, 2, 1, 3, 1, 2, 3, 3]
    frames = [encode_packet(stack(Ethernet(2, number, 0x88B5), payload=bytes(50))) for number in range(len(order))]
    for _ in range(5):
        arrived = read(switch.receive_frames(list(zip(order, frames, strict=True))), version)
        assert [(each.in_port, each.data) for each in arrived if isinstance(each, PacketIn)] == list(
            zip(order, frames, strict=True)
        )


@VERSIONS
def test_a_frame_for_one_switch_touches_no_other(bridges: MakeBridges, version: int) -> None:
    switches = bridges(configs(version)).switches
    for switch in switches.values():
        given(switch, version, entry(Port.FLOOD))
    assert sorted({port for port, _ in switches["s1"].receive_frames([(1, FRAME)]).frames}) == [2, 3, Port.LOCAL]
    assert switches["s2"].receive_frames([]) == SwitchReaction()


@VERSIONS
def test_frames_pass_whatever_their_size_unless_no_device_has_such(bridges: MakeBridges, version: int) -> None:
    switch = bridges(configs(version, 1)).switches["s1"]
    given(switch, version, FlowMod(instructions=(ApplyActions((Output(2), Output(Port.CONTROLLER))),)))
    for size in (14, 59, 1514, 1515, 9000, 65000):
        frame = (FRAME + bytes(size))[:size]
        reaction = switch.receive_frames([(1, frame)])
        assert reaction.frames == ((2, frame),)
        (told,) = read(reaction, version)
        assert isinstance(told, PacketIn)
        assert told.data == frame
    for size in (0, 13, 65001):
        pattern = (
            rf"^switch s1: a frame of {size} octets at port 1: Open vSwitch receives frames of 14 to 65000 octets$"
        )
        with pytest.raises(NotEnforceable, match=pattern):
            switch.receive_frames([(1, bytes(size))])
    assert given(switch, version, EchoRequest()) == [EchoReply()]


@VERSIONS
def test_bytes_that_are_no_whole_messages_are_refused_before_they_are_sent(bridges: MakeBridges, version: int) -> None:
    switch = bridges(configs(version, 1)).switches["s1"]
    whole = encode(EchoRequest(b"x"), version)
    for data in (b"", whole[:-1], whole + whole[:5]):
        with pytest.raises(RealSwitchError, match=r"^switch s1: '[0-9a-f]*': expected whole OpenFlow messages$"):
            switch.receive_message(data)
    assert given(switch, version, EchoRequest(b"x")) == [EchoReply(b"x")]


@VERSIONS
def test_a_connection_that_the_switch_closes_is_an_error_and_can_be_made_again(
    bridges: MakeBridges, version: int
) -> None:
    switch = bridges(configs(version, 1)).switches["s1"]
    given(switch, version, entry(2))
    wrong = bytes((version, 2, 0, 4, 0, 0, 0, 5))  # a message that is shorter than its header
    pattern = r"^switch s1, after a message of type 2: Open vSwitch: the switch closed the OpenFlow connection$"
    with pytest.raises(ConnectionClosedError, match=pattern) as caught:
        switch.receive_message(encode(EchoRequest(b"x"), version) + wrong)
    assert caught.value.messages == (encode(EchoReply(b"x"), version),)
    with pytest.raises(RealSwitchError, match=r"^switch s1: bridge s1 has no connection to its controller$"):
        given(switch, version, EchoRequest())
    assert [port for port, _ in switch.receive_frames([(1, FRAME)]).frames] == [2]
    assert switch.connect() == SwitchReaction()
    assert given(switch, version, EchoRequest(b"y")) == [EchoReply(b"y")]
    assert len(switch.entries()) == 1


# -- entries and their removal -----------------------------------------------------------------------------------------


@VERSIONS
def test_removals_are_reported_in_the_step_that_causes_them(bridges: MakeBridges, version: int) -> None:
    switch = bridges(configs(version, 1)).switches["s1"]
    for _ in range(20):
        given(switch, version, *(entry(2, in_port=port, flags=REPORT, cookie=port) for port in (1, 2, 3)))
        removed = given(switch, version, FlowMod(command=int(FlowCommand.DELETE)))
        assert sorted(each.cookie for each in removed if isinstance(each, FlowRemoved)) == [1, 2, 3]
        assert len(removed) == 3


@VERSIONS
def test_the_entry_that_waits_for_removals_is_never_seen(bridges: MakeBridges, version: int) -> None:
    switch = bridges(configs(version, 1)).switches["s1"]
    last = {} if version == V10 else {"table_id": 253}
    own = [entry(2, priority=0, eth_type=0x88B6), entry(3, priority=0, **last)]
    for each in own:
        assert given(switch, version, replace(each, flags=REPORT)) == []
        (reply,) = given(switch, version, FlowStatsRequest())
        assert isinstance(reply, FlowStatsReply)
        assert reply.flows == switch.entries()
    assert len(switch.entries()) == 2
    removed = given(switch, version, FlowMod(command=int(FlowCommand.DELETE), table_id=0 if version == V10 else 0xFF))
    assert [type(each) for each in removed] == [FlowRemoved, FlowRemoved]
    assert switch.entries() == ()


def test_a_controller_that_wants_no_reports_does_not_hold_up_the_switch(bridges: MakeBridges) -> None:
    switch = bridges(configs(V13, 1)).switches["s1"]
    silent = SetAsync((0, 0), (0, 0), (0, 0))
    assert given(switch, V13, silent, entry(2, flags=REPORT), FlowMod(command=int(FlowCommand.DELETE))) == []
    assert switch.entries() == ()


def test_a_controller_that_may_change_nothing_does_not_hold_up_the_switch(bridges: MakeBridges) -> None:
    switch = bridges(configs(V13, 1)).switches["s1"]
    given(switch, V13, entry(2, flags=REPORT), RoleRequest(int(Role.SLAVE), 1))
    (refused,) = given(switch, V13, FlowMod(command=int(FlowCommand.DELETE), xid=9))
    assert isinstance(refused, Error)
    assert (refused.type, refused.code, refused.xid) == ("bad_request", "is_slave", 9)
    assert len(switch.entries()) == 1


@VERSIONS
def test_a_full_table_refuses_as_the_model_does_and_removals_go_on(bridges: MakeBridges, version: int) -> None:
    chosen = configs(version, 1, max_entries=2)
    switch = bridges(chosen).switches["s1"]
    core = initial_switch_core(chosen["s1"])
    delete = FlowMod(Match.of(in_port=1), command=int(FlowCommand.DELETE), xid=8)
    for message in (*(entry(2, in_port=port, flags=REPORT, xid=port) for port in (1, 2, 3)), delete, entry(1, xid=9)):
        (outcome,) = receive_message(chosen["s1"], core, decode(encode(message, version), version))
        core = outcome.core
        theirs = given(switch, version, message)  # errors quote more bytes than the specification demands
        theirs = [replace(each, data=each.data[:64]) if isinstance(each, Error) else each for each in theirs]
        assert theirs == list(outcome.messages)
    assert len(switch.entries()) == 2


def test_entries_of_all_tables_are_listed(bridges: MakeBridges) -> None:
    switch = bridges(configs(V13, 1)).switches["s1"]
    for table in (0, 1, 77, 253):
        given(switch, V13, entry(2, table_id=table, cookie=table))
    assert sorted((each.table_id, each.cookie) for each in switch.entries()) == [(0, 0), (1, 1), (77, 77), (253, 253)]


def test_many_entries_are_listed_from_several_replies(bridges: MakeBridges) -> None:
    switch = bridges(configs(V13, 1)).switches["s1"]
    given(switch, V13, *(entry(2, eth_src=number) for number in range(1500)))
    assert len({each.match for each in switch.entries()}) == 1500


# -- time --------------------------------------------------------------------------------------------------------------


@VERSIONS
def test_entries_expire_when_their_time_is_over_and_not_before(bridges: MakeBridges, version: int) -> None:
    made = bridges(configs(version))
    one, two = made.switches.values()
    assert one.next_expiry() is None
    given(one, version, entry(2, in_port=1, hard_timeout=3, flags=REPORT), entry(2, in_port=2, idle_timeout=5))
    given(two, version, entry(2, in_port=3, idle_timeout=4, flags=REPORT))
    assert one.next_expiry() == two.next_expiry() == 3001 - GAP
    assert one.advance(3000 - GAP) == SwitchReaction()
    (removed,) = read(one.advance(1), version)
    assert isinstance(removed, FlowRemoved)
    assert (removed.reason, removed.match) == (FlowRemovedReason.HARD_TIMEOUT, Match.of(in_port=1))
    assert two.late() == SwitchReaction()
    assert one.next_expiry() == 1000 + GAP
    assert one.advance(1000 + GAP) == SwitchReaction()
    (removed,) = read(two.late(), version)
    assert isinstance(removed, FlowRemoved)
    assert (removed.reason, removed.match) == (FlowRemovedReason.IDLE_TIMEOUT, Match.of(in_port=3))
    assert two.late() == SwitchReaction()
    assert [each.match for each in one.entries()] == [Match.of(in_port=2)]
    one.receive_frames([(2, FRAME)])
    assert one.advance(1000) == SwitchReaction()
    assert len(one.entries()) == 1  # it was used
    assert one.next_expiry() == 4001
    one.advance(4001)
    assert one.entries() == ()
    assert one.next_expiry() is None


@VERSIONS
def test_entries_of_different_steps_expire_one_after_the_other(bridges: MakeBridges, version: int) -> None:
    switches = bridges(configs(version)).switches
    order = [("s1", 2), ("s2", 1), ("s1", 1), ("s2", 3)]
    for name, port in order:
        given(switches[name], version, entry(2, in_port=port, hard_timeout=1))
    for name, port in order:
        before = {each: switch.entries() for each, switch in switches.items()}
        switches["s1"].advance(switches["s1"].next_expiry() or 0)
        after = {each: switch.entries() for each, switch in switches.items()}
        changed = [each for each in switches if len(before[each]) != len(after[each])]
        assert changed == [name]
        assert {each.match for each in before[name]} - {each.match for each in after[name]} == {Match.of(in_port=port)}


@VERSIONS
def test_no_entry_expires_because_of_other_inputs(bridges: MakeBridges, version: int) -> None:
    switch = bridges(configs(version, 1)).switches["s1"]
    given(switch, version, entry(2, in_port=1, hard_timeout=1, flags=REPORT))
    for number in range(70):  # 16 ms each are more than a second
        assert given(switch, version, entry(2, in_port=2, hard_timeout=1, cookie=number)) == []
    assert len(switch.entries()) == 2
    assert switch.next_expiry() == 1


@VERSIONS
def test_entries_that_expire_within_one_call_are_reported_in_their_order(bridges: MakeBridges, version: int) -> None:
    switch = bridges(configs(version, 1)).switches["s1"]
    for seconds, port in ((30, 1), (2, 2), (600, 3)):
        given(switch, version, entry(2, in_port=port, hard_timeout=seconds, flags=REPORT))
    removed = read(switch.advance(1_000_000), version)
    assert [each.match for each in removed if isinstance(each, FlowRemoved)] == [
        Match.of(in_port=port) for port in (2, 1, 3)
    ]


# -- connection, power and carriers ------------------------------------------------------------------------------------


@VERSIONS
def test_a_secure_switch_keeps_its_entries_without_a_connection_and_no_time_passes(
    bridges: MakeBridges, version: int
) -> None:
    switch = bridges(configs(version, 1)).switches["s1"]
    given(switch, version, entry(2, in_port=1, hard_timeout=1), entry(Port.CONTROLLER, priority=0))
    assert switch.disconnect() == SwitchReaction()
    assert [port for port, _ in switch.receive_frames([(1, FRAME), (2, FRAME)]).frames] == [2]
    assert switch.connect() == SwitchReaction()
    assert switch.connect() == SwitchReaction()
    assert [(each.duration_sec, each.duration_nsec) for each in switch.entries()] == [(0, 0), (0, 0)]
    (missed,) = read(switch.receive_frames([(2, FRAME)]), version)
    assert isinstance(missed, PacketIn)
    switch.disconnect()
    switch.advance(1001)
    assert len(switch.entries()) == 1
    assert switch.connect() == SwitchReaction()


@VERSIONS
def test_a_standalone_switch_is_a_bridge_without_a_connection(bridges: MakeBridges, version: int) -> None:
    switch = bridges(configs(version, 1, fail_mode="standalone")).switches["s1"]
    given(switch, version, entry(Port.CONTROLLER, priority=0))
    assert switch.disconnect() == SwitchReaction()
    there = encode_packet(stack(Ethernet(2, 1, 0x88B5), payload=bytes(50)))
    back = encode_packet(stack(Ethernet(1, 2, 0x88B5), payload=bytes(50)))
    assert sorted(port for port, _ in switch.receive_frames([(1, there)]).frames) == [2, 3, Port.LOCAL]
    assert switch.receive_frames([(2, back)]).frames == ((1, back),)
    switch.connect()
    assert switch.entries() == ()  # Open vSwitch has removed them
    given(switch, version, entry(3, priority=0))
    assert switch.receive_frames([(2, back)]).frames == ((3, back),)


@VERSIONS
def test_a_switch_that_gets_its_power_back_is_as_new(bridges: MakeBridges, version: int) -> None:
    chosen = configs(version)
    switch, other = bridges(chosen).switches.values()
    for each in (switch, other):
        given(each, version, entry(2))
    switch.carrier(1, False)
    switch.power_off()
    switch.power_off()
    with pytest.raises(RealSwitchError, match=r"^switch s1: bridge s1 is not there: it has no power$"):
        switch.entries()
    with pytest.raises(RealSwitchError, match=r"^switch s1: bridge s1 is not there: it has no power$"):
        switch.connect()
    assert switch.carrier(2, False) == SwitchReaction()
    switch.power_on()
    switch.power_on()
    assert switch.entries() == ()
    switch.connect()
    down = [port.port_no for port in described_ports(switch, version) if port.state & PortState.LINK_DOWN]
    assert down == [1, 2, Port.LOCAL]
    given(switch, version, entry(3))
    assert [port for port, _ in switch.receive_frames([(1, FRAME), (2, FRAME)]).frames] == []
    assert len(other.entries()) == 1
    assert given(other, version, EchoRequest()) == [EchoReply()]
    assert other.receive_frames([(1, FRAME)]).frames == ((2, FRAME),)


@VERSIONS
def test_a_port_without_carrier_is_reported_and_passes_no_frames(bridges: MakeBridges, version: int) -> None:
    chosen = configs(version, 1)
    switch = bridges(chosen).switches["s1"]
    given(switch, version, entry(Port.ALL))
    port = chosen["s1"].ports[1]
    dead = replace(port, state=int(PortState.LINK_DOWN))
    lost = port_change(chosen["s1"], initial_switch_core(chosen["s1"]), PortReason.MODIFY, dead)
    assert read(switch.carrier(2, False), version) == list(lost.messages)
    assert PortStatus(PortReason.MODIFY, dead) in lost.messages
    assert switch.carrier(2, False) == SwitchReaction()
    assert sorted(number for number, _ in switch.receive_frames([(1, FRAME)]).frames) == [3, Port.LOCAL]
    assert switch.receive_frames([(2, FRAME)]) == SwitchReaction()
    assert read(switch.carrier(2, True), version) == [PortStatus(PortReason.MODIFY, port)]
    assert sorted(number for number, _ in switch.receive_frames([(1, FRAME)]).frames) == [2, 3, Port.LOCAL]


@VERSIONS
def test_a_port_that_the_controller_takes_down_passes_no_frames(bridges: MakeBridges, version: int) -> None:
    chosen = configs(version, 1)
    switch = bridges(chosen).switches["s1"]
    given(switch, version, entry(Port.ALL))
    down, up = (port_mod(chosen["s1"].ports[1], bits) for bits in (PortConfig.PORT_DOWN, 0))
    core = initial_switch_core(chosen["s1"])
    for message in (down, up, down):
        (outcome,) = receive_message(chosen["s1"], core, message)
        core = outcome.core
        assert len(outcome.messages) == 1
        assert given(switch, version, message) == list(outcome.messages)
    assert sorted(number for number, _ in switch.receive_frames([(1, FRAME)]).frames) == [3, Port.LOCAL]
    assert switch.receive_frames([(2, FRAME)]) == SwitchReaction()
    with pytest.raises(NotEnforceable, match=r"^switch s1: port 2 is down by a PortMod"):
        switch.carrier(2, False)
    given(switch, version, up)
    assert sorted(number for number, _ in switch.receive_frames([(1, FRAME)]).frames) == [2, 3, Port.LOCAL]
    switch.carrier(2, False)
    with pytest.raises(NotEnforceable, match=r"^switch s1: port 2 has no carrier"):
        given(switch, version, up)


def port_mod(port: PortDesc, bits: int) -> PortMod:
    return PortMod(port.port_no, port.hw_addr, int(bits), int(PortConfig.PORT_DOWN))
