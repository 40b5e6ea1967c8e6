"""The JSON schema of scenario files, for editors.

What classes and functions declare (hosts, faults, options, properties) is taken from their signatures, as the reader
takes it; tables that the reader takes key by key are listed here, and the tests compare them with the reader. The
schema accepts whatever the reader accepts, and refuses unknown keys and wrong types. What depends on the network, such
as names of hosts, only the reader knows.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any

from sdnloom import properties as library
from sdnloom.check.load import HOSTS
from sdnloom.engine.result import SearchOptions
from sdnloom.inputs.options import DiscoverOptions
from sdnloom.inputs.skeletons import DEFAULT_STACKS
from sdnloom.network.hosts import MobileHost
from sdnloom.network.network import (
    SETTLE_TICKS,
    External,
    LinkFaults,
    PortCounter,
    ProgramTimer,
    SwitchFaults,
    SwitchOptions,
    Timeouts,
)
from sdnloom.network.openflow import PortStats
from sdnloom.network.packet import Packet
from sdnloom.network.startup.setup_steps import MAX_TICKS, SetupTicks
from sdnloom.scenario_file.by_signature import MOST_WHOLE, TEXT_SCHEMA, ValueType, call_schema
from sdnloom.scenario_file.packet_text import ADDRESSES, PACKET_SCHEMA
from sdnloom.scenario_file.topology import SHAPES
from sdnloom.strategies import STRATEGY_NAMES, PktSeq

Schema = dict[str, Any]
# Heading of docs/scenario.md -> key -> meaning.
Meanings = Mapping[str, Mapping[str, str]]
DRAFT = "http://json-schema.org/draft-07/schema#"  # that editors know best
_TEXT = dict(TEXT_SCHEMA)
_FLAG: Schema = {"type": "boolean"}
_TABLE: Schema = {"type": "object"}
_NAMES: Schema = {"type": "array", "items": {"type": "string"}}
_PLAIN_LIST: Schema = {"type": "array"}
_HOST_KEYS = dict.fromkeys(("name", "at", "mac", "ip", "gateway"), _TEXT)
FILE_TYPES: Mapping[Any, ValueType] = {
    Packet: ValueType("a packet", lambda value: value, PACKET_SCHEMA),
    tuple[int, int]: ADDRESSES,
}  # that hosts have, beside plain ones
_NEEDED = ["program", "properties", "topology"]
_LINES = 'shape = "linear", "ring" or "mesh"'


def scenario_schema(meanings: Meanings | None = None) -> Schema:
    """The schema of a scenario. One that includes others may leave to them what it needs."""
    return {
        "$schema": DRAFT,
        "title": "sdnloom scenario",
        "description": "A controller program, a network and properties, for sdnloom check.",
        "if": {"required": ["include"]},
        "then": _document(meanings or {}, whole=False),
        "else": _document(meanings or {}, whole=True),
    }


def fragment_schema(meanings: Meanings | None = None) -> Schema:
    """The schema of a file that scenarios include (`*.part.toml`): nothing is required."""
    return {
        "$schema": DRAFT,
        "title": "sdnloom scenario fragment",
        "description": "A part of a scenario, for its key include.",
        **_document(meanings or {}, whole=False),
    }


def _document(meanings: Meanings, whole: bool) -> Schema:
    """The top level; unless it is whole, an included file may have the other keys of its tables."""
    tables = _Tables(meanings, whole)
    keys = {
        "properties": {"type": "array", "minItems": 1, "items": _property()},
        "name": _TEXT,
        "include": {"anyOf": [_TEXT, {"type": "array", "items": _TEXT}]},
        "program": tables.choice(_programs()),
        "topology": tables.choice(_topologies()),
        "hosts": _list_of({"anyOf": [*_hosts(meanings)]}),
        "switches": tables.called(SwitchOptions, "`[switches]`"),
        "link_faults": _list_of(_faults("link", LinkFaults, "`[[link_faults]]`", meanings)),
        "switch_faults": _list_of(_faults("switch", SwitchFaults, "`[[switch_faults]]`", meanings)),
        "timeouts": tables.called(Timeouts, "`[timeouts]`"),
        "externals": _list_of(_called(External, "`[[externals]]`", meanings, ("arguments",), arguments=_PLAIN_LIST)),
        "timers": _list_of(_called(ProgramTimer, "`[[timers]]`", meanings)),
        "statistics": _list_of(_called(PortCounter, "`[[statistics]]`", meanings)),
        "joining": {**_FLAG, "default": False},
        "identity": _FLAG,
        "ticks": {**_whole(0), "default": 0},
        "settle_ticks": {**_whole(0), "default": SETTLE_TICKS},
        "warmup": {"anyOf": [{"const": "links"}, _whole(0, MAX_TICKS)]},
        "setup": _list_of(_setup(meanings)),
        "search": _search(meanings),
        "discover": _discover(meanings),
    }
    return _object(keys, _NEEDED if whole else (), "Top level", meanings)


class _Tables:
    """Tables of the top level, which includes merge key by key: only a whole document requires keys."""

    def __init__(self, meanings: Meanings, whole: bool) -> None:
        self._meanings, self._whole = meanings, whole

    def choice(self, kinds: Iterable[tuple[str, Schema, list[str]]]) -> Schema:
        """One of several kinds of table; of a document that is not whole, a part of one."""
        return {
            "type": "object",
            "anyOf": [
                _object(keys, required if self._whole else (), section, self._meanings)
                for section, keys, required in kinds
            ],
        }

    def called(self, call: Callable[..., Any], section: str) -> Schema:
        keys, required = call_schema(call, (), {})
        return _object(keys, required if self._whole else (), section, self._meanings)


def _programs() -> Iterable[tuple[str, Schema, list[str]]]:
    """Section, keys and required keys of each kind of `[program]`."""
    per_switch = {"per_switch": _FLAG}
    random = {"seed": {**_whole(0), "default": 0}, "draws": {**_whole(0, 100), "default": 0}}
    plain = {"file": _TEXT, "class": _TEXT, "arguments": _TABLE, **per_switch}
    yield "A class in plain Python", plain, ["file"]
    osken = {
        "path": _NAMES,
        "hub": {"enum": ["auto", "native", "eventlet"], "default": "auto"},
        "threads": {"enum": ["settle", "explore"], "default": "settle"},
        **random,
        "config": _TABLE,
        "environment": {"type": "object", "additionalProperties": {"type": ["string", "integer"]}},
        **per_switch,
    }
    apps = {"type": "array", "minItems": 1, "items": _TEXT}
    yield "An os-ken or Ryu app", {"app": _TEXT, **osken}, ["app"]
    yield "An os-ken or Ryu app", {"apps": apps, **osken}, ["apps"]
    texts = {"type": "object", "additionalProperties": _NAMES}
    nox = {"nox": {"anyOf": [_TEXT, apps]}, "arguments": texts, **random, **per_switch}
    yield "A NOX app", nox, ["nox"]


def _topologies() -> Iterable[tuple[str, Schema, list[str]]]:
    """Section, keys and required keys of each shape; those that a shape needs come first."""
    ports = {"ports": {**_whole(0, 1000), "default": 0}}
    hosts = {"hosts": {**_whole(0, 1000), "default": 1}}
    own_hosts = {"hosts": _whole(0, 1000)}
    pairs = {"type": "array", "items": {"type": "array", "minItems": 2, "maxItems": 2, "items": {"type": "string"}}}
    line = {"switches": _whole(1, 10_000), **hosts, **ports}
    needs: dict[str, tuple[Schema, int]] = {
        "single": ({"hosts": {**_whole(0, 10_000), "default": 2}, **ports}, 0),
        "linear": (line, 1),
        "ring": (line, 1),
        "mesh": (line, 1),
        "tree": ({"depth": _whole(1, 64), "fanout": {**_whole(1, 10_000), "default": 2}, **own_hosts, **ports}, 1),
        "torus": ({"rows": _whole(3, 10_000), "columns": _whole(3, 10_000), **own_hosts, **ports}, 2),
        "custom": ({"switches": _NAMES, "links": pairs, **own_hosts, **ports}, 1),
        "mininet": ({"file": _TEXT, "topo": _TEXT, "arguments": _PLAIN_LIST, "options": _TABLE, **own_hosts}, 1),
        "graphml": ({"file": _TEXT, **hosts}, 1),
        "topohub": ({"name": _TEXT, **hosts}, 1),
    }
    for shape in SHAPES:
        keys, required = needs[shape]
        section = _LINES if keys is line else f'shape = "{shape}"'
        yield section, {"shape": {"const": shape}, **keys}, ["shape", *list(keys)[:required]]


def _hosts(meanings: Meanings) -> Iterable[Schema]:
    """One schema for each kind of host, and one for classes of the user's own, which have keys of their own."""
    common = {
        **_HOST_KEYS,
        "move": _called(MobileHost, "`move`", meanings, ("name", "host")),
    }
    every = meanings.get("Every host", {})
    for kind, call in HOSTS.items():
        keys, required = call_schema(call, ("name",), FILE_TYPES)
        merged = _object({**common, **keys}, required, f'kind = "{kind}"', meanings, every)
        merged["properties"]["kind"] = {"const": kind, **({"default": kind} if kind == "sink" else {})}
        merged["required"] = ["name"] if kind == "sink" else ["name", "kind", *required]
        yield merged
    own = _object({**common, "kind": {"type": "string", "pattern": ":"}}, ["name", "kind"], "", meanings, every)
    yield {**own, "additionalProperties": True}


