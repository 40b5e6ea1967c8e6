"""The JSON schema of scenario files: compared with the reader, key by key and on documents with a mistake."""

import copy
import itertools
import json
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft7Validator

from sdnloom import SdnloomError, json_schema
from sdnloom.check.load import read_scenario
from sdnloom.check.scenario_schema import fragment_schema, scenario_schema
from sdnloom.report.schemas import key_meanings
from sdnloom.scenario_file.toml_text import toml_text
from tests.check.accepted_keys import KEYS, ROOT, accepted_keys

EXAMPLES = [file for file in sorted((ROOT / "examples").rglob("*.toml")) if file.parent.name != "crosscheck"]
SCHEMA, FRAGMENT = Draft7Validator(scenario_schema()), Draft7Validator(fragment_schema())
HUB = """class Hub:
    def packet_in(self, net, switch, message): ...
    def external(self, net, name): ...
    def timer(self, net, name): ...
"""
# Every table, and nearly every key.
RICH = tomllib.loads("""
name = "rich"
properties = [
  "NoForwardingLoops",
  { name = "Reachable", source = "h1", target = "h2", rerouted = true, as = "way" },
  { name = "UseCorrectRoutingTable", always_on = ["s1"], port = "s1:1", much = 5, split = "even" },
]
identity = true
ticks = 1
warmup = 0
program = { file = "hub.py", class = "Hub", arguments = {}, per_switch = false }
topology = { shape = "custom", switches = ["s1", "s2"], links = [["s1:2", "s2:2"]], ports = 5 }
switches = { version = "1.3", buffers = 3, counters = true, overlap = "first" }
timeouts = { expiries = 1, settle = true }
discover = { clients = false, stacks = ["default"], paths = 20 }
timers = [{ name = "t", budget = 1 }]
statistics = [{ port = "s1:2", values = [1, 2], counter = "tx_bytes" }]
link_faults = [{ link = "s1-s2", drop = 1 }]
switch_faults = [{ switch = "s1", fail = 1 }]
externals = [{ name = "poke", arguments = [1, "x"], budget = 1 }]
setup = [
  { call = "poke", arguments = [1, "y"], status = 200, contains = "x" },
  { report = "s1", ports = [{ port = 1, tx_bytes = 5 }] },
  { ticks = 1 },
]

[search]
engine = "loop"
order = "dfs"
reduce = true
all = true
max_states = 10
time_limit = 1.5
memory_limit = 9000
strategies = ["no-delay", "flow-ir"]
same_flow = "same_connection"
pkt_seq = { length = 3, burst = 1 }

[[hosts]]
name = "h1"
at = "s1:1"
mac = "00:00:00:00:00:21"
ip = "10.0.0.21/24"
gateway = "10.0.0.1"
kind = "arp"
to = ["h2"]
packets = [{ kind = "tcp", to = "h2", vlan = 3, dst_port = 6, flags = ["SYN", "ACK"], payload = "x", hex = "0102" }]
sends = 1
order = "listed"
discover = false
move = { to = ["s1:3"], moves = 1, announces = true }

[[hosts]]
name = "h2"
at = "s2:3"
kind = "tcp_client"
to = { mac = "00:00:00:00:00:22", ip = "10.0.0.22" }
resolves = false
""")
WRONG: list[Any] = [True, -1, 1.5, "", "x", [], [1], {"x": 1}, 10**12]


def places(value: Any, place: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The place of each value of a document, tables and items of lists included."""
    yield place
    for key, part in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from places(part, (*place, key))


def at(document: Any, place: tuple[Any, ...]) -> Any:
    for key in place:
        document = document[key]
    return document


def changed(place: tuple[Any, ...], value: Any) -> Any:
    document = copy.deepcopy(RICH)
    at(document, place[:-1])[place[-1]] = value
    return document


def objects(schema: Any) -> Iterator[set[str]]:
    """The keys of each table that a schema describes."""
    if isinstance(schema, dict):
        if "properties" in schema and schema.get("additionalProperties") is False:
            yield {*schema["properties"]}
        for part in schema.values():
            yield from objects(part)
    elif isinstance(schema, list):
        for part in schema:
            yield from objects(part)


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda file: f"{file.parent.name}-{file.name}")
def test_examples_are_valid(file: Path) -> None:
    document = tomllib.loads(file.read_text())
    (FRAGMENT if file.name.endswith(".part.toml") else SCHEMA).validate(document)


@pytest.mark.parametrize(("section", "key", "value", "common"), KEYS, ids=[row[1] + row[2][:40] for row in KEYS])
def test_each_table_has_the_keys_of_the_reader(
    section: str, key: str, value: str, common: set[str], tmp_path: Path
) -> None:
    accepted = accepted_keys(tmp_path, key, value)
    whole = scenario_schema()["else"]
    if key == "no_such_key":
        assert {*whole["properties"]} == accepted | {"include"}
    else:
        others = {"kind", "move"} if key == "hosts" and "name" in accepted else set()  # read before the other keys
        assert any(accepted <= keys <= accepted | others for keys in objects(whole["properties"][key]))


def test_schema_and_reader_refuse_the_same_unknown_keys_and_types(tmp_path: Path) -> None:
    (tmp_path / "hub.py").write_text(HUB)

    def refusal(document: Any) -> str | None:
        try:
            read_scenario(toml_text(document), tmp_path / "rich.toml", build=False)
        except SdnloomError as error:
            return str(error)
        return None

    assert refusal(RICH) is None
    SCHEMA.validate(RICH)
    values = itertools.cycle(WRONG)
    tried = 0
    for place in list(places(RICH)):
        mistakes = [changed(place, next(values))] if place else []
        if isinstance(at(RICH, place), dict) and place != ("program", "arguments"):
            mistakes.append(changed((*place, "no_such_key"), 1))
        for document in mistakes:
            tried += 1
            message, valid = refusal(document), SCHEMA.is_valid(document)
            assert valid or message is not None, (place, document)
            if message is not None and valid:  # only what depends on the network, or on files, is left to the reader
                before, after = at(RICH, place), at(document, place)
                assert type(before) is type(after) or place == ("hosts", 1, "to"), message
                assert "is unknown; expected one of" not in message
    assert tried == 165


def test_a_scenario_without_include_needs_its_three_parts() -> None:
    for key in ("program", "properties", "topology"):
        assert not SCHEMA.is_valid({name: value for name, value in RICH.items() if name != key})
    assert SCHEMA.is_valid({"include": "base.part.toml", "program": {"class": "Hub"}})
    assert not SCHEMA.is_valid({"include": "base.part.toml", "program": {"klass": "Hub"}})


def test_the_published_schema_has_the_meaning_of_each_key() -> None:
    keys = json_schema("scenario")["else"]["properties"]
    meanings = key_meanings((ROOT / "docs" / "scenario.md").read_text())
    for key in keys:
        assert keys[key]["description"] == meanings["Top level"][key]
    clients = [each for each in keys["hosts"]["items"]["anyOf"] if each["properties"]["kind"].get("const") == "client"]
    assert clients[0]["properties"]["sends"] == {
        "type": "integer",
        "minimum": 0,
        "maximum": 1_000_000_000,
        "default": 1,
        "description": "how many packets it sends",
    }
    Draft7Validator.check_schema(json_schema("scenario"))
    assert json.loads(json.dumps(json_schema("scenario"))) == json_schema("scenario")
