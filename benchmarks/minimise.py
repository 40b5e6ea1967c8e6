"""Whether minimised traces are short: random walks of several hundred steps become nearly shortest counterexamples.

For each subject, the first seeds whose walk violates a property after 200 steps or more. The floor: 95 of 100 are
within two steps of a shortest counterexample, which a breadth-first search gives. Options: --seeds N (100), --only
TEXT, --no-search (delta debugging alone, without the search of all orders of the inputs that are left; without floor).
"""

import argparse
import statistics
import time
from collections import Counter

from benchmarks.minimise_subjects import SUBJECTS, Subject
from benchmarks.report import Report
from sdnloom.engine.counterexample.minimise import SEARCHED_STATES, minimise
from sdnloom.engine.path import Path, ReplayDivergence, final_state, replay
from sdnloom.engine.semantics import Finding, Semantics
from sdnloom.engine.walk import random_walk

LEAST_STEPS, MOST_STEPS = 200, 1000  # of a walk
MOST_TRIED = 50  # walks for each that is wanted
NEAR, SHARE = 2, 0.95


def long_walk(subject: Subject, seed: int) -> tuple[Path, Finding] | None:
    """The walk of a seed, if it is long and violates a property whose shortest counterexample is known."""
    walk = random_walk(subject.semantics, seed, MOST_STEPS)
    found = next((each for each in walk.findings if each.property in subject.shortest), None)
    return None if found is None or len(walk.path) < LEAST_STEPS else (walk.path, found)


def can_be_left_out(semantics: Semantics, path: Path, name: str) -> bool:
    """Whether a single step can be left out: the others are a path to a violation of the property."""
    for gone in range(len(path)):
        try:
            taken = replay(semantics, Path(path.steps[:gone] + path.steps[gone + 1 :]))
        except ReplayDivergence:
            continue
        if any(each.property == name for each in semantics.findings(final_state(semantics, taken))):
            return True
    return False


def run(quick: bool, arguments: list[str]) -> Report:
    """Minimise the walks of every subject."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks minimise")
    parser.add_argument("--seeds", type=int, default=10 if quick else 100)
    parser.add_argument("--only", default="")
    parser.add_argument("--no-search", action="store_true")
    options = parser.parse_args(arguments)
    report = Report("minimise")
    rows = report.table(
        "steps of minimised walks beyond the shortest counterexample",
        *("subject", "walks", "of seeds", "steps of walks", "shortest", "beyond: walks", "within 2", "1-minimal"),
        *("median s", "slowest s"),
    )
    for make in SUBJECTS:
        subject = make()
        if options.only not in subject.name:
            continue
        beyond: Counter[int] = Counter()
        lengths, seconds, minimal, seed = [], [], 0, 0
        while len(lengths) < options.seeds and seed < options.seeds * MOST_TRIED:
            walk = long_walk(subject, seed)
            seed += 1
            if walk is None:
                continue
            path, found = walk
            began = time.perf_counter()
            states = 0 if options.no_search else SEARCHED_STATES
            shorter = minimise(subject.semantics, path, found, same_message=False, most_states=states)
            seconds.append(time.perf_counter() - began)
            lengths.append(len(path))
            beyond[len(shorter.path) - subject.shortest[found.property]] += 1
            minimal += shorter.minimal and not can_be_left_out(subject.semantics, shorter.path, found.property)
        near = sum(count for steps, count in beyond.items() if steps <= NEAR)
        shown = ", ".join(f"{steps}: {count}" for steps, count in sorted(beyond.items()))
        shortest = ", ".join(map(str, sorted(set(subject.shortest.values()))))
        rows.add(
            *(subject.name, len(lengths), seed, f"{min(lengths)} to {max(lengths)}", shortest, shown, near, minimal),
            *(statistics.median(seconds), max(seconds)),
        )
        report.floor(f"{subject.name}: walks of {LEAST_STEPS} steps or more", len(lengths), "==", options.seeds)
        report.floor(f"{subject.name}: minimised walks that are 1-minimal", minimal, "==", len(lengths))
        if not options.no_search:
            report.floor(f"{subject.name}: within {NEAR} steps of the shortest", near / len(lengths), ">=", SHARE)
    return report
