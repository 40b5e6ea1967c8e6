"""`sdnloom races`: harmful races between controllers and switches of a DyNetKAT model."""

import time
from pathlib import Path

import click
from rich.console import Console

from sdnloom.cli.format_option import format_option
from sdnloom.races import (
    Limits,
    Progress,
    RaceMode,
    RaceOptions,
    RaceOutcome,
    find_races,
    load_model,
    load_properties,
)
from sdnloom.races.language.lint import lint_model
from sdnloom.report.formats import render

_EXIT = {RaceOutcome.NONE: 0, RaceOutcome.HARMFUL: 1, RaceOutcome.INCOMPLETE: 3}


def _depth(ctx: click.Context, param: click.Parameter, value: str) -> int | None:
    """Return a number of events; None for `unbounded`."""
    if value == "unbounded":
        return None
    if value.isascii() and value.isdigit() and len(value) < 10:
        return int(value)
    raise click.BadParameter(f"found {value[:40]!r}, expected a number of events or 'unbounded'", ctx, param)


class _Status:
    """Progress on stderr, from the first second on."""

    def __init__(self) -> None:
        self._console = Console(stderr=True)
        self._status = self._console.status("")
        self._started = time.monotonic()
        self._shown = False

    def __call__(self, progress: Progress) -> None:
        if time.monotonic() - self._started < 1:
            return
        text = (
            f"depth {progress.depth}, {progress.stored} states stored, {progress.frontier} at this depth, "
            f"{progress.races} findings"
        )
        self._status.update(text)
        if not self._shown:
            self._shown = True
            self._status.start()

    def stop(self) -> None:
        self._status.stop()


@click.command("races")
@click.argument("model", type=click.Path(path_type=Path))
@click.argument("properties", type=click.Path(path_type=Path), required=False)
@click.option(
    "--mode",
    type=click.Choice([mode.value for mode in RaceMode]),
    default=RaceMode.COMPLETE.value,
    show_default=True,
    help="All races, or only the first harmful one of each trace, as RaceLoom reports them.",
)
@click.option(
    "--depth",
    metavar="N|unbounded",
    callback=_depth,
    default="unbounded",
    show_default=True,
    help="Longest traces, in events.",
)
@click.option(
    "--races",
    "which",
    type=click.Choice(["harmful", "all"]),
    default="harmful",
    show_default=True,
    help="Which races to report.",
)
@format_option("races")
@click.option(
    "--max-races",
    type=click.IntRange(min=0),
    default=1000,
    show_default=True,
    help="Races to list for each property; counts are exact all the same.",
)
@click.option("--max-states", type=click.IntRange(min=1), help="Stop after so many stored states.")
@click.option(
    "--time-limit", type=click.FloatRange(min=0, min_open=True), metavar="SECONDS", help="Stop after so long."
)
def command(
    model: Path,
    properties: Path | None,
    mode: str,
    depth: int | None,
    which: str,
    form: str,
    max_races: int,
    max_states: int | None,
    time_limit: float | None,
) -> int:
    """Find the races in MODEL that change what the network forwards, as PROPERTIES judge it.

    MODEL is a text model or a RaceLoom JSON file; PROPERTIES likewise, and may be left out if MODEL has properties.
    Exit code: 0 no harmful race, 1 harmful races, 2 bad input, 3 stopped early.
    """
    loaded = load_model(model)
    judged = load_properties(properties, loaded) if properties else ()
    for warning in lint_model(loaded):
        click.echo(f"warning: {warning}", err=True)
    options = RaceOptions(RaceMode(mode), depth, which == "all", max_races, Limits(max_states, time_limit))
    status = _Status()
    try:
        result = find_races(loaded, judged, options, status)
    finally:
        status.stop()
    click.echo(render("races", form, result), nl=False)
    if result.stopped:
        click.echo(f"stopped: {result.stopped}", err=True)
    return _EXIT[result.outcome]
