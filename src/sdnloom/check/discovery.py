"""Discovery of inputs for a search (NICE, section 3.3, figures 4 and 5).

Figure 5 makes discovery a transition of the client: in each state of the controller the client finds the packets that
its handlers tell apart, and may send these. Here discovery stays outside the state space. Packets go to a pool for each
host and port; a search with the pools meets states of the controller and of switches; packets are followed through
these states (`inputs/journeys.py`), and for each new demand some are added; the search runs again, with all handler
runs cached, until nothing new appears. Statistics are explored while the search runs, whenever a reply is handled
(`inputs/statistics.py`).

Law: the pools contain every packet that the clients of figure 5 would send, because packets only add behaviour to a
search. A verdict is about representatives of the classes, and `holds` needs every class to be found.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from sdnloom.check.cached_program import CachedProgram
from sdnloom.engine.limits import LimitWatch
from sdnloom.engine.model import Observer, System
from sdnloom.engine.path import Path
from sdnloom.engine.result import Incomplete, Notice, Result, SearchEvent, SearchOptions, Violated
from sdnloom.engine.stop_points import LimitReached
from sdnloom.inputs.branch_sides import BranchSides, FieldDomain, HostDomains, UnreachedBranch, senders_in
from sdnloom.inputs.clients import DiscoveringClient, Pools, discovering_clients, with_pools
from sdnloom.inputs.explorer import Explorer
from sdnloom.inputs.journeys import MetState
from sdnloom.inputs.options import DiscoverOptions
from sdnloom.inputs.packet_pools import ClassCounts, JourneyListener, PacketPools, Situation, met_state
from sdnloom.inputs.skeletons import SenderView, parse_packet_label
from sdnloom.inputs.statistics import StatisticsDiscovery, answer_pools, with_answers
from sdnloom.network.controller_component import CONTROLLER, ControllerCore
from sdnloom.network.hosts.client import NamedPacket
from sdnloom.network.hosts.component import HostCore
from sdnloom.network.hosts.host import HostView
from sdnloom.network.network import Network
from sdnloom.network.program import Program
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
    unreached: tuple[UnreachedBranch, ...] = ()
    classes: ClassCounts = field(default_factory=ClassCounts)
    domains: tuple[FieldDomain, ...] = ()  # of the fields that conditions of the program mention

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
                f"{_count(self.packets, 'packet')} discovered{so_far}, one for each class and each role of its "
                f"destination (classes told apart by the program: {self.classes.program}, "
                f"by flow tables: {self.classes.tables})"
            )
        if self.answers:
            parts.append(
                f"{_count(self.answers, 'answer')} to requests for statistics discovered{so_far}, "
                "one for each class that the program tells apart when it handles them"
            )
        return f"{'; '.join(parts)} ({_count(len(self.rounds), 'round')}, {_count(self.questions, 'question')})"


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


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
    on_journey: JourneyListener = lambda host, port, stack: None,
) -> Discovery:
    """Search with discovered inputs until no new ones appear; a violation ends it unless all are wanted.

    Limits of the watch that are in force end it with what was found so far.
    """
    watch = watch or LimitWatch(options.limits)
    with watch.in_force():
        return _Rounds(network, program, explorer, wanted, options, searching, watch, on_journey).run(on_event)


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
        on_journey: JourneyListener,
    ) -> None:
        self.network, self.options, self.searching, self.watch = network, options, searching, watch
        self.wanted = wanted
        self.on_journey = on_journey
        self.pools = PacketPools(network, explorer, wanted)
        self.statistics = StatisticsDiscovery(network, explorer, wanted.fields)
        self.cached = CachedProgram(program, self.statistics.answers)
        self.rounds: list[Round] = []

    def run(self, on_event: Callable[[SearchEvent], None]) -> Discovery:
        pools, statistics, new = self.pools, self.statistics, 0
        searched: tuple[Network, Result] | None = None  # of the last round
        while True:
            ready = with_pools(self.network, pools.pools)
            collector = SituationCollector(tuple(discovering_clients(self.network)), self.options.reduce is True)
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
                ended = self._asked(collector)
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

    def _asked(self, collector: "SituationCollector") -> str | None:
        """Ask about the situations and states of a search; return the limit that ended the questions, if one did."""
        try:
            with self.watch.during(f"while inputs were discovered, in round {len(self.rounds) + 1}"):
                self.pools.explore(collector.situations, collector.states, self.on_journey)
        except LimitReached as reached:
            return reached.reason
        return None

    def _discovery(self, ready: Network, result: Result, new: int, ended: str | None) -> Discovery:
        gaps = (*self.pools.gaps, *self.statistics.gaps)
        if ended is not None and new:
            ended += f"; {_count(new, 'new packet')} {'was' if new == 1 else 'were'} not searched with"
        sides = self._sides()
        whole = ended is None and (self.options.find_all or not result.violations)
        unreached = sides.unreached() if whole else ()
        summed = _summed(result, self.rounds, self.cached, gaps, unreached, self.options, ended)
        full = with_answers(ready, self.statistics.pools)
        finished = not new and ended is None
        return Discovery(
            full, summed, tuple(self.rounds), gaps, finished, unreached, self.pools.counts, sides.domains()
        )

    def _sides(self) -> BranchSides:
        """The sides of branches in all questions about packets and about statistics."""
        wanted, about_statistics = self.wanted, self.statistics.asked
        topology, clients = self.network.topology, list(discovering_clients(self.network))
        asked = [SenderView(topology, each.spec) for each in clients]
        told = [SenderView(topology, each.spec) for each in clients if each.told(topology)]
        senders = senders_in(self.network, asked, wanted.stacks, wanted.packet_domains, wanted.constants, told)
        replies = HostDomains(SenderView(), tuple(skeleton for skeleton, _ in about_statistics))
        sides = BranchSides(senders._replace(hosts=(*senders.hosts, replies)))
        for skeleton, answer in (*self.pools.asked, *about_statistics):
            sides.add(skeleton, answer)
        return sides


def _notice(rounds: list[Round], new: int) -> str:
    """One line about a round."""
    last = rounds[-1]
    answers = f" and {_count(last.answers, 'answer')}" if last.answers else ""
    size = f"{_count(last.states, 'state')} with {_count(last.packets, 'packet')}{answers}"
    return f"round {len(rounds)}: {size}, {_count(last.questions, 'question')}, {_count(new, 'new packet')}"


def _summed(
    result: Result,
    rounds: list[Round],
    program: CachedProgram,
    gaps: tuple[str, ...],
    unreached: tuple[UnreachedBranch, ...],
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
    if reason is None and unreached:
        more = f", and {len(unreached) - MOST_GAPS} more" if len(unreached) > MOST_GAPS else ""
        reason = f"branches are not reached: {'; '.join(map(str, unreached[:MOST_GAPS]))}{more}"
    if reason is None and options.reduce is True:
        reason = "inputs may be missing: a reduction leaves out states of the controller that discovery would ask about"
    verdict = result.verdict if reason is None or isinstance(result.verdict, Violated) else Incomplete(reason)
    return replace(result, verdict=verdict, statistics=statistics, incomplete=reason)


class SituationCollector:
    """Records, while a search runs, the situations in which a discovering host can send, and the states of switches."""

    def __init__(self, hosts: tuple[DiscoveringClient, ...], reduced: bool) -> None:
        self.hosts, self.reduced = hosts, reduced
        self._seen: dict[Situation, None] = {}
        self._states: dict[tuple[str, str], dict[MetState, None]] = {}

    def observers(self, system: System) -> list[Observer]:
        """An observer for each host and switch; with a reduction of quiescent states only."""
        switches = [each.name for each in system.components if isinstance(each.initial, SwitchState)]
        return [
            Observer(
                f"discovery of {host.spec.name} at {switch}",
                (CONTROLLER, switch, host.spec.name),
                self._observe(host, switch),
                quiescent=self.reduced,
            )
            for host in self.hosts
            for switch in switches
        ]

    def _observe(self, host: DiscoveringClient, switch: str) -> Callable[[Mapping[str, Any]], None]:
        name = host.spec.name
        states = self._states.setdefault((name, switch), {})

        def observe(columns: Mapping[str, Any]) -> None:
            core: HostCore = columns[name]
            state: SwitchState = columns[switch]
            controller: ControllerCore = columns[CONTROLLER]
            if state.phase == "off" or not host.may_meet(core):
                return
            met = met_state(controller.program, state.core)
            states.setdefault(met)
            if core.port.switch == switch and host.may_send(core):
                self._seen.setdefault(Situation(name, core.port, *met))

        return observe

    @property
    def situations(self) -> list[Situation]:
        """The situations that were met, in the order of the search."""
        return list(self._seen)

    @property
    def states(self) -> Mapping[tuple[str, str], Iterable[MetState]]:
        """The states of the controller and a switch that packets of a host may meet, in the order of the search."""
        return self._states


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
