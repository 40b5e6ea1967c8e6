"""A limit for the lines of a program's code that one step may run, and the line in which an error was raised.

Lines are counted with the trace function; those of libraries are not, because caches of theirs make the count, and with
it the line that is reported, depend on what ran before. Code that catches every BaseException is not ended.
"""

import dis
import functools
import sys
import sysconfig
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import sdnloom

MOST_LINES = 1_000_000  # lines of a program's code that one step may run
MOST_ACCESSES = 20_000  # reads and writes of fields, and messages, of one step
_OWN_CODE = str(Path(sdnloom.__file__).parent)
_LIBRARIES = tuple(sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib"))


class EndlessStepError(BaseException):
    """A step that did too much, and what. Not an Exception, so that the program does not catch it."""


@contextmanager
def counted_lines(record: Callable[[FrameType], object] | None = None) -> Iterator[None]:
    """Raise EndlessStepError in the program's code after MOST_LINES lines of it; `record` is told of each line."""
    left = MOST_LINES

    def line(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal left
        left -= 1
        if left < 0:
            raise EndlessStepError(f"{MOST_LINES:,} lines of code")
        return line

    def recorded_line(frame: FrameType, event: str, argument: Any) -> Any:
        line(frame, event, argument)
        if event == "line" and record is not None:
            record(frame)
        return recorded_line

    each = line if record is None else recorded_line

    def call(frame: FrameType, event: str, argument: Any) -> Any:
        if not is_of_program(frame.f_code.co_filename):
            return None
        frame.f_trace_opcodes = _has_empty_loop(frame.f_code)
        return each

    before = sys.gettrace()
    sys.settrace(call)
    try:
        yield
    finally:
        sys.settrace(before)


@functools.cache
def _has_empty_loop(code: CodeType) -> bool:
    """Whether the code has a loop such as `while True: pass` on one line: no event tells that it goes on."""
    return any(
        each.opname.startswith("JUMP_BACKWARD") and each.argval == each.offset for each in dis.get_instructions(code)
    )


@functools.cache
def is_of_program(file: str) -> bool:
    """Whether a file is the program's: neither ours nor a library's."""
    return file != "<string>" and not file.startswith((_OWN_CODE, *_LIBRARIES, "<frozen"))


def raised_at(error: BaseException) -> tuple[str, int] | None:
    """The file and line of the program's code in which an error was raised."""
    found = None
    trace = error.__traceback__
    while trace is not None:
        file = trace.tb_frame.f_code.co_filename
        if is_of_program(file):
            found = file, trace.tb_lineno
        trace = trace.tb_next
    return found
