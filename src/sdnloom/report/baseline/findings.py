"""What a result has found, as baselines see it: the same for checks, races and crosschecks."""

from sdnloom.crosscheck.result import CrosscheckResult
from sdnloom.engine.result import AT_FIRST, BEFORE_SEARCH
from sdnloom.races.result import RaceResult
from sdnloom.report.baseline.known import FoundViolation
from sdnloom.report.races.text import label_text
from sdnloom.report.verdict import JudgedReport


def violations_of(report: JudgedReport) -> list[FoundViolation]:
    """The violations of a scenario or of a program of actors."""
    return [FoundViolation(each.property, each.message) for each in report.violations]


def ended_at_violation(report: JudgedReport) -> bool:
    """Whether the search ended because something was found."""
    return report.result.incomplete in (AT_FIRST, BEFORE_SEARCH)


def searched_whole(report: JudgedReport) -> bool:
    """Whether neither a limit nor a heuristic cut the search short."""
    return report.result.incomplete is None or ended_at_violation(report)


def races_of(result: RaceResult) -> list[FoundViolation]:
    """The harmful races of a model by kind and events: those of different traces with the same events are one."""
    found: dict[FoundViolation, None] = {}
    for race in result.races:
        if race.property is not None:
            events = [label_text(result.model, race.trace.events[place - 1].label) for place in race.positions]
            found[FoundViolation(race.property, f"{race.kind.value}: {' || '.join(events)}")] = None
    return list(found)


def differences_of(result: CrosscheckResult) -> dict[str, list[FoundViolation]]:
    """The root causes of each pair of agents and each test: the message, the condition and what differs."""
    return {
        f"{' / '.join(each.agents)}, {test.name}": [
            FoundViolation(cause.message, f"{cause.condition}: {cause.difference}")
            for cause in each.root_causes
            if cause.test == test.name
        ]
        for each in result.comparisons
        for test in each.tests
    }
