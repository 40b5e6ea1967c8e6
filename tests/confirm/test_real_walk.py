"""Random walks on parts of the model: what the model says of itself agrees, and a defect ends the walk."""

from dataclasses import replace
from functools import partial

import pytest

from sdnloom.check.load import load_scenario
from sdnloom.check.run import Run
from sdnloom.confirm.options import ConfirmOptions
from sdnloom.confirm.outcome import ConfirmOutcome
from sdnloom.confirm.real_walk import walk_with
from sdnloom.switches.bridge import SwitchReaction
from tests.confirm.model_parts import model_parts
from tests.confirm.test_lockstep import EXAMPLES

NO_TIMERS = ConfirmOptions(wait=0.0)


@pytest.mark.parametrize(
    "file",
    [
        "mac_learning/bug1.toml",
        "mac_learning_nox/bug2.toml",
        "load_balancer/bug9_restarted.toml",  # a switch loses its power
        "traffic_engineering/reachable_link_failed.toml",
        "load_balancer/bug9_duplicated.toml",
        "ryu/switch13_bug1.toml",
    ],
)
def test_the_model_agrees_with_itself(file: str) -> None:
    scenario = load_scenario(EXAMPLES / file)
    for seed in range(4):
        found = walk_with(model_parts, Run(scenario, ordered=True), 40, seed, NO_TIMERS)
        assert (found.outcome, found.difference) == (ConfirmOutcome.AGREED, None)
        assert found.taken == found.of_trace > 5


def test_a_walk_ends_at_the_step_that_differs() -> None:
    def last_frame_lost(reaction: SwitchReaction) -> SwitchReaction:
        return replace(reaction, frames=reaction.frames[:-1])

    run = Run(load_scenario(EXAMPLES / "mac_learning/bug1.toml"), ordered=True)
    found = walk_with(partial(model_parts, change=last_frame_lost), run, 40, 1, NO_TIMERS)
    assert found.outcome is ConfirmOutcome.DIFFERENT
    assert found.difference is not None
    assert found.difference.step == found.steps[-1]
    assert found.taken == found.of_trace - 1
