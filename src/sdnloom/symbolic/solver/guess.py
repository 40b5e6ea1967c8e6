"""Inputs for a flipped branch by guessing: satisfy the one condition, then check all others.

A guess changes few variables of a model that satisfies the others: it solves the condition backwards for one operand,
with the other operands at their present values. Law: `guess` returns only models under which all given literals hold,
because each guess is evaluated before it is returned; None does not mean that there is no model.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import Final

from sdnloom.symbolic.terms.evaluate import evaluate_term, signed
from sdnloom.symbolic.terms.facts import Facts
from sdnloom.symbolic.terms.node import Model, Term, variables

Literal = tuple[Term, bool]
Preferred = Mapping[str, Sequence[int]]  # variable -> values to try first
NO_PREFERENCE: Final[Preferred] = {}
_ATTEMPTS: Final = 12
_FRESH: Final = 6  # values tried for a disequality
_DEEP: Final = 200  # truth values nested deeper than this are left to the solver


def guess(
    literals: Iterable[Literal],
    goal: Term,
    holds: bool,
    model: Model,
    facts: Facts,
    preferred: Preferred = NO_PREFERENCE,
) -> dict[str, int] | None:
    """Return a model near `model`, which satisfies the literals, under which the goal has the value `holds` as well.

    Preferred values of the goal's variables are tried first.
    """
    literals = list(literals)
    attempts = islice(_attempts(goal, holds, model, facts), _ATTEMPTS)
    for changed in chain(_preferred(goal, preferred), attempts, _listed(goal, facts)):
        candidate = {**model, **changed}
        if bool(evaluate_term(goal, candidate)) is holds and _check(literals, candidate, changed.keys()):
            return candidate
    return None


def _preferred(goal: Term, preferred: Preferred) -> Iterator[dict[str, int]]:
    """Yield each preferred value of the goal's variables."""
    for name in sorted(variables(goal) & preferred.keys()):
        yield from ({name: value} for value in preferred[name])


def _listed(goal: Term, facts: Facts) -> Iterator[dict[str, int]]:
    """Yield each value of the goal's variables that have few: solving backwards seldom finds one of a short list."""
    for name in sorted(variables(goal)):
        yield from ({name: value} for value in facts.choices(name))


def _check(literals: Sequence[Literal], candidate: Model, changed: Iterable[str]) -> bool:
    """Return whether the literals hold; those without a changed variable still do."""
    names = frozenset(changed)
    return all(
        bool(evaluate_term(condition, candidate)) is holds
        for condition, holds in literals
        if not names.isdisjoint(variables(condition))
    )


def repair(
    constraints: Sequence[Term], model: Model, facts: Facts, preferred: Preferred = NO_PREFERENCE
) -> dict[str, int] | None:
    """Return a model that satisfies all constraints, found by repairing one after the other, or None."""
    repaired = dict(model)
    for number, constraint in enumerate(constraints):
        if not evaluate_term(constraint, repaired):
            earlier = [(each, True) for each in constraints[:number]]
            better = guess(earlier, constraint, True, repaired, facts, preferred)
            if better is None:
                return None
            repaired = better
    return repaired


def _attempts(goal: Term, holds: bool, model: Model, facts: Facts) -> Iterator[dict[str, int]]:
    """Yield changes of the model that may give the goal the value `holds`."""
    op, args = goal.op, goal.args
    if op == "not":
        yield from _attempts(args[0], not holds, model, facts)
    elif goal.depth > _DEEP and not (op in _TARGETS and args[0].width):
        return
    elif op == "all":
        if holds:
            yield from _attempt_all(args, model, facts)
        else:
            for part in args:
                yield from _attempts(part, False, model, facts)
    elif op == "ite":
        chosen = args[1] if evaluate_term(args[0], model) else args[2]
        yield from _attempts(chosen, holds, model, facts)
        yield from _attempts(args[0], not evaluate_term(args[0], model), model, facts)
    elif op in _TARGETS:
        if args[0].width:
            for targets in _TARGETS[op](args[0], args[1], holds, model, facts):
                changed = _invert(targets, model)
                if changed:
                    yield changed
        else:
            yield from _attempts(args[0], bool(evaluate_term(args[1], model)) is holds, model, facts)
            yield from _attempts(args[1], bool(evaluate_term(args[0], model)) is holds, model, facts)


def _attempt_all(parts: Sequence[Term], model: Model, facts: Facts) -> Iterator[dict[str, int]]:
    """Yield one change that combines the first attempt for each part that does not hold."""
    repaired, changed = dict(model), dict[str, int]()
    for part in parts:
        if not evaluate_term(part, repaired):
            step = next(_attempts(part, True, repaired, facts), None)
            if step is None:
                return
            repaired |= step
            changed |= step
    yield changed


_Target = tuple[Term, int]  # a term, and the value that it should have
_Targets = Sequence[_Target]


def _equal(left: Term, right: Term, holds: bool, model: Model, facts: Facts) -> Iterator[_Targets]:
    if right.op == "const":
        if holds:
            yield ((left, right.args[0]),)
        else:
            yield from (((left, value),) for value in _fresh(left, right.args[0], model, facts))
        return
    left_value, right_value = evaluate_term(left, model), evaluate_term(right, model)
    if holds:
        yield ((left, right_value),)
        yield ((right, left_value),)
        # If neither may take the other's value, both may take a third one.
        allowed = facts.range(right)
        for value in islice(facts.range(left).values(), _FRESH):
            if value in allowed:
                yield ((left, value), (right, value))
    else:
        yield from (((left, value),) for value in _fresh(left, right_value, model, facts))
        yield from (((right, value),) for value in _fresh(right, left_value, model, facts))


