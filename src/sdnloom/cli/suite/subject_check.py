"""One check of one subject: load it, search it, and write the traces of what was found."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from sdnloom.actors.report import ActorReport
from sdnloom.actors.run import check_program
from sdnloom.actors.search.options import ActorOptions
from sdnloom.check.options.search_options import CheckOptions
from sdnloom.check.report import Report
from sdnloom.cli.actors.program_choice import ProgramChoice, loaded_program
from sdnloom.cli.actors.tree_file import check_tree_file, write_tree
from sdnloom.cli.options.apps import chosen_scenario
from sdnloom.cli.progress import LOADS, STARTS, SearchProgress
from sdnloom.cli.suite.subject import Subject
from sdnloom.cli.traces import TraceRecord, check_folder, write_traces
from sdnloom.engine.limits import LOADING, LimitWatch
from sdnloom.engine.result import Counterexample

CheckReport: TypeAlias = Report | ActorReport
Spent: TypeAlias = Callable[[], float]  # seconds that count for the time limit, so far


@dataclass(frozen=True)
class CheckRequest:
    """What a command line asks for beside the subject."""

    options: CheckOptions
    app_options: dict[str, Any] = field(default_factory=dict)
    actor_options: dict[str, Any] = field(default_factory=dict)  # fields of ActorOptions that only actors have
    counts: bool = False  # also count the executions of a program of actors
    coverage: bool = False
    show_output: bool = False
    trace_dir: Path | None = None  # None to write no traces
    tree: Path | None = None  # the file for the tree of executions


class CheckedSubject(NamedTuple):
    """The report of a subject, and the trace files of its violations."""

    subject: Subject
    report: CheckReport
    traces: Mapping[Counterexample, Path]

    @property
    def kind(self) -> str:
        """The name of its formats."""
        return "check FILE.py" if isinstance(self.report, ActorReport) else "check"


def check_subject(subject: Subject, request: CheckRequest, progress: SearchProgress, spent: Spent) -> CheckedSubject:
    """Check a scenario, an app or a program of actors. Raises SdnloomError for a subject that cannot be used."""
    if request.trace_dir is not None:
        check_folder(request.trace_dir)
    try:
        if subject.program is not None:
            return _check_actors(subject, subject.program, request, progress, spent)
        return _check_scenario(subject, request, progress, spent)
    finally:
        progress.stop()


def _check_scenario(subject: Subject, request: CheckRequest, progress: SearchProgress, spent: Spent) -> CheckedSubject:
    watch = LimitWatch(request.options.limits, spent())
    with progress.announcing(LOADS), watch.in_force(), watch.during(LOADING):
        scenario = request.options.over(chosen_scenario(subject.file, request.app_options))
    with progress.announcing(STARTS):
        watch = LimitWatch(scenario.options.limits, spent())
        report = scenario.check(progress, request.coverage, watch, request.show_output)
    record = partial(TraceRecord, report.scenario, report.fingerprints)
    folder = request.trace_dir
    return CheckedSubject(subject, report, {} if folder is None else write_traces(report.violations, record, folder))


def _check_actors(
    subject: Subject, choice: ProgramChoice, request: CheckRequest, progress: SearchProgress, spent: Spent
) -> CheckedSubject:
    limits = request.options.limits
    watch = LimitWatch(limits, spent())
    with progress.announcing(LOADS), watch.in_force(), watch.during(LOADING):
        program, log = loaded_program(choice)
    if request.tree is not None:
        check_tree_file(request.tree)
    shared = {"find_all": request.options.find_all, "order": request.options.order, **request.actor_options}
    options = ActorOptions(**{name: value for name, value in shared.items() if value is not None}, limits=limits)
    watch = LimitWatch(limits, spent())
    report = check_program(program, options, progress, watch, request.show_output, log, request.counts)
    record = partial(TraceRecord, report.program, report.fingerprints)
    folder = request.trace_dir
    traces = {} if folder is None else write_traces(report.violations, record, folder)
    if request.tree is not None:
        write_tree(program, options, progress, watch, request.tree)
    return CheckedSubject(subject, report, traces)
