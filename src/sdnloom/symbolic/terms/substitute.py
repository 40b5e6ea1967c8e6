"""Terms with some of their variables replaced by values."""

from collections.abc import Callable
from typing import Any, Final

from sdnloom.symbolic.terms import constructors as make
from sdnloom.symbolic.terms.node import Model, Term, postorder, variables

_MAKE: Final[dict[str, Callable[..., Term]]] = {
    "concat": make.concat, "extract": make.extract, "add": make.add, "sub": make.sub, "mul": make.mul,
    "udiv": make.udiv, "urem": make.urem, "neg": make.neg, "shl": make.shl, "lshr": make.lshr, "ashr": make.ashr,
    "and": make.bv_and, "or": make.bv_or, "xor": make.bv_xor, "bvnot": make.bv_not, "eq": make.eq, "ult": make.ult,
    "slt": make.slt, "ite": make.ite, "not": make.not_, "all": make.all_,
}  # fmt: skip
_WIDTH_LAST: Final = {"zext": make.zero_extend, "sext": make.sign_extend}


def substitute(term: Term, values: Model) -> Term:
    """Return the term with these values of variables, simplified."""
    if variables(term).isdisjoint(values):
        return term
    done: dict[Term, Term] = {}
    for node in postorder(term):
        done[node] = _replaced(node, values, done)
    return done[term]


def _replaced(node: Term, values: Model, done: dict[Term, Term]) -> Term:
    if node.op == "var":
        name = node.args[0]
        return make.const(values[name], node.width) if name in values else node
    if node.op == "const" or variables(node).isdisjoint(values):
        return node
    arguments: list[Any] = [done[each] if type(each) is Term else each for each in node.args]
    if node.op in _WIDTH_LAST:
        return _WIDTH_LAST[node.op](arguments[0], node.width)
    return _MAKE[node.op](*arguments)
