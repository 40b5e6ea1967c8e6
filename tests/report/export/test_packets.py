"""Captures of traces: Wireshark reads every packet and message, in order, and finds no mistake."""

import subprocess
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from sdnloom.check.load import app_scenario, load_scenario
from sdnloom.crosscheck import crosscheck_agents, load_agent, load_test
from sdnloom.network.packet import decode
from sdnloom.network.packet.headers import Tcp, TcpFlag
from sdnloom.report.export.packets import packets_pcapng
from sdnloom.report.view.of_check import check_view
from sdnloom.report.view.of_crosscheck import crosscheck_result_view
from sdnloom.report.view.result_view import FindingView, LaneView, ResultView, StepView, TraceView, TransferView
from tests.report.crosscheck.test_pcapng import Packet
from tests.report.crosscheck.test_pcapng import read as read_pcapng
from tests.report.random_views import random_results

EXAMPLES = Path(__file__).parents[3] / "examples"


@cache
def example(name: str) -> ResultView:
    if name == "OpenFlow 1.3":
        app = EXAMPLES / "apps/learning_switch.py"
        return check_view(app_scenario(app, topology="linear,2").check())
    if name == "crosscheck":
        folder = EXAMPLES / "crosscheck"
        files = ("tiny_switch", "tiny_switch_fixed")
        agents = [load_agent(f"{folder / file}.py:TinySwitch") for file in files]
        return crosscheck_result_view(crosscheck_agents(agents, [load_test(str(folder / "ports.toml"))]))
    return check_view(load_scenario(EXAMPLES / name).check())


NAMES = ["mac_learning/bug1.toml", "load_balancer/bug7.toml", "OpenFlow 1.3", "crosscheck"]


def sent(view: ResultView, kind: str) -> list[TransferView]:
    trace = view.findings[0].trace
    assert trace is not None
    return [each for step in trace.steps for each in step.transfers if each.kind == kind and each.data]


def capture(view: ResultView) -> list[Packet]:
    return read_pcapng(packets_pcapng(view, view.findings[0]))


def wireshark_knows(message: bytes) -> bool:
    """Whether Wireshark decodes all of a well-formed message: its decoder of OpenFlow 1.0 always reads one action."""
    version, kind = message[0], message[1]
    if version != 1 or kind not in (13, 14):
        return True
    return len(message) == 80 if kind == 14 else message[14:16] == b"\0\x08"


@pytest.mark.parametrize("name", NAMES)
def test_wireshark_decodes_every_packet_and_message_in_order(
    name: str, tmp_path: Path, need_tool: Callable[[str], None]
) -> None:
    need_tool("tshark")
    view = example(name)
    (tmp_path / "a.pcapng").write_bytes(packets_pcapng(view, view.findings[0]))
    wanted = (
        "openflow_v4.version",
        "tcp.payload",
        "openflow.version",
        "_ws.malformed",
        "tcp.analysis.flags",
        "frame.comment",
    )
    run = subprocess.run(
        ["tshark", "-r", "a.pcapng", "-o", "tcp.check_checksum:TRUE", "-T", "fields"]
        + [part for field in (*wanted, "frame.interface_name", "tcp.checksum.status") for part in ("-e", field)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    rows = [line.split("\t") for line in run.stdout.splitlines()]
    controls = [row for row in rows if row[0] or row[2]]
    messages = sent(view, "openflow")
    assert [bytes.fromhex(row[1].replace(":", "")) for row in controls] == [each.data for each in messages]
    for row, message in zip(controls, messages, strict=True):
        assert int(row[0] or row[2], 16) == message.data[0]
        assert not row[3] or not wireshark_knows(message.data)
        assert row[5].startswith("step ")
    frames = [row for row in rows if "controller" not in row[6] and "test" not in row[6].split(" - ")]
    assert len(frames) == len(sent(view, "packet"))
    assert {row[7].split(",")[0] for row in controls} == {"1"}
    plain = [row for row in rows if row not in frames and "," not in row[7]]  # no packet with TCP inside
    assert {row[4] for row in plain} == {""}


@pytest.mark.parametrize("name", NAMES)
def test_every_packet_is_there_at_the_time_of_its_step(name: str) -> None:
    view = example(name)
    trace = view.findings[0].trace
    assert trace is not None
    expected = [
        (step.number, each.data)
        for step in trace.steps
        for each in step.transfers
        if each.kind == "packet" and each.data
    ]
    switches = {lane.name for lane in trace.lanes if lane.kind in ("switch", "agent")}
    control = {f"{switch} - {other}" for switch in switches for other in ("controller", "test")}
    packets = capture(view)
    found = [(one.microseconds // 1000, one.data) for one in packets if one.interface not in control]
    assert found == expected
    times = [packet.microseconds for packet in packets]
    assert times == sorted(set(times))


def test_control_connections_are_whole_streams_with_right_numbers_and_checksums() -> None:
    view = example("OpenFlow 1.3")
    streams: dict[str, bytes] = {}
    following: dict[tuple[str, int], int] = {}
    for packet in capture(view):
        decoded = decode(packet.data)
        tcp = decoded.headers[2] if len(decoded.headers) > 2 else None
        if "controller" not in packet.interface:
            continue
        assert isinstance(tcp, Tcp)
        assert tcp.checksum is None  # as computed
        assert tcp.seq == following.get((packet.interface, tcp.src), tcp.seq)
        assert not tcp.flags & TcpFlag.ACK or tcp.ack == following[packet.interface, tcp.dst]
        length = len(decoded.payload) + bool(tcp.flags & TcpFlag.SYN)
        following[packet.interface, tcp.src] = tcp.seq + length
        streams[packet.interface] = streams.get(packet.interface, b"") + decoded.payload
    assert sorted(streams) == ["s1 - controller", "s2 - controller"]
    assert sum(map(len, streams.values())) == sum(len(each.data) for each in sent(view, "openflow"))


def test_interfaces_are_links_with_their_ports_and_comments_are_steps() -> None:
    lanes = (LaneView("s1", "switch"), LaneView("s2", "switch"))
    first = StepView(
        1, "s1", "a", "s1: sends", transfers=(TransferView("s2", "p", "packet", 2, "", "", "3", "4", b"x"),)
    )
    second = StepView(
        2, "s2", "a", "s2: sends", transfers=(TransferView("s1", "p", "packet", None, "", "", "4", "3", b"y"),)
    )
    trace = TraceView(lanes, (first, second))
    view = ResultView("check", "x", "violated", "V", (), (FindingView("P", "m", trace),))
    assert capture(view) == [
        Packet("s1:3 - s2:4", 1001, b"x", 2, "step 1: s1: sends (received in step 2)"),
        Packet("s1:3 - s2:4", 2001, b"y", 1, "step 2: s2: sends (not received)"),
    ]
    assert read_pcapng(packets_pcapng(view, None)) == []


def test_any_result_gives_a_capture_that_can_be_read() -> None:
    for seed in range(100):
        for view in random_results(seed):
            for finding in view.findings:
                steps = finding.trace.steps if finding.trace else ()
                octets = [each for step in steps for each in step.transfers if each.data]
                frames = [each.data for each in octets if each.kind == "packet"]
                found = read_pcapng(packets_pcapng(view, finding))
                assert len([one for one in found if one.data in frames]) >= len(frames)
