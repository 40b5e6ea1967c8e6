"""Open vSwitch as a part of the product: started and ended without a trace, with clear errors, connected again."""

import os
import select
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from sdnloom.network.openflow.constants import V10, V13
from sdnloom.switches import daemons
from sdnloom.switches.errors import ConnectionClosedError, RealSwitchError, SwitchEndedError
from sdnloom.switches.openvswitch import OpenVswitch
from sdnloom.switches.reset_messages import ERROR, header, plain_hello


@pytest.fixture(scope="module", params=[V10, V13])
def switch(request: pytest.FixtureRequest, need_tool: Callable[..., None]) -> Iterator[OpenVswitch]:
    need_tool("ovs-vswitchd", "ovsdb-server")
    with OpenVswitch(request.param) as running:
        yield running


def runs(process_id: int) -> bool:
    try:
        return Path(f"/proc/{process_id}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_closing_ends_both_processes_and_removes_the_directory(need_tool: Callable[..., None]) -> None:
    need_tool("ovs-vswitchd", "ovsdb-server")
    with OpenVswitch(V10) as switch:
        processes, directory = switch.process_ids, switch.directory
        assert list(processes) == ["ovsdb-server", "ovs-vswitchd"]
        assert all(runs(process_id) for process_id in processes.values())
    assert not any(runs(process_id) for process_id in processes.values())
    assert not directory.exists()


def test_an_interrupt_while_it_starts_leaves_nothing(
    need_tool: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    need_tool("ovs-vswitchd", "ovsdb-server")
    seen: list[OpenVswitch] = []

    def interrupted(switch: OpenVswitch) -> None:
        seen.append(switch)
        raise KeyboardInterrupt

    monkeypatch.setattr(OpenVswitch, "greet", interrupted)
    with pytest.raises(KeyboardInterrupt):
        OpenVswitch(V10)
    assert len(seen[0].process_ids) == 2
    assert not any(runs(process_id) for process_id in seen[0].process_ids.values())
    assert not seen[0].directory.exists()


def test_nothing_is_left_when_this_process_is_killed(need_tool: Callable[..., None]) -> None:
    need_tool("ovs-vswitchd", "ovsdb-server")
    code = (
        "from sdnloom.switches.openvswitch import OpenVswitch\n"
        "switch = OpenVswitch(1)\n"
        "print(switch.directory, *switch.process_ids.values(), flush=True)\n"
        "input()\n"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as victim:
        assert victim.stdout is not None
        directory, *numbers = victim.stdout.readline().split()
        children = Path(f"/proc/{victim.pid}/task/{victim.pid}/children").read_text().split()
        assert {number.decode() for number in numbers} < set(children)
        ends = [os.pidfd_open(int(number)) for number in children]  # one of them removes the directory
        victim.kill()
        victim.wait()
        for end in ends:
            assert _ended(end)
    assert not Path(directory.decode()).exists()


def _ended(process: int) -> bool:
    """Return whether a process ends within ten seconds."""
    with os.fdopen(process) as file:
        return bool(select.select([file], [], [], 10)[0])


def test_a_missing_program_is_named_with_its_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(daemons, "_search_path", lambda: "/nowhere")
    with pytest.raises(RealSwitchError, match=r"^ovsdb-tool, .*: not installed; install the package openvs"):
        OpenVswitch(V10)


def test_a_version_that_it_is_not_started_with_is_refused() -> None:
    with pytest.raises(RealSwitchError, match=r"^version=2: expected 1 or 4$"):
        OpenVswitch(2)


def test_a_daemon_that_dies_is_reported_with_the_last_line_of_its_log(need_tool: Callable[..., None]) -> None:
    need_tool("ovs-vswitchd", "ovsdb-server")
    with OpenVswitch(V10) as switch:
        os.kill(switch.process_ids["ovs-vswitchd"], signal.SIGKILL)
        with pytest.raises(SwitchEndedError, match=r"^ovs-vswitchd ended \(SIGKILL\): \d{4}-.*\|"):
            switch.wait_for_end()
        with pytest.raises(ConnectionClosedError):
            switch.observe()
        with pytest.raises(SwitchEndedError):
            switch.rounds(1)


def test_a_command_that_the_daemon_refuses_is_an_error_with_its_reason(switch: OpenVswitch) -> None:
    with pytest.raises(RealSwitchError, match=r"^Open vSwitch refused 'no/such': \"no/such\" is not a valid command"):
        switch.control("no/such")


def test_a_fresh_connection_starts_with_the_hello_of_the_switch(switch: OpenVswitch) -> None:
    for _ in range(3):
        switch.reconnect()
        assert switch.hello[:2] == bytes((switch.version, 0))
        switch.greet()
        assert switch.message(header(switch.version, 2, b"x", xid=7)).messages == (
            header(switch.version, 3, b"x", xid=7),
        )


def test_a_hello_of_version_0_ends_the_connection_without_a_word(switch: OpenVswitch) -> None:
    switch.reconnect()
    switch.openflow.send(plain_hello(0))
    switch.rounds(4)
    assert switch.openflow.arrived() == []
    assert switch.openflow.ended
    switch.reconnect()
    switch.greet()


def test_a_hello_of_an_older_version_is_answered_with_an_error(need_tool: Callable[..., None]) -> None:
    need_tool("ovs-vswitchd", "ovsdb-server")
    with OpenVswitch(V13) as switch:
        switch.reconnect()
        switch.openflow.send(plain_hello(V10))
        switch.rounds(4)
        (error,) = switch.openflow.arrived()
        assert (error[1], error[8:12]) == (ERROR, bytes(4))  # HELLO_FAILED, INCOMPATIBLE
        assert switch.openflow.ended


def test_messages_before_the_end_of_a_connection_are_kept(switch: OpenVswitch) -> None:
    echo = header(switch.version, 2, b"x", xid=7)
    with pytest.raises(ConnectionClosedError) as caught:
        switch.message(echo + bytes((switch.version, 0, 0, 4)) + bytes(4))
    assert caught.value.messages == (header(switch.version, 3, b"x", xid=7),)
    switch.reconnect()
    switch.greet()
