"""Discovery of inputs for a search (NICE, section 3.3, figures 4 and 5).

Figure 5 makes discovery a transition of the client: in each state of the controller the client finds the packets that
its handlers tell apart, and may send these. Here discovery stays outside the state space. Packets go to a pool for each
host and port; a search with the pools meets states of the controller; each new one is explored, and its packets are
added; the search runs again, with all handler runs cached, until nothing new appears. Statistics are explored
while the search runs, whenever a reply is handled (`inputs/statistics.py`).

Law: the pools contain every packet that the clients of figure 5 would send, because packets only add behaviour to a
search. A verdict is about representatives of the classes, and `holds` needs every class to be found.
"""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, Protocol

from sdnloom.check.cached_program import CachedProgram
from sdnloom.engine.limits import LimitWatch
from sdnloom.engine.model import Observer, System
from sdnloom.engine.path import Path
from sdnloom.engine.result import Incomplete, Notice, Result, SearchEvent, SearchOptions, Violated
from sdnloom.engine.stop_points import LimitReached, check_limits
from sdnloom.inputs.clients import DiscoveringClient, Pools, discovering_clients, with_pools
from sdnloom.inputs.explorer import Explorer, HandlerQuestion, InputClass, InputClasses, Pattern
from sdnloom.inputs.flow_tables import blocking_patterns, packet_in_for, packet_in_template
from sdnloom.inputs.options import DiscoverOptions
from sdnloom.inputs.representatives import Candidates, representatives
from sdnloom.inputs.skeletons import SenderView, Skeleton, make_skeletons, packet_label, parse_packet_label
from sdnloom.inputs.statistics import StatisticsDiscovery, answer_pools, with_answers
from sdnloom.network.build import switch_config
from sdnloom.network.controller_component import CONTROLLER, ControllerCore
from sdnloom.network.hosts.client import NamedPacket
from sdnloom.network.hosts.component import HostCore
from sdnloom.network.hosts.host import HostView
from sdnloom.network.network import Network
from sdnloom.network.openflow import PacketIn
from sdnloom.network.packet import Packet
from sdnloom.network.program import Program
from sdnloom.network.switch import SwitchCore
from sdnloom.network.switch_component import SwitchState
from sdnloom.network.topology.spec import SwitchPort

MOST_GAPS = 5  # that the reason of a verdict lists; the report has all


@dataclass(frozen=True)
class Round:
    """One search: its size, the packets in the pools, the questions that it led to, and statistics so far."""

    states: int
    transitions: int
    packets: int
    questions: int
    answers: int = 0
    seconds: float = field(default=0.0, compare=False)


@dataclass(frozen=True)
class Discovery:
    """The network with discovered inputs, the result of the search in it, and the rounds that led there.

    The result counts the states of the last search and the transitions of all. `gaps` says why inputs may be missing.
    """

    network: Network
    result: Result
    rounds: tuple[Round, ...]
    gaps: tuple[str, ...] = ()
    finished: bool = True  # no input is missing that the last search would have led to

    @property
    def packets(self) -> int:
        """How many packets there are in all pools."""
        return sum(len(pool) for one in discovering_clients(self.network) for _, pool in one.client.pools)

    @property
    def answers(self) -> int:
        """How many answers to requests for statistics there are in all pools."""
        return sum(map(len, answer_pools(self.network).values()))

    @property
    def questions(self) -> int:
        """How many different questions were asked about the program."""
        return sum(one.questions for one in self.rounds)

    @property
    def bound(self) -> str:
        """The classes of inputs that a verdict covers, as one of its bounds."""
        so_far = "" if self.finished else " so far"
        parts = []
        if any(discovering_clients(self.network)) or not self.answers:
            parts.append(
                f"{_count(self.packets, 'packet')} discovered{so_far}, "
                "one for each class that the program tells apart and each role of its destination"
            )
        if self.answers:
            parts.append(
                f"{_count(self.answers, 'answer')} to requests for statistics discovered{so_far}, "
                "one for each class that the program tells apart when it handles them"
            )
        return f"{'; '.join(parts)} ({_count(len(self.rounds), 'round')}, {_count(self.questions, 'question')})"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


class Situation(NamedTuple):
    """A host can send in this state of the controller and of the switch that it is plugged into."""

    host: str
    port: SwitchPort
    program: Hashable
    switch: SwitchCore


class SearchFunction(Protocol):
    """Searches the network with the program, with the observers that are given for its system."""

    def __call__(self, network: Network, program: Program, observers: Callable[[System], Sequence[Observer]]) -> Result:
        """The result."""


def discover(
    network: Network,
    program: Program,
    explorer: Explorer,
    wanted: DiscoverOptions,
    options: SearchOptions,
    searching: SearchFunction,
    on_event: Callable[[SearchEvent], None] = lambda event: None,
    watch: LimitWatch | None = None,
) -> Discovery:
    """Search with discovered inputs until no new ones appear; a violation ends it unless all are wanted.

    Limits of the watch that are in force end it with what was found so far.
    """
    watch = watch or LimitWatch(options.limits)
    with watch.in_force():
        return _Rounds(network, program, explorer, wanted, options, searching, watch).run(on_event)


