"""Sampler of models of a condition: random changes of a known model first, then the solver."""

from collections.abc import Sequence
from random import Random

from sdnloom.symbolic.solver.interface import Solver, SolverAnswer
from sdnloom.symbolic.terms.constructors import all_, const, eq, extract, not_
from sdnloom.symbolic.terms.evaluate import evaluate_term
from sdnloom.symbolic.terms.facts import Facts
from sdnloom.symbolic.terms.node import Model, Term, postorder


class Sampler:
    """Draws models of literals over declared variables; the same seed draws the same models."""

    def __init__(self, variables: Sequence[Term], solver: Solver | None, random: Random) -> None:
        self._variables = sorted(variables, key=lambda variable: variable.args[0])
        self._solver = solver
        self._random = random

    def draw(self, literals: Sequence[Term], known: Model, count: int) -> list[dict[str, int]]:
        """Return up to `count` distinct models other than `known`; fewer if no more are found."""
        if not self._variables:
            return []
        facts = Facts()
        for literal in literals:
            facts.learn(literal, True)
        constants = _constants(literals)
        found = [dict(known)]
        seen = {self._values(known)}
        for _ in range(20 * count):
            if len(found) > count:
                break
            model = self._changed(self._random.choice(found), facts, constants)
            if self._values(model) not in seen and all(evaluate_term(literal, model) for literal in literals):
                seen.add(self._values(model))
                found.append(model)
        while len(found) <= count:
            more = self._solved(literals, found)
            if more is None:
                break
            found.append({**known, **more})
        return found[1:]

    def _values(self, model: Model) -> tuple[int, ...]:
        return tuple(model[variable.args[0]] for variable in self._variables)

    def _changed(self, model: Model, facts: Facts, constants: dict[int, list[int]]) -> dict[str, int]:
        """Return the model with a few variables set to random values, constants of the literals, or each other's."""
        random, changed = self._random, dict(model)
        for variable in random.sample(self._variables, random.randint(1, min(3, len(self._variables)))):
            allowed = facts.range(variable)
            special = constants.get(variable.width, [])
            same_width = [other.args[0] for other in self._variables if other.width == variable.width]
            choice = random.randrange(4)
            if choice == 0 and special:
                value = (random.choice(special) + random.randint(-1, 1)) % (1 << variable.width)
            elif choice == 1:
                value = model[random.choice(same_width)]
            elif allowed.choices:
                value = random.choice(sorted(allowed.choices))
            else:
                value = random.randint(allowed.low, allowed.high)
            changed[variable.args[0]] = value
        return changed

    def _solved(self, literals: Sequence[Term], found: Sequence[Model]) -> dict[str, int] | None:
        """Return another model from the solver, with some bits fixed at random if possible; None if there is none."""
        if self._solver is None:
            return None
        blocked = [
            not_(all_(*(eq(variable, const(model[variable.args[0]], variable.width)) for variable in self._variables)))
            for model in found
        ]
        for bits in (4, 1, 0):
            chosen = []
            for _ in range(bits):
                variable = self._random.choice(self._variables)
                bit = self._random.randrange(variable.width)
                chosen.append(eq(extract(variable, bit, bit), const(self._random.randrange(2), 1)))
            answer = self._solver.check(literals, all_(*blocked, *chosen))
            if not isinstance(answer, SolverAnswer):
                return answer
        return None


def _constants(literals: Sequence[Term]) -> dict[int, list[int]]:
    """Return the constants that occur, by width."""
    found: dict[int, set[int]] = {}
    for term in postorder(*literals):
        if term.op == "const" and term.width:
            found.setdefault(term.width, set()).add(term.args[0])
    return {width: sorted(values) for width, values in found.items()}
