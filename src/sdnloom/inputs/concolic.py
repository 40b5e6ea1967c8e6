"""Input classes of handlers, found by concolic execution of the real code."""

import dataclasses
import re
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache, partial
from pathlib import PurePath
from time import monotonic

from sdnloom.engine.stop_points import check_limits, interruptible
from sdnloom.inputs.condition_text import HostNames, condition_text
from sdnloom.inputs.domains import Domain
from sdnloom.inputs.explorer import ConstantUse, HandlerMessages, HandlerQuestion, InputClass, InputClasses
from sdnloom.inputs.skeletons import Skeleton
from sdnloom.inputs.stacks import FieldFormat, StackField
from sdnloom.inputs.statistics import counter_laws
from sdnloom.network.events import HandlerRaised
from sdnloom.network.openflow import PacketIn
from sdnloom.network.program import MessageIn
from sdnloom.network.reply_counters import with_counters
from sdnloom.platforms.explorable import BranchFilter, ExplorableProgram, HandlerRun, MessageContent
from sdnloom.platforms.line_trace import Line, line_trace
from sdnloom.symbolic.execution import Execution
from sdnloom.symbolic.options import ExplorationOptions
from sdnloom.symbolic.path_search import PathRun, explore
from sdnloom.symbolic.result import NO_SIDES, Exploration, PathClass, SidesMet
from sdnloom.symbolic.run import CodeUnderTest
from sdnloom.symbolic.solver.flip import BranchFlipper
from sdnloom.symbolic.solver.guess import Preferred
from sdnloom.symbolic.solver.interface import SolverAnswer, find_solver
from sdnloom.symbolic.terms import constructors as terms
from sdnloom.symbolic.terms.constructors import Term, const
from sdnloom.symbolic.terms.evaluate import evaluate_term
from sdnloom.symbolic.terms.facts import Facts
from sdnloom.symbolic.terms.node import variables
from sdnloom.symbolic.terms.substitute import substitute
from sdnloom.symbolic.values.make import octet_terms, symbolic_bytes, symbolic_int

_KINDS = {
    FieldFormat.MAC: "mac",
    FieldFormat.IP4: "ipv4",
    FieldFormat.IP6: "ipv6",
    FieldFormat.HEX: "hex",
    FieldFormat.NUMBER: "dec",
}
_STRANGE = int.from_bytes(bytes.fromhex("36a5961e6a") * 4)  # no group address, no usual number
_MOST_HOLES = 16  # single values that a domain leaves out
_FILE = re.compile(r"/[^\s:()]*\.py(?=:)")


def variable(field: StackField) -> Term:
    """Return the variable of a field. Fields with the same name in different stacks share one variable."""
    return terms.var(field.name, field.bits, _KINDS[field.kind])


def in_domain(field: StackField, domain: Domain) -> Term:
    """Return the constraint that a field has a value of the domain."""
    term, intervals, holes = variable(field), domain.intervals, domain.holes
    if len(holes) <= _MOST_HOLES and all(low == high for low, high in holes):  # facts follow this form
        missing = (terms.ne(term, const(low, field.bits)) for low, _ in holes)
        return terms.all_(terms.between(term, intervals[0][0], intervals[-1][1]), *missing)
    return terms.any_(*(terms.between(term, low, high) for low, high in intervals))


@lru_cache(maxsize=256)  # the same in each state of a program
def frame_octets(skeleton: Skeleton) -> tuple[Term, ...]:
    """Return the terms of a frame's bytes."""
    return octet_terms(frame_term(skeleton))


def frame_term(skeleton: Skeleton) -> Term:
    """Return the term of a frame: variables for the followed fields, constants for the rest."""
    plain = skeleton.frame({})
    number, size = int.from_bytes(plain, "big"), 8 * len(plain)
    parts, at = [], 0
    for field, _ in sorted(skeleton.followed, key=lambda pair: pair[0].offset):
        if at < field.offset:
            parts.append(const(number >> (size - field.offset), field.offset - at))
        parts.append(variable(field))
        at = field.offset + field.bits
    if at < size:
        parts.append(const(number, size - at))
    return terms.concat(*parts)


@lru_cache(maxsize=256)
def constraints(skeleton: Skeleton) -> tuple[Term, ...]:
    """Return the constraints on a skeleton's followed fields."""
    domains = (in_domain(field, domain) for field, domain in skeleton.followed if not domain.covers(field))
    limited = (field for field, _ in skeleton.followed if field.most is not None)
    limits = (terms.ule(variable(field), const(field.max_value, field.bits)) for field in limited)
    laws = (terms.ule(_value_term(skeleton, low), _value_term(skeleton, high)) for low, high in counter_laws(skeleton))
    return (*domains, *limits, *laws)


