"""A controller in a process: reactions are whole, ends are noticed, and nothing is left behind."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from sdnloom.confirm.controller.controller_process import MARK, ControllerProcess
from sdnloom.confirm.controller.process_controller import ProcessController
from sdnloom.confirm.controller.process_rest import ProcessRest
from sdnloom.confirm.real_parts import ControllerReaction, NotEnforceable, ObservedException, RealPartError
from tests.confirm.controller import small_controller as small

HELLO = small.message(0, 0)
FEATURES = small.message(6, 2)
SMALL = Path(small.__file__)


def started(limit: float = 20.0, takes_calls: bool = False) -> ProcessController:
    process = ControllerProcess([sys.executable, "-S", "-E", str(SMALL)], {})
    return ProcessController(process, process.ports_report()["listening"], takes_calls=takes_calls, limit=limit)


@pytest.fixture
def controller() -> Iterator[ProcessController]:
    made = started()
    yield made
    made.close()
    assert processes_of(made) == []
    assert not made._process.folder.exists()


def processes_of(controller: ProcessController) -> list[int]:
    """The processes that belong to a controller and run."""
    mark = f"{MARK}={controller._process.folder}".encode()
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                if mark in (entry / "environ").read_bytes().split(b"\0"):
                    found.append(int(entry.name))
            except OSError:
                continue
    return found


def answers(data: bytes) -> list[bytes] | None:
    return {0: [HELLO], 5: [FEATURES]}.get(data[1])


def order(number: int, argument: int = 0) -> bytes:
    return small.message(10, 0, bytes([number, argument]))


def ids(reaction: ControllerReaction) -> list[tuple[str, int]]:
    """The switch and the transaction id of each message."""
    assert all(data[1] == 20 for _, data in reaction.messages)
    return [(switch, int.from_bytes(data[4:8], "big")) for switch, data in reaction.messages]


def test_a_reaction_has_everything_that_an_input_led_to_and_nothing_else(controller: ProcessController) -> None:
    assert not controller.join("s1", answers)
    assert not controller.join("s2", answers)
    assert ids(controller.receive("s2", order(small.ANSWER, 4))) == [("s2", 4)]
    raised = controller.receive("s1", order(small.RAISE, 5))
    assert raised == ControllerReaction(raised=(ObservedException("KeyError: 5", "/a/b.py", 3, (("/a/b.py", 3),)),))
    assert ids(controller.receive("s1", order(small.ECHO))) == [("s1", 8)]  # its echo request was answered, not shown
    many = controller.receive("s1", order(small.BURST, 100))  # more than the sockets hold
    assert ids(many) == [("s1", each) for each in range(100)]
    assert ids(controller.receive("s1", order(small.CHILD))) == [("s1", 11)]
    assert not controller.leave("s2")
    assert not controller.receive("s2", order(small.ANSWER))
    assert not controller.join("s2", answers)
    closed = controller.receive("s2", order(small.HANG_UP, 3))
    assert (ids(closed), closed.closed) == ([("s2", 3)], ("s2",))
    assert not controller.receive("s2", order(small.ANSWER))
    assert not controller.join("s2", answers)
    with pytest.raises(RealPartError, match="switch s1 joins twice"):
        controller.join("s1", answers)
    for make in (lambda: controller.call("GET /a", ()), lambda: controller.fire("tick")):
        with pytest.raises(NotEnforceable):
            make()


def test_no_reaction_ends_early_however_many_threads_take_part(controller: ProcessController) -> None:
    controller.join("s1", answers)
    controller.receive("s1", order(small.WAKE, 2))  # a thread that wakes up every two milliseconds
    chance = random.Random(1)
    for _ in range(60):
        number = chance.randrange(1, 20)
        assert ids(controller.receive("s1", order(small.RELAY, number))) == [("s1", 9)], number


def test_a_controller_that_does_not_read_holds_nothing_up_and_what_comes_later_is_not_lost(
    controller: ProcessController,
) -> None:
    controller.join("s1", answers)
    assert not controller.receive("s1", order(small.STOP, 10))
    assert not controller.receive("s1", order(small.ANSWER, 6))
    late = controller.wait(lambda seen: len(seen.messages) == 2, 10)
    assert ids(late) == [("s1", 5), ("s1", 6)]
    assert not controller.receive("s1", order(small.LATER, 1))
    assert ids(controller.wait(lambda seen: bool(seen.messages), 10)) == [("s1", 10)]
    began = time.monotonic()
    assert not controller.wait(lambda seen: False, 0.05)
    assert time.monotonic() - began < 5


def test_calls_and_timers_go_over_standard_input() -> None:
    with closing(started(takes_calls=True)) as controller:
        _call_and_fire(controller)


def _call_and_fire(controller: ProcessController) -> None:
    answered = controller.call("add", (1, "x")).answers
    assert [(each.name, each.status, each.body) for each in answered] == [("add", 200, "[1, 'x']")]
    assert [each.text for each in controller.call("fail", ()).raised] == ["ValueError: fail"]
    assert not controller.fire("tick")
    with pytest.raises(NotEnforceable, match="call 'add': its arguments cannot be written as JSON"):
        controller.call("add", (object(),))


@pytest.mark.parametrize("how", ["exit", "SIGKILL"])
def test_the_end_of_the_process_is_told_once_with_its_last_words(controller: ProcessController, how: str) -> None:
    controller.join("s1", answers)
    if how == "exit":
        reaction = controller.receive("s1", order(small.END, 3))
    else:
        os.kill(controller.process_id, signal.SIGKILL)
        reaction = controller.receive("s1", order(small.ANSWER))
    expected = "exit code 3: the last words" if how == "exit" else "SIGKILL: it wrote no log"
    assert reaction == ControllerReaction(ended=expected)
    assert not controller.receive("s1", order(small.ANSWER))
    assert not controller.join("s2", answers)
    assert not controller.wait(lambda seen: False, 10)
    assert not controller.leave("s1")


def test_a_process_that_never_rests_is_named_after_a_limit() -> None:
    controller = started(limit=0.2)
    try:
        controller.join("s1", answers)
        with pytest.raises(RealPartError, match=r"does not come to rest within 0\.2 s: thread \d+ \(.+\) of process"):
            controller.receive("s1", order(small.SPIN))
    finally:
        controller.close()


def test_what_the_controller_has_started_ends_with_it(controller: ProcessController) -> None:
    controller.join("s1", answers)
    controller.receive("s1", order(small.DAEMON))
    assert len(processes_of(controller)) == 2  # the fixture looks whether both have ended


def test_reports_that_are_none_are_an_error(controller: ProcessController) -> None:
    controller.join("s1", answers)
    with pytest.raises(RealPartError, match="the controller reports b'nonsense'; expected a line with a JSON object"):
        controller.receive("s1", order(small.NONSENSE))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["/no/such/program"], "ended when it started \\(exit code .*\\): .*/no/such/program"),
        ([sys.executable, "-S", "-c", "import nothing_of_this_name"], "No module named 'nothing_of_this_name'"),
        ([sys.executable, "-S", "-c", ""], "ended when it started \\(exit code .*\\): it wrote no log"),
    ],
)
def test_a_controller_that_does_not_start_is_one_error_with_the_reason(words: list[str], message: str) -> None:
    process = ControllerProcess(words, {})
    with pytest.raises(RealPartError, match=message):
        process.ports_report()
    process.close()


def test_if_sdnloom_is_killed_everything_of_the_controller_ends() -> None:
    code = """
