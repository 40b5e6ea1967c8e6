"""`sdnloom inputs`: list the classes of packets that handlers tell apart."""

from pathlib import Path
from typing import Any

import click

from sdnloom.check.discovery_table import read_field_options
from sdnloom.check.run import Run
from sdnloom.check.scenario import Scenario
from sdnloom.check.survey import StatisticsWish, Survey, survey
from sdnloom.cli.any_state import AnyStateOptions, any_state_options, print_any_state
from sdnloom.cli.options.apps import APP_GROUPS, chosen_scenario, describes_scenario
from sdnloom.cli.options.format_option import format_option
from sdnloom.cli.options.option_groups import GroupedCommand
from sdnloom.cli.options.output_option import early_output, echo_output, show_output_option
from sdnloom.cli.options.time_spent import time_spent
from sdnloom.cli.progress import LOADS, STARTS, InputsProgress
from sdnloom.cli.traces import check_same, scenario_of
from sdnloom.engine.limits import LOADING, LimitWatch
from sdnloom.engine.result import Limits
from sdnloom.engine.trace import Trace, load_trace
from sdnloom.inputs.branch_sides import senders_in
from sdnloom.inputs.concolic import ConcolicOptions
from sdnloom.inputs.skeletons import DEFAULT_STACKS, SenderView, make_skeletons
from sdnloom.inputs.stacks import STACKS
from sdnloom.inputs.statistics import check_counter
from sdnloom.network.reply_counters import KINDS
from sdnloom.network.topology import SwitchPort
from sdnloom.report.formats import render
from sdnloom.symbolic.options import ExplorationOptions

INPUTS_GROUPS = {
    **APP_GROUPS,
    "Inputs": ("switch", "port", "origin", "state", "stacks", "fields", "statistics", "robust"),
    "Limits": ("paths", "time_limit", "entries", "max_states"),
    "Traces": ("trace_dir", "no_trace"),
}


