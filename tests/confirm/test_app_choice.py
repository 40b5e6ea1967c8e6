"""What an app decides itself is NOT POSSIBLE, and everything else that it does is a difference."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from sdnloom.check.load import load_scenario
from sdnloom.check.run import Run
from sdnloom.confirm.options import ConfirmOptions
from sdnloom.confirm.outcome import Confirmation, ConfirmOutcome, Obstacle
from sdnloom.confirm.real_parts import ControllerReaction
from sdnloom.confirm.run import confirm_with
from sdnloom.engine.semantics import Finding
from sdnloom.network.openflow import V13, FlowMod, decode, encode
from sdnloom.network.program import ClockTick
from tests.confirm.model_parts import ModelController, model_parts

APP = """
import time
from os_ken.base import app_manager
from os_ken.controller import ofp_event
from os_ken.controller.handler import CONFIG_DISPATCHER, MAIN_DISPATCHER, set_ev_cls
from os_ken.lib import hub
from os_ken.ofproto import ofproto_v1_3


class Patient(app_manager.OSKenApp):
    OFP_VERSIONS = [ofproto_v1_3.OFP_VERSION]

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.began = time.time()
        hub.spawn_after(2, self.add, None, 0)

    @set_ev_cls(ofp_event.EventOFPSwitchFeatures, CONFIG_DISPATCHER)
    def join(self, event):
        datapath = event.msg.datapath
        to_controller = [datapath.ofproto_parser.OFPActionOutput(datapath.ofproto.OFPP_CONTROLLER)]
        self.add(datapath, 0, to_controller)

    @set_ev_cls(ofp_event.EventOFPPacketIn, MAIN_DISPATCHER)
    def packet_in(self, event):
        self.add(event.msg.datapath, 5)
        self.add(event.msg.datapath, 6)
        if time.time() >= self.began + 1:
            self.add(event.msg.datapath, 7)

    def add(self, datapath, priority, actions=()):
        if datapath is None:
            return
        parser = datapath.ofproto_parser
        instructions = [parser.OFPInstructionActions(datapath.ofproto.OFPIT_APPLY_ACTIONS, list(actions))]
        match = parser.OFPMatch(eth_type=0x1234) if priority else parser.OFPMatch()
        datapath.send_msg(parser.OFPFlowMod(datapath, priority=priority, match=match, instructions=instructions))
"""
SCENARIO = """
properties = ["NoBlackHoles"]
settle_ticks = 0
program = { app = "patient.py" }
topology = { shape = "single", hosts = 2 }
hosts = [{ name = "h1", kind = "client", to = ["h2"], sends = 1 }, { name = "h2", kind = "replier" }]
"""


def confirmed(
    folder: Path, monkeypatch: pytest.MonkeyPatch, receive: Callable[[ModelController, str, bytes], ControllerReaction]
) -> Confirmation:
    """A counterexample on an app that receives messages like that."""
    (folder / "patient.py").write_text(APP)
    (folder / "patient.toml").write_text(SCENARIO)
    scenario = load_scenario(folder / "patient.toml")
    shown = scenario.check().violations[0]
    trace = scenario.trace(shown.path, Finding(shown.property, shown.message), {})
    monkeypatch.setattr(ModelController, "receive", receive)
    return confirm_with(model_parts, Run(scenario, ordered=True), trace, ConfirmOptions(wait=1.0))


PLAIN = ModelController.receive


def _late(self: ModelController, switch: str, message: bytes) -> ControllerReaction:
    self._core = self._program.handle(self._core, ClockTick())[0].core
    return PLAIN(self, switch, message)


def _otherwise(self: ModelController, switch: str, message: bytes) -> ControllerReaction:
    reaction = PLAIN(self, switch, message)
    sent = [decode(data, V13) for _, data in reaction.messages]
    changed = [replace(each, idle_timeout=9) if isinstance(each, FlowMod) else each for each in sent]
    return replace(reaction, messages=tuple((switch, encode(each, V13)) for each in changed))


def _reversed(self: ModelController, switch: str, message: bytes) -> ControllerReaction:
    reaction = PLAIN(self, switch, message)
    return replace(reaction, messages=tuple(reversed(reaction.messages)))


def test_what_depends_on_the_time_that_has_passed_is_not_possible(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = confirmed(tmp_path, monkeypatch, _late)
    assert found.impossible is not None
    assert (found.outcome, found.impossible.obstacle) == (ConfirmOutcome.NOT_POSSIBLE, Obstacle.APP_TIMER)


def test_another_order_of_messages_is_a_choice_of_an_app_with_threads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = confirmed(tmp_path, monkeypatch, _reversed)
    assert found.impossible is not None
    assert (found.outcome, found.impossible.obstacle) == (ConfirmOutcome.NOT_POSSIBLE, Obstacle.APP_CHOICE)


def test_other_messages_are_a_difference_though_the_app_has_timers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = confirmed(tmp_path, monkeypatch, _otherwise)
    assert (found.outcome, found.impossible) == (ConfirmOutcome.DIFFERENT, None)
