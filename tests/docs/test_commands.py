"""The commands of README and docs run as written, and print what the pages show."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.cli.running import CommandLine, Run
from tests.docs.page_blocks import PAGES, README, ROOT, Block, blocks_of

# README's set-up: what it does is `make test` itself.
SETUP = ["make demo", "make test", ". .venv/bin/activate"]
IN_A_SHELL = {"|", ">", "<", "&&", ";"}


class Command(NamedTuple):
    """A command of a page, with the exit code and the first word of output that the comment after it promises."""

    line: str
    comment: str
    shown: tuple[str, ...] = ()  # lines of its output that the page shows

    @property
    def code(self) -> int:
        return int(re.fullmatch(r"exit (\d)(?:: (\S+))?", self.comment)[1])

    @property
    def word(self) -> str | None:
        return re.fullmatch(r"exit (\d)(?:: (\S+))?", self.comment)[2]


def steps_of(page: Path) -> list[Command | Block]:
    """What a reader does, in order: files to write or change, and commands.

    Commands are the lines of console blocks, those that end with a backslash together with the next one. In a
    transcript they follow a prompt, and its other lines are output. A block without a language after a console block,
    or after another such block, is output too.
    """
    found: list[Command | Block] = []
    before: Block | None = None
    for block in blocks_of(page):
        lines = block.text.replace("\\\n", "").splitlines()
        if block.file or block.change:
            found.append(block)
        elif block.not_run is None and any(line.startswith("$ ") for line in lines):
            for line in lines:
                if line.startswith("$ "):
                    found.append(_command(line.removeprefix("$ ")))
                else:
                    _show(found, [line])
        elif block.not_run is None and block.language == "console":
            found += [_command(line) for line in lines if line.strip() and not line.startswith("#")]
        elif not block.language and before is not None and before.language in ("console", ""):
            _show(found, lines)
        before = block
    return found


def _command(line: str) -> Command:
    text, _, comment = line.partition("  # ")
    return Command(re.sub(r"\s+", " ", text).strip() if "'" not in text else text.strip(), comment.strip())


def _show(found: list[Command | Block], lines: list[str]) -> None:
    last = found[-1]
    assert isinstance(last, Command)
    found[-1] = last._replace(shown=(*last.shown, *(line for line in lines if line.strip() not in ("...", ""))))


def commands(page: Path) -> list[Command]:
    return [step for step in steps_of(page) if isinstance(step, Command)]


WITH_COMMANDS = [page for page in PAGES if commands(page)]


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A folder with the examples, Ryu's apps, and `sdnloom` on the path; each page begins with a new one."""
    folder = tmp_path / "clone"
    shutil.copytree(ROOT / "examples", folder / "examples")
    (folder / ".cache").symlink_to(ROOT / ".cache")
    (folder / "bin").mkdir()
    for name, started in (("sdnloom", "-m sdnloom"), ("python", "")):
        program = folder / "bin" / name
        program.write_text(f'#!/bin/sh\nexec "{sys.executable}" {started} "$@"\n')
        program.chmod(0o755)
    return folder


def environment(clone: Path) -> dict[str, str]:
    """The environment of a new user, and the package under test."""
    source = {"PYTHONPATH": os.environ["PYTHONPATH"]} if "PYTHONPATH" in os.environ else {}
    plugin = {"PYTEST_PLUGINS": "sdnloom.pytest_plugin"}  # which an installed package brings by itself
    return {"PATH": f"{clone / 'bin'}:/usr/bin:/bin", "HOME": str(clone), **plugin, **source}


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


@pytest.mark.parametrize("page", WITH_COMMANDS, ids=lambda page: page.stem)
def test_every_command_says_its_exit_code(page: Path) -> None:
    for one in commands(page):
        assert one.line in SETUP or re.fullmatch(r"exit \d(: \S+)?", one.comment), one.line


@pytest.mark.slow
@pytest.mark.parametrize("page", WITH_COMMANDS, ids=lambda page: page.stem)
def test_every_command_runs_as_written(
    page: Path, clone: Path, sdnloom: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(clone)
    # In order: a later command may use a file or a trace of an earlier one. Lines that need a shell have one, and the
    # first kinds of README; the others run in this process, which saves the start of Python.
    fresh = {"check", "replay", "view"} if page == README else set()
    for step in steps_of(page):
        if isinstance(step, Block):
            step.write(clone)
            continue
        if step.line in SETUP:
            continue
        first, kind, *rest = [*shlex.split(step.line), ""]
        rest = rest[:-1]
        if first == "sdnloom" and kind not in fresh and not IN_A_SHELL & {*rest}:
            run = sdnloom(*([kind, *rest] if kind else []))
        else:
            run = in_a_shell(clone, step.line)
            fresh.discard(kind)
        assert "Traceback" not in run.err
        assert "error" not in run.err or step.code == 2
        assert run.code == step.code, f"{step.line}\n{run.out[:2000]}{run.err[:2000]}"
        assert step.word is None or (run.out or run.err).split()[0] == step.word, step.line
        printed = {line.rstrip() for line in (run.out + run.err).splitlines()}
        assert [line for line in step.shown if line.rstrip() not in printed] == [], step.line


def test_the_readme_begins_with_a_picture_and_has_the_two_make_commands() -> None:
    text = README.read_text(encoding="utf-8")
    assert re.search(r"!\[.*\]\((docs/.*\.png)\)", text.split("\n## ")[0])
    assert [one.line for one in commands(README)][-3:] == SETUP
    makefile = (ROOT / "Makefile").read_text()
    assert all(re.search(rf"^{target}:", makefile, re.MULTILINE) for target in ("demo", "test", "site"))
