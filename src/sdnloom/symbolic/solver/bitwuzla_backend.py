"""bitwuzla behind the solver interface."""

from typing import Any, Final

import bitwuzla
from bitwuzla import Kind

from sdnloom.symbolic.solver.interface import Solver, SolverAnswer
from sdnloom.symbolic.terms.node import Term

_KINDS: Final = {
    "extract": Kind.BV_EXTRACT, "concat": Kind.BV_CONCAT, "zext": Kind.BV_ZERO_EXTEND, "sext": Kind.BV_SIGN_EXTEND,
    "add": Kind.BV_ADD, "sub": Kind.BV_SUB, "mul": Kind.BV_MUL, "udiv": Kind.BV_UDIV, "urem": Kind.BV_UREM,
    "neg": Kind.BV_NEG, "shl": Kind.BV_SHL, "lshr": Kind.BV_SHR, "ashr": Kind.BV_ASHR, "and": Kind.BV_AND,
    "or": Kind.BV_OR, "xor": Kind.BV_XOR, "bvnot": Kind.BV_NOT, "eq": Kind.EQUAL, "ult": Kind.BV_ULT,
    "slt": Kind.BV_SLT, "ite": Kind.ITE, "not": Kind.NOT, "all": Kind.AND,
}  # fmt: skip


class BitwuzlaSolver(Solver):
    """Incremental through push and pop; the goal of a query is an assumption."""

    name = "bitwuzla"

    def _open(self) -> None:
        options = bitwuzla.Options()
        options.set(bitwuzla.Option.PRODUCE_MODELS, True)
        options.set(bitwuzla.Option.TIME_LIMIT_PER, max(1, round(self.timeout * 1000)))
        self._manager = bitwuzla.TermManager()
        self._solver = bitwuzla.Bitwuzla(self._manager, options)

    def _build(self, term: Term, operands: list[Any]) -> Any:
        manager = self._manager
        if term.op == "const":
            if not term.width:
                return manager.mk_true() if term.args[0] else manager.mk_false()
            return manager.mk_bv_value(manager.mk_bv_sort(term.width), f"{term.args[0]:x}", 16)
        if term.op == "var":
            return manager.mk_const(manager.mk_bv_sort(term.width), term.args[0])
        kind = _KINDS[term.op]
        if term.op == "extract":
            return manager.mk_term(kind, operands, list(term.args[1:]))
        if term.op in ("zext", "sext"):
            return manager.mk_term(kind, operands, [term.width - term.args[0].width])
        return manager.mk_term(kind, operands)

    def _push(self) -> None:
        self._solver.push(1)

    def _pop(self, levels: int) -> None:
        self._solver.pop(levels)

    def _assert(self, condition: Any) -> None:
        self._solver.assert_formula(condition)

    def _check(self, goal: Any) -> dict[str, int] | SolverAnswer:
        answer = self._solver.check_sat(goal)
        if answer == bitwuzla.Result.SAT:
            value = self._solver.get_value
            return {name: int(value(constant).value(16), 16) for name, constant in self._constants.items()}
        return SolverAnswer.UNSAT if answer == bitwuzla.Result.UNSAT else SolverAnswer.UNKNOWN
