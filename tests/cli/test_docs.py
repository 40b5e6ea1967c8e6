"""README's quick start and the pages on checking run as written by a new user, and name everything there is."""

import dataclasses
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from sdnloom.check.load import HOSTS
from sdnloom.cli.check import command
from sdnloom.network.network import LinkFaults, SwitchFaults, SwitchOptions, Timeouts
from sdnloom.properties import LIBRARY
from sdnloom.scenario_file.topology import SHAPES
from tests.cli.running import CommandLine, Run

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"
CHECK, SCENARIO, APPS, INPUTS, NOX, BUGS = (
    ROOT / "docs" / f"{name}.md" for name in ("check", "scenario", "apps", "inputs", "nox", "bugs")
)


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)


COMMANDS = [
    line.partition("  #")[0].strip()
    for page in (README, CHECK, APPS, INPUTS, NOX, BUGS)
    for block in blocks(page, "console")
    for line in block.splitlines()
]
# What the first word of the output says of the exit code; a session of `step` has no verdict.
CODES = {"VIOLATED": 1, "CONFIRMED": 1, "HOLDS": 0, "INCOMPLETE": 3, "harmful": 1, "ok:": 0}
# The first words, command by command, as the text around them says: README after its set-up, then page by page.
WORDS = [
    *("VIOLATED", "CONFIRMED", "HOLDS", "VIOLATED", "HOLDS", "VIOLATED", "HOLDS", "1", "VIOLATED", "VIOLATED"),
    *("4", "harmful", "ok:"),
    "1",
    *("VIOLATED", "CONFIRMED", "HOLDS", "VIOLATED", "VIOLATED", "name"),
    *("4", "1", "2", "40"),
    "VIOLATED",
    *("VIOLATED", "HOLDS"),
]


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the examples and `sdnloom` on the path."""
    folder = tmp_path_factory.mktemp("clone")
    shutil.copytree(ROOT / "examples", folder / "examples")
    program = folder / "bin" / "sdnloom"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m sdnloom "$@"\n')
    program.chmod(0o755)
    return folder


def test_the_quick_start_begins_with_the_two_make_commands() -> None:
    assert COMMANDS[:2] == ["make demo", "make test"]
    assert COMMANDS[2] == ". .venv/bin/activate"
    demo = re.search(r"^demo:.*\n(?:\t.*\n)+", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert demo is not None
    assert COMMANDS[3] == "sdnloom check examples/mac_learning/bug1.toml"
    assert COMMANDS[3].removeprefix("sdnloom ") in demo[0]


def environment(clone: Path) -> dict[str, str]:
    """The environment of a new user, and the package under test."""
    source = {"PYTHONPATH": os.environ["PYTHONPATH"]} if "PYTHONPATH" in os.environ else {}
    return {"PATH": f"{clone / 'bin'}:/usr/bin:/bin", "HOME": str(clone), **source}


def in_a_shell(clone: Path, line: str) -> Run:
    run = subprocess.run(
        line,
        shell=True,
        capture_output=True,
        text=True,
        cwd=clone,
        env=environment(clone),
        stdin=subprocess.DEVNULL,
        timeout=120,
    )
    return Run(run.returncode, run.stdout, run.stderr)


def test_every_command_runs_as_written(clone: Path, sdnloom: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(clone)
    seen = set()
    # In order: a later command may use the trace of an earlier one. In a shell each kind of command once, and every
    # line that needs one; the others in this process, which saves the start of Python.
    for line, word in zip(COMMANDS[3:], WORDS, strict=True):
        first, kind, *rest = shlex.split(line)
        if first == "sdnloom" and kind in seen:
            assert not {"|", ">", "<", "&&", ";"} & {*rest}, line
            run = sdnloom(kind, *rest)
        else:
            run = in_a_shell(clone, line)
            seen.add(kind)
        assert "Traceback" not in run.err
        assert "error" not in run.err
        assert run.out.split()[0] == word, line
        assert run.code == (1 if "--robust" in line else CODES.get(word, 0)), line


def test_the_test_file_for_pytest_runs_and_is_the_one_on_the_page(clone: Path) -> None:
    assert blocks(APPS, "python") == [(ROOT / "examples" / "pytest" / "test_switch.py").read_text()]
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "examples/pytest"],
        capture_output=True,
        text=True,
        cwd=clone,
        env=environment(clone),
        timeout=120,
    )
    assert "5 passed, 1 xfailed" in run.stdout
    assert run.returncode == 0


def test_the_python_examples_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    examples = blocks(CHECK, "python")
    assert len(examples) == 3
    for code in examples:
        exec(code, {"__name__": "page"})


def test_the_example_scenario_holds(sdnloom: CommandLine, tmp_path: Path) -> None:
    [scenario], [program, _] = blocks(SCENARIO, "toml"), blocks(SCENARIO, "python")
    (tmp_path / "hub.toml").write_text(scenario)
    (tmp_path / "hub.py").write_text(program)
    run = sdnloom("check", "hub.toml")
    assert (run.code, run.out.splitlines()[0].split(":")[0]) == (0, "HOLDS NoForwardingLoops, NoBlackHoles")
    (tmp_path / "hub.toml").write_text(scenario.replace('name = "h1"\n', 'name = "h1"\nat = "s1:9"\n'))
    mistake = sdnloom("check", "hub.toml")
    assert mistake.code == 2
    assert mistake.err in SCENARIO.read_text()


def test_the_property_of_ones_own_speaks(sdnloom: CommandLine, tmp_path: Path) -> None:
    [scenario], [program, mine] = blocks(SCENARIO, "toml"), blocks(SCENARIO, "python")
    [said] = re.findall(r"`({ file = \"mine.py\".*?})`", SCENARIO.read_text())
    (tmp_path / "hub.py").write_text(program)
    (tmp_path / "mine.py").write_text(mine)
    for port, code in ((22, 0), (23, 1)):
        packets = f'packets = [{{ kind = "tcp", to = "h2", dst_port = {port} }}]'
        text = scenario.replace("properties = [", f"properties = [{said}, ").replace('to = ["h2"]', packets)
        (tmp_path / "hub.toml").write_text(text)
        run = sdnloom("check", "hub.toml")
        assert run.code == code
        assert ("VIOLATED port 23 of h2 is closed: h2 received something for port 23\n" in run.out) == bool(code)


def test_the_pages_name_everything_there_is() -> None:
    text = SCENARIO.read_text()
    for name in (*HOSTS, *SHAPES):
        assert f'"{name}"' in text, name
    for name in LIBRARY:
        assert f"`{name}`" in text, name
    kinds = [kind for kind in HOSTS.values() if dataclasses.is_dataclass(kind)]
    for kind in (*kinds, *LIBRARY.values(), SwitchOptions, LinkFaults, SwitchFaults, Timeouts):
        for each in dataclasses.fields(kind):
            assert f"`{each.name}`" in text, f"{kind.__name__}.{each.name}"
    options = CHECK.read_text()
    for parameter in command.params:
        if parameter.param_type_name == "option":
            assert f"`{parameter.opts[0]}" in options, parameter.opts
