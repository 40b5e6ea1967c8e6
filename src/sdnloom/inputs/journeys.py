"""Journeys: the ways that the packets of one sender take through switches, handlers and hosts.

A journey is followed for all packets of a skeleton at once. At each switch it branches by the flow tables that the
search has met there, at the controller by the handler's input classes, at a host by whether the packet is addressed to
it. The conditions of all branches together are a demand: some packet must be sent that satisfies them. A copy of a
packet is followed on its own: conditions on two copies of one packet, in two places, are not combined.

Where a packet enters the network, only states count in which its sender can send; further on, all that the search met,
except those in which a sender of several packets has sent its last one.
"""

from collections import deque
from collections.abc import Callable, Container, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from sdnloom.engine.stop_points import check_limits
from sdnloom.inputs.concolic import different_values, variable
from sdnloom.inputs.domains import Domain
from sdnloom.inputs.explorer import HandlerQuestion, InputClass
from sdnloom.inputs.rewritten_packet import SymbolicPacket, changed_packet
from sdnloom.inputs.skeletons import Skeleton
from sdnloom.inputs.stacks import StackField
from sdnloom.inputs.switch_paths import SwitchPaths, without_checksums
from sdnloom.network.hosts import ArpHost, Host, Replier
from sdnloom.network.hosts.host import HostStep, HostView
from sdnloom.network.hosts.mobile import inner_host
from sdnloom.network.network import Network
from sdnloom.network.openflow import NO_BUFFER, FlowMod, OpenFlowMessage, Output, PacketIn, PacketOut, Port
from sdnloom.network.packet import Packet, decode
from sdnloom.network.switch import BufferedPacket, Switch, SwitchCore, receive_message
from sdnloom.network.topology.spec import HostSpec, SwitchPort
from sdnloom.network.traffic import ARP_REQUEST, ECHO_REPLY, ECHO_REQUEST
from sdnloom.symbolic.solver.interface import SolverAnswer
from sdnloom.symbolic.terms import constructors as terms
from sdnloom.symbolic.terms.constructors import FALSE, TRUE, Term, const
from sdnloom.symbolic.terms.facts import Facts
from sdnloom.symbolic.terms.node import variables

MOST_BRANCHES = 20_000  # of the journeys of one skeleton in one round


class MetState(NamedTuple):
    """A state of the program, and of a switch that can send to it at that time (a forwarding state)."""

    program: Hashable
    switch: SwitchCore


@dataclass(frozen=True)
class Exit:
    """A packet that leaves a switch through a port, or with `again` enters its tables a second time at that port."""

    port: SwitchPort
    packet: SymbolicPacket
    again: bool = False


@dataclass(frozen=True)
class Passage:
    """One way through a switch, and through the handler if the packet is sent there."""

    conditions: tuple[Term, ...]
    of_tables: int  # how many of them come from flow tables; the rest come from the program
    trail: tuple[Hashable, ...]
    exits: tuple[Exit, ...]
    shadowed: tuple[Term, ...] = ()  # conditions of flow entries that a higher priority hides


@dataclass(frozen=True)
class Demand:
    """Conditions on the packets that one journey has taken so far, each satisfiable together with the domain.

    `by_tables` says that a condition of a flow table is among them.
    """

    conditions: tuple[Term, ...]
    trail: tuple[Hashable, ...]
    by_tables: bool
    witness: Mapping[str, int] = field(compare=False)


@dataclass(frozen=True)
class _Step:
    """A journey so far: where the packet arrives, and what is known about it."""

    port: SwitchPort
    packet: SymbolicPacket
    conditions: tuple[Term, ...]
    trail: tuple[Hashable, ...]
    by_tables: bool
    visited: frozenset[Hashable]
    again: bool = False


