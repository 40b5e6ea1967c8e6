"""The footprint of a message or packet covers the cells that the switch touches in every state."""

import random
from typing import Any

import pytest

import sdnloom.network.openflow as openflow
from sdnloom.engine.model import ALL
from sdnloom.network.openflow import NO_BUFFER, V10, V13, FlowMod, Match, Output, PacketOut
from sdnloom.network.packet import Ethernet, stack
from sdnloom.network.switch import Switch, SwitchCore, SwitchOutcome, cells_conflict, initial_switch_core, plain_ports
from sdnloom.network.switch.footprints import MessageFootprint, is_quiet, of_message, of_packet
from tests.network.switch.build import OUT2, add
from tests.network.switch.differential import model
from tests.network.switch.sequences import Arrival, Generator, Send, Stimulus


def config_of(version: int = V10, **options: Any) -> Switch:
    return Switch(1, plain_ports(1, 2, 3, openflow.Port.LOCAL), version, **options)


CONFIGS = (
    config_of(buffers=4),
    config_of(buffers=0, counters=True),
    config_of(buffers=2, max_entries=2, overlap="first"),
    config_of(V13, buffers=4),
    config_of(V13, buffers=0, counters=True),
)
IDS = ["buffers", "counters", "bounded", "1.3 buffers", "1.3 counters"]


def reach_of(config: Switch, stimulus: Stimulus) -> MessageFootprint | None:
    if isinstance(stimulus, Arrival):
        return of_packet(config, stimulus.port, stimulus.packet)
    return of_message(config, stimulus.message) if isinstance(stimulus, Send) else None


def walk(config: Switch, seed: int) -> list[tuple[SwitchCore, Stimulus, SwitchOutcome]]:
    """(state, stimulus, outcome) along a random sequence."""
    core = initial_switch_core(config)
    found: list[tuple[SwitchCore, Stimulus, SwitchOutcome]] = []
    for stimulus in Generator(config, seed).sequence():
        outcomes = model(config, core, stimulus)
        found += [(core, stimulus, outcome) for outcome in outcomes]
        core = outcomes[0].core
    return found


def meets(cells: frozenset[Any], probe: Any) -> bool:
    return bool(cells & ALL) or any(cells_conflict(cell, probe) for cell in cells)


@pytest.mark.slow
@pytest.mark.parametrize("config", CONFIGS, ids=IDS)
def test_whatever_conflicts_with_what_was_done_conflicts_with_what_may_be_done(config):
    told = silent = narrow = 0
    for seed in range(150):
        steps = walk(config, seed)
        probes = {cell for _, _, outcome in walk(config, seed + 1000) for cell in outcome.reads | outcome.writes}
        for _, stimulus, outcome in steps:
            reach = reach_of(config, stimulus)
            if reach is None:
                continue
            told += 1
            for probe in probes:
                if any(cells_conflict(cell, probe) for cell in outcome.writes):
                    assert meets(reach.writes, probe), (stimulus, probe)
                elif any(cells_conflict(cell, probe) for cell in outcome.reads):
                    assert meets(reach.reads | reach.writes, probe), (stimulus, probe)
                narrow += not meets(reach.reads | reach.writes, probe)
            ports = {port for port, _ in outcome.outputs}
            assert reach.ports is None or ports <= reach.ports, stimulus
            assert reach.answers or not outcome.messages, stimulus
            silent += not reach.answers
    assert told > 500
    assert narrow > 1000
    assert silent > 0 or config.max_entries is not None


@pytest.mark.slow
@pytest.mark.parametrize("config", CONFIGS, ids=IDS)
def test_a_quiet_message_is_not_answered_whatever_packets_come_and_after_the_messages_before_it(config):
    quiet = loud = 0
    for seed in range(600):
        generator, chance = Generator(config, seed), random.Random(seed)
        core = initial_switch_core(config)
        for _ in range(chance.randrange(6)):
            core = chance.choice(model(config, core, generator.stimulus())).core
        messages = [one.message for _ in range(40) if isinstance(one := generator.stimulus(), Send)]
        *before, message = messages[: chance.choice((1, 2, 3))]
        if not is_quiet(config, core, before, message):
            loud += any(outcome.messages for outcome in model(config, core, Send(message)))
            continue
        quiet += 1
        meanwhile = [Send(one) for one in before]
        for _ in range(chance.randrange(4)):
            arrival = Arrival(chance.choice((1, 2, 3)), generator.packet())
            meanwhile.insert(chance.randrange(len(meanwhile) + 1), arrival)
        for stimulus in meanwhile:
            core = chance.choice(model(config, core, stimulus)).core
        assert not any(outcome.messages for outcome in model(config, core, Send(message))), (seed, message)
    assert loud > 10
    assert quiet > 60 or config.max_entries is not None


