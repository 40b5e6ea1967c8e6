"""`sdnloom crosscheck` as a user runs it: reports, exit codes and files."""

import json
import os
import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from sdnloom.cli.crosscheck import SUBCOMMANDS
from sdnloom.cli.crosscheck.agent_list import AGENT_TEXTS
from sdnloom.crosscheck.agents.load import BUILT_IN_AGENTS
from sdnloom.crosscheck.test_document import built_in_tests
from tests.cli.running import CommandLine

EXAMPLES = Path(__file__).parents[2] / "examples" / "crosscheck"
OLD, NEW = (f"{name}={name}.py:TinySwitch" for name in ("old", "new"))
TEST = ("--test", "ports.toml")
PORTS = "Packet Out, output port in (0, 4 to OFPP_NONE)"
VLAN = "Packet Out, vlan_vid > 0x0fff"


@pytest.fixture(autouse=True)
def _examples(tmp_path: Path) -> None:
    """The two switches and the test of the examples, beside each other."""
    shutil.copy(EXAMPLES / "tiny_switch.py", tmp_path / "old.py")
    shutil.copy(EXAMPLES / "tiny_switch_fixed.py", tmp_path / "new.py")
    shutil.copy(EXAMPLES / "ports.toml", tmp_path / "ports.toml")


def test_run_reports_root_causes_with_an_example_and_how_to_try_it(sdnloom: CommandLine) -> None:
    run = sdnloom("crosscheck", "run", OLD, NEW, *TEST, "--witnesses", "found")
    assert run.code == 1
    assert (
        run.out
        == f"""\
DIFFER old and new: 2 root causes, 3 inconsistencies

1. {PORTS}
     old crashes, new sends Error bad_action bad_out_port
     for example in ports: actions[1].port=0
     2 inconsistencies, confirmed
     try: sdnloom crosscheck try found/cause-01-ports.json new=new.py:TinySwitch

2. {VLAN}
     old sends frames, new sends Error bad_action bad_argument
     for example in ports: actions[0].vlan_vid=0x1000
     1 inconsistency, confirmed
     try: sdnloom crosscheck try found/cause-02-ports.json new=new.py:TinySwitch

ports: old 4 classes; new 5 classes
complete: every input of these tests was compared
"""
    )


def test_inconsistencies_are_listed_if_wanted(sdnloom: CommandLine) -> None:
    run = sdnloom("crosscheck", "run", OLD, NEW, *TEST, "--inconsistencies")
    assert run.out.count("\ninconsistency ") == 3
    assert "     old: crashes (KeyError: 4 (old.py, line 46))\n     new: Error bad_action bad_out_port\n" in run.out
    assert run.out.endswith("to try an input again, write it to a file with --witnesses DIR\n")


def test_an_agent_agrees_with_itself(sdnloom: CommandLine) -> None:
    run = sdnloom("crosscheck", "run", OLD, "other=old.py:TinySwitch", *TEST)
    assert (run.code, run.out.splitlines()[0]) == (0, "AGREE old and other: the same for every input of 1 test")


def test_three_agents_give_a_matrix(sdnloom: CommandLine) -> None:
    run = sdnloom("crosscheck", "run", OLD, NEW, "newer=new.py:TinySwitch", *TEST)
    assert run.code == 1
    assert run.out.startswith(
        """\
DIFFER 3 agents: 2 of 3 pairs differ

     new            newer
old  2 root causes  2 root causes
new                 agree

DIFFER old and new: 2 root causes, 3 inconsistencies
"""
    )
    assert "\nAGREE new and newer: the same for every input of 1 test\n" in run.out


def test_a_limit_ends_a_run_and_is_never_agreement(sdnloom: CommandLine) -> None:
    run = sdnloom("crosscheck", "run", OLD, "other=old.py:TinySwitch", *TEST, "--max-paths", 2)
    assert run.code == 3
    first, *reasons = run.out.splitlines()[:3]
    assert first == "INCOMPLETE old and other: no difference so far, but not every input was compared"
    assert [reason.split(":")[0] for reason in reasons] == ["  not complete"] * 2
    assert "complete: every input" not in run.out


