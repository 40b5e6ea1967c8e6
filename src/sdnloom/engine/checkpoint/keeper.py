"""Keeps the checkpoint of a search: writes it between two levels and at the end, and goes on from one.

A checkpoint is the journal of the memo, the arrays of the engine, and a manifest. It is a picture of the last boundary
between two levels; what a search does after it is done again, with the same result, because all of it is determined.
"""

import copy
import platform
from array import array
from collections.abc import Callable, Mapping, Sequence
from itertools import zip_longest
from pathlib import Path
from time import monotonic
from typing import Any, Protocol

import numpy as np

from sdnloom import __version__
from sdnloom.engine.checkpoint.file import (
    Checkpoint,
    CheckpointError,
    Numbers,
    check_writable,
    write_checkpoint,
)
from sdnloom.engine.checkpoint.findings import copied, plain_log, plain_result, restore_log, restored_result
from sdnloom.engine.counterexample.finding_log import FindingLog
from sdnloom.engine.dives.system_dives import SystemDives
from sdnloom.engine.journal.journal import Journal, JournalError, RecordedJournal, replay_journal
from sdnloom.engine.late import LateActions
from sdnloom.engine.limits import LimitWatch
from sdnloom.engine.memo import Memo
from sdnloom.engine.model import Observer, System
from sdnloom.engine.reduction.auto_reduction import ReductionChoice, ReductionTrial, WholeSearch
from sdnloom.engine.result import Activity, Result, SearchEvent, SearchOptions
from sdnloom.engine.stop_points import LimitReached
from sdnloom.engine.strategy import strategy_parts
from sdnloom.errors import SdnloomError

RESUMING = "while the checkpoint was resumed"
OVER = "over"  # how a search has ended that no limit has stopped
INTERVAL = 60.0  # seconds between two checkpoints
REST_FACTOR = 20  # so many times as long as a checkpoint took to write, the search goes on at least before the next one
_MOST_DIVES = 100  # each is due after four times as many transitions as the one before
_KERNEL = "kernel."
_JOURNAL, _CHECKS = "journal", "journal.checks"


class SavedEngine(Protocol):
    """An engine that can be saved. Law: one that was restored and runs gives what the saved one would have given."""

    transitions: int
    depth: int

    def count(self) -> int:
        """How many states there are."""

    def saved(self) -> dict[str, Numbers]:
        """Everything beyond the memo, as it was at the last boundary between two levels."""

    def restore(self, arrays: Mapping[str, Numbers]) -> None:
        """Take over what was saved, before `run`. Raises CheckpointError for numbers that stand for nothing."""


class KeptSearch(Protocol):
    """What a keeper must know of a search."""

    system: System
    tables: Memo
    options: SearchOptions
    log: FindingLog
    dives: SystemDives | None
    late: LateActions | None
    trial: ReductionTrial | None
    kept_choice: ReductionChoice | None
    watch: LimitWatch
    began: float
    on_event: Callable[[SearchEvent], None]


