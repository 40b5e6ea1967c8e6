"""The pages that are references name every key, default, property and option of the code."""

import re
import tomllib
from pathlib import Path
from typing import Any

import click
import pytest

from sdnloom.check.load import HOSTS
from sdnloom.check.scenario_schema import scenario_schema
from sdnloom.cli.check import command
from sdnloom.cli.crosscheck import SUBCOMMANDS
from sdnloom.cli.crosscheck import command as crosscheck
from sdnloom.properties import LIBRARY
from sdnloom.report.schemas import key_meanings
from sdnloom.scenario_file.packet_text import _KEYS as PACKET_KEYS
from sdnloom.scenario_file.topology import SHAPES
from tests.check.accepted_keys import KEYS, accepted_keys
from tests.cli.running import CommandLine
from tests.docs.page_blocks import ROOT, blocks

CHECK, SCENARIO, APPS, PROPERTIES, CROSSCHECK, ACTORS, PYTEST = (
    ROOT / "docs" / f"{name}.md"
    for name in ("check", "scenario", "apps", "properties", "crosscheck", "actors", "pytest")
)


def test_the_first_programs_of_pages_are_the_examples() -> None:
    assert blocks(ACTORS, "python")[0] == (ROOT / "examples" / "actors" / "first_program.py").read_text()
    assert (ROOT / "examples" / "pytest" / "test_switch.py").read_text() in blocks(PYTEST, "python")


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


def schemas_by_key(schema: Any, found: dict[tuple[str, str], tuple[Any, bool]]) -> None:
    """The schema of each row of the page, found by a description that names it, and whether the key is required."""
    if isinstance(schema, dict):
        for key, inner in schema.get("properties", {}).items():
            section, tab, _ = inner.get("description", "").partition("\t") if isinstance(inner, dict) else ("", "", "")
            if tab:
                found[section, key] = inner, key in schema.get("required", ())
        for inner in schema.values():
            schemas_by_key(inner, found)
    elif isinstance(schema, list):
        for inner in schema:
            schemas_by_key(inner, found)


def test_the_reference_has_the_defaults_of_the_code() -> None:
    meanings = key_meanings(SCENARIO.read_text())
    named = {section: {key: f"{section}\t{key}" for key in keys} for section, keys in meanings.items()}
    found: dict[tuple[str, str], tuple[Any, bool]] = {}
    schemas_by_key(scenario_schema(named)["else"], found)
    compared = 0
    for (section, key), (schema, required) in found.items():
        stated = rows(section)[key]
        assert (stated == "required") == required or key in ("apps", "kind"), (section, key)
        literal = re.fullmatch(r"`(.*)`", stated)
        if literal and "default" in schema:
            compared += 1
            assert tomllib.loads(f"x = {literal[1]}")["x"] == schema["default"], (section, key)
        elif "default" in schema:
            assert not isinstance(schema["default"], int), (section, key, stated)
    stated_keys = {(section, key) for section, keys in meanings.items() for key in keys}
    assert {section for section, _ in stated_keys - found.keys()} == {"`packets`"}
    assert compared > 60


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
