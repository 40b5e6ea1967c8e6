"""One check of one subject: load it, search it, and write the traces of what was found."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias

from sdnloom.actors.report import ActorReport
from sdnloom.actors.run import check_program
from sdnloom.actors.search.options import ActorOptions
from sdnloom.check.checkpoint.resumption import new_checkpoint
from sdnloom.check.checkpoint.run_checkpoint import RunCheckpoint
from sdnloom.check.options.search_options import CheckOptions
from sdnloom.check.report import Report
from sdnloom.check.scenario import Scenario
from sdnloom.cli.actors.program_choice import ProgramChoice, loaded_program
from sdnloom.cli.actors.tree_file import check_tree_file, write_tree
from sdnloom.cli.options.apps import chosen_scenario
from sdnloom.cli.progress import LOADS, STARTS, ConfirmationProgress, SearchProgress
from sdnloom.cli.suite.subject import Subject
from sdnloom.cli.traces import TraceRecord, check_folder, write_traces
from sdnloom.confirm.options import ConfirmOptions
from sdnloom.confirm.outcome import Confirmation, ConfirmOutcome
from sdnloom.engine.limits import LOADING, LimitWatch
from sdnloom.engine.result import Counterexample
from sdnloom.errors import SdnloomError

CheckReport: TypeAlias = Report | ActorReport
_BY_WEIGHT = (ConfirmOutcome.DIFFERENT, ConfirmOutcome.NOT_POSSIBLE, ConfirmOutcome.AGREED, ConfirmOutcome.CONFIRMED)
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
    confirm: ConfirmOptions | None = None  # to take what was found on the real system
    checkpoint: Path | None = None  # the file from which the search can be resumed


class CheckedSubject(NamedTuple):
    """The report of a subject, the trace files of its violations, and what became of these on the real system."""

    subject: Subject
    report: CheckReport
    traces: Mapping[Counterexample, Path]
    confirmations: Mapping[Counterexample, Confirmation] = MappingProxyType({})

    @property
    def kind(self) -> str:
        """The name of its formats."""
        return "check FILE.py" if isinstance(self.report, ActorReport) else "check"

    @property
    def shown(self) -> tuple[Any, ...]:
        """What its formats are given."""
        more = () if isinstance(self.report, ActorReport) else (self.confirmations,)
        return (self.report, self.traces, *more)

    @property
    def confirmed(self) -> ConfirmOutcome | None:
        """The outcome of confirming all of it, which is the worst one; None if nothing was confirmed."""
        found = {each.outcome for each in self.confirmations.values()}
        return next((each for each in _BY_WEIGHT if each in found), None)


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
    def loaded() -> tuple[Scenario, RunCheckpoint | None]:
        scenario = request.options.loaded(partial(chosen_scenario, subject.file, request.app_options))
        file = request.checkpoint
        return scenario, None if file is None else new_checkpoint(file, scenario, request.options)

    return check_loaded(subject, loaded, request, progress, spent)


def check_loaded(
    subject: Subject,
    load: Callable[[], tuple[Scenario, RunCheckpoint | None]],
    request: CheckRequest,
    progress: SearchProgress,
    spent: Spent,
) -> CheckedSubject:
    """Check the scenario that `load` gives; the search is kept in the checkpoint beside it."""
    watch = LimitWatch(request.options.limits, spent())
    with progress.announcing(LOADS), watch.in_force(), watch.during(LOADING):
        scenario, checkpoint = load()
    with progress.announcing(STARTS):
        watch = LimitWatch(scenario.options.limits, spent())
        report = scenario.check(progress, request.coverage, watch, request.show_output, checkpoint)
    record = partial(TraceRecord, report.scenario, report.fingerprints)
    folder = request.trace_dir
    traces = {} if folder is None else write_traces(report.violations, record, folder)
    confirmed = {} if request.confirm is None else _confirmations(report, request.confirm, progress)
    return CheckedSubject(subject, report, traces, confirmed)


def _confirmations(
    report: Report, options: ConfirmOptions, progress: SearchProgress
) -> dict[Counterexample, Confirmation]:
    """What became of each violation on the real system. What cannot be tried is a warning: the search may be long."""
    from sdnloom.api.confirm import confirm_violations  # here, because most checks need no real system

    def failed(violation: Counterexample, error: SdnloomError) -> None:
        progress.warn(f"{violation.property} is not confirmed: {error}")

    found: dict[Counterexample, Confirmation] = {}
    following = partial(_followed, progress)
    try:
        found.update(confirm_violations(report, options, failed, following))  # one by one: what was done stays
    except KeyboardInterrupt:
        progress.warn("interrupted: what is left is not confirmed")
    return found


def _followed(progress: SearchProgress, violation: Counterexample) -> ConfirmationProgress:
    return progress.of_confirmation(len(violation.path))


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
