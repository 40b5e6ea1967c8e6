"""SOFT 5.1.1: seeded modifications of the reference-like agent, each alone and all together, found as root causes."""

import time

from benchmarks.report import Report
from benchmarks.soft import MORE_TESTS, TESTS, source_of
from sdnloom.crosscheck.agents.compact.modifications import MODIFICATIONS, Modification
from sdnloom.crosscheck.comparison import Comparison
from sdnloom.crosscheck.root_causes.cause import RootCause
from sdnloom.crosscheck.run import crosscheck_agents
from sdnloom.crosscheck.test_document import load_test

OF_PAPER = 5  # modifications of seven that SOFT found


def run(quick: bool, arguments: list[str]) -> Report:
    """Compare each modified agent with the reference-like one; a quick run uses the tests that show something."""
    report = Report("soft-modified")
    table = report.table(
        "Modifications of reference-like: root causes that are reported for each alone",
        *("modification", "message", "field", "root causes", "inconsistencies", "reported as", "s"),
    )
    found = one = 0
    for name, change in MODIFICATIONS.items():
        before = time.process_time()
        comparison = compared(f"modified:{name}", [change.test] if quick else [*TESTS, *MORE_TESTS])
        causes = comparison.root_causes
        named = [cause for cause in causes if names_change(cause, change)]
        found += bool(named)
        one += len(causes) == 1 and bool(named)
        shown = named[0].condition if named else None
        seconds = time.process_time() - before
        table.add(name, change.message, change.field, len(causes), len(comparison.inconsistencies), shown, seconds)
    report.floor("modifications that are found (the paper: 5 of 7)", found, "==", len(MODIFICATIONS))
    report.floor("modifications that are one root cause, which names the field or event", one, "==", len(MODIFICATIONS))
    tests = list(dict.fromkeys(change.test for change in MODIFICATIONS.values())) if quick else [*TESTS, *MORE_TESTS]
    together = compared("modified", tests)
    table = report.table("All together", "root cause", "difference")
    for cause in together.root_causes:
        table.add(cause.condition, cause.difference)
    report.floor("root causes of all together", len(together.root_causes), "==", len(MODIFICATIONS))
    named_once = sum(
        any(names_change(cause, change) for cause in together.root_causes) for change in MODIFICATIONS.values()
    )
    report.floor("modifications that they name", named_once, "==", len(MODIFICATIONS))
    report.notes.append(
        "SOFT misses the Hello, because it tests after the greeting, and the time out, because it has no clock: the "
        "tests `hello` and `timeouts` have both."
    )
    return report


def compared(agent: str, tests: list[str]) -> Comparison:
    """Both phases, with replays."""
    sources = [source_of("reference-like"), source_of(agent)]
    (comparison,) = crosscheck_agents(sources, list(map(load_test, tests))).comparisons
    assert comparison.complete, comparison.reasons
    assert all(each.confirmed for each in comparison.inconsistencies)
    return comparison


def names_change(cause: RootCause, change: Modification) -> bool:
    """Whether a root cause is about the message and names the field or the event."""
    about = cause.message.startswith(change.message) or change.message in cause.condition
    return about and change.field in f"{cause.condition} {cause.difference} {' '.join(cause.fields)}"