def test_no_time_compares_nothing_and_says_so(sdnloom: CommandLine) -> None:
    run = sdnloom("crosscheck", "run", OLD, NEW, *TEST, "--time-limit", 0.001)
    assert run.code == 3
    assert run.out.startswith("INCOMPLETE old and new: no difference so far")


@pytest.mark.slow
def test_an_agent_that_never_ends_is_ended_at_the_time_limit(sdnloom: CommandLine, tmp_path: Path) -> None:
    line = "self.sent[PORTS[port]] += 1"
    loop = "if port > 3:\n                    while True:\n                        pass"
    (tmp_path / "endless.py").write_text((tmp_path / "old.py").read_text().replace(line, loop))
    run = sdnloom("crosscheck", "run", "endless=endless.py:TinySwitch", NEW, *TEST, "--time-limit", 0.5)
    assert run.code == 3
    assert "the time limit of 0.5 s was reached in the agent" in run.out
    assert "test ports was not compared" in run.out


def test_json_has_the_documented_keys(sdnloom: CommandLine) -> None:
    run = sdnloom("crosscheck", "run", OLD, NEW, *TEST, "--format", "json", "--witnesses", "found")
    document = json.loads(run.out)
    assert run.code == 1
    assert list(document) == [
        *("schema", "verdict", "agents", "tests", "complete", "root_causes", "inconsistencies", "comparisons"),
        "per_test",
    ]
    assert (document["tests"], document["complete"], document["verdict"]) == (9, True, "differ")
    first = document["root_causes"][0]
    assert first["condition"] == PORTS
    assert first["differs_from_harmless"] == {"actions[1].port": "0"}
    assert first["outputs"][0] == [[{"kind": "crash", "fields": {}, "note": "KeyError: 0 (old.py, line 46)"}]]
    assert first["confirmed"] is True
    assert first["witness_file"] == "found/cause-01-ports.json"
    assert {key for one in document["inconsistencies"] for key in one} == {
        *("agents", "condition", "test", "case", "witness", "differs_from_harmless", "outputs", "confirmed")
    }
    assert [one["confirmed"] for one in document["inconsistencies"]] == [True] * 3
    [comparison] = document["comparisons"]
    assert comparison == {
        "agents": ["old", "new"],
        "verdict": "differ",
        "complete": True,
        "reasons": [],
        "root_causes": 2,
        "inconsistencies": 3,
        "confirmed": 3,
    }
    assert [(each["agent"], each["classes"], each["runs"]) for each in document["per_test"]] == [
        ("old", 4, 4),
        ("new", 5, 5),
    ]


def test_html_is_one_page_without_anything_from_outside(sdnloom: CommandLine) -> None:
    run = sdnloom("crosscheck", "run", OLD, NEW, *TEST, "--format", "html")
    assert run.code == 1
    assert run.out.startswith("<!DOCTYPE html>")
    assert not {word for word in ("<script", "http:", "https:", "src=", "@import", "url(") if word in run.out}
    assert run.out.count("<article ") == 2
    assert "Packet Out, vlan_vid &gt; 0x0fff" in run.out


def test_per_path_gives_an_inconsistency_for_each_pair_of_paths(sdnloom: CommandLine) -> None:
    run = sdnloom("crosscheck", "run", OLD, NEW, *TEST, "--per-path", "--format", "json")
    document = json.loads(run.out)
    assert len(document["inconsistencies"]) == 5  # the VLAN that is refused meets three ports and the crash
    assert len(document["root_causes"]) == 2


def test_pytest_files_fail_while_the_agents_differ(sdnloom: CommandLine, tmp_path: Path) -> None:
    run = sdnloom("crosscheck", "run", OLD, NEW, *TEST, "--pytest-dir", "tests", "--inconsistencies")
    assert run.code == 1
    names = sorted(file.name for file in (tmp_path / "tests").iterdir())
    assert names == [
        *("test_cause_01_ports.py", "test_cause_02_ports.py", "test_inconsistency_01_ports.py"),
        *("test_inconsistency_02_ports.py", "test_inconsistency_03_ports.py"),
    ]
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/test_cause_01_ports.py"],
        cwd=tmp_path,
        env={**os.environ, "PYTEST_ADDOPTS": ""},
        capture_output=True,
        text=True,
    )
    assert (ran.returncode, ran.stdout.splitlines()[-1].split(" in ")[0]) == (1, "1 failed")
    assert "crashes (KeyError: 0 (old.py, line 46)) / Error bad_action bad_out_port" in ran.stdout
    assert outcomes(tmp_path / "tests") == [False] * 5
    shutil.copy(tmp_path / "new.py", tmp_path / "old.py")  # the defects are corrected
    assert outcomes(tmp_path / "tests") == [True] * 5


