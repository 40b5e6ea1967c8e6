"""The registry of formats: every command offers exactly what is registered, and one line adds a format."""

import re
import sys
from pathlib import Path
from types import ModuleType

import click
import pytest

from sdnloom.cli import cli
from sdnloom.cli.options.format_option import format_option
from sdnloom.report import formats
from sdnloom.report.formats import FORMATS, formatter, render

COMMANDS = sorted(FORMATS)


def command_named(name: str) -> click.Command:
    """The click command of `sdnloom NAME`; options or a file in the name say which of its reports is meant."""
    found: click.Command = cli
    for word in re.split(" --| FILE| FOLDER", name)[0].split():
        assert isinstance(found, click.Group)
        below = found.get_command(click.Context(found), word)
        assert below is not None
        found = below
    return found


@pytest.mark.parametrize(
    ("command", "name"), [(command, name) for command in COMMANDS for name in FORMATS[command]], ids=str
)
def test_every_registered_format_is_a_function(command: str, name: str) -> None:
    assert callable(formatter(command, name))


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_offers_the_registered_formats_and_no_others(command: str) -> None:
    option = next(each for each in command_named(command).params if each.name == "form")
    assert isinstance(option.type, click.Choice)
    assert list(option.type.choices) == list(FORMATS[command])
    assert option.default == "text"


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_text_and_json(command: str) -> None:
    assert {"text", "json"} <= set(FORMATS[command])


def test_a_format_is_one_module_and_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("sdnloom.report.check.markdown")
    module.report_markdown = lambda report, traces: f"# {report}\n"  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, module.__name__, module)
    registered = {**FORMATS, "check": {**FORMATS["check"], "markdown": "check.markdown:report_markdown"}}
    monkeypatch.setattr(formats, "FORMATS", registered)
    monkeypatch.setattr("sdnloom.cli.options.format_option.FORMATS", registered)
    assert render("check", "markdown", "holds", {}) == "# holds\n"
    offered = click.command()(format_option("check")(lambda form: None)).params[0]
    assert isinstance(offered.type, click.Choice)
    assert list(offered.type.choices) == ["text", "json", "markdown"]


def test_only_the_report_layer_writes_json() -> None:
    folder = Path(formats.__file__).parents[1] / "cli"
    imports = re.compile(r"^\s*(?:import|from) json\b", re.MULTILINE)
    assert [file.name for file in sorted(folder.rglob("*.py")) if imports.search(file.read_text())] == []
