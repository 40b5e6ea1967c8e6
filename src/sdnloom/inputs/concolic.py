"""Classes of packets by concolic execution of the real handler."""

import dataclasses
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from pathlib import PurePath

from sdnloom.inputs.classes import HandlerQuestion, InputClass, PacketClasses, Pattern
from sdnloom.inputs.domains import Domain
from sdnloom.inputs.skeletons import Skeleton
from sdnloom.inputs.stacks import FieldFormat, StackField
from sdnloom.inputs.statistics import rows
from sdnloom.network.events import HandlerRaised
from sdnloom.network.openflow import PacketIn
from sdnloom.network.program import MessageIn
from sdnloom.platforms.explorable import BranchFilter, Content, ExplorableProgram, HandlerRun
from sdnloom.platforms.line_trace import Line, line_trace
from sdnloom.symbolic.execution import Execution
from sdnloom.symbolic.explore import explore
from sdnloom.symbolic.options import ExplorationOptions
from sdnloom.symbolic.result import Exploration as Explored
from sdnloom.symbolic.result import PathClass
from sdnloom.symbolic.run import Run
from sdnloom.symbolic.solver.flip import BranchFlipper
from sdnloom.symbolic.solver.interface import SolverAnswer, find_solver
from sdnloom.symbolic.terms import constructors as terms
from sdnloom.symbolic.terms.constructors import Term, const
from sdnloom.symbolic.terms.evaluate import evaluate
from sdnloom.symbolic.terms.facts import Facts
from sdnloom.symbolic.terms.node import variables
from sdnloom.symbolic.terms.simplify import essential
from sdnloom.symbolic.values.make import octets, symbolic_bytes, symbolic_int

_KINDS = {
    FieldFormat.MAC: "mac",
    FieldFormat.IP4: "ipv4",
    FieldFormat.IP6: "ipv6",
    FieldFormat.HEX: "hex",
    FieldFormat.NUMBER: "dec",
}
_FILE = re.compile(r"/[^\s:()]*\.py(?=:)")


def variable(field: StackField) -> Term:
    """The variable of a field. Fields of one name are one variable, whatever the stack."""
    return terms.var(field.name, field.bits, _KINDS[field.kind])


def within(field: StackField, domain: Domain) -> Term:
    """The constraint that a field lies in a domain."""
    term = variable(field)
    return terms.any_(*(_between(term, low, high) for low, high in dict.fromkeys(domain.ranges)))


def _between(term: Term, low: int, high: int) -> Term:
    if low == high:
        return terms.eq(term, const(low, term.width))
    return terms.all_(terms.ule(const(low, term.width), term), terms.ule(term, const(high, term.width)))


@lru_cache(maxsize=256)  # asked for again in each state of a program
def frame_octets(skeleton: Skeleton) -> tuple[Term, ...]:
    """The bytes of a frame."""
    return octets(frame_term(skeleton))


def frame_term(skeleton: Skeleton) -> Term:
    """The bits of a frame: variables where the skeleton is symbolic, the rest as it is."""
    plain = skeleton.frame({})
    number, size = int.from_bytes(plain, "big"), 8 * len(plain)
    parts, at = [], 0
    for one, _ in sorted(skeleton.symbolic, key=lambda pair: pair[0].offset):
        if at < one.offset:
            parts.append(const(number >> (size - one.offset), one.offset - at))
        parts.append(variable(one))
        at = one.offset + one.bits
    if at < size:
        parts.append(const(number, size - at))
    return terms.concat(*parts)


@lru_cache(maxsize=256)
def constraints(skeleton: Skeleton) -> tuple[Term, ...]:
    """The domains of a skeleton's symbolic fields."""
    return tuple(within(field, domain) for field, domain in skeleton.symbolic if not domain.whole(field))


@dataclass(frozen=True)
class HandlerTask:
    """A handler in a state as a function of the symbolic fields of a packet."""

    run: Run
    variables: tuple[Term, ...]
    domain: tuple[Term, ...]
    initial: Mapping[str, int]


