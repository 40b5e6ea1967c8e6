"""TOML documents: includes are merged key by key, circles are named, hostile files end in one message."""

import contextlib
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sdnloom.scenario_file.document import Entries, ScenarioError, read_document


def plain(entries: Entries) -> dict:
    return {
        key: plain(entry.value) if isinstance(entry.value, Entries) else entry.value
        for key, entry in entries.entries.items()
    }


def write(folder: Path, **files: str) -> Path:
    for name, text in files.items():
        (folder / f"{name}.toml").write_text(text)
    return folder / "a.toml"


def test_own_keys_win_over_included_ones_and_the_last_include_over_earlier_ones(tmp_path: Path) -> None:
    file = write(
        tmp_path,
        a='include = ["b.toml", "c.toml"]\n[t]\nx = 1\n[t.u]\nq = [1]\n',
        b="y = 2\nz = 2\n[t]\nx = 2\ny = 2\n[t.u]\nq = [1, 2]\nr = 2\n",
        c="z = 3\n[t]\nz = 3\n",
    )
    assert plain(read_document(file)) == {"y": 2, "z": 3, "t": {"x": 1, "y": 2, "z": 3, "u": {"q": [1], "r": 2}}}


def test_each_value_knows_its_file(tmp_path: Path) -> None:
    file = write(tmp_path, a='include = "b.toml"\nx = 1\n', b="y = 2\n")
    entries = read_document(file).entries
    assert {key: entry.file.name for key, entry in entries.items()} == {"x": "a.toml", "y": "b.toml"}


def test_a_file_may_be_included_twice_but_not_by_itself(tmp_path: Path) -> None:
    file = write(
        tmp_path, a='include = ["b.toml", "c.toml"]', b='include = "d.toml"', c='include = "d.toml"', d="x = 1"
    )
    assert plain(read_document(file)) == {"x": 1}
    write(tmp_path, d='include = "a.toml"')
    with pytest.raises(ScenarioError, match=r"d\.toml: include .*a\.toml -> b\.toml -> d\.toml -> a\.toml"):
        read_document(file)


def test_twenty_layers_of_double_includes_are_read_once_each(tmp_path: Path) -> None:
    for number in range(60):
        (tmp_path / f"l{number}.toml").write_text(f'include = ["l{number + 1}.toml", "l{number + 1}.toml"]')
    (tmp_path / "l60.toml").write_text("x = 1")
    assert plain(read_document(tmp_path / "l0.toml")) == {"x": 1}


def test_too_long_a_chain_of_includes_is_refused(tmp_path: Path) -> None:
    for number in range(200):
        (tmp_path / f"l{number}.toml").write_text(f'include = "l{number + 1}.toml"')
    with pytest.raises(ScenarioError, match="expected at most 100"):
        read_document(tmp_path / "l0.toml")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"x = \n", ["not TOML", "line 1"]),
        (b"x = 1\nx = 2", ["not TOML"]),
        (b"\xff\xfe", ["byte 0 is not UTF-8"]),
        (b"x = '\0'", ["not TOML"]),
        (b"x = " + b"[" * 100_000, ["not TOML"]),
        (b"x = " + b"9" * 10_000, ["not TOML"]),
        (b"x = 1\n" * 1_000_000, ["more than 4194304 bytes"]),
        (b"include = 3", ["include is 3", "file name"]),
        (b"include = [1]", ["include is [1]"]),
        (b'include = "\\u0000"', ["include is"]),
        (b'include = "gone.toml"', ["gone.toml", "No such file"]),
        (b'include = "."', ["cannot read"]),
    ],
)
def test_unusable_file_is_named_with_the_reason(tmp_path: Path, content: bytes, words: list[str]) -> None:
    file = tmp_path / "bad.toml"
    file.write_bytes(content)
    with pytest.raises(ScenarioError) as caught:
        read_document(file)
    for word in ["bad.toml", *words]:
        assert word in str(caught.value)
    assert len(str(caught.value)) < 1000


def test_a_trace_is_named_as_one(tmp_path: Path) -> None:
    file = tmp_path / "bug.NoBlackHoles.sdnloom-trace.json"
    file.write_text("{}")
    with pytest.raises(ScenarioError, match=r"not TOML.*; a trace is for sdnloom replay"):
        read_document(file)


@given(st.binary(max_size=60))
@example(b"\xef\xbb\xbfx = 1")
def test_arbitrary_bytes_are_read_or_refused(tmp_path_factory, content: bytes) -> None:
    file = tmp_path_factory.mktemp("documents") / "any.toml"
    file.write_bytes(content)
    with contextlib.suppress(ScenarioError):  # and nothing else
        read_document(file)