def outcomes(folder: Path) -> list[bool]:
    """Whether each test of the files in a folder passes; run here, because a new Python takes a second."""
    found = []
    for file in sorted(folder.glob("test_*.py")):
        for name, test in runpy.run_path(str(file)).items():
            if name.startswith("test_"):
                try:
                    test()
                except AssertionError:
                    found.append(False)
                else:
                    found.append(True)
    return found


def test_captures_have_the_exchange_with_each_agent(sdnloom: CommandLine, tmp_path: Path) -> None:
    assert sdnloom("crosscheck", "run", OLD, NEW, *TEST, "--pcap-dir", "pcap").code == 1
    files = sorted((tmp_path / "pcap").iterdir())
    assert [file.name for file in files] == [
        *("cause-01-ports-new.pcapng", "cause-01-ports-old.pcapng"),
        *("cause-02-ports-new.pcapng", "cause-02-ports-old.pcapng"),
    ]
    crash = files[1].read_bytes()
    assert crash[:4] == bytes.fromhex("0a0d0d0a")
    assert b"the switch crashed: KeyError: 0" in crash
    assert PORTS.encode() in crash


# -- try ---------------------------------------------------------------------------------------------------------------


@pytest.fixture
def witness(sdnloom: CommandLine) -> str:
    """The witness file of the first root cause."""
    assert sdnloom("crosscheck", "run", OLD, NEW, *TEST, "--witnesses", "found").code == 1
    return "found/cause-01-ports.json"


def test_try_shows_each_step_and_what_the_file_says(sdnloom: CommandLine, witness: str) -> None:
    run = sdnloom("crosscheck", "try", witness, "mine=new.py:TinySwitch", "--pcap", "a.pcapng")
    assert run.code == 0
    first, condition, given, _, step, octets, did, recorded = run.out.splitlines()
    assert first == "SAME mine: it did what new did"
    assert (condition, given) == (f"condition: {PORTS}", "input: actions[1].port=0")
    assert step == "1. Packet Out"
    assert octets.strip().startswith("010d005600000001")
    assert did == "   -> Error bad_action bad_out_port"
    assert recorded == "      old in the file: crashes (KeyError: 0 (old.py, line 46))"
    assert Path("a.pcapng").stat().st_size > 200


@pytest.mark.parametrize(
    ("agent", "options", "code", "line"),
    [
        ("old=old.py:TinySwitch", (), 0, "SAME old: it did what old did"),
        ("old=new.py:TinySwitch", (), 1, "DIFFERS old: it did what new did, not what old did"),
        ("mine=old.py:TinySwitch", ("--like", "new"), 1, "DIFFERS mine: it did what old did, not what new did"),
        ("mine=old.py:TinySwitch", ("--like", "old"), 0, "SAME mine: it did what old did"),
    ],
)
def test_try_compares_with_the_agent_that_counts(
    sdnloom: CommandLine, witness: str, agent: str, options: tuple[str, ...], code: int, line: str
) -> None:
    run = sdnloom("crosscheck", "try", witness, agent, *options)
    assert (run.code, run.out.splitlines()[0]) == (code, line)


def test_an_agent_that_does_neither_differs(sdnloom: CommandLine, witness: str, tmp_path: Path) -> None:
    silent = (tmp_path / "new.py").read_text().replace("return self.packet_out(data, xid)", "return []")
    (tmp_path / "silent.py").write_text(silent)
    run = sdnloom("crosscheck", "try", witness, "silent.py:TinySwitch")
    assert (run.code, run.out.splitlines()[0]) == (
        1,
        "DIFFERS silent.py:TinySwitch: it did not what old or new did",
    )
    assert "   -> nothing\n      old in the file: crashes" in run.out
    document = json.loads(sdnloom("crosscheck", "try", witness, "silent.py:TinySwitch", "--format", "json").out)
    assert (document["same"], document["like"], document["output"]) == (False, [], [[]])
    assert [each["agent"] for each in document["recorded"]] == ["old", "new"]


