"""SMT-LIB text is read as the term that was written; other text is refused, in time and memory linear in its size."""

import tracemalloc

import pytest
from hypothesis import given, settings

from sdnloom.symbolic.terms.constructors import (
    Term,
    add,
    bv_xor,
    concat,
    const,
    eq,
    evaluate_term,
    extract,
    to_smtlib,
    var,
    zero_extend,
)
from sdnloom.symbolic.terms.node import postorder
from sdnloom.symbolic.terms.smtlib_reader import SmtlibError, SmtlibReader
from tests.symbolic.core.recipes import build, recipes

X, Y, B = var("x", 8), var("y", 8), var("m1.actions[0].type", 16)
KNOWN = {"x": X, "y": Y, "m1.actions[0].type": B}


def read(text: str, known: dict[str, Term] = KNOWN) -> Term:
    return SmtlibReader(known).read(text)


@settings(max_examples=80)
@given(recipes())
def test_what_was_written_is_read_as_the_same_term(recipe: tuple[object, ...]) -> None:
    term = build(recipe)
    known = {node.args[0]: node for node in postorder(term) if node.op == "var"}
    assert SmtlibReader(known).read(to_smtlib(term)) is term


def test_a_deep_term_with_shared_parts_is_read_as_the_same_term() -> None:
    term = X
    for number in range(300):
        term = add(bv_xor(term, const(number, 8)), term)
    assert read(to_smtlib(term)) is term


def test_quoted_names_and_indexed_constants() -> None:
    assert read("(= |m1.actions[0].type| (_ bv5 16))") is eq(B, const(5, 16))
    assert read(" ( (_ extract 3 0)\n x ) ") is extract(X, 3, 0)
    assert read("(concat (concat x y) (concat x #b1))") is concat(X, Y, X, const(1, 1))
    assert read("((_ zero_extend 4) x)") is zero_extend(X, 12)


def test_bindings_of_one_let_do_not_see_each_other() -> None:
    text = "(let ((a x)) (let ((a y) (b a)) (concat a b)))"
    assert read(text) is concat(Y, X)
    assert read("(concat (let ((x y)) x) x)") is concat(Y, X)


def test_definitions_are_seen_by_later_texts() -> None:
    reader = SmtlibReader(KNOWN)
    assert reader.define("$0", "(bvadd y x)") is add(X, Y)
    assert reader.read("(= $0 #x05)") is eq(add(X, Y), const(5, 8))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "found 0 terms, expected one"),
        ("x y", "found 2 terms, expected one"),
        ("(bvadd x y", "the term ends inside of 1 parentheses"),
        ("x)", "')' without '('"),
        ("()", "found '', expected an operator"),
        ("(x)", "found 'x', expected an operator"),
        ("z", "found 'z', expected a variable"),
        ("(bvadd x)", "'bvadd' of 1 terms, expected 2"),
        ("(bvadd x |m1.actions[0].type|)", "'bvadd' of terms of 8 and 16 bits"),
        ("(bvadd true false)", "'bvadd' of a truth value"),
        ("(not x)", "'not' of a bit vector"),
        ("(and true x)", "'and' of a bit vector"),
        ("(and true)", "'and' of 1 terms"),
        ("(ite x x y)", "'ite' of a bit vector"),
        ("(concat x true)", "concat of a truth value"),
        ("(concat true x)", "concat of a truth value"),
        ("(concat x)", "concat of 1 terms"),
        ("((_ extract 8 0) x)", "extract 8 0 of 8 bits"),
        ("((_ extract 0 1) x)", "extract 0 1 of 8 bits"),
        ("((_ extract 1) x)", "extract 1 of 8 bits"),
        ("((_ zero_extend 1000000000) x)", "1,000,000,008 bits; expected 1 to 65,536"),
        ("((_ zero_extend 0) x)", "zero_extend 0: expected one number from 1"),
        ("((_ repeat 3) x)", "found (_ 'repeat')"),
        ("(_ extract 1 0)", "is no term"),
        ("(_ bv1 1000000000)", "1,000,000,000 bits; expected 1 to 65,536"),
        ("(_ bv1 0)", "0 bits; expected"),
        ("(_ bv256 8)", "256 does not fit into 8 bits"),
        ("(_ bv99999999999999999999999 8)", "expected a number of at most 20 digits"),
        ("(_ bv-1 8)", "expected a number"),
        ("(_ bv\u0663 8)", "expected a number"),
        ("#x", "expected digits of base 16"),
        ("#xg1", "expected digits of base 16"),
        ("#x1_1", "expected digits of base 16"),
        ("#b2", "expected digits of base 2"),
        ("(let (a x) a)", "found 'a' in the bindings of let"),
        ("(let ((a)) x)", "a binding of let has a name and a term"),
        ("(let (((bvnot x) a)) x)", "expected a variable"),
        ("(let ((a x)))", "let has 0 terms in it"),
        ("(let x)", "let without bindings"),
        ("(let ((a x)) a) a", "found 'a', expected a variable"),
        ("(forall ((a Bool)) a)", "expected a variable"),
        ('(bvadd x "y")', "expected a term"),
        ("(bvadd x |y)", "expected a term"),
        ("(bvadd x y) ; text", "expected a term"),
        ("(__import__ x)", "expected"),
    ],
)
def test_other_text_is_refused(text: str, reason: str) -> None:
    with pytest.raises(SmtlibError) as caught:
        read(text)
    assert reason in str(caught.value)


