"""Generational search over the paths of a program: run, flip each new branch, run the inputs found.

The paths found form a tree of decisions. A side of a branch is tried once: it is taken by a run, known to be
infeasible, or left open for a stated reason. The order of the search depends on the program and the domain alone.
"""

import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sdnloom.errors import SdnloomError
from sdnloom.symbolic.execution import STORE, Branch, Site
from sdnloom.symbolic.options import ExplorationOptions
from sdnloom.symbolic.result import BranchSide, Divergence, Exploration, ExplorationStatistics, PathClass, SidesMet
from sdnloom.symbolic.run import CodeUnderTest, run_once
from sdnloom.symbolic.shims.libraries import followed_libraries
from sdnloom.symbolic.solver.flip import BranchFlipper, connected_variables
from sdnloom.symbolic.solver.guess import NO_PREFERENCE, Preferred
from sdnloom.symbolic.solver.interface import SolverAnswer, find_solver
from sdnloom.symbolic.terms.constructors import not_, term_text
from sdnloom.symbolic.terms.evaluate import evaluate_term
from sdnloom.symbolic.terms.memo import term_memory
from sdnloom.symbolic.terms.node import Term
from sdnloom.symbolic.terms.node import variables as variables_of


class ExplorationError(SdnloomError):
    """Variables or constraints that cannot be explored."""


@dataclass(frozen=True, slots=True)
class PathRun:
    """Progress event: one more run. `found` is its class, unless it was cut, discarded or a repetition."""

    paths: int
    classes: int
    waiting: int
    found: PathClass | None


def explore(
    run: CodeUnderTest,
    variables: Sequence[Term],
    domain: Sequence[Term] = (),
    *,
    initial: Mapping[str, int] | None = None,
    options: ExplorationOptions | None = None,
    clock: Callable[[], float] = time.monotonic,
    on_event: Callable[[PathRun], None] | None = None,
    preferred: Preferred = NO_PREFERENCE,
    before_query: Callable[[], None] = lambda: None,
) -> Exploration:
    """Return the classes of inputs that take different paths through `run`, each with an input and its output.

    `run` is called with an execution, whose `value(name)` gives the inputs, and must be deterministic in them. The
    search starts near `initial`, which may leave out variables; inputs have `preferred` values if others do not matter.
    Ctrl-C ends it with the classes found so far, and so does a KeyboardInterrupt of `before_query`, which is called
    before each branch is flipped.
    """
    search = _Search(run, variables, domain, options or ExplorationOptions(), clock, on_event, preferred, before_query)
    with followed_libraries(), term_memory():  # for all runs at once
        return search.explore(_initial_values(initial or {}, variables))


class _Node:
    """A node of the tree of decisions: the next condition, and the nodes that follow its values."""

    __slots__ = ("branch", "ended", "follow")

    def __init__(self) -> None:
        self.branch: Branch | None = None
        self.ended = False
        self.follow: dict[tuple[Term, bool], _Node] = {}


@dataclass(frozen=True, slots=True)
class _Path:
    model: Mapping[str, int]
    branches: tuple[Branch, ...]
    nodes: tuple[_Node, ...]  # before each branch
    known: int  # leading branches that earlier paths have
    sound: int  # leading branches whose conditions have the values that the program computed


