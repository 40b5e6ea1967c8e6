"""Buffers and truncation follow the specification (Open vSwitch has no buffers to compare with)."""

import pytest

from sdnloom.network.openflow import (
    NO_BUFFER,
    NO_TRUNCATION,
    V10,
    V13,
    Error,
    FlowMod,
    Match,
    Output,
    PacketIn,
    PacketInReason,
    PacketOut,
    Port,
    SetAsync,
    SetConfig,
)
from sdnloom.network.packet import encode
from sdnloom.network.switch import (
    BufferedPacket,
    BufferExpired,
    Switch,
    SwitchCore,
    SwitchOutcome,
    initial_switch_core,
    pass_time,
    receive_message,
    receive_packet,
)
from tests.network.switch.build import CONTROLLER, OUT2, OUT3, SIZE, TCP, add, after, error, only, ports_of, switch

BOTH = pytest.mark.parametrize("version", [V10, V13])


def packet_in(outcome: SwitchOutcome) -> PacketIn:
    (message,) = outcome.messages
    assert isinstance(message, PacketIn)
    return message


def to_controller(version: int, max_len: int, **options: int) -> tuple[Switch, SwitchCore]:
    config = switch(version, **options)
    return config, after(config, add(Output(Port.CONTROLLER, max_len)))


def test_miss_of_1_0_sends_the_first_miss_send_len_bytes_and_keeps_the_packet() -> None:
    config = switch(V10, miss_send_len=50)
    outcome = only(receive_packet(config, initial_switch_core(config), 1, TCP))
    message = packet_in(outcome)
    assert (message.data, message.total_len, message.buffer_id) == (encode(TCP)[:50], SIZE, 0)
    assert (message.reason, message.in_port) == (PacketInReason.NO_MATCH, 1)
    assert outcome.core.buffers == (BufferedPacket(0, 1, TCP),)


def test_miss_of_1_3_is_dropped_without_a_table_miss_entry() -> None:
    config = switch(V13)
    outcome = only(receive_packet(config, initial_switch_core(config), 1, TCP))
    assert (outcome.outputs, outcome.messages, outcome.core) == ((), (), initial_switch_core(config))


def test_set_config_changes_how_much_of_a_miss_is_sent() -> None:
    config = switch(V10)
    core = after(config, SetConfig(0, 20))
    assert len(packet_in(only(receive_packet(config, core, 1, TCP))).data) == 20


@BOTH
@pytest.mark.parametrize(
    ("max_len", "size"), [(0, 0), (1, 1), (64, 64), (SIZE - 1, SIZE - 1), (SIZE, SIZE), (1000, SIZE)]
)
def test_output_to_the_controller_is_cut_to_max_len(version: int, max_len: int, size: int) -> None:
    config, core = to_controller(version, max_len)
    message = packet_in(only(receive_packet(config, core, 1, TCP)))
    assert (len(message.data), message.total_len, message.buffer_id) == (size, SIZE, 0)
    assert message.reason == (PacketInReason.ACTION)


def test_no_buffer_of_1_3_sends_everything_and_keeps_nothing() -> None:
    config, core = to_controller(V13, NO_TRUNCATION)
    outcome = only(receive_packet(config, core, 1, TCP))
    assert (packet_in(outcome).data, packet_in(outcome).buffer_id) == (encode(TCP), NO_BUFFER)
    assert outcome.core == core


def test_the_same_length_in_1_0_sends_everything_and_keeps_the_packet() -> None:
    config, core = to_controller(V10, NO_TRUNCATION)
    outcome = only(receive_packet(config, core, 1, TCP))
    assert (packet_in(outcome).data, packet_in(outcome).buffer_id) == (encode(TCP), 0)
    assert len(outcome.core.buffers) == 1


@BOTH
def test_without_buffers_every_packet_is_sent_whole(version: int) -> None:
    config, core = to_controller(version, 10, buffers=0)
    outcome = only(receive_packet(config, core, 1, TCP))
    assert (packet_in(outcome).data, packet_in(outcome).buffer_id) == (encode(TCP), NO_BUFFER)
    assert outcome.core == core


@BOTH
def test_full_buffers_send_the_whole_packet_and_ids_are_the_lowest_free(version: int) -> None:
    config, core = to_controller(version, 10, buffers=2)
    ids = []
    for _ in range(3):
        outcome = only(receive_packet(config, core, 1, TCP))
        ids.append((packet_in(outcome).buffer_id, len(packet_in(outcome).data)))
        core = outcome.core
    assert ids == [(0, 10), (1, 10), (NO_BUFFER, SIZE)]
    freed = after(config, PacketOut((OUT2,), in_port=1, buffer_id=0), core=core)
    assert [each.buffer_id for each in freed.buffers] == [1]
    assert packet_in(only(receive_packet(config, freed, 1, TCP))).buffer_id == 0