def _fresh(term: Term, avoid: int, model: Model, facts: Facts) -> Iterator[int]:
    """Yield values of the term that the facts allow, except `avoid`: near that, then the smallest and the largest."""
    allowed = facts.range(term)
    near = (avoid ^ 1, avoid + 1, avoid - 1, evaluate_term(term, model) ^ 1)
    smallest = islice(allowed.values(), _FRESH)
    seen = {avoid}
    for value in (*(near if allowed.choices is None else ()), *smallest, allowed.high):
        if value not in seen and value in allowed:
            seen.add(value)
            yield value


def _below(left: Term, right: Term, holds: bool, model: Model, facts: Facts) -> Iterator[_Targets]:
    left_value, right_value = evaluate_term(left, model), evaluate_term(right, model)
    if holds:
        targets = [
            (left, right_value - 1),
            (right, left_value + 1),
            (left, facts.range(left).low),
            (right, facts.range(right).high),
        ]
    else:
        targets = [
            (left, right_value),
            (right, left_value),
            (left, facts.range(left).high),
            (right, facts.range(right).low),
        ]
    yield from (((term, value),) for term, value in targets if 0 <= value < 1 << term.width)


def _signed_below(left: Term, right: Term, holds: bool, model: Model, facts: Facts) -> Iterator[_Targets]:
    width = left.width
    left_value, right_value = signed(evaluate_term(left, model), width), signed(evaluate_term(right, model), width)
    half = 1 << (width - 1)
    if holds:
        targets = [(left, right_value - 1), (right, left_value + 1), (left, -half), (right, half - 1)]
    else:
        targets = [(left, right_value), (right, left_value), (left, half - 1), (right, -half)]
    yield from (((term, value & (2 * half - 1)),) for term, value in targets if -half <= value < half)


_TARGETS: Final = {"eq": _equal, "ult": _below, "slt": _signed_below}


def _invert(targets: _Targets, model: Model) -> dict[str, int] | None:
    """Return values of variables that should reach the targets, or None if a target cannot be inverted."""
    changed: dict[str, int] = {}
    wanted = list(targets)
    now = dict(model)
    while wanted:
        term, value = wanted.pop()
        if term.op == "var":
            changed[term.args[0]] = now[term.args[0]] = value
            continue
        step = _backwards(term, value, now)
        if step is None:
            return None
        wanted.extend(step)
    return changed


def _backwards(term: Term, value: int, model: Model) -> _Targets | None:
    """Return targets of the operands that give the term this value, or None. One step, and one of several choices."""
    op, args, width = term.op, term.args, term.width
    mask = (1 << width) - 1
    if op == "const":
        return () if args[0] == value else None
    first: Term = args[0]
    if op == "zext":
        return ((first, value),) if value >> first.width == 0 else None
    if op == "sext":
        inner = value & ((1 << first.width) - 1)
        return ((first, inner),) if signed(inner, first.width) & mask == value else None
    if op == "extract":
        low = args[2]
        return ((first, evaluate_term(first, model) & ~(mask << low) | value << low),)
    if op == "concat":
        step = []
        for part in reversed(args):
            step.append((part, value & ((1 << part.width) - 1)))
            value >>= part.width
        return step
    if op == "bvnot":
        return ((first, value ^ mask),)
    if op == "neg":
        return ((first, -value & mask),)
    if op == "ite":
        return _backwards_ite(term, value, model)
    # Binary: solve for the operand that can change, with the other one as it is. Constants are second.
    second: Term = args[1]
    if first.op == "const":
        return ((second, first.args[0] - value & mask),) if op == "sub" else None
    other = evaluate_term(second, model)
    solved = _solve_for_first(op, value, other, evaluate_term(first, model), width)
    return None if solved is None else ((first, solved),)


def _backwards_ite(term: Term, value: int, model: Model) -> _Targets | None:
    condition, then, otherwise = term.args
    chosen, spare = (then, otherwise) if evaluate_term(condition, model) else (otherwise, then)
    if chosen.op != "const" or chosen.args[0] == value:
        return ((chosen, value),)
    if spare.op == "const" and spare.args[0] == value and condition.op == "eq" and condition.args[1].op == "const":
        constant = condition.args[1].args[0]
        return ((condition.args[0], constant if spare is then else constant ^ 1),)
    return None


def _solve_for_first(op: str, value: int, other: int, present: int, width: int) -> int | None:
    """Return x with `x op other == value`, with the bits of `present` where any will do, or None."""
    mask = (1 << width) - 1
    if op == "add":
        return value - other & mask
    if op == "sub":
        return value + other & mask
    if op == "xor":
        return value ^ other
    if op == "and":
        return None if value & ~other else present & ~other | value
    if op == "or":
        return None if other & ~value else present & other | value & ~other
    if op == "mul":
        if other and value % other == 0:
            return value // other
        return value * pow(other, -1, mask + 1) & mask if other & 1 else None
    if op == "udiv":
        return value * other if other and value * other <= mask else None
    if op == "urem":
        if value >= other:
            return None
        near = present - present % other + value
        return near if near <= mask else near - other
    if op == "shl":
        return value >> other if other < width and (value >> other << other) == value else None
    if op == "lshr":
        return (
            value << other | present & ((1 << other) - 1) if other < width and value >> (width - other) == 0 else None
        )
    return None
