"""The result of a check whose violation comes before the search: it follows one path, shortened and replayed."""

import itertools
import time
from collections import Counter
from collections.abc import Callable

from sdnloom.engine.counterexample.minimise import minimise
from sdnloom.engine.memo import Memo, MemoSemantics
from sdnloom.engine.model import System
from sdnloom.engine.path import Path, replay
from sdnloom.engine.result import (
    Counterexample,
    CounterexampleFound,
    Finished,
    Result,
    SearchEvent,
    Statistics,
    Violated,
)
from sdnloom.engine.semantics import Finding, Semantics

MOST_REPLAYED = 12_000  # steps, in attempts to shorten a path: seconds, for an app that keeps its states by replay


def follow_path(
    system: System,
    path: Path,
    found: Finding,
    reason: str,
    on_event: Callable[[SearchEvent], None],
    out_of_time: Callable[[], bool] = lambda: False,
) -> Result:
    """The violation that the path leads to. `reason` says why nothing else was searched.

    The path is shortened as long as there is time, and for at most MOST_REPLAYED steps.
    """
    attempts = itertools.count()

    def enough() -> bool:
        return next(attempts) * len(path) > MOST_REPLAYED or out_of_time()

    began = time.perf_counter()
    shorter = minimise(MemoSemantics(Memo(system)), path, found, enough, same_message=False, most_states=0)
    shortened, found, minimal = shorter.path, shorter.found, shorter.minimal
    semantics = Semantics(system)
    transitions = tuple(replay(semantics, shortened))
    shown = Counterexample(
        found.property, found.message, shortened, False, semantics.initial(), transitions, minimal, system
    )
    if found not in semantics.findings(shown.final_state()):
        raise AssertionError(f"the path to {found.property!r} does not replay; this is a defect of sdnloom")
    on_event(CounterexampleFound(shown, witness=False))
    runs = Counter(step.component for step in path.steps)
    statistics = Statistics(
        "loop", len(path) + 1, len(path), len(path), time.perf_counter() - began, dict(runs), active=frozenset(runs)
    )
    result = Result(Violated(shown), statistics, (shown,), incomplete=reason)
    on_event(Finished(result))
    return result
