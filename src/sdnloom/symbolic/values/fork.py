"""Where symbolic values meet the execution: a decision forks, a pin gives up a value and says so.

Law: a function here returns what the concrete run needs and tells the current execution what it depends on. Without an
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


def is_ours(filename: str) -> bool:
    """Return whether a file belongs to this package; its frames are not the code under test."""
    known = _ours.get(filename)
    if known is None:
        known = _ours[filename] = filename.startswith(_HERE)
    return known


def current_site() -> Site:
    """Return the innermost place in the code under test: the first frame outside this package."""
    frame, known = sys._getframe(1), _ours.get
    while frame.f_back is not None:
        name = frame.f_code.co_filename
        ours = known(name)
        if not (is_ours(name) if ours is None else ours):
            break
        frame = frame.f_back
    return Site(frame.f_code.co_filename, frame.f_lineno)


def decide(condition: Term, taken: bool) -> bool:
    """Return `taken`, whether the condition holds in this run, after telling the execution what the path depends on."""
    execution = current()
    if execution is not None and condition.op != "const":
        execution.branch(condition, taken, current_site() if execution.recording else _NOWHERE)
    elif execution is not None:
        execution.tick(current_site)
    return taken


def decided_without_fork(taken: bool) -> bool:
    """Return what a comparison of symbolic values gives for every input: no fork, but a step of the run."""
    execution = current()
    if execution is not None:
        execution.tick(current_site)
    return taken


def concretise_term(term: Term, bits: int, construct: str) -> None:
    """Pin the term to its bits in this run and report the construct that could not follow it."""
    execution = current()
    if execution is not None and execution.recording and term.op != "const":
        where = current_site()
        execution.pin(term, bits, where)
        execution.note_concretised(where, construct)


def tick() -> None:
    """Count one step of a loop that a symbolic value drives."""
    execution = current()
    if execution is not None:
        execution.tick(current_site)
