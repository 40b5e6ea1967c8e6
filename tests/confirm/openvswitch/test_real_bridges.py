"""All switches of a scenario at once: started, used again, and ended without a trace, whatever happens."""

import os
import select
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from sdnloom.confirm.openvswitch import bridge_switch
from sdnloom.confirm.openvswitch.bridge_switch import BridgeSwitch
from sdnloom.confirm.openvswitch.real_bridges import RealBridges
from sdnloom.network.openflow import V10, V13, ApplyActions, FlowMod, Output
from sdnloom.network.openflow.codec import encode
from sdnloom.switches import daemons
from sdnloom.switches.bridge import SwitchReaction
from sdnloom.switches.errors import RealSwitchError, SwitchEndedError
from sdnloom.switches.vswitch_processes import VswitchProcesses
from tests.confirm.openvswitch.configs import configs

ENTRY = encode(FlowMod(instructions=(ApplyActions((Output(2),)),)), V13)


def bridge_names(processes: VswitchProcesses) -> list[str]:
    """Return what `ovs-vsctl list-br` prints."""
    database = f"--db=unix:{processes.directory}/db.sock"
    found = subprocess.run(["ovs-vsctl", database, "list-br"], capture_output=True, text=True, check=True)
    return found.stdout.split()


def files(processes: VswitchProcesses) -> set[str]:
    return {each.name for each in processes.directory.iterdir()}


def test_nothing_of_former_switches_is_left_in_an_open_vswitch_that_goes_on(processes: VswitchProcesses) -> None:
    before = files(processes)
    for version in (V13, V10, V13):
        with RealBridges(configs(version), processes) as made:
            assert sorted(bridge_names(processes)) == ["s1", "s2"]
            for switch in made.switches.values():
                assert switch.entries() == ()
                assert switch.receive_frames([(1, bytes(60))]).frames == ()
                switch.receive_message(encode(FlowMod(hard_timeout=1), version))
                assert len(switch.entries()) == 1
        assert bridge_names(processes) == []
        assert files(processes) == before


def test_twenty_switches_work_at_once(processes: VswitchProcesses) -> None:
    with RealBridges(configs(V13, 20, 5), processes) as made:
        assert len(bridge_names(processes)) == 20
        for number, switch in enumerate(made.switches.values()):
            switch.receive_message(ENTRY)
            assert [port for port, _ in switch.receive_frames([(1 + number % 5, bytes(60))]).frames] == (
                [] if number % 5 == 1 else [2]
            )
        assert all(reaction == SwitchReaction() for reaction in made.advance(1000).values())


def test_a_network_without_switches_needs_no_bridge(processes: VswitchProcesses) -> None:
    with RealBridges({}, processes) as made:
        assert made.switches == {}
        assert made.advance(1000) == {}
        assert made.next_expiry() is None


def test_switches_that_share_no_open_vswitch_leave_nothing(need_tool: Callable[..., None]) -> None:
    need_tool("ovs-vswitchd", "ovsdb-server")
    with RealBridges(configs(V10)) as made:
        directory, numbers = made.processes.directory, made.processes.process_ids
        assert directory.exists()
    assert not directory.exists()
    assert not any(Path(f"/proc/{number}").exists() for number in numbers.values())


@pytest.mark.parametrize("error", [KeyboardInterrupt, RealSwitchError])
def test_what_goes_wrong_at_the_start_leaves_nothing(
    processes: VswitchProcesses, monkeypatch: pytest.MonkeyPatch, error: type[BaseException]
) -> None:
    before = files(processes)
    whole = BridgeSwitch.start

    def started(switch: BridgeSwitch) -> None:
        whole(switch)
        if switch.name == "s2":
            raise error("now")

    monkeypatch.setattr(BridgeSwitch, "start", started)
    with pytest.raises(error):
        RealBridges(configs(V13, 3), processes)
    assert bridge_names(processes) == []
    assert files(processes) == before


def test_a_missing_open_vswitch_is_named_with_its_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(daemons, "_search_path", lambda: "/nowhere")
    with pytest.raises(
        RealSwitchError, match=r"^ovsdb-tool, .*: not installed; install the package openvswitch-switch"
    ):
        RealBridges(configs(V10))


