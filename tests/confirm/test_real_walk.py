"""Random walks on parts of the model: what the model says of itself agrees, and a defect ends the walk."""

from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from sdnloom.check.load import load_scenario
from sdnloom.check.run import Run
from sdnloom.confirm.options import ConfirmOptions
from sdnloom.confirm.outcome import ConfirmOutcome, PartKind
from sdnloom.confirm.real_walk import walk_with
from sdnloom.network.openflow import V13, FeaturesReply, decode, encode
from sdnloom.network.switch import disconnect
from sdnloom.switches.bridge import SwitchReaction
from tests.confirm.model_parts import ModelSwitch, model_parts
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


FAULTS = """
{joining}
properties = ["NoForwardingLoops"]
program = {{ file = "{file}", class = "PySwitch" }}
switches = {{ profile = "openvswitch", version = "{version}" }}
topology = {{ shape = "linear", switches = 2 }}
hosts = [{{ name = "h1", kind = "client", to = ["h2"] }}, {{ name = "h2", kind = "replier" }}]
switch_faults = [{{ switch = "s1", disconnect = 2, fail = 1 }}]
"""


HUB = """
from sdnloom.network.openflow import Match, Output, Port

class Hub:
    def switch_join(self, net, switch, features):
        net.install(switch, Match(), Output(Port.FLOOD))
"""


@pytest.mark.parametrize(("joining", "version"), [("", "1.0"), ("", "1.3"), ("joining = true", "1.0")])
def test_a_switch_may_be_away_when_the_controller_asks_for_its_features(
    joining: str, version: str, tmp_path: Path
) -> None:
    file = tmp_path / "faults.toml"
    file.write_text(FAULTS.format(joining=joining, version=version, file=EXAMPLES / "mac_learning/learning.py"))
    scenario = load_scenario(file)
    for seed in range(6):
        found = walk_with(model_parts, Run(scenario, ordered=True), 40, seed, NO_TIMERS)
        assert (found.outcome, found.difference) == (ConfirmOutcome.AGREED, None)


def test_a_link_may_come_back_while_a_switch_has_no_power(tmp_path: Path) -> None:
    file = tmp_path / "faults.toml"
    text = FAULTS.format(joining="", version="1.3", file=EXAMPLES / "mac_learning/learning.py")
    file.write_text(f"{text}link_faults = [{{ link = 's1-s2', fail = 1 }}]\n")
    scenario = load_scenario(file)
    for seed in (41, 45, 73, 82):  # each has that order of events
        found = walk_with(model_parts, Run(scenario, ordered=True), 40, seed, NO_TIMERS)
        assert (found.outcome, found.difference) == (ConfirmOutcome.AGREED, None)


def test_entries_are_compared_while_a_switch_is_without_connection(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def forgetful(self: ModelSwitch) -> SwitchReaction:
        self._core = replace(disconnect(self._config, self._core).core, flows=())
        return SwitchReaction()

    monkeypatch.setattr(ModelSwitch, "disconnect", forgetful)
    (tmp_path / "hub.py").write_text(HUB)
    file = tmp_path / "faults.toml"
    text = FAULTS.format(joining="", version="1.0", file="hub.py")
    file.write_text(text.replace("PySwitch", "Hub").replace("fail = 1", "fail = 0"))
    found = walk_with(model_parts, Run(load_scenario(file), ordered=True), 40, 1, NO_TIMERS)
    assert found.difference is not None
    assert (found.difference.part, found.difference.name) == (PartKind.SWITCH, "s1")
    assert found.difference.step.transition.action.name == "disconnect"
    assert found.difference.contrasts[0].observed == "none"


def test_a_switch_that_describes_itself_otherwise_is_named(tmp_path: Path) -> None:
    def more_tables(reaction: SwitchReaction) -> SwitchReaction:
        seen = [decode(each, V13) for each in reaction.messages]
        changed = [replace(each, n_tables=9) if isinstance(each, FeaturesReply) else each for each in seen]
        return replace(reaction, messages=tuple(encode(each, V13) for each in changed))

    file = tmp_path / "faults.toml"
    file.write_text(FAULTS.format(joining="", version="1.3", file=EXAMPLES / "mac_learning/learning.py"))
    run = Run(load_scenario(file), ordered=True)
    found = walk_with(partial(model_parts, change=more_tables), run, 1, 1, NO_TIMERS)
    assert found.difference is not None
    assert (found.difference.part, found.difference.name, found.difference.step.startup) == (
        PartKind.SWITCH,
        "s1",
        True,
    )
    (contrast,) = found.difference.contrasts
    assert (contrast.what, contrast.observed) == ("s1 in the handshake: FeaturesReply, n_tables", "9")


def test_a_walk_ends_at_the_step_that_differs() -> None:
    def last_frame_lost(reaction: SwitchReaction) -> SwitchReaction:
        return replace(reaction, frames=reaction.frames[:-1])

    run = Run(load_scenario(EXAMPLES / "mac_learning/bug1.toml"), ordered=True)
    found = walk_with(partial(model_parts, change=last_frame_lost), run, 40, 1, NO_TIMERS)
    assert found.outcome is ConfirmOutcome.DIFFERENT
    assert found.difference is not None
    assert found.difference.step == found.steps[-1]
    assert found.taken == found.of_trace - 1
