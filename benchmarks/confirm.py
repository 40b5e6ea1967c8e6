"""Whether the model is the real system: counterexamples and random walks on a real Open vSwitch and real controllers.

Every shipped counterexample is confirmed, again and again; random walks over shipped scenarios are taken step by step
on the model and the real system at once. Floors: at most two counterexamples are not CONFIRMED, no outcome changes from
one time to the next, and no walk is DIFFERENT. Options: --repeat N (50), --walks N (200), --steps N (40), --only TEXT.
"""

import argparse
import os
import sys
import time
from collections import Counter

from benchmarks.confirm_subjects import COUNTEREXAMPLES, EXAMPLES, WALKED, counterexamples
from benchmarks.report import Report
from sdnloom.check.load import load_scenario
from sdnloom.check.run import Run
from sdnloom.confirm.open_parts import open_real_parts
from sdnloom.confirm.options import ConfirmOptions
from sdnloom.confirm.outcome import Confirmation, ConfirmOutcome
from sdnloom.confirm.real_walk import walk_with
from sdnloom.confirm.run import confirm_trace

MOST_NOT_CONFIRMED = 2
NO_TIMERS = ConfirmOptions(wait=0.0)


def run(quick: bool, arguments: list[str]) -> Report:
    """Confirm counterexamples and take walks."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks confirm")
    parser.add_argument("--repeat", type=int, default=2 if quick else 50)
    parser.add_argument("--walks", type=int, default=len(WALKED) if quick else 200)
    parser.add_argument("--steps", type=int, default=40)
    parser.add_argument("--only", default="")
    options = parser.parse_args(arguments)
    if "PYTHONHASHSEED" not in os.environ:  # Faucet hashes addresses: the model and the real app must do it alike
        os.execve(sys.executable, sys.orig_argv, {**os.environ, "PYTHONHASHSEED": "0"})
    report = Report("confirm")
    if options.repeat:
        _confirm_all(report, options.repeat, options.only)
    if options.walks:
        _walk_all(report, options.walks, options.steps, options.only)
    return report


def _confirm_all(report: Report, repeat: int, only: str) -> None:
    rows = report.table(
        "counterexamples on the real system",
        *("scenario", "property", "steps", "outcomes", "median ms", "slowest ms", "why not"),
    )
    missed = changed = 0
    for file in COUNTEREXAMPLES:
        if only not in file:
            continue
        for scenario, trace in counterexamples(file):
            outcomes: Counter[str] = Counter()
            seconds, why = [], ""
            for _ in range(repeat):
                began = time.perf_counter()
                found = confirm_trace(Run(scenario, ordered=True), trace)
                seconds.append(time.perf_counter() - began)
                outcomes[found.outcome.value] += 1
                why = why or _why(found)
            shown = ", ".join(f"{outcome} {count}" for outcome, count in sorted(outcomes.items()))
            ordered = sorted(round(1000 * each) for each in seconds)
            name = trace.finding.property if trace.finding else ""
            rows.add(file, name, len(trace.path), shown, ordered[len(ordered) // 2], ordered[-1], why)
            missed += ConfirmOutcome.CONFIRMED.value not in outcomes
            changed += len(outcomes) > 1
    report.floor("counterexamples that are not confirmed", missed, "<=", MOST_NOT_CONFIRMED)
    report.floor("counterexamples whose outcome changes", changed, "<=", 0)


def _walk_all(report: Report, walks: int, steps: int, only: str) -> None:
    rows = report.table(
        "random walks on the model and the real system", "scenario", "walks", "steps", "outcomes", "ms per step", "why"
    )
    files = [file for file in WALKED if only in file]
    different = 0
    for place, file in enumerate(files):
        scenario = load_scenario(EXAMPLES / file)
        outcomes: Counter[str] = Counter()
        taken, seconds, why = 0, 0.0, ""
        for seed in range(place, walks, len(files)):
            found = walk_with(open_real_parts, Run(scenario, ordered=True), steps, seed, NO_TIMERS)
            outcomes[found.outcome.value] += 1
            taken += found.taken
            seconds += found.seconds
            why = why or _why(found)
        if not outcomes:
            continue
        shown = ", ".join(f"{outcome} {count}" for outcome, count in sorted(outcomes.items()))
        rows.add(file, outcomes.total(), taken, shown, round(1000 * seconds / max(taken, 1), 1), why)
        different += outcomes[ConfirmOutcome.DIFFERENT.value]
    report.floor("walks that are different", different, "<=", 0)


def _why(found: Confirmation) -> str:
    if found.difference is not None:
        one = found.difference.contrasts[0]
        return f"step {found.difference.step.number}, {one.what}: {one.expected} / {one.observed}"[:200]
    return "" if found.impossible is None else f"step {found.impossible.number}: {found.impossible.reason}"
