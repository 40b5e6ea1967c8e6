"""Symbolic answers to requests for statistics: NICE's `discover_stats` (section 3.3, figures 4 and 5).

The counters in a reply are named fields such as `port3.tx_bytes` or `flow1.byte_count`, and the replies of one class
take one path through the program's handler. Packets need pools, because a host sends a packet before the state in which
the program handles it is known; the counters of a reply can stay open until it is handled. So the classes are those of
that state, as in figure 5, without iteration. Pools of answers serve only to replay traces.

Replies are independent of each other: a counter may be less than in an earlier reply, as after a restart. Packets and
bytes are independent, too: many switches count only one of them.
"""

import re
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import replace

from sdnloom.engine.path import Path
from sdnloom.inputs.clients import DiscoveryError
from sdnloom.inputs.domains import Domain, DomainError, parse_domain
from sdnloom.inputs.explorer import Explorer, HandlerQuestion, InputClasses
from sdnloom.inputs.skeletons import Skeleton
from sdnloom.inputs.stacks import FieldFormat, Stack, StackError, StackField
from sdnloom.network.controller_component import CONTROLLER
from sdnloom.network.network import NamedAnswer, Network, StatisticsAnswer
from sdnloom.network.openflow import StatsReply
from sdnloom.network.reply_counters import (
    KINDS,
    answered,
    counter_bits,
    counter_limit,
    counters_like,
    is_counter,
    of_every_row,
    reply_counters,
    with_counters,
)
from sdnloom.network.switch import Switch, SwitchCore, receive_message

STATISTICS = "statistics"  # the name of the stack, and the first word of an answer's label
AnswerPools = Mapping[str, Mapping[str, NamedAnswer]]  # switch -> label -> the answer
_FORMS = "portN, flowN, tableN, portN.queueN, aggregate, groupN, groupN.bucketN, meterN or meterN.bandN"


def counter_field(name: str, offset: int = 0) -> StackField:
    """Return the field of a counter such as "port3.tx_bytes". Raises StackError for an unknown counter."""
    known, (place, _, counter) = counters_like(name), name.rpartition(".")
    if known is None:
        raise StackError(
            f"{name!r} is no counter; expected a name such as port3.tx_bytes or, for all ports, port.tx_bytes: "
            f"{_FORMS}, and a counter"
        )
    if counter not in known:
        raise StackError(f"{name!r} is no counter; expected {place}. and one of {', '.join(known)}")
    bits, most = counter_bits(name), counter_limit(name)
    return StackField(name, offset, bits, FieldFormat.NUMBER, most=None if most == (1 << bits) - 1 else most)


def check_counter(name: str, text: str) -> None:
    """Raise SdnloomError for an unknown counter or values that it cannot have."""
    parse_domain(counter_field(name), text)


def reply_skeleton(reply: StatsReply, overrides: Mapping[str, str], version: str) -> Skeleton:
    """Return the skeleton of a reply's counters, each with any value unless it is overridden.

    An override of one row wins over one of all rows, `port3.tx_bytes` over `port.tx_bytes`.
    """
    fields, domains, offset = list[StackField](), list[Domain](), 0
    for name, bits, most in reply_counters(reply, version):
        plain = counter_field(name, offset)
        field = plain if most == plain.max_value else replace(plain, most=most)
        text = overrides.get(name, overrides.get(of_every_row(name)))
        fields.append(field)
        domains.append(Domain.anything(field) if text is None else parse_domain(plain, text))
        offset += bits
    return Skeleton(Stack(STATISTICS, bytes(offset // 8), tuple(fields)), tuple(domains), follows=True)


def switch_reply(config: Switch, core: SwitchCore, kind: str, port: int) -> StatsReply:
    """Return what a switch in this state answers to a request for a kind. Raises DiscoveryError if it cannot."""
    (outcome, *_) = receive_message(config, core, KINDS[kind].request(port))
    (reply,) = outcome.messages
    if not isinstance(reply, StatsReply):
        raise DiscoveryError(f"this switch refuses a request for the statistics of {kind}; expected OpenFlow 1.3")
    return with_counters(reply, {})


def counter_laws(skeleton: Skeleton) -> tuple[tuple[str, str], ...]:
    """Return pairs of counters of which the first is never larger: a table matches at most what it looks up."""
    names = {field.name for field in skeleton.stack.fields} if skeleton.stack.name == STATISTICS else set()
    matched = sorted(name for name in names if name.endswith(".matched_count"))
    pairs = [(name, name.replace(".matched_count", ".lookup_count")) for name in matched]
    free = {field.name for field, _ in skeleton.symbolic}
    return tuple(pair for pair in pairs if not free.isdisjoint(pair))


# -- labels: discovered answers as text, in traces -----------------------------------------------------------------


def answer_of(values: Mapping[str, int]) -> StatisticsAnswer:
    """Return the answer with these values: the counters that are not 0."""
    return tuple((name, value) for name, value in values.items() if value)


def answer_label(answer: StatisticsAnswer) -> str:
    """Return the answer as text, such as "statistics port3.tx_bytes=5"."""
    return " ".join([STATISTICS, *(f"{name}={value}" for name, value in answer)])


def parse_answer_label(label: str) -> StatisticsAnswer:
    """Return the answer of a label. Raises SdnloomError for a text that is no label."""
    values = {}
    for part in label.split()[1:]:
        name, sign, text = part.partition("=")
        domain = parse_domain(counter_field(name), text) if sign else None
        every = name == of_every_row(name) and not name.startswith("aggregate.")
        if domain is None or not domain.pinned or every:
            raise DomainError(f"{part!r} in the answer {label!r}; expected a counter and its value: port3.tx_bytes=5")
        values[name] = domain.first
    return answer_of(values)


def _in_order(answer: StatisticsAnswer) -> list[tuple[list[str | int], int]]:
    """A key that sorts answers by the numbers in the names of their counters."""
    return [([int(x) if x.isdigit() else x for x in re.split(r"(\d+)", name)], value) for name, value in answer]


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
        self.asked: list[tuple[Skeleton, InputClasses]] = []  # questions with the branches of their answers
        self._found: dict[HandlerQuestion, tuple[NamedAnswer, ...]] = {}

    def answers(self, core: Hashable, switch: str, reply: StatsReply) -> tuple[NamedAnswer, ...]:
        """Return one answer for each class of replies that the program in this state tells apart."""
        skeleton = reply_skeleton(reply, self.overrides, self.version)
        question = HandlerQuestion(core, switch, answered(reply, ()), skeleton)
        if question not in self._found:
            answer = self.explorer.explore(question)
            self.gaps.update(dict.fromkeys(answer.gaps))
            self.asked.append((skeleton, InputClasses(sides=answer.sides, constants=answer.constants)))
            members = (each.member({}) or each.witness for each in answer.classes)
            found = sorted({answer_of({**skeleton.preferred, **values}) for values in members}, key=_in_order)
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
        return {
            switch: dict(sorted(pool.items(), key=lambda item: _in_order(item[1][1]))) for switch, pool in pools.items()
        }
