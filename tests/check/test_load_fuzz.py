"""Whatever stands in the place of a value: the scenario is read, or refused with a message."""

import json
import math
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sdnloom.check.load import load_scenario
from sdnloom.errors import SdnloomError
from tests.check.scenarios import SCENARIO, write
from tests.check.test_load import EVERYTHING

TEXTS = st.sampled_from(
    [
        "",
        "x",
        "A",
        "s1:1",
        "s1:99999999999",
        "s1-s2",
        "hub.py",
        "hub.py:Hub",
        "client",
        "\u0000",
        "é",
        "-",
        "00:00",
        "/",
    ]
)
SCALARS = st.one_of(
    st.booleans(),
    st.sampled_from([0, 1, -1, 2, 7, 1 << 31, 1 << 64, 10**50]),
    st.sampled_from([0.5, -1.5, 1e300, math.inf, math.nan]),
    TEXTS,
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.sampled_from(["name", "kind", "to", "file", "mac", "ip", "x"]), inner, max_size=3),
    ),
    max_leaves=4,
)


def toml(value: Any) -> str:
    """A value as TOML in one line."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{json.dumps(key)} = {toml(part)}" for key, part in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    if isinstance(value, float) and not math.isfinite(value):
        return "nan" if math.isnan(value) else "inf"
    return json.dumps(value, ensure_ascii=True) if not isinstance(value, float) else repr(value)


def places(value: Any, here: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every place in a document."""
    if here:
        yield here
    if isinstance(value, dict | list):
        for key, part in value.items() if isinstance(value, dict) else enumerate(value):
            yield from places(part, (*here, key))


def put(document: Any, place: tuple[Any, ...], value: Any) -> Any:
    """The document with another value in that place."""
    if not place:
        return value
    changed = dict(document) if isinstance(document, dict) else list(document)
    changed[place[0]] = put(document[place[0]], place[1:], value)
    return changed


DOCUMENTS = [tomllib.loads(EVERYTHING), tomllib.loads(SCENARIO)]
PLACES = [(number, place) for number, document in enumerate(DOCUMENTS) for place in places(document)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("scenarios")


def test_the_documents_are_written_as_they_were(folder: Path) -> None:
    for document in DOCUMENTS:
        text = "".join(f"{key} = {toml(part)}\n" for key, part in document.items())
        assert tomllib.loads(text) == document


@pytest.mark.slow
@settings(max_examples=400)
@given(st.sampled_from(PLACES), VALUES)
def test_any_value_in_any_place_is_read_or_refused(
    folder: Path, place: tuple[int, tuple[Any, ...]], value: Any
) -> None:
    document = put(DOCUMENTS[place[0]], place[1], value)
    file = write(folder, "".join(f"{json.dumps(key)} = {toml(part)}\n" for key, part in document.items()))
    try:
        load_scenario(file)
    except SdnloomError as error:
        message = str(error)
    else:
        return
    assert "hub.toml" in message
    assert len(message) < 2000


@pytest.mark.slow
@settings(max_examples=200)
@given(st.integers(0, len(EVERYTHING)), st.integers(1, 30), st.sampled_from(["", "x", "[", "=", '"', "3", "\n"]))
def test_a_damaged_file_is_read_or_refused(folder: Path, start: int, length: int, text: str) -> None:
    file = write(folder, EVERYTHING[:start] + text + EVERYTHING[start + length :])
    try:
        load_scenario(file)
    except SdnloomError as error:
        message = str(error)
    else:
        return
    assert "hub.toml" in message
