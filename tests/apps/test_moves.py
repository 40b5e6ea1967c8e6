"""`--move`: the usual learning switch loses a host that has moved, one that handles moves does not."""

import json
import shutil
from pathlib import Path

import pytest

from tests.apps.conftest import ROOT
from tests.cli.running import CommandLine

MOVING = '''
"""A learning switch that deletes the rules for a host that comes in at another port."""

from learning_switch_fixed import FixedSwitch
from os_ken.controller import ofp_event
from os_ken.controller.handler import MAIN_DISPATCHER, set_ev_cls
from os_ken.lib.packet import ethernet, packet


class MovingSwitch(FixedSwitch):
    @set_ev_cls(ofp_event.EventOFPPacketIn, MAIN_DISPATCHER)
    def packet_in(self, ev):
        message, datapath = ev.msg, ev.msg.datapath
        source = packet.Packet(message.data).get_protocol(ethernet.ethernet).src
        if self.ports.get(datapath.id, {}).get(source) != message.match["in_port"]:
            parser, ofproto = datapath.ofproto_parser, datapath.ofproto
            datapath.send_msg(
                parser.OFPFlowMod(
                    datapath=datapath,
                    command=ofproto.OFPFC_DELETE,
                    out_port=ofproto.OFPP_ANY,
                    out_group=ofproto.OFPG_ANY,
                    match=parser.OFPMatch(eth_dst=source),
                )
            )
        super().packet_in(ev)
'''


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """The current folder, with the example apps and the one that handles moves."""
    for file in (ROOT / "examples" / "apps").glob("*.py"):
        shutil.copy(file, tmp_path)
    (tmp_path / "moving.py").write_text(MOVING)
    return tmp_path


def test_a_learning_switch_loses_a_host_that_has_moved(here: Path, sdnloom: CommandLine) -> None:
    options = ("--app", "learning_switch_fixed.py", "--topology", "single,2", "--move", "h2,s1:3")
    run = sdnloom("check", *options)
    lines = run.out.splitlines()
    assert (run.code, lines[0]) == (1, "VIOLATED NoBlackHolesMobile: packet h1:2 never reached h2")
    assert lines[1] == "shortest counterexample, 28 steps:"
    replayed = sdnloom("replay", "learning_switch_fixed.NoBlackHolesMobile.sdnloom-trace.json")
    assert (replayed.code, replayed.out.split(":")[0]) == (1, "CONFIRMED NoBlackHolesMobile")


@pytest.mark.parametrize("options", [(), ("--reduce",)], ids=["all orders", "reduced"])
def test_a_switch_that_handles_moves_holds(here: Path, sdnloom: CommandLine, options: tuple[str, ...]) -> None:
    arguments = ("--app", "moving.py", "--topology", "single,2", "--move", "h2,s1:3", "--format", "json")
    run = sdnloom("check", *arguments, *options)
    report = json.loads(run.out)
    assert (run.code, report["verdict"]) == (0, "holds")
    if not options:
        assert (report["states"], report["transitions"]) == (2_153, 4_464)