def _faults(name: str, kind: Callable[..., Any], section: str, meanings: Meanings) -> Schema:
    """A link or switch and its budgets, of which at least one is given."""
    keys, _ = call_schema(kind, (), {})
    schema = _object({name: _TEXT, **keys}, [name], section, meanings)
    return {**schema, "anyOf": [{"required": [key]} for key in keys]}


def _setup(meanings: Meanings) -> Schema:
    section = "`[[setup]]`"
    call = {
        "call": _TEXT,
        "body": {"anyOf": [{"type": "string"}, {"type": ["object", "array", "number", "boolean"]}]},
        "arguments": _PLAIN_LIST,
        "status": _whole(100, 599),
        "contains": _TEXT,
    }
    counters, _ = call_schema(PortStats, ("port_no",), {})
    rows = {**_list_of(_object({"port": _whole(1), **counters}, ["port"], "", meanings)), "minItems": 1}
    ticks, required = call_schema(SetupTicks, (), {})
    return {
        "anyOf": [
            _object(call, ["call"], section, meanings),
            _object({"report": _TEXT, "ports": rows}, ["report", "ports"], section, meanings),
            _object(ticks, required, section, meanings),
        ]
    }


def _property() -> Schema:
    """A name of the library, a table with one and its arguments, or a property of a file."""
    named = []
    for name, kind in library.LIBRARY.items():
        keys, required = call_schema(kind, ("name",), {})
        keys = {"name": {"const": name}, "as": _TEXT, **keys}
        named.append({**_object(keys, ["name", *required], "", {}), "description": (kind.__doc__ or "").split("\n")[0]})
    own = {
        "type": "object",
        "properties": {"file": _TEXT, "name": _TEXT, "as": _TEXT},
        "required": ["file", "name"],
    }
    return {"anyOf": [{"enum": list(library.LIBRARY)}, *named, own]}


