"""Workers of a swarm: tasks of workers that die are done again, and no process is left behind, however a run ends.

Pools run in processes of their own, because a test may have threads. A process and its workers are gone when the pipe
that they print to has an end.
"""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.check.scenarios import SCENARIO, write
from tests.cli.running import taking_interrupts

ROOT = Path(__file__).parents[2]
HEAD = """
import os, signal, sys
from sdnloom.engine.swarm.worker_pool import WorkerError, WorkerPool
from sdnloom.errors import SdnloomError
parent = os.getpid()
"""
# Tasks write to this pipe how often they were begun: a worker that is forked before has both ends.
MARKS = """
reads, writes = os.pipe()
def begun(number):
    os.write(writes, bytes([number]))
def marks():
    os.close(writes)
    return sorted(os.read(reads, 1000))
"""


def run(script: str) -> str:
    """What a script prints; it must end well."""
    done = subprocess.run([sys.executable, "-c", HEAD + script], capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_task_whose_worker_is_killed_is_done_once_more_by_another_one() -> None:
    printed = run(
        MARKS
        + """
lock, unlock = os.pipe()
os.write(unlock, b"x")  # whoever takes this ends by -9
os.set_blocking(lock, False)
def task(number, link):
    begun(number)
    if number == 2:
        try:
            os.read(lock, 1)
        except BlockingIOError:
            return {"number": number}
        os.kill(os.getpid(), signal.SIGKILL)
    return {"number": number}
with WorkerPool(task, 5, 2) as pool:
    print(pool.results(lambda result: False))
print([(each.text, each.task) for each in pool.lost], pool.failed, marks())
"""
    )
    assert printed.splitlines() == [
        str({number: {"number": number} for number in range(1, 6)}),
        "[('signal 9', 2)] [] [1, 2, 2, 3, 4, 5]",
    ]


def test_a_task_that_ends_every_worker_is_given_up_and_the_others_are_done_while_there_are_workers() -> None:
    printed = run(
        MARKS
        + """
def task(number, link):
    begun(number)
    if number == 2:
        os._exit(7)
    return {"number": number}
for workers in (3, 2):
    with WorkerPool(task, 4, workers) as pool:
        print(sorted(pool.results(lambda result: False)), {each.text for each in pool.lost}, pool.failed)
print(marks().count(2))
"""
    )
    enough, too_few, times = printed.splitlines()
    assert (enough, times) == ("[1, 3, 4] {'exit code 7'} [2]", "4")
    done, failed = too_few.split(" {'exit code 7'} ")
    assert sorted(eval(done) + eval(failed)) == [1, 2, 3, 4]


def test_results_after_the_last_one_that_counts_are_left_out_whatever_comes_first() -> None:
    printed = run(
        """
lock, unlock = os.pipe()
def task(number, link):
    if number == 1:
        os.read(lock, 1)  # until task 3 has been done
    if number == 4:
        os.write(unlock, b"x")
    return {"number": number}
with WorkerPool(task, 9, 2) as pool:
    print(sorted(pool.results(lambda result: result["number"] in (2, 3))))
"""
        # Tasks 2 and 3 both end it; task 4 would never be begun, so task 1 must not wait for it.
        .replace("if number == 4", "if number == 2")
    )
    assert printed == "[1, 2]\n"


def test_errors_of_tasks_are_raised_in_the_parent_for_the_first_task_that_has_one() -> None:
    printed = run(
        """
def task(number, link):
    if number == 2:
        raise SdnloomError("task 2: the user can do something about it")
    raise ZeroDivisionError("nobody can")
for wanted in (1, 2):
    try:
        with WorkerPool(lambda number, link: task(number + wanted - 1, link), 1, 1) as pool:
            pool.results(lambda result: False)
    except (SdnloomError, WorkerError) as error:
        print(type(error).__name__, str(error).splitlines()[-1])
"""
    )
    assert printed.splitlines() == [
        "WorkerError ZeroDivisionError: nobody can",
        "SdnloomError task 2: the user can do something about it",
    ]


def test_workers_that_are_told_to_stop_give_what_they_have() -> None:
    printed = run(
        """
import threading
told = []
def task(number, link):
    link.tell(progress=[number])
    while not link.asked_to_stop():
        pass
    return {"stopped": number}
reason = lambda: "enough" if len(told) == 2 else None
with WorkerPool(task, 5, 2, reason, lambda number, values: told.append(number)) as pool:
    print(pool.results(lambda result: False), pool.failed)
"""
    )
    assert printed == "{1: {'stopped': 1}, 2: {'stopped': 2}} []\n"


BLOCKED = """
def task(number, link):
    os.write(1, b".")
    os.read(os.pipe()[0], 1)  # for ever: it never looks at its link
with WorkerPool(task, 2, 2) as pool:
    pool.results(lambda result: False)
"""


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_workers_end_with_their_parent_whatever_they_do(number: signal.Signals) -> None:
    with (
        taking_interrupts(),
        subprocess.Popen(
            [sys.executable, "-c", HEAD + BLOCKED], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=ROOT
        ) as process,
    ):
        assert process.stdout is not None
        assert os.read(process.stdout.fileno(), 1) + os.read(process.stdout.fileno(), 1) == b".."
        process.send_signal(number)
        assert process.stdout.read() == b""  # an end: nobody is left
        assert process.wait() == -number


SWARM = """
from benchmarks.pings import pings
from sdnloom.engine.swarm.options import SwarmOptions
from sdnloom.engine.swarm.run import search_swarm

found = search_swarm(pings(4), SwarmOptions(members={members}, transitions=30_000, memory=100_000, jobs=2))
print([each.end for each in found.members], found.stopped, *found.notes)
"""


@contextmanager
def forked(command: list[str], folder: Path) -> Iterator[tuple[subprocess.Popen[bytes], list[int]]]:
    """A command that forks two worker processes, and their numbers as soon as they are there."""
    with (
        taking_interrupts(),
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=folder) as process,
    ):
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
        while len(workers := children.read_text().split()) < 2:
            assert process.poll() is None
        yield process, [*map(int, workers)]


