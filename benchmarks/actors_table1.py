"""SDN-Actors' table 1: our searches of the seven programs beside the published figures, and what each reduction saves.

Arguments: names of rows (LB LBB ...) to run these only, and `--verify` to compare final states with the full search.
"""

import math
from collections.abc import Sequence

from benchmarks.actors_measure import ActorFigures, measure
from benchmarks.actors_programs import INSTANCES, Instance, balanced, instance, resized
from benchmarks.actors_verify import final_numbers, full_search
from benchmarks.report import Report
from sdnloom.actors.executions.count import count_executions
from sdnloom.actors.search.options import ActorOptions
from sdnloom.actors.search.search import search_program
from sdnloom.engine.result import Limits

LEVELS = ("none", "actor", "entry", "context")
PACKETS = range(2, 11)  # of the load balancer, for the growth of its states
SLOW = 1.0  # seconds in the paper from which on ours has to be faster
FULL = 60_000  # states up to which a full search is the oracle
_SMALLER = (  # than the paper's, for comparison with the full search
    balanced(3),
    resized("MI", "1x5x8", "1x5x4", packets=4),
    resized("MIB", "1x5x8", "1x5x4", packets=4),
    resized("LE", "3x3x5", "3x3x3", packets=3),
)
QUICK = (("LB", "3x3x1"), ("LBB", "3x4x2"), ("LBB", "3x7x5"), ("SSHE", "2x2x1ssh"), ("SSHE", "2x2x1oth"))
QUICK += (("SSHE", "2x2x2cor"), ("SSHB", "2x2x2"), ("MI", "1x5x8"), ("MIB", "1x5x8"), ("LE", "3x3x2"))


def run(quick: bool, arguments: list[str]) -> Report:
    """Measure; a quick run has small sizes, ends counts and ablations after half a second, and leaves growth out."""
    report = Report("actors-table1")
    verify, rows = "--verify" in arguments, {each for each in arguments if not each.startswith("-")}
    chosen = [each for each in INSTANCES if not quick or (each.row, each.size) in QUICK]
    chosen = [each for each in chosen if not rows or each.row in rows]
    _searches(report, chosen)
    _executions(report, chosen, 0.5 if quick else 5)
    _ablation(report, chosen, 0.5 if quick else 5)
    if not quick and (not rows or "LBB" in rows):
        _growth(report)
    if verify:
        _verified(report, chosen)
    report.notes.append(
        "s is processor time of the search alone, in a process of its own, counterexamples included; it looks for "
        "every violation; first s ends at the first one. The paper's times are those of its own machine. Its programs "
        "are not printed in the paper: ours are re-creations, and the packet mixes of SSHB, MI, MIB and LE are ours "
        "(docs/actors-benchmarks.md). Its states are nodes of a search tree, ours are different states."
    )
    return report


def _searches(report: Report, chosen: Sequence[Instance]) -> None:
    heads = ("row", "size", "verdict", "states", "transitions", "final", "s", "first s", "MB")
    table = report.table("Default search", *heads, "paper states", "paper s", "states ratio", "times faster")
    wrong, unreplayed, incomplete, slower = [], [], [], []
    for each in chosen:
        found, published = measure(each), each.published
        assert published is not None
        first = measure(each, find_all=False) if found.violated else found
        faster = published.seconds / found.cpu_seconds
        table.add(
            each.row,
            each.size,
            "violated" if found.violated else "holds" if found.is_complete else "incomplete",
            found.states,
            found.transitions,
            found.final_states,
            found.cpu_seconds,
            first.cpu_seconds,
            found.peak_bytes / 1e6,
            published.states,
            published.seconds,
            published.states / found.states,
            faster,
        )
        wrong += [each.label] if bool(found.violated) != each.violated or bool(first.violated) != each.violated else []
        unreplayed += [each.label] if not (found.replayed and first.replayed) else []
        incomplete += [each.label] if not found.is_complete else []
        slower += [each.label] if published.seconds >= SLOW and faster <= 1 else []
    for claim, labels in (
        ("sizes with another verdict than expected", wrong),
        ("sizes with a counterexample that does not replay", unreplayed),
        ("sizes that were not searched to the end", incomplete),
        (f"sizes slower than the paper, of those where it took {SLOW:g} s or more", slower),
    ):
        report.floor(claim, len(labels), "==", 0)
        report.notes += [f"{claim}: {', '.join(labels)}"] if labels else []