def _value_term(skeleton: Skeleton, name: str) -> Term:
    """The variable of a field, or its value if the domain has only one."""
    field, domain = skeleton.stack.field(name), skeleton.domain(name)
    assert domain is not None
    return const(domain.first, field.bits) if domain.pinned else variable(field)


@lru_cache(maxsize=256)
def symbolic_constraints(skeleton: Skeleton) -> tuple[Term, ...]:
    """Return the constraints on a skeleton's symbolic fields alone."""
    return tuple(in_domain(field, domain) for field, domain in skeleton.symbolic if not domain.covers(field))


@lru_cache(maxsize=256)
def preferred_values(skeleton: Skeleton) -> Preferred:
    """Return the values of a skeleton's symbolic fields that are tried first."""
    return {field.name: domain.preferred_values for field, domain in skeleton.symbolic if not field.computed}


@lru_cache(maxsize=256)
def strange_values(skeleton: Skeleton) -> Mapping[str, int]:
    """Return values that are unlikely to be constants of a program, for the fields whose domains have one."""
    found = {}
    for field, domain in skeleton.symbolic:
        usual, pattern = set(domain.preferred_values), _STRANGE & field.max_value
        for value in (pattern, pattern ^ 2, pattern ^ 6):
            if value in domain and value not in usual:
                found[field.name] = value
                break
    return found


def different_values(skeleton: Skeleton, values: Mapping[str, int]) -> dict[str, int]:
    """Return values of the domains that differ from these where they can."""
    found = {}
    for field, domain in skeleton.followed:
        known = values.get(field.name, domain.first)
        near = (known ^ 1, known ^ 2, *domain.preferred_values)
        found[field.name] = next((each for each in near if each != known and each in domain), known)
    return found


@dataclass(frozen=True)
class HandlerTask:
    """A handler in one state as a function of the symbolic fields, ready to be explored."""

    run: CodeUnderTest
    variables: tuple[Term, ...]
    domain: tuple[Term, ...]
    initial: Mapping[str, int]


@dataclass(frozen=True)
class ConcolicOptions:
    """Options of one question; with `robust` the branches of parsers are explored too."""

    exploration: ExplorationOptions = dataclasses.field(default_factory=ExplorationOptions)
    robust: bool = False


class ConcolicExplorer:
    """Explores the handlers of a program. Law: an answer depends on the question alone."""

    def __init__(
        self,
        program: ExplorableProgram,
        options: ConcolicOptions | None = None,
        on_run: Callable[[HandlerQuestion, PathRun], None] | None = None,
    ) -> None:
        self.program, self.options, self._on_run = program, options or ConcolicOptions(), on_run

    def task(self, question: HandlerQuestion) -> HandlerTask:
        """Return the question as a task for the concolic engine."""
        program, skeleton = self.program, question.skeleton
        own = {str(file) for file in program.own_files}
        parsers = program.parsers if self.options.robust else ()
        ignores = BranchFilter(lambda name: name in own or name.startswith(parsers), program.library, program.quiet)
        content = symbolic_content(question)
        fixed = frozenset(skeleton.fixed)

        def run(execution: Execution) -> HandlerRun:
            check_limits()
            execution.ignores, execution.fixed = ignores, fixed
            values = {**skeleton.preferred, **execution.model}
            with interruptible("a handler"):
                return program.attempt(question.core, message_with(question, values), content(values))

        return HandlerTask(
            run,
            tuple(variable(field) for field, _ in skeleton.followed),
            constraints(skeleton),
            {field.name: domain.first for field, domain in skeleton.followed},
        )

    def explore(self, question: HandlerQuestion) -> "ConcolicClasses":
        """Return the input classes of a question."""
        task, options = self.task(question), self.options.exploration
        on_run = None if self._on_run is None else partial(self._on_run, question)
        found = explore(
            task.run,
            task.variables,
            task.domain,
            initial=task.initial,
            options=options,
            on_event=on_run,
            preferred=preferred_values(question.skeleton),
            before_query=check_limits,
        )
        gaps = tuple(f"{question.skeleton.stack.name}: {_short(reason)}" for reason in found.reasons)
        sides = found.sides if question.skeleton.follows else NO_SIDES
        classes = tuple(ConcolicClass(self, question, path) for path in found.classes)
        return ConcolicClasses(classes, gaps, sides, constants_of(found.classes), found)

    def traced_run(self, question: HandlerQuestion, values: Mapping[str, int]) -> tuple[HandlerRun, tuple[Line, ...]]:
        """Run the program once on concrete values; return its effects and the lines that it executed."""
        message = message_with(question, values)
        self.program.prepare(question.core)
        return line_trace(lambda: self.program.attempt(question.core, message), self.program.own_files)


