"""Confirms a trace: takes the start-up and then the steps of the trace on the real parts, until one goes otherwise."""

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

from sdnloom.check.run import Run
from sdnloom.confirm.lockstep import Lockstep, RealNetwork
from sdnloom.confirm.open_parts import OpenParts, PartsFactory, open_real_parts
from sdnloom.confirm.options import ConfirmOptions
from sdnloom.confirm.outcome import (
    Confirmation,
    ConfirmOutcome,
    Impossible,
    ObservedStep,
    PartKind,
    StepDifference,
)
from sdnloom.confirm.real_parts import RealPartError
from sdnloom.engine.path import ReplayDivergence, final_state, replay
from sdnloom.engine.semantics import Finding, Semantics, Transition
from sdnloom.engine.trace import Trace
from sdnloom.network.build import BuiltNetwork
from sdnloom.network.startup.violation import course_transitions

_HASHES = (
    "if the app depends on hash() or on the order of a set, which Python changes from process to process, set "
    "PYTHONHASHSEED=0 for sdnloom when the trace is recorded and when it is confirmed"
)


def confirm_trace(
    run: Run,
    trace: Trace,
    options: ConfirmOptions | None = None,
    on_step: Callable[[ObservedStep], None] | None = None,
) -> Confirmation:
    """Confirm a trace on Open vSwitch and the scenario's program in a process of its own.

    Raises RealPartError if the model itself does not take the trace, or not to its violation, or a part fails.
    """
    return confirm_with(open_real_parts, run, trace, options or ConfirmOptions(), on_step)


def confirm_with(
    parts: PartsFactory,
    run: Run,
    trace: Trace,
    options: ConfirmOptions,
    on_step: Callable[[ObservedStep], None] | None = None,
) -> Confirmation:
    """Confirm a trace on the parts that `parts` starts."""
    built = run.built_of(trace)
    transitions, found = _on_model(built, trace)
    before = None if run.is_of_startup(trace) else startup_steps(run)
    with parts(run, built, options) as opened:
        real = RealNetwork(built, opened.switches, opened.controller, options.wait, on_step)
        began = time.time()
        lockstep = Lockstep(built, real, startup=False)
        later = sum(map(lockstep.runs_by_itself, transitions))
        trouble = take_startup(real, before, later) or take_steps(lockstep, transitions)
        return concluded(real, opened, trouble, found, len(transitions), began)


def concluded(
    real: RealNetwork,
    opened: OpenParts,
    trouble: StepDifference | Impossible | None,
    found: Finding | None,
    of_trace: int,
    began: float,
) -> Confirmation:
    """The confirmation at the end of all steps, or at the first that went otherwise."""
    if isinstance(trouble, StepDifference) and trouble.part is PartKind.APP and opened.foreign:
        trouble = replace(trouble, part=PartKind.CONTROLLER, name=opened.names["controller"])
    outcome = ConfirmOutcome.AGREED if found is None else ConfirmOutcome.CONFIRMED
    warnings = list(opened.warnings)
    if isinstance(trouble, StepDifference):
        outcome = ConfirmOutcome.DIFFERENT
        if trouble.part is PartKind.APP and "PYTHONHASHSEED" not in os.environ:
            warnings.append(_HASHES)
    elif isinstance(trouble, Impossible):
        outcome = ConfirmOutcome.NOT_POSSIBLE
    return Confirmation(
        outcome,
        found,
        tuple(real.steps),
        of_trace,
        trouble if isinstance(trouble, StepDifference) else None,
        trouble if isinstance(trouble, Impossible) else None,
        real.supplied.notes,
        opened.names,
        tuple(warnings),
        real.seconds,
        began,
        opened.controller.log,
    )


def _on_model(built: BuiltNetwork, trace: Trace) -> tuple[list[Transition], Finding | None]:
    """The transitions of a trace on the model, and what its property says at their end."""
    semantics = Semantics(built.system)
    try:
        transitions = replay(semantics, trace.path)
    except ReplayDivergence as error:
        raise RealPartError(f"the model does not take the trace any more, see `sdnloom replay`: {error}") from None
    if trace.finding is None:
        return transitions, None
    now = semantics.findings(final_state(semantics, transitions))
    found = next((each for each in now if each.property == trace.finding.property), None)
    if found is None:
        raise RealPartError(
            f"{trace.finding.property} holds in the model after the steps of the trace, see `sdnloom replay`; expected "
            "a trace that violates it"
        )
    return transitions, found


class StartupSteps(NamedTuple):
    """The steps before a search, and the network whose system has them."""

    built: BuiltNetwork
    transitions: list[Transition]


def startup_steps(run: Run) -> StartupSteps | None:
    """The steps before a search; None if the switches join during the search."""
    if run.scenario.network.joining:
        return None
    built = run.built_startup()
    return StartupSteps(built, list(course_transitions(built.system, built.course)))


def take_startup(real: RealNetwork, before: StartupSteps | None, later: int = 0) -> StepDifference | Impossible | None:
    """Take the steps before a search; `later` steps after them let a timer or a thread of the app run."""
    return None if before is None else take_steps(Lockstep(before.built, real, startup=True), before.transitions, later)


def take_steps(
    lockstep: Lockstep, transitions: Sequence[Transition], later: int = 0
) -> StepDifference | Impossible | None:
    """Take steps until one goes otherwise or cannot be taken."""
    later += sum(map(lockstep.runs_by_itself, transitions))
    for transition in transitions:
        later -= lockstep.runs_by_itself(transition)
        if (trouble := lockstep.take(transition, later)) is not None:
            return trouble
    return None
