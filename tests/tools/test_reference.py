"""The generated reference has every command, option, property, host, strategy, public name and schema."""

import re

import click
import pytest

import sdnloom
from sdnloom.check.load import HOSTS
from sdnloom.cli import COMMANDS
from sdnloom.properties import LIBRARY
from sdnloom.report.schemas import schema_names
from sdnloom.strategies import STRATEGY_NAMES
from tools import reference

ALL = {name: make() for name, make in reference.PAGES.items()}


def test_every_command_and_subcommand_is_there() -> None:
    words = [each.words for each in reference.all_commands()]
    assert {each.split()[1] for each in words} == {*COMMANDS}
    assert {"sdnloom crosscheck compare", "sdnloom netkat reach"} <= {*words}
    for each in words:
        assert f"\n## {each}\n" in ALL["commands"]


@pytest.mark.parametrize("named", reference.all_commands(), ids=lambda named: named.words)
def test_every_option_has_a_row(named: reference.NamedCommand) -> None:
    section = ALL["commands"].split(f"\n## {named.words}\n")[1].split("\n## ")[0]
    for option in named.command.params:
        if isinstance(option, click.Option) and not option.hidden:
            names = re.compile(rf"\| `[^`]*(?<![\w-]){option.opts[0]}(?![\w-])")
            [row] = [line for line in section.splitlines() if names.match(line)]
            assert option.help is None or option.help.split()[0] in row


def test_every_command_with_a_verdict_states_its_exit_codes() -> None:
    for words, command in reference.all_commands():
        if "Exit code" in (command.help or ""):
            assert f"| [`{words}`]" in ALL["exit-codes"]
    assert {"sdnloom check", "sdnloom replay", "sdnloom races"} <= {
        line.split("`")[1] for line in ALL["exit-codes"].splitlines() if line.startswith("| [`")
    }


def test_the_library_is_there() -> None:
    headings = {line.removeprefix("### ") for line in ALL["library"].splitlines() if line.startswith("### ")}
    assert headings == {*LIBRARY, *STRATEGY_NAMES, *(f'kind = "{kind}"' for kind in HOSTS)}


def test_every_public_name_has_a_row_with_its_meaning() -> None:
    sections = {part.split("\n")[0]: part for part in ALL["python"].split("\n## ")[1:]}
    assert {*sections} == {"sdnloom", *(f"sdnloom.{name}" for name in sdnloom._MODULES)}
    for name in sdnloom._MODULE_OF:
        [row] = [line for line in sections["sdnloom"].splitlines() if line.startswith((f"| `{name}`", f"| `{name}("))]
        assert len(row.split(" | ")[-1]) > 10, name
    for module in sdnloom._MODULES:
        for name in reference.public_values(getattr(sdnloom, module)):
            assert f"\n| `{name}" in sections[f"sdnloom.{module}"]


def test_classes_have_their_methods() -> None:
    [scenario] = re.findall(r"\n### Scenario\n(.*?)\n##", ALL["python"], re.DOTALL)
    rows = dict(re.findall(r"^\| `(\w+)(?:\(.*\))?` \| (.*) \|$", scenario, re.MULTILINE))
    assert {"check", "replay", "discovering", "narrowed", "text"} <= {*rows}
    assert all(rows.values())
    assert "self" not in scenario


def test_every_schema_is_there() -> None:
    assert [line.removeprefix("## ") for line in ALL["files"].splitlines() if line.startswith("## ")] == schema_names()


def test_it_writes_its_pages_into_a_folder(tmp_path, capsys) -> None:
    assert reference.main([str(tmp_path / "new")]) == 0
    assert {file.stem for file in (tmp_path / "new").iterdir()} == {*reference.PAGES}
    assert reference.main([]) == 2
    assert capsys.readouterr().err.startswith("error: expected one folder")
