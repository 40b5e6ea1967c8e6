"""What the reports of all checks share: the verdict with its counterexamples, and the commands that replay them."""

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol, TypeAlias

from sdnloom.confirm.outcome import Confirmation
from sdnloom.engine.result import Counterexample, Incomplete, Result, Vacuous, VerdictName, Violated
from sdnloom.platforms.code_runs import CodeRun
from sdnloom.report.confirm.json_format import confirmation_values
from sdnloom.report.confirm.text import confirmation_lines
from sdnloom.report.describe import Names, counted
from sdnloom.report.json_text import json_text
from sdnloom.report.steps import long_texts, steps_text
from sdnloom.report.text_style import PLAIN_STYLE, TextStyle

_SCHEMA = "sdnloom-check-1"
Confirmations: TypeAlias = Mapping[Counterexample, Confirmation]  # of the violations of a report


class JudgedReport(Protocol):
    """A report with a verdict: of a scenario or of a program of actors."""

    @property
    def result(self) -> Result:
        """The result of the search."""

    @property
    def verdict(self) -> VerdictName:
        """The verdict as users see it."""

    @property
    def vacuous(self) -> tuple[str, ...]:
        """Why the result means little, if the verdict is `vacuous`."""

    @property
    def violations(self) -> tuple[Counterexample, ...]:
        """The distinct violations, smallest first."""

    @property
    def checked(self) -> tuple[str, ...]:
        """The names of the properties that must hold."""

    @property
    def bounds(self) -> tuple[str, ...]:
        """What the verdict is relative to."""

    def step_code(self, shown: Counterexample) -> Sequence[Sequence[CodeRun]]:
        """The functions that each step of a counterexample ran; none if that is not known."""


def verdict_text(
    report: JudgedReport,
    names: Names,
    style: TextStyle = PLAIN_STYLE,
    confirmations: Confirmations | None = None,
) -> list[str]:
    """The verdict; if properties are violated, each with its counterexample, and what the real system did."""
    lines = []
    shown = set()
    for violation in report.violations:
        lines.append(style.verdict(violation_line(violation)))
        lines += ["by the same steps", ""] if violation.path in shown else [f"{length_words(violation)}:"]
        if violation.path not in shown:
            lines += [*steps_text(violation.transitions, names, style, report.step_code(violation)), ""]
        if confirmations and violation in confirmations:
            lines += [*confirmation_lines(confirmations[violation], names, style), ""]
        shown.add(violation.path)
    if report.verdict != "violated":
        lines.append(style.verdict(headline(report)))
    lines += [f"  {reason}" for reason in report.vacuous]
    return lines


def headline(report: JudgedReport) -> str:
    """The verdict in one line; of several violations, the first one."""
    properties = ", ".join(report.checked) or "nothing"
    match report.result.verdict:
        case Incomplete(reason):
            return f"INCOMPLETE no violation so far, but {reason}"
        case Vacuous():
            return f"VACUOUS {properties}: no violation within the bounds below, but too little happened"
        case Violated():
            return violation_line(report.violations[0])
    return f"HOLDS {properties}: no violation in an exhaustive search within the bounds below"


def violation_line(violation: Counterexample) -> str:
    """The property that is violated, and how."""
    return f"VIOLATED {violation.property}: {violation.message}"


def length_words(violation: Counterexample) -> str:
    """How long the counterexample is, and how much of it is needed."""
    steps = counted(len(violation.path), "step")
    if violation.shortest:
        return f"shortest counterexample, {steps}"
    return f"counterexample, {steps}, {'none' if violation.minimal else 'some perhaps'} can be left out"


def dives_text(result: Result) -> str:
    """The dives of a search that did not see everything; a whole search has seen all that they saw."""
    done = result.statistics
    if not done.dives or result.incomplete is None:
        return ""
    return f"; in {counted(done.dives, 'dive')} into the depth {counted(done.dive_states, 'state')}"


def disk_text(result: Result) -> str:
    """How much of a search was on disk."""
    size = result.statistics.disk_bytes
    return f", {size / 1e6:,.1f} MB on disk" if size else ""


def replay_commands(
    report: JudgedReport, traces: Mapping[Counterexample, Path], kinds: Sequence[str] = ("view",)
) -> list[str]:
    """Commands of these kinds for the first trace that was written, and one for each trace that replays it."""
    files = [traces[violation] for violation in report.violations if violation in traces]
    shown = [f"{kind}: sdnloom {kind} {shlex.quote(str(files[0]))}" for kind in kinds if files]
    return shown + [f"replay: sdnloom replay {shlex.quote(str(file))}" for file in files]


def check_json(
    report: JudgedReport,
    names: Names,
    traces: Mapping[Counterexample, Path],
    own: Mapping[str, Any],
    confirmations: Confirmations | None = None,
) -> str:
    """The report as a JSON object: the keys that every kind of check has, and `own` ones."""
    confirmed = confirmations or {}
    statistics = report.result.statistics
    violations = [
        {
            "property": violation.property,
            "message": violation.message,
            "steps": len(violation.path),
            "shortest": violation.shortest,
            "path": long_texts(violation.transitions, names, report.step_code(violation)),
            "trace": str(traces[violation]) if violation in traces else None,
            "confirmation": confirmation_values(confirmed[violation], names) if violation in confirmed else None,
        }
        for violation in report.violations
    ]
    bounds = list(report.bounds)
    if report.result.incomplete is not None:
        bounds.append(f"searched in part: {report.result.incomplete}")
    values = {
        "schema": _SCHEMA,
        "verdict": report.verdict,
        "vacuous": list(report.vacuous),
        "property": report.violations[0].property if report.violations else None,
        "bounds": bounds,
        "states": statistics.states,
        "transitions": statistics.transitions,
        "depth": statistics.depth,
        "seconds": round(statistics.seconds, 6),
        **own,
        "trace": violations[0]["trace"] if violations else None,
        "violations": violations,
    }
    return json_text(values)
