"""Every shipped counterexample on a real Open vSwitch and its real controller, and random walks on both.

The walks here are few; `python -m benchmarks confirm` takes 200, and every counterexample 50 times.
"""

import re
import shutil
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from benchmarks.confirm_subjects import COUNTEREXAMPLES, counterexamples
from sdnloom.check.load import load_scenario
from sdnloom.check.run import Run
from sdnloom.confirm.open_parts import OpenParts, open_real_parts
from sdnloom.confirm.options import ConfirmOptions
from sdnloom.confirm.outcome import ConfirmOutcome, PartKind
from sdnloom.confirm.real_walk import walk_with
from sdnloom.confirm.run import confirm_trace, confirm_with
from sdnloom.network.build import BuiltNetwork
from sdnloom.network.openflow import PortDesc
from sdnloom.network.switch import pipeline
from sdnloom.network.switch.step import SwitchStep

EXAMPLES = Path(__file__).parents[2] / "examples"
NO_TIMERS = ConfirmOptions(wait=0.0)


@pytest.mark.parametrize("file", COUNTEREXAMPLES)
def test_every_counterexample_happens_on_the_real_system(file: str) -> None:
    found = list(counterexamples(file))
    assert found
    for scenario, trace in found:
        confirmed = confirm_trace(Run(scenario, ordered=True), trace)
        assert (confirmed.difference, confirmed.impossible) == (None, None)
        assert confirmed.outcome is ConfirmOutcome.CONFIRMED
        assert confirmed.taken == len(trace.path)
        assert confirmed.finding is not None
        assert confirmed.finding.property == (trace.finding or confirmed.finding).property


@pytest.mark.parametrize(
    ("file", "seed"),
    [
        ("mac_learning/bug1.toml", 1),
        ("mac_learning_nox/bug2.toml", 2),
        ("load_balancer/bug9_restarted.toml", 3),
        ("load_balancer/bug9_duplicated.toml", 4),
        ("ryu/rest_firewall.toml", 5),
        ("ryu/switch13_bug1.toml", 6),
    ],
)
def test_a_random_walk_agrees_with_the_real_system(file: str, seed: int) -> None:
    found = walk_with(open_real_parts, Run(load_scenario(EXAMPLES / file), ordered=True), 40, seed, NO_TIMERS)
    assert (found.difference, found.impossible) == (None, None)
    assert found.taken > 5


STANDALONE = """
properties = ["NoForwardingLoops"]
joining = true
program = {{ file = "{file}", class = "PySwitch" }}
switches = {{ fail_mode = "standalone" }}
topology = {{ shape = "single" }}
hosts = [{{ name = "h1", kind = "client", to = ["h2"] }}, {{ name = "h2", kind = "replier" }}]
"""


def test_a_standalone_switch_is_a_bridge_before_it_joins(tmp_path: Path) -> None:
    file = tmp_path / "standalone.toml"
    file.write_text(STANDALONE.format(file=EXAMPLES / "mac_learning/learning.py"))
    found = walk_with(open_real_parts, Run(load_scenario(file), ordered=True), 12, 7, NO_TIMERS)
    assert (found.difference, found.impossible) == (None, None)
    names = [(each.transition.step.component, each.transition.action.name) for each in found.steps]
    assert names[:2] == [("h1", "send"), ("s1", "packets")]
    assert [each.channel for each in found.steps[1].sent] == ["h2.in"]
    assert ("s1", "connect") in names


def test_a_defect_of_the_switch_model_is_found_at_the_switch(monkeypatch: pytest.MonkeyPatch) -> None:
    """The model's FLOOD leaves out port 2; that of a real switch does not."""
    plain = pipeline._broadcasts

    def broadcasts(step: SwitchStep, port: PortDesc, number: int) -> bool:
        return port.port_no != 2 and plain(step, port, number)

    monkeypatch.setattr(pipeline, "_broadcasts", broadcasts)
    run = Run(load_scenario(EXAMPLES / "mac_learning/bug1.toml"), ordered=True)
    found = walk_with(open_real_parts, run, 40, 1, NO_TIMERS)
    assert found.difference is not None
    assert (found.outcome, found.difference.part) == (ConfirmOutcome.DIFFERENT, PartKind.SWITCH)
    assert found.difference.name in ("s1", "s2")
    contrast = found.difference.contrasts[0]
    assert (contrast.what, contrast.expected) == (f"{found.difference.name} out of port 2", "")


def test_a_defect_in_the_copy_of_an_app_is_found_at_the_app(tmp_path: Path) -> None:
    """The app that runs forgets the idle timeout of its rules; the one that was checked does not."""
    folder = tmp_path / "mac_learning_osken"
    shutil.copytree(EXAMPLES / "mac_learning_osken", folder)
    file = folder / "pyswitch.py"
    text = file.read_text()
    assert text.count("idle_timeout=") == 1
    file.write_text(re.sub("idle_timeout=[^,]+", "idle_timeout=0", text))
    changed = Run(load_scenario(folder / "bug1.toml"))

    def parts(run: Run, built: BuiltNetwork, options: ConfirmOptions) -> AbstractContextManager[OpenParts]:
        return open_real_parts(changed, built, options)

    ((scenario, trace),) = counterexamples("mac_learning_osken/bug1.toml")
    found = confirm_with(parts, Run(scenario, ordered=True), trace, NO_TIMERS)
    assert found.difference is not None
    assert (found.outcome, found.difference.part) == (ConfirmOutcome.DIFFERENT, PartKind.APP)
    assert found.difference.contrasts == (("the app to s1: FlowMod, idle_timeout", "5", "0"),)
