"""Faucet 1.10 as it is published: five configurations, its inputs, and states that come back the same."""

import base64
import hashlib
import importlib.metadata
import json
import os
import subprocess
import sys

import pytest

from tests.apps.conftest import ROOT

# Scenario -> verdict, violated property, steps, whether its replay confirms it, states, transitions, handler runs.
EXPECTED = {
    "one_vlan": ["holds", None, None, None, 131, 256, 5],
    "acl": ["holds", None, None, None, 276, 802, 2],
    "acl_flooded": ["violated", "Isolated(h3, h1)", 3, True, 5, 4, 1],
    "routing": ["holds", None, None, None, 84, 120, 5],
    "routing_first_ping": ["violated", "PingsAnswered", 25, True, 23, 22, 7],
    "mobile": ["holds", None, None, None, 5318, 17360, 12],
    "stack": ["holds", None, None, None, 422, 1029, 18],
    "discover": ["incomplete", None, None, None, 379, 474, 50],
}


@pytest.fixture(scope="module")
def faucet() -> importlib.metadata.Distribution:
    """The installed package; skip the test when it is missing."""
    try:
        return importlib.metadata.distribution("faucet")
    except importlib.metadata.PackageNotFoundError:
        pytest.skip("needs faucet==1.10.12: `make setup` installs it")


def in_a_process(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a module with a fixed hash seed: Faucet takes the jitter of its timeouts from hashes of text."""
    path = os.pathsep.join((str(ROOT / "src"), str(ROOT)))
    return subprocess.run(
        [sys.executable, "-m", *arguments],
        env={**os.environ, "PYTHONHASHSEED": "0", "PYTHONPATH": path},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_package_is_the_published_one(faucet: importlib.metadata.Distribution) -> None:
    assert faucet.version == "1.10.12"
    files = [each for each in faucet.files or () if each.suffix == ".py"]
    assert len(files) > 40
    for each in files:
        assert each.hash is not None
        digest = hashlib.new(each.hash.mode, each.read_binary()).digest()
        assert base64.urlsafe_b64encode(digest).rstrip(b"=").decode() == each.hash.value, each


def test_every_scenario_has_an_expected_verdict() -> None:
    files = (ROOT / "examples" / "faucet").glob("*.toml")
    assert {file.stem for file in files if not file.name.endswith(".part.toml")} == EXPECTED.keys()


@pytest.mark.slow
@pytest.mark.usefixtures("faucet")
def test_the_configurations_have_the_expected_verdicts_and_counts() -> None:
    done = in_a_process("tests.apps.faucet_runs", "check", *EXPECTED)
    assert done.stderr == ""
    assert json.loads(done.stdout) == EXPECTED


@pytest.mark.slow
@pytest.mark.usefixtures("faucet")
def test_repeated_loads_and_replays_make_no_difference() -> None:
    done = in_a_process("tests.apps.faucet_runs", "repeat", "one_vlan", "5")
    assert (done.stderr, json.loads(done.stdout)) == ("", [1, 5])
