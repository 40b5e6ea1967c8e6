"""Which functions of a program a piece of work ran, and which of their lines.

Lines are recorded with the trace function of Python. Code that waits in another stack (a thread of an app) is traced
only if its frames were made while the trace was on; `tracing` therefore covers a whole pass, and `recording` the runs
in it whose lines count.
"""

import linecache
import os
import sys
import sysconfig
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from sys import settrace  # the function itself: while an app runs, the name in `sys` is the app's
from types import CodeType, FrameType
from typing import Any, NamedTuple

import sdnloom

_OTHERS = tuple(
    f"{folder}{os.sep}"
    for folder in (
        str(Path(sdnloom.__file__).resolve().parent),
        *(sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")),
    )
)


class CodeRun(NamedTuple):
    """A function that ran: its file and name, the line of its `def`, and the lines that ran, in increasing order.

    Its source goes from line `first` (a decorator, if it has one) to line `last`.
    """

    file: Path
    function: str
    line: int
    ran: tuple[int, ...]
    first: int
    last: int

    def source(self) -> tuple[str, ...]:
        """The lines of the function, without the line ends; none if the file is not there any more."""
        lines = linecache.getlines(str(self.file))[self.first - 1 : self.last]
        return tuple(line.rstrip("\r\n") for line in lines)


def main_run(runs: Sequence[CodeRun]) -> CodeRun | None:
    """The function that people look for first: the one that ran first and is no constructor, if there is one."""
    return next((run for run in runs if not run.function.endswith("__init__")), runs[0] if runs else None)


class RunLines:
    """The lines that one piece of work ran, function by function in the order in which they began."""

    def __init__(self) -> None:
        self._lines: dict[CodeType, set[int]] = {}

    def add(self, code: CodeType, line: int) -> None:
        """Note a line that runs."""
        self._lines.setdefault(code, set()).add(line)

    def runs(self) -> tuple[CodeRun, ...]:
        """What ran. Comprehensions, generator expressions and lambdas belong to the function around them."""
        named: dict[tuple[str, str], tuple[CodeType, set[int]]] = {}
        inner = []
        for code, lines in self._lines.items():
            if code.co_name.startswith("<") and code.co_name != "<module>":
                inner.append((code, lines))
            else:
                named.setdefault((code.co_filename, code.co_qualname), (code, set()))[1].update(lines)
        for code, lines in inner:
            around = code.co_qualname.partition(".<locals>.<")[0]
            named.setdefault((code.co_filename, around), (code, set()))[1].update(lines)
        return tuple(_run(code, function, lines) for (_, function), (code, lines) in named.items())


def _run(code: CodeType, function: str, lines: set[int]) -> CodeRun:
    first, last = code.co_firstlineno, max(_last_line(code), *lines)
    line = first
    while line < last and not is_definition(linecache.getline(code.co_filename, line)):
        line += 1
    if line == last:  # a lambda, or source that is not there
        line = first
    return CodeRun(Path(code.co_filename), function, line, tuple(sorted(lines)), first, last)


def is_definition(text: str) -> bool:
    """Whether a line of Python begins a function or class."""
    return text.lstrip().startswith(("def ", "async def ", "class "))


def _last_line(code: CodeType) -> int:
    own = max((line for *_, line in code.co_lines() if line is not None), default=code.co_firstlineno)
    return max([own, *(_last_line(each) for each in code.co_consts if isinstance(each, CodeType))])


class CodeRecorder:
    """Records the lines of a program, while `tracing`, in each block that is `recording`.

    The program's code is its `files`, and those beside and below them that are no library.
    """

    def __init__(self, files: Iterable[Path]) -> None:
        places = [file.resolve() for file in files]
        self._files = {str(place) for place in places}
        self._folders = tuple(f"{place.parent}{os.sep}" for place in places)
        self._known: dict[str, bool] = {}
        self._into: RunLines | None = None
        self.recorded: list[RunLines] = []  # one for each block, in their order

    @contextmanager
    def tracing(self) -> Iterator[None]:
        """Context in which frames of the program are traced."""
        before = sys.gettrace()
        settrace(self._called)
        try:
            yield
        finally:
            settrace(before)

    @contextmanager
    def recording(self) -> Iterator[None]:
        """Context whose lines are recorded together."""
        lines = RunLines()
        self.recorded.append(lines)
        before, self._into = self._into, lines
        try:
            yield
        finally:
            self._into = before

    def _is_of_program(self, name: str) -> bool:
        place = name if name in self._files else str(Path(name).resolve())
        if place in self._files:
            return True
        return bool(self._folders) and place.startswith(self._folders) and not place.startswith(_OTHERS)

    def _called(self, frame: FrameType, event: str, argument: Any) -> Callable[..., Any] | None:
        name = frame.f_code.co_filename
        wanted = self._known.get(name)
        if wanted is None:
            wanted = self._known[name] = not name.startswith("<") and self._is_of_program(name)
        return self._line if wanted else None

    def _line(self, frame: FrameType, event: str, argument: Any) -> Callable[..., Any]:
        if event == "line" and self._into is not None:
            self._into.add(frame.f_code, frame.f_lineno)
        return self._line
