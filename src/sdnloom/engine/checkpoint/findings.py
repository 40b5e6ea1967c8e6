"""What a search has found so far, as plain data of a manifest."""

import copy
from typing import Any

from sdnloom.engine.checkpoint.file import CheckpointError
from sdnloom.engine.checkpoint.steps import plain_finding, plain_steps, read_finding, taken_again
from sdnloom.engine.counterexample.finding_log import NO_STEPS, FindingLog
from sdnloom.engine.model import System
from sdnloom.engine.path import Path
from sdnloom.engine.result import Counterexample, Holds, Result, Statistics
from sdnloom.engine.semantics import Finding, Semantics


def copied(log: FindingLog) -> FindingLog:
    """The log as it is now; what is found later is not in it."""
    now = copy.copy(log)
    now.findings, now.outlasting = dict(log.findings), set(log.outlasting)
    return now


def plain_log(log: FindingLog) -> dict[str, Any]:
    """A log of findings: each with the number of its state and the LATE course after it."""
    return {
        "found": [
            [*plain_finding(found), number, plain_steps(course.steps)]
            for found, (number, course) in log.findings.items()
        ],
        "outlasting": sorted(map(plain_finding, log.outlasting)),
        "outlived": log.outlived,
        "restless": log.restless,
    }


def restore_log(log: FindingLog, saved: Any, system: System, count: int) -> None:
    """Give a log what one had found in the first `count` states; its `value` is set."""
    known = {prop.name for prop in system.properties}
    assert log.value is not None
    for name, message, number, course in saved["found"]:
        found = read_finding((name, message), known)
        if type(number) is not int or not 0 <= number < count:
            raise CheckpointError(f"the checkpoint has {name} in state {number!r}; expected one of {count:,} states")
        path = NO_STEPS
        if course:
            if log.late is None:
                raise CheckpointError(f"the checkpoint has LATE steps for {name}; expected none in this scenario")
            taken = taken_again(log.late.semantics, log.value(number), course)
            path = Path(tuple(each.step for each in taken))
        log.findings[found] = number, path
    log.outlasting |= {read_finding(each, known) for each in saved["outlasting"]}
    if not isinstance(saved["restless"], str | None):
        raise CheckpointError(f"the checkpoint has the reason {saved['restless']!r}; expected text")
    log.outlived, log.restless = bool(saved["outlived"]), saved["restless"]


def plain_result(result: Result) -> dict[str, Any]:
    """The counterexamples of a search that another one follows."""
    return {name: [_plain(each) for each in getattr(result, name)] for name in ("violations", "witnesses")}


def _plain(shown: Counterexample) -> list[Any]:
    return [shown.property, shown.message, plain_steps(shown.path.steps), shown.shortest, shown.minimal]


def restored_result(system: System, saved: Any) -> Result:
    """The result of a search that another one follows, each counterexample replayed."""
    semantics = Semantics(system)
    known = {prop.name for prop in system.properties}

    def shown(entry: Any) -> Counterexample:
        name, message, steps, shortest, minimal = entry
        found, initial = read_finding((name, message), known), semantics.initial()
        transitions = tuple(taken_again(semantics, initial, steps))
        path = Path(tuple(each.step for each in transitions))
        end = transitions[-1].state if transitions else initial
        if Finding(*found) not in semantics.findings(end):
            raise CheckpointError(f"the program acts differently now: {name} is not violated at the end of its path")
        return Counterexample(name, message, path, bool(shortest), initial, transitions, bool(minimal), system)

    lists = {key: tuple(map(shown, saved[key])) for key in ("violations", "witnesses")}
    return Result(Holds(), Statistics("kernel", 0, 0, 0, 0.0), lists["violations"], lists["witnesses"])
