"""`sdnloom netkat` as a user runs it: output and exit code."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples" / "netkat"


def netkat(*arguments: str, seed: str = "0") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "sdnloom", "netkat", *arguments],
        capture_output=True,
        text=True,
        cwd=EXAMPLES,
        env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONUTF8": "1"},
        timeout=120,
    )


def test_check_of_a_good_file_lists_its_policies():
    run = netkat("check", "firewall.nk")
    assert (run.returncode, run.stderr) == (0, "")
    assert run.stdout == (
        "ok: firewall.nk: policies: 4; fields: flag, pt, type; claims: 6 of 6 hold\n"
        "  open     flag = regular . pt = 1 . pt <- 2\n"
        "  no-ssh   flag = regular . type != ssh . pt = 1 . pt <- 2\n"
        "  no-udp   flag = regular . type != udp . pt = 1 . pt <- 2\n"
        "  neither  flag = regular . type != ssh . type != udp . pt = 1 . pt <- 2\n"
    )


def test_check_of_its_broken_twin_shows_the_packet_against_each_claim():
    run = netkat("check", "firewall_broken.nk")
    assert (run.returncode, run.stderr) == (1, "")
    assert run.stdout.splitlines()[:7] == [
        "violated: firewall_broken.nk: policies: 4; fields: flag, pt, type; claims: 1 of 3 hold",
        "firewall_broken.nk:10:1: does not hold: neither <= no-ssh",
        "  in   flag=regular  pt=1  type=ssh",
        "  out  flag=regular  pt=2  type=ssh    made by the left side only",
        "firewall_broken.nk:13:1: does not hold: type = ssh . neither == zero",
        "  in   flag=regular  pt=1  type=ssh",
        "  out  flag=regular  pt=2  type=ssh    made by the left side only",
    ]


@pytest.mark.slow
@pytest.mark.parametrize("seed", ["1", "77"])
def test_answers_do_not_depend_on_the_hash_seed(seed):
    commands = [
        ("check", "ring.nk", "--format", "json"),
        ("check", "firewall_broken.nk"),
        ("reach", "ring.nk", "net", "--from", "sw = 4 . pt != 1"),
        ("equiv", "ring.nk", "net", "net . dst = 1", "--format", "json"),
    ]
    for command in commands:
        assert netkat(*command, seed=seed).stdout == netkat(*command).stdout


def test_check_as_json():
    run = netkat("check", "firewall_broken.nk", "--format", "json")
    answer = json.loads(run.stdout)
    assert run.returncode == 1
    assert answer["schema"] == 1
    assert answer["fields"] == ["flag", "pt", "type"]
    assert answer["policies"]["open"] == {
        "fields": ["flag", "pt"],
        "policy": "flag = regular . pt = 1 . pt <- 2",
    }
    assert [claim["holds"] for claim in answer["claims"]] == [True, False, False]
    assert answer["claims"][2] == {
        "line": 13,
        "claim": "type = ssh . neither == zero",
        "holds": False,
        "witness": {
            "in": {"flag": "regular", "pt": 1, "type": "ssh"},
            "out": {"flag": "regular", "pt": 2, "type": "ssh"},
            "side": "left",
        },
    }


def test_lint_warnings_fail_only_a_strict_check(tmp_path: Path):
    path = tmp_path / "odd.nk"
    path.write_text("let dead = pt <- 1 . pt = 2\n")
    lenient, strict = netkat("check", str(path)), netkat("check", "--strict", str(path))
    assert (lenient.returncode, strict.returncode) == (0, 1)
    assert f"{path}:1:5: warning: policy 'dead' drops every packet" in lenient.stdout


def test_equiv_of_expressions():
    same = netkat("equiv", "~(a = 1 + b = 2)", "a != 1 . b != 2")
    assert (same.returncode, same.stdout) == (0, "equivalent: A and B do the same\n")
    other = netkat("equiv", "a = 1 . a <- 2", "a = 1 . a <- 3")
    assert other.returncode == 1
    assert other.stdout == "different:\n  in   a=1\n  out  a=2    made by A, not by B\n"


def test_equiv_of_names_in_a_file():
    run = netkat("equiv", "firewall.nk", "no-ssh", "open", "--format", "json")
    assert run.returncode == 1
    assert json.loads(run.stdout)["witness"] == {
        "in": {"flag": "regular", "pt": 1, "type": "ssh"},
        "out": {"flag": "regular", "pt": 2, "type": "ssh"},
        "side": "right",
    }
    run = netkat("equiv", "firewall.nk", "no-ssh", "open", "--contained")
    assert (run.returncode, run.stdout) == (0, "contained: B does all that A does\n")
    run = netkat("equiv", "firewall.nk", "open", "no-ssh", "--contained")
    assert run.returncode == 1
    assert run.stdout.startswith("not contained:\n  in   flag=regular  pt=1  type=ssh\n")


def test_reach_prints_the_packet_and_the_rules_that_move_it():
    run = netkat("reach", "ring.nk", "net", "--from", "sw=1 . pt=1 . dst=3")
    assert run.returncode == 0
    assert run.stdout == (
        "reachable:\n"
        "  in   dst=3  pt=1  sw=1\n"
        "  out  dst=3  pt=1  sw=3\n"
        "  1. sw = 1 . pt <- 2\n       dst=3  pt=2  sw=1\n"
        "  2. sw = 1 . sw <- 2\n       dst=3  pt=2  sw=2\n"
        "  3. sw = 2 . sw <- 3\n       dst=3  pt=2  sw=3\n"
        "  4. sw = 3 . pt <- 1\n       dst=3  pt=1  sw=3\n"
    )


def test_reach_and_never_are_opposites():
    question = ("reach", "ring.nk", "net", "--from", "dst = 1", "--to", "at-host-3")
    run = netkat(*question)
    assert (run.returncode, run.stdout) == (1, "unreachable: no packet gets there\n")
    assert netkat(*question, "--never").returncode == 0
    assert netkat("reach", "ring.nk", "net", "--never").returncode == 1


def test_reach_as_json():
    run = netkat("reach", "pt = 1 . (pt <- 2 + pt <- 3)*", "--to", "pt = 3", "--format", "json")
    assert run.returncode == 0
    assert json.loads(run.stdout) == {
        "schema": 1,
        "command": "netkat reach",
        "never": False,
        "reachable": True,
        "witness": {"in": {"pt": 1}, "out": {"pt": 3}, "side": "left"},
        "hops": [{"rule": "pt <- 3", "in": {"pt": 1}, "out": {"pt": 3}}],
    }


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("check", "missing.nk"), "error: missing.nk: cannot be read: No such file or directory"),
        (("equiv", "a = 1", "a = "), "error: <B>:1:5: found the end of the text, expected a value for the field 'a'"),
        (("equiv", "a = 1"), "expected [FILE] A B, got 1 arguments"),
        (("equiv", "ring.nk", "nett", "net"), "error: <A>:1:1: unknown policy name 'nett'"),
        (("equiv", "ring.nk", "net", "prt = 1"), "error: <B>:1:1: undeclared field 'prt'; did you mean 'pt'?"),
        (("reach", "one", "--from", "a <- 1"), "error: <--from>: expected a predicate, without assignment and star"),
        (("reach", "dup"), "error: <POLICY>:1:1: dup is not supported"),
    ],
)
def test_mistakes_end_with_one_message_and_exit_code_2(arguments, message):
    run = netkat(*arguments)
    assert (run.returncode, run.stdout) == (2, "")
    assert message in run.stderr
    assert "Traceback" not in run.stderr


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.nk")), ids=lambda path: path.stem)
def test_every_example_ends_as_its_name_says(path: Path):
    assert netkat("check", "--strict", path.name).returncode == ("broken" in path.stem)