def message_with(question: HandlerQuestion, values: Mapping[str, int]) -> MessageIn:
    """Return the message of a question with these values; other fields have their preferred value."""
    message = question.message
    if isinstance(message, PacketIn):
        frame = question.skeleton.frame(values)
        return MessageIn(question.switch, replace(message, data=frame, total_len=len(frame)))
    return MessageIn(question.switch, with_counters(message, {**question.skeleton.preferred, **values}))


def symbolic_content(question: HandlerQuestion) -> Callable[[Mapping[str, int]], MessageContent]:
    """Return a function from the values of a run to the symbolic content of the question's message."""
    message, skeleton = question.message, question.skeleton
    if isinstance(message, PacketIn):
        parts = frame_octets(skeleton)
        return lambda values: symbolic_bytes(skeleton.frame(values), parts)
    counters = {field.name: variable(field) for field, _ in skeleton.followed}
    return lambda values: with_counters(
        message,
        {
            name: symbolic_int(value, counters[name]) if name in counters else value
            for name, value in {**skeleton.preferred, **values}.items()
        },
    )


@dataclass(frozen=True)
class ConcolicClasses(InputClasses):
    """Answer to a question; `exploration` has the details."""

    classes: "tuple[ConcolicClass, ...]" = ()
    gaps: tuple[str, ...] = ()
    sides: SidesMet = NO_SIDES
    constants: frozenset[ConstantUse] = frozenset()
    exploration: Exploration = dataclasses.field(default_factory=lambda: Exploration((), True))


def constants_of(classes: Sequence[PathClass]) -> frozenset[ConstantUse]:
    """Return the constants that conditions compare a whole field with."""
    met = {(branch.condition, branch.site) for path in classes for branch in path.branches}
    found = set()
    for condition, site in met:
        if condition.op in ("eq", "ult"):
            for one, other in (condition.args, reversed(condition.args)):
                if one.op == "var" and other.op == "const":
                    found.add(ConstantUse(one.args[0], other.args[0], site))
    return frozenset(found)


def _short(reason: str) -> str:
    """Return a reason with file names instead of paths, so that it is the same on every machine."""
    return _FILE.sub(lambda match: PurePath(match[0]).name, reason)