class _Rounds:
    """The rounds of one discovery: a search, then questions about the states that it met."""

    def __init__(
        self,
        network: Network,
        program: Program,
        explorer: Explorer,
        wanted: DiscoverOptions,
        options: SearchOptions,
        searching: SearchFunction,
        watch: LimitWatch,
    ) -> None:
        self.network, self.options, self.searching, self.watch = network, options, searching, watch
        self.pools = PacketPools(network, explorer, wanted)
        self.statistics = StatisticsDiscovery(network, explorer, wanted.fields)
        self.cached = CachedProgram(program, self.statistics.answers)
        self.rounds: list[Round] = []

    def run(self, on_event: Callable[[SearchEvent], None]) -> Discovery:
        pools, statistics, new = self.pools, self.statistics, 0
        searched: tuple[Network, Result] | None = None  # of the last round
        while True:
            ready = with_pools(self.network, pools.pools)
            collector = SituationCollector(tuple(discovering_clients(self.network)), self.options.reduce)
            packets, questions = pools.packets, pools.questions + statistics.questions
            try:
                result = self.searching(ready, self.cached, collector.observers)
            except LimitReached as reached:  # in the start-up: this round has no result
                if searched is None:
                    raise
                return self._discovery(*searched, new, reached.reason)
            goes_on = self.options.find_all or not result.violations
            ended = None
            if goes_on and result.incomplete is not None and self.watch.reason_to_stop() is not None:
                ended = f"{result.incomplete} in round {len(self.rounds) + 1}"
            elif goes_on:
                ended = self._asked(collector.situations)
            done, answers = result.statistics, sum(map(len, statistics.pools.values()))
            asked = pools.questions + statistics.questions - questions
            self.rounds.append(Round(done.states, done.transitions, packets, asked, answers, done.seconds))
            new = pools.packets - packets
            on_event(Notice(_notice(self.rounds, new)))
            if new and ended is None:
                ended = self.watch.reason_to_stop()  # before a search that it would end at once
            if not new or ended is not None:
                found = self._discovery(ready, result, new, ended)
                return found if goes_on else replace(found, finished=False)
            searched = ready, result

    def _asked(self, situations: Iterable[Situation]) -> str | None:
        """Ask about these situations; return the limit that ended the questions, if one did."""
        try:
            with self.watch.during(f"while inputs were discovered, in round {len(self.rounds) + 1}"):
                self.pools.explore(situations)
        except LimitReached as reached:
            return reached.reason
        return None

    def _discovery(self, ready: Network, result: Result, new: int, ended: str | None) -> Discovery:
        gaps = (*self.pools.gaps, *self.statistics.gaps)
        if ended is not None and new:
            ended += f"; {_count(new, 'new packet')} {'was' if new == 1 else 'were'} not searched with"
        summed = _summed(result, self.rounds, self.cached, gaps, self.options, ended)
        full = with_answers(ready, self.statistics.pools)
        return Discovery(full, summed, tuple(self.rounds), gaps, not new and ended is None)


def _notice(rounds: list[Round], new: int) -> str:
    """One line about a round."""
    last = rounds[-1]
    answers = f" and {last.answers} answers" if last.answers else ""
    size = f"{last.states:,} states with {last.packets} packets{answers}"
    return f"round {len(rounds)}: {size}, {last.questions} questions, {new} new packets"


def _summed(
    result: Result,
    rounds: list[Round],
    program: CachedProgram,
    gaps: tuple[str, ...],
    options: SearchOptions,
    ended: str | None,
) -> Result:
    """The result of the last search with the work of all, and with the verdict that the gaps and limits allow."""
    statistics = replace(
        result.statistics,
        transitions=sum(one.transitions for one in rounds),
        seconds=sum(one.seconds for one in rounds),
        evaluations={**result.statistics.evaluations, CONTROLLER: program.runs},
    )
    reason = ended or result.incomplete
    if reason is None and gaps:
        more = f", and {len(gaps) - MOST_GAPS} more" if len(gaps) > MOST_GAPS else ""
        reason = f"inputs may be missing that the program tells apart: {'; '.join(gaps[:MOST_GAPS])}{more}"
    if reason is None and options.reduce:
        reason = "inputs may be missing: a reduction leaves out states of the controller that discovery would ask about"
    verdict = result.verdict if reason is None or isinstance(result.verdict, Violated) else Incomplete(reason)
    return replace(result, verdict=verdict, statistics=statistics, incomplete=reason)


