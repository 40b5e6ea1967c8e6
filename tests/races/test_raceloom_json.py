"""RaceLoom's JSON files are read as they are; mistakes in them name the key."""

import copy
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdnloom.errors import SdnloomError
from sdnloom.netkat.syntax import DROP_ALL, Assign, Test, product_of
from sdnloom.races.language.errors import DyNetkatError
from sdnloom.races.language.load import parse_model
from sdnloom.races.language.model import BigSwitch, ChannelMessage, InnerSwitch, RequestMessage
from sdnloom.races.language.properties import RaceType
from sdnloom.races.language.raceloom_json import read_raceloom_properties
from sdnloom.races.language.terms import process_text

MODEL: dict[str, Any] = {
    "Switches": {
        "SW1": {
            "InitialFlowTable": "(port = 1) . (port <- 2)",
            "DirectUpdates": [{"Channel": "up", "Policy": "zero"}],
            "RequestedUpdates": [
                {"RequestChannel": "ask", "RequestPolicy": "one", "ResponseChannel": "tell", "ResponsePolicy": "zero"}
            ],
        },
        "SW2": {"DirectUpdates": [], "RequestedUpdates": []},
    },
    "Links": "(zone = 1) . (one_way <- 2)",
    "RecursiveVariables": {
        "C-1": '(up ! "zero") ; C-1 o+ (ask ? "one") ; ((tell ! "zero") ; ("one" ; C-1))',
        "C2": "bot",
    },
    "OtherChannels": ["free"],
    "Controllers": ["C-1", "C2", "C2"],
}
PROPERTIES = {"Properties": {"CT->SW": {"Expression": "(port = 1) . @Network", "AllowsPackets": True}}}


def changed(*keys: Any, value: Any) -> str:
    model = copy.deepcopy(MODEL)
    inner = model
    for key in keys[:-1]:
        inner = inner[key]
    if value is None:
        del inner[keys[-1]]
    else:
        inner[keys[-1]] = value
    return json.dumps(model)


def test_a_model_means_what_raceloom_means() -> None:
    model = parse_model(json.dumps(MODEL), "m.json")
    big, *controllers = model.elements
    assert isinstance(big, BigSwitch)
    first = product_of([Test("port", 1), Assign("port", 2)])
    request = RequestMessage(ChannelMessage("ask", product_of([])), ChannelMessage("tell", DROP_ALL))
    assert big.switches == (
        InnerSwitch("SW1", first, (ChannelMessage("up", DROP_ALL),), (request,)),
        InnerSwitch("SW2", DROP_ALL, (), ()),
    )
    assert big.links is product_of([Test("zone", 1), Assign("one_way", 2)])
    assert [controller.name for controller in controllers] == ["C-1", "C2", "C2#2"]
    body = model.definitions["C-1"].body
    assert process_text(body) == "up ! zero ; C-1 o+ ask ? one ; tell ! zero ; one ; C-1"


def test_a_property_applies_to_the_types_that_the_file_names() -> None:
    (prop,) = read_raceloom_properties(json.dumps(PROPERTIES), "p.json")
    assert set(prop.formulas) == {RaceType.CT_SW}
    assert prop.formulas[RaceType.CT_SW].negated
    older = json.dumps(PROPERTIES).replace("AllowsPackets", "MustBe")
    assert read_raceloom_properties(older, "p.json") == (prop,)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "m.json:1:2: no JSON"),
        ("[]", "m.json: found list, expected an object"),
        ("[" * 100_000, "no JSON that can be read"),
        ('{"Links": ' + "9" * 5000 + "}", "no JSON that can be read"),
        ('{"Links": "one", "Links": "one"}', "the key 'Links' occurs twice"),
        (changed("Nonsense", value=1), "m.json: found the key 'Nonsense', expected only 'Switches'"),
        (changed("Switches", value=None), "m.json: found no key 'Switches'"),
        (changed("Switches", value={}), "m.json: Switches: found an empty object, expected one switch or more"),
        (changed("Controllers", value=[]), "m.json: Controllers: found an empty list"),
        (changed("Controllers", value=["X"]), "m.json: Controllers[0]: found 'X', expected one of RecursiveVariables"),
        (changed("Controllers", value="C2"), "m.json: Controllers: found str, expected a list"),
        (changed("Links", value="port = "), "m.json: Links:1:8: found the end of the text, expected a value"),
        (changed("Links", value="dup"), "m.json: Links:1:1: dup is not supported"),
        (
            changed("Switches", "SW1", "DirectUpdates", 0, "Channel", value="a b"),
            "DirectUpdates[0].Channel: found 'a b'",
        ),
        (changed("Switches", "SW1", "DirectUpdates", 0, "Policy", value=7), "Policy: found int, expected a string"),
        (
            changed("Switches", "SW2", "DirectUpdates", value=[{"Channel": "ask", "Policy": "one"}]),
            "m.json: Switches.SW2: channel 'ask' already belongs to switch 'SW1'",
        ),
        (
            changed("RecursiveVariables", "C2", value='(upp ! "zero") ; C2'),
            "m.json: RecursiveVariables.C2:1:2: unknown channel 'upp', expected a declared one; did you mean 'up'?",
        ),
        (changed("RecursiveVariables", "C2", value="C2"), "C2:1:1: unguarded recursive variable 'C2'"),
        (changed("RecursiveVariables", "C2", value='(up ! "zero")'), "C2:1:13: found ')', expected ';' and a term"),
        (changed("RecursiveVariables", "C2", value="C1 || C2"), "C2:1:4: found '||', expected the end of the term"),
    ],
)
def test_mistakes_name_the_key_the_column_and_what_was_expected(text: str, message: str) -> None:
    with pytest.raises(DyNetkatError) as caught:
        parse_model(text, "m.json")
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"Properties": {}}', "p.json: Properties: found an empty object"),
        ('{"Properties": {"CT->CT": {"Expression": "@Network"}}}', "found the key 'CT->CT', expected one of 'CT->SW'"),
        ('{"Properties": {"LTL": {"Expression": "@Network"}}}', "temporal properties are not supported"),
        ('{"Properties": {"CT->SW": {"Expression": "one"}}}', "CT->SW.Expression: found no @Network"),
        ('{"Properties": {"CT->SW": {"Expression": "G(@Network)"}}}', "CT->SW.Expression:1:1: unknown policy name 'G'"),
        (
            '{"Properties": {"CT->SW": {"Expression": "@Network", "AllowsPackets": "no"}}}',
            "AllowsPackets: found str, expected true or false",
        ),
    ],
)
def test_mistakes_in_properties(text: str, message: str) -> None:
    with pytest.raises(SdnloomError) as caught:
        read_raceloom_properties(text, "p.json")
    assert message in str(caught.value)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda below: (
        st.lists(below, max_size=3)
        | st.dictionaries(st.sampled_from([*MODEL, "SW1", "Channel", "Policy", "C"]), below, max_size=4)
    ),
    max_leaves=20,
)


@given(json_values)
def test_any_json_is_a_model_or_a_clean_error(value: Any) -> None:
    with pytest.raises(SdnloomError):
        parse_model(json.dumps({"Switches": value, "RecursiveVariables": value, "Controllers": value}))