class _Search:
    def __init__(
        self,
        run: CodeUnderTest,
        variables: Sequence[Term],
        domain: Sequence[Term],
        options: ExplorationOptions,
        clock: Callable[[], float],
        on_event: Callable[[PathRun], None] | None,
        preferred: Preferred,
        before_query: Callable[[], None],
    ) -> None:
        _check(variables, domain)
        self._variables = tuple(variables)
        solver = find_solver(options.solver)
        self._has_solver = solver is not None
        self._inputs = BranchFlipper(
            domain,
            (lambda constraints: solver(constraints, options.query_seconds)) if solver else None,
            clock,
            options.guess,
            preferred,
        )
        self._constrained = frozenset[str]().union(*map(variables_of, domain))
        self._taken: set[BranchSide] = set()
        self._refused: dict[BranchSide, dict[tuple[Term, ...], None]] = {}
        self._run, self._options, self._clock, self._on_event = run, options, clock, on_event
        self._before_query = before_query
        self._started = clock()
        self._root = _Node()
        self._classes: list[PathClass] = []
        self._divergences: list[Divergence] = []
        self._concretised: dict[Site, int] = {}
        self._cut: list[str] = []
        self._paths = self._branches = self._unrecorded = self._unanswered = 0
        self._out_of_time = False

    def explore(self, wish: Mapping[str, int]) -> Exploration:
        ended: list[str] = []
        try:
            model = self._inputs.first(wish)
            if isinstance(model, SolverAnswer):
                return self._result([self._no_inputs(model)])
            ended = self._generations(model)
        except KeyboardInterrupt as interrupt:  # its text, if it has one, is the limit that ended the run
            ended = [str(interrupt) or "interrupted from the keyboard"]
        return self._result(ended)

    def _generations(self, model: Mapping[str, int]) -> list[str]:
        """Run the model and all inputs that its paths lead to; return the budget that ended the search, if one did."""
        waiting: deque[Iterator[tuple[Mapping[str, int], Sequence[Branch]]]] = deque([iter([(model, ())])])
        while waiting:
            for inputs, predicted in waiting[0]:
                path = self._run_once(inputs, predicted, len(waiting))
                if path is not None:
                    waiting.append(self._flips(path))
                if self._paths >= self._options.paths and any(self._has_next(rest) for rest in waiting):
                    return [f"the budget of {self._options.paths} paths is used up"]
                if self._overdue():
                    break
            if self._out_of_time:
                return [f"the time limit of {self._options.seconds:g} s is reached"]
            waiting.popleft()
        return []

    def _has_next(self, flips: Iterator[Any]) -> bool:
        return next(flips, None) is not None

    def _overdue(self) -> bool:
        if self._options.seconds is not None and self._clock() - self._started >= self._options.seconds:
            self._out_of_time = True
        return self._out_of_time

    def _run_once(self, model: Mapping[str, int], predicted: Sequence[Branch], waiting: int) -> _Path | None:
        """Run once and add the path to the tree; return the path if it is new."""
        overdue = self._overdue if self._options.seconds is not None else None
        done = run_once(self._run, model, self._options, predicted, overdue)
        self._paths += 1
        self._branches += len(done.branches)
        self._unrecorded += done.execution.unrecorded_branches
        for site, times in done.execution.concretisations.items():
            self._concretised[site] = self._concretised.get(site, 0) + times
        if done.execution.limit is not None:
            self._cut.append(done.execution.limit)
        self._taken.update(self._side(*each) for each in done.execution.repeated)
        path = self._add_to_tree(model, done.branches, predicted)
        found = None
        if path is not None and done.finished:
            found = PathClass(done.branches, dict(model), done.output, done.exception, tuple(done.execution.trail))
            self._classes.append(found)
        if self._on_event is not None:
            self._on_event(PathRun(self._paths, len(self._classes), waiting, found))
        return path

    def _add_to_tree(
        self, model: Mapping[str, int], branches: tuple[Branch, ...], predicted: Sequence[Branch]
    ) -> _Path | None:
        """Add the path to the tree and compare it with the prediction; return None if it is not new."""
        if not self._as_predicted(model, branches, predicted):
            predicted = ()
        node, nodes, known, sound = self._root, [], 0, len(branches)
        for number, branch in enumerate(branches):
            if number >= len(predicted) and self._value(branch, model) is not branch.taken:
                self._diverged(
                    branch, f"{term_text(branch.condition)} to be {not branch.taken}", f"{branch.taken}", model
                )
                sound = min(sound, number)
            if node.branch is None:
                node.branch = branch
            if node.ended or node.branch.condition is not branch.condition:
                before = term_text(node.branch.condition) if not node.ended else "the end of the run"
                self._diverged(branch, before, term_text(branch.condition), model)
            nodes.append(node)
            following = node.follow.get((branch.condition, branch.taken))
            if following is None:
                following = node.follow[branch.condition, branch.taken] = _Node()
                self._taken.add(self._side(branch.condition, branch.taken, branch.site))
            else:
                known = number + 1
            node = following
        if node.ended:
            return None
        if node.branch is not None:
            self._diverged(None, term_text(node.branch.condition), "the end of the run", model)
        node.ended = True
        return _Path(model, branches, tuple(nodes), known, sound)

    def _value(self, branch: Branch, model: Mapping[str, int]) -> bool:
        try:
            return bool(evaluate_term(branch.condition, model))
        except KeyError as error:
            raise ExplorationError(
                f"{branch.site}: a condition mentions the variable {error}, which is not declared"
            ) from None

    def _as_predicted(self, model: Mapping[str, int], branches: Sequence[Branch], predicted: Sequence[Branch]) -> bool:
        for number, expected in enumerate(predicted):
            actual = branches[number] if number < len(branches) else None
            if actual is None or actual.condition is not expected.condition or actual.taken is not expected.taken:
                found = _literal_text(actual) if actual else "the end of the run"
                self._diverged(actual or expected, _literal_text(expected), found, model)
                return False
        return True

    def _diverged(self, branch: Branch | None, predicted: str, actual: str, model: Mapping[str, int]) -> None:
        self._divergences.append(Divergence(branch.site if branch else None, predicted, actual, dict(model)))

    def _flips(self, path: _Path) -> Iterator[tuple[Mapping[str, int], Sequence[Branch]]]:
        """Yield inputs for the other side of each new branch of this path, with the branches predicted for them."""
        facts = self._inputs.facts.copy()
        literals: list[tuple[Term, bool]] = []
        for number, branch in enumerate(path.branches[: path.sound]):
            condition, taken, _, assumed, _ = branch
            node = path.nodes[number]
            if number >= path.known and not assumed and (condition, not taken) not in node.follow:
                if self._overdue():
                    return
                self._before_query()
                answer = self._inputs.flip(literals, condition, not taken, path.model, facts)
                if answer is SolverAnswer.UNKNOWN:
                    self._unanswered += 1
                elif answer is SolverAnswer.UNSAT:
                    self._note_refused(branch, literals)
                else:
                    yield answer, (*path.branches[:number], branch._replace(taken=not taken))
            facts.learn(condition, taken)
            literals.append((condition, taken))

    def _note_refused(self, branch: Branch, literals: list[tuple[Term, bool]]) -> None:
        """Note that no input of the domain takes the other side of a branch behind these literals."""
        side = self._side(branch.condition, not branch.taken, branch.site)
        if branch.pinned is not None or branch.site.construct == STORE or side in self._taken:
            return
        names = connected_variables(branch.condition, literals)
        if not names.isdisjoint(self._constrained):
            near = [_literal(*each) for each in literals if not names.isdisjoint(variables_of(each[0]))]
            way = (*near, _literal(branch.condition, side.taken))
            self._refused.setdefault(side, {}).setdefault(way)

    def _side(self, condition: Term, taken: bool, site: Site) -> BranchSide:
        """Return a side; variables with one value do not count besides others, as a constant would not."""
        if condition.op == "not":
            condition, taken = condition.args[0], not taken
        names = variables_of(condition)
        return BranchSide(site, names.difference(self._inputs.facts.fixed) or names, taken)

    def _no_inputs(self, verdict: SolverAnswer) -> str:
        if verdict is SolverAnswer.UNKNOWN:
            return f"no inputs were found that satisfy the domain constraints ({self._why_unknown()})"
        clash = " and ".join(f"({term_text(constraint)})" for constraint in self._inputs.contradiction())
        return f"the domain constraints are unsatisfiable, so there are no inputs: {clash}"

    def _why_unknown(self) -> str:
        if self._has_solver:
            return f"the solver gave up after {self._options.query_seconds:g} s"
        return "no solver is in use: pip install 'sdnloom[symbolic]'"

    def _result(self, ended: list[str]) -> Exploration:
        reasons = list(ended)
        if self._cut:
            reasons.append(f"{_count(len(self._cut), 'path')} did not end within the budget, first {self._cut[0]}")
        if self._unanswered:
            reasons.append(f"{_count(self._unanswered, 'branch', 'es')} undecided: {self._why_unknown()}")
        if self._concretised:
            first = min(self._concretised)
            reasons.append(f"constraints were lost at {_count(len(self._concretised), 'site')}, first {first}")
        if self._divergences:
            count = _count(len(self._divergences), "divergence")
            reasons.append(f"{count} from the prediction, first {self._divergences[0]}")
        if not self._classes and not reasons:
            reasons.append("every run was discarded by an assumption")
        inputs = self._inputs
        statistics = ExplorationStatistics(
            self._paths, self._branches, self._unrecorded, inputs.refuted, inputs.guessed, inputs.remembered,
            inputs.solved, inputs.unsat, inputs.unknown, inputs.solver_seconds, self._clock() - self._started,
        )  # fmt: skip
        return Exploration(
            tuple(self._classes),
            not reasons,
            tuple(reasons),
            tuple(self._divergences),
            tuple(sorted(self._concretised.items())),
            statistics,
            self._variables,
            self._inputs.domain,
            SidesMet(
                frozenset(self._taken),
                {side: tuple(ways) for side, ways in self._refused.items() if side not in self._taken},
            ),
        )


