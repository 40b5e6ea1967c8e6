"""Interface of solvers: a model of a path with its last branch flipped. Back ends (`*_backend`) are optional.

A back end keeps a stack of asserted literals. Queries along one path share its prefix, so only the difference to the
previous query is pushed or popped, and the solver keeps what it has learned about the rest.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from typing import Any, Final

from sdnloom.errors import SdnloomError
from sdnloom.symbolic.terms.node import Term, postorder


class SolverAnswer(Enum):
    """An answer of a solver that is not a model."""

    UNSAT = "unsat"
    UNKNOWN = "unknown"


class SolverError(SdnloomError):
    """A solver that is unknown or not installed."""


class Solver(ABC):
    """An incremental solver of bit-vector terms."""

    name: str

    def __init__(self, domain: Sequence[Term] = (), timeout: float = 1.0) -> None:
        """Assert the domain once; `timeout` is in seconds for each query."""
        self._translated: dict[Term, Any] = {}
        self._constants: dict[str, Any] = {}
        self._stack: list[Term] = []
        self.timeout = timeout
        self._open()
        for constraint in domain:
            self._assert(self._translate(constraint))

    def check(self, prefix: Sequence[Term], goal: Term) -> dict[str, int] | SolverAnswer:
        """Return values of the known variables that satisfy domain, prefix and goal, or a SolverAnswer."""
        shared = 0
        for asserted, literal in zip(self._stack, prefix, strict=False):
            if asserted is not literal:
                break
            shared += 1
        if shared < len(self._stack):
            self._pop(len(self._stack) - shared)
            del self._stack[shared:]
        for literal in prefix[shared:]:
            self._push()
            self._stack.append(literal)
            self._assert(self._translate(literal))
        return self._check(self._translate(goal))

    def _translate(self, root: Term) -> Any:
        translated = self._translated
        if root not in translated:
            for term in postorder(root, known=translated):
                image = self._build(term, [translated[arg] for arg in term.operands()])
                if term.op == "var":
                    self._constants[term.args[0]] = image
                translated[term] = image
        return translated[root]

    @abstractmethod
    def _open(self) -> None:
        """Start the back end."""

    @abstractmethod
    def _build(self, term: Term, operands: list[Any]) -> Any:
        """Return the back end's form of a term whose operands are given in that form."""

    @abstractmethod
    def _push(self) -> None: ...

    @abstractmethod
    def _pop(self, levels: int) -> None: ...

    @abstractmethod
    def _assert(self, condition: Any) -> None: ...

    @abstractmethod
    def _check(self, goal: Any) -> dict[str, int] | SolverAnswer:
        """Solve the asserted literals with the goal, which is not kept."""


def _bitwuzla() -> type[Solver]:
    from sdnloom.symbolic.solver.bitwuzla_backend import BitwuzlaSolver

    return BitwuzlaSolver


def _z3() -> type[Solver]:
    from sdnloom.symbolic.solver.z3_backend import Z3Solver

    return Z3Solver


_BACK_ENDS: Final[Mapping[str, tuple[Callable[[], type[Solver]], str]]] = {
    "bitwuzla": (_bitwuzla, "symbolic"),
    "z3": (_z3, "z3"),
}
SOLVERS: Final = ("auto", *_BACK_ENDS, "none")


def find_solver(name: str = "auto") -> type[Solver] | None:
    """Return the solver of that name; `auto` is the first one installed. None for `none` or if none is installed."""
    if name not in SOLVERS:
        raise SolverError(f"solver {name!r}; expected one of {', '.join(SOLVERS)}")
    for known, (load, extra) in _BACK_ENDS.items():
        if name in (known, "auto"):
            try:
                return load()
            except ImportError:
                if name == known:
                    raise SolverError(f"the solver {name!r} is not installed: pip install 'sdnloom[{extra}]'") from None
    return None