@dataclass(frozen=True)
class ConcolicOptions:
    """How to explore: the budgets and means of one question, and whether parsers are under test as well."""

    options: ExplorationOptions = dataclasses.field(default_factory=ExplorationOptions)
    robust: bool = False


class ConcolicExplorer:
    """Explores the handlers of a program. Answers depend on the question alone."""

    def __init__(self, subject: ExplorableProgram, means: ConcolicOptions | None = None) -> None:
        self.subject, self.means = subject, means or ConcolicOptions()

    def task(self, question: HandlerQuestion) -> "HandlerTask":
        """The question as what is to be explored."""
        subject, skeleton = self.subject, question.skeleton
        own = {str(file) for file in subject.own_files}
        heard = subject.parsers if self.means.robust else ()
        ignores = BranchFilter(lambda name: name in own or name.startswith(heard), subject.library, subject.quiet)
        symbolic = _symbolic(question)

        def run(execution: Execution) -> HandlerRun:
            execution.ignores = ignores
            values = {**skeleton.preferred, **execution.model}
            return subject.attempt(question.core, given(question, values), symbolic(values))

        return HandlerTask(
            run,
            tuple(variable(field) for field, _ in skeleton.symbolic),
            constraints(skeleton),
            {field.name: domain.first for field, domain in skeleton.symbolic},
        )

    def explore(self, question: HandlerQuestion) -> "ConcolicClasses":
        """The classes of packets of a question."""
        task = self.task(question)
        found = explore(task.run, task.variables, task.domain, initial=task.initial, options=self.means.options)
        gaps = tuple(f"{question.skeleton.stack.name}: {_short(reason)}" for reason in found.reasons)
        return ConcolicClasses(tuple(ConcolicClass(self, question, one) for one in found.classes), gaps, found)

    def once(self, question: HandlerQuestion, values: Mapping[str, int]) -> tuple[HandlerRun, tuple[Line, ...]]:
        """What the program does about one packet, and the lines that it runs through."""
        came = given(question, values)
        self.subject.prepare(question.core)
        return line_trace(lambda: self.subject.attempt(question.core, came), self.subject.own_files)


def given(question: HandlerQuestion, values: Mapping[str, int]) -> MessageIn:
    """The message of a question with these values; what is not among them has its preferred value."""
    message = question.message
    if isinstance(message, PacketIn):
        frame = question.skeleton.frame(values)
        return MessageIn(question.switch, replace(message, data=frame, total_len=len(frame)))
    return MessageIn(question.switch, replace(message, ports=rows(message, {**question.skeleton.preferred, **values})))


def _symbolic(question: HandlerQuestion) -> Callable[[Mapping[str, int]], Content]:
    """What the message of a question carries in a run, by the values of that run: values that know their terms."""
    message, skeleton = question.message, question.skeleton
    if isinstance(message, PacketIn):
        parts = frame_octets(skeleton)
        return lambda values: symbolic_bytes(skeleton.frame(values), parts)
    counters = {field.name: variable(field) for field, _ in skeleton.symbolic}
    return lambda values: rows(
        message,
        {
            name: symbolic_int(value, counters[name]) if name in counters else value
            for name, value in {**skeleton.preferred, **values}.items()
        },
    )


@dataclass(frozen=True)
class ConcolicClasses(PacketClasses):
    """What was found about a question; `found` has the details."""

    classes: "tuple[ConcolicClass, ...]" = ()
    found: Explored = dataclasses.field(default_factory=lambda: Explored((), True))


def _short(reason: str) -> str:
    """A reason with the names of files alone: it must read the same on every machine."""
    return _FILE.sub(lambda match: PurePath(match[0]).name, reason)


