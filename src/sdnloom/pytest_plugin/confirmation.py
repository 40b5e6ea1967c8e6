"""What becomes of a failure on the real system, for the option `--sdnloom-confirm`."""

from pathlib import Path
from typing import NamedTuple

from sdnloom.actors.program import Program
from sdnloom.api.checks import AnyReport, PreparedCheck
from sdnloom.api.confirm import confirm_violations, scenario_confirmation
from sdnloom.check.report import Report
from sdnloom.confirm.options import ConfirmOptions
from sdnloom.engine.result import Counterexample
from sdnloom.engine.trace import load_trace
from sdnloom.errors import SdnloomError
from sdnloom.report.confirm.text import confirmation_lines
from sdnloom.report.verdict import Confirmations

_ACTORS = "\nnot confirmed: a program of actors has no OpenFlow connections\n"


class ConfirmedReport(NamedTuple):
    """What became of the violations of a report, and lines about those that could not be tried."""

    outcomes: Confirmations | None = None
    failures: str = ""


def confirmed_report(report: AnyReport) -> ConfirmedReport:
    """Take each violation of a report on the real system."""
    if not isinstance(report, Report):
        return ConfirmedReport(None, _ACTORS if report.violations else "")
    lines: list[str] = []

    def failed(violation: Counterexample, error: SdnloomError) -> None:
        lines.append(f"not confirmed: {violation.property}: {error}\n")

    outcomes = dict(confirm_violations(report, ConfirmOptions(), failed))
    return ConfirmedReport(outcomes, "".join(lines))


def confirmed_trace(prepared: PreparedCheck, file: Path | None) -> str:
    """Take the trace of the last run on the real system; the lines below the message of the failure."""
    if file is None:
        return ""
    if isinstance(prepared.subject, Program):
        return _ACTORS
    try:
        confirmed = scenario_confirmation(prepared.subject, load_trace(file), file).confirm(ConfirmOptions())
    except SdnloomError as error:
        return f"\nnot confirmed: {error}\n"
    return "\n".join(["", *confirmation_lines(confirmed, prepared.names), ""])