def _check(declared: Sequence[Term], domain: Sequence[Term]) -> None:
    """Raise ExplorationError for invalid variables or domain constraints."""
    names: dict[str, Term] = {}
    for variable in declared:
        if variable.op != "var":
            raise ExplorationError(f"{term_text(variable)} is not a variable")
        if names.setdefault(variable.args[0], variable) is not variable:
            raise ExplorationError(f"two variables of different width or kind are named {variable.args[0]!r}")
    for constraint in domain:
        if constraint.width:
            raise ExplorationError(f"the domain constraint {term_text(constraint)} is not a truth value")
        for name in sorted(variables_of(constraint) - names.keys()):
            raise ExplorationError(
                f"the domain constraint {term_text(constraint)} mentions {name!r}, which is not declared"
            )


def _initial_values(initial: Mapping[str, int], declared: Sequence[Term]) -> dict[str, int]:
    """Return initial values of all variables: 0 for those that are left out."""
    widths = {variable.args[0]: variable.width for variable in declared}
    for name, value in sorted(initial.items()):
        if name not in widths:
            raise ExplorationError(f"the initial value {value} is for {name!r}, which is not declared")
        if not 0 <= value < 1 << widths[name]:
            raise ExplorationError(f"the initial value {value} of {name!r} does not fit into {widths[name]} bits")
    return {name: int(initial.get(name, 0)) for name in widths}


def _literal(condition: Term, holds: bool) -> Term:
    return condition if holds else not_(condition)


def _literal_text(branch: Branch) -> str:
    return term_text(_literal(branch.condition, branch.taken))


def _count(count: int, noun: str, plural: str = "s") -> str:
    return f"{count} {noun}{'' if count == 1 else plural}"
