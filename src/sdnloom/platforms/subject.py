"""A program whose handlers can be explored: run from any state on a packet that is symbolic, without moving on.

Branches of a program's own code are its paths; those of the libraries that it calls to read packets and to write
messages are not, unless it is the libraries that are to be tested. `Quiet` makes that difference.
"""

import sys
from collections.abc import Callable, Hashable
from pathlib import Path
from typing import NamedTuple, Protocol

from sdnloom.engine.model import Event
from sdnloom.network.controller import Came
from sdnloom.network.openflow import Message
from sdnloom.symbolic.execution import Execution, Site
from sdnloom.symbolic.terms import Term


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

    def attempt(self, core: Hashable, given: Came, data: bytes) -> Attempt:
        """What it does in a state about a message whose data are these. The state after it is not kept."""


class Quiet(Execution):
    """A run in which branches inside some folders are not recorded.

    Code that is neither in these folders nor the program's own belongs to whoever called it.
    """

    __slots__ = ("_is_own", "_known_files", "_quiet")

    def __init__(self, outer: Execution, quiet: tuple[str, ...], own: Callable[[str], bool], **budget: int) -> None:
        super().__init__(outer.model, **budget)  # type: ignore[arg-type]
        self._quiet, self._is_own = quiet, own
        self._known_files: dict[str, bool | None] = {}

    def branch(self, condition: Term, taken: bool, site: Site) -> bool:
        """Record the branch if it is one of the program."""
        if self._hears(site):
            return super().branch(condition, taken, site)
        self.unrecorded_branches += 1
        self.tick(site)
        return taken

    def concretised(self, site: Site, construct: str | None = None) -> None:
        """Note the loss if it is one of the program."""
        if self._hears(site):
            super().concretised(site, construct)

    def hand_over(self, outer: Execution) -> None:
        """Give what was recorded to the run that this one stands for."""
        outer.branches += self.branches
        outer.limit = self.limit
        outer.unrecorded_branches += self.unrecorded_branches
        outer.steps += self.steps
        for site, times in self.lost.items():
            outer.lost[site] = outer.lost.get(site, 0) + times

    def _hears(self, site: Site) -> bool:
        heard = self._file(site.file)
        if heard is not None:
            return heard
        frame = sys._getframe(2)
        while (back := frame.f_back) is not None:
            frame = back
            heard = self._file(frame.f_code.co_filename)
            if heard is not None:
                return heard
        return False

    def _file(self, name: str) -> bool | None:
        """Whether branches of a file are heard; None if that is up to its caller."""
        if name not in self._known_files:
            own = self._is_own(name)
            self._known_files[name] = own or (False if name.startswith(self._quiet) else None)
        return self._known_files[name]