class ConcolicClass:
    """The packets that take one path."""

    def __init__(self, explorer: ConcolicExplorer, question: HandlerQuestion, path: PathClass) -> None:
        self.explorer, self.question, self.path = explorer, question, path

    @cached_property
    def mentioned(self) -> frozenset[str]:
        """The fields on which the path depends."""
        return frozenset().union(*map(variables, self.path.condition))

    @cached_property
    def witness(self) -> Mapping[str, int]:
        """The values of the packet that took the path."""
        return self._plain(self.path.witness)

    @cached_property
    def _once(self) -> tuple[HandlerRun, tuple[Line, ...]]:
        return self.explorer.once(self.question, self.witness)

    @property
    def attempt(self) -> HandlerRun:
        """What the program does about the witness."""
        return self._once[0]

    @property
    def raised(self) -> tuple[HandlerRaised, ...]:
        """The exceptions that escaped from handlers."""
        return tuple(event for event in self.attempt.events if isinstance(event, HandlerRaised))

    @property
    def lines(self) -> tuple[Line, ...]:
        """The lines that the witness runs through."""
        return self._once[1]

    @property
    def readable(self) -> str:
        """The path condition for people; "any packet" if there is none."""
        text = terms.text(terms.all_(*essential(self.condition)))
        return "any packet" if text == "true" else text

    @cached_property
    def condition(self) -> tuple[Term, ...]:
        """The path condition without what every packet of the skeleton meets anyway."""
        facts = Facts()
        for each in constraints(self.question.skeleton):
            facts.learn(each, True)
        return tuple(each for each in self.path.condition if not facts.refutes(each, False))

    def repeats(self, other: InputClass) -> bool:
        """Whether a class of another skeleton takes the same path, so that only what the program ignores differs."""
        if not isinstance(other, ConcolicClass):
            return False
        fixed = self.question.skeleton.preferred
        free = {field.name for field, _ in self.question.skeleton.symbolic}
        shared = set()
        for each in other.condition:
            if variables(each) <= free:
                shared.add(each)
            elif not variables(each) <= fixed.keys() - free or not evaluate(each, fixed):
                return False
        return shared == set(self.condition) and self.path.trail == other.path.trail

    def contains(self, values: Mapping[str, int]) -> bool:
        """Whether a packet with these values, one for each symbolic field, is in the class."""
        return all(evaluate(each, values) for each in self.path.condition)

    def member(self, within_: Mapping[str, Domain], avoiding: Sequence[Pattern]) -> Mapping[str, int] | None:
        """Values in these domains that agree with no pattern and take the path; None if there are none."""
        skeleton = self.question.skeleton
        extra = [within(skeleton.stack.field(name), domain) for name, domain in within_.items()]
        extra += [terms.not_(self._agreeing(pattern)) for pattern in avoiding]
        wish = {field.name: within_.get(field.name, domain).first for field, domain in skeleton.symbolic}
        found = self.model(extra, {**self.path.witness, **wish})
        return None if found is None else self._plain(found)

    def model(self, extra: Sequence[Term], wish: Mapping[str, int]) -> Mapping[str, int] | None:
        """Values of the symbolic fields that take the path and meet these constraints, near the wish."""
        domain = constraints(self.question.skeleton)
        options = self.explorer.means.options
        solver = find_solver(options.solver)
        make = (lambda constraints: solver(constraints, options.query_seconds)) if solver else None
        answer = BranchFlipper((*domain, *self.path.condition, *extra), make, time.monotonic).first(dict(wish))
        return None if isinstance(answer, SolverAnswer) else answer

    def _agreeing(self, pattern: Pattern) -> Term:
        parts = []
        fixed = self.question.skeleton.preferred
        for name, value, mask in pattern:
            field = self.question.skeleton.stack.field(name)
            domain = self.question.skeleton.domain(name)
            assert domain is not None
            term = const(fixed[name], field.bits) if domain.pinned else variable(field)
            masked = terms.bv_and(term, const(mask, field.bits))
            parts.append(terms.eq(masked, const(value, field.bits)))
        return terms.all_(*parts)

    def _plain(self, model: Mapping[str, int]) -> dict[str, int]:
        """A model without checksums that nobody looked at: they are to be right."""
        computed = {field.name for field, _ in self.question.skeleton.symbolic if field.computed}
        return {name: value for name, value in model.items() if name not in computed or name in self.mentioned}