def _executions(report: Report, chosen: Sequence[Instance], seconds: float) -> None:
    heads = ("row", "size", "actor", "entry", "context", "paper", "violating, entry")
    table = report.table(f"Executions, counted for at most {seconds:g} s", *heads)
    for each in chosen:
        counts = [count_executions(each.program(), level, Limits(seconds=seconds)) for level in LEVELS[1:]]  # type: ignore[arg-type]
        violating = max(counts[1].violating.values(), default=0)
        shown = [_bounded(found.count, found.complete) for found in counts]
        table.add(each.row, each.size, *shown, each.published and each.published.executions, violating)
    balancer, patient = (
        count_executions(each.program(), "entry", Limits(seconds=60)) for each in (instance("LB", "3x3x1"), balanced(1))
    )
    report.floor("executions of LB 3x3x1", balancer.count, "==", 8)
    report.floor("of these with the forwarding loop", balancer.violating.get("NoForwardingLoop", 0), "==", 2)
    report.floor("executions of the same with barriers", patient.count, "==", 1)


def _ablation(report: Report, chosen: Sequence[Instance], seconds: float) -> None:
    table = report.table(
        f"States by reduction, each searched for at most {seconds:g} s",
        *("row", "size", *LEVELS, *(f"{level}, symmetry" for level in LEVELS)),
    )
    for each in chosen:
        plain = [measure(each, level, False, seconds=seconds) for level in LEVELS]
        renamed = [measure(each, level, True, seconds=seconds) for level in LEVELS if _has_groups(each)]
        shown = [_bounded(one.states, one.is_complete) for one in (*plain, *renamed)]
        table.add(each.row, each.size, *shown, *["-"] * (2 * len(LEVELS) - len(shown)))
    report.notes.append("Symmetry is - where no actors, and no packets, are interchangeable.")


def _has_groups(each: Instance) -> bool:
    """Whether actors or packets of the program are interchangeable."""
    return bool(search_program(each.program(), ActorOptions(limits=Limits(states=1))).naming.groups)


def _growth(report: Report) -> None:
    heads = ("packets", "states", "transitions", "s", "s per 1,000 states")
    table = report.table("LBB, one packet per client", *heads)
    points = []
    for packets in PACKETS:
        found: ActorFigures = measure(balanced(packets))
        points.append((packets, found.states))
        each = 1000 * found.cpu_seconds / found.states
        table.add(packets, found.states, found.transitions, found.cpu_seconds, each)
    report.floor("slope of log states over log packets, LBB 2 to 10", slope(points), "<=", 4)


def slope(points: Sequence[tuple[float, float]]) -> float:
    """The exponent of the power law that fits the points best: least squares of the logarithms."""
    xs, ys = ([math.log(value) for value in column] for column in zip(*points, strict=True))
    x, y = sum(xs) / len(xs), sum(ys) / len(ys)
    return sum((a - x) * (b - y) for a, b in zip(xs, ys, strict=True)) / sum((a - x) ** 2 for a in xs)


def _verified(report: Report, chosen: Sequence[Instance]) -> None:
    """Compare final states of every level with those of the full search, where it ends."""
    table = report.table(
        f"Final states, full searches of at most {FULL:,} states", "row", "size", "states", "final", "different at"
    )
    different = []
    for each in (*chosen, *_SMALLER):
        full = full_search(each.program(), FULL)
        if full.result.incomplete:
            continue
        modes = [(level, sym) for sym in (False, True) for level in LEVELS]
        others = [search_program(each.program(), ActorOptions(level, sym, True)) for level, sym in modes]  # type: ignore[arg-type]
        oracle, *sets = final_numbers(each.program(), full, *others)
        wrong = [f"{level}{', symmetry' * sym}" for (level, sym), one in zip(modes, sets, strict=True) if one != oracle]
        different += [each.label] if wrong else []
        shown = "; ".join(wrong) or "-"
        table.add(each.row, each.size, full.result.statistics.states, full.final_states, shown)
    report.floor("sizes whose final states differ from the full search", len(different), "==", 0)


def _bounded(count: int, complete: bool) -> str:
    return f"{count:,}" if complete else f"> {count:,}"
