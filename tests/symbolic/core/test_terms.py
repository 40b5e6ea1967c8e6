"""Constructors, both evaluators and both solvers give a term the value that plain Python gives its recipe."""

import gc
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sdnloom.symbolic.solver.interface import SolverAnswer, find_solver
from sdnloom.symbolic.terms import evaluate as evaluating
from sdnloom.symbolic.terms.constructors import (
    FALSE,
    TRUE,
    Term,
    add,
    all_,
    any_,
    bv_and,
    bv_or,
    concat,
    const,
    eq,
    evaluate_term,
    extract,
    ite,
    lshr,
    mul,
    ne,
    not_,
    shl,
    slt,
    sub,
    term_text,
    to_smtlib,
    ule,
    ult,
    var,
    variables,
    zero_extend,
)
from sdnloom.symbolic.terms.node import interned, postorder
from sdnloom.symbolic.terms.smtlib import declarations
from tests.symbolic.core.recipes import BINARY, COMPARE, build, meaning, models, recipes, truths

X, Y = var("x", 8), var("y", 8)
MAC = var("eth.dst", 48, "mac")


@pytest.mark.slow
@settings(max_examples=170)
@given(recipes(), models())
def test_constructors_keep_the_meaning_of_every_recipe(recipe, model):
    term = build(recipe)
    assert term.width == recipe[1]
    assert evaluate_term(term, model) == meaning(recipe, model)


WRAPPED = [
    ("var", 3, "v"),
    ("zero_extend", 5, ("var", 3, "v")),
    ("sign_extend", 5, ("var", 3, "v")),
    ("bv_not", 3, ("var", 3, "v")),
    ("neg", 3, ("var", 3, "v")),
    *(
        (op, 3, ("var", 3, "v"), ("const", 3, k))
        for op in ("add", "sub", "bv_xor", "bv_and", "bv_or", "mul")
        for k in (1, 5)
    ),
    ("concat", 5, ("const", 1, 1), ("var", 3, "v"), ("const", 1, 0)),
    *(("concat", 5, ("var", 3, "v"), ("const", 2, k)) for k in range(4)),
    *(("mul", 6, ("zero_extend", 6, ("var", 3, "v")), ("const", 6, k)) for k in (3, 7, 9, 11)),
    ("ite", 3, ("ult", 0, ("var", 3, "v"), ("const", 3, 3)), ("const", 3, 6), ("const", 3, 2)),
]


@pytest.mark.parametrize("wrapped", WRAPPED, ids=lambda recipe: f"{recipe[0]}-{recipe[-1][-1]}")
@pytest.mark.parametrize("op", [*sorted(BINARY), *sorted(COMPARE)])
def test_every_constant_on_either_side_keeps_the_meaning(op, wrapped):
    """Simplifications look at constants at the edges of their range; small widths have all of them."""
    width = wrapped[1]
    result = width if op in BINARY else 0
    for constant in range(2**width):
        for pair in [(wrapped, ("const", width, constant)), (("const", width, constant), wrapped)]:
            recipe = (op, result, *pair)
            term = build(recipe)
            assert [evaluate_term(term, {"v": v}) for v in range(8)] == [meaning(recipe, {"v": v}) for v in range(8)]


@pytest.mark.slow
@settings(max_examples=60)
@given(recipes(), models())
def test_both_evaluators_agree(recipe, model):
    term = build(recipe)
    assert evaluating._stepwise(term)(model) == evaluating._closure(term)(model)
    assert (type(evaluate_term(term, model)) is bool) == (term.width == 0)


@pytest.mark.slow
@settings(max_examples=60)
@given(recipes(3), models())
@pytest.mark.parametrize("name", ["bitwuzla", "z3"])
def test_solvers_agree_with_evaluation(name, recipe, model):
    term = build(recipe)
    value = evaluate_term(term, model)
    solver = find_solver(name)(
        [eq(node, const(model[node.args[0]], node.width)) for node in postorder(term) if node.op == "var"]
    )
    right = eq(term, const(value, term.width)) if term.width else (term if value else not_(term))
    assert solver.check((), not_(right)) is SolverAnswer.UNSAT
    assert isinstance(solver.check((), right), dict)


