"""Results of checks with what a baseline says of them: printed, exported, and as an exit code."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from sdnloom.cli.options.baseline_option import Baseline
from sdnloom.cli.options.exit_codes import DIFFERENT_EXIT, EXIT_CODES
from sdnloom.cli.options.export_option import echo_exports
from sdnloom.cli.options.text_options import echo_report
from sdnloom.cli.suite.subject import Subject
from sdnloom.cli.suite.subject_check import CheckedSubject
from sdnloom.cli.suite.suite_run import subject_view
from sdnloom.confirm.outcome import ConfirmOutcome
from sdnloom.report.baseline.findings import ended_at_violation, searched_whole, violations_of
from sdnloom.report.formats import render
from sdnloom.report.suite.result import SuiteResult, mark_known
from sdnloom.scenario_file.program import names_file


def baseline_name(subject: Subject, app_options: Mapping[str, Any], baseline: Baseline) -> str:
    """The name of a subject in a baseline: its file as seen from there; of an app, the option too."""
    if subject.program is not None:
        file, name = baseline.name_of(subject.program.file), subject.program.name
        return str(subject.program._replace(file=Path(file), name=name))
    if subject.file is not None:
        return baseline.name_of(subject.file)
    apps = (baseline.name_of(Path(app)) if names_file(app) else app for app in app_options.get("apps", ()))
    return " ".join(f"--app {app}" for app in apps)


def judged_suite(
    result: SuiteResult, subjects: Sequence[Subject], app_options: Mapping[str, Any], baseline: Baseline
) -> SuiteResult:
    """The suite with what a baseline says of each row that ran; the file is written, if that is asked for."""
    names = {subject.name: baseline_name(subject, app_options, baseline) for subject in subjects}
    rows = []
    for row in result.rows:
        if row.verdict == "error" or row.error:
            rows.append(row)
            continue
        judgement = baseline.judge(names[row.name], row.found, row.complete, row.first)
        rows.append(row.judged(judgement, judgement.accepted or (baseline.update and bool(judgement.new))))
    baseline.finish()
    return replace(result, rows=tuple(rows), baseline=str(baseline.file))


def show_check(
    checked: CheckedSubject,
    form: str,
    exports: tuple[Path, ...],
    app_options: Mapping[str, Any],
    baseline: Baseline | None,
) -> int:
    """Print and export the result of one check, and return its exit code."""
    plain = DIFFERENT_EXIT if checked.confirmed is ConfirmOutcome.DIFFERENT else EXIT_CODES[checked.report.verdict]
    if baseline is None:
        echo_report(checked.kind, form, *checked.shown)
        echo_exports(lambda: [subject_view(checked)], exports)
        return plain
    name = baseline_name(checked.subject, app_options, baseline)
    report = checked.report
    found = violations_of(report)
    judgement = baseline.judge(name, found, searched_whole(report), ended_at_violation(report))
    if form == "json":
        baseline.echo_json(render(checked.kind, form, *checked.shown))
    else:
        echo_report(checked.kind, form, *checked.shown)
        baseline.echo_text()
    echo_exports(lambda: [mark_known(subject_view(checked), judgement)], exports)
    baseline.finish()
    return baseline.exit_code(plain)
