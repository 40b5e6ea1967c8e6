"""The page on NetKAT says what the program does."""

import doctest
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "netkat.md"
CONSOLE = [
    (command, output)
    for block in re.findall(r"```console\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    for command, output in re.findall(r"^\$ sdnloom (.*)\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE)
]


def test_library_examples_run():
    failed, tried = doctest.testfile(str(PAGE), module_relative=False, encoding="utf-8")
    assert (failed, tried) == (0, 10)


def test_the_page_shows_five_commands():
    assert len(CONSOLE) == 5


@pytest.mark.parametrize(("command", "output"), CONSOLE)
def test_command_prints_what_the_page_shows(command, output):
    run = subprocess.run(
        [sys.executable, "-X", "utf8", "-m", "sdnloom", *shlex.split(command, comments=True)],
        capture_output=True,
        text=True,
        encoding="utf-8",
        cwd=ROOT,
        timeout=120,
    )
    assert (run.stdout, run.stderr) == (output, "")
