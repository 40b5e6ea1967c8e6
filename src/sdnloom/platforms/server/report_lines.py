"""What a controller's process tells the one that started it, as lines of JSON on a file descriptor of its own.

The number of the descriptor is in the environment variable SDNLOOM_REPORT; without it the lines go to standard output.
"""

import json
import os
from collections.abc import Sequence
from os import write  # by its name, because eventlet replaces `os.write` by one that lets other threads run
from typing import Any, Final, NamedTuple

REPORT_VARIABLE: Final = "SDNLOOM_REPORT"


class RaisedReport(NamedTuple):
    """An exception that the program did not catch: "KeyError: 5", and where.

    `file` and `line` are the innermost ones of the program's own code, `lines` the whole traceback, outermost first.
    """

    text: str
    file: str
    line: int
    lines: Sequence[tuple[str, int]] = ()


class ReportLines:
    """The lines; each is written at once, so that nothing is lost when the process ends."""

    def __init__(self) -> None:
        text = os.environ.get(REPORT_VARIABLE, "1")
        self._descriptor = int(text) if text.isdecimal() else 1
        if self._descriptor > 2:
            os.set_inheritable(self._descriptor, False)  # what the program starts has nothing to report

    def listening(self, port: int | None, web: int | None = None, calls: bool = True) -> None:
        """The process accepts connections of switches, and perhaps requests, at these ports of 127.0.0.1.

        `calls` says whether it takes calls and timers on its standard input.
        """
        self._write({"listening": port, "web": web, "calls": calls})

    def raised(self, raised: RaisedReport) -> None:
        """An exception was raised that the program did not catch."""
        self._write({"raised": {**raised._asdict(), "lines": [list(each) for each in raised.lines]}})

    def done(self) -> None:
        """A call or timer that came on standard input was handled."""
        self._write({"done": True})

    def _write(self, line: Any) -> None:
        data = json.dumps(line).encode() + b"\n"
        while data:
            data = data[write(self._descriptor, data) :]
