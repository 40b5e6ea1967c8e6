"""Reads the lines of a session: on a terminal with editing, history and completion, else as they come."""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import click

PROMPT = "> "
_MOST_LINES = 1_000  # of the history
Completions = Callable[[str], list[str]]  # the words that the start of a line may go on with


def history_file() -> Path:
    """The file of the history, in the user's folder for state."""
    folder = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return Path(folder, "sdnloom", "step_history")


@contextmanager
def line_reader(completions: Completions) -> Iterator[Callable[[], str | None]]:
    """A function that reads the next line; None at the end of the input. Ctrl-C on a terminal drops the line."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        yield lambda: sys.stdin.readline() or None
        return
    try:
        import readline  # here, because it changes the terminal
    except ImportError:  # on some systems Python has none
        yield _asked
        return
    with _edited(readline, completions):
        yield _asked


def _asked() -> str | None:
    while True:
        try:
            return input(PROMPT)
        except EOFError:
            click.echo()
            return None
        except KeyboardInterrupt:
            click.echo()


@contextmanager
def _edited(readline: Any, completions: Completions) -> Iterator[None]:
    """Line editing with the history of earlier sessions; what was typed is added to it."""
    file, before = history_file(), readline.get_completer()
    delimiters = readline.get_completer_delims()
    with suppress(OSError):
        readline.read_history_file(file)
    readline.set_history_length(_MOST_LINES)
    readline.set_completer_delims(" ")
    readline.set_completer(_Completer(readline, completions))
    readline.parse_and_bind("tab: complete")
    try:
        yield
    finally:
        readline.set_completer(before)
        readline.set_completer_delims(delimiters)
        with suppress(OSError):  # a history that cannot be kept is no reason to fail
            file.parent.mkdir(parents=True, exist_ok=True)
            readline.write_history_file(file)


class _Completer:
    """The completer that readline asks, with numbers from 0 on until there is none."""

    def __init__(self, readline: Any, completions: Completions) -> None:
        self._readline, self._completions = readline, completions

    def __call__(self, word: str, number: int) -> str | None:
        start: str = self._readline.get_line_buffer()[: self._readline.get_begidx()]
        found = [each for each in self._completions(start) if each.startswith(word)]
        return f"{found[number]} " if number < len(found) else None
