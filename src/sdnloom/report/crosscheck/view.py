"""What every report of a crosscheck needs: numbers, words and the files that were written beside it."""

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from sdnloom.crosscheck.comparison import Comparison, Inconsistency, RootCause
from sdnloom.crosscheck.result import CrosscheckResult, pair_verdict
from sdnloom.crosscheck.switch_test import Case, SwitchTest
from sdnloom.report.describe import counted

_MOST_TEXT: Final = 300
_MOST_WAYS: Final = 3


@dataclass(frozen=True, slots=True)
class CrosscheckView:
    """What a report shows: with `every` also each inconsistency.

    `witnesses` are the files of root causes by pair and number; `given` says how an agent is named on the command line.
    """

    every: bool = False
    witnesses: Mapping[tuple[int, int], Path] = field(default_factory=dict)
    given: Mapping[str, str] = field(default_factory=dict)

    def try_command(self, pair: int, place: int, agents: tuple[str, str]) -> str | None:
        """Return the command that tries a root cause again on the second agent."""
        file = self.witnesses.get((pair, place))
        if file is None:
            return None
        name = agents[1]
        given = self.given.get(name)
        agent = "AGENT" if given is None else shlex.quote(given if given == name else f"{name}={given}")
        return f"sdnloom crosscheck try {shlex.quote(str(file))} {agent}"


PLAIN_VIEW = CrosscheckView()


def listed(names: Sequence[str]) -> str:
    """Return names as a list in a sentence: `a, b and c`."""
    return " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else "".join(names)


def number_of_tests(result: CrosscheckResult) -> int:
    """Return how many tests were compared: inputs tried on black boxes, or classes if all agents were explored."""
    tried = [each.classes for each in result.partitions if each.kind == "inputs"]
    return sum(tried) if tried else sum(each.classes for each in result.partitions)


def tests_words(result: CrosscheckResult) -> str:
    """Return the same in words."""
    what = "input" if any(each.kind == "inputs" for each in result.partitions) else "class"
    return f"{counted(number_of_tests(result), what)} {'tried' if what == 'input' else 'compared'}"


def case_place(test: SwitchTest, case: Case) -> str:
    """Return the name of a test, and of the case if it has several."""
    return f"{test.name}, case {case.name}" if len(test.cases) > 1 else test.name


def case_of(comparison: Comparison, found: Inconsistency | RootCause) -> tuple[SwitchTest, Case]:
    """Return the test and the case of something that was found."""
    test = next(test for test in comparison.tests if test.name == found.test)
    return test, test.case(found.case)


def verdict_words(comparison: Comparison) -> str:
    """Return the verdict about two agents with its counts: `2 root causes, 5 inconsistencies`."""
    verdict = pair_verdict(comparison)
    if verdict == "differ":
        found = counted(len(comparison.inconsistencies), "inconsistency")
        return f"{counted(len(comparison.root_causes), 'root cause')}, {found}"
    if verdict == "agree":
        return f"the same for every input of {counted(len(comparison.tests), 'test')}"
    return "no difference so far, but not every input was compared"


def confirmed_words(inconsistencies: Sequence[Inconsistency], cause: RootCause | None = None) -> str:
    """Return how many inconsistencies there are, and whether replays confirmed them and their root cause."""
    count = len(inconsistencies)
    states = [one.confirmed for one in inconsistencies] + ([cause.confirmed] if cause else [])
    words = counted(count, "inconsistency")
    if False in states:
        return f"{words}, {states.count(False):,} NOT CONFIRMED: a replay gave another output"
    if None in states:
        missing = states.count(None)
        return f"{words}, {'not replayed' if missing == len(states) else f'{missing:,} not replayed'}"
    return f"{words}, confirmed"


def shortened_line(text: str) -> str:
    """Return a text that fits on a few lines: conditions of paths can have thousands of characters."""
    return text if len(text) <= _MOST_TEXT else f"{text[:_MOST_TEXT]}..."


def difference_line(cause: RootCause) -> str:
    """Return what each agent does; of many ways in which they differ, the first few."""
    ways = cause.difference.split("; ")
    more = len(ways) - _MOST_WAYS
    return "; ".join(ways[:_MOST_WAYS]) + (f"; and {counted(more, 'more way')} to differ" if more > 0 else "")


def matrix(result: CrosscheckResult) -> list[list[str]]:
    """Return the verdicts of all pairs as a table with names in the first row and column."""
    names = list(result.agents)
    rows = [["", *names[1:]]]
    cells = iter(result.comparisons)
    for number, name in enumerate(names[:-1]):
        rows.append([name, *[""] * number, *(matrix_cell(next(cells)) for _ in names[number + 1 :])])
    return rows


def matrix_cell(comparison: Comparison) -> str:
    """Return the verdict about two agents in a word or a number of root causes."""
    verdict = pair_verdict(comparison)
    return counted(len(comparison.root_causes), "root cause") if verdict == "differ" else verdict
