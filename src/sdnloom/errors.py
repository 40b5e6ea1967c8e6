"""The one base class of errors that a user can cause; the CLI prints them without a traceback and exits 2."""

from collections.abc import Iterable
from difflib import get_close_matches


class SdnloomError(Exception):
    """Bad input. The message names the place, the value and what was expected."""


def closest_name(value: str, known: Iterable[str], likeness: float = 0.6) -> str | None:
    """The known name that a value is most like, whatever the case of its letters; None if none is as much like it."""
    names = {name.lower(): name for name in reversed(list(known))}
    close = get_close_matches(value.lower(), names, 1, likeness)
    return names[close[0]] if close else None


def json_problem(text: bytes, error: Exception, expected: str) -> str:
    """What is wrong with a text that is no JSON document: it was cut off, or it is something else altogether."""
    reason = "nested too deeply" if isinstance(error, RecursionError) else str(error)[:200]
    if text.lstrip()[:1] in (b"{", b"[", b""):
        return f"not a whole JSON document ({reason}); was it cut off?"
    return f"not JSON ({reason}); expected {expected}"


def did_you_mean(value: str, known: Iterable[str]) -> str:
    """The end of a message about a value that is not among the known ones: ` (did you mean NAME?)`, or nothing."""
    name = closest_name(value, known)
    return f" (did you mean {name}?)" if name else ""