STEPS: dict[str, Callable[[BridgeSwitch], object]] = {
    "message": lambda switch: switch.receive_message(ENTRY),
    "frames": lambda switch: switch.receive_frames([(1, bytes(60)), (2, bytes(60))]),
    "advance": lambda switch: switch.advance(1000),
    "entries": lambda switch: switch.entries(),
    "carrier": lambda switch: switch.carrier(1, False),
    "disconnect": lambda switch: switch.disconnect(),
    "power": lambda switch: switch.power_off(),
}


@pytest.mark.parametrize("name", STEPS)
def test_an_open_vswitch_that_is_killed_is_an_error_of_the_next_step_with_its_log(
    need_tool: Callable[..., None], name: str
) -> None:
    need_tool("ovs-vswitchd", "ovsdb-server")
    with RealBridges(configs(V13, 2)) as made:
        directory = made.processes.directory
        os.kill(made.processes.process_ids["ovs-vswitchd"], signal.SIGKILL)
        with pytest.raises(SwitchEndedError, match=r"ovs-vswitchd ended \(SIGKILL\): \d{4}-"):
            STEPS[name](made.switches["s1"])
    assert not directory.exists()


def test_an_input_that_makes_open_vswitch_abort_is_named_with_the_switch(
    need_tool: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    need_tool("ovs-vswitchd", "ovsdb-server")
    monkeypatch.setattr(bridge_switch, "_LONGEST_FRAME", 1 << 20)
    with RealBridges(configs(V10, 2)) as made:
        with pytest.raises(
            SwitchEndedError, match=r"^switch s2, after a frame: ovs-vswitchd ended \(SIGABRT\): \d{4}-"
        ):
            made.switches["s2"].receive_frames([(1, bytes(70_000))])
        with pytest.raises(SwitchEndedError, match=r"^switch s1, .*: ovs-vswitchd ended \(SIGABRT\)"):
            made.switches["s1"].receive_frames([(1, bytes(60))])


@pytest.mark.parametrize("name", STEPS)
def test_a_database_that_is_killed_is_an_error_of_the_next_step(need_tool: Callable[..., None], name: str) -> None:
    need_tool("ovs-vswitchd", "ovsdb-server")
    with RealBridges(configs(V13, 1)) as made:
        number = made.processes.process_ids["ovsdb-server"]
        end = os.pidfd_open(number)
        os.kill(number, signal.SIGKILL)
        with os.fdopen(end) as file:
            assert select.select([file], [], [], 10)[0]
        with pytest.raises(SwitchEndedError, match=r"ovsdb-server ended \(SIGKILL\)"):
            STEPS[name](made.switches["s1"])


@pytest.mark.parametrize("sent", [signal.SIGTERM, signal.SIGKILL], ids=lambda sent: sent.name)
def test_nothing_is_left_when_this_process_is_ended_by_a_signal(need_tool: Callable[..., None], sent: int) -> None:
    need_tool("ovs-vswitchd", "ovsdb-server")
    code = (
        "from sdnloom.confirm.openvswitch.real_bridges import RealBridges\n"
        "from sdnloom.switches.sigterm import ended_like_ctrl_c\n"
        "from tests.confirm.openvswitch.configs import configs\n"
        "with ended_like_ctrl_c(), RealBridges(configs(1)) as made:\n"
        "    print(made.processes.directory, flush=True)\n"
        "    while True: made.advance(1)\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as victim:
        assert victim.stdout is not None
        directory = Path(victim.stdout.readline().strip())
        children = Path(f"/proc/{victim.pid}/task/{victim.pid}/children").read_text().split()
        ends = [os.pidfd_open(int(number)) for number in children]
        assert len(ends) >= 3  # both daemons, and the keeper of the folder
        victim.send_signal(sent)
        victim.wait()
        for end in ends:
            with os.fdopen(end) as file:
                assert select.select([file], [], [], 10)[0]
    assert not directory.exists()
