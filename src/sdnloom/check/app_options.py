"""Options of the command line that describe an app and its network, with defaults for everything but the app.

They become the document that a scenario file would hold: the same code reads both, and the scenario of a command line
can be printed, kept in a trace and edited.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sdnloom.check.fault_options import FaultOptions, fault_tables, wrong_option
from sdnloom.network.topology import Topology
from sdnloom.properties import LIBRARY
from sdnloom.scenario_file.document import as_document
from sdnloom.scenario_file.program import names_file
from sdnloom.scenario_file.table import Table
from sdnloom.scenario_file.topology import read_topology

COMMAND_LINE = Path("command line")  # named in messages instead of a file; relative names start in its folder
PINGS = 2  # of the first host, if no option makes a host send
PROPERTIES = ("NoForwardingLoops", "NoBlackHoles", "NoForgottenPackets", "NoHandlerException")
_METHODS = ("GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS")


@dataclass(frozen=True)
class AppOptions(FaultOptions):
    """Options about an app and the network around it; texts as on the command line."""

    apps: tuple[str, ...]
    path: tuple[str, ...] = ()
    topology: str = "linear,2"
    pings: tuple[str, ...] = ()
    moves: tuple[str, ...] = ()
    properties: tuple[str, ...] = ()
    externals: tuple[str, ...] = ()
    setup: tuple[str, ...] = ()
    ticks: int = 0
    warmup: int | str | None = None
    config: tuple[str, ...] = ()
    observe_links: bool = False
    hosts: int | None = None
    environment: tuple[str, ...] = ()
    hub: str | None = None
    threads: str | None = None
    version: str | None = None
    profile: str | None = None
    joining: bool = False


def app_document(options: AppOptions) -> tuple[dict[str, Any], Topology]:
    """The scenario document of a command line, and its topology. Files in it are relative to the current folder."""
    hosts, highest_port = _hosts(options)
    shape = _topology_table(options.topology)
    if options.hosts is not None:
        if "hosts" in shape and options.topology != "minimal":
            wrong_option("--topology", options.topology, f"no number of hosts beside --hosts {options.hosts}")
        shape["hosts"] = options.hosts
    if highest_port and shape["shape"] in _SIZES:
        shape["ports"] = highest_port
    topology = read_topology(Table(as_document(shape, COMMAND_LINE), COMMAND_LINE, "--topology"))
    names = [host.name for host in topology.hosts]
    if not options.pings and len(names) > 1:
        _ping(hosts, names[0], names[1], PINGS)
    for name in hosts:
        _known(name, topology)
    document: dict[str, Any] = {
        "name": Path(options.apps[0]).stem if names_file(options.apps[0]) else options.apps[0].rpartition(".")[2],
        "properties": [_property(text) for text in options.properties] or _default_properties(hosts),
    }
    if options.ticks:
        document["ticks"] = options.ticks
    if options.warmup is not None:
        document["warmup"] = options.warmup
    elif options.observe_links and not options.joining:
        document["warmup"] = "links"
    if options.joining:
        document["joining"] = True
    document["program"] = _program(options)
    document["topology"] = shape
    switches = {"version": options.version, "profile": options.profile}
    if any(switches.values()):
        document["switches"] = {key: value for key, value in switches.items() if value}
    document["hosts"] = [{"name": name, **hosts[name]} for name in names if name in hosts]
    document["link_faults"], document["switch_faults"] = fault_tables(options)
    document["setup"] = [_setup(text) for text in options.setup]
    document["externals"] = [_external(text) for text in options.externals]
    return {key: value for key, value in document.items() if value != []}, topology


def _program(options: AppOptions) -> dict[str, Any]:
    program: dict[str, Any] = {"app": options.apps[0]} if len(options.apps) == 1 else {"apps": list(options.apps)}
    if options.path:
        program["path"] = list(options.path)
    for key in ("hub", "threads"):
        if value := getattr(options, key):
            program[key] = value
    config: dict[str, Any] = dict(_setting(text) for text in options.config)
    if options.observe_links:
        config["observe_links"] = True
    if config:
        program["config"] = config
    if options.environment:
        program["environment"] = dict(_variable(text) for text in options.environment)
    return program


def _setting(text: str) -> tuple[str, str]:
    """An option of os-ken's configuration, `KEY=VALUE`; os-ken gives the value its type."""
    name, equals, value = text.partition("=")
    if not name.strip("-") or not equals:
        wrong_option("--config", text, "KEY=VALUE")
    return name.strip("-").replace("-", "_"), value


def _variable(text: str) -> tuple[str, str]:
    """An environment variable, `NAME=VALUE`."""
    name, equals, value = text.partition("=")
    if not name or not equals:
        wrong_option("--env", text, "NAME=VALUE")
    return name, value


def _default_properties(hosts: dict[str, dict[str, Any]]) -> list[Any]:
    """The generic properties, and that some host receives a packet: otherwise a result may be vacuous."""
    receivers = [name for name, host in hosts.items() if host.get("kind") == "replier"]
    return [*PROPERTIES, *({"name": "Sometimes", "event": "Received", "at": name} for name in receivers)]


