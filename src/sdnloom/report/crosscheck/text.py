"""A crosscheck as text: the verdict, then the root causes of each pair of agents, then how complete it is.

It leaves out what differs from run to run, such as seconds: the same agents and tests print the same text.
"""

from sdnloom.crosscheck.comparison import Comparison, Inconsistency, RootCause
from sdnloom.crosscheck.result import CrosscheckResult, PartitionSummary, pair_verdict
from sdnloom.report.crosscheck.event_text import difference_texts
from sdnloom.report.crosscheck.input_text import input_line
from sdnloom.report.crosscheck.view import (
    PLAIN_VIEW,
    CrosscheckView,
    case_of,
    case_place,
    confirmed_words,
    difference_line,
    matrix,
    shortened_line,
    verdict_words,
)
from sdnloom.report.describe import counted

_MOST_REASONS = 10


def crosscheck_text(result: CrosscheckResult, view: CrosscheckView = PLAIN_VIEW) -> str:
    """The whole report."""
    lines: list[str] = []
    if len(result.comparisons) > 1:
        differing = sum(pair_verdict(comparison) == "differ" for comparison in result.comparisons)
        pairs = counted(len(result.comparisons), "pair")
        lines += [f"{result.verdict.upper()} {counted(len(result.agents), 'agent')}: {differing} of {pairs} differ", ""]
        lines += [*_table(matrix(result)), ""]
    for number, comparison in enumerate(result.comparisons):
        lines += _comparison(result, number, comparison, view)
    lines += [*_partitions(result), *_hints(result, view)]
    return "\n".join(lines) + "\n"


def _comparison(result: CrosscheckResult, number: int, comparison: Comparison, view: CrosscheckView) -> list[str]:
    first, second = comparison.agents
    lines = [f"{pair_verdict(comparison).upper()} {first} and {second}: {verdict_words(comparison)}"]
    if not comparison.complete:
        lines += [f"  not complete: {reason}" for reason in comparison.reasons[:_MOST_REASONS]]
        more = len(comparison.reasons) - _MOST_REASONS
        lines += [f"  and {counted(more, 'more reason')}"] if more > 0 else []
    for place, cause in enumerate(comparison.root_causes):
        lines += ["", *_cause(place, cause, comparison, view, number)]
    if view.every:
        for place, one in enumerate(comparison.inconsistencies, 1):
            lines += ["", *_inconsistency(place, one, comparison)]
    return [*lines, ""]


def _cause(place: int, cause: RootCause, comparison: Comparison, view: CrosscheckView, number: int) -> list[str]:
    test, case = case_of(comparison, cause)
    found = [comparison.inconsistencies[index] for index in cause.inconsistencies]
    lines = [
        f"{place + 1}. {cause.condition}",
        f"     {difference_line(cause)}",
        f"     for example in {case_place(test, case)}: {input_line(case, cause.witness, test.version)}",
        f"     {confirmed_words(found, cause)}",
    ]
    again = view.try_command(number, place, comparison.agents)
    return lines if again is None else [*lines, f"     try: {again}"]


def _inconsistency(place: int, one: Inconsistency, comparison: Comparison) -> list[str]:
    test, case = case_of(comparison, one)
    texts = difference_texts(one.outputs, test.version)
    return [
        f"inconsistency {place}, {case_place(test, case)}: {shortened_line(one.condition)}",
        f"     {input_line(case, one.witness, test.version)}",
        *(f"     {agent}: {text}" for agent, text in zip(comparison.agents, texts, strict=True)),
        f"     {confirmed_words([one])}",
    ]


def _partitions(result: CrosscheckResult) -> list[str]:
    """One line for each test: classes or inputs of each agent."""
    lines = []
    for test in result.tests:
        parts = [_partition(each) for each in result.partitions if each.test == test.name]
        if parts:
            lines.append(f"{test.name}: {'; '.join(parts)}")
    if result.complete:
        lines.append("complete: every input of these tests was compared")
    return lines


def _partition(one: PartitionSummary) -> str:
    count = counted(one.classes, "class") if one.kind == "paths" else f"{counted(one.classes, 'input')} tried"
    return f"{one.agent} {count}{'' if one.complete or one.kind == 'inputs' else ' (incomplete)'}"


def _hints(result: CrosscheckResult, view: CrosscheckView) -> list[str]:
    if result.verdict == "differ" and not view.witnesses:
        return ["to try an input again, write it to a file with --witnesses DIR"]
    return []


def _table(rows: list[list[str]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
