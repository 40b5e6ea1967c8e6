"""Published schemas: what commands really print and write has the structure that `sdnloom schema` says.

Schemas name every key, so a key that is added, renamed or dropped fails here until its schema says so, too.
"""

import json
import tomllib
from functools import cache, partial
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from sdnloom.confirm.run import confirm_with
from sdnloom.report.formats import FORMATS
from sdnloom.report.schemas import json_schema, schema_names
from sdnloom.report.view.document import result_document
from sdnloom.report.view.document_reader import ResultFileError, parse_results
from tests.check.scenarios import BUFFERED, write
from tests.cli.running import CommandLine
from tests.confirm.model_parts import model_parts
from tests.report.random_views import random_results

EXAMPLES = Path(__file__).parents[2] / "examples"
TINY = [
    f"{name}={EXAMPLES}/crosscheck/{file}.py:TinySwitch"
    for name, file in (("old", "tiny_switch"), ("new", "tiny_switch_fixed"))
]
PORTS = ("--test", EXAMPLES / "crosscheck/ports.toml")
APP = EXAMPLES / "apps/learning_switch.py"
KNOWN = ("--baseline", "known.toml")  # that a command writes before
TRACE = "hub.quiet-h2.sdnloom-trace.json"

# Schema -> commands that print it as JSON, each with its exit code. They run one after the other in a folder with the
# scenario hub.toml, so a later command may use what an earlier one wrote.
COMMANDS: dict[str, list[tuple[int, tuple[Any, ...]]]] = {
    "check": [
        (1, ("check", "hub.toml", "--export", "hub.json", "--coverage")),
        (1, ("check", "hub.toml", "--no-trace", "--show-output", "--explain-reduction")),
        (3, ("check", "hub.toml", "--no-trace", "--max-states", 3)),
        (1, ("check", "hub.toml", "--no-trace", "--confirm")),
        (0, ("check", "hub.toml", "--no-trace", "--first", "--baseline", "known.toml", "--update-baseline")),
        (1, ("check", EXAMPLES / "actors/first_program.py", "--no-trace", "--count", "executions")),
    ],
    "suite": [
        (1, ("check", "hub.toml", EXAMPLES / "actors/first_program.py", "--no-trace")),
        (1, ("check", "hub.toml", "hub.toml", ".", "--no-trace", "--confirm")),
        (1, ("check", "hub.toml", EXAMPLES / "actors/first_program.py", "--no-trace", "--first", *KNOWN)),
    ],
    "replay": [(1, ("replay", TRACE))],
    "confirm": [(1, ("confirm", TRACE))],
    "walk": [(1, ("walk", "hub.toml")), (3, ("walk", "hub.toml", "--runs", 1, "--max-steps", 1))],
    "swarm": [
        (1, ("walk", "--swarm", "hub.toml", "--members", 2)),
        (3, ("walk", "--swarm", "hub.toml", "--members", 2, "--max-steps", 1, "--export", "swarm.json")),
    ],
    "minimise": [(0, ("minimise", TRACE, "-o", "smaller.sdnloom-trace.json"))],
    "explain": [(0, ("explain", TRACE))],
    "races": [
        (1, ("races", EXAMPLES / "races/firewall.races", *KNOWN)),
        (1, ("races", EXAMPLES / "races/hierarchy.races", "--races", "all", "--depth", 3)),
    ],
    "crosscheck": [
        (1, ("crosscheck", "run", *TINY, *PORTS, "--witnesses", "found", *KNOWN)),
    ],
    "crosscheck-explore": [
        (0, ("crosscheck", "explore", TINY[0], *PORTS, "-o", "old.jsonl", "--classes")),
        (0, ("crosscheck", "explore", TINY[1], *PORTS, "-o", "new.jsonl")),
    ],
    "crosscheck compare": [(1, ("crosscheck", "compare", "old.jsonl", "new.jsonl"))],
    "crosscheck-try": [(0, ("crosscheck", "try", "found/cause-01-ports.json", TINY[1]))],
    "crosscheck-tests": [(0, ("crosscheck", "tests"))],
    "crosscheck-agents": [(0, ("crosscheck", "agents"))],
    "inputs": [(0, ("inputs", "--app", APP, "--topology", "single,2", "--port", 1, "--stack", "ethernet"))],
    "any-state": [(0, ("inputs", "hub.toml", "--port", 1, "--stack", "ethernet", "--from", "any", "--no-trace"))],
    "netkat": [
        (1, ("netkat", "check", EXAMPLES / "netkat/firewall_broken.nk")),
        (1, ("netkat", "equiv", "pt = 1 . pt <- 2", "pt = 1 . pt <- 3")),
        (0, ("netkat", "reach", EXAMPLES / "netkat/ring.nk", "net", "--from", "sw=1 . pt=1 . dst=3")),
    ],
    "doctor": [(0, ("doctor",))],
}
NOT_PRINTED = {"scenario", "scenario-part", "result", "trace", "baseline"}  # schemas of files


