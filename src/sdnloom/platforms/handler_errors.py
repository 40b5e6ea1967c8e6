"""Exceptions of a program's code as events: place, text, and the effect on the program."""

import linecache
import traceback
from functools import partial
from pathlib import Path, PurePath
from types import FrameType
from typing import Any

from sdnloom.engine.stable_text import printable_text
from sdnloom.network.events import HandlerRaised
from sdnloom.platforms.python2 import PAGE, python2_sign


def handler_raised(
    program: str,
    handler: str,
    error: BaseException,
    own: frozenset[str],
    effect: str = "",
    else_in: frozenset[str] = frozenset(),
) -> HandlerRaised:
    """Return the event; `own` are the files of the program, `else_in` those to use if none of them was involved.

    The place is the innermost line of the program's own code. If a library raised, its line is given as well. Files are
    named without their folders (a library's from its package on), so that a finding is the same on every machine.
    """
    frames = traceback_lines(error)
    last = frames[-1] if frames else ("", 0)
    mine = next((each for files in (own, else_in) for each in reversed(frames) if each[0] in files), last)
    library = "" if mine == last else f"{library_file(last[0])}:{last[1]}"
    text = error_line(error)
    if (sign := python2_sign(error)) is not None:
        text += f" ({sign} is of Python 2, see {PAGE})"
    return HandlerRaised(program, handler, Path(mine[0]).name, mine[1], text, library, effect)


def error_line(error: BaseException) -> str:
    """Return type and message on one line: a message may have several, and characters that nobody can see."""
    lines = "".join(traceback.format_exception_only(error)).strip().split("\n")
    if isinstance(error, SyntaxError):
        lines = lines[-1:]  # before it is the code that is wrong
    return printable_text(" ".join(line.strip() for line in lines if line.strip()))


def traceback_lines(error: BaseException) -> list[tuple[str, int]]:
    """Return file and line of each frame of a traceback, outermost first, without those of the sandbox."""
    frames = traceback.walk_tb(error.__traceback__)
    return [(frame.f_code.co_filename, line) for frame, line in frames if not runs_sandbox(frame)]


def own_line(error: BaseException, own: frozenset[str]) -> tuple[str, int] | None:
    """Return file and line of the innermost frame of these files."""
    return next((each for each in reversed(traceback_lines(error)) if each[0] in own), None)


def waiting_line(frame: FrameType | None, own: frozenset[str], else_in: frozenset[str] = frozenset()) -> str:
    """Return the line at which suspended code waits, as "monitor.py:35: hub.sleep(10)"; "" if there is none.

    It is the innermost line of the program's own files, else of `else_in`, else of any code but ours.
    """
    lines = []
    while frame is not None:
        if not runs_sandbox(frame):
            lines.append((frame.f_code.co_filename, frame.f_lineno))
        frame = frame.f_back
    chosen = next((each for files in (own, else_in) for each in lines if each[0] in files), next(iter(lines), None))
    if chosen is None:
        return ""
    name = Path(chosen[0]).name if chosen[0] in own else library_file(chosen[0])
    text = linecache.getline(*chosen).strip()
    return f"{name}:{chosen[1]}: {text}" if text else f"{name}:{chosen[1]}"


def defined_at(function: Any) -> str:
    """Return where a function is defined, as "monitor.py:50: send"; its name if that is not known."""
    while isinstance(function, partial):
        function = function.func
    name = getattr(function, "__qualname__", type(function).__qualname__)
    code = getattr(function, "__code__", None)
    return f"{library_file(code.co_filename)}:{code.co_firstlineno}: {name}" if code is not None else str(name)


def library_file(path: str) -> str:
    """Return a library's file from its package on."""
    parts = PurePath(path).parts
    for folder in ("site-packages", "dist-packages"):
        if folder in parts:
            return "/".join(parts[parts.index(folder) + 1 :])
    return PurePath(path).name


_PACKAGE = Path(__file__).parent.parent
_OURS = tuple(str(_PACKAGE / name) for name in ("platforms", "symbolic"))


def runs_sandbox(frame: FrameType) -> bool:
    """Whether a frame runs code of the sandbox."""
    return frame.f_code.co_filename.startswith(_OURS)