def _search(meanings: Meanings) -> Schema:
    options, _ = call_schema(SearchOptions, ("find_all", "explain", "checked", "threads", "disk_place"), {})
    keys = {
        **options,
        "reduce": {"enum": [True, False, "auto"], "default": "auto"},
        "all": {**_FLAG, "default": False},
        "seed": {**_whole(0), "default": 0},
        "max_states": _whole(1),
        "max_depth": _whole(1),
        "time_limit": {"type": "number", "exclusiveMinimum": 0, "maximum": MOST_WHOLE},
        "memory_limit": _whole(1, 1 << 30),
        "strategies": {"type": "array", "items": {"enum": list(STRATEGY_NAMES)}, "uniqueItems": True},
        "same_flow": _TEXT,
        "pkt_seq": _called(PktSeq, "", meanings),
    }
    return _object(keys, (), "`[search]`", meanings)


def _discover(meanings: Meanings) -> Schema:
    keys = {
        "clients": {"enum": [True, False, "only"], "default": False},
        "statistics": {**_FLAG, "default": False},
        "stacks": {**_NAMES, "default": list(DEFAULT_STACKS)},
        "fields": {"type": "object", "additionalProperties": {"type": ["string", "integer", "array", "object"]}},
        "paths": {**_whole(1), "default": DiscoverOptions.paths},
    }
    return _object(keys, (), "`[discover]`", meanings)


def _called(
    call: Callable[..., Any], section: str, meanings: Meanings, fixed: Collection[str] = (), **others: Schema
) -> Schema:
    keys, required = call_schema(call, fixed, {})
    return _object({**keys, **others}, required, section, meanings)


def _object(
    keys: Schema,
    required: Collection[str],
    section: str,
    meanings: Meanings,
    common: Mapping[str, str] | None = None,
) -> Schema:
    """A table with these keys and no others, each with its meaning if the page has one."""
    texts = {**(common or {}), **meanings.get(section, {})}
    described = {key: {**schema, "description": texts[key]} if key in texts else schema for key, schema in keys.items()}
    schema: Schema = {"type": "object", "properties": described, "additionalProperties": False}
    return {**schema, "required": list(required)} if required else schema


def _list_of(schema: Schema) -> Schema:
    return {"type": "array", "items": schema}


def _whole(low: int, high: int = MOST_WHOLE) -> Schema:
    return {"type": "integer", "minimum": low, "maximum": high}
