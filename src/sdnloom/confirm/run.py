"""Confirms a trace: takes the start-up and then the steps of the trace on the real parts, until one goes otherwise."""

import time
from collections.abc import Callable

from sdnloom.check.run import Run
from sdnloom.confirm.lockstep import Lockstep, RealNetwork
from sdnloom.confirm.open_parts import PartsFactory
from sdnloom.confirm.options import ConfirmOptions
from sdnloom.confirm.outcome import Confirmation, ConfirmOutcome, Impossible, ObservedStep, StepDifference
from sdnloom.confirm.real_parts import RealPartError
from sdnloom.engine.path import ReplayDivergence, final_state, replay
from sdnloom.engine.semantics import Finding, Semantics, Transition
from sdnloom.engine.trace import Trace
from sdnloom.network.build import BuiltNetwork
from sdnloom.network.startup.violation import course_transitions


def confirm_with(
    parts: PartsFactory,
    run: Run,
    trace: Trace,
    options: ConfirmOptions,
    on_step: Callable[[ObservedStep], None] | None = None,
) -> Confirmation:
    """Confirm a trace on real parts that `parts` starts.

    Raises RealPartError if the model itself does not take the trace, or not to its violation, or a part fails.
    """
    built = run.built_of(trace)
    transitions, found = _on_model(built, trace)
    before = _startup(run, trace)
    with parts(run, built, options) as opened:
        real = RealNetwork(built, opened.switches, opened.controller, options.wait, on_step)
        began = time.time()
        trouble = _take_all(real, before, (built, transitions))
        seconds = real.seconds
    outcome = ConfirmOutcome.CONFIRMED if found is not None else ConfirmOutcome.AGREED
    if isinstance(trouble, StepDifference):
        outcome = ConfirmOutcome.DIFFERENT
    elif isinstance(trouble, Impossible):
        outcome = ConfirmOutcome.NOT_POSSIBLE
    return Confirmation(
        outcome,
        found,
        tuple(real.steps),
        len(transitions),
        trouble if isinstance(trouble, StepDifference) else None,
        trouble if isinstance(trouble, Impossible) else None,
        real.supplied.notes,
        opened.names,
        opened.warnings,
        seconds,
        began,
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


def _startup(run: Run, trace: Trace) -> tuple[BuiltNetwork, list[Transition]] | None:
    """The network and the steps before a search; None if the trace has them itself."""
    if run.scenario.network.joining or run.is_of_startup(trace):
        return None
    built = run.built_startup()
    return built, list(course_transitions(built.system, built.course))


def _take_all(
    real: RealNetwork,
    before: tuple[BuiltNetwork, list[Transition]] | None,
    traced: tuple[BuiltNetwork, list[Transition]],
) -> StepDifference | Impossible | None:
    phases = [(before, True), (traced, False)]
    locksteps = [(Lockstep(each[0], real, startup), each[1]) for each, startup in phases if each is not None]
    later = sum(map(_own_time, locksteps))
    for lockstep, transitions in locksteps:
        for transition in transitions:
            later -= lockstep.runs_by_itself(transition)
            trouble = lockstep.take(transition, later)
            if trouble is not None:
                return trouble
    return None


def _own_time(phase: tuple[Lockstep, list[Transition]]) -> int:
    """How many steps let a timer or a thread of the app run."""
    lockstep, transitions = phase
    return sum(lockstep.runs_by_itself(each) for each in transitions)