def lines_of(process: subprocess.Popen[bytes], code: int) -> list[str]:
    """What a command prints until no process is left that could print."""
    assert process.stdout is not None
    lines = process.stdout.read().decode().splitlines()
    assert process.wait() == code
    return lines


@pytest.mark.parametrize("killed", [1, 2])
def test_a_swarm_goes_on_when_a_worker_is_killed_and_says_so_and_which_members_are_missing_without_workers(
    killed: int,
) -> None:
    with forked([sys.executable, "-c", SWARM.format(members=3)], ROOT) as (process, workers):
        for worker in workers[:killed]:
            os.kill(worker, signal.SIGKILL)
        [line] = lines_of(process, 0)
    noted = [f"a worker process of member {n} ended with signal 9, and not because it was told to" for n in (1, 2)]
    if killed == 1:
        assert line == f"['share', 'share', 'share'] None {noted[0]}"
    else:
        assert line.startswith("[] the worker processes of members 1, 2, 3 ended before their time ")
        assert all(each in line for each in noted)


def test_ctrl_c_ends_a_swarm_on_the_command_line_with_what_it_has(tmp_path: Path) -> None:
    write(tmp_path, SCENARIO.replace('host = "h2"', 'host = "h2", most = 99').replace('"h2"]', '"h2"]\nsends = 9'))
    size = ("--jobs", "2", "--members", "10000", "--max-transitions", "1000")
    with forked([sys.executable, "-m", "sdnloom", "walk", "hub.toml", "--swarm", *size], tmp_path) as (process, _):
        process.send_signal(signal.SIGINT)
        lines = lines_of(process, 3)
    assert lines[0] == "note: stopping after the present step; press Ctrl-C again to stop at once"
    assert lines[1].startswith("INCOMPLETE no violation in a swarm of ")
    assert lines[2] == "stopped early: interrupted"