class CheckpointKeeper:
    """The checkpoint of one search in one file. `about` gives what the caller keeps in the manifest."""

    def __init__(
        self,
        file: Path,
        about: Callable[[], Mapping[str, Any]] = dict,
        saved: Checkpoint | None = None,
        warn: Callable[[str], None] = lambda text: None,
    ) -> None:
        check_writable(file)
        self.file, self._about, self._saved, self._warn = file, about, saved, warn
        self._kept = saved is not None  # whether the file has a checkpoint of this search
        self._late: list[int] = []  # evaluations of user code in LATE courses before the search was resumed
        self._earlier: dict[str, Any] | None = None  # what the search before this one had found, as plain data
        self._journal: Journal | None = None
        self._engine: SavedEngine | None = None
        # As of the last boundary: the length of the journal, the findings, and other parts of the manifest.
        self._mark = 0
        self._log: FindingLog | None = None
        self._manifest: dict[str, Any] = {}
        self._due = monotonic() + INTERVAL

    # Going on

    def earlier(self, system: System) -> Result | None:
        """What the search before this one had found, if the checkpoint is of a second search (`late.py`)."""
        self._earlier = None
        if self._saved is None or self._saved.manifest.get("earlier") is None:
            return None
        self._earlier = self._saved.manifest["earlier"]
        with _reading(self.file):
            return restored_result(system, self._earlier)

    def follows(self, result: Result) -> None:
        """Note that a second search follows one with this result."""
        self._earlier = plain_result(result)

    def restore_choice(self, choice: ReductionChoice) -> WholeSearch | None:
        """Restore the choice of a reduction; if the checkpoint is of a reduced search, where that was taken."""
        if self._saved is None:
            return None
        with _reading(self.file):
            saved = self._saved.manifest["choice"]
            whole = None if saved is None else choice.restore(saved)  # None: `begin` says what differs
            if whole is not None:
                _check_dives(whole.dives)
            return whole

    def handed_on(self) -> "CheckpointKeeper":
        """A keeper of the same file for a reduced search: a trial, or the one that the checkpoint is of.

        A trial writes nothing until it is taken. If it is refused, this keeper goes on.
        """
        other = copy.copy(self)
        other._journal = other._engine = other._log = None
        self._saved = None
        return other

    def begin(self, search: KeptSearch) -> str | None:
        """Record what the memo is asked; first ask it what the checkpoint says. The reason if a limit ends that."""
        self._late, self._options = [], _named_options(search)
        if self._saved is None:
            self._journal = Journal(search.tables)
            return None
        with _reading(self.file):
            manifest, arrays = self._saved
            _compare_options(self.file, manifest["search"], self._options)
            recorded = _recorded(self.file, manifest, arrays)
            seconds = float(manifest["counts"]["seconds"])
            self._late = [int(each) for each in manifest["late_evaluations"]]

        def show(done: int) -> None:
            if search.watch.progress_due():
                text = f"{done:,} of {len(recorded):,} questions to the program asked again"
                search.on_event(Activity("resuming", text, search.watch.seconds))

        try:
            with search.watch.during(RESUMING):
                self._journal = replay_journal(recorded, search.tables, show)
        except LimitReached as reached:
            return reached.reason
        except JournalError as error:
            raise CheckpointError(f"{self.file}: cannot be resumed: {error}") from error
        search.began -= seconds
        return None

    def resume(self, search: KeptSearch, engine: SavedEngine) -> None:
        """Take an engine; restore it, what was found and how many dives there were. After `begin`."""
        self._engine = engine
        if self._saved is not None:
            with _reading(self.file):
                manifest, arrays = self._saved
                own = {name.removeprefix(_KERNEL): each for name, each in arrays.items() if name.startswith(_KERNEL)}
                engine.restore(own)
                restore_log(search.log, manifest["findings"], search.system, engine.count())
                _restore_dives(search.dives, manifest["dives"])
        self._saved = None
        self._note(search)

    def late_evaluations(self, search: KeptSearch) -> list[int]:
        """How often the code of each component ran in LATE courses, before the search was resumed too."""
        now = [] if search.late is None else search.late.tables.evaluations
        return [one + more for one, more in zip_longest(now, self._late[: len(now)], fillvalue=0)]

    # Writing

    def at_boundary(self, search: KeptSearch) -> None:
        """Note what is so between two levels, and write a checkpoint if it is time for one."""
        self._note(search)
        if monotonic() >= self._due and (search.trial is None or search.trial.taken):
            self._write(search, None)

    def finish(self, search: KeptSearch, stopped: str | None, dived: bool) -> None:
        """Write the last checkpoint of a search that a limit has stopped or that is over; then record nothing more.

        What a dive was asked that ended the search is forgotten: paths were shortened with the memo afterwards.
        """
        if self._journal is None or self._log is None:
            return
        self._journal.close(self._mark if dived else None)
        self._write(search, stopped or OVER)
        self._journal = None

    def _note(self, search: KeptSearch) -> None:
        """Note what is so at a boundary; a checkpoint that is written later, in the middle of a level, says this."""
        assert self._journal is not None
        dives = search.dives
        self._mark, self._log = len(self._journal), copied(search.log)
        self._manifest = {
            "search": self._options,
            "dives": {"begun": dives.dives if dives else 0, "states": dives.states if dives else 0},
            "choice": None if search.kept_choice is None else search.kept_choice.saved(),
            "late_evaluations": self.late_evaluations(search),
            "earlier": self._earlier,
        }

    def _write(self, search: KeptSearch, ended: str | None) -> None:
        assert self._journal is not None
        assert self._engine is not None
        assert self._log is not None
        journal, engine, began = self._journal, self._engine, monotonic()
        journal.check_all()
        manifest = {
            **self._about(),
            **self._manifest,
            "findings": plain_log(self._log),
            "sdnloom": __version__,
            "python": platform.python_version(),
            "ended": ended,
            "counts": {
                "states": engine.count(),
                "transitions": engine.transitions,
                "depth": engine.depth,
                "seconds": search.watch.seconds - search.began,
            },
            "start": f"{journal.start:016x}",
        }
        arrays = {
            _JOURNAL: np.array(journal.numbers, np.int64).reshape(-1, 4),
            _CHECKS: np.array(journal.checks, np.uint64),
            **{f"{_KERNEL}{name}": each for name, each in engine.saved().items()},
        }
        try:
            write_checkpoint(self.file, manifest, arrays)
            self._kept = True
        except CheckpointError as error:  # the disk may be full: a long search goes on without
            last = "what came after the last checkpoint is not kept" if self._kept else "the search is not kept"
            self._warn(f"{error}; {'the search goes on without this checkpoint' if ended is None else last}")
        self._due = monotonic() + max(INTERVAL, REST_FACTOR * (monotonic() - began))


