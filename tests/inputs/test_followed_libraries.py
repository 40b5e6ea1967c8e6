"""Handlers that ask libraries about addresses: packets are divided as the program divides them."""

from pathlib import Path

import pytest

from sdnloom.platforms.osken.program import OskenProgram
from tests.inputs.program_pair import Pair

APP = """
from os_ken.base import app_manager
from os_ken.controller import ofp_event
from os_ken.controller.handler import MAIN_DISPATCHER, set_ev_cls
from os_ken.lib.packet import ipv4, packet
from os_ken.ofproto import ofproto_v1_0
{imports}


class Firewall(app_manager.OSKenApp):
    OFP_VERSIONS = [ofproto_v1_0.OFP_VERSION]

    @set_ev_cls(ofp_event.EventOFPPacketIn, MAIN_DISPATCHER)
    def packet_in(self, event):
        ip = packet.Packet(event.msg.data).get_protocol(ipv4.ipv4)
        if {question}:
            self.inside = True
"""
QUESTIONS = {
    "ipaddress.ip_address(ip.dst) in NETWORK": (
        "import ipaddress\nNETWORK = ipaddress.ip_network('10.0.0.0/24')",
        ["ipv4.dst not in 10.0.0.0/24", "ipv4.dst in 10.0.0.0/24"],
    ),
    "ip_address(ip.dst) == HOST": (
        "from ipaddress import ip_address\nHOST = ip_address('10.0.0.9')",
        ["ipv4.dst != 10.0.0.9", "ipv4.dst == 10.0.0.9"],
    ),
    "netaddr.IPAddress(ip.dst) in NETWORK": (
        "import netaddr\nNETWORK = netaddr.IPNetwork('10.0.0.0/24')",
        ["ipv4.dst not in 10.0.0.0/24", "ipv4.dst in 10.0.0.0/24"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("question", QUESTIONS)
def test_an_address_in_a_network_makes_two_classes(question: str, tmp_path: Path) -> None:
    imports, conditions = QUESTIONS[question]
    file = tmp_path / "firewall.py"
    file.write_text(APP.format(imports=imports, question=question))
    pair = Pair.of(OskenProgram([file]))
    asked = pair.question("ipv4", 1)
    found = pair.explore(asked)
    assert (found.gaps, [each.readable for each in found.classes]) == ((), conditions)
    pair.confirm(found)
    pair.check_pure(asked, found)
