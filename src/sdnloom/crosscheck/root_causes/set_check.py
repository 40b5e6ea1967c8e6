"""Checks of a guess about the values of a field: the solver looks for a value where partitions say otherwise."""

from collections.abc import Mapping

from sdnloom.crosscheck.fields import Field
from sdnloom.crosscheck.overlap.class_index import ClassIndex
from sdnloom.crosscheck.overlap.narrow import remaining_classes
from sdnloom.crosscheck.root_causes.difference import Difference
from sdnloom.crosscheck.root_causes.difference_term import difference_term
from sdnloom.crosscheck.root_causes.focus import MakeCheck
from sdnloom.crosscheck.root_causes.value_set import Check, ReadableSet, Unchecked
from sdnloom.crosscheck.switch_test import Case
from sdnloom.symbolic.solver.interface import Solver, SolverAnswer
from sdnloom.symbolic.terms.constructors import FALSE, all_, any_, between, concat, const, extract, not_, var
from sdnloom.symbolic.terms.node import Term
from sdnloom.symbolic.terms.substitute import substitute


def partition_checks(
    indexes: tuple[ClassIndex, ClassIndex], case: Case, version: int, new_solver: type[Solver] | None, seconds: float
) -> MakeCheck:
    """Return checks that ask the solver whether a guess about a field's values is right, from what partitions say."""

    def make_check(values: Mapping[str, int], field: Field, difference: Difference) -> Check | None:
        if new_solver is None or any(index.partition.kind != "paths" for index in indexes):
            return None
        value = var("value", field.bits)
        variable = next(each for each in case.variables if each.name == field.variable)
        inserted = _inserted(values, field, value, variable.bits)
        truth = _difference_of(indexes, case, version, {**values, field.variable: inserted}, difference)
        if truth is None:
            return None
        if variable.ranges:
            truth = all_(truth, any_(*(between(inserted, low, high) for low, high in variable.ranges)))
        solver = new_solver((), seconds)

        def check(guess: ReadableSet) -> int | Unchecked | None:
            inside = guess.term(value)
            wrong = any_(all_(truth, not_(inside)), all_(not_(truth), inside))
            answer = SolverAnswer.UNSAT if wrong is FALSE else solver.check((), wrong)
            if isinstance(answer, SolverAnswer):
                return None if answer is SolverAnswer.UNSAT else Unchecked.UNCHECKED
            return answer.get("value", 0)

        return check

    return make_check


def _inserted(values: Mapping[str, int], field: Field, value: Term, bits: int) -> Term:
    """Return the variable of a field in which the field is a term and the other bits are as in the input."""
    whole = const(values[field.variable], bits)
    parts = [value]
    if field.low + field.bits < bits:
        parts.insert(0, extract(whole, bits - 1, field.low + field.bits))
    if field.low:
        parts.append(extract(whole, field.low - 1, 0))
    return concat(*parts)


def _difference_of(
    indexes: tuple[ClassIndex, ClassIndex],
    case: Case,
    version: int,
    values: Mapping[str, int | Term],
    difference: Difference,
) -> Term | None:
    """Return the condition under which inputs with these values have a difference; None if it is no term."""
    first, second = (remaining_classes(index, case.name, values) for index in indexes)
    found = []
    for here, mine in first:
        for there, theirs in second:
            both = all_(here, there)
            if both is FALSE:
                continue
            outputs = indexes[0].partition.classes[mine].output, indexes[1].partition.classes[theirs].output
            differs = difference_term(*outputs, difference, case, version)
            if differs is None:
                return None
            found.append(all_(both, substitute(differs, values)))
    return any_(*found)
