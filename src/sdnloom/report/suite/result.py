"""The result of a suite: one row for each scenario or program of actors, as plain values."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from sdnloom.report.view.result_view import ResultView

# In the order in which one decides about the whole suite, with the exit code of each.
SUITE_EXIT_CODES = {"error": 2, "violated": 1, "incomplete": 3, "vacuous": 3, "holds": 0}
RowVerdict: TypeAlias = Literal["error", "violated", "incomplete", "vacuous", "holds"]


@dataclass(frozen=True)
class SuiteRow:
    """One check of a suite, or the error that it ended with.

    `text` and `json` are its report in these formats; `view` is for pictures and exports, if these are wanted.
    """

    name: str
    verdict: RowVerdict
    seconds: float
    error: str = ""
    properties: tuple[str, ...] = ()  # those that are violated, the smallest counterexample first
    steps: int | None = None  # of the smallest counterexample
    states: int | None = None
    text: str = ""
    json: str = ""
    view: ResultView | None = None


@dataclass(frozen=True)
class SuiteResult:
    """The rows of a suite; `left` are the names of those that did not run, because the suite was interrupted."""

    rows: tuple[SuiteRow, ...]
    left: tuple[str, ...] = ()

    @property
    def verdict(self) -> RowVerdict:
        """The worst verdict of all rows."""
        found = {row.verdict for row in self.rows} | ({"incomplete"} if self.left else set())
        return next((each for each in _BY_WEIGHT if each in found), "holds")

    @property
    def exit_code(self) -> int:
        """2 if some subject cannot be used, 1 if some property is violated, 3 if not all was searched, else 0."""
        return SUITE_EXIT_CODES[self.verdict]

    def counts(self) -> dict[RowVerdict, int]:
        """How many rows have each verdict, for those that occur."""
        verdicts = [row.verdict for row in self.rows]
        return {each: verdicts.count(each) for each in _BY_WEIGHT if each in verdicts}


_BY_WEIGHT: tuple[RowVerdict, ...] = ("error", "violated", "incomplete", "vacuous", "holds")