import json, os, signal
from tests.confirm.controller.test_process_controller import answers, order, processes_of, small, started
controller = started()
controller.join("s1", answers)
controller.receive("s1", order(small.DAEMON))
print(json.dumps([str(controller._process.folder), processes_of(controller)]), flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=dict(os.environ))
    assert ended.returncode == -signal.SIGKILL, ended.stderr
    folder, processes = json.loads(ended.stdout)
    assert len(processes) == 2
    deadline = time.monotonic() + 20
    while Path(folder).exists() or any(Path(f"/proc/{each}/environ").exists() and _runs(each) for each in processes):
        assert time.monotonic() < deadline, "something is left"
        time.sleep(0.01)


def _runs(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def test_a_process_is_at_rest_when_all_its_threads_and_children_sleep() -> None:
    code = "import subprocess, sys; subprocess.run([sys.executable, '-S', '-c', '{}'])"
    for inner, rests in (("import time; time.sleep(60)", True), ("while True: pass", False)):
        process = subprocess.Popen([sys.executable, "-S", "-c", code.format(inner)])
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
        while not (found := children.read_text().split()):
            time.sleep(0.001)
        child = int(found[0])
        watched = ProcessRest(process.pid)
        try:
            if rests:
                assert {each[0] for each in watched.wait(20)} == {process.pid, child}
            else:
                with pytest.raises(RealPartError, match=rf"thread {child} \(.*\) of process {child} still runs"):
                    watched.wait(0.1)
        finally:
            os.kill(child, signal.SIGKILL)
            process.kill()
            process.wait()
        assert watched.at_rest() == ()
        watched.close()
