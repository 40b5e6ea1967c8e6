"""Workers that Ray runs on this machine: the results of one process, and nothing left behind."""

import importlib.util
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from benchmarks.pings import pings
from sdnloom.engine.cluster.program import ClusterProgram
from sdnloom.engine.limits import LimitWatch
from sdnloom.engine.result import Limits
from tests.engine.systems import random_system

ray_backend = pytest.importorskip("sdnloom.engine.cluster.ray_backend")
if importlib.util.find_spec("ray") is None:
    pytest.skip("Ray is not installed", allow_module_level=True)
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]  # Ray's own


def ping_program(count: int) -> ClusterProgram:
    return ClusterProgram(pings(count))


def random_program(seed: int) -> ClusterProgram:
    return ClusterProgram(random_system(seed))


@pytest.fixture(scope="module")
def connection() -> Iterator[object]:
    found = ray_backend.RayConnection("local")
    yield found
    found.close()


def searched(connection, program, workers: int, on_pause=lambda backend, search: None):
    from sdnloom.engine.cluster.search import ClusterSearch

    backend = ray_backend.RayBackend(connection, program, workers, 1, close_connection=False)
    limits, found = Limits(states=100_000), {}
    try:
        search = ClusterSearch(
            program().memo(),
            backend,
            limits=limits,
            watch=LimitWatch(limits),
            on_finding=lambda finding, number: found.setdefault(finding, number) < 0,
            on_pause=lambda: on_pause(backend, search),
            small_level=2,
            checkpoint_seconds=0,
        )
        search.run()
        paths = {finding: search.values(number) for finding, number in found.items()}
        return search.count(), search.transitions, search.depth, search.stopped, paths
    finally:
        backend.close()


def test_workers_of_ray_equal_workers_in_this_process(connection) -> None:
    from tests.engine.cluster.test_in_process import looped

    for seed, workers in ((1, 1), (4, 2), (6, 3)):
        expected = looped(random_program(seed), Limits(states=100_000))
        found = searched(connection, partial(random_program, seed), workers)
        assert found == (*expected[:4], expected[5])


def test_a_search_goes_on_when_a_worker_is_killed(connection) -> None:
    killed = []

    def kill(backend, search) -> None:
        if search.count() > 500 and not killed:
            killed.append(connection.ray.get(backend.call(1, "process")))
            os.kill(killed[0], signal.SIGKILL)

    assert searched(connection, partial(ping_program, 3), 2, kill)[:3] == (4649, 11_231, 41)
    assert killed


def test_an_address_where_nothing_answers_is_one_message(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "sdnloom", "check", "examples/mac_learning/bug1.toml", "--no-trace"]
    done = subprocess.run([*command, "--cluster", "127.0.0.1:1"], capture_output=True, text=True, timeout=120)
    assert done.returncode == 2
    assert "no Ray cluster answers at '127.0.0.1:1'" in done.stderr
    assert "Traceback" not in done.stderr
