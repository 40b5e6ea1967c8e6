"""One tokenizer for NetKAT and for languages that contain it."""

import pytest

from sdnloom.netkat.errors import PolicySyntaxError
from sdnloom.netkat.tokens import NETKAT, NETKAT_SYMBOLS, Notation, SourceText
from sdnloom.races.language.model_text import DYNETKAT


def kinds(text: str, notation: Notation) -> list[tuple[str, str]]:
    return [(token.kind, token.text) for token in SourceText(text, "t").tokenize(notation)]


def test_a_notation_adds_symbols_to_netkat() -> None:
    assert kinds("a o+ b || c ? d", DYNETKAT) == [
        ("word", "a"),
        ("choice", "o+"),
        ("word", "b"),
        ("parallel", "||"),
        ("word", "c"),
        ("receive", "?"),
        ("word", "d"),
    ]
    assert kinds("a o+ b", NETKAT) == [("word", "a"), ("word", "o"), ("sum", "+"), ("word", "b")]


def test_a_symbol_like_a_word_is_none_inside_a_word() -> None:
    assert kinds("foo+ b", DYNETKAT) == [("word", "foo"), ("sum", "+"), ("word", "b")]


@pytest.mark.parametrize("symbol", [symbol for symbols in NETKAT_SYMBOLS.values() for symbol in symbols])
def test_symbols_of_netkat_are_the_same_in_both_notations(symbol: str) -> None:
    assert kinds(symbol, NETKAT) == kinds(symbol, DYNETKAT)


def test_only_some_notations_have_strings_over_several_lines() -> None:
    assert SourceText('"a\nb"', "t").tokenize(DYNETKAT)[0].value == "a\nb"
    with pytest.raises(PolicySyntaxError, match="t:1:1: the string that starts here is not closed on its line"):
        SourceText('"a\nb"', "t").tokenize(NETKAT)
    with pytest.raises(PolicySyntaxError, match=r"t:1:3: the string that starts here is not closed$"):
        SourceText('a "b', "t").tokenize(DYNETKAT)


def test_offsets_and_positions_are_those_of_the_whole_text() -> None:
    source = SourceText("x\n a = 1 # c\n b", "t")
    (first, *_, last) = source.tokenize(NETKAT, 2)
    assert (first.start, first.end, str(source.position(first.start))) == (3, 4, "t:2:2")
    assert str(source.position(last.start)) == "t:3:2"
