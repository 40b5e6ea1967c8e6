"""Assertions for scripts and tests without the fixture: something holds, or the counterexample is the message."""

from collections.abc import Collection, Sequence
from typing import Unpack

from sdnloom.api.checks import AnyReport, AppNames, Checkable, GivenProperty, report_of, run_check
from sdnloom.check.options.keywords import CheckKeywords
from sdnloom.engine.result import VerdictName


def assert_holds(
    subject: Checkable | None = None,
    *,
    app: AppNames | None = None,
    properties: Sequence[GivenProperty] | None = None,
    allow: Collection[VerdictName] = (),
    **options: Unpack[CheckKeywords],
) -> AnyReport:
    """Check as `run_check` does; raise AssertionError with the report as its message unless everything holds.

    `allow` names further verdicts that pass, such as "vacuous" and "incomplete".
    """
    __tracebackhide__ = True
    report = run_check(subject, app=app, properties=properties, **options)
    if report.verdict != "holds" and report.verdict not in allow:
        raise AssertionError(report_of(report, {}))
    return report
