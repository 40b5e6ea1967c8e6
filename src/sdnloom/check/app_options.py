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
from sdnloom.network.topology.spec import is_node_name
from sdnloom.network.value import AddressError, ip, ip4_text
from sdnloom.properties import LIBRARY
from sdnloom.scenario_file.document import as_document
from sdnloom.scenario_file.program import names_file
from sdnloom.scenario_file.table import Table
from sdnloom.scenario_file.topology import read_topology

COMMAND_LINE = Path("command line")  # named in messages instead of a file; relative names start in its folder
PINGS = 2  # of the first host, if no option makes a host send
# One after the other to a host that moves: rules for its old port take a ping before the move and one after it.
PINGS_TO_MOVING = 3
PROPERTIES = ("NoForwardingLoops", "NoBlackHoles", "PingsAnswered", "NoForgottenPackets", "NoHandlerException")
_METHODS = ("GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS")


@dataclass(frozen=True)
class AppOptions(FaultOptions):
    """Options about an app and the network around it; texts as on the command line."""

    apps: tuple[str, ...]
    path: tuple[str, ...] = ()
    topology: str = "linear,2"
    pings: tuple[str, ...] = ()
    no_arp: bool = False
    host_keys: tuple[str, ...] = ()
    moves: tuple[str, ...] = ()
    properties: tuple[str, ...] = ()
    externals: tuple[str, ...] = ()
    setup: tuple[str, ...] = ()
    ticks: int = 0
    settle_ticks: int | None = None
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
    given = _given_keys(options)
    for name in (*hosts, *given):
        _known(name, topology)
    _check_pings(options, topology, given)
    if not options.pings:
        _default_pings(options, hosts, names, given)
    for name, keys in given.items():
        hosts.setdefault(name, {}).update(keys)
    if not options.no_arp:
        for name in names:
            hosts.setdefault(name, {}).setdefault("kind", "arp")
    document: dict[str, Any] = {
        "name": Path(options.apps[0]).stem if names_file(options.apps[0]) else options.apps[0].rpartition(".")[2],
        "properties": [_property(text) for text in options.properties] or _default_properties(hosts),
    }
    if options.ticks:
        document["ticks"] = options.ticks
    if options.settle_ticks is not None:
        document["settle_ticks"] = options.settle_ticks
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


# Kind of a sender that waits for an answer -> kinds of hosts that answer its first packet.
_ANSWERING = {"arp": ("arp", "tcp_client", "tcp_server"), "tcp_client": ("tcp_server",)}


def _default_properties(hosts: dict[str, dict[str, Any]]) -> list[Any]:
    """The generic properties, and that hosts receive a packet: otherwise a result may be vacuous.

    Where hosts move, the one about lost packets is the one that excuses what no program can prevent.
    """
    moving = any("move" in host for host in hosts.values())
    generic = [f"{name}Mobile" if moving and name == "NoBlackHoles" else name for name in PROPERTIES]
    waiting = {
        _waits_for(hosts, name, target) for name, host in hosts.items() for target in _listed(host.get("to", []))
    }
    receivers = [name for name in hosts if name in waiting]
    return [*generic, *({"name": "Sometimes", "event": "Received", "at": name} for name in receivers)]


def _waits_for(hosts: dict[str, dict[str, Any]], source: str, target: str) -> str:
    """Return the host that must receive a packet: the target, or the source if the target does not answer by itself.

    Its first packet, an ARP request or a SYN, reaches the target in any case. If nobody answers, nothing else is sent.
    """
    answering = _ANSWERING.get(hosts[source].get("kind", ""))
    if target not in hosts or answering is None or hosts[target].get("kind") in answering:
        return target
    return source


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


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
        if not is_node_name(target):
            _check_address(options, text, target)
        number = _whole("--ping", text, count)
        if number == 0:
            wrong_option("--ping", text, "at least one ping")
        _ping(hosts, options, source, target, number)
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


def _check_address(options: AppOptions, text: str, target: str) -> None:
    if options.no_arp:
        wrong_option("--ping", text, "a host as target, as nobody knows where an address is without ARP")
    try:
        number = ip(target)
    except AddressError:
        number = 0
    if not number or ":" in target:
        wrong_option("--ping", text, "a host or an IPv4 address as target")


