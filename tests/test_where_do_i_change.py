"""docs/where-do-i-change.md names files that exist, and its registries are all that an extension needs."""

import re
import textwrap
from dataclasses import dataclass
from pathlib import Path

import click
import pytest

from sdnloom import cli, load_scenario
from sdnloom.check import load
from sdnloom.engine.model import Needs, Property
from sdnloom.network.hosts import Host
from sdnloom.properties import LIBRARY, NetworkProperty
from sdnloom.report.formats import FORMATS

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "where-do-i-change.md").read_text()
SOURCE = ROOT / "src" / "sdnloom"
TASKS = re.findall(
    r"^\| (a property|a host kind|a link fault|an output format|a command) \| (.*) \|$", PAGE, re.MULTILINE
)


@dataclass(frozen=True)
class NothingArrives(NetworkProperty):
    """A property that no module of the library knows."""

    name: str = "NothingArrives"

    def bind(self, _: object) -> tuple[Property, ...]:
        return (Property(self.name, Needs.EVENT, lambda memory, columns: None),)


@dataclass(frozen=True)
class Printer(Host):
    """A host that no module of the library knows."""

    pages: int = 1


@pytest.fixture
def scenario(tmp_path: Path) -> Path:
    """A small scenario with a host and a property that are registered in the test."""
    (tmp_path / "hub.py").write_text("class Hub:\n    def packet_in(self, net, switch, message): ...\n")
    (tmp_path / "hub.toml").write_text(
        textwrap.dedent("""
        properties = ["NothingArrives"]
        program = { file = "hub.py" }
        topology = { shape = "single" }
        hosts = [{ name = "h1", kind = "printer", pages = 3 }]
        """)
    )
    return tmp_path / "hub.toml"


def paths(text: str) -> list[str]:
    return [path for path in re.findall(r"`([\w/.<>]+)`", text) if "/" in path or path.endswith((".py", ".md"))]


def test_each_path_exists() -> None:
    last = SOURCE
    for path in paths(PAGE):
        if "<" in path:
            continue
        places = [SOURCE / path, ROOT / path, last / path]
        found = [place for place in places if place.exists()]
        assert found, path
        last = found[0].parent


def test_five_tasks_touch_three_files_at_most() -> None:
    assert len(TASKS) == 5
    for task, files in TASKS:
        assert len(files.split(" | ")) == 3, task
        assert len(paths(files)) <= 3, task


def test_a_registered_property_and_host_can_be_used_in_a_scenario(
    scenario: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(LIBRARY, "NothingArrives", NothingArrives)
    monkeypatch.setitem(load.HOSTS, "printer", Printer)
    loaded = load_scenario(scenario)
    assert loaded.network.hosts == (Printer("h1", pages=3),)
    assert loaded.check().verdict == "holds"


def test_a_registered_command_can_be_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(cli.COMMANDS, "hello", (__name__, "Say hello."))
    context = click.Context(cli.cli)
    assert "hello" in cli.cli.list_commands(context)
    assert cli.cli.get_command(context, "hello") is command
    assert "Say hello." in cli.cli.get_help(context)


@click.command("hello")
def command() -> None:
    """Say hello."""


@pytest.mark.parametrize("name", [name for name in FORMATS if " " not in name])
def test_every_command_offers_the_registered_formats(name: str) -> None:
    found = cli.cli.get_command(click.Context(cli.cli), name)
    [option] = [parameter for parameter in found.params if "--format" in parameter.opts]
    assert list(option.type.choices) == list(FORMATS[name])