class Journeys:
    """Follows packets through one network, in the states that searches have met so far."""

    def __init__(
        self,
        network: Network,
        configs: Mapping[str, Switch],
        classes: Callable[[HandlerQuestion], Sequence[InputClass]],
        tables: bool = True,
    ) -> None:
        self.paths = SwitchPaths(configs)
        self.gaps: dict[str, None] = {}
        self.read: set[str] = set()  # fields that flow tables and the program have looked at
        self._configs, self._classes, self._tables = configs, classes, tables
        self._peers = network.topology.peers
        self._hosts = _hosts_by_port(network)
        self._states: dict[tuple[str, str], dict[MetState, None]] = {}
        self._some_core: dict[str, SwitchCore] = {}
        self._first: dict[tuple[str, SwitchPort], dict[MetState, None]] = {}
        self._passages: dict[tuple[str, int, Skeleton, MetState], tuple[Passage, ...]] = {}
        self._models: dict[tuple[Skeleton, frozenset[Term]], Mapping[str, int] | None] = {}

    def add(self, host: str, switch: str, states: Iterable[MetState]) -> None:
        """Take further states of a switch into account, which packets of a host may meet."""
        known = self._states.setdefault((host, switch), {})
        known.update(dict.fromkeys(states))
        for state in known:
            self._some_core.setdefault(switch, state.switch)

    def add_first(self, host: str, port: SwitchPort, states: Iterable[MetState]) -> None:
        """Take further states into account in which a host can send."""
        self._first.setdefault((host, port), {}).update(dict.fromkeys(states))

    def changed_by_reading(self, before: frozenset[str]) -> bool:
        """Whether journeys branch in more places than when only these fields had been read."""
        return "icmp.type" in self.read and "icmp.type" not in before

    def demands(self, host: str, port: SwitchPort, skeleton: Skeleton) -> Iterator[Demand]:
        """Yield the demands of all journeys of a skeleton's packets from a host at a port, shorter journeys first."""
        start = _Step(port, SymbolicPacket(skeleton), (), (), False, frozenset())
        waiting = deque([(start, True)])
        known: set[Hashable] = set()
        while waiting:
            step, first = waiting.popleft()
            facts = self._facts(skeleton, step.conditions)
            for passage in self._passages_at(host, step, first):
                check_limits()
                more = _further(passage.conditions, step.packet, facts)
                if more is None:
                    continue
                conditions = (*step.conditions, *more)
                key = step.port, step.packet, frozenset(conditions), passage.exits, passage.trail, step.trail
                if key in known:
                    continue
                known.add(key)
                if len(known) > MOST_BRANCHES:
                    self.gaps[f"{skeleton.stack.name} from {host}: more than {MOST_BRANCHES:,} journeys"] = None
                    return
                witness = self._model(skeleton, conditions)
                if witness is None:
                    continue
                by_tables = step.by_tables or _is_among(passage, step.packet, more)
                trail = (*step.trail, *passage.trail)
                yield Demand(conditions, trail, by_tables, witness)
                for hidden in passage.shadowed:
                    yield from self._shadowed(skeleton, conditions, step.packet.sent(hidden), trail)
                visited = step.visited | {(step.port, step.packet, step.again)}
                for leaving in passage.exits:
                    packet = step.packet.after(leaving.packet)
                    for place in self._arrivals(leaving):
                        if (place, packet, leaving.again) not in visited:
                            onward = _Step(place, packet, conditions, trail, by_tables, visited, leaving.again)
                            waiting.append((onward, False))

    def _shadowed(
        self, skeleton: Skeleton, conditions: tuple[Term, ...], hidden: Term, trail: tuple[Hashable, ...]
    ) -> Iterator[Demand]:
        """Yield the demands that some packet matches a hidden entry and another one does not, if both are possible."""
        sides = [(*conditions, hidden), (*conditions, terms.not_(hidden))]
        models = [self._model(skeleton, side) for side in sides]
        for side, model in zip(sides, models, strict=True):
            if model is not None and all(each is not None for each in models):
                yield Demand(side, (*trail, hidden), True, model)

    # -- where a packet goes -----------------------------------------------------------------------------------------

    def _arrivals(self, leaving: Exit) -> tuple[SwitchPort, ...]:
        """Return the port where a packet arrives that leaves through a port: at a switch, or at a host."""
        if leaving.again:
            return (leaving.port,)
        peer = self._peers.get(leaving.port)
        if peer is not None:
            return (peer,)
        return tuple(_host_port(name) for name in self._hosts.get(leaving.port, {}))

    def _passages_at(self, host: str, step: _Step, first: bool) -> Iterator[Passage]:
        port, skeleton = step.port, step.packet.skeleton
        if port.switch.startswith(_HOST):
            yield from self._host_passages(port.switch.removeprefix(_HOST), skeleton)
            return
        states = self._first.get((host, port), {}) if first else self._states.get((host, port.switch), {})
        for state in states:
            key = port.switch, port.port, skeleton, state
            found = self._passages.get(key)
            if found is None:
                found = self._passages[key] = tuple(self._switch_passages(port, skeleton, state))
            yield from found

    def _switch_passages(self, port: SwitchPort, skeleton: Skeleton, state: MetState) -> Iterator[Passage]:
        for path in self.paths.paths(port.switch, port.port, skeleton, state.switch):
            if path.undecided:
                self.gaps[f"{skeleton.stack.name}: a solver could not decide a flow entry of {port.switch}"] = None
            if path.lost:
                self.gaps[f"{skeleton.stack.name}: headers that {port.switch} makes are not followed"] = None
            conditions, shadowed = (path.conditions, path.shadowed) if self._tables else ((), ())
            exits = tuple(Exit(SwitchPort(port.switch, number), packet) for number, packet in path.outputs)
            if not path.packet_ins:
                yield Passage(conditions, len(conditions), path.matched, exits, shadowed)
            self.read.update(*map(variables, (*conditions, *shadowed)))
            for message, packet in path.packet_ins:
                for each in self._classes(HandlerQuestion(state.program, port.switch, message, packet.skeleton)):
                    self.read.update(*map(variables, each.condition))
                    more = tuple(packet.sent(condition) for condition in each.condition)
                    after = tuple(
                        replace(leaving, packet=packet.after(leaving.packet))
                        for leaving in self._handled_exits(each, port, message, packet.skeleton, state.switch)
                    )
                    trail = (*path.matched, each.trail)
                    yield Passage((*conditions, *more), len(conditions), trail, (*exits, *after), shadowed)

    def _handled_exits(
        self, found: InputClass, port: SwitchPort, message: PacketIn, skeleton: Skeleton, core: SwitchCore
    ) -> Iterator[Exit]:
        """Yield the packets that a handler lets go of, for the packets of a class."""
        runs = []
        for values, messages in found.samples:
            frame = skeleton.frame(values)
            runs.append(
                [(each, (frame, packet)) for each, packet in self._let_go(frame, port, message, core, messages)]
            )
        if any(_shapes(run) != _shapes(runs[0]) for run in runs):
            several = [[each] for run in runs for each in run]  # where packets go, or their headers, is computed
        else:
            several = [list(each) for each in zip(*runs, strict=True)]
        for alike in several:
            (place, again), _ = alike[0]
            changed = changed_packet(skeleton, [sample for _, sample in alike])
            if changed is None:
                self.gaps[f"{skeleton.stack.name}: a packet that the program makes is not followed"] = None
            else:
                yield Exit(place, changed, again)

    def _let_go(
        self,
        frame: bytes,
        port: SwitchPort,
        message: PacketIn,
        core: SwitchCore,
        messages: Iterable[tuple[str, OpenFlowMessage]],
    ) -> Iterator[tuple[tuple[SwitchPort, bool], Packet]]:
        """Yield the packets that messages of a program send: the port, and whether they enter the tables there."""
        if message.buffer_id != NO_BUFFER:
            core = replace(core, buffers=(BufferedPacket(message.buffer_id, port.port, decode(frame)),))
        cores = {port.switch: core}
        for switch, sent in messages:
            config = self._configs.get(switch)
            if config is None:
                continue
            now = cores.get(switch)
            if now is None:
                now = self._some_core.get(switch, SwitchCore())
            waiting = _released(now, sent)
            if waiting is not None and _to_table(sent):
                yield (SwitchPort(switch, waiting[0]), True), waiting[1]
            for outcome in receive_message(config, now, sent)[:1]:
                cores[switch] = outcome.core
                for number, packet in outcome.outputs:  # also by an entry for this very packet, which no state has yet
                    yield (SwitchPort(switch, number), False), packet

    def _host_passages(self, name: str, skeleton: Skeleton) -> Iterator[Passage]:
        """Yield the ways of packets that a host answers, if it answers some of these: one for each kind of answer."""
        host, view = next(found[name] for found in self._hosts.values() if name in found)
        ports = [port for port, found in self._hosts.items() if name in found]
        asked = _addressed_to(host, view.me, skeleton)
        conditions = [terms.eq(variable(field), const(value, field.bits)) for field, value in asked.items()]
        narrowed = _narrowed(skeleton, asked)  # an answer has the host's own address, not any that was asked
        for kind in _kinds_of_answers(skeleton, asked, self.read):
            addressed = _further([*conditions, *kind], SymbolicPacket(skeleton), self._facts(skeleton, ()))
            model = None if addressed is None else self._model(skeleton, addressed)
            if addressed is None or model is None:
                continue
            flipper = self.paths.new_flipper(skeleton, addressed)
            other = flipper.first(different_values(skeleton, model))
            models = [model] if isinstance(other, SolverAnswer) else [model, other]
            frames = [skeleton.frame(without_checksums(skeleton, each)) for each in models]
            answers = [list(_answers(host, view, decode(frame))) for frame in frames]
            exits = []
            for packets in zip(*answers, strict=False):
                changed = changed_packet(narrowed, list(zip(frames, packets, strict=True)))
                if changed is not None:
                    exits += [Exit(port, changed, again=True) for port in ports]
            if exits:
                yield Passage(addressed, 0, (name,), tuple(exits))

    # -- conditions --------------------------------------------------------------------------------------------------

    def _facts(self, skeleton: Skeleton, conditions: Iterable[Term]) -> Facts:
        facts = self.paths.flipper(skeleton).facts.copy()
        for condition in conditions:
            facts.learn(condition, True)
        return facts

    def _model(self, skeleton: Skeleton, conditions: Sequence[Term]) -> Mapping[str, int] | None:
        """Return values that satisfy the conditions; None if there are none, or if none were found."""
        key = skeleton, frozenset(conditions)
        if key not in self._models:
            wish = {each.name: domain.first for each, domain in skeleton.symbolic}
            flipper = self.paths.new_flipper(skeleton, conditions)
            answer = flipper.first(wish)
            if answer is SolverAnswer.UNKNOWN:
                self.gaps[f"{skeleton.stack.name}: a solver could not decide whether a journey is possible"] = None
            self._models[key] = None if isinstance(answer, SolverAnswer) else answer
        return self._models[key]


