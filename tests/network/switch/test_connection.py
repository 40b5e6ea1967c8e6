"""Loss of the control connection and reconnection, emergency entries, roles, asynchronous configuration."""

from dataclasses import replace

import pytest

from sdnloom.network.openflow import (
    V10,
    V13,
    FlowCommand,
    FlowFlag,
    FlowMod,
    FlowStatsReply,
    FlowStatsRequest,
    GetAsyncReply,
    GetAsyncRequest,
    GroupMod,
    OpenFlowMessage,
    PacketOut,
    Port,
    PortConfig,
    PortMod,
    PortReason,
    Role,
    RoleReply,
    RoleRequest,
    SetAsync,
    TableMod,
)
from sdnloom.network.switch import (
    Switch,
    SwitchCore,
    connect,
    disconnect,
    initial_switch_core,
    port_change,
    receive_message,
    receive_packet,
)
from tests.network.switch.build import (
    CONTROLLER,
    OUT2,
    OUT3,
    TCP,
    add,
    after,
    error,
    only,
    ports_of,
    switch,
)

BOTH = pytest.mark.parametrize("version", [V10, V13])


def answer(config: Switch, message: OpenFlowMessage, core: SwitchCore | None = None) -> OpenFlowMessage:
    """Return the one reply to a request, which changes nothing."""
    state = initial_switch_core(config) if core is None else core
    outcome = only(receive_message(config, state, message))
    assert outcome.core == state
    (reply,) = outcome.messages
    assert reply.xid == message.xid
    return reply


def port_mod(config: Switch, number: int, bits: int) -> PortMod:
    (port,) = (port for port in config.ports if port.port_no == number)
    return PortMod(number, port.hw_addr, int(bits), int(bits))


def test_emergency_entries_of_1_0_take_over_without_a_controller() -> None:
    config = switch(V10)
    emergency = add(OUT3, flags=int(FlowFlag.EMERG))
    core = after(config, add(OUT2, flags=int(FlowFlag.SEND_FLOW_REM)), emergency)
    assert ports_of(config, core) == [2]
    lost = disconnect(config, core)
    assert lost.messages == ()
    assert ports_of(config, lost.core) == [3]
    found = connect(config, lost.core).core
    outcome = only(receive_packet(config, found, 1, TCP))
    assert (outcome.outputs, len(outcome.messages)) == ((), 1)
    gone = after(config, FlowMod(command=int(FlowCommand.DELETE)), core=found)
    assert gone == found  # a plain delete does not reach them
    cleared = after(config, FlowMod(command=int(FlowCommand.DELETE), flags=int(FlowFlag.EMERG)), core=found)
    assert cleared == initial_switch_core(config)


def test_emergency_entries_have_no_timeouts_and_a_table_of_their_own() -> None:
    config = switch(V10, emergency_entries=1, max_entries=1)
    emergency = int(FlowFlag.EMERG)
    assert error(config, add(idle_timeout=1, flags=emergency)) == ("flow_mod_failed", "bad_emerg_timeout")
    core = after(config, add(flags=emergency), add())
    assert error(config, add(priority=1, flags=emergency), core) == ("flow_mod_failed", "table_full")
    reply = answer(config, FlowStatsRequest(), core)
    assert isinstance(reply, FlowStatsReply)
    assert len(reply.flows) == 1


@pytest.mark.parametrize(("mode", "ports"), [("secure", [2]), ("standalone", [2, 3, Port.LOCAL])])
def test_1_3_goes_on_alone_as_configured(mode: str, ports: list[int]) -> None:
    config = switch(V13, fail_mode=mode)
    core = disconnect(config, after(config, add(OUT2, CONTROLLER))).core
    outcome = only(receive_packet(config, core, 1, TCP))
    assert ([port for port, _ in outcome.outputs], outcome.messages, outcome.core.buffers) == (ports, (), ())


@BOTH
def test_a_bridge_of_the_profile_openvswitch_has_lost_its_entries(version: int) -> None:
    config = switch(version, fail_mode="standalone", profile="openvswitch", emergency_entries=0)
    full = after(config, add(OUT2))
    alone = disconnect(config, full)
    assert alone.messages == ()
    assert connect(config, alone.core).core == initial_switch_core(config)
    secure = replace(config, fail_mode="secure")
    assert connect(secure, disconnect(secure, full).core).core == full


def test_roles_need_a_fresh_generation_and_a_slave_may_not_change_anything() -> None:
    config = switch(V13)
    unseen = 0xFFFFFFFFFFFFFFFF
    assert answer(config, RoleRequest()) == RoleReply(Role.EQUAL, unseen)
    core = after(config, RoleRequest(Role.MASTER, 5))
    assert error(config, RoleRequest(Role.SLAVE, 4), core) == ("role_request_failed", "stale")
    assert error(config, RoleRequest(9), core) == ("role_request_failed", "bad_role")
    assert after(config, RoleRequest(Role.MASTER, 5), core=core) == core
    slave = after(config, add(CONTROLLER), RoleRequest(Role.SLAVE, 6), core=core)
    for message in (FlowMod(), GroupMod(1), PacketOut(), PortMod(1), TableMod(0)):
        assert error(config, message, slave) == ("bad_request", "is_slave")
    assert only(receive_packet(config, slave, 1, TCP)).messages == ()
    status = port_change(config, slave, PortReason.DELETE, config.ports[0])
    assert len(status.messages) == 1
    assert connect(config, slave).core.settings.role == Role.EQUAL


def test_generations_wrap_around() -> None:
    config = switch(V13)
    core = after(config, RoleRequest(Role.MASTER, 0xFFFFFFFFFFFFFFFF), RoleRequest(Role.MASTER, 3))
    assert core.settings.generation_id == 3


def test_asynchronous_messages_are_those_asked_for() -> None:
    config = switch(V13)
    assert answer(config, GetAsyncRequest()) == GetAsyncReply((3, 0), (7, 7), (15, 0))
    core = after(config, add(CONTROLLER, flags=1), SetAsync((1, 0), (0, 0), (0, 0)))
    assert only(receive_packet(config, core, 1, TCP)).messages == ()
    assert only(receive_message(config, core, FlowMod(command=3))).messages == ()
    assert only(receive_message(config, core, port_mod(config, 1, PortConfig.NO_FWD))).messages == ()