@pytest.mark.slow
@settings(max_examples=100)
@given(truths(3), models())
def test_smtlib_text_means_the_same_to_another_reader(recipe, model):
    z3 = pytest.importorskip("z3")
    term = build(recipe)
    solver = z3.Solver()
    fixed = all_(*(eq(node, const(model[node.args[0]], node.width)) for node in postorder(term) if node.op == "var"))
    solver.from_string(f"{declarations(term)}(assert {to_smtlib(fixed)})(assert {to_smtlib(term)})")
    assert (solver.check() == z3.sat) == meaning(recipe, model)


@pytest.mark.slow
@given(recipes(3))
def test_equal_recipes_give_the_same_object_and_its_variables(recipe):
    term = build(recipe)
    assert build(recipe) is term
    assert variables(term) == {node.args[0] for node in postorder(term) if node.op == "var"}


@pytest.mark.slow
@given(truths(3), truths(3))
def test_negation_is_an_involution_and_contradicts(left, right):
    a, b = build(left), build(right)
    assert not_(not_(a)) is a
    assert all_(a, not_(a)) is FALSE
    assert any_(a, not_(a)) is TRUE
    assert not_(all_(a, b)) is any_(not_(a), not_(b))


def test_concatenated_bytes_of_an_address_are_the_address():
    parts = [extract(MAC, high, high - 7) for high in range(47, 0, -8)]
    assert concat(*parts) is MAC
    assert concat(*parts[:3]) is extract(MAC, 47, 24)


def test_shift_and_or_of_bytes_is_a_concatenation():
    word = bv_or(shl(zero_extend(X, 16), const(8, 16)), zero_extend(Y, 16))
    assert word is concat(X, Y)
    assert add(shl(zero_extend(X, 16), const(8, 16)), zero_extend(Y, 16)) is word
    assert extract(word, 7, 0) is Y
    assert lshr(word, const(8, 16)) is zero_extend(X, 16)


def test_a_mask_is_an_extract():
    assert eq(bv_and(X, const(0x10, 8)), const(0x10, 8)) is eq(extract(X, 4, 4), const(1, 1))
    assert eq(bv_and(X, const(0x0F, 8)), const(0x10, 8)) is FALSE


def test_comparison_with_a_constant_moves_through_invertible_operations():
    five = const(5, 8)
    assert eq(add(X, const(3, 8)), five) is eq(X, const(2, 8))
    assert eq(zero_extend(X, 16), const(0x105, 16)) is FALSE
    assert ult(zero_extend(X, 16), const(0x105, 16)) is TRUE
    assert eq(ite(eq(Y, five), const(1, 8), const(0, 8)), const(1, 8)) is eq(Y, five)
    assert eq(sub(X, Y), const(0, 8)) is eq(X, Y)
    assert ule(X, five) is not_(ult(five, X))
    assert ult(concat(X, const(0, 3)), const(41, 11)) is ult(X, const(6, 8))
    assert slt(concat(X, const(0, 3)), const(-41, 11)) is slt(X, const(-5, 8))
    assert ult(mul(zero_extend(X, 12), const(10, 12)), const(51, 12)) is ult(X, const(6, 8))


