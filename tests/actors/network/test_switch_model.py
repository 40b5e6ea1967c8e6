"""The switch actor against the switch model: the same entries, the same packets, after the same messages."""

import random
from typing import Any

from sdnloom.actors import Controller, NamedPacket, SHlink, network_program
from sdnloom.actors.program import PLAIN
from sdnloom.actors.state import ActorState, Meaning
from sdnloom.actors.state_view import StateView
from sdnloom.actors.task import Task
from sdnloom.actors.values import freeze
from sdnloom.network.openflow import (
    ApplyActions,
    FlowCommand,
    FlowMod,
    Match,
    OpenFlowAction,
    Output,
    PacketIn,
    PacketOut,
    Port,
    SetField,
)
from sdnloom.network.packet import Ethernet, IPv4, Packet, Tcp, stack
from sdnloom.network.switch import BufferedPacket, FlowEntry, SwitchCore, SwitchOutcome, receive_message, receive_packet

PORTS = (1, 2, 3)
MISS = FlowEntry(0, 0, Match(), (ApplyActions((Output(int(Port.CONTROLLER), 0),)),))


class Idle(Controller):
    async def packet_in(self, switch: Any, in_port: int, packet: NamedPacket) -> None:
        pass


def random_match(rng: random.Random) -> Match:
    fields: dict[str, Any] = {}
    if rng.random() < 0.5:
        fields["in_port"] = rng.choice(PORTS)
    if rng.random() < 0.5:
        fields["eth_dst"] = rng.choice([(2, 2), 1, 2, 3])
    if rng.random() < 0.4:
        fields |= {"eth_type": 0x800, "ipv4_dst": rng.choice(["10.0.0.0/30", "10.0.0.2", "10.0.0.1/32", "10.0.0.4/30"])}
        if rng.random() < 0.5:
            fields |= {"ip_proto": 6, "tcp_dst": rng.choice([22, 80])}
    return Match.of(**fields)


def random_actions(rng: random.Random, match: Match) -> tuple[OpenFlowAction, ...]:
    options: list[OpenFlowAction] = [Output(port) for port in PORTS]
    options += [
        Output(int(Port.FLOOD)),
        Output(int(Port.IN_PORT)),
        Output(int(Port.CONTROLLER)),
        SetField("eth_dst", 1),
    ]
    if match.exact("eth_type") == 0x800:
        options.append(SetField("ipv4_dst", 0x0A000002))
    return tuple(rng.choice(options) for _ in range(rng.randrange(3)))


def random_packet(rng: random.Random) -> Packet:
    frame = Ethernet(rng.randrange(1, 4), rng.randrange(1, 4))
    if rng.random() < 0.3:
        return stack(frame, payload=b"x")
    return stack(frame, IPv4(0x0A000001, rng.choice([0x0A000002, 0x0A000005])), Tcp(1, rng.choice([22, 80])))


class Pair:
    """The actor and the model, which get the same messages and packets."""

    def __init__(self) -> None:
        links = [SHlink("S", f"H{port}", port) for port in PORTS]
        self.program = network_program(Idle("ctrl"), links)
        self.meaning = Meaning(self.program, PLAIN)
        self.state = self.meaning.initial()
        assert self.program.network is not None
        self.config = self.program.network.models["S"].config
        self.core = SwitchCore((MISS,))

    def run(self, method: str, *args: Any) -> list[ActorState]:
        task = Task("S", method, tuple(freeze(each, lambda _: None) for each in args))
        results = self.meaning.results(dict(self.state.cells), task)
        state = self.state._replace(tasks=frozenset({(task, 1)}))
        return [self.meaning.after(state, task, result) for result in results]

    def sent(self, state: ActorState) -> tuple[Any, ...]:
        """What a state after a packet has sent: packets for hosts, and packets for the controller."""
        view = StateView(self.program, PLAIN, state)
        shown = [view._shown((task.actor, task.method, task.args)) for task, times in state.tasks for _ in range(times)]
        return tuple(sorted(map(repr, shown)))

    def expected(self, outcome: SwitchOutcome, in_port: int, released: bool) -> tuple[Any, ...]:
        found = []
        for port, packet in outcome.outputs:
            found.append((f"H{port}", "receive", (NamedPacket("p", packet),)))
        for message in outcome.messages:
            assert isinstance(message, PacketIn)
            if message.reason == 0 and released:
                continue
            packet = next(each.packet for each in outcome.core.buffers if each.buffer_id == message.buffer_id)
            found.append(("ctrl", "packet_in", ("S", in_port, NamedPacket("p", packet))))
        return tuple(sorted(map(repr, found)))


