"""Laws of the switch model on random states and stimuli."""

import pickle
import random
import subprocess
import sys
from dataclasses import dataclass, replace
from itertools import product
from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sdnloom.network.openflow as openflow
import sdnloom.network.packet as packets
import sdnloom.network.switch as switch
from sdnloom.network.openflow import (
    NO_BUFFER,
    V10,
    V13,
    FlowCommand,
    FlowFlag,
    FlowMod,
    GroupId,
    Match,
    PacketIn,
    Port,
    full_mask,
)
from sdnloom.network.switch import (
    Switch,
    SwitchCore,
    SwitchOutcome,
    cells_conflict,
    coarse,
    connect,
    disconnect,
    independent,
    initial_switch_core,
    next_deadline,
    pass_time,
    plain_ports,
    port_change,
    receive_message,
    receive_packet,
)
from sdnloom.network.switch.core import FlowEntry
from sdnloom.network.switch.tables.flow_table import best_entries, put_entry
from sdnloom.network.switch.tables.lookup import covers, matches, overlap, packet_fields
from tests.network.switch.differential import model
from tests.network.switch.sequences import Generator, Send, Stimulus, Wait

SEEDS = st.integers(0, 10**9)
VERSIONS = st.sampled_from([V10, V13])


def config_of(version: int, **options: object) -> Switch:
    return Switch(1, plain_ports(1, 2, 3, openflow.Port.LOCAL), version, **options)  # type: ignore[arg-type]


def random_core(config: Switch, seed: int, steps: int = 12) -> SwitchCore:
    """Return a state that random stimuli lead to, by the first outcome of each."""
    generator = Generator(config, seed)
    core = initial_switch_core(config)
    for _ in range(steps):
        core = model(config, core, generator.stimulus())[0].core
    return core


def adds(config: Switch, seed: int, count: int) -> list[FlowMod]:
    """Return messages that add different entries."""
    generator = Generator(config, seed)
    found: dict[object, FlowMod] = {}
    while len(found) < count:
        stimulus = generator._flow_mod()
        assert isinstance(stimulus, Send)
        assert isinstance(stimulus.message, FlowMod)
        given = stimulus.message
        message = replace(given, command=0, flags=0, cookie_mask=0, out_port=Port.ANY, out_group=GroupId.ANY, xid=0)
        (outcome,) = receive_message(config, initial_switch_core(config), message)
        if outcome.core.flows:
            found[outcome.core.flows[0].key] = message
    return list(found.values())


def run(config: Switch, core: SwitchCore, messages: list[FlowMod]) -> SwitchCore:
    for message in messages:
        (outcome,) = receive_message(config, core, message)
        core = outcome.core
    return core


@given(VERSIONS, SEEDS, SEEDS)
@settings(max_examples=60)
def test_order_of_installation_is_not_part_of_a_state(version: int, seed: int, shuffle: int) -> None:
    config = config_of(version)
    messages = adds(config, seed, 6)
    shuffled = list(messages)
    random.Random(shuffle).shuffle(shuffled)
    one, two = (run(config, initial_switch_core(config), order) for order in (messages, shuffled))
    assert one == two
    assert hash(one) == hash(two)
    assert repr(one) == repr(two)
    packet = Generator(config, seed).packet()
    assert receive_packet(config, one, 1, packet) == receive_packet(config, two, 1, packet)


@given(VERSIONS, SEEDS)
@settings(max_examples=60)
def test_installing_and_deleting_leads_back(version: int, seed: int) -> None:
    config = config_of(version)
    messages = adds(config, seed, 4)
    before = run(config, initial_switch_core(config), messages[:3])
    after = run(config, before, [messages[3], replace(messages[3], command=int(FlowCommand.DELETE_STRICT))])
    assert after == before