class ConcolicClass:
    """The inputs that take one path."""

    def __init__(self, explorer: ConcolicExplorer, question: HandlerQuestion, path: PathClass) -> None:
        self.explorer, self.question, self.path = explorer, question, path

    @cached_property
    def mentioned(self) -> frozenset[str]:
        """The symbolic fields on which the path depends."""
        return frozenset().union(*map(variables, self.path.condition)).difference(self.question.skeleton.fixed)

    @cached_property
    def witness(self) -> Mapping[str, int]:
        """The values of the input that took the path."""
        return self._simplified(self._symbolic_fields(self.path.witness))

    @cached_property
    def _traced_run(self) -> tuple[HandlerRun, tuple[Line, ...]]:
        return self.explorer.traced_run(self.question, self.witness)

    @property
    def handler_run(self) -> HandlerRun:
        """The effects of the program on the witness."""
        return self._traced_run[0]

    @cached_property
    def samples(self) -> tuple[tuple[Mapping[str, int], HandlerMessages], ...]:
        """Members that show what the program makes of a field: one with values that no program writes, if there is one.

        Otherwise the witness and a member unlike it: a constant may be what one of them has by chance.
        """
        strange = strange_values(self.question.skeleton)
        other = self.model((), {**self.path.witness, **strange})
        if other is None or other == self.path.witness:
            return ((self.witness, self._messages(self.witness)),)
        values = self._symbolic_fields(other)
        sample = values, self._messages(values)
        fields = {field.name for field, _ in self.question.skeleton.symbolic if not field.computed}
        if all(strange.get(name) == other[name] for name in fields - self.mentioned):
            return (sample,)
        return (self.witness, self._messages(self.witness)), sample

    def _messages(self, values: Mapping[str, int]) -> HandlerMessages:
        return self.explorer.program.attempt(self.question.core, message_with(self.question, values)).messages

    @property
    def trail(self) -> Hashable:
        """The statements that the path executes."""
        return self.path.trail

    @property
    def raised(self) -> tuple[HandlerRaised, ...]:
        """The exceptions that escaped from handlers."""
        return tuple(event for event in self.handler_run.events if isinstance(event, HandlerRaised))

    @property
    def lines(self) -> tuple[Line, ...]:
        """The lines that the witness executes."""
        return self._traced_run[1]

    @property
    def readable(self) -> str:
        """The path condition as text."""
        return self.readable_with({})

    def readable_with(self, names: HostNames) -> str:
        """Return the path condition as text, with names of hosts; "any packet" or "any reply" if there is none."""
        such = "packet" if isinstance(self.question.message, PacketIn) else "reply"
        return condition_text(self.condition, names) or f"any {such}"

    @cached_property
    def condition(self) -> tuple[Term, ...]:
        """The path condition on symbolic fields, without the conditions that every packet of the skeleton satisfies."""
        skeleton, facts = self.question.skeleton, Facts()
        for each in constraints(skeleton):
            facts.learn(each, True)
        met = (substitute(each, skeleton.fixed) for each in self.path.condition)
        return tuple(each for each in dict.fromkeys(met) if each is not terms.TRUE and not facts.refutes(each, False))

    def repeats(self, other: InputClass) -> bool:
        """Whether a class of another skeleton takes the same path; they differ only in fields that are not read."""
        if not isinstance(other, ConcolicClass):
            return False
        fixed = self.question.skeleton.preferred
        free = {field.name for field, _ in self.question.skeleton.symbolic}
        shared = set()
        for each in other.condition:
            if variables(each) <= free:
                shared.add(each)
            elif not variables(each) <= fixed.keys() - free or not evaluate_term(each, fixed):
                return False
        return shared == set(self.condition) and self.path.trail == other.path.trail

    def contains(self, values: Mapping[str, int]) -> bool:
        """Whether a packet with these values, one for each symbolic field, is in the class."""
        whole = {**self.question.skeleton.fixed, **values}
        return all(evaluate_term(each, whole) for each in self.path.condition)

    def member(self, within: Mapping[str, Domain]) -> Mapping[str, int] | None:
        """Return values in these domains that take the path; None if there are none."""
        skeleton = self.question.skeleton
        extra = [in_domain(skeleton.stack.field(name), domain) for name, domain in within.items()]
        wish = {field.name: within.get(field.name, domain).first for field, domain in skeleton.symbolic}
        found = self.model(extra, {**self.path.witness, **wish})
        return None if found is None else self._simplified(self._symbolic_fields(found))

    def _simplified(self, values: Mapping[str, int]) -> Mapping[str, int]:
        """Return counters that take the same path and are as near to the preferred ones as bisection finds.

        A solver gives counters that the program does not read any value, and to others needlessly large ones.
        """
        if isinstance(self.question.message, PacketIn):
            return values
        found, laws = dict(values), constraints(self.question.skeleton)

        def fits(name: str, value: int) -> bool:
            model = {**self.question.skeleton.fixed, **found, name: value}
            return self.contains(model) and all(evaluate_term(each, model) for each in laws)

        for field, domain in self.question.skeleton.symbolic:
            name, near = field.name, domain.first
            if found[name] == near or fits(name, near):
                found[name] = near
                continue
            while abs(found[name] - near) > 1:
                middle = (found[name] + near) // 2
                near, found[name] = (near, middle) if fits(name, middle) else (middle, found[name])
        return found

    def model(self, extra: Sequence[Term], wish: Mapping[str, int]) -> Mapping[str, int] | None:
        """Return symbolic fields that take the path and satisfy `extra`, close to `wish`; None if there are none."""
        check_limits()
        domain = constraints(self.question.skeleton)
        options = self.explorer.options.exploration
        solver = find_solver(options.solver)
        make = (lambda constraints: solver(constraints, options.query_seconds)) if solver else None
        wanted, preferred = (*domain, *self.path.condition, *extra), preferred_values(self.question.skeleton)
        answer = BranchFlipper(wanted, make, monotonic, preferred=preferred).first({**self.path.witness, **wish})
        return None if isinstance(answer, SolverAnswer) else answer

    def _symbolic_fields(self, model: Mapping[str, int]) -> dict[str, int]:
        """Return the symbolic fields of a model without checksums that the program did not read: they are computed."""
        fields = {field.name: field for field, _ in self.question.skeleton.symbolic}
        return {
            name: value
            for name, value in model.items()
            if name in fields and (not fields[name].computed or name in self.mentioned)
        }
