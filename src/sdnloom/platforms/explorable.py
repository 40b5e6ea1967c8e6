"""Interface of a program whose handlers are explored: run from any state on a symbolic packet, which is not kept.

Branches of a program's own code are its paths; those of the libraries that parse packets and build messages are not,
unless the libraries are under test. `BranchFilter` decides.
"""

import inspect
import sys
from collections.abc import Callable, Mapping
from enum import Enum
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple, Protocol, TypeAlias, TypeVar, cast, runtime_checkable

from sdnloom.engine.model import Event
from sdnloom.network.openflow import OpenFlowMessage, StatsReply
from sdnloom.network.program import MessageIn, Program
from sdnloom.symbolic.execution import Site

MessageContent: TypeAlias = bytes | StatsReply  # a packet, or a reply with other counters
Holders: TypeAlias = Mapping[str, Any]  # the objects whose attributes are the state of a program, by name
_Seen = TypeVar("_Seen")


class HandlerRun(NamedTuple):
    """Messages and events of one run of a handler."""

    messages: tuple[tuple[str, OpenFlowMessage], ...]
    events: tuple[Event, ...]


class LaterWork(NamedTuple):
    """The event that a run left work for later: it waits at these places for a timer or another thread."""

    places: tuple[str, ...]


class ExplorableProgram(Protocol):
    """A program under exploration. Its code was rewritten to follow symbolic values."""

    @property
    def own_files(self) -> tuple[Path, ...]:
        """The files whose branches are its paths."""

    @property
    def library(self) -> tuple[str, ...]:
        """Folders of libraries that parse and build packets."""

    @property
    def quiet(self) -> tuple[str, ...]:
        """Other folders whose branches are ignored."""

    @property
    def parsers(self) -> tuple[str, ...]:
        """The folders among them that parse packets."""

    def prepare(self, core: Any) -> None:
        """Restore a state now, so that the next run is the handler alone."""

    def attempt(self, core: Any, given: MessageIn, content: MessageContent | None = None) -> HandlerRun:
        """Run the handler of a message in a state, with other content in the message. The new state is not kept."""


@runtime_checkable
class OpenState(Protocol):
    """A program whose state can be read, and changed before a handler runs. `inputs --from any` asks for it."""

    @property
    def own_files(self) -> tuple[Path, ...]:
        """The files of its code."""

    def prepare(self, core: Any) -> None:
        """Restore a state now, so that the next run is the handler alone."""

    def read_state(self, core: Any, read: Callable[[Holders], _Seen]) -> _Seen:
        """What a function finds in a state. It keeps no object of the state, and changes none."""

    def run_changed(
        self, core: Any, given: MessageIn, change: Callable[[Holders], None], content: MessageContent | None = None
    ) -> HandlerRun:
        """Run the handler of a message in a state that is changed first. Neither state is kept, nor what it prints.

        If it leaves work for later, that is an event of the run: LaterWork.
        """


class RewrittenProgram(Program, ExplorableProgram, Protocol):
    """A program that runs in a search and can be explored in each of its states."""


@runtime_checkable
class Rewritable(Protocol):
    """A program with a twin whose code follows symbolic values. Discovery and `inputs` ask for it once per run."""

    def rewritten(self) -> RewrittenProgram:
        """The twin: it has the same options and reacts as the program does."""


class BranchFilter:
    """Decides, by the place of a branch, whether it is ignored.

    Ignored are branches in quiet folders, and those in a library inside of one of its parsing or building functions; a
    branch in any other function that the program calls there ("has it these flags?") counts. Other code belongs to its
    caller.
    """

    def __init__(self, own: Callable[[str], bool], library: tuple[str, ...], quiet: tuple[str, ...]) -> None:
        self._is_own, self._library, self._quiet = own, library, quiet
        self._files: dict[str, _Kind] = {}
        self._last: FrameType | None = None  # the library function of the last branch, and the decision
        self._ignored = True

    def __call__(self, site: Site) -> bool:
        """Whether a branch at this place is ignored."""
        if self._kind(site.file) is _Kind.OWN:
            return False
        entry = ""  # the library function that the program called
        innermost: FrameType | None = None
        ignored, known, frame = True, self._files.get, cast("FrameType | None", sys._getframe(1))
        while frame is not None:
            code = frame.f_code
            kind = known(code.co_filename) or self._kind(code.co_filename)
            if kind is _LIBRARY:
                if innermost is None:
                    if frame is self._last:
                        return self._ignored
                    innermost = frame
                entry = code.co_name
            elif kind is not _CALLER:
                ignored = kind is _QUIET or entry in READING_AND_WRITING
                break
            frame = frame.f_back
        if innermost is not None and not innermost.f_code.co_flags & _RESUMED:
            self._last, self._ignored = innermost, ignored
        return ignored

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
    """Owner of a file's branches: program, library, ignored, or the caller."""

    OWN = "own"
    LIBRARY = "library"
    QUIET = "quiet"
    CALLER = "caller"


_RESUMED = (
    inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
)  # possibly by another caller each time
_LIBRARY, _QUIET, _CALLER = (
    _Kind.LIBRARY,
    _Kind.QUIET,
    _Kind.CALLER,
)  # looking up an enum member would dominate the cost
