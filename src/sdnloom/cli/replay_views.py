"""Replayed traces and random walks as they are shown, with what their steps did inside of the program."""

from pathlib import Path

from sdnloom.actors.program import Program
from sdnloom.actors.semantics import ActorSemantics
from sdnloom.actors.step_code import path_code
from sdnloom.check.run import Run
from sdnloom.cli.counterexample.view_orderings import explained_view
from sdnloom.engine.path import ReplayDivergence, replay
from sdnloom.engine.semantics import Semantics, Transition
from sdnloom.engine.trace import ReplayResult, Trace
from sdnloom.report.replay.text import found_again
from sdnloom.report.view.of_trace import replay_view, swarm_view, walk_view
from sdnloom.report.view.result_view import ResultView
from sdnloom.report.walk.result import WalkResult
from sdnloom.report.walk.swarm_result import SwarmWalk


def scenario_replay_view(run: Run, recorded: Trace, replayed: ReplayResult, file: Path) -> ResultView:
    """A trace that was replayed in a run of its scenario; if a search found its violation again, the way to that."""
    semantics = replayed.semantics
    assert semantics is not None, "a replay knows what it was replayed on"
    again = _again(replayed)
    inside = run.step_details().of_path(semantics.system, semantics.initial(), again or replayed.transitions)
    name = "" if recorded.finding is None else recorded.finding.property
    desired = name in {prop.name for prop in run.properties if prop.sometimes}
    network = run.scenario.network
    return replay_view(run.scenario.name, network, recorded, replayed, file, inside, again, desired)


def program_replay_view(program: Program, recorded: Trace, replayed: ReplayResult, file: Path) -> ResultView:
    """The same for a program of actors."""
    again = _again(replayed)
    semantics = ActorSemantics(program)
    code = path_code(semantics, semantics.initial(), again or replayed.transitions)
    return replay_view(program.name, program, recorded, replayed, file, code, again)


def walked_scenario_view(run: Run, result: WalkResult, semantics: Semantics) -> ResultView:
    """Random walks in a run of a scenario."""
    steps = () if result.violation is None else result.violation.transitions
    inside = run.step_details().of_path(semantics.system, semantics.initial(), steps)
    view = walk_view(run.scenario.name, run.scenario.network, result, semantics, inside)
    return view if result.violation is None else explained_view(view, [steps], semantics.system)


def swarm_scenario_view(run: Run, result: SwarmWalk, semantics: Semantics) -> ResultView:
    """A swarm in a run of a scenario."""
    violation = result.swarm.violation
    steps = () if violation is None else violation.transitions
    inside = run.step_details().of_path(semantics.system, semantics.initial(), steps)
    view = swarm_view(run.scenario.name, run.scenario.network, result, semantics, inside)
    return view if violation is None else explained_view(view, [steps], semantics.system)


def walked_program_view(program: Program, result: WalkResult, semantics: Semantics) -> ResultView:
    """The same for a program of actors."""
    steps = () if result.violation is None else result.violation.transitions
    code = path_code(ActorSemantics(program), semantics.initial(), steps)
    view = walk_view(program.name, program, result, semantics, code)
    return view if result.violation is None else explained_view(view, [steps], program)


def _again(replayed: ReplayResult) -> tuple[Transition, ...]:
    """The steps to what a search found, on the system of the replay: the states of the search are those of another."""
    found = found_again(replayed)
    if found is None or replayed.semantics is None:
        return ()
    try:
        return tuple(replay(replayed.semantics, found.path))
    except ReplayDivergence:  # the events before the search differ: there the trace itself says what happens
        return ()
