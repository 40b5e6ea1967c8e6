"""Random packets execute no line that no class executes, if the classes are said to be complete."""

from pathlib import Path

import pytest

from benchmarks.random_packets import RandomRuns, random_runs
from sdnloom import load_scenario
from sdnloom.network.topology.spec import SwitchPort
from sdnloom.symbolic.options import ExplorationOptions
from tests.apps.conftest import FOLDER, ROOT
from tests.cli.test_inputs import HEAD, write

FILTER = """\
from sdnloom.network.packet import IPv4, Tcp
from sdnloom.network.value import ip


class Filter:
    def packet_in(self, net, switch, message):
        headers = decode(message.data).headers
        if headers[0].dst >> 40 & 1:
            return
        if len(headers) > 2 and isinstance(headers[1], IPv4) and isinstance(headers[2], Tcp):
            if headers[1].dst >> 8 == ip("10.1.2.0") >> 8 and headers[2].dst in (22, 8080):
                if headers[2].src < 100:
                    return
                net.flood(switch, message)
            elif headers[2].flags & 0x12 == 0x02:
                net.flood(switch, message)
"""
# What a handler does depends on how often it ran, which is no part of its state: classes say nothing of it.
COUNTING = """\
from pathlib import Path

RUNS = Path(__file__).with_name("runs")


class Counting:
    def packet_in(self, net, switch, message):
        with RUNS.open("a") as runs:
            runs.write(".")
        if RUNS.stat().st_size > 40:
            net.flood(switch, message)
"""


def runs_of(folder: Path, program: str, count: int) -> RandomRuns:
    write(folder, program)
    few = ExplorationOptions(paths=20)
    return random_runs(load_scenario(folder / "net.toml"), SwitchPort("s1", 1), count, options=few)


def test_packets_of_a_complete_survey_stay_on_the_lines_and_paths_of_its_classes(tmp_path: Path) -> None:
    found = runs_of(tmp_path, FILTER, 300)
    assert (found.survey.complete, found.packets) == (True, 300)
    assert (found.outside, found.unknown) == ({}, 0)
    assert len({each.lines for answer in found.survey.answers for each in answer.classes}) == 6
    assert found.paths in (5, 6)  # so the packets are not all of one kind


def test_a_line_that_no_class_executes_is_reported_with_the_packet(tmp_path: Path) -> None:
    found = runs_of(tmp_path, COUNTING, 60)
    assert found.survey.complete
    [(line, label)] = found.outside.items()
    assert (line.file, line.number) == ("switch.py", 11 + HEAD.count("\n"))
    assert label.split()[0] in ("ethernet", "arp", "ipv4/icmp", "ipv4/tcp", "ipv4/udp", "lldp")
    assert (found.paths, found.unknown) == (2, 1)


def test_nothing_is_said_about_classes_that_are_not_complete(tmp_path: Path) -> None:
    found = runs_of(
        tmp_path,
        "import zlib\n\n\nclass Hashing:\n    def packet_in(self, net, switch, message):\n"
        "        if zlib.crc32(message.data) % 2:\n            net.flood(switch, message)\n",
        5,
    )
    assert (found.survey.complete, found.packets, found.outside) == (False, 0, {})


@pytest.mark.slow
@pytest.mark.skipif(not FOLDER.is_dir(), reason="needs the apps of ryu==4.34: `make ryu` fetches them")
@pytest.mark.parametrize("name", ["rest_router_configured", "rest_firewall"])
def test_packets_stay_on_the_lines_of_ryus_apps_that_classes_execute(name: str) -> None:
    found = random_runs(load_scenario(ROOT / "examples" / "ryu" / f"{name}.toml"), SwitchPort("s1", 1), 200)
    assert (found.survey.gaps, found.packets, found.outside, found.unknown) == ((), 200, {}, 0)
