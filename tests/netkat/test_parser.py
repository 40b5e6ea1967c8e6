"""Text to policies and back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdnloom.netkat.errors import PolicySyntaxError
from sdnloom.netkat.parser import parse_policy
from sdnloom.netkat.printer import literal_text, to_text
from sdnloom.netkat.syntax import DROP_ALL, PASS_ALL, Assign, Not, Product, Star, Sum, Test
from tests.netkat.generators import policies

A, B, C = Test("a", 1), Test("b", 2), Assign("c", 3)


@pytest.mark.parametrize(
    ("text", "policy"),
    [
        *((text, DROP_ALL) for text in ("zero", "false", "drop", "0", "∅", "⊥")),
        *((text, PASS_ALL) for text in ("one", "true", "skip", "1", "ε", "⊤")),
        *((text, A) for text in ("a = 1", "a=1", "(a = 1)", "@a=1", "((a=1))", "a = 0x1", "# x\na=1 // y")),
        *((text, Not(A)) for text in ("a != 1", "a≠1", "~a = 1", "!a=1", "¬(a=1)")),
        *((text, C) for text in ("c <- 3", "c<-3", "c := 3", "c←3")),
        *((f"a=1 {sign} b=2", Product((A, B))) for sign in (".", ";", "&", "·", "⋅", "∧")),
        *((f"a=1 {sign} b=2", Sum((A, B))) for sign in ("+", "|", "∪", "∨")),
        *((f"(c<-3){sign}", Star(C)) for sign in ("*", "∗", "⋆")),
        ("a=1 + b=2 . c<-3", Sum((A, Product((B, C))))),
        ("(a=1 + b=2) . c<-3", Product((Sum((A, B)), C))),
        ("a=1 . b=2*", Product((A, Star(B)))),
        ("~a=1*", Star(Not(A))),
        ("~~(a=1 + b=2)", Not(Not(Sum((A, B))))),
        ("a=1.b=2", Product((A, B))),
        ("c<-3**", Star(Star(C))),
        ("a=-1.b<--2", Product((Test("a", -1), Assign("b", -2)))),
    ],
)
def test_notation(text, policy):
    assert parse_policy(text) is policy


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("7", 7),
        ("-7", -7),
        ("0x0800", 0x800),
        ("ssh", "ssh"),
        ("blocking-SSH", "blocking-SSH"),
        ("zero", "zero"),
        ("10.0.0.1", "10.0.0.1"),
        ("010.0.0.1", "10.0.0.1"),
        ("00:00:00:00:00:0A", "00:00:00:00:00:0a"),
        ('"1"', "1"),
        ('"a \\"b\\" \\\\ \\n . +"', 'a "b" \\ \n . +'),
        ("9" * 40, int("9" * 40)),
    ],
)
def test_values(text, value):
    assert parse_policy(f"f = {text}") is Test("f", value)
    assert parse_policy(f"f<-{text}.f={text}") is Product((Assign("f", value), Test("f", value)))


@pytest.mark.parametrize(
    "name", ["zone", "one_way", "onee", "zero1", "dup2", "skipper", "one", "zero", "dup", "let", "α"]
)
def test_names_that_begin_like_keywords_are_fields(name):
    assert parse_policy(f"{name} = 1 . {name} <- one") is Product((Test(name, 1), Assign(name, "one")))


def test_raceloom_policies_parse_unchanged():
    assert parse_policy("(flag = 0) . (type != 3) . (pt = 1) . (pt <- 2)") is Product(
        (Test("flag", 0), Not(Test("type", 3)), Test("pt", 1), Assign("pt", 2))
    )
    links = parse_policy("(((port = 3) . (port <- 5)) + ((port = 4) . (port <- 6)))")
    assert links is Sum(tuple(Product((Test("port", n), Assign("port", n + 2))) for n in (3, 4)))
    network = parse_policy("(port=2) . @Network . (port=15)", names={"@Network": C})
    assert network is Product((Test("port", 2), C, Test("port", 15)))


def test_names_are_replaced_by_their_policies():
    assert parse_policy("p . q*", names={"p": A, "q": C}) is Product((A, Star(C)))
    assert parse_policy("@p", names={"p": A}) is A


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("", "1:1", "found the end of the text, expected a test, an assignment, a policy name, '(' or a constant"),
        ("a = 1 .", "1:8", "found the end of the text, expected a test, an assignment, a policy name, '('"),
        ("a = 1 b = 2", "1:7", "found 'b', expected an operator or the end of the policy"),
        ("a = 1\n  + (b = 2", "2:11", "found the end of the text, expected an operator or ')' for the '(' at 2:5"),
        ("a = 1)", "1:6", "found ')', expected an operator or the end of the policy"),
        ("a = ", "1:5", "found the end of the text, expected a value for the field 'a'"),
        ("a = (1)", "1:5", "found '(', expected a value for the field 'a'"),
        ("a = @b", "1:5", "found '@b', expected a value for the field 'a'"),
        ("a == 1", "1:1", "unknown policy name 'a' (a test reads `field = value`); known: tables"),
        ("tabels", "1:1", "unknown policy name 'tabels' (a test reads `field = value`); did you mean 'tables'?"),
        ("a = 1 . 5", "1:9", "found '5', expected a policy; a test reads `field = value`"),
        ("a = 1a", "1:5", "found '1a', expected a number or an address; put spaces around the '.' of a product"),
        ("a = 10.0.0", "1:5", "found '10.0.0', expected a number or an address; put spaces around"),
        ("a = 10.0.0.1.1", "1:5", "found '10.0.0.1.1', expected a number or an address; put spaces around"),
        ("a = 1.2.3.400", "1:5", "'1.2.3.400' is no IPv4 address: each part is 0 to 255"),
        ("a = " + "9" * 41, "1:5", "number of 41 digits; at most 40 fit"),
        ("a = " + "9" * 10_000, "1:5", "number of 10000 digits; at most 40 fit"),
        ('a = "x', "1:5", "the string that starts here is not closed on its line"),
        ('a = "\\q"', "1:5", 'bad string "\\q": Invalid \\escape'),
        ("a = 1\x00", "1:6", "found '\\x00', which is not part of the language"),
        ("a = 1 $", "1:7", "found '$', which is not part of the language"),
        ("c <- 1 . ~(a = 1 . c <- 2)", "1:10", "only a predicate can be negated"),
        ("dup", "1:1", "dup is not supported: only dup-free NetKAT is decided here"),
        ("a = 1 · δ", "1:9", "dup is not supported: only dup-free NetKAT is decided here"),
    ],
)
def test_errors_say_where_and_what_was_expected(text, place, message):
    with pytest.raises(PolicySyntaxError) as caught:
        parse_policy(text, names={"tables": A}, source="net.json")
    assert str(caught.value).startswith(f"net.json:{place}: {message}")


def test_undeclared_field_is_an_error():
    with pytest.raises(PolicySyntaxError, match=r"<policy>:1:9: undeclared field 'prot'; did you mean 'port'\?"):
        parse_policy("port=1 .prot=2", fields={"port", "dst"})


def test_nesting_is_limited_by_memory_only():
    depth = 5_000  # five times what recursion could do
    policy = parse_policy("(" * depth + "a = 1" + ")*" * depth)
    assert policy.depth == depth + 1
    assert parse_policy(to_text(policy)) is policy
    with pytest.raises(PolicySyntaxError, match=f"1:{depth + 6}: found the end of the text"):
        parse_policy("(" * depth + "a = 1")
    assert parse_policy("~" * depth + "a = 1").depth == depth + 1


@given(policy=policies, symbols=st.booleans())
def test_printing_and_parsing_are_inverse(policy, symbols):
    assert parse_policy(to_text(policy, symbols)) is policy


@given(value=st.integers(-(10**39) + 1, 10**40 - 1) | st.text())
def test_every_value_is_printed_so_that_it_reads_back(value):
    assert parse_policy(f"f = {literal_text(value)}") is Test("f", value)
    assert literal_text(value).isprintable()


@given(text=st.text(alphabet='ab1=~!()*+.<-:# \n"\\@≠δ∅,é\x00', max_size=30))
def test_any_text_parses_or_is_a_syntax_error(text):
    try:
        policy = parse_policy(text)
    except PolicySyntaxError as error:
        lines = error.position.line
    else:
        lines = 1
        assert parse_policy(to_text(policy)) is policy
    assert 1 <= lines <= text.count("\n") + 1


def test_parentheses_are_as_few_as_precedence_allows():
    assert to_text(parse_policy("((a=1) + ((b=2) . (c<-3)))*")) == "(a = 1 + b = 2 . c <- 3)*"
    assert to_text(parse_policy("~(a != 1) . (c<-3)*")) == "~(a != 1) . (c <- 3)*"
    assert to_text(parse_policy("~(a=1 . b=2) + zero . one"), symbols=True) == "¬(a=1·b=2) + ∅·ε"


def test_a_limited_text_stays_short_however_large_the_policy():
    policy = A
    for _ in range(300):
        policy = Star(Sum((policy, Product((policy, C)))))
    assert 80 < len(to_text(policy, limit=80)) < 200
