"""The compact switch against the network model, on random sequences of messages, packets and time.

The compact switch runs with the behaviours of the model, where they are a choice. Left out are stimuli on which no
behaviour agrees: IPv6, which the compact switch does not know, an output to port 0, and a bridge that gets an empty
tag, which the model removes.
"""

from collections.abc import Iterable
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from sdnloom.crosscheck.agent import Observed
from sdnloom.crosscheck.agents.compact.behaviours import REFERENCE_LIKE, Behaviours
from sdnloom.crosscheck.agents.compact.switch import CompactSwitch
from sdnloom.network.openflow import (
    V10,
    V13,
    BarrierRequest,
    EchoRequest,
    Error,
    FlowMod,
    FlowRemoved,
    FlowStatsReply,
    OpenFlowMessage,
    Output,
    PacketOut,
    Port,
    PushVlan,
)
from sdnloom.network.openflow import decode as decode_message
from sdnloom.network.openflow import encode as encode_message
from sdnloom.network.packet import IPv6, decode, encode
from sdnloom.network.switch import Switch, SwitchCore, initial_switch_core, plain_ports
from tests.network.switch.differential import model
from tests.network.switch.sequences import PORTS, Arrival, Generator, Send, Stimulus

AS_THE_MODEL = replace(
    REFERENCE_LIKE,
    refuses_matched_port=False,
    largest_port=0xFEFF,
    buffers=0,
    reports_unknown_buffer=True,
    crashes_on_packet_to_controller=False,
    crashes_on_new_tag=False,
    crashes_on_queues_of_port_zero=False,
    reports_bad_statistics=True,
    has_normal=True,
)
CONFIG = Switch(1, plain_ports(1, 2, 3), V10, buffers=0, counters=True, unknown_port="accept")


CONFIG13 = replace(CONFIG, version=V13, n_tables=1)


def is_comparable(stimulus: Stimulus) -> bool:
    if isinstance(stimulus, Arrival):
        return not any(isinstance(header, IPv6) for header in stimulus.packet.headers)
    if not isinstance(stimulus, Send):
        return True
    message = stimulus.message
    actions: Iterable[Any] = ()
    if isinstance(message, PacketOut):
        actions = message.actions
        if any(isinstance(header, IPv6) for header in decode(message.data).headers):
            return False
    elif isinstance(message, FlowMod):
        actions = [action for each in message.instructions for action in getattr(each, "actions", ())]
    empty_tag = any(isinstance(action, PushVlan) or "vlan_pcp" in repr(action) for action in actions)
    ports = [action.port for action in actions if isinstance(action, Output)]
    return 0 not in ports and not (empty_tag and Port.NORMAL in ports)


def comparable(message: OpenFlowMessage) -> OpenFlowMessage:
    if isinstance(message, FlowRemoved):
        return replace(message, duration_sec=0, duration_nsec=0)
    if isinstance(message, FlowStatsReply):
        rows = (replace(row, duration_sec=0, duration_nsec=0) for row in message.flows)
        return replace(message, flows=tuple(sorted(rows, key=repr)))
    if isinstance(message, Error):
        # An unknown buffer and an empty one are one error of the compact switch.
        return replace(message, code="buffer_unknown") if message.code == "buffer_empty" else message
    return message


def view(messages: Iterable[OpenFlowMessage], frames: Iterable[tuple[int, bytes]]) -> tuple[Any, Any]:
    return sorted(map(comparable, messages), key=repr), sorted(frames, key=lambda each: each[0])


def of_model(core: SwitchCore, stimulus: Stimulus, config: Switch) -> list[tuple[Any, SwitchCore]]:
    return [
        (view(outcome.messages, [(port, encode(packet)) for port, packet in outcome.outputs]), outcome.core)
        for outcome in model(config, core, stimulus)
    ]


