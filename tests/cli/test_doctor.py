"""`sdnloom doctor`: what it says about this machine, about one without optional parts, and about a broken one."""

import importlib.util
import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from sdnloom.cli import machine_parts
from sdnloom.cli.machine_parts import examine_machine
from sdnloom.report.doctor.machine import Machine, MachinePart
from sdnloom.report.doctor.text import doctor_text
from tests.cli.running import CommandLine


def without(monkeypatch: pytest.MonkeyPatch, *modules: str) -> None:
    real = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name in modules else real(name))


@pytest.fixture(autouse=True)
def _no_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    """No program is asked for its version, unless a test says so."""
    monkeypatch.setattr(subprocess, "run", lambda *given, **named: pytest.fail("a program was started"))
    monkeypatch.setattr(machine_parts, "_which", lambda name: None)


def part(machine: Machine, name: str) -> MachinePart:
    [found] = [each for each in machine.parts if each.name == name]
    return found


def test_this_machine_is_ready(sdnloom: CommandLine) -> None:
    run = sdnloom("doctor")
    assert (run.code, run.err) == (0, "")
    assert run.out.startswith("READY sdnloom ")
    assert "\n  ok       os-ken " in run.out


def test_json_has_the_same(sdnloom: CommandLine) -> None:
    run = sdnloom("doctor", "--format", "json")
    document = json.loads(run.out)
    assert (run.code, document["schema"], document["works"]) == (0, "sdnloom-doctor-1", True)
    assert {each["name"] for each in document["parts"]} == {each.name for each in examine_machine().parts}


def test_what_is_missing_comes_with_the_command_that_installs_it(
    sdnloom: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    without(monkeypatch, "os_ken", "bitwuzla")
    monkeypatch.setattr(shutil, "which", lambda name, path=None: "/usr/bin/apt-get" if name == "apt-get" else None)
    run = sdnloom("doctor")
    assert run.code == 0
    assert "  missing  os-ken                             os-ken and Ryu apps (--app, init)\n" in run.out
    todo = run.out.split("to get what is not there:\n")[1].splitlines()
    assert "  os-ken: pip install 'sdnloom[osken]'" in todo
    assert "  bitwuzla: pip install 'sdnloom[symbolic]'" in todo
    assert "  Open vSwitch: apt install openvswitch-switch" in todo


def test_a_machine_without_a_needed_library_is_not_ready(sdnloom: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    without(monkeypatch, "numpy")
    run = sdnloom("doctor")
    assert run.code == 1
    assert run.out.startswith("NOT READY sdnloom ")
    assert "  numpy: pip install numpy\n" in run.out


@pytest.mark.parametrize(
    ("answer", "version"),
    [
        ("ovs-vswitchd (Open vSwitch) 3.1.0\n", "3.1.0"),
        ("no number", ""),
        (subprocess.TimeoutExpired("x", 5), ""),
        (OSError(), ""),
    ],
)
def test_programs_are_asked_for_their_version(answer: Any, version: str, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def run(command: list[str], **named: Any) -> Any:
        asked.append((command[1:], named["timeout"]))
        if isinstance(answer, Exception):
            raise answer
        return subprocess.CompletedProcess(command, 0, answer, "")

    monkeypatch.setattr(subprocess, "run", run)
    monkeypatch.setattr(machine_parts, "_which", lambda name: f"/usr/sbin/{name}")
    found = part(examine_machine(), "Open vSwitch")
    assert (found.state, found.detail) == ("found", version)
    assert asked == [(["--version"], 5.0), (["--version"], 5.0), (["-V"], 5.0)]


def test_a_cache_and_a_folder_that_cannot_be_written_are_problems(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "file" / "inside"))
    found = part(examine_machine(), "numba's cache")
    assert (found.state, found.advice) == ("unusable", "set NUMBA_CACHE_DIR to a folder that you can write")
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "new" / "inside"))
    assert part(examine_machine(), "numba's cache").state == "found"


def test_the_text_counts_cores_and_leaves_out_what_is_not_known() -> None:
    machine = Machine("1.0", "3.12.1", "Darwin arm64", 1, None, ())
    assert doctor_text(machine).splitlines()[0] == "READY sdnloom 1.0, Python 3.12.1, Darwin arm64, 1 core"
