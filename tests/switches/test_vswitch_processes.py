"""The processes of Open vSwitch: bridges come and go, fences are not disturbed, and folders go away."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from sdnloom.network.openflow import V10, V13
from sdnloom.switches.bridge import Bridge, BridgePlan, BridgePort
from sdnloom.switches.errors import RealSwitchError, SwitchEndedError
from sdnloom.switches.fence import fence
from sdnloom.switches.reset_messages import ECHO_REPLY, ECHO_REQUEST, header
from sdnloom.switches.temporary_folder import TemporaryFolder
from sdnloom.switches.vswitch_processes import VswitchProcesses


@pytest.fixture(scope="module")
def processes(need_tool: Callable[..., None]) -> Iterator[VswitchProcesses]:
    need_tool("ovs-vswitchd", "ovsdb-server")
    with VswitchProcesses() as running:
        yield running


@pytest.fixture(params=[V10, V13], ids=["1.0", "1.3"])
def bridge(request: pytest.FixtureRequest, processes: VswitchProcesses) -> Iterator[Bridge]:
    made = Bridge(
        processes, BridgePlan("b", request.param, 7, 0x0200_0000_0000, (BridgePort(1, "b1", 0x0200_0000_0001),))
    )
    made.listen()
    processes.configure(*made.words_to_add())
    made.open()
    made.accept()
    made.greet()
    yield made
    made.close()
    processes.configure(*made.words_to_remove())


def test_the_version_is_that_of_the_product(processes: VswitchProcesses) -> None:
    product, number = processes.version.rsplit(maxsplit=1)
    assert product == "Open vSwitch"
    assert number.replace(".", "").isdigit()


def test_a_transaction_that_is_refused_is_an_error_with_its_reason(processes: VswitchProcesses) -> None:
    with pytest.raises(RealSwitchError, match=r"^ovs-vsctl failed: ovs-vsctl: no bridge named nobody$"):
        processes.configure("del-br", "nobody")


def test_a_fence_leaves_answers_to_others_even_if_they_look_like_its_own(bridge: Bridge) -> None:
    version = bridge.version
    others = [header(version, ECHO_REQUEST, body, xid) for xid in (0, 1, 0xFFFFFFFF) for body in (b"", b"\1", bytes(9))]
    bridge.openflow.send(b"".join(others))
    answers = [header(version, ECHO_REPLY, each[8:], int.from_bytes(each[4:8], "big")) for each in others]
    assert fence(bridge.openflow, version) == answers
    assert fence(bridge.openflow, version) == []


def test_a_fence_waits_for_a_frame_that_has_just_arrived(bridge: Bridge) -> None:
    for _ in range(50):
        bridge.inject(1, bytes(60))
        reaction = bridge.observe()
        assert len(reaction.messages) == (1 if bridge.version == V10 else 0)  # 1.3 drops what no entry matches


def test_the_second_connection_changes_nothing_that_the_controller_sees(bridge: Bridge) -> None:
    for _ in range(20):
        assert bridge.removals() == []
        assert bridge.observe(removals=True).messages == ()
    assert len(bridge.service.flow_stats()) == 1


def test_a_bridge_without_a_connection_says_so(bridge: Bridge) -> None:
    bridge.drop()
    assert not bridge.connected
    with pytest.raises(RealSwitchError, match=r"^bridge b has no connection to its controller$"):
        _ = bridge.openflow
    assert bridge.observe(removals=True).messages == ()
    bridge.connect_again()
    assert fence(bridge.openflow, bridge.version) == []


def test_a_version_that_open_vswitch_is_not_started_with_is_refused(processes: VswitchProcesses) -> None:
    with pytest.raises(RealSwitchError, match=r"^version=5: expected 1 or 4$"):
        Bridge(processes, BridgePlan("x", 5, 1, 0x0200_0000_0000, ()))


def test_a_transaction_does_not_wait_for_a_daemon_that_ended(need_tool: Callable[..., None]) -> None:
    need_tool("ovs-vswitchd", "ovsdb-server")
    with VswitchProcesses() as running:
        running.control("exit")
        with pytest.raises(SwitchEndedError, match=r"^ovs-vswitchd ended \(exit code 0\)"):
            running.wait_for_end()
        with pytest.raises(SwitchEndedError, match=r"^ovs-vswitchd ended \(exit code 0\)"):
            running.configure("add-br", "b")
        assert running.crash_reason() is not None


def test_a_temporary_folder_goes_away_with_what_is_in_it() -> None:
    folder = TemporaryFolder("sdnloom-test-")
    (folder.path / "a").mkdir()
    (folder.path / "a" / "file").write_text("text")
    folder.close()
    folder.close()
    assert not folder.path.exists()


def test_the_path_of_a_temporary_folder_has_room_for_a_socket(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    long = tmp_path / ("x" * 60)
    long.mkdir()
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(long))
    folder = TemporaryFolder("sdnloom-test-")
    folder.close()
    assert len(str(folder.path)) < 60
