"""Known, new and gone violations, and the file that lists known ones."""

import tomllib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sdnloom.report.baseline.baseline_file import (
    BaselineError,
    baseline_text,
    read_baseline,
    subject_name,
    write_baseline,
)
from sdnloom.report.baseline.known import FoundViolation, KnownViolation, judge, lasting_message, updated


@pytest.mark.parametrize(
    ("message", "lasting"),
    [
        ("app.py:19: on_packet raised KeyError: 5", "app.py: on_packet raised KeyError: 5"),
        ("/srv/x-1/app.py, line 7: raised ValueError", "app.py: raised ValueError"),
        ("in nets/apps/app.py:3 and ../b.py:4", "in app.py and b.py"),
        ("<object at 0x7f00deadbeef> is left", "<object> is left"),
        ("packet A:2 at s1 went to port 3", "packet A:2 at s1 went to port 3"),
        ("flow 10.0.0.1/24 > h2:80 of  two\nlines", "flow 10.0.0.1/24 > h2:80 of two lines"),
    ],
)
def test_a_message_outlasts_edits_elsewhere(message: str, lasting: str) -> None:
    assert lasting_message(message) == lasting
    assert lasting_message(lasting) == lasting


def known(subject: str, message: str, note: str = "") -> KnownViolation:
    return KnownViolation(subject, "P", message, note)


def test_what_is_found_is_known_or_new_and_what_is_not_found_is_gone() -> None:
    listed = [known("a", "one"), known("a", "app.py: two"), known("b", "three")]
    found = [FoundViolation("P", "x/app.py:9: two"), FoundViolation("P", "three"), FoundViolation("Q", "one")]
    judged = judge("a", found, listed)
    assert judged.known == (FoundViolation("P", "x/app.py:9: two"),)
    assert judged.new == (FoundViolation("P", "three"), FoundViolation("Q", "one"))
    assert judged.gone == (known("a", "one"),)
    assert not judged.accepted
    assert judge("a", found[:1], listed).accepted
    assert not judge("a", [], listed).accepted


def test_nothing_is_gone_if_not_all_was_searched() -> None:
    listed = [known("a", "one", "issue 5")]
    judged = judge("a", [FoundViolation("P", "two")], listed, complete=False)
    assert judged.gone == ()
    assert updated(listed, [judged]) == [known("a", "one", "issue 5"), known("a", "two")]


def test_after_the_first_violation_nothing_is_gone() -> None:
    listed = [known("a", "one"), known("a", "two")]
    assert judge("a", [FoundViolation("P", "two")], listed, first=True).gone == ()
    assert judge("a", [], listed, first=True).gone == tuple(listed)


def test_an_update_keeps_notes_and_subjects_that_did_not_run() -> None:
    listed = [known("b", "x"), known("a", "old"), known("a", "stays", "why")]
    judged = judge("a", [FoundViolation("P", "stays"), FoundViolation("P", "new")], listed)
    assert updated(listed, [judged]) == [known("a", "new"), known("a", "stays", "why"), known("b", "x")]


texts = st.text("ab1:/. '\"\\é", max_size=9).map(lambda text: f"x{text}y")
entries = st.builds(KnownViolation, texts, texts, texts.map(lasting_message), st.one_of(st.just(""), texts))


@settings(max_examples=25)
@given(st.lists(entries, max_size=5, unique_by=lambda each: each.key()))
def test_a_file_is_read_as_it_was_written(listed: list[KnownViolation]) -> None:
    text = baseline_text(listed)
    assert [table["message"] for table in tomllib.loads(text).get("known", [])] == [each.message for each in listed]
    again = judge("s", [FoundViolation(e.property, e.message) for e in listed], [])
    after = updated([], [again])
    assert updated(after, [judge("s", [], after, complete=False)]) == after
    assert updated(after, [judge("s", [], after)]) == []


def test_files_are_written_and_read(tmp_path: Path) -> None:
    file = tmp_path / "known.toml"
    listed = (known("nets/a.toml", 'says "no"'), known("nets/b.toml", "x", "issue 3"))
    write_baseline(file, listed)
    assert read_baseline(file) == listed
    assert [each.name for each in tmp_path.iterdir()] == ["known.toml"]
    assert subject_name(tmp_path / "nets" / "a.toml", file) == "nets/a.toml"
    assert subject_name(tmp_path / "a.toml", tmp_path / "ci" / "known.toml") == "../a.toml"


HEAD = 'schema = "sdnloom-baseline-1"\n'


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{}", ["not TOML"]),
        ("", ["schema is missing", "sdnloom-baseline-1"]),
        ('schema = "other"', ["schema is 'other'", "sdnloom-baseline-1"]),
        (f"{HEAD}known = 3", ["known is 3", "a list of tables"]),
        (f"{HEAD}[[known]]\nscenario = 'a'\nproperty = 'P'", ["known[0].message is missing"]),
        (f"{HEAD}[[known]]\nscenario = 1\nproperty = 'P'\nmessage = 'm'", ["known[0].scenario is 1"]),
        (f"{HEAD}[[known]]\nscenario = 'a'\nproperty = 'P'\nmessage = 'm'\nwhy = 'x'", ["known[0].why", "unknown"]),
        (f"{HEAD}ignore = true", ["ignore = true is unknown"]),
    ],
)
def test_a_mistake_in_a_file_is_one_message(tmp_path: Path, text: str, words: list[str]) -> None:
    (tmp_path / "known.toml").write_text(text)
    with pytest.raises(BaselineError) as error:
        read_baseline(tmp_path / "known.toml")
    for word in (str(tmp_path / "known.toml"), *words):
        assert word in str(error.value)


def test_a_file_that_is_not_there_or_no_text_is_named(tmp_path: Path) -> None:
    with pytest.raises(BaselineError, match=r"none.toml: cannot read the baseline: No such file.*--update-baseline"):
        read_baseline(tmp_path / "none.toml")
    (tmp_path / "known.toml").write_bytes(b"\xff")
    with pytest.raises(BaselineError, match="byte 0 is not UTF-8"):
        read_baseline(tmp_path / "known.toml")
    with pytest.raises(BaselineError, match="cannot write the baseline"):
        write_baseline(tmp_path / "no" / "known.toml", [])
