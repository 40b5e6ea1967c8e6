"""Random small programs that branch on symbolic inputs, and a runner without symbolic values."""

from collections.abc import Callable
from random import Random
from typing import Any

from hypothesis import strategies as st

from sdnloom.symbolic.execution import Execution, Site
from sdnloom.symbolic.terms.constructors import Term, any_, const, eq, ule, ult, var
from tests.symbolic.core.recipes import COMPARE, Recipe, build, meaning

A, B, C = var("a", 4), var("b", 4), var("c", 2)
VARIABLES = (A, B, C)
_NAMES = {"a": 4, "b": 4, "c": 2}


@st.composite
def values(draw: Any, depth: int = 2) -> Recipe:
    """Draw a value of 4 bits over a, b and c."""
    kind = draw(st.sampled_from(["var", "var", "const", "op", "op", "bits", "ite"])) if depth else "var"
    if kind == "const":
        return ("const", 4, draw(st.integers(0, 15)))
    if kind == "op":
        op = draw(st.sampled_from(["add", "sub", "bv_and", "bv_or", "bv_xor", "mul", "urem", "shl"]))
        return (op, 4, draw(values(depth - 1)), draw(values(depth - 1)))
    if kind == "bits":
        low = draw(st.integers(0, 3))
        high = draw(st.integers(low, 3))
        inner = ("extract", high - low + 1, draw(values(depth - 1)), high, low)
        return inner if high - low == 3 else (draw(st.sampled_from(["zero_extend", "sign_extend"])), 4, inner)
    if kind == "ite":
        return ("ite", 4, draw(conditions(depth - 1)), draw(values(depth - 1)), draw(values(depth - 1)))
    name = draw(st.sampled_from("abc"))
    return ("zero_extend", 4, ("var", 2, "c")) if name == "c" else ("var", 4, name)


@st.composite
def conditions(draw: Any, depth: int = 2) -> Recipe:
    """Draw a condition over a, b and c."""
    kind = draw(st.sampled_from(["compare", "compare", "compare", "nary", "not"])) if depth else "compare"
    if kind == "nary":
        return (
            draw(st.sampled_from(["all_", "any_"])),
            0,
            *draw(st.lists(conditions(depth - 1), min_size=1, max_size=3)),
        )
    if kind == "not":
        return ("not_", 0, draw(conditions(depth - 1)))
    op = draw(st.sampled_from(["eq", "eq", "eq", *sorted(COMPARE)]))
    return (op, 0, draw(values(max(depth - 1, 0))), draw(values(max(depth - 1, 0))))


@st.composite
def plain_conditions(draw: Any) -> Recipe:
    """Draw the most common condition of handlers: a variable compared with a constant or another variable."""
    right = draw(st.sampled_from([("var", 4, "b"), *(("const", 4, value) for value in (1, 2, 7, 9, 15))]))
    return (draw(st.sampled_from(["eq", "eq", "ult", "ule", "ne"])), 0, ("var", 4, draw(st.sampled_from("ab"))), right)


# A program is an outcome, or a condition with a program for each of its values.
Program = Any
_DEPTH = 5


@st.composite
def programs(draw: Any) -> Program:
    """Draw a decision tree whose conditions come from a small pool, so that they repeat and depend on each other."""
    pool = draw(st.lists(plain_conditions() | conditions(), min_size=3, max_size=7))
    picks = draw(st.lists(st.integers(0, len(pool)), min_size=2**_DEPTH, max_size=2**_DEPTH))

    def tree(place: int) -> Program:
        if place >= len(picks) or (picks[place] == len(pool) and place > 3):
            return place % 7
        return (pool[picks[place] % len(pool)], tree(2 * place), tree(2 * place + 1))

    return tree(1)


_A, _B, _C = ("var", 4, "a"), ("var", 4, "b"), ("zero_extend", 4, ("var", 2, "c"))
_POOL: tuple[Recipe, ...] = (
    *(("eq", 0, _A, ("const", 4, value)) for value in (0, 1, 2, 9, 15)),
    *(("eq", 0, _B, ("const", 4, value)) for value in (3, 7, 10)),
    *(("ult", 0, term, ("const", 4, value)) for term in (_A, _B) for value in (4, 9, 12)),
    ("ult", 0, _A, _B),
    ("eq", 0, _A, _B),
    ("eq", 0, ("add", 4, _A, _C), _B),
    ("ule", 0, ("const", 4, 9), ("mul", 4, _A, ("const", 4, 3))),
    ("eq", 0, ("bv_and", 4, _A, ("const", 4, 5)), ("const", 4, 4)),
    ("eq", 0, ("extract", 2, _B, 2, 1), ("var", 2, "c")),
    ("any_", 0, ("eq", 0, _A, _C), ("ult", 0, _B, _C)),
    ("all_", 0, ("ne", 0, _A, ("const", 4, 8)), ("ule", 0, _C, _B)),
    ("slt", 0, _A, _B),
    ("eq", 0, ("urem", 4, _B, ("const", 4, 5)), _C),
)


def large_program(random: Random, depth: int = 7) -> Program:
    """Return a decision tree with up to two to the depth leaves, of conditions that handlers are made of."""
    if depth == 0 or random.random() < 0.05:
        return random.randrange(7)
    return (random.choice(_POOL), large_program(random, depth - 1), large_program(random, depth - 1))


DOMAINS: tuple[tuple[Term, ...], ...] = (
    (),
    (any_(*(eq(A, const(value, 4)) for value in (1, 2, 9))), ult(B, const(11, 4))),
    (ule(A, B), any_(eq(C, const(0, 2)), eq(B, const(7, 4)))),
)


def runner(program: Program) -> Callable[[Execution], tuple[int, ...]]:
    """Return the program as code under test: it reports conditions as terms and decides them by their plain meaning."""

    def run(execution: Execution) -> tuple[int, ...]:
        model = {name: execution.value(name) for name in _NAMES}
        node, line = program, 0
        trail = []
        while isinstance(node, tuple):
            condition, then, otherwise = node
            line += 1
            taken = execution.branch(build(condition), bool(meaning(condition, model)), Site("program", line, "if"))
            trail.append(int(taken))
            node = then if taken else otherwise
        return (*trail, node)

    return run