def _check_pings(options: AppOptions, topology: Topology, given: dict[str, dict[str, Any]]) -> None:
    """Refuse pings of a host to its own address, and of one that `--host` makes something that sends no pings."""
    own = {host.name: ip4_text(host.ip) for host in topology.hosts}
    for text in options.pings:
        source, target = (part.strip() for part in text.split(",")[:2])
        keys = given.get(source, {})
        if target == str(keys.get("ip", own[source])).partition("/")[0]:
            wrong_option("--ping", text, f"another address than that of {source} itself")
        kind = str(keys.get("kind", "arp"))
        if kind in ("sink", "replier", "tcp_client", "tcp_server"):
            wrong_option("--ping", text, f"a host that sends pings; --host says that {source} is a {kind}")


def _ping(hosts: dict[str, dict[str, Any]], options: AppOptions, source: str, target: str, count: int) -> None:
    """Let one host send pings to another, which answers; without ARP, unless it sends pings itself."""
    kind, other = ("client", "replier") if options.no_arp else ("arp", "arp")
    sender = hosts.setdefault(source, {})
    if "to" not in sender:
        sender.update(kind=kind, to=[], sends=0)
    sender["to"].append(target)
    sender["sends"] += count
    if is_node_name(target):
        hosts.setdefault(target, {}).setdefault("kind", other)


def _default_pings(
    options: AppOptions, hosts: dict[str, dict[str, Any]], names: list[str], given: dict[str, dict[str, Any]]
) -> None:
    """The pings if no option says who sends what: from the first host to the second, or to those that move."""
    if any({"to", "packets"} & keys.keys() for keys in given.values()):
        return
    moving = [name for name in names if "move" in hosts.get(name, {})]
    free = [name for name in names if given.get(name, {}).get("kind", "arp") in ("arp", "client")]
    source = next((name for name in free if name not in moving), free[0] if free else None)
    others = [name for name in names if name != source]
    if source is None or not others:
        return
    targets = [name for name in moving if name != source] or others[:1]
    for target in targets:
        _ping(hosts, options, source, target, PINGS)
    if moving:
        hosts[source].update(sends=PINGS_TO_MOVING * len(targets), burst=1)


def _given_keys(options: AppOptions) -> dict[str, dict[str, Any]]:
    """The keys that `--host` sets, by host."""
    given: dict[str, dict[str, Any]] = {}
    for text in options.host_keys:
        name, keys = _host(text)
        if twice := given.get(name, {}).keys() & keys.keys():
            wrong_option("--host", text, f"the key {min(twice)} of {name} once")
        given.setdefault(name, {}).update(keys)
    return given


def _host(text: str) -> tuple[str, dict[str, Any]]:
    """Keys of a host's table: `h1,ip=10.1.0.10/24,gateway=10.1.0.1`. A list has its items between plus signs."""
    expected = "HOST,KEY=VALUE,... such as h1,ip=10.1.0.10/24,gateway=10.1.0.1"
    name, *pairs = (part.strip() for part in text.split(","))
    table: dict[str, Any] = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals or not key or not value or key == "name" or key in table:
            wrong_option("--host", text, expected)
        table[key] = _value(value)
    if not name or not table:
        wrong_option("--host", text, expected)
    if isinstance(table.get("to"), str) and table.get("kind") != "tcp_client":
        table["to"] = [table["to"]]
    return name, table


def _value(text: str) -> Any:
    """A value of a host's table: a whole number, true or false, a list with plus signs, or a text."""
    if text in ("true", "false"):
        return text == "true"
    if text.isascii() and text.isdigit() and len(text) < 10:
        return int(text)
    return text.split("+") if "+" in text else text


def _known(name: str, topology: Topology) -> None:
    names = [host.name for host in topology.hosts]
    if name not in names:
        wrong_option(
            "--ping, --move or --host", name, f"a host of the topology: {', '.join(names[:12]) or 'it has none'}"
        )


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
        _json(option, text, body)
    return f"{method} {place}", body.strip()


def _json(option: str, text: str, body: str) -> None:
    try:
        json.loads(body)
    except (ValueError, RecursionError) as error:
        reason = "nested too deep" if isinstance(error, RecursionError) else str(error)
        wrong_option(option, text, f"a body that is JSON ({reason})")


def _parts(option: str, text: str, expected: str, least: int, most: int, default: str = "") -> list[str]:
    parts = [part.strip() for part in text.split(",")]
    if not least <= len(parts) <= most or not all(parts):
        wrong_option(option, text, expected)
    return parts + [default] * (most - len(parts))


def _whole(option: str, text: str, number: str) -> int:
    if not (number.isascii() and number.isdigit() and len(number) < 7):
        wrong_option(option, text, f"a whole number instead of {number[:40]!r}")
    return int(number)