@BOTH
def test_packet_out_sends_the_buffered_packet_once(version: int) -> None:
    config, core = to_controller(version, 0)
    core = only(receive_packet(config, core, 1, TCP)).core
    release = PacketOut((OUT2, OUT3), b"ignored", in_port=1, buffer_id=0)
    outcome = only(receive_message(config, core, release))
    assert outcome.outputs == ((2, TCP), (3, TCP))
    assert outcome.core.buffers == ()
    assert error(config, release, outcome.core) == ("bad_request", "buffer_empty")


@BOTH
def test_buffer_ids_that_a_switch_never_gives_are_unknown(version: int) -> None:
    config = switch(version, buffers=4)
    assert error(config, PacketOut((OUT2,), in_port=1, buffer_id=3)) == ("bad_request", "buffer_empty")
    assert error(config, PacketOut((OUT2,), in_port=1, buffer_id=4)) == ("bad_request", "buffer_unknown")
    none = switch(version, buffers=0)
    assert error(none, PacketOut((OUT2,), in_port=1, buffer_id=0)) == ("bad_request", "buffer_unknown")


@BOTH
def test_packet_out_without_actions_drops_the_buffered_packet(version: int) -> None:
    config, core = to_controller(version, 0)
    core = only(receive_packet(config, core, 1, TCP)).core
    outcome = only(receive_message(config, core, PacketOut((), in_port=1, buffer_id=0)))
    assert (outcome.outputs, outcome.core.buffers) == ((), ())


@BOTH
def test_refused_packet_out_leaves_the_packet_in_its_buffer(version: int) -> None:
    config, core = to_controller(version, 0)
    core = only(receive_packet(config, core, 1, TCP)).core
    assert error(config, PacketOut((Output(9),), in_port=1, buffer_id=0), core) == ("bad_action", "bad_out_port")


def test_flow_mod_of_1_0_applies_its_own_actions_to_the_buffered_packet() -> None:
    config = switch(V10, counters=True)
    core = only(receive_packet(config, initial_switch_core(config), 1, TCP)).core
    core = after(config, add(OUT3, priority=9), core=core)
    outcome = only(receive_message(config, core, add(OUT2, match=Match.of(in_port=1), priority=1, buffer_id=0)))
    assert outcome.outputs == ((2, TCP),)
    assert [each.traffic.packets for each in outcome.core.flows] == [0, 1]
    assert outcome.core.buffers == ()


def test_flow_mod_of_1_3_sends_the_buffered_packet_through_the_tables() -> None:
    config, core = to_controller(V13, 0)
    core = only(receive_packet(config, core, 1, TCP)).core
    core = after(config, add(OUT3, priority=0xFFFF), core=core)
    outcome = only(receive_message(config, core, add(OUT2, match=Match.of(in_port=1), priority=1, buffer_id=0)))
    assert outcome.outputs == ((3, TCP),)


@BOTH
def test_flow_mod_with_an_unknown_buffer_installs_nothing(version: int) -> None:
    config = switch(version, buffers=1)
    assert error(config, add(OUT2, buffer_id=7)) == ("bad_request", "buffer_unknown")


def test_one_packet_sent_twice_to_the_controller_waits_twice() -> None:
    config = switch(V13)
    core = after(config, add(Output(Port.CONTROLLER, 5), Output(Port.CONTROLLER, 7)))
    outcome = only(receive_packet(config, core, 1, TCP))
    assert [(each.buffer_id, len(each.data)) for each in outcome.messages if isinstance(each, PacketIn)] == [
        (0, 5),
        (1, 7),
    ]


def test_what_waits_too_long_is_thrown_away_and_an_event_says_so() -> None:
    config = switch(V10, buffer_timeout=1000)
    core = only(receive_packet(config, initial_switch_core(config), 1, TCP)).core
    assert pass_time(config, core, 999).core.buffers == (BufferedPacket(0, 1, TCP, 1),)
    expired = pass_time(config, core, 1000)
    assert expired.events == (BufferExpired(0, TCP),)
    assert expired.core == initial_switch_core(config)
    assert error(config, PacketOut((OUT2,), buffer_id=0), expired.core) == ("bad_request", "buffer_empty")


def test_histories_that_leave_the_same_packets_waiting_are_the_same_state() -> None:
    config, core = to_controller(V13, 0)
    once = only(receive_packet(config, core, 1, TCP)).core
    twice = only(receive_packet(config, once, 2, TCP)).core
    released = after(config, PacketOut((), in_port=1, buffer_id=1), core=twice)
    assert released == once


def test_a_packet_that_nobody_hears_of_is_not_kept() -> None:
    config, core = to_controller(V13, 0)
    core = after(config, SetAsync((0, 0), (0, 0), (0, 0)), core=core)
    outcome = only(receive_packet(config, core, 1, TCP))
    assert (outcome.messages, outcome.core) == ((), core)


def test_an_error_quotes_the_first_64_bytes_of_the_message() -> None:
    config = switch(V13)
    message = add(Output(99), CONTROLLER, xid=5)
    (found,) = only(receive_message(config, initial_switch_core(config), message)).messages
    assert isinstance(found, Error)
    assert (found.xid, len(found.data), found.data[1]) == (5, 64, 14)
    assert isinstance(message, FlowMod)
    assert ports_of(config, initial_switch_core(config)) == []
