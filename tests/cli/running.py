"""The command line as a user runs it, in this process: output and exit code."""

import io
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

import pytest

from sdnloom.cli import main


class Run(NamedTuple):
    """What a command printed and how it ended."""

    code: int
    out: str
    err: str


class CommandLine:
    """Runs `sdnloom` with arguments and, if given, standard input."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self._monkeypatch, self._capsys = monkeypatch, capsys

    def __call__(self, *arguments: object, stdin: str = "") -> Run:
        self._monkeypatch.setattr(sys, "argv", ["sdnloom", *map(str, arguments)])
        self._monkeypatch.setattr(sys, "stdin", io.StringIO(stdin))
        with pytest.raises(SystemExit) as ended:
            main()
        captured = self._capsys.readouterr()
        assert "Traceback" not in captured.out + captured.err
        return Run(int(ended.value.code or 0), captured.out, captured.err)


@contextmanager
def taking_interrupts() -> Iterator[None]:
    """A context whose new processes take Ctrl-C, even if this one ignores it: a shell starts jobs behind `&` so."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
