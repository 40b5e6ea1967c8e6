"""The lines of some files that a call runs through, in order: what a path of a handler looks like from outside.

Two runs that take the same branches have the same trace; it is how the code that was explored is compared with the code
as its author wrote it.
"""

import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple, TypeVar

_T = TypeVar("_T")


class Line(NamedTuple):
    """A line of a file, by the file's name alone: traces are compared across folders and machines."""

    file: str
    number: int


def line_trace(call: Callable[[], _T], files: Iterable[Path]) -> tuple[_T, tuple[Line, ...]]:
    """What the call returns, and the lines of these files that it ran; a line that repeats at once counts once."""
    wanted = {str(file.resolve()): file.name for file in files}
    known: dict[str, str | None] = {}
    lines: list[Line] = []

    def called(frame: FrameType, event: str, argument: Any) -> Any:
        name = frame.f_code.co_filename
        if name not in known:
            known[name] = wanted.get(name) or wanted.get(str(Path(name).resolve()))
        file = known[name]
        if file is None:
            return None

        def inside(frame: FrameType, event: str, argument: Any) -> Any:
            if event == "line":
                line = Line(file, frame.f_lineno)
                if not lines or lines[-1] != line:
                    lines.append(line)
            return inside

        return inside

    before = sys.gettrace()
    sys.settrace(called)
    try:
        result = call()
    finally:
        sys.settrace(before)
    return result, tuple(lines)
