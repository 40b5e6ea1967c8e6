"""Symbolic answers to requests for port statistics: NICE's `discover_stats` (section 3.3, figures 4 and 5).

The counters of each port in a reply are named fields such as `port3.tx_bytes`, and the replies of one class take one
path through the program's handler. Packets need pools, because a host sends a packet before the state in which the
program handles it is known; the counters of a reply can stay open until it is handled. So the classes are those of that
state, as in figure 5, without iteration. Pools of answers serve only to replay traces.
"""

import re
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import replace

from sdnloom.engine.path import Path
from sdnloom.inputs.domains import Domain, DomainError, parse_domain
from sdnloom.inputs.explorer import Explorer, HandlerQuestion
from sdnloom.inputs.skeletons import Skeleton
from sdnloom.inputs.stacks import FieldFormat, Stack, StackError, StackField
from sdnloom.network.controller_component import CONTROLLER
from sdnloom.network.network import NamedAnswer, Network, PortAnswer
from sdnloom.network.openflow import Port, PortStats, PortStatsReply
from sdnloom.network.statistics import COUNTERS, answered
from sdnloom.network.topology.spec import SwitchPort

STATISTICS = "statistics"  # the name of the stack, and the first word of an answer's label
AnswerPools = Mapping[str, Mapping[str, NamedAnswer]]  # switch -> label -> the answer
_NAME = re.compile(r"port([1-9]\d{0,9})\.(\w+)", re.ASCII)
_NEW = ("duration_sec", "duration_nsec")  # since OpenFlow 1.3
_BITS = {name: 32 if name in _NEW else 64 for name in COUNTERS}


def counter_field(name: str, offset: int = 0) -> StackField:
    """Return the field of a counter such as "port3.tx_bytes". Raises StackError for an unknown counter."""
    match = _NAME.fullmatch(name)
    if match is None or match[2] not in _BITS:
        raise StackError(f"{name!r} is no counter of a port; expected portN. and one of {', '.join(COUNTERS)}")
    return StackField(name, offset, _BITS[match[2]], FieldFormat.NUMBER)


def is_counter(name: str) -> bool:
    """Whether the name of a field is meant as a counter of port statistics."""
    return re.match(r"port\d", name) is not None


def check_counter(name: str, text: str) -> None:
    """Raise SdnloomError for an unknown counter or values that it cannot have."""
    parse_domain(counter_field(name), text)


def reply_skeleton(reply: PortStatsReply, overrides: Mapping[str, str], version: str) -> Skeleton:
    """Return the skeleton of a reply's counters, each with any value unless it is overridden."""
    fields: list[StackField] = []
    for row in (each for each in reply.ports if each.port_no != Port.LOCAL):  # LOCAL is down and counts nothing
        for name in COUNTERS:
            if version != "1.0" or name not in _NEW:
                last = fields[-1] if fields else None
                fields.append(counter_field(f"port{row.port_no}.{name}", last.offset + last.bits if last else 0))
    domains = [
        parse_domain(each, overrides[each.name]) if each.name in overrides else Domain.anything(each) for each in fields
    ]
    size = sum(each.bits for each in fields) // 8
    return Skeleton(Stack(STATISTICS, bytes(size), tuple(fields)), tuple(domains))


def port_reply(port: SwitchPort) -> PortStatsReply:
    """Return a reply about one port."""
    return PortStatsReply((PortStats(port.port),))


def reply_rows(reply: PortStatsReply, values: Mapping[str, int]) -> tuple[PortStats, ...]:
    """Return the rows of a reply with these values of its fields; other counters are 0."""
    return tuple(
        PortStats(
            row.port_no,
            **{name: values[key] for name in COUNTERS if (key := f"port{row.port_no}.{name}") in values},
        )
        for row in reply.ports
    )


# -- labels: discovered answers as text, in traces -----------------------------------------------------------------


