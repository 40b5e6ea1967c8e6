"""Text for terminals: what a program says cannot move the cursor, change colours or forge lines."""

import pytest

from sdnloom.report.text_style import TextStyle, terminal_text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a plain line\n\tand another\n", "a plain line\n\tand another\n"),
        ("Zürich → Genf", "Zürich → Genf"),
        ("\x1b[2J\x1b]0;title\x07", "\\x1b[2J\\x1b]0;title\\x07"),
        ("a\rb\x00\x0b\u2028\u202e", "a\\rb\\x00\\x0b\\u2028\\u202e"),
        ("\ud800", "\\ud800"),
    ],
)
def test_what_a_terminal_would_obey_is_shown(text: str, shown: str) -> None:
    assert terminal_text(text, colour=False) == terminal_text(text, colour=True) == shown
    assert shown.encode()


def test_colours_stay_where_colours_are_printed() -> None:
    painted = TextStyle(colour=True).paint("VIOLATED", "bold", "red")
    assert terminal_text(painted, colour=True) == painted
    assert "\x1b" not in terminal_text(painted, colour=False)
