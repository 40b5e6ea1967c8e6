"""One concolic run: its model, and the branches that symbolic values report while the code under test runs.

Symbolic values get the run that they are part of from `current()` and call `branch` with a condition and its concrete
outcome. Laws: `branch` returns the outcome that it was given, so recording never changes what the program does; the
recorded conditions, in order, are the path; a condition that the path has decided is recorded once.
"""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from sys import settrace  # the function itself: while an app runs, the name in `sys` is the app's
from types import FrameType
from typing import Any, Final, NamedTuple

from sdnloom.symbolic.terms.constructors import FALSE, TRUE, const, eq, evaluate_term
from sdnloom.symbolic.terms.node import Model, Term, variables


class Site(NamedTuple):
    """A position in the code under test: file, line counted from 1, and the construct, such as `==` or `dict.get`."""

    file: str
    line: int
    construct: str = ""

    def __str__(self) -> str:
        return f"{self.file}:{self.line}" + (f" ({self.construct})" if self.construct else "")


STORE: Final = "store"  # the construct of a fork over keys, to store a value or among those that the run has stored


class Branch(NamedTuple):
    """A condition that the path decided. Law: it is never a negation.

    An `assumed` branch is never flipped. If the branch pins a term to a value, `pinned` is the term, because other
    values will be pinned next.
    """

    condition: Term
    taken: bool
    site: Site
    assumed: bool = False
    pinned: Term | None = None


class PathEnd(BaseException):
    """Base of exceptions that end a run. No `except Exception` of the code under test catches them."""


class PathLimit(PathEnd):
    """The run has more branches or steps than its budget allows."""


class PathDiscarded(PathEnd):
    """The run violated an assumption: its inputs are outside the explored domain."""


MAX_BRANCHES: Final = 400
MAX_STEPS: Final = 100_000
MAX_TRAIL: Final = 1_000_000
_OURS: Final = str(Path(__file__).parent)
_RUN_FILE: Final = str(Path(__file__).parent / "run.py")  # callers of its frames are not the code under test
_CLOCK_INTERVAL: Final = 1_000  # steps or statements between two reads of the clock