def answer_of(values: Mapping[str, int]) -> PortAnswer:
    """Return the answer with these values: the counters that are not 0."""
    found = []
    for name, value in values.items():
        port, _, counter = name.removeprefix("port").partition(".")
        if value:
            found.append((int(port), counter, value))
    return tuple(found)


def answer_label(answer: PortAnswer) -> str:
    """Return the answer as text, such as "statistics port3.tx_bytes=5"."""
    return " ".join([STATISTICS, *(f"port{port}.{counter}={value}" for port, counter, value in answer)])


def parse_answer_label(label: str) -> PortAnswer:
    """Return the answer of a label. Raises SdnloomError for a text that is no label."""
    values = {}
    for part in label.split()[1:]:
        name, sign, text = part.partition("=")
        domain = parse_domain(counter_field(name), text) if sign else None
        if domain is None or not domain.pinned:
            raise DomainError(f"{part!r} in the answer {label!r}; expected a counter and its value: port3.tx_bytes=5")
        values[name] = domain.first
    return answer_of(values)


# -- pools of answers ------------------------------------------------------------------------------------------------


def with_statistics_discovery(network: Network) -> Network:
    """Return the network whose switches send discovered statistics instead of the configured ones."""
    return replace(network, statistics=(), answers=())


def with_answers(network: Network, pools: AnswerPools) -> Network:
    """Return the network whose switches choose from these answers, if its statistics are discovered."""
    if network.answers is None:
        return network
    filled = tuple((switch, tuple(pool.values())) for switch, pool in sorted(pools.items()))
    return replace(network, answers=filled)


def answer_pools(network: Network) -> AnswerPools:
    """Return the discovered answers of a network."""
    return {switch: {label: (label, answer) for label, answer in pool} for switch, pool in network.answers or ()}


def replayed_answers(path: Path) -> AnswerPools:
    """Return pools with the discovered answers that a path names. Raises SdnloomError for a wrong label."""
    pools: dict[str, dict[str, NamedAnswer]] = {}
    for step in path.steps:
        label = step.choice.partition("; ")[0]
        if step.component == CONTROLLER and label.split(maxsplit=1)[:1] == [STATISTICS]:
            switch = step.action.removeprefix("handle ")
            pools.setdefault(switch, {})[label] = (label, parse_answer_label(label))
    return pools


class StatisticsDiscovery:
    """Discovers the answers that a program tells apart, in the state in which it handles a reply, and stores them."""

    def __init__(self, network: Network, explorer: Explorer, overrides: Iterable[tuple[str, str]]) -> None:
        self.explorer, self.version = explorer, network.switches.version
        self.overrides = {name: text for name, text in overrides if is_counter(name)}
        self.gaps: dict[str, None] = {}  # why answers may be missing
        self._found: dict[HandlerQuestion, tuple[NamedAnswer, ...]] = {}

    def answers(self, core: Hashable, switch: str, reply: PortStatsReply) -> tuple[NamedAnswer, ...]:
        """Return one answer for each class of replies that the program in this state tells apart."""
        skeleton = reply_skeleton(reply, self.overrides, self.version)
        question = HandlerQuestion(core, switch, answered(reply, ()), skeleton)
        if question not in self._found:
            answer = self.explorer.explore(question)
            self.gaps.update(dict.fromkeys(answer.gaps))
            members = (each.member({}, ()) or each.witness for each in answer.classes)
            found = sorted({answer_of({**skeleton.preferred, **values}) for values in members})
            self._found[question] = tuple((answer_label(each), each) for each in found)
        return self._found[question]

    @property
    def questions(self) -> int:
        """The number of different questions that the explorer was asked."""
        return len(self._found)

    @property
    def pools(self) -> AnswerPools:
        """The answers of each switch."""
        pools: dict[str, dict[str, NamedAnswer]] = {}
        for question, found in self._found.items():
            pools.setdefault(question.switch, {}).update({label: (label, answer) for label, answer in found})
        return {switch: dict(sorted(pool.items(), key=lambda item: item[1][1])) for switch, pool in pools.items()}