def hostile_texts() -> dict[str, str]:
    chain = "".join(f"(let ((a{i + 1} (bvadd a{i} a{i}))) " for i in range(2_500))
    return {
        "deep": "(bvnot " * 12_000 + "x" + ")" * 12_000,
        "open": "(" * 20_000,
        "let chain": f"(let ((a0 x)) {chain}a2500" + ")" * 2_501,
        "wide": "(concat x " * 8_300 + "x" + ")" * 8_300,
        "long constant": "#x" + "f" * 100_000,
        "flat": "(and " + "true " * 20_000 + "x)",
        "words": "x " * 20_000,
    }


@pytest.mark.parametrize("name", sorted(hostile_texts()))
def test_hostile_text_costs_little(name: str) -> None:
    text = hostile_texts()[name]
    tracemalloc.start()
    try:
        with pytest.raises(SmtlibError):
            read(text)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 200 * len(text)


def test_a_term_with_exponentially_many_paths_is_read_and_evaluated_at_once() -> None:
    chain = "".join(f"(let ((a{i + 1} (bvxor (bvadd a{i} y) a{i}))) " for i in range(50))
    term = read(f"(let ((a0 x)) {chain}a50" + ")" * 51)
    expected = 3
    for _ in range(50):
        expected = ((expected + 5) & 255) ^ expected
    assert evaluate_term(term, {"x": 3, "y": 5}) == expected
    assert extract(term, 3, 0).op == "extract"
    assert evaluate_term(extract(term, 3, 0), {"x": 3, "y": 5}) == expected & 15


@pytest.mark.parametrize("layer", ["(bvadd {} #x01)", "(bvnot {})", "((_ extract 7 0) ((_ zero_extend 1) {}))"])
def test_constructors_do_not_recurse_into_a_deep_term(layer: str) -> None:
    term, reader = X, SmtlibReader({**KNOWN})
    for _ in range(900):
        term = reader.define("a", layer.format("a" if term is not X else "x"))
    assert eq(term, const(5, 8)).width == extract(term, 3, 0).width - 4 == 0


def test_neighbours_in_bindings_are_one_concatenation() -> None:
    assert read("(let ((a (concat x y))) (concat a x))") is concat(X, Y, X)


def test_a_reader_has_a_budget_of_terms_and_of_bits() -> None:
    reader = SmtlibReader(KNOWN, most_terms=3)
    reader.read("(bvnot (bvnot x))")
    with pytest.raises(SmtlibError, match="more terms than a reader accepts"):
        reader.read("(bvneg (bvneg x))")
    with pytest.raises(SmtlibError, match="more terms than a reader accepts"):
        SmtlibReader(KNOWN, most_bits=100).read("((_ zero_extend 100) x)")
