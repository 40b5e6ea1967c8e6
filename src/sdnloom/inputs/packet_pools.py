"""Pools of discovered packets: for each host and port one for every demand and every role of its destination."""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sdnloom.engine.stop_points import check_limits
from sdnloom.inputs.clients import DiscoveringClient, Pools, discovering_clients
from sdnloom.inputs.concolic import in_domain
from sdnloom.inputs.domains import Domain
from sdnloom.inputs.explorer import Explorer, HandlerQuestion, InputClass, InputClasses
from sdnloom.inputs.journeys import Demand, Journeys, MetState
from sdnloom.inputs.options import DiscoverOptions
from sdnloom.inputs.representatives import Candidates, missing_roles
from sdnloom.inputs.rewritten_packet import packet_values
from sdnloom.inputs.skeletons import SenderView, Skeleton, make_skeletons, packet_label
from sdnloom.inputs.switch_paths import forwarding_state
from sdnloom.network.build import switch_config
from sdnloom.network.hosts.client import NamedPacket
from sdnloom.network.network import Network
from sdnloom.network.switch import SwitchCore
from sdnloom.network.topology.spec import SwitchPort
from sdnloom.symbolic.solver.interface import SolverAnswer
from sdnloom.symbolic.terms.constructors import Term
from sdnloom.symbolic.terms.evaluate import evaluate_term
from sdnloom.symbolic.terms.node import variables

JourneyListener = Callable[[str, SwitchPort, str], None]  # is told the host, the port and the stack of each demand


class Situation(NamedTuple):
    """A host can send in this state of the controller and of the switch that it is plugged into."""

    host: str
    port: SwitchPort
    program: Hashable
    switch: SwitchCore


@dataclass(frozen=True)
class ClassCounts:
    """How many classes of packets were told apart: by the program alone, and by flow tables too."""

    program: int = 0
    tables: int = 0


class PacketPools:
    """Packets of every host and port, found by following journeys in the states that searches have met."""

    def __init__(self, network: Network, explorer: Explorer, wanted: DiscoverOptions) -> None:
        self.explorer = explorer
        configs = {spec.name: switch_config(spec, network.switches) for spec in network.topology.switches}
        self.journeys = Journeys(network, configs, self._classes, wanted.tables)
        self._senders = {
            one.spec.name: _Sender(one, SenderView(network.topology, one.spec), wanted)
            for one in discovering_clients(network)
        }
        self._pools: dict[tuple[str, SwitchPort], dict[str, NamedPacket]] = {}
        self._answers: dict[HandlerQuestion, InputClasses] = {}
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
    def asked(self) -> list[tuple[Skeleton, InputClasses]]:
        """The packets of each question, and its answer."""
        return [(question.skeleton, answer) for question, answer in self._answers.items()]

    @property
    def gaps(self) -> tuple[str, ...]:
        """Why packets may be missing."""
        return (*self._gaps, *self.journeys.gaps)

    @property
    def counts(self) -> ClassCounts:
        """How many classes the program told apart, and how many flow tables did."""
        kinds = [by_tables for sender in self._senders.values() for by_tables in sender.kinds]
        return ClassCounts(kinds.count(False), kinds.count(True))

    def explore(
        self,
        situations: Iterable[Situation],
        states: Mapping[tuple[str, str], Iterable[MetState]],
        on_journey: JourneyListener = lambda host, port, stack: None,
    ) -> None:
        """Add the packets that the network tells apart when hosts send in these situations and it meets these states.

        The cores of the states and situations are forwarding states.
        """
        places: dict[tuple[str, SwitchPort], dict[MetState, None]] = {}
        for (host, switch), met in states.items():
            self.journeys.add(host, switch, met)
        for each in situations:
            places.setdefault((each.host, each.port), {})[MetState(each.program, each.switch)] = None
        for (host, port), met in places.items():
            self.journeys.add_first(host, port, met)
        while True:
            read = frozenset(self.journeys.read)
            for host, port in places:
                pool = self._pools.setdefault((host, port), {})
                for label, packet in self._senders[host].packets(self.journeys, port, on_journey):
                    pool.setdefault(label, (label, packet))
            if not self.journeys.changed_by_reading(read):
                return

    def _classes(self, question: HandlerQuestion) -> Sequence[InputClass]:
        answer = self._answers.get(question)
        if answer is None:
            check_limits()
            answer = self._answers[question] = self.explorer.explore(question)
            self._gaps.update(dict.fromkeys(answer.gaps))
        return answer.classes