@pytest.mark.parametrize(
    ("term", "shown"),
    [
        (all_(eq(MAC, const(2, 48)), ne(var("eth.type", 16, "hex"), const(0x88CC, 16))),
         "eth.dst == 00:00:00:00:00:02 and eth.type != 0x88cc"),
        (any_(eq(X, const(1, 8)), all_(ult(X, Y), ule(const(3, 8), Y))), "x == 1 or x < y and y >= 3"),
        (not_(any_(eq(X, const(1, 8)), eq(X, const(2, 8)))), "x != 1 and x != 2"),
        (all_(any_(eq(X, const(1, 8)), eq(X, const(2, 8))), ult(X, Y)), "(x == 1 or x == 2) and x < y"),
        (eq(extract(MAC, 40, 40), const(1, 1)), "eth.dst[40] == 1"),
        (eq(extract(MAC, 47, 24), const(0xABC, 24)), "eth.dst[47:24] == 0x000abc"),
        (eq(var("ip.src", 32, "ipv4"), const(0x0A000001, 32)), "ip.src == 10.0.0.1"),
        (eq(var("ip6.src", 128, "ipv6"), const(1, 128)), "ip6.src == ::1"),
        (eq(mul(sub(X, const(1, 8)), Y), const(6, 8)), "y * (x - 1) == 6"),
        (TRUE, "true"),
    ],
)  # fmt: skip
def test_term_text_is_readable(term, shown):
    assert term_text(term) == shown


def _deep() -> Term:
    term = X
    for number in range(30_000):
        term = mul(term, add(Y, const(number, 8))) if number % 2 else add(term, Y)
    return term


@pytest.mark.slow
def test_deep_terms_need_no_recursion_and_are_forgotten():
    gc.collect()
    before = interned()
    term = _deep()
    condition = eq(term, const(7, 8))
    assert 0 <= evaluate_term(term, {"x": 3, "y": 5}) < 256
    assert variables(condition) == {"x", "y"}
    assert len(term_text(condition)) < 5_000
    assert to_smtlib(condition).count("(") == to_smtlib(condition).count(")")
    assert "30000" in repr(condition) or "depth" in repr(condition)
    del term, condition
    gc.collect()
    assert interned() == before


@pytest.mark.parametrize("name", ["bitwuzla", "z3"])
def test_values_as_long_as_a_packet_are_fine(name):
    payload = var("payload", 20_001)
    wanted = const(3**12_000, 20_001)
    top_bits_set = eq(extract(payload, 20_000, 19_991), const(-1, 10))
    model = find_solver(name)().check([top_bits_set], ult(wanted, payload))
    assert evaluate_term(all_(top_bits_set, ult(wanted, payload)), model)
    assert len(term_text(eq(payload, wanted))) < 100
    assert to_smtlib(eq(payload, wanted)).startswith("(= payload #b")


def test_text_of_a_widely_shared_term_stays_short():
    term = X
    for _ in range(200):
        term = mul(add(term, Y), add(term, X))
    assert len(term_text(term)) < 10_000
    assert len(to_smtlib(term)) < 20_000


def test_terms_do_not_depend_on_the_hash_seed():
    script = (
        "from sdnloom.symbolic.terms.constructors import *\n"
        "vs = [var(n, 8) for n in 'abcdef']\n"
        "t = all_(*(eq(add(p, q), mul(q, p)) for p in vs for q in vs if p is not q))\n"
        "print(term_text(t), to_smtlib(t), [v.key for v in vs], t.key)\n"
    )
    printed = {
        subprocess.run(
            [sys.executable, "-c", script], env={"PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True
        ).stdout
        for seed in ("0", "1", "77")
    }
    assert len(printed) == 1


@pytest.mark.parametrize(
    "make",
    [
        lambda: const(1, 0),
        lambda: var("", 8),
        lambda: var("a|b", 8),
        lambda: var("$1", 8),
        lambda: var("a\n", 8),
        lambda: var("a", 0),
        lambda: var("a", 8, "colour"),
        lambda: add(X, const(1, 9)),
        lambda: extract(X, 8, 0),
        lambda: extract(X, 0, 1),
        lambda: zero_extend(X, 4),
        lambda: not_(X),
        lambda: all_(X),
        lambda: ite(X, X, Y),
    ],
)
def test_invalid_terms_are_refused(make):
    with pytest.raises(ValueError):
        make()


@given(st.integers(-1000, 1000), st.integers(1, 12))
def test_constants_wrap_around(value, width):
    assert evaluate_term(const(value, width), {}) == value % 2**width