# -- Agents that misbehave ---------------------------------------------------------------------------------------------


def test_what_an_agent_prints_is_not_in_the_report(sdnloom: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "loud.py").write_text(
        (tmp_path / "old.py").read_text().replace("if kind == HELLO:", "print('!')\n        if kind == HELLO:")
    )
    run = sdnloom(
        "crosscheck",
        "run",
        "loud=loud.py:TinySwitch",
        NEW,
        *TEST,
        "--format",
        "json",
        "--witnesses",
        "found",
        "--pcap-dir",
        "pcap",
    )
    assert run.code == 1
    assert json.loads(run.out)["agents"] == ["loud", "new"]
    tried = sdnloom("crosscheck", "try", "found/cause-01-ports.json", "loud=loud.py:TinySwitch")
    assert tried.out.startswith("SAME loud")
    assert tried.err == "!\n!\n"  # for the Hello and the Packet Out


@pytest.mark.parametrize(
    ("line", "replaced", "message"),
    [
        ('return [message(HELLO, 0, b"")]', 'return ["hello"]', "wrong.py:TinySwitch"),
        (
            "versions = (1,)",
            'versions = (1,)\n\n    def __init__(self):\n        raise ValueError("no")',
            "ValueError: no",
        ),
        ("import struct", "import no_such_module", "no_such_module"),
        ("import struct", "import struct(", "wrong.py"),
        ("def advance(", "def later(", "lacks advance"),
    ],
)
def test_an_agent_that_is_none_is_one_message(
    sdnloom: CommandLine, tmp_path: Path, line: str, replaced: str, message: str
) -> None:
    text = (tmp_path / "old.py").read_text()
    assert line in text
    (tmp_path / "wrong.py").write_text(text.replace(line, replaced))
    run = sdnloom("crosscheck", "run", "wrong.py:TinySwitch", NEW, *TEST)
    assert run.code == 2
    assert message in run.err
    assert len(run.err.splitlines()) == 1


def test_an_agent_may_answer_with_nothing_at_all(sdnloom: CommandLine, tmp_path: Path) -> None:
    text = (tmp_path / "old.py").read_text().replace("return []", "return None")
    (tmp_path / "none.py").write_text(text)
    assert sdnloom("crosscheck", "run", "none.py:TinySwitch", OLD, *TEST).code == 0
    assert sdnloom("crosscheck", "run", "none.py:TinySwitch", NEW, *TEST, "--pcap-dir", "pcap").code == 1


# -- Lists -------------------------------------------------------------------------------------------------------------


def test_the_built_in_tests_and_agents_are_listed(sdnloom: CommandLine) -> None:
    run = sdnloom("crosscheck", "tests")
    assert (run.code, [line.split()[0] for line in run.out.splitlines()]) == (0, list(built_in_tests()))
    tests = json.loads(sdnloom("crosscheck", "tests", "--format", "json").out)["tests"]
    assert [(test["name"], test["openflow"]) for test in tests][:2] == [("concrete", "1.0"), ("cs-flow-mods", "1.0")]
    agents = sdnloom("crosscheck", "agents")
    assert (agents.code, [line.split()[0] for line in agents.out.splitlines()]) == (0, list(AGENT_TEXTS))
    assert {name.partition(":")[0] for name in AGENT_TEXTS} >= {*BUILT_IN_AGENTS}


def test_help_lists_every_command(sdnloom: CommandLine) -> None:
    run = sdnloom("crosscheck", "--help")
    assert run.code == 0
    assert all(f"\n  {name} " in run.out for name in SUBCOMMANDS)