_HOST = "host "  # before the name of a host in the place of a switch


def _shapes(run: Sequence[tuple[tuple[SwitchPort, bool], tuple[bytes, Packet]]]) -> list[Hashable]:
    """Return where the packets of a run go, and their kinds of headers."""
    return [(place, tuple(map(type, packet.headers))) for place, (_, packet) in run]


def _host_port(name: str) -> SwitchPort:
    return SwitchPort(_HOST + name, 0)


def _hosts_by_port(network: Network) -> dict[SwitchPort, dict[str, tuple[Host, HostView]]]:
    """Return the hosts that answer, by the ports where they may be."""
    found: dict[SwitchPort, dict[str, tuple[Host, HostView]]] = {}
    for host in network.hosts:
        inner = inner_host(host)
        if not isinstance(inner, Replier | ArpHost):
            continue
        spec = network.topology.host(host.name)
        for port in dict.fromkeys((spec.switch_port, *host.ports())):
            found.setdefault(port, {})[host.name] = inner, HostView(spec, network.topology)
    return found


def _further(conditions: Iterable[Term], packet: SymbolicPacket, facts: Facts) -> tuple[Term, ...] | None:
    """Return the conditions, on the packet sent, that do not follow from the facts; None if one contradicts them."""
    found: dict[Term, None] = {}
    for each in conditions:
        condition = packet.sent(each)
        if condition is FALSE or facts.refutes(condition, True):
            return None
        if condition is not TRUE and not facts.refutes(condition, False):
            found[condition] = None
    return tuple(found)