def _topology_table(text: str) -> dict[str, Any]:
    """A topology in Mininet's notation, `linear,3` or `tree,2,3`, or a file, `fat.py:fat,4` or `net.graphml`."""
    file, _, choice = text.partition(":")
    if file.endswith(".py"):
        return {"shape": "mininet", "file": file, **({"topo": choice} if choice else {})}
    if text.endswith(".graphml"):
        return {"shape": "graphml", "file": text}
    if file == "topohub" and choice:
        return {"shape": "topohub", "name": choice}
    shape, *sizes = (part.strip() for part in text.split(","))
    if shape == "minimal" and not sizes:
        return {"shape": "single", "hosts": 2}
    keys = _SIZES.get(shape)
    if keys is None or len(sizes) > len(keys) or (shape != "single" and not sizes):
        wrong_option("--topology", text, f"{_SHAPES}, FILE.py:TOPO, FILE.graphml or topohub:NAME")
    return {"shape": shape, **{key: _whole("--topology", text, size) for key, size in zip(keys, sizes, strict=False)}}


_SIZES = {
    "single": ("hosts",),
    "linear": ("switches", "hosts"),
    "ring": ("switches", "hosts"),
    "mesh": ("switches", "hosts"),
    "tree": ("depth", "fanout"),
    "torus": ("rows", "columns"),
}
_SHAPES = ", ".join(f"{shape},{','.join(key.upper() for key in keys)}" for shape, keys in _SIZES.items())


def _hosts(options: AppOptions) -> tuple[dict[str, dict[str, Any]], int]:
    """The tables of hosts that options name, and the highest port of a switch that one may move to."""
    hosts: dict[str, dict[str, Any]] = {}
    for text in options.pings:
        source, target, count = _parts("--ping", text, "SOURCE,TARGET or SOURCE,TARGET,COUNT", 2, 3, default="1")
        if source == target:
            wrong_option("--ping", text, "two different hosts")
        _ping(hosts, source, target, _whole("--ping", text, count))
    highest = 0
    for text in options.moves:
        name, place = _parts("--move", text, "HOST,SWITCH:PORT", 2, 2)
        _, colon, port = place.partition(":")
        if not colon:
            wrong_option("--move", text, "HOST,SWITCH:PORT")
        highest = max(highest, _whole("--move", text, port))
        move = hosts.setdefault(name, {}).setdefault("move", {"to": [], "moves": 1, "announces": True})
        move["to"].append(place)
    return hosts, highest


def _ping(hosts: dict[str, dict[str, Any]], source: str, target: str, count: int) -> None:
    """Let one host send pings to another, which answers unless it sends pings itself."""
    sender = hosts.setdefault(source, {})
    if sender.get("kind") != "client":
        sender.update(kind="client", to=[], sends=0)
    sender["to"].append(target)
    sender["sends"] += count
    hosts.setdefault(target, {}).setdefault("kind", "replier")


def _known(name: str, topology: Topology) -> None:
    names = [host.name for host in topology.hosts]
    if name not in names:
        wrong_option("--ping or --move", name, f"a host of the topology: {', '.join(names[:12]) or 'it has none'}")


def _property(text: str) -> Any:
    """A name, or a name with arguments: `Reachable,source=h1,target=h2`."""
    name, *pairs = text.split(",")
    if name not in LIBRARY:
        wrong_option("--property", text, f"NAME or NAME,KEY=VALUE,... with one of {', '.join(LIBRARY)}")
    table: dict[str, Any] = {"name": name}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals or not key or key == "name":
            wrong_option("--property", text, "NAME or NAME,KEY=VALUE,...")
        # A list has its items between plus signs: replicas=R1+R2.
        table[key] = value.split("+") if "+" in value or key == "replicas" else value
    return table if pairs else name


def _external(text: str) -> dict[str, Any]:
    """A request that may be made once."""
    name, body = _request("--external", text)
    return {"name": name, "arguments": [body]} if body else {"name": name}


def _setup(text: str) -> dict[str, Any]:
    """A request that is made before the search, or `ticks 2`."""
    word, _, count = text.strip().partition(" ")
    if word == "ticks":
        return {"ticks": _whole("--setup", text, count.strip())}
    name, body = _request("--setup", text)
    return {"call": name, "body": body} if body else {"call": name}


def _request(option: str, text: str) -> tuple[str, str]:
    """Name and body of a request: `POST /router/0000000000000001 {"address": "10.0.0.1/24"}`."""
    expected = f"a request such as 'PUT /switch/1 {{\"key\": 1}}'; the methods are {', '.join(_METHODS)}"
    method, _, rest = text.strip().partition(" ")
    place, _, body = rest.strip().partition(" ")
    if method not in _METHODS or not place.startswith("/"):
        wrong_option(option, text, expected)
    if body.strip():
        _json(option, body, expected)
    return f"{method} {place}", body.strip()


def _json(option: str, body: str, expected: str) -> None:
    try:
        json.loads(body)
    except (ValueError, RecursionError):
        wrong_option(option, body, expected)


def _parts(option: str, text: str, expected: str, least: int, most: int, default: str = "") -> list[str]:
    parts = [part.strip() for part in text.split(",")]
    if not least <= len(parts) <= most or not all(parts):
        wrong_option(option, text, expected)
    return parts + [default] * (most - len(parts))


def _whole(option: str, text: str, number: str) -> int:
    if not (number.isascii() and number.isdigit() and len(number) < 7):
        wrong_option(option, text, f"a whole number instead of {number[:40]!r}")
    return int(number)