class Execution:
    """The state of one run. `recording` may be switched off and on; `unrecorded()` does so for a block."""

    __slots__ = ("_known", "_max_depth", "_max_steps", "_next_check", "_overdue", "_predicted", "branches",
                 "concretisations", "construct", "fixed", "ignores", "limit", "model", "recording", "repeated", "steps",
                 "trail",                 "unrecorded_branches")  # fmt: skip

    def __init__(
        self,
        model: Model,
        *,
        max_depth: int = MAX_BRANCHES,
        max_steps: int = MAX_STEPS,
        overdue: Callable[[], bool] | None = None,
        recording: bool = True,
        predicted: Sequence[Branch] = (),
    ) -> None:
        self.model = model
        self.branches: list[Branch] = []
        self.concretisations: dict[Site, int] = {}  # site -> how often
        self.limit: str | None = None  # the budget that ended the run, even if the program swallowed PathLimit
        self.recording = recording
        self.ignores: Callable[[Site], bool] | None = None  # sites where nothing is recorded
        self.fixed: frozenset[str] = frozenset()  # variables with one value: nothing is lost if they are concretised
        self.construct = ""  # of the forks that are recorded now, if it is known
        self.repeated: set[tuple[Term, bool, Site]] = set()  # conditions that the path had decided, met at other sites
        self.unrecorded_branches = 0
        self.steps = 0
        self.trail: list[tuple[str, int]] = []  # files and lines of executed statements, in code that leaves a trail
        # TRUE and FALSE count as decided: one lookup covers constants and repeated conditions.
        self._known: set[Term] = {TRUE, FALSE}
        self._max_depth = max_depth
        self._max_steps = max_steps
        self._overdue = overdue
        self._predicted = predicted
        self._next_check = min(_CLOCK_INTERVAL, max_steps) if overdue else max_steps

    def value(self, name: str) -> int:
        """Return the concrete value of a variable in this run."""
        return self.model[name]

    def branch(self, condition: Term, taken: bool, site: Site) -> bool:
        """Record that the program decided `condition` as `taken`, and return `taken`.

        Nothing is recorded for a condition that is constant or already decided, nor while `recording` is off.
        """
        self.steps += 1
        if self.steps >= self._next_check:
            self._check_budget(site)
        if condition in self._known:
            if condition.op != "const":
                self.repeated.add((condition, taken, site))
            return taken
        if not self._records_at(site):
            self.unrecorded_branches += 1
            return taken
        self._record(condition, taken, site)
        return taken

    def pin(self, term: Term, value: int, site: Site) -> int:
        """Record that the program continues with this one value of the term, and return the value.

        Other values are explored as other paths, so no path is lost; it may cost a path for each value. Values that
        were explored before are excluded first, so the path is the predicted one: `i != 0`, `i != 1`, `i == 2`.
        """
        if not self._records_at(site):
            self.unrecorded_branches += 1
            return value
        if not term.width:
            self.branch(term, bool(value), site)
            return value
        goal = eq(term, const(value, term.width))
        while goal not in self._known and len(self.branches) < len(self._predicted):
            condition, _, _, _, pinned = self._predicted[len(self.branches)]
            if pinned is not term or condition in self._known:
                break
            self._record(condition, bool(evaluate_term(condition, self.model)), site, False, term)
        if goal not in self._known:
            self._record(goal, True, site, False, term)
        self.branch(goal, True, site)
        return value

    def decided(self, term: Term, value: int) -> bool:
        """Return whether the path or the domain has decided that the term has this value, which it has in this run."""
        if self.fixed and variables(term) <= self.fixed:
            return True
        return bool(term.width) and eq(term, const(value, term.width)) in self._known

    def assume(self, condition: Term, holds: bool, site: Site) -> None:
        """Restrict the exploration to inputs for which the condition holds; raise PathDiscarded for others.

        Unlike a branch it is never flipped. Raises even while recording is off.
        """
        if condition not in self._known:
            self._record(condition, holds, site, holds)
        if not holds:
            raise PathDiscarded(f"{site}: the inputs violate an assumption")

    def note_concretised(self, site: Site, construct: str | None = None) -> None:
        """Note that a value lost its term here: paths may be missed, and the result says so."""
        if not self._records_at(site):
            return
        if construct is not None:
            site = site._replace(construct=construct)
        self.concretisations[site] = self.concretisations.get(site, 0) + 1

    def tick(self, where: Callable[[], Site]) -> None:
        """Count one step of a loop, so that a loop without branches also has a budget."""
        self.steps += 1
        if self.steps >= self._next_check:
            self._check_budget(where())

    def mark(self, file: str, line: int) -> None:
        """Add a statement to the trail. Statements have a budget too, which ends loops without symbolic values."""
        self.trail.append((file, line))
        size = len(self.trail)
        if size >= MAX_TRAIL:
            self._stop(f"{MAX_TRAIL} statements", Site(file, line))
        if size % _CLOCK_INTERVAL == 0 and self._overdue is not None and self._overdue():
            self._stop("the time limit", Site(file, line))

    def _records_at(self, site: Site) -> bool:
        return self.recording and (self.ignores is None or not self.ignores(site))

    @contextmanager
    def unrecorded(self) -> Iterator[None]:
        """Switch recording off for a block, such as the packet parser."""
        before, self.recording = self.recording, False
        try:
            yield
        finally:
            self.recording = before

    @contextmanager
    def within(self, construct: str) -> Iterator[None]:
        """Note the construct of the forks of a block."""
        before, self.construct = self.construct, construct
        try:
            yield
        finally:
            self.construct = before

    @contextmanager
    def active(self) -> Iterator["Execution"]:
        """Make this the current execution for a block. Blocks nest."""
        global _current
        before, _current = _current, self
        tracing = sys.gettrace()
        try:
            yield self
        finally:
            _current = before
            if self.limit is not None and sys.gettrace() is not tracing:
                settrace(tracing)

    def _record(
        self, condition: Term, taken: bool, site: Site, assumed: bool = False, pinned: Term | None = None
    ) -> None:
        known = self._known
        known.add(condition)
        if condition.op == "not":
            condition, taken = condition.args[0], not taken
            if condition in known:
                return
            known.add(condition)
        if len(self.branches) >= self._max_depth:
            self._stop(f"{self._max_depth} branches", site)
        self.branches.append(Branch(condition, taken, site, assumed, pinned))

    def _check_budget(self, site: Site) -> None:
        if self.steps >= self._max_steps:
            self._stop(f"{self._max_steps} steps", site)
        if self._overdue is not None and self._overdue():
            self._stop("the time limit", site)
        self._next_check = min(self.steps + _CLOCK_INTERVAL, self._max_steps)

    def _stop(self, budget: str, site: Site) -> None:
        if self.limit is not None:
            _raise_again(self.limit)
        self.limit = self.limit or f"{site}: the path was cut at {budget}"
        raise PathLimit(self.limit)


def _raise_again(limit: str) -> None:
    """Raise PathLimit again on the next line of the program, which caught it with an `except` for everything."""

    def stop(frame: FrameType, event: str, _arg: Any) -> None:
        if event == "line":
            raise PathLimit(limit)  # this also removes the trace function

    frame: FrameType | None = sys._getframe(2)
    while frame is not None and frame.f_code.co_filename != _RUN_FILE:
        if not frame.f_code.co_filename.startswith(_OURS):
            frame.f_trace = stop
        frame = frame.f_back
    settrace(lambda *_: None)


_current: Execution | None = None


def current() -> Execution | None:
    """Return the execution that the code under test is part of, or None outside of one."""
    return _current


def mark(file: str, line: int) -> None:
    """Add the statement at this line to the trail of the current execution, if there is one."""
    if _current is not None:
        _current.mark(file, line)


def start_trail() -> None:
    """Start the trail here: the statements so far only prepared the run."""
    if _current is not None:
        _current.trail.clear()
