"""`sdnloom races`: harmful races between controllers and switches of a DyNetKAT model."""

from functools import partial
from pathlib import Path
from time import monotonic

import click

from sdnloom.cli.options.baseline_option import baseline_options, opened_baseline, show_judged
from sdnloom.cli.options.exit_codes import EXIT_CODES
from sdnloom.cli.options.export_option import echo_exports, export_option
from sdnloom.cli.options.format_option import format_option
from sdnloom.cli.options.text_options import text_options, text_style
from sdnloom.cli.progress import SearchProgress
from sdnloom.races import Limits, RaceMode, RaceOptions, find_races, load_model, load_properties
from sdnloom.races.language.lint import lint_model
from sdnloom.report.baseline.findings import known_races, mark_findings, races_of
from sdnloom.report.formats import render
from sdnloom.report.view.of_races import races_view

_MEBIBYTE = 1 << 20


def _depth(ctx: click.Context, param: click.Parameter, value: str) -> int | None:
    """Return a number of events; None for `unbounded`."""
    if value == "unbounded":
        return None
    if value.isascii() and value.isdigit() and len(value) < 10:
        return int(value)
    raise click.BadParameter(f"found {value[:40]!r}, expected a number of events or 'unbounded'", ctx, param)


@click.command("races")
@click.argument("model", type=click.Path(path_type=Path))
@click.argument("properties", type=click.Path(path_type=Path), required=False)
@click.option(
    "--mode",
    type=click.Choice([mode.value for mode in RaceMode]),
    default=RaceMode.COMPLETE.value,
    show_default=True,
    help="complete: all races; raceloom: only the first harmful one of each trace, as RaceLoom reports.",
)
@click.option(
    "--depth",
    metavar="N|unbounded",
    callback=_depth,
    default="unbounded",
    show_default=True,
    help="Longest trace, in events.",
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
@export_option
@click.option(
    "--max-races",
    type=click.IntRange(min=0),
    default=1000,
    show_default=True,
    help="Races to list for each property; counts are always exact.",
)
@click.option("--max-states", type=click.IntRange(1), metavar="N", help="Stop after N stored states.")
@click.option(
    "--time-limit", type=click.FloatRange(0, min_open=True), metavar="SECONDS", help="Stop after this many seconds."
)
@click.option("--memory-limit", type=click.IntRange(1), metavar="MIB", help="Stop when the process is this large.")
@text_options
@baseline_options
def command(
    model: Path,
    properties: Path | None,
    mode: str,
    depth: int | None,
    which: str,
    form: str,
    exports: tuple[Path, ...],
    max_races: int,
    max_states: int | None,
    time_limit: float | None,
    memory_limit: int | None,
    baseline: Path | None,
    update_baseline: bool,
) -> int:
    """Find the races in MODEL that change the value of one of PROPERTIES.

    MODEL is a text model or a RaceLoom JSON file; PROPERTIES likewise, and may be left out if MODEL has properties.
    Exit code: 0 no harmful race, 1 harmful races, 2 bad input, 3 stopped early.
    """
    known = opened_baseline(baseline, update_baseline)
    loaded = load_model(model)
    given = load_properties(properties, loaded) if properties else ()
    for warning in lint_model(loaded):
        click.echo(f"warning: {warning}", err=True)
    memory = None if memory_limit is None else memory_limit * _MEBIBYTE
    limits = Limits(states=max_states, seconds=time_limit, memory=memory)
    options = RaceOptions(RaceMode(mode), depth, which == "all", max_races, limits)
    progress, started = SearchProgress(), monotonic()
    try:
        result = find_races(loaded, given, options, progress)
    finally:
        progress.stop()
    code = show_judged(
        known,
        form,
        render("races", form, result, style=text_style()),
        lambda file: {file.name_of(model): races_of(result)},
        not result.stopped and not result.unlisted,
        EXIT_CODES[result.verdict],
    )
    judged = known.judgements if known is not None else ()
    view = partial(races_view, result, model.stem, monotonic() - started)
    echo_exports(lambda: [mark_findings(view(), known_races(result, judged))], exports)
    if result.stopped:
        click.echo(f"stopped: {result.stopped}", err=True)
    return code
