"""The value of a term under a model: an integer, or a truth value for a term of width 0.

Two evaluators with one meaning. Shallow terms, the usual conditions of a branch, become nested closures once and are
then cheap to ask again and again; deep terms, and terms with many shared subterms, are evaluated node by node without
recursion.
"""

from collections.abc import Callable
from typing import Any, Final

from sdnloom.symbolic.terms.node import HUGE, Model, Term, postorder

Evaluator = Callable[[Model], int]

_CLOSURE_DEPTH: Final = 60
_FEW: Final = 100  # nodes


def evaluate_term(term: Term, model: Model) -> int:
    """Return the term's value; a bool if its width is 0. The model must have every variable of the term."""
    run = term._evaluator
    if run is None:
        run = term._evaluator = _closure(term) if _suits_closures(term) else _stepwise(term)
    return run(model)


def _suits_closures(term: Term) -> bool:
    """Return whether closures, which compute a shared subterm each time, do not compute much more than once."""
    if term.depth > _CLOSURE_DEPTH:
        return False
    return term.size <= _FEW or (term.size < HUGE and term.size <= 2 * sum(1 for _ in postorder(term)))


def _stepwise(term: Term) -> Evaluator:
    """Return an evaluator that computes each distinct subterm once, operands first."""
    order: list[tuple[str, int, tuple[Any, ...], tuple[int, ...]]] = []
    place: dict[Term, int] = {}
    for node in postorder(term):
        place[node] = len(order)
        order.append((node.op, node.width, node.args, tuple(place[arg] for arg in node.operands())))

    def run(model: Model) -> int:
        values: list[int] = []
        for op, width, args, sources in order:
            if op == "const":
                values.append(bool(args[0]) if width == 0 else args[0])
            elif op == "var":
                values.append(model[args[0]])
            elif op == "extract":
                values.append((values[sources[0]] >> args[2]) & ((1 << width) - 1))
            elif op == "concat":
                value = 0
                for part, source in zip(args, sources, strict=True):
                    value = value << part.width | values[source]
                values.append(value)
            elif op == "sext" or op == "slt":
                values.append(
                    _APPLY[op](width, *(signed(values[s], a.width) for s, a in zip(sources, args, strict=True)))
                )
            else:
                values.append(_APPLY[op](width, *(values[source] for source in sources)))
        return values[-1]

    return run


def signed(value: int, width: int) -> int:
    """Return the value of these bits read as a two's complement number."""
    return value - (1 << width) if value >> (width - 1) else value


def _mask(width: int) -> int:
    return (1 << width) - 1


# Operators on unsigned operands (signed ones for sext and slt); the first argument is the width of the result.
_APPLY: Final[dict[str, Callable[..., int]]] = {
    "zext": lambda w, a: a,
    "sext": lambda w, a: a & _mask(w),
    "add": lambda w, a, b: (a + b) & _mask(w),
    "sub": lambda w, a, b: (a - b) & _mask(w),
    "mul": lambda w, a, b: (a * b) & _mask(w),
    "udiv": lambda w, a, b: a // b if b else _mask(w),
    "urem": lambda w, a, b: a % b if b else a,
    "neg": lambda w, a: -a & _mask(w),
    "shl": lambda w, a, b: (a << b) & _mask(w) if b < w else 0,
    "lshr": lambda w, a, b: a >> b if b < w else 0,
    "ashr": lambda w, a, b: (signed(a, w) >> min(b, w)) & _mask(w),
    "and": lambda w, a, b: a & b,
    "or": lambda w, a, b: a | b,
    "xor": lambda w, a, b: a ^ b,
    "bvnot": lambda w, a: a ^ _mask(w),
    "eq": lambda w, a, b: a == b,
    "ult": lambda w, a, b: a < b,
    "slt": lambda w, a, b: a < b,
    "ite": lambda w, c, a, b: a if c else b,
    "not": lambda w, a: not a,
    "all": lambda w, *parts: all(parts),
}


def _closure(term: Term) -> Evaluator:
    """Return nested closures; the recursion is as deep as the term."""
    op, args, width = term.op, term.args, term.width
    if op == "const":
        value = bool(args[0]) if width == 0 else args[0]
        return lambda model: value
    if op == "var":
        name = args[0]
        return lambda model: model[name]
    if op == "eq":
        return _equality(args[0], args[1])
    inner = [_known(arg) for arg in args if type(arg) is Term]
    first = inner[0]
    if op == "not":
        return lambda model: not first(model)
    if op == "extract":
        low, mask = args[2], _mask(width)
        return lambda model: (first(model) >> low) & mask
    if op == "concat":
        parts = [(run, part.width) for run, part in zip(inner, args, strict=True)]

        def joined(model: Model) -> int:
            value = 0
            for run, bits in parts:
                value = value << bits | run(model)
            return value

        return joined
    if op == "all":
        return lambda model: all(run(model) for run in inner)
    if op == "ite":
        condition, then, otherwise = inner
        return lambda model: then(model) if condition(model) else otherwise(model)
    apply = _APPLY[op]
    if op == "sext":
        bits = args[0].width
        return lambda model: apply(width, signed(first(model), bits))
    if op == "slt":
        bits, second = args[0].width, inner[1]
        return lambda model: signed(first(model), bits) < signed(second(model), bits)
    if len(inner) == 1:
        return lambda model: apply(width, first(model))
    second = inner[1]
    return lambda model: apply(width, first(model), second(model))


def _equality(left: Term, right: Term) -> Evaluator:
    """Return the evaluator of an equality; the most common form costs one dictionary lookup."""
    if right.op == "const":
        value = right.args[0]
        if left.op == "var":
            name = left.args[0]
            return lambda model: model[name] == value
        run = _known(left)
        return lambda model: run(model) == value
    first, second = _known(left), _known(right)
    return lambda model: first(model) == second(model)


def _known(term: Term) -> Evaluator:
    """Return the closure that is stored in the term; it is made on first use."""
    run = term._evaluator
    if run is None:
        run = term._evaluator = _closure(term)
    return run
