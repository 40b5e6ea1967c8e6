"""State capture is exact: a state is the same however it was reached. The benchmark `platforms` runs thousands."""

import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.app_sequences import APPS, App, directly, program, random_inputs, replayed, restored
from tests.apps.conftest import ROOT

SEQUENCES = {"simple_switch_stp_13": 2, "rest_router": 4}  # those of apps with many threads take longer


@pytest.mark.slow
@pytest.mark.parametrize("app", APPS, ids=lambda app: app.name)
def test_states_are_the_same_reached_directly_restored_or_rebuilt(ryu: Path, app: App) -> None:
    for seed in range(SEQUENCES.get(app.name, 10)):
        course = directly(app, ryu, list(random_inputs(app, seed, 12)))
        other = program(app, ryu)
        assert restored(other, course, random.Random(seed)) == course
        assert replayed(other, course, random.Random(seed)) == course


EVERY_APP = """
import sys
from benchmarks.app_sequences import APPS, main
for app in APPS:
    main(sys.argv[1], app.name, "0", "2")
"""


def digests(ryu: Path, hash_seed: str) -> list[list[str]]:
    """The digests of two sequences of each app, in a process in which texts hash by this seed."""
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
    command = [sys.executable, "-c", EVERY_APP, str(ryu)]
    run = subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT, env=environment)
    return [line.split() for line in run.stdout.splitlines()]


@pytest.mark.slow
def test_digests_are_the_same_in_every_process(ryu: Path) -> None:
    own = [list(directly(app, ryu, list(random_inputs(app, seed, 12))).digests) for app in APPS for seed in (0, 1)]
    assert all(len({*first, *second}) > 10 for first, second in zip(own[::2], own[1::2], strict=True))
    assert digests(ryu, "1") == digests(ryu, "2") == own
