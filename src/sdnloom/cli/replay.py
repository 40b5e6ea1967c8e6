"""`sdnloom replay`: re-execute a trace and say whether it still shows what it showed."""

from pathlib import Path

import click

from sdnloom.check.scenario import Scenario
from sdnloom.cli.traces import check_same, scenario_of
from sdnloom.engine.path import final_state
from sdnloom.engine.semantics import Found, Semantics
from sdnloom.engine.trace import Replayed, Trace, load_trace
from sdnloom.report.replay_text import CONFIRMED, DIVERGED, replay_outcome, replay_text

_EXIT = {CONFIRMED: 1, DIVERGED: 3}


@click.command("replay")
@click.argument("trace", type=click.Path(path_type=Path))
@click.option("--scenario", type=click.Path(path_type=Path), help="The scenario, if it is not where the trace says.")
def command(trace: Path, scenario: Path | None) -> int:
    """Take the steps of TRACE again, one by one, and ask the property at their end.

    Exit code: 0 the steps can be taken and the property holds after them (or what is desired is seen again), 1 it is
    violated as the trace says, 2 bad input, 3 the program has changed so much that a step cannot be taken any more.
    """
    recorded = load_trace(trace)
    loaded = scenario_of(recorded, trace, scenario)
    check_same(recorded, trace, loaded)
    replayed = loaded.replay(recorded)
    for warning in replayed.warnings:
        click.echo(f"warning: {warning}", err=True)
    now = _said(loaded, recorded, replayed)
    click.echo(replay_text(recorded, replayed, now, loaded.network.topology), nl=False)
    outcome = replay_outcome(recorded, replayed, now)
    desired = [prop.name for prop in loaded.system().properties if prop.sometimes]
    if outcome == CONFIRMED and recorded.found is not None and recorded.found.property in desired:
        return 0
    return _EXIT.get(outcome, 0)


def _said(scenario: Scenario, trace: Trace, replayed: Replayed) -> Found | None:
    """What the property of the trace says after its steps. Its words may differ, as by the line that raises."""
    if trace.found is None or replayed.diverged is not None or replayed.confirmed:
        return trace.found
    semantics = Semantics(scenario.with_inputs_of(trace.path).system())
    spoken = semantics.speaking(final_state(semantics, replayed.transitions))
    return next((found for found in spoken if found.property == trace.found.property), None)
