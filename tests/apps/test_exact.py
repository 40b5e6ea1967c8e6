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


@pytest.mark.parametrize("app", APPS, ids=lambda app: app.name)
def test_states_are_the_same_reached_directly_restored_or_rebuilt(ryu: Path, app: App) -> None:
    for seed in range(SEQUENCES.get(app.name, 10)):
        course = directly(app, ryu, list(random_inputs(app, seed, 12)))
        other = program(app, ryu)
        assert restored(other, course, random.Random(seed)) == course
        assert replayed(other, course, random.Random(seed)) == course


@pytest.mark.parametrize("app", APPS, ids=lambda app: app.name)
def test_digests_are_the_same_in_every_process(ryu: Path, app: App) -> None:
    def digests(hash_seed: str) -> list[str]:
        command = [sys.executable, "-m", "benchmarks.app_sequences", str(ryu), app.name, "0", "2"]
        environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
        run = subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT, env=environment)
        return run.stdout.split()

    own = [digest for seed in (0, 1) for digest in directly(app, ryu, list(random_inputs(app, seed, 12))).digests]
    assert len(set(own)) > 10
    assert digests("1") == digests("2") == own
