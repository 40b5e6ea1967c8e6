"""The table of verdicts of a list of apps."""

import json
import sys
from pathlib import Path

import pytest

from tools import try_apps

pytest.importorskip("os_ken")
APPS = Path(__file__).parents[2] / "examples" / "apps"
HEADER = "number\tfile\toptions\n"


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """Return a function that runs the tool on rows of a list: its exit code, its results and what it printed."""

    def call(rows: str, *more: str):
        (tmp_path / "list.tsv").write_text(HEADER + rows)
        output = tmp_path / "results.json"
        arguments = [str(tmp_path / "list.tsv"), str(APPS), "-o", str(output), "--topology", "linear,2", *more]
        monkeypatch.setattr(sys, "argv", ["try_apps", *arguments])
        code = try_apps.main()
        return code, json.loads(output.read_text()), capsys.readouterr().out

    return call


def test_each_app_is_checked_on_each_hash_seed(run):
    code, results, printed = run("1\tlearning_switch_fixed.py\t\n2\tmissing.py\t\n", "--seeds", "2")
    assert code == 0
    fixed, missing = results
    assert [(each["seed"], each["verdict"], each["states"]) for each in fixed["runs"]] == [
        (0, "holds", 172),
        (1, "holds", 172),
    ]
    assert [each["exit"] for each in missing["runs"]] == [2, 2]
    assert "missing.py" in missing["runs"][0]["message"]
    assert printed.splitlines()[0].startswith("1 linear,2  holds")


def test_options_of_a_row_are_added_and_other_rows_can_be_left_out(run):
    row = "1\tlearning_switch_fixed.py\t--property NoHandlerException --no-arp\n"
    _, results, _ = run(row + "2\tmissing.py\t\n", "--only", "1")
    (only,) = results
    assert (only["runs"][0]["verdict"], only["runs"][0]["exit"]) == ("holds", 0)


def test_a_verdict_that_depends_on_the_hash_seed_is_told(run, monkeypatch):
    def odd(row, folder, topology, seed, command, limit):
        return {"verdict": "holds" if seed else "violated", "wall": 0.1}

    monkeypatch.setattr(try_apps, "check", odd)
    code, _, printed = run("1\tlearning_switch_fixed.py\t\n", "--seeds", "2")
    assert code == 1
    assert "DIFFERS" in printed
