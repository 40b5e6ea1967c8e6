"""Ports: reserved ones, configuration, addition and removal, the bridge of NORMAL, PacketOut."""

from dataclasses import replace

import pytest

from sdnloom.network.build import switch_config
from sdnloom.network.network import SwitchOptions
from sdnloom.network.openflow import (
    V10,
    V13,
    ConfigFlag,
    Enqueue,
    Match,
    Output,
    PacketOut,
    PacketQueue,
    Port,
    PortConfig,
    PortMod,
    PortReason,
    PortState,
    PortStatus,
    SetConfig,
    SetField,
)
from sdnloom.network.packet import Ethernet, IPv4, Packet, Vlan, encode, stack
from sdnloom.network.switch import (
    Switch,
    initial_switch_core,
    pass_time,
    plain_ports,
    port_change,
    receive_message,
    receive_packet,
)
from sdnloom.network.topology.spec import SwitchSpec
from tests.network.switch.build import (
    CONTROLLER,
    MAC1,
    MAC2,
    OUT2,
    TCP,
    add,
    after,
    error,
    only,
    ports_of,
    sent,
    switch,
)

BOTH = pytest.mark.parametrize("version", [V10, V13])


def port_mod(config: Switch, number: int, bits: int) -> PortMod:
    (port,) = (port for port in config.ports if port.port_no == number)
    return PortMod(number, port.hw_addr, int(bits), int(bits))


@BOTH
def test_reserved_ports_mean_what_they_say(version: int) -> None:
    config = switch(version)
    local = [] if version == V10 else [Port.LOCAL]

    def through(port: int, in_port: int = 1) -> list[int]:
        return ports_of(config, after(config, add(Output(port))), in_port)

    assert through(Port.ALL) == [2, 3, *local]
    assert through(Port.FLOOD) == [2, 3, *local]
    assert through(Port.IN_PORT) == [1]
    assert through(Port.LOCAL) == [Port.LOCAL]
    assert through(Port.LOCAL, Port.LOCAL) == []
    assert through(1) == []
    assert through(Port.NORMAL) == [2, 3, Port.LOCAL]


@BOTH
def test_flooding_and_forwarding_heed_the_configuration_of_ports(version: int) -> None:
    config = switch(version)
    core = after(config, add(Output(Port.FLOOD), Output(2)), port_mod(config, 2, PortConfig.NO_FWD))
    assert 2 not in ports_of(config, core)
    down = after(config, add(Output(Port.ALL)), port_mod(config, 2, PortConfig.PORT_DOWN))
    assert 2 not in ports_of(config, down)
    assert ports_of(config, down, in_port=2) == []
    deaf = after(config, add(OUT2), port_mod(config, 1, PortConfig.NO_RECV))
    assert ports_of(config, deaf) == []


def test_no_flood_of_1_0_keeps_a_port_out_of_flood_but_not_of_all() -> None:
    config = switch(V10)
    core = after(config, port_mod(config, 2, PortConfig.NO_FLOOD))
    assert ports_of(config, after(config, add(Output(Port.FLOOD)), core=core)) == [3]
    assert ports_of(config, after(config, add(Output(Port.ALL)), core=core)) == [2, 3]


def test_no_packet_in_silences_misses_but_not_actions() -> None:
    config = switch(V10)
    core = after(config, port_mod(config, 1, PortConfig.NO_PACKET_IN))
    assert only(receive_packet(config, core, 1, TCP)).messages == ()
    assert len(only(receive_packet(config, core, 2, TCP)).messages) == 1
    assert len(only(receive_packet(config, after(config, add(CONTROLLER), core=core), 1, TCP)).messages) == 1


@BOTH
def test_port_mod_is_reported_once_and_undone_leads_back(version: int) -> None:
    config = switch(version)
    message = port_mod(config, 1, PortConfig.NO_FWD)
    outcome = only(receive_message(config, initial_switch_core(config), message))
    expected = replace(config.ports[0], config=int(PortConfig.NO_FWD))
    assert outcome.messages == (PortStatus(PortReason.MODIFY, expected),)
    assert only(receive_message(config, outcome.core, message)).messages == ()
    assert after(config, replace(message, config=0), core=outcome.core) == initial_switch_core(config)


