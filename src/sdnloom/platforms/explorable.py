"""A program whose handlers can be explored: run from any state on a packet that is symbolic, without moving on.

Branches of a program's own code are its paths; those of the libraries that it calls to read packets and to write
messages are not, unless it is the libraries that are to be tested. `BranchFilter` makes that difference.
"""

import inspect
import sys
from collections.abc import Callable
from enum import Enum
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple, Protocol, TypeAlias, cast, runtime_checkable

from sdnloom.engine.model import Event
from sdnloom.network.openflow import OpenFlowMessage, PortStats
from sdnloom.network.program import MessageIn, Program
from sdnloom.symbolic.execution import Site

Content: TypeAlias = bytes | tuple[PortStats, ...]  # what a message carries: a packet, or the counters of ports


class HandlerRun(NamedTuple):
    """What a program did about an input, and what happened."""

    messages: tuple[tuple[str, OpenFlowMessage], ...]
    events: tuple[Event, ...]


class ExplorableProgram(Protocol):
    """A program under exploration. Its code has been rewritten to follow symbolic values."""

    @property
    def own_files(self) -> tuple[Path, ...]:
        """The files whose branches are its paths."""

    @property
    def library(self) -> tuple[str, ...]:
        """Folders of libraries that it calls to read and write packets."""

    @property
    def quiet(self) -> tuple[str, ...]:
        """Other folders whose branches are no paths of the program."""

    @property
    def parsers(self) -> tuple[str, ...]:
        """Those among them that read packets."""

    def prepare(self, core: Any) -> None:
        """Bring it into a state, so that what runs next is the reaction alone."""

    def attempt(self, core: Any, given: MessageIn, content: Content | None = None) -> HandlerRun:
        """What it does in a state about a message that carries this instead of its own. The state after is not kept."""


class RewrittenProgram(Program, ExplorableProgram, Protocol):
    """A program that runs in a search and can be explored in each of its states."""


@runtime_checkable
class Rewritable(Protocol):
    """A program with a twin whose code follows symbolic values. Discovery and `inputs` ask for it once per run."""

    def rewritten(self) -> RewrittenProgram:
        """The twin: it has the same options and reacts as the program does."""


class BranchFilter:
    """Tells, by the place of a branch, whether it is to be ignored.

    Ignored are branches in quiet folders, and those in a library that is at work for one of its own reading or writing
    functions; what a program asks a library ("has it these flags?") is its own question. Code that is neither belongs
    to whoever called it.
    """

    def __init__(self, own: Callable[[str], bool], library: tuple[str, ...], quiet: tuple[str, ...]) -> None:
        self._is_own, self._library, self._quiet = own, library, quiet
        self._files: dict[str, _Kind] = {}
        self._last: FrameType | None = None  # the library's function that met a branch last, and what was said then
        self._said = True

    def __call__(self, site: Site) -> bool:
        """Whether a branch at this place is no path of the program."""
        if self._kind(site.file) is _Kind.OWN:
            return False
        entry = ""  # the function of the library that the program called
        innermost: FrameType | None = None
        said, known, frame = True, self._files.get, cast("FrameType | None", sys._getframe(1))
        while frame is not None:
            code = frame.f_code
            kind = known(code.co_filename) or self._kind(code.co_filename)
            if kind is _LIBRARY:
                if innermost is None:
                    if frame is self._last:
                        return self._said
                    innermost = frame
                entry = code.co_name
            elif kind is not _CALLER:
                said = kind is _QUIET or entry in READING_AND_WRITING
                break
            frame = frame.f_back
        if innermost is not None and not innermost.f_code.co_flags & _RESUMED:
            self._last, self._said = innermost, said
        return said

    def _kind(self, name: str) -> "_Kind":
        kind = self._files.get(name)
        if kind is None:
            kind = self._files[name] = self._new_kind(name)
        return kind

    def _new_kind(self, name: str) -> "_Kind":
        if self._is_own(name):
            return _Kind.OWN
        if name.startswith(self._library):
            return _Kind.LIBRARY
        return _Kind.QUIET if name.startswith(self._quiet) else _Kind.CALLER


READING_AND_WRITING = frozenset(
    {"__init__", "parser", "parser_hdr", "serialize", "serialize_hdr", "add_protocol", "__truediv__", "__len__"}
)


class _Kind(Enum):
    """Whose code a file is: the program's, a library's, nobody's that counts, or whoever's calls it."""

    OWN = "own"
    LIBRARY = "library"
    QUIET = "quiet"
    CALLER = "caller"


_RESUMED = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR  # by another caller each time
_LIBRARY, _QUIET, _CALLER = _Kind.LIBRARY, _Kind.QUIET, _Kind.CALLER  # looking up a member costs more than all else
