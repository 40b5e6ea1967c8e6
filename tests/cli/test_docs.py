"""The commands and Python examples of README and docs run as written, and the reference pages name every key."""

import ast
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import click
import pytest

from sdnloom.check.load import HOSTS
from sdnloom.cli.check import command
from sdnloom.cli.crosscheck import SUBCOMMANDS
from sdnloom.cli.crosscheck import command as crosscheck
from sdnloom.network.hosts import MobileHost
from sdnloom.network.network import External, LinkFaults, PortCounter, ProgramTimer, SwitchFaults, Timeouts
from sdnloom.properties import LIBRARY
from sdnloom.scenario_file.packet_text import _KEYS as PACKET_KEYS
from sdnloom.scenario_file.topology import SHAPES
from tests.check.accepted_keys import KEYS, accepted_keys
from tests.cli.running import CommandLine, Run

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"
PAGES = [README, *sorted((ROOT / "docs").glob("*.md"))]
CHECK, SCENARIO, APPS, PROPERTIES, REDUCTION, CROSSCHECK, ACTORS = (
    ROOT / "docs" / f"{name}.md"
    for name in ("check", "scenario", "apps", "properties", "reduction", "crosscheck", "actors")
)
# README's set-up: what it does is `make test` itself.
SETUP = ["make demo", "make test", ". .venv/bin/activate"]


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)


# -- Commands ----------------------------------------------------------------------------------------------------


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


def commands(page: Path) -> list[Command]:
    """The lines of console blocks, and those after a prompt in transcripts. Blocks of `sh` are not run."""
    found: list[Command] = []
    before = ""
    for language, block in re.findall(r"```(\w*)\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL):
        lines = block.splitlines()
        prompts = [line.removeprefix("$ ") for line in lines if line.startswith("$ ")]
        for line in prompts or (lines if language == "console" else []):
            text, _, comment = line.partition("  # ")
            found.append(Command(text.strip(), comment.strip()))
        if before == "console" and not language:  # the output of the last command
            found[-1] = found[-1]._replace(shown=tuple(line for line in lines if line.strip() != "..."))
        before = language
    return found


WITH_COMMANDS = [page for page in PAGES if commands(page)]


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


def test_the_quick_start_begins_with_the_two_make_commands() -> None:
    lines = [one.line for one in commands(README)]
    assert lines[:3] == SETUP
    demo = re.search(r"^demo:.*\n(?:\t.*\n)+", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert demo is not None
    assert lines[3] == "sdnloom check examples/mac_learning/bug1.toml"
    assert lines[3].removeprefix("sdnloom ") in demo[0]


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
    seen = set() if page == README else {"schema", "check", "replay", "inputs", "walk", "races", "netkat", "crosscheck"}
    # In order: a later command may use the trace of an earlier one. README's commands in a shell, each kind once, and
    # every line that needs one; the others in this process, which saves the start of Python.
    for one in commands(page):
        if one.line in SETUP:
            continue
        first, kind, *rest = shlex.split(one.line)
        if first == "sdnloom" and kind in seen and not {"|", ">", "<", "&&", ";"} & {*rest}:
            run = sdnloom(kind, *rest)
        else:
            run = in_a_shell(clone, one.line)
            seen.add(kind)
        assert "Traceback" not in run.err
        assert "error" not in run.err
        assert run.code == one.code, one.line
        assert one.word is None or run.out.split()[0] == one.word, one.line
        assert [line for line in one.shown if line not in run.out.splitlines()] == [], one.line


# -- Links -------------------------------------------------------------------------------------------------------


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", [*PAGES, ROOT / "ARCHITECTURE.md", ROOT / "tests" / "README.md"], ids=lambda p: p.stem)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8")):
        if "://" in target:
            continue
        name, _, anchor = target.partition("#")
        file = page.parent / name if name else page
        assert file.exists(), target
        assert not anchor or anchor in anchors(file), target


# -- Python ------------------------------------------------------------------------------------------------------


@pytest.mark.slow
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


