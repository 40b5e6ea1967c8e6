"""Documents as TOML text."""

import tomllib
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from sdnloom.scenario_file.toml_text import toml_text

KEYS = st.text(st.characters(exclude_categories=["Cs"]), min_size=0, max_size=8)
PLAIN = (
    st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
)
VALUES = st.recursive(
    PLAIN, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3), max_leaves=12
)


@given(st.dictionaries(KEYS, VALUES, max_size=5))
def test_text_is_read_back_as_the_same_document(document: dict[str, Any]) -> None:
    assert tomllib.loads(toml_text(document)) == document


def test_text_is_laid_out_as_people_write_it() -> None:
    document = {
        "properties": ["NoForwardingLoops", {"name": "Sometimes", "at": "h2"}],
        "program": {"app": "ryu.app.simple_switch_13"},
        "externals": [{"name": "POST /router/1", "arguments": ['{"address": "10.0.0.1/24"}']}],
        "ticks": 3,
        "path": ["it's"],
        "timeouts": {},
    }
    assert (
        toml_text(document)
        == """\
properties = ["NoForwardingLoops", { name = "Sometimes", at = "h2" }]
ticks = 3
path = ["it's"]

[program]
app = "ryu.app.simple_switch_13"

[timeouts]

[[externals]]
name = "POST /router/1"
arguments = ['{"address": "10.0.0.1/24"}']
"""
    )
