"""An os-ken app that forwards by MPLS labels: it holds, and one that leaves a label on loses packets."""

from pathlib import Path

import pytest

from sdnloom import load_scenario

# h1 at s1 and h3 at s3; s1 and s3 push a label for the other end, s2 swaps it, the last switch pops it.
APP = """
from os_ken.base import app_manager
from os_ken.controller import ofp_event
from os_ken.controller.handler import CONFIG_DISPATCHER, set_ev_cls
from os_ken.lib.packet import ether_types
from os_ken.ofproto import ofproto_v1_3


class Labels(app_manager.OSKenApp):
    OFP_VERSIONS = [ofproto_v1_3.OFP_VERSION]

    @set_ev_cls(ofp_event.EventOFPSwitchFeatures, CONFIG_DISPATCHER)
    def joined(self, ev):
        datapath = ev.msg.datapath
        parser, number = datapath.ofproto_parser, datapath.id
        out = parser.OFPActionOutput
        if number == 2:
            for label, port in ((100, 3), (300, 2)):
                self.add(datapath, parser.OFPMatch(eth_type=0x8847, mpls_label=label), [
                    parser.OFPActionSetField(mpls_label=label + 1), parser.OFPActionDecMplsTtl(), out(port)])
            return
        mine, last = (100, 301) if number == 1 else (300, 101)
        for kind in (0x800, 0x806):
            self.add(datapath, parser.OFPMatch(in_port=1, eth_type=kind), [
                parser.OFPActionPushMpls(0x8847), parser.OFPActionSetField(mpls_label=mine), out(2)])
        self.add(datapath, parser.OFPMatch(eth_type=0x8847, mpls_label=last), [POP out(1)])

    def add(self, datapath, match, actions):
        parser, proto = datapath.ofproto_parser, datapath.ofproto
        does = [parser.OFPInstructionActions(proto.OFPIT_APPLY_ACTIONS, actions)]
        datapath.send_msg(parser.OFPFlowMod(datapath, priority=1, match=match, instructions=does))
"""


@pytest.mark.parametrize(
    ("pop", "verdict", "states"), [("parser.OFPActionPopMpls(0x800),", "holds", 11), ("", "violated", 6)]
)
def test_packets_travel_by_labels_and_hosts_read_none(tmp_path: Path, pop: str, verdict: str, states: int) -> None:
    file = tmp_path / "labels.py"
    file.write_text(APP.replace("POP", pop))
    scenario = tmp_path / "labels.toml"
    scenario.write_text("""
properties = ["NoBlackHoles", "NoHandlerException", { name = "Sometimes", event = "Received", at = "h1" }]
[program]
app = "labels.py"
[topology]
shape = "linear"
switches = 3
[[hosts]]
name = "h1"
kind = "client"
to = ["h3"]
[[hosts]]
name = "h3"
kind = "replier"
""")
    report = load_scenario(scenario).check()
    assert (report.verdict, report.result.statistics.states) == (verdict, states)
    if verdict == "violated":
        (found, *_) = report.violations
        assert found.property == "NoBlackHoles"
        last = [event for each in found.transitions for event in each.events]
        assert [event.reason for event in last if type(event).__name__ == "Lost"] == ["labelled"]