def test_the_first_program_of_actors_is_the_one_on_the_page() -> None:
    assert blocks(ACTORS, "python")[0] == (ROOT / "examples" / "actors" / "first_program.py").read_text()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("page", "count"),
    [(CHECK, 3), (REDUCTION, 1), (CROSSCHECK, 1), (ACTORS, 5)],
    ids=lambda each: getattr(each, "stem", str(each)),
)
def test_the_python_examples_run(page: Path, count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    examples = blocks(page, "python")
    assert len(examples) == count
    for code in examples:
        exec(code, {"__name__": "page"})


# -- Scenario files ----------------------------------------------------------------------------------------------


def test_the_example_scenario_holds(sdnloom: CommandLine, tmp_path: Path) -> None:
    [scenario], [program] = blocks(SCENARIO, "toml"), blocks(SCENARIO, "python")
    (tmp_path / "hub.toml").write_text(scenario)
    (tmp_path / "hub.py").write_text(program)
    run = sdnloom("check", "hub.toml")
    assert (run.code, run.out.splitlines()[0].split(":")[0]) == (0, "HOLDS NoForwardingLoops, NoBlackHoles")
    (tmp_path / "hub.toml").write_text(scenario.replace('name = "h1"\n', 'name = "h1"\nat = "s1:9"\n'))
    mistake = sdnloom("check", "hub.toml")
    assert mistake.code == 2
    assert mistake.err in SCENARIO.read_text()


def test_the_property_of_ones_own_reports_its_violation(sdnloom: CommandLine, tmp_path: Path) -> None:
    [scenario], [program] = blocks(SCENARIO, "toml"), blocks(SCENARIO, "python")
    [mine] = blocks(PROPERTIES, "python")
    [entry] = re.findall(r"`({ file = \"mine.py\".*?})`", PROPERTIES.read_text())
    (tmp_path / "hub.py").write_text(program)
    (tmp_path / "mine.py").write_text(mine)
    for port, code in ((22, 0), (23, 1)):
        packets = f'packets = [{{ kind = "tcp", to = "h2", dst_port = {port} }}]'
        text = scenario.replace("properties = [", f"properties = [{entry}, ").replace('to = ["h2"]', packets)
        (tmp_path / "hub.toml").write_text(text)
        run = sdnloom("check", "hub.toml")
        assert run.code == code
        assert ("VIOLATED port 23 of h2 is closed: h2 received something for port 23\n" in run.out) == bool(code)


def rows(section: str) -> dict[str, str]:
    """Key -> default, of the table under a heading of the reference."""
    [text] = re.findall(rf"^##+ {re.escape(section)}\n(.*?)(?=^##|\Z)", SCENARIO.read_text(), re.DOTALL | re.MULTILINE)
    return dict(re.findall(r"^\| `(\w+)` \| .*? \| (.*?) \| .* \|$", text, re.MULTILINE))


@pytest.mark.parametrize(("section", "key", "value", "common"), KEYS, ids=[re.sub(r"\W+", "-", row[0]) for row in KEYS])
def test_the_reference_has_a_row_for_every_key(
    section: str, key: str, value: str, common: set[str], tmp_path: Path
) -> None:
    accepted = accepted_keys(tmp_path, key, value) - common
    alternatives = {"include"} if section == "Top level" else {"apps"} if "os-ken" in section else set()
    assert rows(section).keys() == accepted | alternatives


@pytest.mark.parametrize(
    ("section", "kind"),
    [
        *((f'kind = "{kind}"', each) for kind, each in HOSTS.items() if kind != "sink"),
        ("`move`", MobileHost),
        ("`[[link_faults]]`", LinkFaults),
        ("`[[switch_faults]]`", SwitchFaults),
        ("`[timeouts]`", Timeouts),
        ("`[[externals]]`", External),
        ("`[[timers]]`", ProgramTimer),
        ("`[[statistics]]`", PortCounter),
    ],
)
def test_the_reference_has_the_defaults_of_the_code(section: str, kind: type) -> None:
    for key, default in rows(section).items():
        field = kind.__dataclass_fields__.get(key)
        if field is None or default in ("required", "none") or not default.startswith("`"):
            continue
        value = {"true": True, "false": False}.get(default.strip("`"))
        expected = ast.literal_eval(default.strip("`")) if value is None else value
        assert field.default == (tuple(expected) if isinstance(expected, list) else expected), key


def test_the_reference_names_every_kind_of_host_packet_and_shape() -> None:
    text = SCENARIO.read_text()
    for name in (*HOSTS, *SHAPES):
        assert f'"{name}"' in text, name
    assert rows("`packets`").keys() == {*PACKET_KEYS}


def test_the_page_on_properties_names_the_library_and_its_arguments() -> None:
    text = PROPERTIES.read_text()
    library = re.findall(r"^\| `(\w+)` \| [^|]* \|$", text, re.MULTILINE)
    assert {*library} == {*LIBRARY}
    arguments = re.findall(r"^\| `(\w+)` \| `(\w+)` \| .* \| .* \| .* \|$", text, re.MULTILINE)
    assert {*arguments} == {
        (name, field) for name, kind in LIBRARY.items() for field in kind.__dataclass_fields__ if field != "name"
    }


def test_the_page_on_check_names_every_option() -> None:
    text = CHECK.read_text()
    for parameter in command.params:
        if parameter.param_type_name == "option":
            assert f"`{parameter.opts[0]}" in text, parameter.opts


@pytest.mark.parametrize("name", SUBCOMMANDS)
def test_the_page_on_crosscheck_names_every_command_and_option(name: str) -> None:
    text = CROSSCHECK.read_text()
    assert f"sdnloom crosscheck {name}" in text
    found = crosscheck.get_command(click.Context(crosscheck), name)
    assert found is not None
    for parameter in found.params:
        if parameter.param_type_name == "option":
            assert re.search(rf"(?<![\w-]){parameter.opts[0]}(?![\w-])", text), parameter.opts
