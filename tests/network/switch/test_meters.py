"""Meters as configuration: the model accepts, refuses, reports and counts them as Open vSwitch does."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from sdnloom.network.openflow import (
    V10,
    V13,
    ApplyActions,
    BandType,
    Error,
    FlowCommand,
    FlowFlag,
    FlowMod,
    FlowStatsRequest,
    Instruction,
    Match,
    Meter,
    MeterBand,
    MeterCommand,
    MeterConfig,
    MeterConfigReply,
    MeterConfigRequest,
    MeterFeaturesReply,
    MeterFeaturesRequest,
    MeterFlag,
    MeterId,
    MeterMod,
    MeterStatsReply,
    MeterStatsRequest,
    OpenFlowMessage,
    Output,
)
from sdnloom.network.packet import Ethernet, stack
from sdnloom.network.switch import SwitchCore, independent, initial_switch_core, receive_message, receive_packet
from tests.network.switch.build import error, switch
from tests.network.switch.differential import Comparison
from tests.network.switch.sequences import Arrival, Generator, Send, Stimulus, Wait

DROP = MeterBand(BandType.DROP, 1_000_000, 2_000_000)  # more than any test sends
PACKETS = int(MeterFlag.PKTPS | MeterFlag.BURST)
METERS = (1, 2, 3)
ADD = MeterMod(1, MeterCommand.ADD, PACKETS, (DROP,))
USER = FlowMod(instructions=(Meter(1), ApplyActions((Output(2),))), flags=int(FlowFlag.SEND_FLOW_REM))
FRAME = stack(Ethernet(2, 1, 0x88B5), payload=bytes(50))


class MeterGenerator(Generator):
    """Sequences with meters, and entries that use them."""

    def stimulus(self) -> Stimulus:
        return super().stimulus() if not self._one_in(3) else self._meter_message()

    def instructions(self, table: int, match: Match) -> tuple[Instruction, ...]:
        others = super().instructions(table, match)
        return (Meter(self.random.choice((*METERS, 1, 2, 9))), *others) if self._one_in(2) else others

    def _meter_message(self) -> Stimulus:
        pick, xid = self.random.choice, self._next_xid()
        number = pick(METERS)
        options: tuple[OpenFlowMessage, ...] = (
            MeterStatsRequest(pick((number, MeterId.ALL)), xid=xid),
            MeterConfigRequest(pick((number, MeterId.ALL)), xid=xid),
            MeterFeaturesRequest(xid=xid),
        )
        if self._one_in(4):
            return Send(pick(options))
        command = self.random.choices(tuple(MeterCommand), (5, 2, 2))[0]
        if command == MeterCommand.DELETE:
            return Send(MeterMod(pick((number, number, MeterId.ALL)), int(command), xid=xid))
        flags = int(pick((MeterFlag.KBPS, MeterFlag.PKTPS)) | pick((0, MeterFlag.STATS)) | MeterFlag.BURST)
        bands = (DROP,) * pick((1, 1, 1, 2, 9)) if not self._one_in(10) else ()
        return Send(MeterMod(number, int(command), flags, bands, xid=xid))


@pytest.mark.slow
def test_meters_of_the_model_and_of_open_vswitch_are_alike(compare: Callable[[int], Comparison]) -> None:
    comparison = compare(V13)
    for number in range(150):
        difference = comparison.run(MeterGenerator(comparison.config, number).sequence())
        assert difference is None, f"sequence {number}: {difference}"
    assert comparison.steps > 8 * 150
    assert sum(comparison.named.values()) < 0.05 * comparison.steps


REFUSED: dict[str, tuple[MeterMod, tuple[str, str]]] = {
    "command": (replace(ADD, command=7), ("meter_mod_failed", "bad_command")),
    "number 0": (replace(ADD, meter_id=0), ("meter_mod_failed", "invalid_meter")),
    "all": (replace(ADD, meter_id=MeterId.ALL), ("meter_mod_failed", "invalid_meter")),
    "no such meter": (replace(ADD, command=MeterCommand.MODIFY), ("meter_mod_failed", "unknown_meter")),
    "no bands": (replace(ADD, bands=()), ("meter_mod_failed", "out_of_bands")),
    "many bands": (replace(ADD, bands=(DROP,) * 9), ("meter_mod_failed", "out_of_bands")),
    "remark": (
        replace(ADD, bands=(MeterBand(BandType.DSCP_REMARK, 1, 1, b"\1\0\0\0"),)),
        ("meter_mod_failed", "bad_band"),
    ),
    "experimenter": (replace(ADD, bands=(MeterBand(0xFFFF, 1, 1),)), ("meter_mod_failed", "bad_band")),
    "unknown band": (replace(ADD, bands=(MeterBand(3, 1, 1),)), ("meter_mod_failed", "bad_band")),
    "no rate": (replace(ADD, bands=(MeterBand(BandType.DROP, 0, 1),)), ("meter_mod_failed", "bad_rate")),
    "two units": (replace(ADD, flags=3), ("meter_mod_failed", "bad_flags")),
    "no unit": (replace(ADD, flags=0), ("meter_mod_failed", "bad_flags")),
    "unknown flag": (replace(ADD, flags=0x11), ("meter_mod_failed", "bad_flags")),
    "long band": (replace(ADD, bands=(replace(DROP, data=bytes(12)),)), ("bad_request", "bad_len")),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_bad_meter_is_refused(name: str) -> None:
    message, expected = REFUSED[name]
    assert error(switch(V13), message) == expected


def test_open_vswitch_refuses_the_same_meters(compare: Callable[[int], Comparison]) -> None:
    comparison = compare(V13)
    for message, _ in REFUSED.values():
        assert comparison.run([Send(message)]) is None
    assert comparison.run([Send(MeterFeaturesRequest()), Send(ADD), Send(ADD), Send(MeterConfigRequest(9))]) is None
    assert comparison.run([Send(ADD), Send(USER), Wait(1001), Arrival(1, FRAME), Send(MeterStatsRequest())]) is None
    gone = [Send(ADD), Send(USER), Send(MeterMod(1, MeterCommand.DELETE)), Send(FlowStatsRequest())]
    assert comparison.run(gone) is None
    assert not sum(comparison.named.values())


def after(*messages: OpenFlowMessage, **options: object) -> SwitchCore:
    config = switch(V13, **options)
    core = initial_switch_core(config)
    for message in messages:
        (outcome,) = receive_message(config, core, message)
        assert not outcome.messages
        core = outcome.core
    return core


def test_a_meter_is_reported_as_it_was_configured() -> None:
    config = switch(V13)
    core = after(ADD, replace(ADD, meter_id=7, bands=(DROP, DROP)))
    (reply,) = receive_message(config, core, MeterConfigRequest())[0].messages
    assert reply == MeterConfigReply((MeterConfig(1, PACKETS, (DROP,)), MeterConfig(7, PACKETS, (DROP, DROP))))
    (features,) = receive_message(config, core, MeterFeaturesRequest())[0].messages
    assert features == MeterFeaturesReply(262_144, 1 << BandType.DROP, 0xF, 8, 0)
    (refused,) = receive_message(config, core, MeterStatsRequest(2))[0].messages
    assert isinstance(refused, Error)
    assert (refused.type, refused.code) == ("meter_mod_failed", "unknown_meter")


@pytest.mark.parametrize("counters", [False, True])
def test_a_meter_drops_nothing_and_counts_what_it_is_asked_to(counters: bool) -> None:
    config = switch(V13, counters=counters)
    core = after(ADD, USER, counters=counters)
    for _ in range(3):
        (outcome,) = receive_packet(config, core, 1, FRAME)
        assert outcome.outputs == ((2, FRAME),)
        core = outcome.core
    (reply,) = receive_message(config, core, MeterStatsRequest())[0].messages
    assert isinstance(reply, MeterStatsReply)
    (row,) = reply.meters
    assert (row.flow_count, row.packet_in_count, row.byte_in_count) == (1, 3 * counters, 192 * counters)
    assert row.bands == ((0, 0),)


def test_an_entry_can_use_only_a_meter_that_exists() -> None:
    config = switch(V13)
    assert error(config, USER) == ("meter_mod_failed", "invalid_meter")
    modify = replace(USER, command=FlowCommand.MODIFY)
    assert after(modify).flows == ()  # it selects no entry
    core = after(ADD, USER)
    (refused,) = receive_message(config, core, replace(modify, instructions=(Meter(9),)))[0].messages
    assert isinstance(refused, Error)


def test_deleting_a_meter_deletes_its_entries_and_reports_none() -> None:
    config = switch(V13)
    other = replace(USER, match=Match.of(in_port=3), instructions=(ApplyActions((Output(1),)),))
    core = after(ADD, USER, other)
    (outcome,) = receive_message(config, core, MeterMod(1, MeterCommand.DELETE))
    assert (outcome.messages, outcome.core.meters) == ((), ())
    assert [entry.match for entry in outcome.core.flows] == [other.match]
    (adding,) = receive_message(config, after(ADD), USER)
    (deleting,) = receive_message(config, after(ADD), MeterMod(1, MeterCommand.DELETE))
    assert not independent(adding.reads, adding.writes, deleting.reads, deleting.writes)


def test_1_0_has_no_meters() -> None:
    assert error(switch(V10), ADD) == ("bad_request", "bad_type")
