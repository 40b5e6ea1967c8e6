"""Names of trace files: own traces are replaced, those of other scenarios are kept."""

import hashlib
import json
from pathlib import Path

from sdnloom.cli.trace_names import free_trace_file
from tests.cli.running import CommandLine

SCENARIO = """\
properties = ["NoBlackHoles"]
[program]
file = "silent.py"
[topology]
shape = "single"
[[hosts]]
name = "h1"
kind = "client"
to = ["h2"]
"""


def write(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "silent.py").write_text("class Silent:\n    def packet_in(self, net, s, m):\n        net.drop(s, m)\n")
    (folder / "net.toml").write_text(SCENARIO)
    return folder / "net.toml"


def traces(folder: Path) -> list[str]:
    return sorted(file.name.removesuffix(".sdnloom-trace.json") for file in folder.glob("*.json"))


def test_traces_of_scenarios_with_the_same_name_do_not_collide(sdnloom: CommandLine, tmp_path: Path) -> None:
    files = [write(tmp_path / name) for name in ("a", "b", "c/b")]
    for file in (*files, *files):  # each twice: the second time it replaces its own
        assert sdnloom("check", file).code == 1
    kept = {file.name: json.loads(file.read_text())["source"]["scenario"] for file in tmp_path.glob("*.json")}
    hashed = hashlib.sha256(b"[('scenario', 'c/b/net.toml')]").hexdigest()[:6]
    suffix = ".sdnloom-trace.json"
    assert kept == {
        f"net.NoBlackHoles{suffix}": "a/net.toml",
        f"b.net.NoBlackHoles{suffix}": "b/net.toml",
        f"net.NoBlackHoles.{hashed}{suffix}": "c/b/net.toml",
    }
    for name in kept:
        assert sdnloom("replay", name).code == 1


def test_a_varied_scenario_is_another_one(sdnloom: CommandLine, tmp_path: Path) -> None:
    file = write(tmp_path / "a")
    plain, varied = sdnloom("check", file), sdnloom("check", file, "--ping", "h2,h1")
    assert plain.out.splitlines()[-1] == "replay: sdnloom replay net.NoBlackHoles.sdnloom-trace.json"
    assert varied.out.splitlines()[-1] == "replay: sdnloom replay a.net.NoBlackHoles.sdnloom-trace.json"
    assert (
        sdnloom("check", file, "--ping", "h2,h1", "--max-states", "500")
        .out.splitlines()[-1]
        .endswith("replay a.net.NoBlackHoles.sdnloom-trace.json")
    )


def test_a_file_that_is_no_trace_is_kept(tmp_path: Path) -> None:
    (tmp_path / "net.P.sdnloom-trace.json").write_text("notes")
    used: set[Path] = set()
    first = free_trace_file(tmp_path, "net.P", "", {"scenario": "x"}, used)
    second = free_trace_file(tmp_path, "net.P", "", {"scenario": "x"}, used)
    hashed = hashlib.sha256(b"[('scenario', 'x')]").hexdigest()[:6]
    names = [f"net.P.{hashed}.sdnloom-trace.json", f"net.P.{hashed}.2.sdnloom-trace.json"]
    assert [first.name, second.name] == names
    assert (tmp_path / "net.P.sdnloom-trace.json").read_text() == "notes"


def test_characters_of_a_name_that_files_cannot_have_are_replaced(tmp_path: Path) -> None:
    assert free_trace_file(tmp_path, "a b/Reachable(h1, h2)", "", {}, set()).name.startswith("a-b-Reachable-h1-h2.")
