"""DyNetKAT terms: the parser, the printer and the transitions."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdnloom.netkat.syntax import DROP_ALL, PASS_ALL, Assign, Policy, Test, product_of
from sdnloom.races.language.errors import DyNetkatError
from sdnloom.races.language.expressions import TermReader, TermUses
from sdnloom.races.language.model_text import ModelText
from sdnloom.races.language.templates import hole
from sdnloom.races.language.terms import (
    BOT,
    Choice,
    Definition,
    Forward,
    Prefix,
    ProcessTerm,
    Receive,
    Send,
    VariableCall,
    choice_of,
    process_text,
    sequence,
    steps,
)


def parse(text: str, names: dict[str, Policy] | None = None) -> ProcessTerm:
    return TermReader(ModelText(text, "t"), 0, len(text), names or {}, TermUses()).term()


N = product_of([Test("port", 1), Assign("port", 2)])

policies = st.sampled_from([DROP_ALL, PASS_ALL, N, Test("zone", 1), Assign("one_way", 3)])
channels = st.sampled_from(["up", "Up-2", "help_me"])
actions = st.one_of(
    st.builds(Forward, policies), st.builds(Send, channels, policies), st.builds(Receive, channels, policies)
)
terms = st.recursive(
    st.one_of(
        st.just(BOT),
        st.builds(VariableCall, st.sampled_from(["C", "C-SSH"]), st.lists(policies, max_size=2).map(tuple)),
    ),
    lambda below: st.one_of(st.builds(Prefix, actions, below), st.lists(below, max_size=3).map(choice_of)),
    max_leaves=12,
)


@given(terms)
def test_printed_terms_read_back_as_the_same_object(term: ProcessTerm) -> None:
    assert parse(process_text(term)) is term


def test_sequence_binds_tighter_than_choice() -> None:
    term = parse("up ! one ; C o+ down ? zero ; bot")
    assert term is Choice((Prefix(Send("up", PASS_ALL), VariableCall("C")), Prefix(Receive("down", DROP_ALL), BOT)))


@pytest.mark.parametrize(
    "text",
    [
        '(upS1 ! "(port = 1) . (port <- 2)") ; (("one") ; C1)',
        "upS1 ! (port = 1) . (port <- 2) ; one ; C1",
        "((upS1 ! port = 1 . port <- 2)) ; (1 ; (C1))",
        "upS1!port=1.port<-2;1;C1",
        "upS1 ! N ; one ; C1",
        "upS1 ! @N ;  // a comment\n one ; C1",
        "upS1 ! port=1·port←2 ; ε ; C1 ⊕ ⊥",
    ],
)
def test_raceloom_style_plain_style_and_symbols_are_one_term(text: str) -> None:
    assert parse(text, {"N": N}) is sequence([Send("upS1", N), Forward(PASS_ALL)], VariableCall("C1"))


def test_choices_are_sets_without_bot() -> None:
    assert parse("a ! 1 ; X o+ (b ! 1 ; X o+ a ! 1 ; X) o+ bot") is parse("a ! 1 ; X o+ b ! 1 ; X")
    assert parse("bot o+ ⊥") is BOT


def test_names_that_contain_constants_are_names() -> None:
    """`zone`, `one_way` and `botnet` start like constants and are none."""
    term = parse("zone = 1 . one_way <- 2 ; botnet")
    assert term is Prefix(Forward(product_of([Test("zone", 1), Assign("one_way", 2)])), VariableCall("botnet"))


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("", "t:1:1", "expected a policy, a channel"),
        ("up ! ; bot", "t:1:6", "found ';', expected the policy after '!'"),
        ("up ! one", "t:1:9", "expected ';' and a term"),
        ("a ! 1 ;\n  (b ! 1 ; C", "t:2:3", "this '(' has no ')'"),
        ("a ! 1 ; C)", "t:1:10", "found ')' without its '('"),
        ("a ! 1 ; A || b", "t:1:11", "parallel composition belongs in the `system` line"),
        ("a ! 1 ;\n b ! port = ; C", "t:2:12", "expected a value for the field 'port'"),
        ("a ! dup ; C", "t:1:5", "dup is not supported"),
        ("a ! 1 ; C D", "t:1:12", "expected ';' and a term"),
        ("a ! (1 ? 2) ; C", "t:1:8", "found '?', expected a policy"),
        ("a ! M ; C", "t:1:5", "unknown policy name 'M'"),
        ('a ! "one ; C', "t:1:5", "is not closed"),
        ("a ! 1 ; C(1,) ", "t:1:13", "expected an argument"),
        ("a ! sdnloom-hole-x <- 0 ; C", "t:1:5", "reserved"),
        ("a ! \0 ; C", "t:1:5", "found '\\x00'"),
    ],
)
def test_errors_name_line_column_and_what_was_expected(text: str, place: str, message: str) -> None:
    with pytest.raises(DyNetkatError) as caught:
        parse(text)
    assert str(caught.value).startswith(place + ":"), str(caught.value)
    assert message in str(caught.value)


@given(st.text(alphabet='ab1;!?()o+|." \n=<-*~,⊕⊥"', max_size=30))
def test_any_text_is_a_term_or_an_error_with_a_position(text: str) -> None:
    place = "t:"
    try:
        parse(text)
    except DyNetkatError as error:
        place = str(error.position)
    assert place.startswith("t:")


def test_deep_nesting_is_no_problem() -> None:
    depth = 5_000  # five times what recursion could do
    assert parse("(" * depth + "C" + ")" * depth) is VariableCall("C")
    text = "".join('(up ! "one") ; (' for _ in range(depth)) + "C" + ")" * depth
    assert parse(text) is sequence([Send("up", PASS_ALL)] * depth, VariableCall("C"))


def test_transitions_follow_variables_and_bind_parameters() -> None:
    body = parse("N ; X(N) o+ up ? one ; X(one . N)", {"N": hole("N")})
    definitions = {"X": Definition("X", ("N",), body), "Y": Definition("Y", (), VariableCall("X", (N,)))}
    assert steps(VariableCall("Y"), definitions) == (
        (Forward(N), VariableCall("X", (N,))),
        (Receive("up", PASS_ALL), VariableCall("X", (product_of([PASS_ALL, N]),))),
    )


def test_terms_are_immutable() -> None:
    with pytest.raises(AttributeError, match="immutable"):
        setattr(BOT, "anything", 1)  # noqa: B010
