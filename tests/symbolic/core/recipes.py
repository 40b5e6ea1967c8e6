"""Random terms as recipes: plain tuples with an independent definition of their values."""

from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any

from hypothesis import strategies as st

from sdnloom.symbolic.terms import constructors as terms
from sdnloom.symbolic.terms.constructors import Term

Recipe = tuple[Any, ...]

BINARY: dict[str, Callable[[int, int, int], int]] = {
    "add": lambda a, b, w: (a + b) % 2**w,
    "sub": lambda a, b, w: (a - b) % 2**w,
    "mul": lambda a, b, w: (a * b) % 2**w,
    "udiv": lambda a, b, w: a // b if b else 2**w - 1,
    "urem": lambda a, b, w: a % b if b else a,
    "shl": lambda a, b, w: (a * 2 ** min(b, w)) % 2**w,
    "lshr": lambda a, b, w: a // 2 ** min(b, w),
    "ashr": lambda a, b, w: (negative(a, w) // 2 ** min(b, w)) % 2**w,
    "bv_and": lambda a, b, w: sum((a >> i & 1) * (b >> i & 1) << i for i in range(w)),
    "bv_or": lambda a, b, w: sum(max(a >> i & 1, b >> i & 1) << i for i in range(w)),
    "bv_xor": lambda a, b, w: sum(((a >> i & 1) + (b >> i & 1)) % 2 << i for i in range(w)),
}
COMPARE: dict[str, Callable[[int, int, int], bool]] = {
    "eq": lambda a, b, w: a == b,
    "ne": lambda a, b, w: a != b,
    "ult": lambda a, b, w: a < b,
    "ule": lambda a, b, w: a <= b,
    "slt": lambda a, b, w: negative(a, w) < negative(b, w),
    "sle": lambda a, b, w: negative(a, w) <= negative(b, w),
}
WIDTHS = (1, 3, 4, 8, 16, 48)


def negative(value: int, width: int) -> int:
    return value - 2**width if value >= 2 ** (width - 1) else value


def width_of(recipe: Recipe) -> int:
    """Return the width, which every recipe has second; 0 for a truth value."""
    return recipe[1]


def build(recipe: Recipe) -> Term:
    """Return the term of the recipe, made by the constructors under test."""
    op, width, *args = recipe
    if op == "const":
        return terms.const(args[0], width)
    if op == "var":
        return terms.var(args[0], width)
    if op == "boolean":
        return terms.boolean(args[0])
    if op == "extract":
        return terms.extract(build(args[0]), args[1], args[2])
    if op in ("zero_extend", "sign_extend"):
        return getattr(terms, op)(build(args[0]), width)
    return getattr(terms, op)(*map(build, args))


def meaning(recipe: Recipe, model: Mapping[str, int]) -> int:
    """Return the value of the recipe under a model."""
    op, width, *args = recipe
    if op in ("const", "boolean"):
        return args[0]
    if op == "var":
        return model[args[0]]
    if op == "extract":
        return meaning(args[0], model) // 2 ** args[2] % 2**width
    values = [meaning(arg, model) for arg in args]
    if op in BINARY:
        return BINARY[op](*values, width)
    if op in COMPARE:
        return COMPARE[op](*values, width_of(args[0]))
    if op == "concat":
        total = 0
        for value, arg in zip(values, args, strict=True):
            total = total * 2 ** width_of(arg) + value
        return total
    if op == "zero_extend":
        return values[0]
    if op == "sign_extend":
        return negative(values[0], width_of(args[0])) % 2**width
    if op == "ite":
        return values[1] if values[0] else values[2]
    return {
        "neg": lambda: -values[0] % 2**width,
        "bv_not": lambda: 2**width - 1 - values[0],
        "not_": lambda: not values[0],
        "all_": lambda: all(values),
        "any_": lambda: any(values),
    }[op]()


def leaves(width: int) -> st.SearchStrategy[Recipe]:
    special = st.sampled_from(sorted({0, 1, 2**width - 1, 2 ** (width - 1), 2**width // 3}))
    constants = st.builds(lambda value: ("const", width, value % 2**width), special | st.integers(0, 2**width - 1))
    variables = st.sampled_from([("var", width, f"{name}{width}") for name in "xy"])
    return variables | constants


@st.composite
def vectors(draw: Any, width: int, depth: int) -> Recipe:
    """Draw a bit vector of this width."""
    if depth == 0:
        return draw(leaves(width))
    kind = draw(st.sampled_from(["leaf", "binary", "binary", "unary", "extract", "concat", "extend", "ite", "shift"]))
    if kind == "binary":
        op = draw(st.sampled_from(sorted(BINARY)))
        return (op, width, draw(vectors(width, depth - 1)), draw(vectors(width, depth - 1)))
    if kind == "shift":
        op = draw(st.sampled_from(["shl", "lshr", "ashr"]))
        amount = ("const", width, draw(st.integers(0, width + 1)) % 2**width)
        return (op, width, draw(vectors(width, depth - 1)), amount)
    if kind == "unary":
        return (draw(st.sampled_from(["neg", "bv_not"])), width, draw(vectors(width, depth - 1)))
    if kind == "ite":
        return (
            "ite",
            width,
            draw(truths(depth - 1)),
            draw(vectors(width, depth - 1)),
            draw(vectors(width, depth - 1)),
        )
    if kind == "extract":
        wider = draw(st.sampled_from([w for w in WIDTHS if w >= width]))
        low = draw(st.integers(0, wider - width))
        return ("extract", width, draw(vectors(wider, depth - 1)), low + width - 1, low)
    if kind == "concat" and width > 1:
        cuts = sorted(draw(st.sets(st.integers(1, width - 1), min_size=1, max_size=3)))
        bounds = [0, *cuts, width]
        sizes = [high - low for low, high in pairwise(bounds)]
        return ("concat", width, *(draw(vectors(size, depth - 1)) for size in sizes))
    if kind == "extend" and width > 1:
        narrower = draw(st.integers(1, width - 1))
        op = draw(st.sampled_from(["zero_extend", "sign_extend"]))
        return (op, width, draw(vectors(narrower, depth - 1)))
    return draw(leaves(width))


@st.composite
def truths(draw: Any, depth: int) -> Recipe:
    """Draw a truth value."""
    kind = (
        draw(st.sampled_from(["compare", "compare", "compare", "nary", "not", "ite", "eq", "constant"]))
        if depth
        else ""
    )
    if kind == "nary":
        op = draw(st.sampled_from(["all_", "any_"]))
        return (op, 0, *draw(st.lists(truths(depth - 1), max_size=3)))
    if kind == "not":
        return ("not_", 0, draw(truths(depth - 1)))
    if kind == "ite":
        return ("ite", 0, draw(truths(depth - 1)), draw(truths(depth - 1)), draw(truths(depth - 1)))
    if kind == "eq":
        return ("eq", 0, draw(truths(depth - 1)), draw(truths(depth - 1)))
    if kind == "constant":
        return ("boolean", 0, draw(st.booleans()))
    width = draw(st.sampled_from(WIDTHS))
    op = draw(st.sampled_from(sorted(COMPARE)))
    below = max(depth - 1, 0)
    return (op, 0, draw(vectors(width, below)), draw(vectors(width, below)))


def recipes(depth: int = 4) -> st.SearchStrategy[Recipe]:
    """Draw a truth value or a vector of some width."""
    return truths(depth) | st.sampled_from(WIDTHS).flatmap(lambda width: vectors(width, depth))


@st.composite
def models(draw: Any) -> dict[str, int]:
    """Draw values for every variable that a recipe may contain."""
    model = {}
    for name in "xy":
        for width in range(1, 49):
            choice = draw(st.integers(0, 3)) if width in (*WIDTHS, 2, 5, 6, 7) else 0
            model[f"{name}{width}"] = (0, 1, 2**width - 1, 0x5A5A5A5A5A5A)[choice] % 2**width
    return model