def of_agent(agent: CompactSwitch, stimulus: Stimulus) -> Any:
    seen: list[Observed]
    if isinstance(stimulus, Arrival):
        seen = agent.packet(stimulus.port, encode(stimulus.packet))
    elif isinstance(stimulus, Send):
        seen = agent.message(encode_message(stimulus.message, agent.version))
    else:
        seen = agent.advance(stimulus.milliseconds)
    messages = [decode_message(each, agent.version) for each in seen if isinstance(each, bytes)]
    return view(messages, [each for each in seen if isinstance(each, tuple)])


def compare(sequence: list[Stimulus], behaviours: Behaviours, config: Switch, seed: int = 0) -> int:
    """Run a sequence on both; return the number of steps. If the model leaves a choice, one of its outcomes counts."""
    agent = CompactSwitch(behaviours, config.version)
    agent.reset()
    random = Random(seed)
    cores = [initial_switch_core(config)]
    steps = [stimulus for stimulus in sequence if is_comparable(stimulus)]
    if config.buffers:
        steps = [stimulus for stimulus in steps if not names_controller(stimulus)]
    for number, written in enumerate(steps):
        stimulus = with_buffer(written, agent, random) if config.buffers else written
        found = of_agent(agent, stimulus)
        possible = [outcome for core in cores for outcome in of_model(core, stimulus, config)]
        cores = [core for each, core in possible if each == found]
        assert cores, (number, stimulus, found, [each for each, _ in possible])
    return len(steps)


def names_controller(stimulus: Stimulus) -> bool:
    """Return whether actions send packets to the controller: the model buffers them, the compact switch does not."""
    return "CONTROLLER" in repr(stimulus)


def with_buffer(stimulus: Stimulus, agent: CompactSwitch, random: Random) -> Stimulus:
    """Return a Packet Out or a FlowMod with a buffer that exists, or for a Packet Out one that does not."""
    if not isinstance(stimulus, Send) or not isinstance(stimulus.message, PacketOut | FlowMod) or random.randrange(2):
        return stimulus
    message, known = stimulus.message, [number for number, _, _ in agent.datapath.buffered]
    if isinstance(message, PacketOut) and random.randrange(4) == 0:
        return Send(replace(message, buffer_id=random.choice((5, 300)), data=b""))
    return Send(replace(message, buffer_id=random.choice(known))) if known else stimulus


@pytest.mark.parametrize("block", range(2))
def test_the_compact_switch_does_what_the_model_does(block: int) -> None:
    seeds = range(120 * block, 120 * block + 120)
    assert sum(compare(Generator(CONFIG, seed).sequence(), AS_THE_MODEL, CONFIG) for seed in seeds) > 900


def test_the_compact_switch_has_the_model_s_buffers() -> None:
    config, behaviours = replace(CONFIG, buffers=256), replace(AS_THE_MODEL, buffers=256)
    seeds = range(1000, 1150)
    assert sum(compare(Generator(config, seed).sequence(), behaviours, config, seed) for seed in seeds) > 900


def is_known_in_13(stimulus: Stimulus) -> bool:
    """Return whether the compact switch has what a stimulus of 1.3 needs; it takes any ingress port."""
    if not isinstance(stimulus, Send):
        return True
    message = stimulus.message
    if any(word in repr(message) for word in ("IPv6", "ipv6", "0x86dd", "arp_op'", "arp_spa'", "arp_tha'", "icmpv4")):
        return False
    if "Group(" in repr(message):
        return False  # the model looks for groups last, the compact switch has none
    if isinstance(message, PacketOut):
        return message.in_port in (*PORTS, Port.CONTROLLER)
    return isinstance(message, FlowMod | EchoRequest | BarrierRequest)


@pytest.mark.parametrize("block", range(2))
def test_the_compact_switch_does_what_the_model_does_in_13(block: int) -> None:
    behaviours = replace(AS_THE_MODEL, largest_port=0xFFFFFEFF)
    steps = 0
    for seed in range(150 * block, 150 * block + 150):
        sequence = [each for each in Generator(CONFIG13, seed).sequence() if is_known_in_13(each)]
        steps += compare(sequence, behaviours, CONFIG13)
    assert steps > 800
