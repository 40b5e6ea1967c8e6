"""Counterexamples taken on parts of the model: they go as recorded, and each planted defect is found where it is."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from pathlib import Path

import pytest

from sdnloom.check.load import load_scenario
from sdnloom.check.run import Run
from sdnloom.confirm import lockstep
from sdnloom.confirm.options import ConfirmOptions
from sdnloom.confirm.outcome import Confirmation, ConfirmOutcome, Obstacle, PartKind
from sdnloom.confirm.real_parts import ControllerReaction, NotEnforceable, RealPartError
from sdnloom.confirm.run import confirm_with
from sdnloom.confirm.taken_step import StepImpossible
from sdnloom.engine.path import Path as Steps
from sdnloom.engine.semantics import Finding
from sdnloom.engine.trace import Trace
from sdnloom.network.openflow import FlowMod, PacketIn, decode, encode
from sdnloom.switches.bridge import SwitchReaction
from tests.confirm.model_parts import ModelController, model_parts

EXAMPLES = Path(__file__).parents[2] / "examples"
OPTIONS = ConfirmOptions(wait=1.0)


@cache
def counterexample(file: str) -> Trace:
    """The first counterexample of a scenario."""
    scenario = load_scenario(EXAMPLES / file)
    report = scenario.check()
    shown = report.violations[0]
    return scenario.trace(shown.path, Finding(shown.property, shown.message), {})


def run_of(file: str) -> Run:
    return Run(load_scenario(EXAMPLES / file), ordered=True)


def confirmed(file: str, change: Callable[[SwitchReaction], SwitchReaction] = lambda each: each) -> Confirmation:
    return confirm_with(partial(model_parts, change=change), run_of(file), counterexample(file), OPTIONS)


@pytest.mark.parametrize(
    "file",
    ["mac_learning/bug1.toml", "mac_learning_osken/bug2.toml", "load_balancer/bug7.toml", "ryu/malformed_cfm.toml"],
)
def test_a_counterexample_is_confirmed_step_by_step(file: str) -> None:
    found = confirmed(file)
    trace = counterexample(file)
    assert (found.outcome, found.difference, found.impossible) == (ConfirmOutcome.CONFIRMED, None, None)
    assert found.taken == found.of_trace == len(trace.path)
    assert [each.transition.step for each in found.steps if not each.startup] == list(trace.path.steps)
    assert found.finding == trace.finding


def test_a_trace_without_a_property_is_agreed() -> None:
    trace = replace(counterexample("mac_learning/bug2.toml"), finding=None)
    found = confirm_with(model_parts, run_of("mac_learning/bug2.toml"), trace, OPTIONS)
    assert found.outcome is ConfirmOutcome.AGREED


def _wrong_frame(reaction: SwitchReaction) -> SwitchReaction:
    return replace(reaction, frames=tuple((port, frame[:-1] + b"\xee") for port, frame in reaction.frames))


def _lost_frame(reaction: SwitchReaction) -> SwitchReaction:
    return replace(reaction, frames=reaction.frames[1:])


def _wrong_port(reaction: SwitchReaction) -> SwitchReaction:
    return replace(reaction, frames=tuple((port % 3 + 1, frame) for port, frame in reaction.frames))


def _wrong_reason(reaction: SwitchReaction) -> SwitchReaction:
    messages = [decode(each, 1) for each in reaction.messages]
    changed = [replace(each, reason=1) if isinstance(each, PacketIn) else each for each in messages]
    return replace(reaction, messages=tuple(encode(each, 1) for each in changed))


def _lost_message(reaction: SwitchReaction) -> SwitchReaction:
    return replace(reaction, messages=())


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (_wrong_frame, "out of port"),
        (_lost_frame, "out of port"),
        (_wrong_port, "out of port"),
        (_wrong_reason, "reason"),
        (_lost_message, "to the controller"),
    ],
)
def test_a_switch_that_does_something_else_is_named(
    change: Callable[[SwitchReaction], SwitchReaction], what: str
) -> None:
    found = confirmed("mac_learning/bug1.toml", change)
    assert found.outcome is ConfirmOutcome.DIFFERENT
    assert found.difference is not None
    assert found.difference.part is PartKind.SWITCH
    assert found.difference.name in ("s1", "s2")
    assert what in found.difference.contrasts[0].what
    assert found.taken < found.of_trace


def _change_timeouts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the real app's entries live seven seconds."""
    plain = ModelController.receive

    def receive(self: ModelController, switch: str, message: bytes) -> ControllerReaction:
        reaction = plain(self, switch, message)
        changed = []
        for to, data in reaction.messages:
            sent = decode(data, 1)
            changed.append((to, encode(replace(sent, idle_timeout=7), 1) if isinstance(sent, FlowMod) else data))
        return replace(reaction, messages=tuple(changed))

    monkeypatch.setattr(ModelController, "receive", receive)


def test_an_app_that_does_something_else_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    _change_timeouts(monkeypatch)
    found = confirmed("mac_learning/bug1.toml")
    assert found.difference is not None
    assert (found.difference.part, found.difference.name) == (PartKind.APP, "PySwitch")
    assert found.difference.contrasts[0] == ("the app to s1: FlowMod, idle_timeout", "5", "7")


def test_a_step_that_the_app_decides_is_none_that_was_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    _change_timeouts(monkeypatch)
    different = confirmed("mac_learning/bug1.toml").difference
    assert different is not None

    def refuse(*_: object) -> None:
        raise StepImpossible(Obstacle.APP_CHOICE, "drawn")

    monkeypatch.setattr(lockstep, "refuse_own_choice", refuse)
    found = confirmed("mac_learning/bug1.toml")
    assert found.impossible is not None
    assert (found.outcome, found.impossible.number) == (ConfirmOutcome.NOT_POSSIBLE, different.step.number)
    assert found.taken == different.step.number - 1
    assert [each.number for each in found.steps if not each.startup] == list(range(1, different.step.number))


def test_what_a_real_switch_cannot_do_is_not_possible() -> None:
    def refuse(_: SwitchReaction) -> SwitchReaction:
        raise NotEnforceable("switch s1: port 1 has no carrier")

    found = confirmed("mac_learning/bug1.toml", refuse)
    assert found.impossible is not None
    assert (found.outcome, found.impossible.obstacle, found.impossible.reason) == (
        ConfirmOutcome.NOT_POSSIBLE,
        Obstacle.SWITCH_FAULT,
        "switch s1: port 1 has no carrier",
    )


def test_a_trace_that_the_model_does_not_take_is_refused() -> None:
    trace = counterexample("mac_learning/bug1.toml")
    with pytest.raises(RealPartError, match="the model does not take the trace any more"):
        confirm_with(
            model_parts, run_of("mac_learning/bug1.toml"), replace(trace, path=Steps(trace.path.steps[1:])), OPTIONS
        )
    with pytest.raises(RealPartError, match="NoBlackHolesMobile holds in the model after the steps"):
        confirm_with(
            model_parts, run_of("mac_learning/bug1.toml"), replace(trace, path=Steps(trace.path.steps[:-1])), OPTIONS
        )


def test_a_connection_that_the_app_closes_is_a_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = ModelController.receive

    def receive(self: ModelController, switch: str, message: bytes) -> ControllerReaction:
        return replace(plain(self, switch, message), closed=(switch,))

    monkeypatch.setattr(ModelController, "receive", receive)
    found = confirmed("mac_learning/bug1.toml")
    assert found.difference is not None
    assert found.difference.part is PartKind.APP
    assert found.difference.contrasts == (("connection to s1", "stays open", "the app closes it"),)
