"""Programs of our own platforms in a process, with switches of the model: calls, timers, exceptions, their end."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from sdnloom.check.load import load_scenario
from sdnloom.check.run import Run
from sdnloom.confirm.controller.process_controller import start_controller
from sdnloom.confirm.open_parts import OpenParts
from sdnloom.confirm.options import ConfirmOptions
from sdnloom.confirm.outcome import Confirmation, ConfirmOutcome, PartKind
from sdnloom.confirm.run import confirm_with
from sdnloom.engine.path import Path as Steps
from sdnloom.engine.semantics import Semantics
from sdnloom.network.build import BuiltNetwork
from sdnloom.network.program import RunsInProcess
from tests.confirm.model_parts import model_parts
from tests.confirm.test_lockstep import OPTIONS

PROGRAM = """
import os, time
from sdnloom import openflow

class Program:
    def __init__(self, names):
        self.names, self.seen = names, []

    def switch_join(self, net, switch, features):
        self.seen.append([switch, len(features.ports)])

    def external(self, net, name, *arguments):
        if name == "end" and "SDNLOOM_REPORT" in os.environ:
            os._exit(7)
        time.sleep(0.06)  # longer than an app may rest without an answer
        self.seen.append(arguments)
        net.send("s1", openflow.FlowMod(cookie=len(repr((self.names, self.seen)))))
        if name == "fail":
            raise ValueError(self.seen, self)

    def timer(self, net, name):
        net.send("s1", openflow.FlowMod(priority=len(self.seen), cookie=len(name)))
"""
SCENARIO = """
properties = ["NoBlackHoles"]
program = { file = "program.py", arguments = { names = ["a", { b = 2 }] } }
topology = { shape = "single", hosts = 2 }
timers = [{ name = "poll", budget = 2 }]
externals = [
    { name = "tell", arguments = [1, "two", [3, { four = true }]] },
    { name = "fail", arguments = [{ a = [] }] },
    { name = "end" },
]
"""


@contextmanager
def parts(run: Run, built: BuiltNetwork, options: ConfirmOptions) -> Iterator[OpenParts]:
    """Switches of the model, and the program in a process."""
    assert isinstance(run.program, RunsInProcess)
    command = run.program.controller_command(run.scenario.network)
    with model_parts(run, built, options) as model, closing(start_controller(command)) as controller:
        yield OpenParts(model.switches, controller, {"controller": command.what})


def confirmed(folder: Path, *actions: str) -> Confirmation:
    """Take these actions of the controller with the program above."""
    (folder / "program.py").write_text(PROGRAM)
    (folder / "scenario.toml").write_text(SCENARIO)
    return taken(folder, *(("controller", each) for each in actions))


def taken(folder: Path, *actions: tuple[str, str]) -> Confirmation:
    """Take actions of components, one after the other."""
    run = Run(load_scenario(folder / "scenario.toml"), ordered=True)
    semantics = Semantics(run.built.system)
    state, steps = semantics.initial(), []
    for component, action in actions:
        found = [
            each
            for each in semantics.transitions(state)
            if (each.step.component, each.action.name) == (component, action)
        ]
        steps.append(found[0].step)
        state = found[0].state
    trace = run.scenario.trace(Steps(tuple(steps)), None, {})
    return confirm_with(parts, run, trace, OPTIONS)


def test_calls_and_timers_reach_the_process_with_their_arguments(tmp_path: Path) -> None:
    found = confirmed(tmp_path, "timer poll", "external tell", "external fail", "timer poll")
    assert (found.outcome, found.difference, found.impossible) == (ConfirmOutcome.AGREED, None, None)
    assert found.parts == {"controller": "OpenFlow server of Program"}
    (raised,) = [each for step in found.steps for each in step.raised]
    assert raised.text.startswith("ValueError: ([['s1', ")
    assert "object at 0x" in raised.text  # the same object has another address in the model
    assert raised.file == str(tmp_path / "program.py")


def test_the_end_of_the_process_is_a_difference(tmp_path: Path) -> None:
    found = confirmed(tmp_path, "external end")
    assert found.difference is not None
    assert found.difference.part is PartKind.APP
    assert [each.observed for each in found.difference.contrasts][-1] == "exit code 7: it wrote no log"


NOX_APP = """
from nox.lib.core import Component

class App(Component):
    def install(self):
        self.register_for_datapath_join(self.came)
        self.register_for_barrier_reply(self.done)

    def came(self, dpid, features):
        self.post_callback(0.05, lambda: self.late(dpid, 1))

    def late(self, dpid, count):
        self.send_barrier(dpid)
        if count == 2:
            unicode(count)
        self.post_callback(0.05, lambda: self.late(dpid, count + 1))

    def done(self, dpid, xid):
        self.post_callback(3600, self.never)

    def never(self):
        pass

def getFactory():
    class Factory:
        def instance(self, ctxt):
            return App(ctxt)
    return Factory()
"""
NOX_SCENARIO = """
properties = ["NoBlackHoles"]
program = { nox = "app.py" }
topology = { shape = "single", hosts = 2 }
ticks = 2
"""


def test_timers_of_nox_fire_by_the_real_clock(tmp_path: Path) -> None:
    (tmp_path / "app.py").write_text(NOX_APP)
    (tmp_path / "scenario.toml").write_text(NOX_SCENARIO)
    found = taken(tmp_path, ("controller", "tick"), ("controller", "tick"), ("s1", "of"), ("s1", "of"))
    assert (found.outcome, found.difference, found.impossible) == (ConfirmOutcome.AGREED, None, None)
    assert [each.text for step in found.steps for each in step.raised] == ["NameError: name 'unicode' is not defined"]
