"""`sdnloom walk --swarm`: its options, and what it does instead of random walks."""

import functools
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import click
from click.core import ParameterSource

from sdnloom.api.swarm import run_scenario_swarm
from sdnloom.check.load import MEBIBYTE
from sdnloom.check.run import Run
from sdnloom.check.scenario import Scenario
from sdnloom.cli.options.export_option import echo_exports
from sdnloom.cli.options.output_option import early_output, echo_output
from sdnloom.cli.options.text_options import echo_report
from sdnloom.cli.options.time_spent import time_spent
from sdnloom.cli.progress import LOADS, STARTS, SearchProgress
from sdnloom.cli.replay_views import swarm_scenario_view
from sdnloom.cli.traces import TraceRecord, check_folder, echo_early_violation, write_trace
from sdnloom.engine.limits import LOADING, LimitWatch
from sdnloom.engine.result import Limits
from sdnloom.engine.semantics import Finding, Semantics
from sdnloom.engine.swarm.options import SwarmOptions
from sdnloom.report.describe import Names
from sdnloom.report.walk.swarm_result import SwarmWalk

_OPTIONS: dict[str, tuple[str, dict[str, Any]]] = {
    "members": (
        "--members",
        {
            "type": click.IntRange(1),
            "metavar": "N",
            "help": "Number of searches (default: 10).",
        },
    ),
    "max_transitions": (
        "--max-transitions",
        {"type": click.IntRange(1), "metavar": "N", "help": "Transitions of a search at most (default: 1000000)."},
    ),
    "memory": (
        "--memory",
        {"type": click.IntRange(1), "metavar": "MIB", "help": "Size of the bit array of each process (default: 64)."},
    ),
    "jobs": (
        "--jobs",
        {"type": click.IntRange(1), "metavar": "N", "help": "Processes (default: one for each core)."},
    ),
    "time_limit": (
        "--time-limit",
        {"type": click.FloatRange(0, min_open=True), "metavar": "SECONDS", "help": "Stop after so many seconds."},
    ),
}
SWARM_PARAMETERS = ("is_swarm", *_OPTIONS)
_NAMES = {"max_transitions": "transitions", "time_limit": "seconds"}  # of options, in SwarmOptions


class SwarmOutput(NamedTuple):
    """Where results of a swarm go."""

    trace_dir: Path
    show_output: bool
    form: str
    exports: tuple[Path, ...]


@dataclass(frozen=True)
class SwarmRequest:
    """A swarm as the command line asks for it."""

    options: SwarmOptions

    def walk(self, load: Callable[[], Scenario], output: SwarmOutput) -> int:
        """Search a scenario, print the report and write the trace; the exit code."""
        check_folder(output.trace_dir)
        progress = SearchProgress()
        watch = LimitWatch(Limits(seconds=self.options.seconds), time_spent())
        try:
            with progress.announcing(LOADS), watch.in_force(), watch.during(LOADING):
                run = Run(load().ready(), ordered=True, show_output=output.show_output)
            with progress.announcing(STARTS):
                report = run_scenario_swarm(run, self.options, progress, watch)
        finally:
            progress.stop()
        names, violation, result = Names.of(run.scenario.network.topology), report.violation, report.result
        walk = SwarmWalk(names, result)
        if violation is not None:
            echo_early_violation(run)
            found = Finding(violation.property, violation.message)
            record = TraceRecord(run.scenario, run.fingerprints, violation.transitions, found)
            file = write_trace(record, output.trace_dir, set())
            walk = SwarmWalk(names, result, file, run.path_code(violation.initial, violation.transitions))
        if output.show_output and output.form == "text":
            echo_output(early_output(run))
        echo_report("walk --swarm", output.form, walk)
        if output.exports:
            semantics = Semantics(run.system)
            echo_exports(lambda: [swarm_scenario_view(run, walk, semantics)], output.exports)
        return 3 if violation is None else 1


def swarm_options(command: Callable[..., int]) -> Callable[..., int]:
    """Give the command `walk` the option --swarm and those that come with it, as the parameter `swarm`."""

    @functools.wraps(command)
    def wrapped(*described: Any, is_swarm: bool, seed: int, max_steps: int, **given: Any) -> int:
        own = {name: value for name in _OPTIONS if (value := given.pop(name)) is not None}
        if not is_swarm and own:
            raise click.UsageError(f"{_OPTIONS[min(own)][0]} is for swarms; expected --swarm as well")
        swarm = None
        if is_swarm:
            if click.get_current_context().get_parameter_source("runs") is ParameterSource.COMMANDLINE:
                raise click.UsageError("--runs is for random walks; a swarm has --members")
            named = {_NAMES.get(name, name): value for name, value in own.items()}
            if "memory" in named:
                named["memory"] *= MEBIBYTE
            swarm = SwarmRequest(SwarmOptions(seed=seed, depth=max_steps, **named))
        return command(*described, seed=seed, max_steps=max_steps, swarm=swarm, **given)

    for name, (flag, details) in reversed(_OPTIONS.items()):
        click.option(flag, name, **details)(wrapped)
    text = "Search with many bitstate searches instead of walking, and estimate how much of the space they have seen."
    return click.option("--swarm", "is_swarm", is_flag=True, help=text)(wrapped)
