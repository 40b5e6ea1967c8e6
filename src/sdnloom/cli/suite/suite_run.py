"""Runs a suite: one subject after the other, or several at once in processes of their own."""

import multiprocessing
import sys
import traceback
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError, Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, replace
from time import monotonic

import click
from rich.console import Console

from sdnloom.actors.report import ActorReport
from sdnloom.cli.counterexample.view_orderings import explained_view
from sdnloom.cli.progress import SearchProgress
from sdnloom.cli.suite.subject import Subject
from sdnloom.cli.suite.subject_check import CheckedSubject, CheckRequest, check_subject
from sdnloom.errors import SdnloomError
from sdnloom.report.baseline.findings import ended_at_violation, searched_whole, violations_of
from sdnloom.report.formats import render
from sdnloom.report.suite.result import SuiteResult, SuiteRow
from sdnloom.report.text_style import TextStyle
from sdnloom.report.view.of_actors import actors_view
from sdnloom.report.view.of_check import check_view
from sdnloom.report.view.result_view import ResultView

_INTERRUPTED = "interrupted"  # the start of the reason of a search that Ctrl-C ended


@dataclass(frozen=True)
class _Finished:
    row: SuiteRow
    interrupted: bool = False


def run_suite(
    subjects: Sequence[Subject], request: CheckRequest, jobs: int, style: TextStyle, views: bool
) -> SuiteResult:
    """Check all subjects, and say on stderr which is done. `views` are made if they are wanted.

    A subject that cannot be used is a row; the others still run. Ctrl-C ends the subjects that run as INCOMPLETE, and
    the rest does not run.
    """
    if jobs > 1 and len(subjects) > 1:
        return _run_in_processes(subjects, request, min(jobs, len(subjects)), style, views)
    rows: list[SuiteRow] = []
    for subject in subjects:
        done = _finished(subject, request, SearchProgress(), style, views)
        rows.append(done.row)
        _say(done.row, len(rows), len(subjects))
        if done.interrupted:
            break
    return SuiteResult(tuple(rows), tuple(subject.name for subject in subjects[len(rows) :]))


def _run_in_processes(
    subjects: Sequence[Subject], request: CheckRequest, jobs: int, style: TextStyle, views: bool
) -> SuiteResult:
    """Rows in the order of the subjects, whichever ends first. Processes are spawned: they share nothing with us."""
    done: list[SuiteRow] = []
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(jobs, mp_context=context) as pool:
        futures = [pool.submit(_finished_quietly, subject, request, style, views) for subject in subjects]

        def collect() -> None:
            while len(done) < len(futures):
                done.append(futures[len(done)].result().row)
                _say(done[-1], len(done), len(subjects))

        return _until_interrupted(collect, futures, done, subjects)


def _until_interrupted(
    collect: Callable[[], None], futures: list[Future[_Finished]], done: list[SuiteRow], subjects: Sequence[Subject]
) -> SuiteResult:
    """Collect rows; after Ctrl-C, which the processes get as well, only those of subjects that have begun."""
    try:
        collect()
    except (KeyboardInterrupt, BrokenProcessPool):
        for future in futures:
            future.cancel()
    rows, left = list(done), []
    for future, subject in zip(futures[len(done) :], subjects[len(done) :], strict=True):
        try:
            rows.append(future.result().row)
        except CancelledError:
            left.append(subject.name)
        except BrokenProcessPool:
            rows.append(SuiteRow(subject.name, "error", 0.0, "a process of --jobs ended before its result was there"))
    return SuiteResult(tuple(rows), tuple(left))


def _finished_quietly(subject: Subject, request: CheckRequest, style: TextStyle, views: bool) -> _Finished:
    return _finished(subject, request, SearchProgress(Console(file=sys.stderr, quiet=True)), style, views)


def _finished(
    subject: Subject, request: CheckRequest, progress: SearchProgress, style: TextStyle, views: bool
) -> _Finished:
    began = monotonic()
    try:
        checked = check_subject(subject, request, progress, lambda: monotonic() - began)
        row = _row(checked, monotonic() - began, style, views)
        return _Finished(row, (checked.report.result.incomplete or "").startswith(_INTERRUPTED))
    except SdnloomError as error:
        return _Finished(SuiteRow(subject.name, "error", monotonic() - began, str(error)))
    except KeyboardInterrupt as interrupt:
        reason = getattr(interrupt, "reason", None)  # that a limit has, and Ctrl-C has not
        said = f"nothing was searched: {reason or _INTERRUPTED}"
        return _Finished(SuiteRow(subject.name, "incomplete", monotonic() - began, said), reason is None)
    except Exception as error:  # a defect of ours must not lose the rows of the other subjects
        traceback.print_exc()
        said = f"{type(error).__name__}: {error}; this is a defect of sdnloom"
        return _Finished(SuiteRow(subject.name, "error", monotonic() - began, said))


def _row(checked: CheckedSubject, seconds: float, style: TextStyle, views: bool) -> SuiteRow:
    report = checked.report
    violations = report.violations
    return SuiteRow(
        checked.subject.name,
        report.verdict,
        seconds,
        "",
        tuple(dict.fromkeys(each.property for each in violations)),
        len(violations[0].path) if violations else None,
        report.result.statistics.states,
        render(checked.kind, "text", *checked.shown, style=style),
        render(checked.kind, "json", *checked.shown),
        replace(subject_view(checked), name=checked.subject.name) if views else None,
        tuple(violations_of(report)),
        searched_whole(report),
        ended_at_violation(report),
        confirmed=checked.confirmed,
    )


def subject_view(checked: CheckedSubject) -> ResultView:
    """The report as it is shown in pictures and exports."""
    if isinstance(checked.report, ActorReport):
        view = actors_view(checked.report, checked.traces)
        return explained_view(view, [each.transitions for each in checked.report.violations], checked.report.program)
    violations = checked.report.violations
    view = check_view(checked.report, checked.traces, checked.confirmations)
    system = next((each.system for each in violations), None)
    return view if system is None else explained_view(view, [each.transitions for each in violations], system)


def _say(row: SuiteRow, number: int, total: int) -> None:
    click.echo(f"{number}/{total} {row.name}: {row.verdict.upper()} ({row.seconds:.1f} s)", err=True)