@given(VERSIONS, SEEDS, st.booleans(), st.lists(st.integers(0, 4000), max_size=5))
@settings(max_examples=100)
def test_time_splits_freely(version: int, seed: int, counters: bool, parts: list[int]) -> None:
    config = config_of(version, counters=counters, buffer_timeout=1500, buffers=3)
    core = random_core(config, seed)
    whole = pass_time(config, core, sum(parts))
    messages, events = [], []
    for part in parts:
        outcome = pass_time(config, core, part)
        core = outcome.core
        messages += outcome.messages
        events += outcome.events
    assert (core, messages, events) == (whole.core, list(whole.messages), list(whole.events))


@given(VERSIONS, SEEDS)
@settings(max_examples=60)
def test_nothing_expires_before_the_next_deadline_and_something_at_it(version: int, seed: int) -> None:
    config = config_of(version, buffer_timeout=1500, buffers=3)
    core = random_core(config, seed)
    deadline = next_deadline(core)
    if deadline is None:
        assert pass_time(config, core, 10**9).core == core
        return
    early, due = pass_time(config, core, deadline - 1).core, pass_time(config, core, deadline).core

    def size(state: SwitchCore) -> int:
        return len(state.flows) + len(state.buffers) + len(state.macs)

    assert size(early) == size(core) > size(due)


@given(VERSIONS, SEEDS, st.booleans())
@settings(max_examples=40)
def test_a_state_is_small_plain_data(version: int, seed: int, counters: bool) -> None:
    core = random_core(config_of(version, counters=counters), seed)
    copy = pickle.loads(pickle.dumps(core))
    assert copy == core
    assert hash(copy) == hash(core)
    names = {**vars(openflow), **vars(packets), **vars(switch)}
    assert eval(repr(core), names) == core


@dataclass(frozen=True)
class Change:
    """A port loses its link, regains it, is removed or added."""

    reason: int
    desc: openflow.PortDesc


Anything = Stimulus | Change | Literal["lost", "found"]


def outcomes_of(config: Switch, core: SwitchCore, stimulus: Anything) -> tuple[SwitchOutcome, ...]:
    if stimulus == "lost":
        return (disconnect(config, core),)
    if stimulus == "found":
        return (connect(config, core),)
    if isinstance(stimulus, Change):
        return (port_change(config, core, stimulus.reason, stimulus.desc),)
    assert not isinstance(stimulus, str)
    return model(config, core, stimulus)


def anything(config: Switch, seed: int) -> Anything:
    """Return a random stimulus: mostly a packet, a message or time, sometimes a port or connection change."""
    choice = random.Random(seed)
    if choice.randrange(6):
        return Generator(config, seed).stimulus()
    port = replace(choice.choice(config.ports), state=choice.choice((0, 1)))
    reason = choice.choice(tuple(openflow.PortReason))
    return choice.choice((Change(reason, port), Change(reason, port), "lost", "found"))


def visible(outcome: SwitchOutcome) -> object:
    return outcome.outputs, outcome.messages, outcome.choice


def commute(config: Switch, core: SwitchCore, one: Anything, two: Anything) -> bool:
    """Return whether both orders lead to the same states, with the same visible effects of each step."""

    def order(first: Anything, second: Anything, swap: bool) -> set[object]:
        found = set()
        for a in outcomes_of(config, core, first):
            for b in outcomes_of(config, a.core, second):
                shown = (visible(b), visible(a)) if swap else (visible(a), visible(b))
                found.add((b.core, shown))
        return found

    return order(one, two, swap=False) == order(two, one, swap=True)


def pair_is_independent(config: Switch, core: SwitchCore, one: Anything, two: Anything) -> bool:
    return all(
        independent(a.reads, a.writes, b.reads, b.writes)
        for a, b in product(outcomes_of(config, core, one), outcomes_of(config, core, two))
    )


