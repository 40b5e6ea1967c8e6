"""A check of a program of actors: search, count of executions, and the report."""

from collections.abc import Callable
from dataclasses import replace

from sdnloom.actors.executions.count import ExecutionCount, count_executions
from sdnloom.actors.fingerprint import actor_fingerprints
from sdnloom.actors.program import Program
from sdnloom.actors.report import ActorReport
from sdnloom.actors.runtime.step_output import WATCH, StepWatch
from sdnloom.actors.search.options import ActorOptions, ActorResult
from sdnloom.actors.search.search import search_program
from sdnloom.actors.semantics import ActorSemantics
from sdnloom.actors.step_code import MOST_WITH_CODE, KnownCode, path_code
from sdnloom.engine.limits import LimitWatch
from sdnloom.engine.path import replay
from sdnloom.engine.result import (
    STOPPING,
    Counterexample,
    Holds,
    Incomplete,
    Limits,
    Result,
    SearchEvent,
    Statistics,
    Vacuous,
    Violated,
)
from sdnloom.engine.stop_points import LimitReached
from sdnloom.engine.trace import ReplayResult, Trace, replay_trace
from sdnloom.platforms.code_runs import CodeRun
from sdnloom.platforms.process.output_log import OutputLog

_NOTHING = "nothing ever happens; messages at the start let tasks run: `start` of Program, `sends` of network_program"
_NO_PROPERTY = "the program has no property of its own; `monitors`, `final` and `always` of a program add some"

_EVERY_STATE = "checks of every state (`always`) need every state, so nothing is reduced"


def check_program(
    program: Program,
    options: ActorOptions | None = None,
    on_event: Callable[[SearchEvent], None] | None = None,
    watch: LimitWatch | None = None,
    show_output: bool = False,
    log: OutputLog | None = None,
    counts: bool = False,
) -> ActorReport:
    """Search all orders of the program's tasks for one that violates a property.

    `watch` has another start of the time than now; its limits are those of the options. The report has what tasks
    print; with `show_output` it is shown, and the steps have it as events. `log` holds what was printed before.
    With `counts` executions are counted after the search, at the level of independence of the options.
    """
    options, noted = options or ActorOptions(), on_event or (lambda event: None)
    watch, log = watch or LimitWatch(options.limits), log or OutputLog()
    log.when = "run"
    steps = StepWatch(log.add)
    watched = WATCH.set(steps)
    try:
        with watch.catching_interrupts(lambda: noted(STOPPING)), watch.in_force():
            found = search_program(program, options, noted, watch)
            report = _report(program, options, found, steps.emitted)
            if counts:
                counted = count_executions(program, options.reduction, on_event=noted, watch=watch)
                report = replace(report, executions=counted, final_states=_final_states(report, found, counted))
    except LimitReached as reached:
        report = _unsearched(program, options, reached.reason, watch.seconds)
    finally:
        WATCH.reset(watched)
    report = replace(report, code=_code(report))
    if show_output:
        report = replace(report, result=_with_output(program, report.result), shows_output=True)
    return replace(report, output=log.lines)


def _code(report: ActorReport) -> dict[Counterexample, tuple[tuple[CodeRun, ...], ...]]:
    """The code that the steps of the first violations ran."""
    semantics, known = ActorSemantics(report.program), KnownCode()
    return {
        shown: path_code(semantics, shown.initial, shown.transitions, known)
        for shown in report.violations[:MOST_WITH_CODE]
    }


def replay_program(program: Program, trace: Trace, show_output: bool = False) -> ReplayResult:
    """Take the steps of a trace again; with `show_output`, the steps have what tasks print as events."""
    semantics = ActorSemantics(program, shows_output=show_output)
    return replay_trace(trace, semantics, *actor_fingerprints(program))


def search_orders_of(
    program: Program,
    trace: Trace,
    limits: Limits | None = None,
    on_event: Callable[[SearchEvent], None] | None = None,
    watch: LimitWatch | None = None,
) -> Result:
    """Search all orders of the program's messages for a violation of the trace's property; no other one counts.

    A program of actors has no inputs but its messages at the start, and those of a trace are the same.
    """
    assert trace.finding is not None, "there is nothing to look for"
    options = ActorOptions(order="bfs", limits=limits or Limits(), only=trace.finding.property)
    noted, watch = on_event or (lambda event: None), watch or LimitWatch(options.limits)
    try:
        with watch.catching_interrupts(lambda: noted(STOPPING)), watch.in_force():
            return search_program(program, options, noted, watch).result
    except LimitReached as reached:
        nothing = Statistics("none", 0, 0, 0, watch.seconds)
        return Result(Incomplete(reached.reason), nothing, incomplete=reached.reason)


def _with_output(program: Program, result: Result) -> Result:
    """The result with what tasks print as events of the steps."""
    semantics = ActorSemantics(program, shows_output=True)
    shown = {one: replace(one, transitions=tuple(replay(semantics, one.path))) for one in result.violations}
    verdict = result.verdict
    if isinstance(verdict, Violated):
        verdict = Violated(shown[verdict.counterexample])
    return replace(result, verdict=verdict, violations=tuple(shown.values()))


def _report(program: Program, options: ActorOptions, found: ActorResult, emitted: bool) -> ActorReport:
    result = found.result
    if isinstance(result.verdict, Holds | Vacuous):
        empty = _vacuous_reasons(program, result, emitted)
        result = replace(result, verdict=Vacuous(empty) if empty else Holds())
    return ActorReport(
        program,
        result,
        _bounds(program, options),
        ActorSemantics(program).property_names,
        actor_fingerprints(program),
        _notes(program, options),
        found.reduction,
        found.symmetry,
        found.final_states if result.incomplete is None else None,
    )


def _final_states(report: ActorReport, found: ActorResult, counted: ExecutionCount) -> int | None:
    """The final states that the search counted; if it ended early, those of the executions, if none can be renamed."""
    if report.final_states is None and counted.incomplete is None and not found.naming.groups:
        return counted.final_states
    return report.final_states


def _vacuous_reasons(program: Program, result: Result, emitted: bool) -> tuple[str, ...]:
    """What never happened in an exhaustive search without a violation; nothing if enough did."""
    if not result.statistics.transitions:
        return (_NOTHING,)
    if program.monitors and not emitted:
        names = ", ".join(monitor.name for monitor in program.monitors)
        return (f"no task ever emits an event, so {names} saw none; tasks emit them with self.emit(event)",)
    return ()


def _notes(program: Program, options: ActorOptions) -> tuple[str, ...]:
    notes = [] if program.monitors or program.final or program.always else [_NO_PROPERTY]
    if program.always and options.reduction != "none":
        notes.append(_EVERY_STATE)
    return tuple(notes)


def _unsearched(program: Program, options: ActorOptions, reason: str, seconds: float) -> ActorReport:
    """The report of a check that a limit ended before its search began."""
    result = Result(Incomplete(reason), Statistics("none", 0, 0, 0, seconds), incomplete=reason)
    names = ActorSemantics(program).property_names
    return ActorReport(program, result, _bounds(program, options), names, actor_fingerprints(program))


def _bounds(program: Program, options: ActorOptions) -> tuple[str, ...]:
    count = len(program.start)
    return (f"{count:,} message{'' if count == 1 else 's'} at the start", *options.limits.bounds())
