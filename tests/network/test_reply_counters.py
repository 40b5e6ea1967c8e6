"""Counters in replies with statistics: which there are, their names, and replies with other values."""

from dataclasses import replace

import pytest

from sdnloom.network.build import switch_config
from sdnloom.network.network import SwitchOptions
from sdnloom.network.openflow import (
    ApplyActions,
    Bucket,
    FlowFlag,
    FlowMod,
    FlowStatsReply,
    GroupMod,
    Match,
    MeterBand,
    MeterMod,
    Output,
    decode,
    encode,
)
from sdnloom.network.reply_counters import KINDS, answered, counters_like, of_every_row, reply_counters, with_counters
from sdnloom.network.switch import initial_switch_core, receive_message
from sdnloom.network.topology import single

APPLY = (ApplyActions((Output(2),)),)


def reply(kind, version, *, counters=False):
    """What a switch with two entries, a group and a meter answers."""
    options = SwitchOptions(version=version, queues=2, counters=counters)
    config = switch_config(single(2).switch("s1"), options)
    core = initial_switch_core(config)
    setup = [
        FlowMod(match=Match.of(in_port=1), instructions=APPLY, priority=5, hard_timeout=30),
        FlowMod(match=Match.of(in_port=2), instructions=APPLY, priority=4),
    ]
    if version == "1.3":
        setup[1] = replace(setup[1], flags=int(FlowFlag.NO_PKT_COUNTS))
        setup.append(GroupMod(7, buckets=(Bucket((Output(1),)), Bucket((Output(2),)))))
        setup.append(MeterMod(3, flags=1, bands=(MeterBand(1, 100, 10),)))
    for message in setup:
        core = receive_message(config, core, message)[0].core
    (found,) = receive_message(config, core, KINDS[kind].request(1))[0].messages
    assert isinstance(found, KINDS[kind].reply)
    return found


def names(kind, version):
    return [each.name for each in reply_counters(reply(kind, version), version)]


PORT = ["rx_packets", "tx_packets", "rx_bytes", "tx_bytes", "rx_dropped", "tx_dropped", "rx_errors", "tx_errors"]
PORT += ["rx_frame_err", "rx_over_err", "rx_crc_err", "collisions"]
ENTRY = ["packet_count", "byte_count", "duration_sec", "duration_nsec"]
NEW = ["duration_sec", "duration_nsec"]
QUEUE = ["tx_bytes", "tx_packets", "tx_errors"]


@pytest.mark.parametrize(
    ("kind", "version", "expected"),
    [
        ("ports", "1.0", [f"port1.{each}" for each in PORT]),
        ("ports", "1.3", [f"port1.{each}" for each in [*PORT, *NEW]]),
        ("flows", "1.0", [f"flow{number}.{each}" for number in (1, 2) for each in ENTRY]),
        ("flows", "1.3", [*(f"flow1.{each}" for each in ENTRY), *(f"flow2.{each}" for each in ENTRY[1:])]),
        ("tables", "1.0", ["table0.lookup_count", "table0.matched_count"]),
        ("tables", "1.3", ["table0.lookup_count", "table0.matched_count"]),
        ("queues", "1.0", [f"port{port}.queue{queue}.{each}" for port in (1, 2) for queue in (0, 1) for each in QUEUE]),
        ("aggregate", "1.0", ["aggregate.packet_count", "aggregate.byte_count"]),
        ("aggregate", "1.3", ["aggregate.packet_count", "aggregate.byte_count"]),
        (
            "groups",
            "1.3",
            [
                *(f"group7.{each}" for each in ENTRY),
                *(f"group7.bucket{number}.{each}" for number in (1, 2) for each in ENTRY[:2]),
            ],
        ),
        (
            "meters",
            "1.3",
            [
                *(f"meter3.{each}" for each in ["packet_in_count", "byte_in_count", *NEW]),
                *(f"meter3.band1.{each}" for each in ENTRY[:2]),
            ],
        ),
    ],
)
def test_the_counters_of_a_reply_are_those_that_the_switch_can_raise(kind, version, expected):
    assert names(kind, version) == expected
    assert all(each.rpartition(".")[2] in counters_like(each) for each in expected)


@pytest.mark.parametrize("version", ["1.0", "1.3"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_reply_with_other_counters_differs_in_these_alone_and_fits_into_a_message(kind, version):
    if version == "1.0" and kind in ("groups", "meters"):
        return
    plain, wire = reply(kind, version), SwitchOptions(version=version).wire_version
    counters = reply_counters(plain, version)
    values = {each.name: each.most for each in counters}
    full = with_counters(plain, values)
    assert decode(encode(full, wire), wire) == full
    assert with_counters(full, {}) == plain == answered(full, ())
    for each in counters:
        one = answered(plain, ((each.name, 1),))
        assert one != plain
        assert with_counters(one, {}) == plain
    assert len({answered(plain, ((each.name, 1),)) for each in counters}) == len(counters)


def test_no_entry_is_older_than_its_hard_timeout_and_no_second_has_more_nanoseconds():
    most = {each.name: each.most for each in reply_counters(reply("flows", "1.3"), "1.3")}
    assert (most["flow1.duration_sec"], most["flow2.duration_sec"]) == (30, 2**32 - 1)
    assert most["flow1.duration_nsec"] == 999_999_999
    assert most["flow1.byte_count"] == 2**64 - 1


def test_rows_of_entries_keep_what_the_switch_says_about_them():
    plain = reply("flows", "1.3")
    assert isinstance(plain, FlowStatsReply)
    found = answered(plain, (("flow2.byte_count", 9),))
    assert found == replace(plain, flows=(plain.flows[0], replace(plain.flows[1], byte_count=9)))


@pytest.mark.parametrize(
    ("name", "every"),
    [("port3.queue1.tx_bytes", "port.queue.tx_bytes"), ("flow12.byte_count", "flow.byte_count")],
)
def test_a_name_without_numbers_is_that_of_every_row(name, every):
    assert of_every_row(name) == every
    assert counters_like(every) == counters_like(name)
