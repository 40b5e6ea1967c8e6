"""Inputs that take the other side of a branch: facts refute it, a guess finds one, or the solver decides.

The order is by cost. Answers of the solver are stored by the literals of the path that share variables with the flipped
branch, so that the same query behind unrelated branches is solved once.
"""

from collections.abc import Callable, Iterable, Sequence

from sdnloom.symbolic.solver.guess import NO_PREFERENCE, Literal, Preferred, guess, repair
from sdnloom.symbolic.solver.interface import Solver, SolverAnswer
from sdnloom.symbolic.terms.constructors import TRUE, not_
from sdnloom.symbolic.terms.evaluate import evaluate_term
from sdnloom.symbolic.terms.facts import Facts
from sdnloom.symbolic.terms.node import Model, Term, variables

Answer = dict[str, int] | SolverAnswer


class BranchFlipper:
    """Finds inputs within a domain that take the other side of a branch, and counts how they were found."""

    def __init__(
        self,
        domain: Sequence[Term],
        new_solver: Callable[[Sequence[Term]], Solver] | None,
        clock: Callable[[], float],
        guessing: bool = True,
        preferred: Preferred = NO_PREFERENCE,
    ) -> None:
        self.domain = tuple(domain)
        self.facts = Facts()
        for constraint in domain:
            self.facts.learn(constraint, True)
        self.refuted = self.guessed = self.remembered = self.solved = self.unsat = self.unknown = 0
        self.solver_seconds = 0.0
        self._domain_literals: list[Literal] = [(constraint, True) for constraint in domain]
        self._new_solver = new_solver
        self._solver: Solver | None = None
        self._answers: dict[tuple[frozenset[Term], Term], Answer] = {}
        self._clock = clock
        self._guessing, self._preferred = guessing, preferred

    def first(self, wish: Model) -> Answer:
        """Return inputs of the domain, close to the wish if possible."""
        if all(evaluate_term(constraint, wish) for constraint in self.domain):
            return dict(wish)
        if self._guessing:
            repaired = repair(self.domain, wish, self.facts, self._preferred)
            if repaired is not None:
                return repaired
        if any(self.facts.refutes(constraint, True) for constraint in self.domain):
            return SolverAnswer.UNSAT
        answer = self._ask((), TRUE)
        return answer if isinstance(answer, SolverAnswer) else {**wish, **answer}

    def flip(self, prefix: Sequence[Literal], condition: Term, holds: bool, model: Model, facts: Facts) -> Answer:
        """Return inputs that satisfy the prefix and give the condition the value `holds`; UNSAT only if there are none.

        The model satisfies the prefix and the domain; the facts were learned from both.
        """
        if facts.refutes(condition, holds):
            self.refuted += 1
            return SolverAnswer.UNSAT
        literals = [*self._domain_literals, *prefix]
        if self._guessing:
            found = guess(literals, condition, holds, model, facts, self._preferred)
            if found is not None:
                self.guessed += 1
                return found
        goal = condition if holds else not_(condition)
        names = connected_variables(goal, literals)
        related = tuple(_literal(*pair) for pair in prefix if not names.isdisjoint(variables(pair[0])))
        known = self._answers.get((frozenset(related), goal))
        if known is not None:
            self.remembered += 1
        else:
            known = self._answers[frozenset(related), goal] = self._ask(related, goal)
            self._count(known)
        if isinstance(known, SolverAnswer):
            return known
        found = {**model, **{name: known[name] for name in names & known.keys()}}
        assert all(bool(evaluate_term(c, found)) is h for c, h in [*literals, (condition, holds)]), (
            "a solver's model holds"
        )
        return found

    def _count(self, answer: Answer) -> None:
        if answer is SolverAnswer.UNSAT:
            self.unsat += 1
        elif answer is SolverAnswer.UNKNOWN:
            self.unknown += 1
        else:
            self.solved += 1

    def _ask(self, prefix: Sequence[Term], goal: Term) -> Answer:
        if self._new_solver is None:
            return SolverAnswer.UNKNOWN
        started = self._clock()
        if self._solver is None:
            self._solver = self._new_solver(self.domain)
        answer = self._solver.check(prefix, goal)
        self.solver_seconds += self._clock() - started
        return answer

    def contradiction(self) -> tuple[Term, ...]:
        """Return a minimal unsatisfiable subset of the domain's constraints, which are unsatisfiable as a whole."""
        needed = list(self.domain)
        for constraint in self.domain:
            rest = [other for other in needed if other is not constraint]
            if self._new_solver is not None and self._new_solver(rest).check((), TRUE) is SolverAnswer.UNSAT:
                needed = rest
        return tuple(needed)


def _literal(condition: Term, holds: bool) -> Term:
    return condition if holds else not_(condition)


def connected_variables(goal: Term, literals: Iterable[Literal]) -> frozenset[str]:
    """Return the variables that the goal depends on, directly or through literals."""
    names = set(variables(goal))
    rest = [variables(condition) for condition, _ in literals]
    while True:
        connected = [some for some in rest if not names.isdisjoint(some)]
        if not connected:
            return frozenset(names)
        rest = [some for some in rest if names.isdisjoint(some)]
        names.update(*connected)