def _is_among(passage: Passage, packet: SymbolicPacket, kept: tuple[Term, ...]) -> bool:
    """Whether one of the conditions that were kept comes from a flow table."""
    return any(packet.sent(each) in kept for each in passage.conditions[: passage.of_tables])


def _released(core: SwitchCore, sent: OpenFlowMessage) -> tuple[int, Packet] | None:
    """Return the port and the packet that a message lets go of."""
    if not isinstance(sent, PacketOut | FlowMod):
        return None
    if sent.buffer_id != NO_BUFFER:
        waiting = next((each for each in core.buffers if each.buffer_id == sent.buffer_id), None)
        return None if waiting is None else (waiting.in_port, waiting.packet)
    return (sent.in_port, decode(sent.data)) if isinstance(sent, PacketOut) else None


def _to_table(sent: OpenFlowMessage) -> bool:
    """Whether a message sends a packet to the flow tables."""
    if isinstance(sent, PacketOut):
        return any(isinstance(each, Output) and each.port == Port.TABLE for each in sent.actions)
    return isinstance(sent, FlowMod)


def _addressed_to(host: Host, me: HostSpec, skeleton: Skeleton) -> dict[StackField, int]:
    """Return the values on which a host answers a packet, as far as the fields are variables."""
    known = {each.name: each for each, _ in skeleton.symbolic}
    asked = {"eth.dst": me.mac}
    if isinstance(host, ArpHost):
        if "arp.tpa" in known:
            asked = {"arp.tpa": me.ip, "arp.op": ARP_REQUEST}
        elif host.answers == "pings":
            asked |= {"ipv4.dst": me.ip, "icmp.type": ECHO_REQUEST}
    return {known[name]: value for name, value in asked.items() if name in known}


