"""One call that takes a trace, or what a check has found, on a real controller and real switches."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TypeAlias

from sdnloom.check.report import Report
from sdnloom.check.run import Run
from sdnloom.check.scenario import Scenario
from sdnloom.cli.traces import TraceRecord, check_folder, check_same, program_of, save, scenario_of
from sdnloom.confirm.options import WAIT_SECONDS, ConfirmOptions
from sdnloom.confirm.outcome import Confirmation, ObservedStep
from sdnloom.confirm.run import confirm_trace
from sdnloom.engine.path import Path as Steps
from sdnloom.engine.result import Counterexample
from sdnloom.engine.semantics import Finding
from sdnloom.engine.trace import ReplayResult, Trace, TraceError, load_trace
from sdnloom.errors import SdnloomError
from sdnloom.platforms.code_runs import CodeRun
from sdnloom.report.confirm.captures import run_captures
from sdnloom.report.confirm.observed_trace import observed_finding, observed_transitions
from sdnloom.report.describe import Names

OBSERVED_TRACE, CONTROLLER_LOG = "observed.json", "controller.log"  # in the folder of an observed run
OnStep: TypeAlias = Callable[[ObservedStep], None]


class ConfirmCallError(SdnloomError):
    """A confirmation that cannot be made. The message says what was given and what was expected."""


def run_confirm(
    found: str | Path | Report,
    *,
    scenario: str | Path | None = None,
    wait: float = WAIT_SECONDS,
    controller_command: str | None = None,
    controller: str | None = None,
    record: str | Path | None = None,
    on_step: OnStep | None = None,
) -> Confirmation:
    """Take a trace file, or the first violation of a report, on the real system, step by step.

    The options are those of `sdnloom confirm`. `record` is a folder for captures and the observed trace; `on_step` gets
    each step as it is taken.
    """
    if isinstance(found, Report):
        if not found.violations:
            raise ConfirmCallError(f"confirm: the report says {found.verdict}; expected one with a violation")
        prepared = found_confirmation(found, found.violations[0])
    else:
        prepared = traced_confirmation(Path(found), None if scenario is None else Path(scenario))
    if record is not None:
        check_folder(Path(record))
    options = ConfirmOptions(wait=wait, controller_command=controller_command, controller=controller)
    confirmed = prepared.confirm(options, on_step)
    if record is not None:
        prepared.write_observed(confirmed, Path(record))
    return confirmed


@dataclass(frozen=True)
class PreparedConfirmation:
    """A trace that the model confirms, ready to be taken on the real system."""

    run: Run
    trace: Trace
    replayed: ReplayResult

    def confirm(self, options: ConfirmOptions, on_step: OnStep | None = None) -> Confirmation:
        """Take it; what the replay has to say comes first among the warnings."""
        confirmed = confirm_trace(self.run, self.trace, options, on_step)
        warnings = dict.fromkeys((*self.replayed.warnings, *confirmed.warnings))
        return replace(confirmed, warnings=tuple(warnings))

    @property
    def names(self) -> Names:
        """The names that steps are told with."""
        return Names.of(self.run.scenario.network.topology)

    @cached_property
    def code(self) -> tuple[tuple[CodeRun, ...], ...]:
        """The functions that each step ran in the model."""
        return self.run.code_of(self.replayed)

    @property
    def desired(self) -> bool:
        """Whether the trace is of a `sometimes` property, which is to be seen."""
        names = {prop.name for prop in self.run.properties if prop.sometimes}
        return self.trace.finding is not None and self.trace.finding.property in names

    def write_observed(self, confirmed: Confirmation, folder: Path) -> list[Path]:
        """Write the observed run into a folder, and return the files: a trace, captures, and the controller's log."""
        trace = folder / OBSERVED_TRACE
        record = TraceRecord(
            self.run.scenario,
            self.run.fingerprints,
            observed_transitions(confirmed),
            observed_finding(confirmed),
        )
        save(record, trace)
        files = [trace]
        contents_of = run_captures(confirmed, self.run.scenario.network.topology)
        if confirmed.log:
            contents_of[CONTROLLER_LOG] = confirmed.log.encode("utf-8", "backslashreplace")
        for name, contents in contents_of.items():
            files.append(folder / name)
            try:
                files[-1].write_bytes(contents)
            except OSError as error:
                raise TraceError(f"{files[-1]}: cannot write the observed run: {error.strerror}") from error
        return files


def traced_confirmation(file: Path, scenario: Path | None) -> PreparedConfirmation:
    """The trace in a file. Raises TraceError for one of actors, or one that the model does not confirm any more."""
    trace = load_trace(file)
    actors = program_of(trace, file, scenario)
    if actors is not None:
        raise TraceError(
            f"{file}: is a trace of a program of actors, {str(actors)!r}; expected one of a scenario, because actors "
            "have no OpenFlow connections"
        )
    return scenario_confirmation(scenario_of(trace, file, scenario), trace, file)


def scenario_confirmation(scenario: Scenario, trace: Trace, file: Path) -> PreparedConfirmation:
    """The trace in a file, of a scenario that is known."""
    run = Run(scenario.with_inputs_of(trace.path), ordered=True)
    check_same(trace, file, run)
    return _replayed(run, trace, str(file))


def found_confirmation(report: Report, violation: Counterexample) -> PreparedConfirmation:
    """A violation that a check has found."""
    return _replayed(Run(report.scenario, ordered=True), report.trace(violation), violation.property)


def confirm_violations(
    report: Report,
    options: ConfirmOptions,
    failed: Callable[[Counterexample, SdnloomError], None],
    on_step: Callable[[Counterexample], OnStep] | None = None,
) -> Iterator[tuple[Counterexample, Confirmation]]:
    """Each violation of a report, and what became of it on the real system; `failed` gets those that cannot be tried.

    One failure does not end it: a search may have been long. Violations by the same steps share one run of them.
    """
    taken: list[tuple[Steps, Confirmation]] = []
    for violation in report.violations:
        try:
            prepared = found_confirmation(report, violation)
            same = next((each for path, each in taken if path == violation.path), None)
            if same is not None:
                yield violation, replace(same, finding=Finding(violation.property, violation.message))
                continue
            confirmed = prepared.confirm(options, None if on_step is None else on_step(violation))
            taken.append((violation.path, confirmed))
            yield violation, confirmed
        except SdnloomError as error:
            failed(violation, error)


def _replayed(run: Run, trace: Trace, name: str) -> PreparedConfirmation:
    replayed = run.replay(trace)
    advice = (
        "because the program or the scenario has changed; `sdnloom replay TRACE -o FILE` looks for the violation "
        "again, and what it writes can be confirmed"
    )
    if replayed.diverged is not None:
        raise TraceError(
            f"{name}: step {len(replayed.transitions) + 1} cannot be taken on the model any more, {advice}"
        )
    if trace.finding is not None and not replayed.confirmed:
        raise TraceError(f"{name}: its steps do not violate {trace.finding.property} on the model any more, {advice}")
    return PreparedConfirmation(run, trace, replayed)
