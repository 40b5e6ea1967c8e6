"""Exceptions of a program's code in words."""

import pytest

from sdnloom.platforms.handler_errors import error_line


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (KeyError("h1"), "KeyError: 'h1'"),
        (ValueError(), "ValueError"),
        (ValueError("first line\n  second line\n"), "ValueError: first line second line"),
        (RuntimeError("a\u2028b\x0bc\x1b[31m\ud800"), "RuntimeError: a\\u2028b\\x0bc\\x1b[31m\\ud800"),
        (SyntaxError("invalid syntax", ("app.py", 3, 1, "a b\n")), "SyntaxError: invalid syntax"),
    ],
)
def test_an_exception_is_one_line_with_its_type(error: Exception, text: str) -> None:
    assert error_line(error) == text
