"""Options of a check as typed keyword arguments, with the meaning that they have for `sdnloom check`."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, TypedDict

from sdnloom.errors import SdnloomError
from sdnloom.scenario_file.document import ScenarioError, shown


class CheckCallError(SdnloomError):
    """A check that cannot be made. The message names the argument and says what was expected."""


class NoKeywords(TypedDict):
    """No further arguments. What is given all the same can be named in an error."""


class SettingKeywords(TypedDict, total=False):
    """Options that describe an app and the network around it, without properties. Texts as on the command line."""

    path: Sequence[str | Path]  # --path
    environment: Sequence[str]  # --env
    config: Sequence[str]  # --config
    observe_links: bool  # --observe-links
    hub: Literal["auto", "native", "eventlet"]  # --hub
    app_threads: Literal["settle", "explore"]  # --app-threads
    version: str  # --openflow
    topology: str  # --topology
    profile: str  # --switch-profile
    hosts: int  # --hosts
    pings: Sequence[str]  # --ping
    no_arp: bool  # --no-arp
    host_keys: Sequence[str]  # --host
    moves: Sequence[str]  # --move
    externals: Sequence[str]  # --external
    setup: Sequence[str]  # --setup
    ticks: int  # --ticks
    settle_ticks: int  # --settle-ticks
    timeouts: int  # --timeouts
    warmup: int | Literal["links"]  # --warmup
    joining: bool  # --joining
    link_failures: Sequence[str]  # --fail-link
    drops: Sequence[str]  # --drop
    duplicates: Sequence[str]  # --duplicate
    reorders: Sequence[str]  # --reorder
    restarts: Sequence[str]  # --restart-switch
    disconnects: Sequence[str]  # --disconnect-switch


class NetworkKeywords(SettingKeywords, total=False):
    """Options that describe an app and its network, or vary those of a scenario file."""

    properties: Sequence[str]  # --property


class CheckKeywords(SettingKeywords, total=False):
    """All options of a check but for the app and the properties."""

    find_all: bool  # --all, --first
    engine: Literal["auto", "loop", "kernel"]  # --engine
    order: Literal["auto", "bfs", "dfs"]  # --order
    reduce: bool | Literal["auto"]  # --reduce, --no-reduce, --reduce-auto
    strategy: str  # --strategy
    same_flow: str  # --same-flow
    pkt_seq: str  # --pkt-seq
    seed: int  # --seed
    max_states: int  # --max-states
    max_depth: int  # --max-depth
    time_limit: float  # --time-limit, in seconds
    memory_limit: int  # --memory-limit, in MiB
    threads: int  # --threads
    disk: str  # --disk
    cluster: str  # --cluster
    workers: int  # --workers
    discover: bool | Literal["only"]  # --discover, --discover-only
    stacks: Sequence[str]  # --stack
    fields: Sequence[str]  # --field
    reduction: Literal["none", "actor", "entry", "context"]  # --reduction, of a program of actors
    symmetry: bool  # --symmetry, of a program of actors


# Field of AppOptions -> its option on the command line, for messages.
NETWORK_FLAGS: Mapping[str, str] = {
    "apps": "--app",
    "path": "--path",
    "environment": "--env",
    "config": "--config",
    "observe_links": "--observe-links",
    "hub": "--hub",
    "app_threads": "--app-threads",
    "version": "--openflow",
    "topology": "--topology",
    "profile": "--switch-profile",
    "hosts": "--hosts",
    "pings": "--ping",
    "no_arp": "--no-arp",
    "host_keys": "--host",
    "moves": "--move",
    "externals": "--external",
    "setup": "--setup",
    "ticks": "--ticks",
    "settle_ticks": "--settle-ticks",
    "timeouts": "--timeouts",
    "warmup": "--warmup",
    "joining": "--joining",
    "properties": "--property",
    "link_failures": "--fail-link",
    "drops": "--drop",
    "duplicates": "--duplicate",
    "reorders": "--reorder",
    "restarts": "--restart-switch",
    "disconnects": "--disconnect-switch",
}
_LISTS = {
    *("apps", "path", "environment", "config", "pings", "host_keys", "moves", "externals", "setup", "properties"),
    *("link_failures", "drops", "duplicates", "reorders", "restarts", "disconnects"),
}


_NUMBERS = {"hosts", "ticks", "settle_ticks"}
_FLAGS = {"observe_links", "no_arp", "joining"}


def given_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options that say something, as fields of AppOptions: lists as tuples of texts, one text as a list of it.

    Raises ScenarioError for a value of the wrong type.
    """
    found: dict[str, Any] = {}
    for name, value in options.items():
        if value is not None:
            value = _checked(name, value)
        if value is not None and value is not False and value != ():
            found[name] = value
    return found


def _checked(name: str, value: Any) -> Any:
    if name in _LISTS:
        items = [value] if isinstance(value, str | Path) else list(value) if isinstance(value, Iterable) else [None]
        if not all(isinstance(each, str | Path) for each in items):
            raise ScenarioError(f"{name} is {shown(value)}; expected a list of texts")
        return tuple(map(str, items))
    if name in _FLAGS:
        right, expected = isinstance(value, bool), "true or false"
    elif name in _NUMBERS:
        right, expected = type(value) is int and value >= 0, "a whole number of at least 0"
    elif name == "warmup":
        right, expected = value == "links" or (type(value) is int and value >= 0), 'a whole number, or "links"'
    else:
        right, expected = isinstance(value, str), "a text"
    if not right:
        raise ScenarioError(f"{name} is {shown(value)}; expected {expected}")
    return value
