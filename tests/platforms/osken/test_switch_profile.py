"""What an os-ken app sees of switches: their ports, features, buffers and meters, by profile."""

from pathlib import Path

import pytest

from sdnloom import app_scenario

APP = """
from os_ken.base import app_manager
from os_ken.controller import ofp_event
from os_ken.controller.handler import CONFIG_DISPATCHER, MAIN_DISPATCHER, set_ev_cls
from os_ken.ofproto import ofproto_v1_0, ofproto_v1_3


class Looking(app_manager.OSKenApp):
    OFP_VERSIONS = [VERSION]

    @set_ev_cls(ofp_event.EventOFPSwitchFeatures, CONFIG_DISPATCHER)
    def joined(self, ev):
        self.n_buffers, self.n_tables = ev.msg.n_buffers, ev.msg.n_tables
        datapath = ev.msg.datapath
        parser, proto = datapath.ofproto_parser, datapath.ofproto
        if proto.OFP_VERSION == 4:
            band = parser.OFPMeterBandDrop(rate=100, burst_size=10)
            datapath.send_msg(parser.OFPMeterMod(datapath, proto.OFPMC_ADD, proto.OFPMF_KBPS, 1, [band]))
            out = [parser.OFPActionOutput(proto.OFPP_CONTROLLER, 128)]
            does = [parser.OFPInstructionMeter(1), parser.OFPInstructionActions(proto.OFPIT_APPLY_ACTIONS, out)]
            datapath.send_msg(parser.OFPFlowMod(datapath, priority=0, instructions=does))

    @set_ev_cls(ofp_event.EventOFPPacketIn, MAIN_DISPATCHER)
    def packet(self, ev):
        msg, datapath = ev.msg, ev.msg.datapath
        parser, proto = datapath.ofproto_parser, datapath.ofproto
        if proto.OFP_VERSION == 4:
            datapath.send_msg(parser.OFPPortDescStatsRequest(datapath, 0))
        assert self.n_buffers == BUFFERS, self.n_buffers
        assert self.n_tables == TABLES, self.n_tables
        assert (msg.buffer_id == proto.OFP_NO_BUFFER) == (BUFFERS == 0), msg.buffer_id
        assert len(msg.data) == min(msg.total_len, 128 if BUFFERS else msg.total_len)
        assert sorted(datapath.ports) == [1, 2, *LOCAL], sorted(datapath.ports)
        for number in LOCAL:
            port = datapath.ports[number]
            assert number == proto.OFPP_LOCAL
            assert port.name in ("s1", b"s1"), port.name
            assert port.state & proto.OFPPS_LINK_DOWN and port.config & proto.OFPPC_PORT_DOWN
        assert datapath.ports[1].curr == CURR, datapath.ports[1].curr

    @set_ev_cls(ofp_event.EventOFPPortDescStatsReply, MAIN_DISPATCHER)
    def described(self, ev):
        assert [port.port_no for port in ev.msg.body] == [1, 2, *LOCAL]
        assert ev.msg.body[0].curr_speed == SPEED, ev.msg.body[0].curr_speed
"""
# profile, version -> values of the names in the app
SEEN = {
    ("openvswitch", "1.0"): {"BUFFERS": 0, "TABLES": 254, "LOCAL": [0xFFFE], "CURR": 0xC0, "SPEED": 0},
    ("openvswitch", "1.3"): {"BUFFERS": 0, "TABLES": 254, "LOCAL": [0xFFFFFFFE], "CURR": 0x840, "SPEED": 10_000_000},
    ("reference", "1.0"): {"BUFFERS": 256, "TABLES": 1, "LOCAL": [], "CURR": 0, "SPEED": 0},
    ("reference", "1.3"): {"BUFFERS": 256, "TABLES": 254, "LOCAL": [], "CURR": 0, "SPEED": 0},
}


@pytest.mark.parametrize(("profile", "version"), SEEN)
def test_an_app_sees_the_switch_of_the_profile(tmp_path: Path, profile: str, version: str) -> None:
    file = tmp_path / "looking.py"
    constants = "".join(f"{name} = {value!r}\n" for name, value in SEEN[profile, version].items())
    number = f"ofproto_v1_{version[-1]}.OFP_VERSION"
    file.write_text(constants + APP.replace("VERSION]", f"{number}]"))
    asked = {"topology": "single,2", "properties": ["NoHandlerException"]}
    report = app_scenario(file, profile=profile, **asked).check()
    assert report.verdict == "holds", report.violations
    assert report.handler_runs > (version == "1.3")
    assert ("meters are configuration only: they drop nothing" in report.bounds) == (version == "1.3")
    other = "reference" if profile == "openvswitch" else "openvswitch"
    assert app_scenario(file, profile=other, **asked).check().verdict == "violated"
