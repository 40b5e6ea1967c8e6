"""Terms with some of their variables replaced by values or other terms."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from sdnloom.symbolic.terms import constructors as make
from sdnloom.symbolic.terms.node import Term, postorder, variables

_MAKE: Final[dict[str, Callable[..., Term]]] = {
    "concat": make.concat, "extract": make.extract, "add": make.add, "sub": make.sub, "mul": make.mul,
    "udiv": make.udiv, "urem": make.urem, "neg": make.neg, "shl": make.shl, "lshr": make.lshr, "ashr": make.ashr,
    "and": make.bv_and, "or": make.bv_or, "xor": make.bv_xor, "bvnot": make.bv_not, "eq": make.eq, "ult": make.ult,
    "slt": make.slt, "ite": make.ite, "not": make.not_, "all": make.all_,
}  # fmt: skip
_WIDTH_LAST: Final = {"zext": make.zero_extend, "sext": make.sign_extend}


def substitute(term: Term, values: Mapping[str, int | Term]) -> Term:
    """Return the term with these values, or terms of the same width, in place of variables, simplified."""
    if variables(term).isdisjoint(values):
        return term
    done: dict[Term, Term] = {}
    for node in postorder(term):
        done[node] = _replaced(node, values, done)
    return done[term]


def _replaced(node: Term, values: Mapping[str, int | Term], done: dict[Term, Term]) -> Term:
    if node.op == "var":
        value = values.get(node.args[0], node)
        return make.const(value, node.width) if isinstance(value, int) else value
    if node.op == "const" or variables(node).isdisjoint(values):
        return node
    arguments: list[Any] = [done[each] if type(each) is Term else each for each in node.args]
    if node.op in _WIDTH_LAST:
        return _WIDTH_LAST[node.op](arguments[0], node.width)
    return _MAKE[node.op](*arguments)