def _restore_dives(dives: SystemDives | None, saved: Mapping[str, Any]) -> None:
    begun, states = saved["begun"], saved["states"]
    if type(states) is not int or states < 0:
        raise CheckpointError(f"the checkpoint has {states!r} states of dives; expected a count")
    _check_dives(begun)
    if dives is not None:
        dives.schedule.dives += begun  # those of the search without a reduction count there too
        dives.dives, dives.states = begun, states


def _check_dives(begun: Any) -> None:
    if type(begun) is not int or not 0 <= begun <= _MOST_DIVES:
        raise CheckpointError(f"the checkpoint has {begun!r} dives; expected at most {_MOST_DIVES}")


def refuse_without_kernel(options: SearchOptions, observers: Sequence[Observer]) -> None:
    """Raise SdnloomError for options with which there are no checkpoints."""
    only = "only the kernel has them"
    wrong = {
        "engine 'loop'": (options.engine == "loop", only),
        "order 'dfs'": (options.order == "dfs", only),
        "a checked run": (options.checked, only),
        "observers": (bool(observers), "they are passed each state once"),
        "a cluster": (options.cluster is not None, "workers keep their own"),
        "a folder for the disk": (options.disk is not None, "states on disk are in no checkpoint"),
    }
    for name, (given, reason) in wrong.items():
        if given:
            raise SdnloomError(f"a checkpoint and {name} are given; expected one or the other: {reason}")


def refuse_other_versions(file: Path, manifest: Mapping[str, Any]) -> None:
    """Raise CheckpointError if another sdnloom or Python has written the manifest."""
    if manifest.get("sdnloom") != __version__:
        raise CheckpointError(
            f"{file}: cannot be resumed: sdnloom {manifest.get('sdnloom')} has written it and this is {__version__}; "
            "expected the same version"
        )
    if manifest.get("python") != platform.python_version():
        raise CheckpointError(
            f"{file}: cannot be resumed: it was written under Python {manifest.get('python')} and this is "
            f"{platform.python_version()}; expected the same version"
        )


def _named_options(search: KeptSearch) -> dict[str, Any]:
    """What decides how a system is searched, limits aside, as plain data."""
    system, options = search.system, search.options
    return {
        "reduce": options.reduce if search.kept_choice is None else "auto",
        "find_all": options.find_all,
        "order": options.order,
        "strategy": [each.name for each in strategy_parts(options.strategy)],
        "components": [each.name for each in system.components],
        "channels": [each.name for each in system.channels],
        "properties": [each.name for each in system.properties],
    }


def _compare_options(file: Path, saved: Mapping[str, Any], now: Mapping[str, Any]) -> None:
    for name, value in now.items():
        if saved[name] != value:
            raise CheckpointError(f"{file}: cannot be resumed: {name} was {saved[name]!r} and is {value!r} now")


def _recorded(file: Path, manifest: Mapping[str, Any], arrays: Mapping[str, Numbers]) -> RecordedJournal:
    """The journal of a checkpoint."""
    numbers, checks = arrays[_JOURNAL], arrays[_CHECKS]
    if numbers.dtype != np.int64 or checks.dtype != np.uint64 or numbers.shape != (len(checks), 4):
        raise CheckpointError(f"{file}: its journal is {numbers.dtype} {numbers.shape}; expected 4 numbers a question")
    return RecordedJournal(
        int(manifest["start"], 16), array("q", numbers.tobytes()), array("Q", np.ascontiguousarray(checks).tobytes())
    )


class _reading:  # noqa: N801 (a context)
    """Context in which a manifest is read: what is not there, or of another kind, is one message."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        if isinstance(error, CheckpointError) and str(self._file) not in str(error):
            raise CheckpointError(f"{self._file}: cannot be resumed: {error}") from error
        if isinstance(error, KeyError | TypeError | ValueError | OverflowError | IndexError | AttributeError):
            raise CheckpointError(f"{self._file}: its manifest is not one of this sdnloom ({error!r})") from error
