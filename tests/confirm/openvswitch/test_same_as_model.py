"""Random messages, frames and time on two bridges at once: both do what the model does, and have its entries."""

import random
from dataclasses import dataclass

import pytest

from sdnloom.confirm.openvswitch import switch_clock
from sdnloom.confirm.openvswitch.bridge_switch import BridgeSwitch
from sdnloom.confirm.openvswitch.normal_entries import normal_entries
from sdnloom.confirm.openvswitch.real_bridges import RealBridges
from sdnloom.confirm.switch_input import entries_of
from sdnloom.network.openflow import V10, V13, FlowStats, Match, Port
from sdnloom.network.openflow.codec import encode
from sdnloom.network.packet import encode as encode_packet
from sdnloom.switches.bridge import SwitchReaction
from tests.confirm.openvswitch.configs import configs
from tests.confirm.openvswitch.conftest import MakeBridges
from tests.network.switch.differential import Comparison
from tests.network.switch.sequences import Arrival, Generator, Send, Stimulus, Wait

SEQUENCES = 12


def test_entries_in_normal_form_have_an_order_and_no_counters() -> None:
    entries = [
        FlowStats(Match.of(in_port=port), table_id=table, priority=priority, cookie=port, packet_count=port)
        for table in (1, 0)
        for priority in (5, 1)
        for port in (2, 1)
    ]
    normal = normal_entries(entries)
    assert normal == normal_entries(reversed(entries)) == normal_entries(normal)
    assert [(each.table_id, each.priority, each.cookie) for each in normal] == [
        (table, priority, port) for table in (0, 1) for priority in (1, 5) for port in (1, 2)
    ]
    assert {(each.packet_count, each.byte_count, each.duration_sec, each.duration_nsec) for each in normal} == {
        (0,) * 4
    }


@dataclass
class Side:
    """One bridge, the model of it, and what it gets."""

    switch: BridgeSwitch
    comparison: Comparison
    sequence: list[Stimulus]


@pytest.mark.parametrize("version", [V10, V13], ids=["1.0", "1.3"])
def test_two_bridges_do_what_the_model_does_and_have_its_entries(
    bridges: MakeBridges, monkeypatch: pytest.MonkeyPatch, version: int
) -> None:
    monkeypatch.setattr(switch_clock, "_GAP_MS", 0)  # the model's clock stands still
    steps = compare_with_model(bridges, version, range(SEQUENCES))
    assert steps > 12 * SEQUENCES  # nearly all sequences run to their ends


def compare_with_model(bridges: MakeBridges, version: int, seeds: range) -> int:
    """Run a pair of sequences for each seed, and return how many steps were compared."""
    chosen = configs(version, counters=True, queues=1)
    count = 0
    for seed in seeds:
        made = bridges(chosen)
        sides = [
            Side(switch, Comparison(config, None), Generator(config, 2 * seed + number).sequence())
            for number, (switch, config) in enumerate(zip(made.switches.values(), chosen.values(), strict=True))
        ]
        for side in sides:
            side.comparison.begin()
        count += _interleave(made, sides, random.Random(seed))
        made.close()
    return count


def _interleave(made: RealBridges, sides: list[Side], source: random.Random) -> int:
    """Take the steps of both in a random order; time passes for both."""
    count = 0
    while all(side.sequence and not side.comparison.ended for side in sides):
        side = source.choice(sides)
        stimulus = side.sequence.pop(0)
        if isinstance(stimulus, Wait):
            reactions = made.advance(stimulus.milliseconds)
            for each in sides:
                _compare(each, stimulus, reactions[each.switch.name])
        else:
            _compare(side, stimulus, _given(side, stimulus))
        count += 1
    return count


def _given(side: Side, stimulus: Send | Arrival) -> SwitchReaction:
    if isinstance(stimulus, Arrival):
        return side.switch.receive_frames([(stimulus.port, encode_packet(stimulus.packet))])
    return side.switch.receive_message(encode(stimulus.message, side.comparison.config.version))


def _compare(side: Side, stimulus: Stimulus, reaction: SwitchReaction) -> None:
    if side.comparison.ended:
        return
    frames = tuple(each for each in reaction.frames if each[0] != Port.LOCAL)  # which is down
    assert side.comparison.step(stimulus, SwitchReaction(reaction.messages, frames)) is None
    if not side.comparison.ended:
        theirs = normal_entries(side.switch.entries())
        assert theirs in [normal_entries(entries_of(side.comparison.config, core)) for core in side.comparison.cores]