@cache
def validator(name: str) -> jsonschema.Draft202012Validator:
    return jsonschema.Draft202012Validator(json_schema(name))


def mistakes(name: str, document: Any) -> list[str]:
    """What is wrong, with the innermost reasons of alternatives."""
    found = []
    for error in validator(name).iter_errors(document):
        inner = [each for each in error.context or () if each.relative_path] or [error]
        found += [f"{each.json_path}: {each.message[:200]}" for each in inner]
    return found


def test_every_schema_is_a_schema_and_names_all_keys() -> None:
    def objects(value: Any) -> list[dict[str, Any]]:
        below = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
        own = [value] if isinstance(value, dict) and value.get("type") == "object" else []
        return [*own, *(found for each in below for found in objects(each))]

    for name in {*schema_names()} - {"scenario", "scenario-part"}:
        schema = json_schema(name)
        jsonschema.Draft202012Validator.check_schema(schema)
        assert [each for each in objects(schema) if "additionalProperties" not in each] == [], name


def test_every_command_that_prints_json_is_here() -> None:
    printed = {command for command, forms in FORMATS.items() if "json" in forms}
    ran = {" ".join(map(str, command[:2])) for commands in COMMANDS.values() for _, command in commands}
    ran |= {str(command[0]) for commands in COMMANDS.values() for _, command in commands}
    ran |= {"check FILE.py", "check FOLDER", "inputs --from any"}
    assert printed - ran == set()
    assert {*schema_names()} - NOT_PRINTED == {name.replace(" compare", "") for name in COMMANDS}


def test_what_is_printed_and_written_has_the_published_structure(
    sdnloom: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sdnloom.api.confirm.confirm_trace", partial(confirm_with, model_parts))
    write(tmp_path, BUFFERED)
    wrong = []
    for name, commands in COMMANDS.items():
        for code, command in commands:
            run = sdnloom(*command, "--format", "json")
            found = mistakes(name.replace(" compare", ""), json.loads(run.out)) if run.out else [run.err]
            wrong += [(command, run.code, found)] if run.code != code or found else []
    assert wrong == []
    trace = json.loads((tmp_path / TRACE).read_text())
    assert mistakes("trace", trace) == []
    assert mistakes("result", json.loads((tmp_path / "hub.json").read_text())) == []
    assert mistakes("baseline", tomllib.loads((tmp_path / "known.toml").read_text())) == []


def test_the_schema_of_results_accepts_what_the_reader_accepts() -> None:
    for seed in range(20):
        assert mistakes("result", json.loads(result_document(random_results(seed)))) == []


@pytest.mark.parametrize("seed", range(40))
def test_a_result_that_the_schema_refuses_is_refused_by_the_reader(seed: int) -> None:
    """A value somewhere is replaced by one of another type."""
    document = json.loads(result_document(random_results(seed)))
    places: list[tuple[Any, Any]] = []

    def visit(value: Any) -> None:
        for key in range(len(value)) if isinstance(value, list) else [*value]:
            places.append((value, key))
            if isinstance(value[key], list | dict):
                visit(value[key])

    visit(document)
    holder, key = places[seed * 7919 % len(places)]
    holder[key] = 0.5 if not isinstance(holder[key], float) else "x"
    if mistakes("result", document):
        with pytest.raises(ResultFileError):
            parse_results(json.dumps(document).encode())