def _kinds_of_answers(
    skeleton: Skeleton, asked: Mapping[StackField, int], read: Container[str]
) -> Iterator[tuple[Term, ...]]:
    """Yield conditions for packets that hosts answer differently: an echo request becomes a reply, others do not.

    That matters if something has read the type, or if its values were given.
    """
    kinds = [(each, domain) for each, domain in skeleton.symbolic if each.name == "icmp.type" and each not in asked]
    if not kinds or (kinds[0][1].covers(kinds[0][0]) and "icmp.type" not in read):
        yield ()
        return
    kind = kinds[0][0]
    request, reply = (terms.eq(variable(kind), const(value, kind.bits)) for value in (ECHO_REQUEST, ECHO_REPLY))
    yield (request,)
    yield (terms.not_(request), terms.not_(reply))


def _narrowed(skeleton: Skeleton, values: Mapping[StackField, int]) -> Skeleton:
    """Return the packets of a skeleton that have these values."""
    pairs = zip(skeleton.stack.fields, skeleton.domains, strict=True)
    domains = tuple(Domain.of(values[field]) if field in values else domain for field, domain in pairs)
    return replace(skeleton, domains=domains)


def _answers(host: Host, view: HostView, packet: Packet) -> Iterator[Packet]:
    """Yield the packets with which a host answers a packet."""
    steps: list[HostStep] = list(host.receive(view, host.initial(view), packet))
    for step in steps:
        yield from step.packets
        for task in step.tasks:
            for later in host.work(view, step.state, task):
                yield from later.packets