class SituationCollector:
    """Records, while a search runs, the situations in which a discovering host can send."""

    def __init__(self, hosts: tuple[DiscoveringClient, ...], reduced: bool) -> None:
        self.hosts, self.reduced = hosts, reduced
        self._seen: dict[Situation, None] = {}

    def observers(self, system: System) -> list[Observer]:
        """One observer for each host and switch. With a reduction they see quiescent states only."""
        columns = {component.name for component in system.components}
        return [
            Observer(
                f"discovery of {host.spec.name} at {switch}",
                (CONTROLLER, switch, host.spec.name),
                self._observe(host, switch),
                quiescent=self.reduced,
            )
            for host in self.hosts
            for switch in sorted({port.switch for port in host.ports} & columns)
        ]

    def _observe(self, host: DiscoveringClient, switch: str) -> Callable[[Mapping[str, Any]], None]:
        name = host.spec.name

        def observe(columns: Mapping[str, Any]) -> None:
            core: HostCore = columns[name]
            state: SwitchState = columns[switch]
            controller: ControllerCore = columns[CONTROLLER]
            if core.port.switch == switch and state.phase == "on" and host.may_send(core):
                tables = replace(state.core, buffers=())
                self._seen.setdefault(Situation(name, core.port, controller.program, tables))

        return observe

    @property
    def situations(self) -> list[Situation]:
        """The situations that were met, in the order of the search."""
        return list(self._seen)


class PacketPools:
    """Packets of every host and port, found by exploring each situation once."""

    def __init__(self, network: Network, explorer: Explorer, wanted: DiscoverOptions) -> None:
        self.explorer = explorer
        self.configs = {spec.name: switch_config(spec, network.switches) for spec in network.topology.switches}
        self.settings = {one.spec.name: SenderView(network.topology, one.spec) for one in discovering_clients(network)}
        self.skeletons: dict[str, list[Skeleton]] = {
            name: make_skeletons(wanted.stacks, setting, wanted.packet_domains, constants=wanted.constants)
            for name, setting in self.settings.items()
        }
        self.candidates = {
            (name, skeleton): Candidates.of(skeleton, self.settings[name])
            for name, found in self.skeletons.items()
            for skeleton in found
        }
        self._pools: dict[tuple[str, SwitchPort], dict[str, NamedPacket]] = {}
        self._answers: dict[HandlerQuestion, InputClasses] = {}
        self._explored: set[Situation] = set()
        self._gaps: dict[str, None] = {}

    @property
    def pools(self) -> Pools:
        """The packets found so far."""
        return self._pools

    @property
    def packets(self) -> int:
        """How many packets there are in all pools."""
        return sum(map(len, self._pools.values()))

    @property
    def questions(self) -> int:
        """How many different questions the explorer was asked."""
        return len(self._answers)

    @property
    def gaps(self) -> tuple[str, ...]:
        """Why packets may be missing."""
        return tuple(self._gaps)

    def explore(self, situations: Iterable[Situation]) -> None:
        """Add the packets that the program tells apart in these situations."""
        for situation in situations:
            if situation not in self._explored:
                self._explored.add(situation)
                pool = self._pools.setdefault((situation.host, situation.port), {})
                for label, packet in self.relevant(situation):
                    pool.setdefault(label, (label, packet))

    def relevant(self, situation: Situation) -> list[NamedPacket]:
        """The packets that the program tells apart in a situation: one for each class and role."""
        known: list[InputClass] = []
        found: list[NamedPacket] = []
        for skeleton in self.skeletons[situation.host]:
            config = self.configs[situation.port.switch]
            message = packet_in_template(config, situation.switch, situation.port.port, skeleton)
            if message is None:
                continue  # the switch sends none of these packets to the controller
            avoiding = blocking_patterns(situation.switch, situation.port.port, skeleton)
            for one in self._classes(situation, message, skeleton):
                if not any(one.repeats(other) for other in known):
                    known.append(one)
                    found += self._packets(situation, skeleton, one, avoiding)
        return found

    def _classes(self, situation: Situation, message: PacketIn, skeleton: Skeleton) -> tuple[InputClass, ...]:
        question = HandlerQuestion(situation.program, situation.port.switch, message, skeleton)
        answer = self._answers.get(question)
        if answer is None:
            check_limits()
            answer = self._answers[question] = self.explorer.explore(question)
            self._gaps.update(dict.fromkeys(answer.gaps))
        return answer.classes

    def _packets(
        self, situation: Situation, skeleton: Skeleton, one: InputClass, avoiding: tuple[Pattern, ...]
    ) -> Iterable[NamedPacket]:
        config, port = self.configs[situation.port.switch], situation.port.port
        setting = self.settings[situation.host]

        def reaches(values: Mapping[str, int]) -> bool:
            packet: Packet = skeleton.packet(values)
            return packet_in_for(config, situation.switch, port, packet) is not None

        for values in representatives(one, self.candidates[situation.host, skeleton], avoiding, reaches):
            whole = {**skeleton.preferred, **values}
            yield packet_label(skeleton.stack, whole, setting), skeleton.packet(values)


def replayed_pools(network: Network, path: Path) -> Pools:
    """Pools with the discovered packets that a path names. Raises SdnloomError for a text that is no packet."""
    pools: dict[tuple[str, SwitchPort], dict[str, NamedPacket]] = {}
    for one in discovering_clients(network):
        setting = SenderView(network.topology, one.spec)
        configured = {name for name, _ in one.client.pool(HostView(one.spec, network.topology))}
        sent = [step.choice for step in path.steps if (step.component, step.action) == (one.spec.name, "send")]
        found = {label: (label, parse_packet_label(label, setting)) for label in sent if label not in configured}
        pools |= {(one.spec.name, port): found for port in one.ports}
    return pools
