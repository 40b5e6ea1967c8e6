"""Lines of JSON that a controller's process gets on its standard input: the document, then calls and timers."""

import json
import os
from typing import Any

from sdnloom.errors import SdnloomError


class InputLineError(SdnloomError):
    """A line on standard input that is no JSON object, or not the one that is due."""


class InputLines:
    """The lines of a file descriptor. They are read without a buffer of Python's, so that it can be watched."""

    def __init__(self, descriptor: int = 0) -> None:
        self.descriptor = descriptor
        self.ended = False
        self._data = b""

    def first(self) -> dict[str, Any]:
        """Wait for the first line and return it."""
        while b"\n" not in self._data and not self.ended:
            self._read()
        line, _, self._data = self._data.partition(b"\n")
        return _document(line)

    def arrived(self) -> list[dict[str, Any]]:
        """Read what is there, after a wait if there is nothing, and return the whole lines of it."""
        self._read()
        *lines, self._data = self._data.split(b"\n")
        return [_document(line) for line in lines]

    def _read(self) -> None:
        data = os.read(self.descriptor, 1 << 16)
        self._data += data
        self.ended = not data


def taken_input() -> int:
    """Take standard input away from the program, whose own is empty then; return its new descriptor."""
    own = os.dup(0)
    empty = os.open(os.devnull, os.O_RDONLY)
    os.dup2(empty, 0)
    os.close(empty)
    return own


def _document(line: bytes) -> dict[str, Any]:
    try:
        found = json.loads(line)
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise InputLineError(f"standard input has {line[:100]!r}; expected a JSON object on one line")
    return found
