"""`sdnloom schema`: names, schemas and mistakes."""

import json
from pathlib import Path

from sdnloom import json_schema
from sdnloom.report.schemas import schema_names
from tests.cli.running import CommandLine


def test_without_a_name_it_lists_the_names(sdnloom: CommandLine) -> None:
    run = sdnloom("schema")
    assert (run.code, run.out.split()) == (0, schema_names())
    assert run.out.split()[:2] == ["scenario", "scenario-part"]


def test_it_prints_or_writes_each_schema(sdnloom: CommandLine, tmp_path: Path) -> None:
    for name in schema_names():
        run = sdnloom("schema", name)
        assert (run.code, json.loads(run.out)) == (0, json_schema(name))
        assert run.out.startswith('{\n  "$schema": ')
    run = sdnloom("schema", "scenario", "-o", "scenario.json")
    assert run == (0, "", "")
    assert json.loads((tmp_path / "scenario.json").read_text()) == json_schema("scenario")


def test_mistakes_end_with_one_message(sdnloom: CommandLine) -> None:
    unknown = sdnloom("schema", "scenarios")
    assert (unknown.code, unknown.out) == (2, "")
    assert unknown.err.startswith("error: schema 'scenarios' is unknown; expected one of scenario, scenario-part")
    assert sdnloom("schema", "-o", "all.json").code == 2
    missing = sdnloom("schema", "scenario", "-o", "no/such/folder.json")
    assert (missing.code, "cannot write the schema: No such file or directory" in missing.err) == (2, True)