class _Sender:
    """A host whose packets are discovered, with the packets found so far for each of its ports."""

    def __init__(self, client: DiscoveringClient, view: SenderView, wanted: DiscoverOptions) -> None:
        self.name, self.view = client.spec.name, view
        self.skeletons: list[Skeleton] = make_skeletons(
            wanted.stacks, view, wanted.packet_domains, constants=wanted.constants
        )
        self.candidates = [Candidates.of(skeleton, view) for skeleton in self.skeletons]
        self.kinds: list[bool] = []  # for each class, whether a flow table is needed to tell it apart
        assert view.topology is not None
        told = client.told(view.topology)
        self._told = [
            [values for packet in told if (values := packet_values(skeleton, packet)) is not None]
            for skeleton in self.skeletons
        ]
        self._sent: dict[tuple[SwitchPort, int], list[Mapping[str, int]]] = {}
        self._met: dict[SwitchPort, set[tuple[int, frozenset[Term]]]] = {}
        self._known: dict[SwitchPort, dict[Hashable, list[tuple[int, Demand]]]] = {}

    def packets(self, journeys: Journeys, port: SwitchPort, on_journey: JourneyListener) -> Iterator[NamedPacket]:
        """Yield packets for the demands at a port that no packet satisfies so far."""
        met, known = self._met.setdefault(port, set()), self._known.setdefault(port, {})
        for number, skeleton in enumerate(self.skeletons):
            sent = self._sent.setdefault((port, number), list(self._told[number]))
            for demand in journeys.demands(self.name, port, skeleton):
                on_journey(self.name, port, skeleton.stack.name)
                alike = known.setdefault(demand.trail, [])
                if any(self._repeats(number, demand, *other) for other in alike):
                    continue
                alike.append((number, demand))
                key = number, frozenset(demand.conditions)
                if key in met:
                    continue  # a shorter journey had the same conditions
                met.add(key)
                self.kinds.append(demand.by_tables)
                for values in self._representatives(journeys, number, demand, sent):
                    sent.append(values)
                    named = _without_unread_checksums(skeleton, demand, values)
                    label = packet_label(skeleton.stack, {**skeleton.preferred, **named}, self.view)
                    yield label, skeleton.packet(named)

    def _representatives(
        self, journeys: Journeys, number: int, demand: Demand, sent: list[Mapping[str, int]]
    ) -> Iterator[Mapping[str, int]]:
        """Yield packets that satisfy a demand, for the roles that no packet has that was sent and satisfies it."""
        skeleton = self.skeletons[number]
        fitting = [values for values in sent if all(evaluate_term(each, values) for each in demand.conditions)]

        def member(within: Mapping[str, Domain]) -> Mapping[str, int] | None:
            extra = [in_domain(skeleton.stack.field(name), each) for name, each in within.items()]
            wish = {field.name: within.get(field.name, each).first for field, each in skeleton.symbolic}
            answer = journeys.paths.new_flipper(skeleton, (*demand.conditions, *extra)).first(
                {**demand.witness, **wish}
            )
            return None if isinstance(answer, SolverAnswer) else answer

        yield from missing_roles(self.candidates[number], fitting, member, demand.witness)

    def _repeats(self, number: int, demand: Demand, other_number: int, other: Demand) -> bool:
        """Whether packets of another skeleton take the same journey for the same reasons."""
        if number == other_number:
            return False
        skeleton = self.skeletons[number]
        fixed, free = skeleton.preferred, {field.name for field, _ in skeleton.symbolic}
        shared = set()
        for each in other.conditions:
            if variables(each) <= free:
                shared.add(each)
            elif not variables(each) <= fixed.keys() - free or not evaluate_term(each, fixed):
                return False
        return shared == set(demand.conditions)


def _without_unread_checksums(skeleton: Skeleton, demand: Demand, values: Mapping[str, int]) -> dict[str, int]:
    """Return the values without the checksums that no condition mentions, so that they are computed."""
    mentioned = frozenset[str]().union(*map(variables, demand.conditions))
    computed = {field.name for field, _ in skeleton.symbolic if field.computed}
    return {name: value for name, value in values.items() if name not in computed or name in mentioned}


def met_state(program: Hashable, core: SwitchCore) -> MetState:
    """Return the state of a program and a switch as journeys see it."""
    return MetState(program, forwarding_state(core))
