"""Connection of symbolic values to the execution: a decision forks, concretising pins a term and is reported.

Law: each function returns the concrete result and records in the current execution what it depends on. Without an
execution, or where it does not record, only the concrete value counts.
"""

import sys
from pathlib import Path
from typing import Final

from sdnloom.symbolic.execution import Site, current
from sdnloom.symbolic.terms.constructors import Term

_HERE: Final = str(Path(__file__).parent.parent)
_NOWHERE: Final = Site("", 0)
_ours: dict[str, bool] = {}
_skipped: dict[str, bool] = {}  # files whose frames are not the code under test: ours, and libraries that are followed


def is_ours(filename: str) -> bool:
    """Return whether a file belongs to this package; its frames are not the code under test."""
    known = _ours.get(filename)
    if known is None:
        known = _ours[filename] = filename.startswith(_HERE)
    return known


def pass_over(filename: str) -> None:
    """Let code of a file, part of a library, not count as the code under test: its sites are those of its caller."""
    _skipped[filename] = True


def current_site() -> Site:
    """Return the innermost site in the code under test: the first frame outside of this package."""
    frame, known = sys._getframe(1), _skipped.get
    while frame.f_back is not None:
        name = frame.f_code.co_filename
        skipped = known(name)
        if skipped is None:
            skipped = _skipped[name] = is_ours(name)
        if not skipped:
            break
        frame = frame.f_back
    return Site(frame.f_code.co_filename, frame.f_lineno)


def decide(condition: Term, taken: bool) -> bool:
    """Record the condition as a branch and return `taken`, its value in this run."""
    execution = current()
    if execution is not None and condition.op != "const":
        where = current_site() if execution.recording else _NOWHERE
        if execution.construct:
            where = where._replace(construct=execution.construct)
        execution.branch(condition, taken, where)
    elif execution is not None:
        execution.tick(current_site)
    return taken


def decided_without_fork(taken: bool) -> bool:
    """Return the result of a comparison that is the same for every input; it counts as a step but does not fork."""
    execution = current()
    if execution is not None:
        execution.tick(current_site)
    return taken


def concretise_term(term: Term, bits: int, construct: str) -> None:
    """Pin the term to its bits in this run and report the construct that cannot handle terms.

    Nothing is lost, and nothing reported, if the path has decided that the term has this value.
    """
    execution = current()
    if execution is not None and execution.recording and term.op != "const" and not execution.decided(term, bits):
        where = current_site()
        execution.pin(term, bits, where)
        execution.note_concretised(where, construct)


def tick() -> None:
    """Count one step of a loop that a symbolic value drives."""
    execution = current()
    if execution is not None:
        execution.tick(current_site)
