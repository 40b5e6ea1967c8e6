"""A program whose handlers can be explored: run from any state on a packet that is symbolic, without moving on.

Branches of a program's own code are its paths; those of the libraries that it calls to read packets and to write
messages are not, unless it is the libraries that are to be tested. `Quiet` makes that difference.
"""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from sdnloom.engine.model import Event
from sdnloom.network.controller import Came
from sdnloom.network.openflow import Message
from sdnloom.symbolic.execution import Site


class Attempt(NamedTuple):
    """What a program did about an input, and what happened."""

    messages: tuple[tuple[str, Message], ...]
    events: tuple[Event, ...]


class Subject(Protocol):
    """A program under exploration. Its code has been rewritten to follow symbolic values."""

    @property
    def own_files(self) -> tuple[Path, ...]:
        """The files whose branches are its paths."""

    @property
    def quiet(self) -> tuple[str, ...]:
        """Folders whose branches are no paths of the program, apart from its own files."""

    @property
    def parsers(self) -> tuple[str, ...]:
        """Those among them that read packets."""

    def prepare(self, core: Any) -> None:
        """Bring it into a state, so that what runs next is the reaction alone."""

    def attempt(self, core: Any, given: Came, data: bytes) -> Attempt:
        """What it does in a state about a message whose data are these. The state after it is not kept."""


class Quiet:
    """Tells, by the place of a branch, whether it is to be ignored: it lies in one of some folders.

    Code that is neither in these folders nor the program's own belongs to whoever called it.
    """

    def __init__(self, quiet: tuple[str, ...], own: Callable[[str], bool]) -> None:
        self._quiet, self._is_own = quiet, own
        self._known: dict[str, bool | None] = {}

    def __call__(self, site: Site) -> bool:
        """Whether a branch at this place is no path of the program."""
        ignored = self._file(site.file)
        frame = sys._getframe(1)
        while ignored is None and frame.f_back is not None:
            frame = frame.f_back
            ignored = self._file(frame.f_code.co_filename)
        return ignored is not False

    def _file(self, name: str) -> bool | None:
        """Whether branches of a file are ignored; None if that is up to its caller."""
        if name not in self._known:
            self._known[name] = False if self._is_own(name) else True if name.startswith(self._quiet) else None
        return self._known[name]