@BOTH
def test_port_mod_of_the_profile_openvswitch_is_reported_if_the_link_goes_with_it(version: int) -> None:
    config = of_open_vswitch(version)
    (port, *_), start = config.ports, initial_switch_core(config)
    quiet = only(receive_message(config, start, port_mod(config, 1, PortConfig.NO_FWD)))
    assert quiet.messages == ()
    assert quiet.core.ports is not None
    assert quiet.core.ports[0] == replace(port, config=int(PortConfig.NO_FWD))
    down = port_mod(config, 1, PortConfig.PORT_DOWN)
    outcome = only(receive_message(config, start, down))
    dead = replace(port, config=int(PortConfig.PORT_DOWN), state=int(PortState.LINK_DOWN))
    assert outcome.messages == (PortStatus(PortReason.MODIFY, dead),)
    assert only(receive_message(config, outcome.core, down)).messages == ()
    carrier = port_change(config, outcome.core, PortReason.MODIFY, replace(dead, state=port.state))
    assert (carrier.core, carrier.messages) == (outcome.core, ())  # a device that is down has no link
    again = only(receive_message(config, outcome.core, replace(down, config=0)))
    assert (again.core, again.messages) == (start, (PortStatus(PortReason.MODIFY, port),))


@BOTH
def test_a_lost_link_of_the_profile_openvswitch_is_reported_twice_in_1_3(version: int) -> None:
    config = of_open_vswitch(version)
    (port, *_), start = config.ports, initial_switch_core(config)
    dead = replace(port, state=int(PortState.LINK_DOWN))
    lost = port_change(config, start, PortReason.MODIFY, dead)
    between = [] if version == V10 else [PortStatus(PortReason.MODIFY, replace(port, state=0))]
    assert list(lost.messages) == [*between, PortStatus(PortReason.MODIFY, dead)]
    back = port_change(config, lost.core, PortReason.MODIFY, port)
    assert (back.core, back.messages) == (start, (PortStatus(PortReason.MODIFY, port),))


def of_open_vswitch(version: int) -> Switch:
    return switch_config(SwitchSpec("s1", 1, (1, 2)), SwitchOptions("1.0" if version == V10 else "1.3"))


def test_port_mod_that_names_a_wrong_port_is_refused() -> None:
    config = switch(V13)
    assert error(config, PortMod(9)) == ("port_mod_failed", "bad_port")
    assert error(config, PortMod(1, 5)) == ("port_mod_failed", "bad_hw_addr")
    for unknown in (16, 0x80):
        wrong = replace(port_mod(config, 1, 0), config=unknown, mask=unknown)
        assert error(config, wrong) == ("port_mod_failed", "bad_config")


@BOTH
def test_ports_come_change_and_go(version: int) -> None:
    config = switch(version)
    start = initial_switch_core(config)
    (fourth,) = plain_ports(4)
    added = port_change(config, start, PortReason.ADD, fourth)
    assert added.messages == (PortStatus(PortReason.ADD, fourth),)
    assert 4 in ports_of(config, after(config, add(Output(Port.ALL)), core=added.core))
    removed = port_change(config, added.core, PortReason.DELETE, fourth)
    assert (removed.core, removed.messages) == (start, (PortStatus(PortReason.DELETE, fourth),))
    assert port_change(config, start, PortReason.DELETE, fourth).messages == ()
    assert port_change(config, start, PortReason.MODIFY, fourth).messages == ()
    broken = replace(config.ports[1], state=int(PortState.LINK_DOWN))
    cut = port_change(config, after(config, add(OUT2)), PortReason.MODIFY, broken)
    assert ports_of(config, cut.core) == []
    assert port_change(config, cut.core, PortReason.MODIFY, config.ports[1]).core == after(config, add(OUT2))