# -- Mistakes ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("run", OLD, *TEST), "one agent is given; expected two or more to compare"),
        (("run", OLD, "old=new.py:TinySwitch"), "old stands for old.py:TinySwitch and for new.py:TinySwitch"),
        (("run", "no-such-agent", NEW), "agent 'no-such-agent': expected one of strict"),
        (("run", "none.py:Switch", NEW), "none.py: cannot read the agent: No such file or directory"),
        (("run", "old.py:Nothing", NEW), "has no class Nothing"),
        (("run", OLD, NEW, "--test", "no-such-test"), "test 'no-such-test' is unknown; expected one of concrete"),
        (("run", OLD, NEW, "--test", "none.toml"), "none.toml: cannot read the test: No such file"),
        (("run", OLD, NEW, "--test", "hello", "--openflow", "1.3"), "test hello is not for OpenFlow 1.3"),
        (("run", OLD, NEW, "--openflow", "1.3"), "test flow-mod-13 is for OpenFlow 1.3, but agent old speaks 1.0"),
        (("run", OLD, NEW, "--test", "ports.toml", "--test", "./ports.toml"), "two tests have the name ports"),
        (("run", OLD, NEW, *TEST, "--witnesses", "ports.toml/x"), "ports.toml/x: cannot make the folder"),
        (("try", "none.json", OLD), "none.json: cannot read the witness file: No such file or directory"),
        (("try", "ports.toml", OLD), "ports.toml: not a whole JSON document"),
        (("frobnicate",), "there is no command 'frobnicate'; expected one of run, explore"),
    ],
)
def test_a_mistake_is_one_message(sdnloom: CommandLine, arguments: tuple[str, ...], message: str) -> None:
    run = sdnloom("crosscheck", *arguments)
    assert run.code == 2
    assert message in run.err
    assert len(run.err.splitlines()) == 1


def test_like_names_an_agent_of_the_file(sdnloom: CommandLine, witness: str) -> None:
    run = sdnloom("crosscheck", "try", witness, OLD, "--like", "strict")
    assert (run.code, run.err) == (2, "error: --like strict: the file has old, new; expected one of these\n")


# -- explore and compare -----------------------------------------------------------------------------------------------


@pytest.fixture
def partitions(sdnloom: CommandLine) -> tuple[str, str]:
    """The partition files of both switches."""
    assert sdnloom("crosscheck", "explore", OLD, *TEST, "-o", "old.jsonl").code == 0
    assert sdnloom("crosscheck", "explore", NEW, *TEST, "-o", "new.jsonl").code == 0
    return "old.jsonl", "new.jsonl"


def test_explore_writes_a_partition_file(sdnloom: CommandLine, tmp_path: Path) -> None:
    run = sdnloom("crosscheck", "explore", NEW, *TEST, "-o", "new.jsonl", "--check-classes", 3)
    assert (run.code, run.out) == (
        0,
        """\
COMPLETE new, ports: 5 classes with 3 outputs in 5 runs
  15 further inputs of the classes checked
  written to new.jsonl
""",
    )
    assert (tmp_path / "new.jsonl").read_text().startswith("{")


def test_explore_lists_the_classes(sdnloom: CommandLine) -> None:
    run = sdnloom("crosscheck", "explore", NEW, *TEST, "--classes")
    assert run.code == 0
    assert run.out.count("     for example ") == 5
    assert ". actions[0].vlan_vid > 4095\n     for example actions[0].vlan_vid=0x1000\n" in run.out
    assert "     Packet Out -> Error bad_action bad_argument\n" in run.out
    assert run.out.endswith("to compare it, write the partition to a file with -o FILE\n")
    document = json.loads(sdnloom("crosscheck", "explore", NEW, *TEST, "--classes", "--format", "json").out)
    [partition] = document["partitions"]
    assert (document["complete"], partition["classes"], len(partition["all_classes"])) == (True, 5, 5)


def test_explore_that_ends_early_exits_with_3(sdnloom: CommandLine) -> None:
    run = sdnloom("crosscheck", "explore", OLD, *TEST, "--max-paths", 2)
    assert run.code == 3
    assert run.out.startswith("INCOMPLETE old, ports: 2 classes")
    assert "\n  not complete: " in run.out


def test_several_tests_are_files_of_a_folder(sdnloom: CommandLine, tmp_path: Path) -> None:
    run = sdnloom("crosscheck", "explore", OLD, *TEST, "--test", "queue-config", "-o", "all")
    assert run.code == 0
    assert sorted(file.name for file in (tmp_path / "all").iterdir()) == ["ports.jsonl", "queue-config.jsonl"]
    same = sdnloom("crosscheck", "compare", "all", "all")
    assert (same.code, same.out.splitlines()[0]) == (0, "AGREE old and old: the same for every input of 2 tests")
    (tmp_path / "some").mkdir()
    shutil.copy(tmp_path / "all" / "ports.jsonl", tmp_path / "some")
    less = sdnloom("crosscheck", "compare", "all", "some")
    assert less.code == 3
    assert "not complete: all/queue-config.jsonl was not compared: the other folder has no such file" in less.out


