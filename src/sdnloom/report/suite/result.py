"""The result of a suite: one row for each scenario or program of actors, as plain values."""

from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from sdnloom import __version__
from sdnloom.confirm.outcome import ConfirmOutcome
from sdnloom.report.baseline.known import FoundViolation, Judgement
from sdnloom.report.view.result_view import ResultView

# In the order in which one decides about the whole suite, with the exit code of each.
SUITE_EXIT_CODES = {"error": 2, "violated": 1, "incomplete": 3, "vacuous": 3, "known": 0, "holds": 0}
RowVerdict: TypeAlias = Literal["error", "violated", "incomplete", "vacuous", "known", "holds"]


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
    found: tuple[FoundViolation, ...] = ()
    complete: bool = True  # whether nothing cut the search short
    first: bool = False  # whether it ended because something was found
    judgement: Judgement | None = None  # what a baseline says
    confirmed: ConfirmOutcome | None = None  # what became of the violations on the real system: the worst outcome

    def judged(self, judgement: Judgement, accepts: bool) -> "SuiteRow":
        """The row with what a baseline says of it; a violated one is `known` if the baseline `accepts` all of it."""
        verdict = self.verdict
        if verdict == "violated" and accepts:
            verdict = "known" if judgement.complete else "incomplete"
        return replace(self, judgement=judgement, verdict=verdict, view=self.view and mark_known(self.view, judgement))


def mark_known(view: ResultView, judgement: Judgement) -> ResultView:
    """The view with the findings marked that a baseline knows."""
    known = set(judgement.known)
    findings = (replace(each, known=FoundViolation(each.property, each.message) in known) for each in view.findings)
    return replace(view, findings=tuple(findings))


def _unchecked(name: str, headline: str) -> ResultView:
    return ResultView("check", name, "incomplete", headline, version=__version__)


@dataclass(frozen=True)
class SuiteResult:
    """The rows of a suite; `left` are the names of those that did not run, because the suite was interrupted."""

    rows: tuple[SuiteRow, ...]
    left: tuple[str, ...] = ()
    baseline: str = ""  # the file whose judgements the rows have

    def views(self) -> list[ResultView]:
        """The rows as they are shown; one that ended with an error or did not run is an incomplete result."""
        shown = [row.view or _unchecked(row.name, f"ERROR {row.error}") for row in self.rows]
        return [*shown, *(_unchecked(name, "INCOMPLETE not checked: the suite was interrupted") for name in self.left)]

    @property
    def verdict(self) -> RowVerdict:
        """The worst verdict of all rows."""
        found = {row.verdict for row in self.rows} | ({"incomplete"} if self.left else set())
        return next((each for each in _BY_WEIGHT if each in found), "holds")

    @property
    def exit_code(self) -> int:
        """2 if some subject cannot be used, 1 if some property is violated, 3 if not all was searched, else 0.

        If the real system did something else than the model, 4 instead of 1, 3 and 0.
        """
        if self.verdict != "error" and any(row.confirmed is ConfirmOutcome.DIFFERENT for row in self.rows):
            return 4
        return SUITE_EXIT_CODES[self.verdict]

    def counts(self) -> dict[RowVerdict, int]:
        """How many rows have each verdict, for those that occur."""
        verdicts = [row.verdict for row in self.rows]
        return {each: verdicts.count(each) for each in _BY_WEIGHT if each in verdicts}


_BY_WEIGHT: tuple[RowVerdict, ...] = ("error", "violated", "incomplete", "vacuous", "known", "holds")
