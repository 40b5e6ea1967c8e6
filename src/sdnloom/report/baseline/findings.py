"""What a result has found, as baselines see it: the same for checks, races and crosschecks."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from sdnloom.crosscheck.comparison import Comparison, RootCause
from sdnloom.crosscheck.result import CrosscheckResult
from sdnloom.engine.result import AT_FIRST, BEFORE_SEARCH
from sdnloom.races.result import Race, RaceResult
from sdnloom.report.baseline.known import FoundViolation, Judgement
from sdnloom.report.races.text import label_text
from sdnloom.report.verdict import JudgedReport
from sdnloom.report.view.result_view import ResultView


def violations_of(report: JudgedReport) -> list[FoundViolation]:
    """The violations of a scenario or of a program of actors."""
    return [FoundViolation(each.property, each.message) for each in report.violations]


def ended_at_violation(report: JudgedReport) -> bool:
    """Whether the search ended because something was found."""
    return report.result.incomplete in (AT_FIRST, BEFORE_SEARCH)


def searched_whole(report: JudgedReport) -> bool:
    """Whether neither a limit, a heuristic nor the start-up kept it from being searched; `--first` is asked for."""
    return report.result.incomplete in (None, AT_FIRST)


def races_of(result: RaceResult) -> list[FoundViolation]:
    """The harmful races of a model by kind and events: those of different traces with the same events are one."""
    return list(dict.fromkeys(each for race in result.races if (each := _race(result, race)) is not None))


def _race(result: RaceResult, race: Race) -> FoundViolation | None:
    if race.property is None:
        return None
    events = [label_text(result.model, race.trace.events[place - 1].label) for place in race.positions]
    return FoundViolation(race.property, f"{race.kind.value}: {' || '.join(events)}")


def known_races(result: RaceResult, judgements: Iterable[Judgement]) -> list[bool]:
    """For each race of the result, whether it is known."""
    known = {found for each in judgements for found in each.known}
    return [_race(result, race) in known for race in result.races]


def differences_of(result: CrosscheckResult) -> dict[str, list[FoundViolation]]:
    """The root causes of each pair of agents and each test: the message, the condition and what differs."""
    return {
        _pair_and_test(each, test.name): [_difference(cause) for cause in each.root_causes if cause.test == test.name]
        for each in result.comparisons
        for test in each.tests
    }


def _pair_and_test(comparison: Comparison, test: str) -> str:
    return f"{' / '.join(comparison.agents)}, {test}"


def _difference(cause: RootCause) -> FoundViolation:
    return FoundViolation(cause.message, f"{cause.condition}: {cause.difference}")


def known_differences(result: CrosscheckResult, judgements: Iterable[Judgement], every: bool) -> list[bool]:
    """For each finding of the result's view whether it is known: root causes, and inconsistencies if it has these."""
    known = {(each.subject, found) for each in judgements for found in each.known}
    flags: list[bool] = []
    for each in result.comparisons:
        flags += [(_pair_and_test(each, cause.test), _difference(cause)) in known for cause in each.root_causes]
        if every or not each.root_causes:
            flags += [False] * len(each.inconsistencies)
    return flags


def mark_findings(view: ResultView, known: Sequence[bool]) -> ResultView:
    """The view with the findings marked that are known."""
    marked = (replace(finding, known=flag) for finding, flag in zip(view.findings, known, strict=True))
    return replace(view, findings=tuple(marked))