def test_normal_learns_forgets_and_tells_vlans_apart() -> None:
    config = switch(V13)
    core = after(config, add(Output(Port.NORMAL)))
    back = stack(Ethernet(MAC1, MAC2), IPv4(1, 2))
    learned = only(receive_packet(config, core, 1, TCP)).core
    assert ports_of(config, learned, 2, back) == [1]
    assert ports_of(config, learned, 1, back) == []
    assert ports_of(config, pass_time(config, learned, 299_999).core, 2, back) == [1]
    assert pass_time(config, learned, 300_000).core == core
    assert len(ports_of(config, port_change(config, learned, PortReason.DELETE, config.ports[0]).core, 2, back)) == 2
    own = PacketOut((Output(Port.NORMAL),), encode(TCP), in_port=3)
    assert ports_of(config, only(receive_message(config, core, own)).core, 2, back) == [3]
    for tag, count in ((Vlan(0), 0), (Vlan(0, 3), 1), (Vlan(5), 1)):
        tagged = stack(Ethernet(MAC2, MAC1), tag, IPv4(1, 2))
        tags = [sum(isinstance(each, Vlan) for each in out.headers) for out in sent(config, core, packet=tagged)]
        assert tags == [count] * 3
    reserved = stack(Ethernet(0x0180C200000E, MAC1, 0x88CC))
    assert ports_of(config, core, 1, reserved) == []


@BOTH
def test_packet_out_to_table_meets_the_entries_and_leaves_the_packet_alone(version: int) -> None:
    config = switch(version)
    core = after(config, add(SetField("eth_dst", 9), OUT2, match=Match.of(in_port=3)))
    message = PacketOut((Output(Port.TABLE), Output(1)), encode(TCP), in_port=3)
    outputs = only(receive_message(config, core, message)).outputs
    assert [(port, packet.headers[0]) for port, packet in outputs] == [
        (2, Ethernet(9, MAC1, 0x0800)),
        (1, Ethernet(MAC2, MAC1, 0x0800)),
    ]


def test_packet_out_of_1_3_comes_from_a_port_or_the_controller() -> None:
    config = switch(V13)
    assert error(config, PacketOut((OUT2,), encode(TCP), in_port=9)) == ("bad_request", "bad_port")
    assert error(config, PacketOut((OUT2,), encode(TCP))) == ("bad_request", "bad_port")
    assert error(config, PacketOut((SetField("arp_op", 1),), encode(TCP), in_port=1)) == (
        "bad_action",
        "match_inconsistent",
    )


@pytest.mark.parametrize("data", [b"", b"\0" * 13, b"\xff" * 14, b"\0" * 2000])
@BOTH
def test_packet_out_of_any_bytes_is_sent_as_it_is(version: int, data: bytes) -> None:
    config = switch(version)
    outcome = only(receive_message(config, initial_switch_core(config), PacketOut((OUT2,), data, in_port=1)))
    assert [encode(packet) for _, packet in outcome.outputs] == [data]


def test_enqueue_of_1_0_needs_its_queue() -> None:
    config = switch(V10, queues=(PacketQueue(3, 2),))
    assert ports_of(config, after(config, add(Enqueue(2, 3)))) == [2]
    assert error(config, add(Enqueue(2, 4))) == ("bad_action", "bad_queue")
    assert error(config, add(Enqueue(1, 3))) == ("bad_action", "bad_queue")
    assert error(config, add(Enqueue(9, 3))) == ("bad_action", "bad_out_port")
    assert error(config, add(Enqueue(Port.FLOOD, 3))) == ("bad_action", "bad_out_port")


def test_fragments_are_dropped_on_demand() -> None:
    fragment = Packet((Ethernet(MAC2, MAC1, 0x0800), IPv4(1, 2, 6, flags=1)), b"data")
    for version in (V10, V13):
        config = switch(version)
        core = after(config, add(OUT2), SetConfig(int(ConfigFlag.FRAG_DROP)))
        assert (ports_of(config, core), ports_of(config, core, packet=fragment)) == ([2], [])
    tcp = Match.of(eth_type=0x0800, ip_proto=6, tcp_src=0)
    assert ports_of(switch(V10), after(switch(V10), add(OUT2, match=tcp)), packet=fragment) == [2]
    assert ports_of(switch(V13), after(switch(V13), add(OUT2, match=tcp)), packet=fragment) == []
    for flags in (ConfigFlag.FRAG_REASM, 4, 8):
        assert error(switch(V13), SetConfig(int(flags))) == ("switch_config_failed", "bad_flags")
    assert after(switch(V10), SetConfig(int(ConfigFlag.FRAG_REASM))) == initial_switch_core(switch(V10))
