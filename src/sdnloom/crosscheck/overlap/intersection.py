"""The inputs on which two partitions disagree, one for each pair of groups that have one in common.

Witnesses of all classes come first: each is looked up in the other partition. Then the solver is asked, for each group
of the agent with fewer groups, for an input of the group that the other agent answers in another way, apart from the
pairs that are known; so the number of queries is about that of groups and pairs found, not a product. A query that
the solver gives up is divided: the classes of the group are asked in halves. Laws: each pair has a witness whose two
concrete outputs differ; if `reasons` is empty, no other pair of groups has a common input with different outputs.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from sdnloom.crosscheck.output import AgentOutput
from sdnloom.crosscheck.overlap.class_index import ClassIndex
from sdnloom.crosscheck.overlap.groups import OutputGroup, group_condition, groups_by_class, groups_of
from sdnloom.crosscheck.overlap.output_terms import output_shape, outputs_differ
from sdnloom.crosscheck.partition import INTERRUPTED
from sdnloom.crosscheck.switch_test import Case
from sdnloom.symbolic.solver.interface import Solver, SolverAnswer
from sdnloom.symbolic.terms.constructors import FALSE, TRUE, all_, any_, not_
from sdnloom.symbolic.terms.node import Term

NO_TIME: Final = "the time limit was reached before all groups were compared"
NO_SOLVER: Final = (
    "no solver is in use, so only the witnesses of classes were compared: pip install 'sdnloom[symbolic]'"
)


@dataclass(frozen=True, slots=True)
class DifferentInput:
    """An input with two different outputs: the numbers of its groups, its values, and both outputs."""

    pair: tuple[int, int]
    values: Mapping[str, int]
    outputs: tuple[AgentOutput, AgentOutput]


@dataclass(slots=True)
class CaseIntersection:
    """What was found for one case. `inputs` has all inputs found, `pairs` the first one of each pair of groups."""

    case: str
    groups: tuple[tuple[OutputGroup, ...], tuple[OutputGroup, ...]]
    pairs: dict[tuple[int, int], DifferentInput] = field(default_factory=dict)
    inputs: list[DifferentInput] = field(default_factory=list)
    reasons: dict[str, None] = field(default_factory=dict)
    compared: int = 0  # inputs that were looked up in both partitions
    not_compared: int = 0  # witnesses for which one of the partitions has no class
    queries: int = 0
    ended: bool = False  # by Ctrl-C or by a limit of the whole run


class CaseComparer:
    """Compares two partitions in one case."""

    def __init__(
        self,
        indexes: tuple[ClassIndex, ClassIndex],
        case: Case,
        *,
        per_path: bool = False,
        solver: Solver | None = None,
        overdue: Callable[[], bool] = lambda: False,
        on_query: Callable[[CaseIntersection], Any] = lambda found: None,
    ) -> None:
        self.case = case
        self._indexes = indexes
        self._solver = solver
        self._overdue = overdue
        self._on_query = on_query
        first, second = (groups_of(index.partition, case.name, per_path) for index in indexes)
        self.found = CaseIntersection(case.name, (first, second))
        self._group_of = groups_by_class(first), groups_by_class(second)
        self._conditions: dict[tuple[int, int], Term] = {}  # of groups, by agent and number
        self._asked = 0 if len(first) <= len(second) else 1  # the agent whose groups are asked about
        self._partners: dict[int, list[int]] = {}  # groups of the other agent that are known to differ from one
        self._by_shape: dict[object, list[int]] = {}
        for number, group in enumerate(self.found.groups[1 - self._asked]):
            self._by_shape.setdefault(output_shape(group.output), []).append(number)

    def run(self) -> CaseIntersection:
        """Return all that is found; Ctrl-C ends it with what was found so far."""
        try:
            self._look_up_witnesses()
            for index in self._indexes:
                if index.partition.complete and index.find(self.case.name, self.case.defaults()) is None:
                    self._refute(index, "the harmless input has no class")
            if all(index.partition.kind == "paths" for index in self._indexes):
                self._ask_solver()
        except KeyboardInterrupt as interrupt:  # its text, if it has one, is the limit that ended the run
            self.found.reasons.setdefault(str(interrupt) or INTERRUPTED)
            self.found.ended = True
        return self.found

    def look_up(self, values: Mapping[str, int]) -> DifferentInput | None:
        """Return the difference for an input; None if there is none, or if a partition does not know the input."""
        first, second = self._indexes
        one, other = first.find(self.case.name, values), second.find(self.case.name, values)
        if one is None or other is None:
            self.found.not_compared += 1
            return None
        self.found.compared += 1
        outputs = first.class_output(one, values), second.class_output(other, values)
        if outputs[0] == outputs[1]:
            return None
        return DifferentInput((self._group_of[0][one], self._group_of[1][other]), dict(values), outputs)

    def _look_up_witnesses(self) -> None:
        seen: set[tuple[int, ...]] = set()
        names = [variable.name for variable in self.case.variables]
        for index in self._indexes:
            for each in index.partition.classes:
                if each.case == self.case.name:
                    key = tuple(each.witness[name] for name in names)
                    if key not in seen:
                        seen.add(key)
                        self._note(self.look_up(each.witness))

    def _note(self, different: DifferentInput | None) -> bool:
        """Keep a difference; return whether its pair of groups is new."""
        if different is None:
            return False
        self.found.inputs.append(different)
        if different.pair in self.found.pairs:
            return False
        self.found.pairs[different.pair] = different
        self._partners.setdefault(different.pair[self._asked], []).append(different.pair[1 - self._asked])
        return True

    # -- the solver ----------------------------------------------------------------------------------------------------

    def _ask_solver(self) -> None:
        if self._solver is None:
            if self.case.variables:
                self.found.reasons.setdefault(NO_SOLVER)
            return
        for index in self._indexes:
            self._check_claim(index)
        known = self._known_inputs(self._indexes[1 - self._asked])
        for place, group in enumerate(self.found.groups[self._asked]):
            self._ask_about(place, group.classes, known)

    def _known_inputs(self, index: ClassIndex) -> Term:
        """Return the condition that a partition has a class for an input."""
        classes = index.partition.classes
        return group_condition(classes, (n for n, each in enumerate(classes) if each.case == self.case.name))

    def _check_claim(self, index: ClassIndex) -> None:
        """Check that a partition that says it is complete has a class for every input: files may be wrong."""
        partition = index.partition
        if not partition.complete:
            return
        rest = not_(self._known_inputs(index))
        answer: Any = SolverAnswer.UNSAT if rest is FALSE else self._query((), rest)
        if answer is not SolverAnswer.UNSAT:
            unknown = answer is SolverAnswer.UNKNOWN
            self._refute(index, "this could not be checked" if unknown else "some inputs have no class")

    def _refute(self, index: ClassIndex, why: str) -> None:
        agent = index.partition.agent
        self.found.reasons.setdefault(
            f"the partition of {agent} says that it is complete, but {why} (case {self.case.name})"
        )

    def _ask_about(self, place: int, classes: tuple[int, ...], known: Term) -> None:
        """Find the groups of the other agent that differ from some of the classes of a group."""
        whole = classes == self.found.groups[self._asked][place].classes
        partition = self._indexes[self._asked].partition
        member = self.group_condition(self._asked, place) if whole else group_condition(partition.classes, classes)
        while True:
            if self._overdue():
                self.found.reasons.setdefault(NO_TIME)
                return
            answer = self._query((member,), all_(known, *self._elsewhere(place)))
            if answer is SolverAnswer.UNSAT:
                return
            if isinstance(answer, SolverAnswer):
                if len(classes) == 1:
                    self.found.reasons.setdefault(f"the solver gave up some queries (case {self.case.name})")
                    return
                half = len(classes) // 2
                self._ask_about(place, classes[:half], known)
                self._ask_about(place, classes[half:], known)
                return
            if not self._note(self.look_up(answer)):
                self.found.reasons.setdefault(f"classes of a partition overlap (case {self.case.name})")
                return

    def _elsewhere(self, place: int) -> Iterator[Term]:
        """Yield the conditions under which an input of a group is answered in another way, known pairs left out."""
        other = 1 - self._asked
        output = self.found.groups[self._asked][place].output
        left_out = set(self._partners.get(place, ()))
        for number in self._by_shape.get(output_shape(output), ()):
            if number not in left_out:
                unequal = outputs_differ(output, self.found.groups[other][number].output)
                if unequal is FALSE:
                    left_out.add(number)
                elif unequal is not TRUE:
                    yield any_(not_(self.group_condition(other, number)), unequal)
        for number in sorted(left_out):
            yield not_(self.group_condition(other, number))

    def group_condition(self, agent: int, number: int) -> Term:
        """Return the condition of a group of the first (0) or second (1) agent."""
        if (agent, number) not in self._conditions:
            classes = self._indexes[agent].partition.classes
            self._conditions[agent, number] = group_condition(classes, self.found.groups[agent][number].classes)
        return self._conditions[agent, number]

    def pair_condition(self, pair: tuple[int, int]) -> Term:
        """Return the condition under which an input is in both groups of a pair and its outputs differ."""
        outputs = [self.found.groups[agent][number].output for agent, number in enumerate(pair)]
        both = (self.group_condition(agent, number) for agent, number in enumerate(pair))
        return all_(*both, outputs_differ(*outputs))

    def ask(self, goal: Term) -> dict[str, int] | None:
        """Return an input of the case that satisfies a condition; None if there is none, or none is found."""
        if self._solver is None or self._overdue():
            return None
        answer = self._query((), goal)
        return None if isinstance(answer, SolverAnswer) else answer

    def _query(self, prefix: Sequence[Term], goal: Term) -> dict[str, int] | SolverAnswer:
        """Return an input of the case, or why there is none."""
        assert self._solver is not None
        self.found.queries += 1
        self._on_query(self.found)
        answer = self._solver.check(prefix, goal)
        return answer if isinstance(answer, SolverAnswer) else {**self.case.defaults(), **answer}
