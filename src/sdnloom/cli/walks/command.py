"""`sdnloom walk`: random walks through a scenario or a program of actors that is too large to search."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import click

from sdnloom.actors.fingerprint import actor_fingerprints
from sdnloom.actors.search.path import RecordedSemantics
from sdnloom.actors.semantics import ActorSemantics
from sdnloom.actors.step_code import path_code
from sdnloom.check.run import Run
from sdnloom.cli.actors.program_choice import loaded_program, program_choice, refuse_options_of_scenarios
from sdnloom.cli.options.apps import APP_GROUPS, chosen_scenario, describes_scenario
from sdnloom.cli.options.export_option import echo_exports, export_option
from sdnloom.cli.options.format_option import format_option
from sdnloom.cli.options.option_groups import GroupedCommand
from sdnloom.cli.options.output_option import early_output, echo_output, show_output_option
from sdnloom.cli.options.text_options import echo_report, text_options
from sdnloom.cli.options.trace_options import trace_dir_option
from sdnloom.cli.replay_views import walked_program_view, walked_scenario_view
from sdnloom.cli.traces import MakeRecord, TraceRecord, check_folder, echo_early_violation, write_trace
from sdnloom.cli.walks.swarm import SWARM_PARAMETERS, SwarmOutput, SwarmRequest, swarm_options
from sdnloom.engine.counterexample.minimise import MinimisedPath, minimise
from sdnloom.engine.limits import LimitWatch
from sdnloom.engine.memo import Memo, MemoSemantics
from sdnloom.engine.path import Path as Steps
from sdnloom.engine.path import replay
from sdnloom.engine.result import STOPPING, Limits
from sdnloom.engine.semantics import Finding, Semantics, State, Transition
from sdnloom.engine.walk import random_walk
from sdnloom.report.actors.names import program_names
from sdnloom.report.describe import Names
from sdnloom.report.steps import StepCode
from sdnloom.report.walk.result import WalkResult, WalkViolation

_OF_ACTORS = ("seed", "runs", "max_steps", "trace_dir", "show_output", "form", "exports")


WALK_GROUPS = {**APP_GROUPS, "Walks": ("seed", "runs", "max_steps"), "Swarm": SWARM_PARAMETERS}


@click.command("walk", cls=GroupedCommand, groups=WALK_GROUPS)
@describes_scenario
@click.option(
    "--seed",
    type=click.IntRange(0),
    default=0,
    show_default=True,
    help="Walk n has the seed SEED + n - 1; of a swarm, the seed of all of it.",
)
@click.option("--runs", type=click.IntRange(1), default=100, show_default=True, help="Number of walks.")
@click.option(
    "--max-steps",
    type=click.IntRange(1),
    default=1000,
    show_default=True,
    help="Length of a walk, or of a path of a swarm, at most.",
)
@swarm_options
@trace_dir_option("the trace of a violation")
@show_output_option
@format_option("walk")
@text_options
@export_option
def command(
    scenario: Path | None,
    app_options: dict[str, Any],
    seed: int,
    runs: int,
    max_steps: int,
    swarm: SwarmRequest | None,
    trace_dir: Path,
    show_output: bool,
    form: str,
    exports: tuple[Path, ...],
) -> int:
    """Walk through SCENARIO at random until a property is violated or all walks are done.

    Steps that are not needed are removed from a violating walk. The same seed gives the same walks. SCENARIO is a
    scenario file, or a program of actors, FILE.py or FILE.py:NAME.

    With --swarm, depth-first searches take the place of walks: each remembers the states that it has visited in a bit
    array of fixed size, and the report estimates which share of the space they have found together. Programs of actors
    have no swarm.

    Exit code: 1 a property is violated, 2 bad input, 3 none was violated: walks prove nothing, so there is no 0.
    """
    if swarm is not None:
        if (choice := program_choice(scenario)) is not None:
            raise click.UsageError(f"--swarm is for scenarios and apps, but {choice} is a program of actors")
        load = partial(chosen_scenario, scenario, app_options)
        return swarm.walk(load, SwarmOutput(trace_dir, show_output, form, exports))
    choice = program_choice(scenario)
    if choice is not None:
        refuse_options_of_scenarios(choice, _OF_ACTORS)
        program, log = loaded_program(choice)
        check_folder(trace_dir)
        record = partial(TraceRecord, program, actor_fingerprints(program))
        shown = ActorSemantics(program, shows_output=show_output)
        code_of = partial(path_code, ActorSemantics(program))
        walks = _Walks(shown, RecordedSemantics(program), program_names(program), record, trace_dir, code_of)
        output = list(log.lines)
        view = partial(walked_program_view, program)
    else:
        loaded = chosen_scenario(scenario, app_options)
        check_folder(trace_dir)
        run = Run(loaded.ready(), ordered=True, show_output=show_output)
        echo_early_violation(run)
        record = partial(TraceRecord, run.scenario, run.fingerprints)
        names = Names.of(loaded.network.topology)
        semantics = Semantics(run.system)
        walks = _Walks(semantics, MemoSemantics(Memo(run.system)), names, record, trace_dir, run.path_code)
        output = early_output(run)
        view = partial(walked_scenario_view, run)
    result = walks.result(seed, runs, max_steps)
    if show_output and form == "text":
        echo_output(output)
    echo_report("walk", form, result)
    echo_exports(lambda: [view(result, walks.semantics)], exports)
    return 3 if result.violation is None else 1


class _Walks(NamedTuple):
    """Walks through one system, and where the trace of a violation goes. `memo` is the semantics for many replays."""

    semantics: Semantics
    memo: Semantics
    names: Names
    record: MakeRecord
    folder: Path
    code_of: Callable[[State, Sequence[Transition]], StepCode]  # that the steps of a path ran

    def result(self, seed: int, runs: int, max_steps: int) -> WalkResult:
        """Walk until a property is violated; the violation is made smaller and written as a trace."""
        steps = 0
        for run in range(runs):
            walk = random_walk(self.semantics, seed + run, max_steps)
            steps += len(walk.path)
            if walk.findings:
                shorter = self._shortened(walk.path, walk.findings[0])
                found, transitions = shorter.found, tuple(replay(self.semantics, shorter.path))
                file = write_trace(self.record(transitions, found), self.folder, set())
                code = self.code_of(self.semantics.initial(), transitions)
                violation = WalkViolation(found, transitions, len(walk.path), seed + run, file, code, shorter.minimal)
                return WalkResult(self.names, run + 1, steps, seed, violation)
        return WalkResult(self.names, runs, steps, seed)

    def _shortened(self, path: Steps, found: Finding) -> MinimisedPath:
        """The path without the steps that are not needed; Ctrl-C ends with what was found so far."""
        watch = LimitWatch(Limits())
        with watch.catching_interrupts(lambda: click.echo(f"note: {STOPPING.text}", err=True)):
            return minimise(self.memo, path, found, lambda: watch.interrupted, same_message=False)