@pytest.mark.parametrize("version", [V10, V13])
def test_a_rule_and_a_packet_that_it_does_not_match_leave_each_other_alone(version):
    config = config_of(version)
    rule = of_message(config, add(OUT2, match=Match.of(eth_dst=1)))
    here, there = (of_packet(config, 1, stack(Ethernet(dst, 9, 0x88B5))) for dst in (1, 2))
    assert rule is not None
    assert here is not None
    assert there is not None
    assert any(meets(here.reads, cell) for cell in rule.writes)
    assert not any(meets(there.reads | there.writes, cell) for cell in rule.writes)


@pytest.mark.parametrize(
    ("message", "ports", "answers"),
    [
        (FlowMod(Match.of(eth_dst=1)), set(), False),
        (FlowMod(Match.of(eth_dst=1), command=3), set(), True),
        (FlowMod(Match.of(eth_dst=1), flags=1), set(), True),
        (add(Output(2), match=Match.of(eth_dst=1), buffer_id=0), {2}, True),
        (PacketOut((Output(2), Output(3)), buffer_id=7), {2, 3}, True),
        (PacketOut((), b"", buffer_id=NO_BUFFER), set(), True),
    ],
)
def test_messages_say_where_their_packets_may_go_and_whether_they_may_be_answered(message, ports, answers):
    reach = of_message(config_of(), message)
    assert reach is not None
    assert (reach.ports, reach.answers) == (ports, answers)


@pytest.mark.parametrize("port", [openflow.Port.FLOOD, openflow.Port.TABLE, openflow.Port.CONTROLLER])
def test_nothing_is_said_of_packets_that_may_go_anywhere(port):
    assert of_message(config_of(), PacketOut((Output(port),), buffer_id=7)) is None


# Several tables, fields that change on the way, and groups: 1.3.


def mod(chance: random.Random) -> FlowMod:
    """A command for one of three tables."""
    table = chance.randrange(3)
    match = chance.choice((Match(), Match.of(eth_dst=1), Match.of(eth_dst=2), Match.of(metadata=1)))
    actions: list[openflow.OpenFlowAction] = [chance.choice((Output(2), Output(3), openflow.Group(1)))]
    if chance.random() < 0.3:
        actions.insert(0, openflow.SetField("eth_dst", chance.choice((1, 2))))
    instructions: list[openflow.Instruction] = [openflow.ApplyActions(tuple(actions))]
    if chance.random() < 0.4:
        instructions.append(openflow.WriteMetadata(1))
    if table < 2 and chance.random() < 0.7:
        instructions.append(openflow.GotoTable(table + 1))
    command = chance.choice((0, 0, 0, 1, 2, 3, 4))
    return FlowMod(
        match,
        instructions=tuple(instructions) if command < 3 else (),
        command=command,
        priority=chance.choice((5, 6)),
        idle_timeout=chance.choice((0, 9)),
        table_id=table,
        flags=chance.choice((0, 0, 1, 2)),
    )


def reached(config: Switch, core: SwitchCore, order: tuple[Stimulus, Stimulus]) -> set[Any]:
    """Return the states after two stimuli in this order, with the effects of each."""
    return {
        (
            two.core,
            frozenset(
                (repr(what), tuple(map(repr, done.outputs)), tuple(map(repr, done.messages)))
                for what, done in zip(order, (one, two), strict=True)
            ),
        )
        for one in model(config, core, order[0])
        for two in model(config, one.core, order[1])
    }


@pytest.mark.slow
@pytest.mark.parametrize("counters", [False, True])
def test_packets_and_commands_that_are_said_to_be_independent_commute_in_every_pipeline(counters):
    config = config_of(V13, buffers=0, counters=counters)
    group = openflow.GroupMod(1, buckets=(openflow.Bucket((Output(2),)),))
    apart = together = 0
    for seed in range(1500):
        chance = random.Random(seed)
        core = initial_switch_core(config)
        for message in (group, *(mod(chance) for _ in range(4))):
            core = model(config, core, Send(message))[0].core
        pair = (
            Arrival(1, stack(Ethernet(chance.choice((1, 2)), 9, 0x88B5)))
            if chance.random() < 0.7
            else Send(mod(chance)),
            Send(mod(chance)),
        )
        reaches = [reach_of(config, one) for one in pair]
        if None in reaches:
            continue
        (reads, writes, *_), (looked, changed, *_) = reaches  # type: ignore[misc]
        same = reached(config, core, pair) == reached(config, core, pair[::-1])
        if any(meets(looked | changed, cell) for cell in writes) or any(meets(reads, cell) for cell in changed):
            together += not same
        else:
            assert same, (seed, pair)
            apart += 1
    assert apart > 100
    assert together > 50
