"""`sdnloom inputs --from any`: its options, its traces and its exit code."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click

from sdnloom.check.any_state import SEARCH_STATES, AnyStateSurvey, TargetStatus, survey_any_state
from sdnloom.check.discovery_table import check_discover_options, override_options
from sdnloom.check.scenario import Scenario
from sdnloom.cli.progress import InputsProgress, SearchProgress
from sdnloom.cli.traces import TraceRecord, check_folder, write_trace
from sdnloom.engine.limits import LimitWatch
from sdnloom.engine.result import Counterexample, CounterexampleFound
from sdnloom.engine.trace import TraceError
from sdnloom.inputs.any_state.state_shapes import StateBounds
from sdnloom.inputs.concolic import ConcolicOptions
from sdnloom.inputs.skeletons import Skeleton
from sdnloom.network.topology import SwitchPort
from sdnloom.report.formats import render

ORIGINS = ("start", "any")
DEFAULT_ENTRIES = StateBounds().entries
ANY_STATE_OPTIONS = {
    "entries": "--entries",
    "max_states": "--max-states",
    "trace_dir": "--trace-dir",
    "no_trace": "--no-trace",
}
_DECORATORS: tuple[tuple[str, dict[str, Any]], ...] = (
    (
        "--entries",
        {
            "type": click.IntRange(1, 8),
            "metavar": "N",
            "help": f"With --from any: entries that each table of the state may have (default: {DEFAULT_ENTRIES}).",
        },
    ),
    (
        "--max-states",
        {
            "type": click.IntRange(1),
            "metavar": "N",
            "help": f"With --from any: stop the search for runs after N states (default: {SEARCH_STATES:,}).",
        },
    ),
    (
        "--trace-dir",
        {
            "type": click.Path(path_type=Path, file_okay=False),
            "help": "With --from any: folder for traces of runs (default: the current one).",
        },
    ),
    ("--no-trace", {"is_flag": True, "help": "With --from any: write no traces."}),
)


def any_state_options(command: Callable[..., int]) -> Callable[..., int]:
    """Give a command the options of `--from any`, and `--from` itself."""
    for flag, details in reversed(_DECORATORS):
        command = click.option(flag, **details)(command)
    return click.option(
        "--from",
        "origin",
        type=click.Choice(ORIGINS),
        default=ORIGINS[0],
        show_default=True,
        help="Classes after the start, or lines and exceptions in any state of a bounded shape.",
    )(command)


@dataclass(frozen=True)
class AnyStateOptions:
    """The options of `--from any`, as given."""

    entries: int | None
    max_states: int | None
    trace_dir: Path | None
    no_trace: bool

    def refuse(self, origin: str, **others: object) -> None:
        """Raise UsageError for options that do not go with the origin; `others` are those of the other one."""
        if origin == "any":
            flags = [f"--{name.replace('_', '-')}" for name, value in others.items() if value]
            if flags:
                raise click.UsageError(f"--from any and {flags[0]} are given; expected one or the other")
            return
        given = [flag for name, flag in ANY_STATE_OPTIONS.items() if getattr(self, name) not in (None, False)]
        if given:
            raise click.UsageError(f"{given[0]} is given; expected --from any as well")


def print_any_state(
    scenario: Scenario,
    port: SwitchPort,
    skeletons: Sequence[Skeleton],
    means: ConcolicOptions,
    discovered: tuple[tuple[str, ...], dict[str, str]],
    given: AnyStateOptions,
    watch: LimitWatch,
    form: str,
) -> int:
    """Survey, write traces, print; `discovered` are the stacks and fields that were given. Returns the exit code."""
    stacks, fields = discovered
    scenario = replace(scenario, discovery=override_options(scenario.discovery, stacks, fields))
    check_discover_options(scenario.discovery, scenario.network.topology)
    folder = given.trace_dir or Path()
    if not given.no_trace:
        check_folder(folder)
    search, exploration = SearchProgress(), InputsProgress()
    try:
        with watch.catching_interrupts(exploration.interrupted):
            found = survey_any_state(
                scenario,
                port,
                skeletons,
                means,
                StateBounds(given.entries or DEFAULT_ENTRIES),
                watch,
                given.max_states or SEARCH_STATES,
                lambda event: None if isinstance(event, CounterexampleFound) else search(event),  # lines are no news
                exploration,
            )
    finally:
        search.stop()
        exploration.stop()
    traces = {} if given.no_trace else _traces(found, folder)
    click.echo(render("inputs --from any", form, found, traces), nl=False)
    if found.of(TargetStatus.REACHED, exceptions=True):
        return 1
    return 0 if found.decided else 3


def _traces(found: AnyStateSurvey, folder: Path) -> dict[Counterexample, Path]:
    """Where the traces are. One that cannot be written is a warning: the search may have been long."""
    used: set[Path] = set()
    written = {}
    for run, transitions in found.replayed.items():
        recorded = TraceRecord(found.scenario, found.fingerprints, transitions, None)
        try:
            written[run] = write_trace(recorded, folder, used, f"{found.scenario.name}.any-state")
        except TraceError as error:
            click.echo(f"warning: {error}", err=True)
    return written