@click.command("inputs", cls=GroupedCommand, groups=INPUTS_GROUPS)
@describes_scenario
@click.option("--switch", default="s1", show_default=True, metavar="NAME", help="Switch that receives the packets.")
@click.option(
    "--port", type=click.IntRange(1, 0xFEFF), metavar="N", help="Port that receives the packets, or is asked for."
)
@click.option("--state", type=click.Path(path_type=Path), metavar="TRACE", help="Start after the steps of a trace.")
@click.option(
    "--stack",
    "stacks",
    multiple=True,
    metavar="NAME",
    help=f"Protocol stack, or default for the usual ones; may be repeated: {', '.join(STACKS)}.",
)
@click.option(
    "--field",
    "fields",
    multiple=True,
    metavar="NAME=VALUES",
    help="Values that a field may have; may be repeated.",
)
@click.option(
    "--statistics",
    is_flag=False,
    flag_value="ports",
    type=click.Choice(list(KINDS)),
    help="Classes of statistics in a reply instead of packets: of the port, if no kind is given.",
)
@click.option("--robust", is_flag=True, help="Also look for packets that make the packet library raise.")
@click.option(
    "--paths", type=click.IntRange(1), default=2_000, show_default=True, help="Stop after so many runs for each stack."
)
@click.option("--time-limit", type=click.FloatRange(0, min_open=True), metavar="SECONDS", help="Stop after that time.")
@any_state_options
@show_output_option
@format_option("inputs")
def command(
    scenario: Path | None,
    app_options: dict[str, Any],
    switch: str,
    port: int | None,
    state: Path | None,
    stacks: tuple[str, ...],
    fields: tuple[str, ...],
    statistics: str | None,
    robust: bool,
    paths: int,
    time_limit: float | None,
    origin: str,
    entries: int | None,
    max_states: int | None,
    trace_dir: Path | None,
    no_trace: bool,
    show_output: bool,
    form: str,
) -> int:
    """Run the program's handlers on symbolic packets and print the classes of packets that they tell apart.

    Fields may have any value. With a scenario or a topology, the addresses of that network are preferred, and packets
    of a host have its own source addresses. --state names a trace, as `sdnloom check` writes it and `sdnloom step`
    saves it; without it the program has just started and all switches have connected.

    With --from any the program may be in any state of a bounded shape. Printed is which lines and exceptions of its
    handlers runs lead to, which some state and packet lead to, and which are not possible.

    Exit code: 0 these are all classes, 1 with --robust some packet makes the library or the program raise, 2 bad input,
    3 there may be other classes. With --from any: 0 all is decided, 1 a run leads to an exception, 3 neither.
    """
    any_state = AnyStateOptions(entries, max_states, trace_dir, no_trace)
    any_state.refuse(origin, state=state, statistics=statistics, robust=robust, show_output=show_output)
    if statistics and (stacks or robust):
        other = "--robust" if robust else "--stack"
        raise click.UsageError(
            f"--statistics and {other} are given; expected one or the other: {other} is about packets"
        )
    _check_port(port, statistics)
    watch, progress = LimitWatch(Limits(seconds=time_limit), time_spent()), InputsProgress()
    trace = load_trace(state) if state is not None else None
    with progress.announcing(LOADS), watch.in_force(), watch.during(LOADING):
        loaded, free = _scenario(scenario, app_options, trace, state, port or 1)
    if port is None:
        port = loaded.network.topology.switch(switch).ports[0]
    switch_port = SwitchPort(switch, port)
    host = next((each for each in loaded.network.topology.hosts if each.switch_port == switch_port), None)
    setting = SenderView() if free else SenderView(loaded.network.topology, host)
    domains, wish = read_field_options(fields), None
    if statistics is not None:
        for name, text in domains.items():
            check_counter(name, text)
        wish = StatisticsWish(statistics, domains)
    wanted = [] if wish else make_skeletons(stacks or DEFAULT_STACKS, setting, domains, robust)
    senders = None
    if not (free or wish or robust):
        senders = senders_in(loaded.network, [setting], stacks or DEFAULT_STACKS, domains)
    means = ConcolicOptions(ExplorationOptions(paths=paths), robust)
    if origin == "any":
        return print_any_state(loaded, switch_port, wanted, means, (stacks, domains), any_state, watch, form)
    with progress.announcing(STARTS), watch.in_force(), watch.during("during the start-up"):
        ready = loaded if trace is None else loaded.with_inputs_of(trace.path)
        run = Run(ready, ordered=True, show_output=show_output)
        if trace is not None and state is not None:
            check_same(trace, state, run)
    try:
        with watch.catching_interrupts(progress.interrupted), progress.announcing(STARTS):
            path = trace.path if trace is not None else None
            found = survey(run, switch_port, path, wanted, means, watch, progress, wish, senders)
    finally:
        progress.stop()
    topology = None if free else loaded.network.topology
    click.echo(render("inputs", form, found, topology), nl=False)
    if show_output and form == "text":
        echo_output(early_output(run))
    return _exit(found)


def _check_port(port: int | None, statistics: str | None) -> None:
    """Raise UsageError if a port is missing, or given for statistics that are about the whole switch."""
    if port is None and statistics in (None, "ports"):
        raise click.UsageError("Missing option '--port'.")
    if port is not None and statistics not in (None, "ports"):
        raise click.UsageError(
            f"--port is given, but --statistics {statistics} is about a whole switch; expected --switch alone"
        )


def _exit(found: Survey) -> int:
    if found.robust and any(each.raised for each in found.classes):
        return 1
    return 0 if found.complete else 3


def _scenario(
    file: Path | None, app_options: dict[str, Any], trace: Trace | None, state: Path | None, port: int
) -> tuple[Scenario, bool]:
    """The scenario, and whether packets may have any address because no network was given."""
    if trace is not None and state is not None and file is None and not app_options:
        return scenario_of(trace, state, None), False
    free = file is None and "topology" not in app_options
    if free and "apps" in app_options:
        app_options = {**app_options, "topology": f"single,{max(port, 2)}"}
    return chosen_scenario(file, app_options), free
