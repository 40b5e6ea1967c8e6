"""The apps of the package ryu, unchanged; `make ryu` fetches them."""

from pathlib import Path

import pytest

from tests.cli.running import CommandLine

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / ".cache" / "ryu-4.34"
# The files as they are in the published archive, whose own hash `tools/fetch_ryu.py` checks.
HASHES = {
    "simple_switch": "7199215454bb566633caffd5ff8d1bbb1ff35b8b8ef966acf39318aa98f992b1",
    "simple_switch_13": "b02694bdc4d0d21dbe75e666e685632fbcba5af10205dcad776c9fecffa04de1",
    "simple_switch_stp_13": "0dd2a1736ea96af042149463e94b7e28414797b0859a9ec7b21883635a5b124f",
    "simple_monitor_13": "3e90c5b9bfd54e4e3c679b96c7045e888e305937e6054c014f45bbf41fd3ba96",
    "rest_router": "dcd2a19103905ff3f43007f792d7cbeb9b4263dc2b92571958ab09f24eea7a25",
    "example_switch_13": "9c320fc99a153bf9a24ec984524f277cf5c979e024e07b2d0188801bdb62553b",
}


@pytest.fixture(scope="session")
def ryu() -> Path:
    """Return the folder of Ryu's package; skip the test when it has not been fetched."""
    if not FOLDER.is_dir():
        pytest.skip("needs the apps of ryu==4.34: `make ryu` fetches them")
    return FOLDER


@pytest.fixture
def sdnloom(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> CommandLine:
    """Return a function that runs the command line; the current directory is `tmp_path`."""
    monkeypatch.chdir(tmp_path)
    return CommandLine(monkeypatch, capsys)
