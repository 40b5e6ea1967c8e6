"""z3 behind the solver interface."""

from collections.abc import Callable
from typing import Any, Final

import z3

from sdnloom.symbolic.solver.interface import Solver, SolverAnswer
from sdnloom.symbolic.terms.node import Term

_BUILD: Final[dict[str, Callable[..., Any]]] = {
    "concat": z3.Concat, "add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": lambda a, b: a * b,
    "udiv": z3.UDiv, "urem": z3.URem, "neg": lambda a: -a, "shl": lambda a, b: a << b, "lshr": z3.LShR,
    "ashr": lambda a, b: a >> b, "and": lambda a, b: a & b, "or": lambda a, b: a | b, "xor": lambda a, b: a ^ b,
    "bvnot": lambda a: ~a, "eq": lambda a, b: a == b, "ult": z3.ULT, "slt": lambda a, b: a < b, "ite": z3.If,
    "not": z3.Not, "all": z3.And,
}  # fmt: skip


_PIECE: Final = 4_096  # bits; z3 passes numbers as decimal text, whose length Python limits


def _constant(value: int, width: int, context: Any) -> Any:
    if width <= _PIECE:
        return z3.BitVecVal(value, width, context)
    pieces = [
        z3.BitVecVal(value >> low & ((1 << _PIECE) - 1), min(_PIECE, width - low), context)
        for low in range(0, width, _PIECE)
    ]
    return z3.Concat(*reversed(pieces))


def _number(value: Any) -> int:
    digits: str = value.sexpr()
    return int(digits[2:], 16 if digits[1] == "x" else 2)


class Z3Solver(Solver):
    """Incremental through push and pop; the goal of a query lives in a scope of its own."""

    name = "z3"

    def _open(self) -> None:
        self._context = z3.Context()
        self._solver = z3.Solver(ctx=self._context)
        self._solver.set("timeout", max(1, round(self.timeout * 1000)))

    def _build(self, term: Term, operands: list[Any]) -> Any:
        context = self._context
        if term.op == "const":
            if not term.width:
                return z3.BoolVal(bool(term.args[0]), context)
            return _constant(term.args[0], term.width, context)
        if term.op == "var":
            return z3.BitVec(term.args[0], term.width, context)
        if term.op == "extract":
            return z3.Extract(term.args[1], term.args[2], operands[0])
        if term.op in ("zext", "sext"):
            extend = z3.ZeroExt if term.op == "zext" else z3.SignExt
            return extend(term.width - term.args[0].width, operands[0])
        return _BUILD[term.op](*operands)

    def _push(self) -> None:
        self._solver.push()

    def _pop(self, levels: int) -> None:
        self._solver.pop(levels)

    def _assert(self, condition: Any) -> None:
        self._solver.add(condition)

    def _check(self, goal: Any) -> dict[str, int] | SolverAnswer:
        self._solver.push()
        try:
            self._solver.add(goal)
            answer = self._solver.check()
            if answer == z3.sat:
                model = self._solver.model()
                return {name: _number(model.eval(constant, True)) for name, constant in self._constants.items()}
            return SolverAnswer.UNSAT if answer == z3.unsat else SolverAnswer.UNKNOWN
        finally:
            self._solver.pop()
