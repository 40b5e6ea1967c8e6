"""The text format: models and properties, and errors with line, column and what was expected."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdnloom.errors import SdnloomError
from sdnloom.netkat.syntax import DROP_ALL, PASS_ALL, Assign, Not, Test, product_of
from sdnloom.races.language.errors import DyNetkatError
from sdnloom.races.language.load import parse_model
from sdnloom.races.language.model import (
    BigSwitch,
    ChannelMessage,
    ElementRole,
    InnerSwitch,
    RequestMessage,
    TermComponent,
)
from sdnloom.races.language.properties import RaceType
from sdnloom.races.language.terms import VariableCall
from sdnloom.races.language.text_format import read_text_properties

MODEL = """\
# two switches, two controllers
policy N1 = port = 1 . port <- 2
policy N2 = port = 2
    . port <- 3
network Net
  links port = 2 . port <- 2
      + switch = 4 . switch <- 5   // a field may be called like a keyword
  switch S1 = N1
    update up1 ? zero
    request Ask ! type = 1 then Tell ? N2
  switch S2
    update up2 ? N1
channel ctl
C = up1 ! zero ; C
  o+ Ask ? type = 1 ; Tell ! N2 ; ctl ? one ; bot
D = up2 ! N1 ; ctl ! one ; D
system Net || C || D
property p = port = 1 . @Network . port = 3 is empty
property q for CT->SW, CT->SW<-CT = @Network <= one
"""


def test_a_model_means_what_it_says() -> None:
    model = parse_model(MODEL)
    n1 = product_of([Test("port", 1), Assign("port", 2)])
    n2 = product_of([Test("port", 2), Assign("port", 3)])
    net, c, d = model.elements
    assert isinstance(net, BigSwitch)
    request = RequestMessage(ChannelMessage("Ask", Test("type", 1)), ChannelMessage("Tell", n2))
    assert net.switches == (
        InnerSwitch("S1", n1, (ChannelMessage("up1", DROP_ALL),), (request,)),
        InnerSwitch("S2", DROP_ALL, (ChannelMessage("up2", n1),), ()),
    )
    assert c == TermComponent("C", ElementRole.CONTROLLER, VariableCall("C"))
    assert d == TermComponent("D", ElementRole.CONTROLLER, VariableCall("D"))
    p, q = model.properties
    assert set(p.formulas) == set(RaceType)
    assert set(q.formulas) == {RaceType.CT_SW, RaceType.CT_SW_CT}


def test_roles_are_inferred_from_forwarding_and_can_be_given() -> None:
    text = "channel ch\nX(N) = N ; X(N) o+ ch ? one ; X(one)\nC = ch ! one ; C\nP = one ; ch ! one ; P\n"
    first = parse_model(text + "system X(zero) || C || controller P")
    assert [element.role for element in first.elements] == [
        ElementRole.SWITCH,
        ElementRole.CONTROLLER,
        ElementRole.CONTROLLER,
    ]
    second = parse_model(text + "system switch C || P || C || C")
    assert [element.role for element in second.elements] == [ElementRole.SWITCH, ElementRole.SWITCH] + [
        ElementRole.CONTROLLER
    ] * 2
    assert [element.name for element in second.elements] == ["C", "P", "C#2", "C#3"]


def test_links_are_one_if_left_out() -> None:
    model = parse_model("network N\n switch S\n  update u ? one\nC = u ! one ; C\nsystem N || C")
    big = model.elements[0]
    assert isinstance(big, BigSwitch)
    assert big.links is PASS_ALL


def changed(old: str, new: str) -> str:
    assert old in MODEL
    return MODEL.replace(old, new)


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("", "<model>:1:1", "found no system, expected `system A || B || ...`"),
        (changed("up2 ! N1 ;", "up3 ! N1 ;"), "<model>:16:5", "unknown channel 'up3', expected a declared one"),
        (changed("ctl ! one ; D", "ctl ! one ; E"), "<model>:16:28", "unknown recursive variable 'E'"),
        (changed("ctl ! one ; D", "ctl ! one ; D(one)"), "<model>:16:28", "'D' has 1 arguments, expected 0"),
        (changed("D = up2 ! N1 ; ctl", "D = D o+ ctl"), "<model>:16:5", "unguarded recursive variable 'D'"),
        (changed("D = up2", "E = D o+ bot\nD = E o+ up2"), "<model>:16:5", "unguarded recursive variable 'D'"),
        (changed("    update up2 ? N1", "    update up1 ? N1"), "<model>:11:10", "already belongs to switch 'S1'"),
        (changed("type = 1 then Tell ? N2", "type = 1"), "<model>:10:27", "expected `request ASK ! POLICY then"),
        (changed("switch S2", "switch S1"), "<model>:11:10", "switch 'S1' is defined twice"),
        (changed("policy N2", "policy N1"), "<model>:3:8", "policy 'N1' is defined twice"),
        (changed("policy N2", "policy one"), "<model>:3:8", "found 'one', expected a name for a policy"),
        (changed("= port = 2\n", "= port =\n"), "<model>:4:5", "expected a value for the field 'port'"),
        (changed("port <- 3", "dup"), "<model>:4:7", "dup is not supported"),
        (changed("system Net", "system Nett"), "<model>:17:8", "unknown recursive variable 'Nett'"),
        (changed("system Net", "system controller Net"), "<model>:17:19", "a network is a switch"),
        (changed("channel ctl", "channel ctl,"), "<model>:13:13", "expected a channel"),
        (changed("D = up2", "D up2"), "<model>:16:3", "found 'up2', expected '='"),
        (changed("property q for CT->SW, CT", "property q for CT->SW, XT"), "<model>:19:16", "unknown race type"),
        (changed("is empty", "is full"), "<model>:18:14", "found no question about the network"),
        (changed("@Network <= one", "@Network <= one <= one"), "<model>:19:53", "found 2 of '<='"),
        (changed("property p = port", "property p = always port"), "<model>:18:14", "temporal properties are not"),
        (changed("property p = port", "property p = eventually (port"), "<model>:18:14", "temporal properties are"),
        (changed("property q", "property p"), "<model>:19:10", "property 'p' is defined twice"),
        ("update u ? one", "<model>:1:1", "found 'update', expected `network` before it"),
        ("network N\n update u ? one", "<model>:2:2", "found 'update', expected `switch` before it"),
        ("network N\nsystem N", "<model>:1:9", "network 'N' has no switch"),
        ("C(p, p) = bot\nsystem C(one, one)", "<model>:1:3", "a parameter is named twice"),
        ("C = bot\nsystem C ||", "<model>:2:12", "expected a policy, a channel"),
    ],
)
def test_errors_name_line_column_and_what_was_expected(text: str, place: str, message: str) -> None:
    with pytest.raises(DyNetkatError) as caught:
        parse_model(text)
    assert f"{caught.value.position}" == place, str(caught.value)
    assert message in str(caught.value)


@given(st.text(max_size=60))
def test_any_text_is_a_model_or_a_clean_error(text: str) -> None:
    with pytest.raises(SdnloomError):
        parse_model(text)


@given(st.integers(0, len(MODEL)), st.sampled_from(["", "(", ")", "=", ";", "\n", "!", '"', "\0", "||", "@", "#"]))
def test_a_damaged_model_is_a_model_or_a_clean_error(offset: int, put: str) -> None:
    try:
        parse_model(MODEL[:offset] + put + MODEL[offset + 1 :])
    except SdnloomError as error:
        assert str(error)  # noqa: PT017


def test_properties_may_use_policies_of_the_model() -> None:
    model = parse_model(MODEL)
    text = "policy P = port = 9\nproperty r = N1 . @Network . P is nonempty\nproperty w = waypoint P from N3 to P"
    names = {**model.policies, "N3": Test("port", 7)}
    r, w = read_text_properties(text, "f", names)
    assert r.formulas[RaceType.CT_SW].negated
    assert w.formulas[RaceType.CT_SW].avoid is Not(Test("port", 9))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("policy P = one", "f:1:15: found no property"),
        ("property p = @Network is empty\nchannel c", "f:2:1: expected only `policy` and `property`"),
        ("property p = waypoint one from one", "f:1:35: found the end, expected 'to'"),
        ("property p = isolated one, port <- 1", "f:1:28: found an assignment or a star, expected a predicate"),
        ("property p = isolated one", "f:1:26: found 0 of ',', expected `isolated A, B`"),
        ("property p = ~@Network is empty", "only a predicate can be negated"),
        ("property p = is empty", "f:1:14: found no question about the network"),
        ("property p = @Network == ", "f:1:25: found the end, expected a policy"),
    ],
)
def test_errors_in_properties(text: str, message: str) -> None:
    with pytest.raises(SdnloomError) as caught:
        read_text_properties(text, "f", {})
    assert message in str(caught.value)


def test_fields_may_be_called_like_words_of_the_property_language() -> None:
    text = "property p = always = 1 . @Network . until = 2 is empty\nproperty q = isolated isolated = 1, from = 2"
    p, q = read_text_properties(text, "f", {})
    assert p.name == "p"
    assert q.name == "q"