def test_compare_finds_what_run_finds_without_the_agents(
    sdnloom: CommandLine, partitions: tuple[str, str], tmp_path: Path
) -> None:
    expected = sdnloom("crosscheck", "run", OLD, NEW, *TEST).out
    (tmp_path / "old.py").unlink()
    (tmp_path / "new.py").unlink()
    run = sdnloom("crosscheck", "compare", *partitions)
    assert run.code == 1
    assert run.out == expected.replace("confirmed", "not replayed")


def test_compare_writes_witnesses_and_tests_of_one_agent(
    sdnloom: CommandLine, partitions: tuple[str, str], tmp_path: Path
) -> None:
    files = ("--witnesses", "found", "--pytest-dir", "tests", "--agent", "new.py:TinySwitch")
    run = sdnloom("crosscheck", "compare", *partitions, *files)
    assert "     try: sdnloom crosscheck try found/cause-02-ports.json AGENT\n" in run.out
    assert sdnloom("crosscheck", "try", "found/cause-02-ports.json", NEW).code == 0
    text = (tmp_path / "tests" / "test_cause_01_ports.py").read_text()
    assert "AGENT = 'new.py:TinySwitch'" in text
    assert outcomes(tmp_path / "tests") == [False] * 2  # the new version does not do what the old one did
    shutil.copy(EXAMPLES / "tiny_switch.py", tmp_path / "new.py")
    assert outcomes(tmp_path / "tests") == [True] * 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("old.jsonl", "none.jsonl"), "none.jsonl: cannot read the partition file: No such file or directory"),
        (("old.jsonl", "ports.toml"), "ports.toml"),
        (("old.jsonl", "."), "old.jsonl is a file, but . is a folder; expected two files or two folders"),
        (("old.jsonl", "hello.jsonl"), "the partition of old is of test ports, that of strict of hello"),
        (("folder", "empty"), "folder and empty have no partition file of the same name"),
        (
            ("mixed", "mixed"),
            "mixed/ports.jsonl: the partition of agent old, but other files of the folder are of strict",
        ),
        (("old.jsonl", "new.jsonl", "--pytest-dir", "x"), "--pytest-dir is given without --agent"),
        (("old.jsonl", "new.jsonl", "--agent", "strict"), "--agent is given without --pytest-dir"),
    ],
)
def test_what_cannot_be_compared_is_one_message(
    sdnloom: CommandLine, partitions: tuple[str, str], tmp_path: Path, arguments: tuple[str, ...], message: str
) -> None:
    sdnloom("crosscheck", "explore", "strict", "--test", "hello", "-o", "hello.jsonl")
    for name in ("folder", "empty", "mixed"):
        (tmp_path / name).mkdir()
    shutil.copy(tmp_path / "old.jsonl", tmp_path / "folder")
    shutil.copy(tmp_path / "old.jsonl", tmp_path / "mixed" / "ports.jsonl")
    shutil.copy(tmp_path / "hello.jsonl", tmp_path / "mixed")
    run = sdnloom("crosscheck", "compare", *arguments)
    assert run.code == 2
    assert message in run.err
    assert len(run.err.splitlines()) == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((OLD, *TEST, "-o", "none/a.jsonl"), "none/a.jsonl: the folder none does not exist"),
        ((OLD, *TEST, "--test", "hello", "-o", "ports.toml"), "2 tests give as many files; expected a folder"),
        (("unix:ports.toml", "--test", "hello"), "unix:ports.toml: the file is no socket"),
    ],
)
def test_what_cannot_be_explored_is_one_message(sdnloom: CommandLine, arguments: tuple[str, ...], message: str) -> None:
    run = sdnloom("crosscheck", "explore", *arguments)
    assert run.code == 2
    assert message in run.err
    assert len(run.err.splitlines()) == 1


def test_a_report_that_cannot_be_written_is_an_error() -> None:
    with Path("/dev/full").open("w") as full:
        command = [sys.executable, "-m", "sdnloom", "crosscheck", "tests"]
        ended = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (2, "error: cannot write the report: No space left on device\n")