def buffered(entries: tuple[FlowEntry, ...]) -> tuple[FlowEntry, ...]:
    """The entries with packets for the controller buffered."""
    out = Output(int(Port.CONTROLLER))
    return tuple(
        FlowEntry(
            each.table,
            each.priority,
            each.match,
            tuple(
                ApplyActions(tuple(Output(a.port, 0) if a == out else a for a in i.actions))  # type: ignore[attr-defined]
                for i in each.instructions
            ),
        )
        for each in entries
    )


def test_the_actor_does_what_the_model_does() -> None:
    assert sum(map(choices_of_random_messages, range(6))) >= 3  # overlapping entries of equal priority


def choices_of_random_messages(seed: int) -> int:
    """Compare actor and model; return how often several outcomes were possible."""
    rng, pair = random.Random(seed), Pair()
    several = 0
    for _ in range(14):
        match, priority = random_match(rng), rng.randrange(3)
        what = rng.random()
        if what < 0.6:
            actions = random_actions(rng, match)
            message = FlowMod(match, FlowCommand.ADD, (ApplyActions(actions),), priority)
            (pair.state,) = pair.run("install", match, actions, priority)
        elif what < 0.8:
            message = FlowMod(match, FlowCommand.DELETE_STRICT, priority=priority)
            (pair.state,) = pair.run("remove", match, priority)
        else:
            message = FlowMod(match, FlowCommand.DELETE)
            (pair.state,) = pair.run("remove", match, None)
        (outcome,) = receive_message(pair.config, pair.core, message)
        assert outcome.messages == ()
        pair.core = outcome.core
        if not any(entry.match == Match() and entry.priority == 0 for entry in pair.core.flows):
            pair.core = SwitchCore((*pair.core.flows, MISS))  # the actor's table-miss entry cannot be removed
        table = StateView(pair.program, PLAIN, pair.state)["S"].table
        assert {
            (entry.priority, entry.match): tuple(a for i in entry.instructions for a in i.actions)  # type: ignore[attr-defined]
            for entry in pair.core.flows
            if entry != MISS
        } == table
        packet, in_port = random_packet(rng), rng.choice(PORTS)
        core = SwitchCore(tuple(sorted(buffered(pair.core.flows), key=lambda entry: entry.order)))
        outcomes = receive_packet(pair.config, core, in_port, packet)
        after = pair.run("receive", NamedPacket("p", packet), in_port)
        assert sorted(map(pair.sent, after)) == sorted(pair.expected(each, in_port, False) for each in outcomes)
        several += len(outcomes) > 1
        held = SwitchCore(core.flows, buffers=(BufferedPacket(0, in_port, packet),))
        sent = PacketOut((SetField("eth_dst", 2), Output(int(Port.TABLE))), in_port=in_port, buffer_id=0)
        outcomes = receive_message(pair.config, held, sent)
        after = pair.run("packet_out", NamedPacket("p", packet), sent.actions, in_port)
        assert sorted(map(pair.sent, after)) == sorted(pair.expected(each, in_port, True) for each in outcomes)
    return several


def test_a_step_touches_only_the_entries_that_matter() -> None:
    pair = Pair()

    def footprint(method: str, *args: Any) -> tuple[set[str], set[str]]:
        task = Task("S", method, tuple(freeze(each, lambda _: None) for each in args))
        (result,) = pair.meaning.results(dict(pair.state.cells), task)
        texts = [{f"{at.field}[{stored_key(at)}]" for at, _ in part} for part in (result.reads, result.writes)]
        return texts[0], texts[1]

    def stored_key(location: Any) -> str:
        return type(location.key).__name__ if not isinstance(location.key, tuple) else "one"

    packet = NamedPacket("p", stack(Ethernet(1, 2)))
    assert footprint("install", Match.of(in_port=1), (Output(2),), 1) == (set(), {"table[one]"})
    assert footprint("remove", Match.of(in_port=1), 1) == ({"table[one]"}, set())
    assert footprint("remove", Match.of(in_port=1), None) == ({"table[CoveredEntries]"}, set())
    (pair.state,) = pair.run("install", Match.of(in_port=1), (Output(2),), 1)
    assert footprint("receive", packet, 1) == ({"seen[one]", "table[MatchingEntries]"}, {"seen[one]"})
    assert footprint("packet_out", packet, (Output(2),), 1) == (set(), {"buffer[one]"})
    controller = "controller[NoneType]"
    assert footprint("receive", packet, 2) == (
        {"seen[one]", "table[MatchingEntries]", controller},
        {"seen[one]", "buffer[one]"},
    )