@pytest.mark.slow
@pytest.mark.parametrize("part", range(4))
def test_independent_steps_commute(part: int) -> None:
    kept = 0
    for seed in range(part, 6000, 4):
        config = config_of(
            (V10, V13)[seed % 2],
            counters=seed % 3 == 0,
            buffers=(0, 2, 256)[seed // 4 % 3],
            buffer_timeout=(None, 2000)[seed // 8 % 2],
            max_entries=seed // 16 % 7 or None,
            max_groups=(None, 2)[seed // 32 % 2],
        )
        core = random_core(config, seed, steps=seed % 13)
        one, two = anything(config, 2 * seed), anything(config, 2 * seed + 1)
        if pair_is_independent(config, core, one, two):
            kept += 1
            assert commute(config, core, one, two), (seed, one, two)
    assert kept > 900


def test_many_random_pairs_are_independent_and_some_are_not() -> None:
    config = config_of(V13)
    verdicts = []
    for seed in range(300):
        core = random_core(config, seed, steps=8)
        generator = Generator(config, seed + 1000)
        verdicts.append(pair_is_independent(config, core, generator.stimulus(), generator.stimulus()))
    assert 100 < sum(verdicts) < 280


@given(SEEDS)
@settings(max_examples=60)
def test_conflicting_cells_share_a_coarse_one(seed: int) -> None:
    config = config_of(V13, counters=bool(seed % 2), max_entries=20)
    core = random_core(config, seed, steps=8)
    generator = Generator(config, seed)
    one, two = (outcomes_of(config, core, generator.stimulus())[0] for _ in range(2))
    for a, b in product(one.reads, two.reads):
        assert cells_conflict(a, b) == cells_conflict(b, a)
        if cells_conflict(a, b):
            assert coarse([a]) & coarse([b])


# -- matching against slow oracles ------------------------------------------------------------------------------------

SMALL = st.dictionaries(
    st.sampled_from(["in_port", "eth_dst", "vlan_vid", "metadata"]),
    st.tuples(st.integers(0, 7), st.sampled_from([None, 1, 2, 3, 5, 7])),
    max_size=4,
)


def small_match(fields: dict[str, tuple[int, int | None]]) -> Match:
    return openflow.canonical(
        [(name, value if mask is None else value & mask, mask) for name, (value, mask) in fields.items()]
    )


def small_packets(names: set[str]) -> list[dict[str, int]]:
    ordered = sorted(names)
    return [dict(zip(ordered, values, strict=True)) for values in product(range(8), repeat=len(ordered))]


def slow_matches(match: Match, fields: dict[str, int]) -> bool:
    return all(
        all(
            (fields[name] >> bit & 1) == (value >> bit & 1)
            for bit in range(64)
            if (full_mask(name) if mask is None else mask) >> bit & 1
        )
        for name, value, mask in match.fields
    )


@pytest.mark.slow
@given(SMALL, SMALL)
@settings(max_examples=60)
def test_matching_covering_and_overlapping_are_about_sets_of_packets(
    one: dict[str, tuple[int, int | None]], two: dict[str, tuple[int, int | None]]
) -> None:
    a, b = small_match(one), small_match(two)
    space = small_packets({name for match in (a, b) for name, _, _ in match.fields})
    in_a = {index for index, fields in enumerate(space) if slow_matches(a, fields)}
    in_b = {index for index, fields in enumerate(space) if slow_matches(b, fields)}
    assert in_a == {index for index, fields in enumerate(space) if matches(a, fields)}
    # An exact value outside the small space has all its upper bits zero, so the space decides both questions.
    assert overlap(a, b) == bool(in_a & in_b)
    assert covers(a, b) == (in_b <= in_a and _fixes_no_more(a, b))


def _fixes_no_more(a: Match, b: Match) -> bool:
    """Return whether `a` fixes no bit that `b` leaves free, upper bits included."""
    fixed = {name: b.get(name) or (0, 0) for name, _, _ in a.fields}
    return all((full_mask(name) if mask is None else mask) & ~fixed[name][1] == 0 for name, _, mask in a.fields)


@given(VERSIONS, SEEDS)
@settings(max_examples=100)
def test_lookup_agrees_with_a_scan_of_all_entries(version: int, seed: int) -> None:
    config = config_of(version)
    core = run(config, initial_switch_core(config), adds(config, seed, 8))
    fields = packet_fields(Generator(config, seed + 1).packet(), 1)
    for table in range(4):
        met = [each for each in core.flows if each.table == table and _slow(each, fields)]
        top = max((each.priority for each in met), default=None)
        assert set(best_entries(core.flows, table, fields)) == {each for each in met if each.priority == top}


def _slow(each: FlowEntry, fields: dict[str, int]) -> bool:
    return all(name in fields for name, _, _ in each.match.fields) and slow_matches(each.match, fields)


@given(VERSIONS, SEEDS)
@settings(max_examples=40)
def test_entries_are_always_sorted_and_distinct(version: int, seed: int) -> None:
    flows = random_core(config_of(version), seed, steps=25).flows
    assert list(flows) == sorted(flows, key=lambda each: each.order)
    assert len({each.key for each in flows}) == len(flows)
    rebuilt: tuple[FlowEntry, ...] = ()
    for each in reversed(flows):
        rebuilt = put_entry(rebuilt, each)
    assert rebuilt == flows


# -- buffers, errors, determinism -------------------------------------------------------------------------------------


@given(VERSIONS, SEEDS, st.integers(1, 4))
@settings(max_examples=100)
def test_buffers_are_bounded_and_every_promised_one_is_there(version: int, seed: int, buffers: int) -> None:
    config = config_of(version, buffers=buffers)
    generator = Generator(config, seed)
    core = initial_switch_core(config)
    for _ in range(25):
        stimulus = generator.stimulus()
        outcome = model(config, core, stimulus)[0]
        waiting = {each.buffer_id: each for each in outcome.core.buffers}
        assert list(waiting) == sorted(waiting)
        assert set(waiting) <= set(range(buffers))
        for message in outcome.messages:
            if isinstance(message, PacketIn):
                if message.buffer_id == NO_BUFFER:
                    assert len(message.data) == message.total_len
                else:
                    whole = packets.encode(waiting[message.buffer_id].packet)
                    assert whole.startswith(message.data)
                    assert len(whole) == message.total_len
        core = outcome.core


@given(VERSIONS, SEEDS)
@settings(max_examples=100)
def test_what_is_refused_changes_nothing(version: int, seed: int) -> None:
    config = config_of(version, counters=True)
    core = random_core(config, seed, steps=8)
    generator = Generator(config, seed + 1)
    for _ in range(10):
        stimulus = generator.stimulus()
        if isinstance(stimulus, Send):
            for outcome in receive_message(config, core, stimulus.message):
                if any(isinstance(message, openflow.Error) for message in outcome.messages):
                    assert (outcome.core, outcome.outputs, len(outcome.messages)) == (core, (), 1)
                    assert not outcome.writes


PROGRAM = """
import hashlib, sys
from tests.network.switch.test_laws import config_of, random_core
from tests.network.switch.differential import model
from tests.network.switch.sequences import Generator
digest = hashlib.sha256()
for version in (1, 4):
    config = config_of(version)
    for seed in range(20):
        core = random_core(config, seed)
        digest.update(repr(model(config, core, Generator(config, seed).stimulus())).encode())
print(digest.hexdigest())
"""


@pytest.mark.slow
def test_the_same_input_gives_the_same_text_under_every_hash_seed() -> None:
    found = set()
    for seed in ("0", "1", "77"):
        command = [sys.executable, "-c", PROGRAM]
        environment = {"PYTHONHASHSEED": seed, "PYTHONPATH": "."}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True, timeout=60)
        found.add(done.stdout)
    assert len(found) == 1


@pytest.mark.parametrize("version", [V10, V13])
def test_unused_flags_and_times_do_not_make_states_different(version: int) -> None:
    config = config_of(version)
    add = FlowMod(Match.of(in_port=1))
    plain = run(config, initial_switch_core(config), [add])
    assert pass_time(config, plain, 12345).core == plain
    if version == V10:
        assert run(config, initial_switch_core(config), [replace(add, flags=int(FlowFlag.CHECK_OVERLAP))]) == plain
    assert Wait(1) != Wait(2)
