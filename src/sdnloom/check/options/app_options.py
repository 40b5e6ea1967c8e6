"""Options of the command line that describe an app and its network, with defaults for everything but the app.

They become the document that a scenario file would hold: the same code reads both, and the scenario of a command line
can be printed, kept in a trace and edited.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sdnloom.check.options.fault_options import FaultOptions, fault_tables, wrong_option
from sdnloom.check.options.option_text import (
    ONE_MOVE,
    SHAPE_SIZES,
    check_host_name,
    config_setting,
    environment_variable,
    external_table,
    host_tables,
    property_entry,
    read_moves,
    read_pings,
    setup_table,
    topology_table,
)
from sdnloom.network.topology import Topology
from sdnloom.network.topology.spec import is_node_name
from sdnloom.network.value import ip4_text
from sdnloom.scenario_file.document import as_document
from sdnloom.scenario_file.program import names_file
from sdnloom.scenario_file.table import Table
from sdnloom.scenario_file.topology import read_topology

COMMAND_LINE = Path("command line")  # named in messages instead of a file; relative names start in its folder
PINGS = 2  # of the first host, if no option makes a host send
# One after the other to a host that moves: rules for its old port take a ping before the move and one after it.
PINGS_TO_MOVING = 3
PROPERTIES = ("NoForwardingLoops", "NoBlackHoles", "PingsAnswered", "NoForgottenPackets", "NoHandlerException")


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
    timeouts: int | None = None
    warmup: int | str | None = None
    config: tuple[str, ...] = ()
    observe_links: bool = False
    hosts: int | None = None
    environment: tuple[str, ...] = ()
    hub: str | None = None
    app_threads: str | None = None
    version: str | None = None
    profile: str | None = None
    joining: bool = False


def app_document(options: AppOptions) -> tuple[dict[str, Any], Topology]:
    """The scenario document of a command line, and its topology. Files in it are relative to the current folder."""
    hosts, highest_port = _hosts(options)
    shape = topology_table(options.topology)
    if options.hosts is not None:
        if "hosts" in shape and options.topology != "minimal":
            wrong_option("--topology", options.topology, f"no number of hosts beside --hosts {options.hosts}")
        shape["hosts"] = options.hosts
    if highest_port and shape["shape"] in SHAPE_SIZES:
        shape["ports"] = highest_port
    topology = read_topology(Table(as_document(shape, COMMAND_LINE), COMMAND_LINE, "--topology"))
    names = [host.name for host in topology.hosts]
    given = host_tables(options.host_keys)
    for name in (*hosts, *given):
        check_host_name(name, names)
    _check_pings(options, topology, given)
    if not options.pings:
        _default_pings(options, hosts, topology, given)
    for name, keys in given.items():
        hosts.setdefault(name, {}).update(keys)
    if not options.no_arp:
        for name in names:
            hosts.setdefault(name, {}).setdefault("kind", "arp")
    document: dict[str, Any] = {
        "name": Path(options.apps[0]).stem if names_file(options.apps[0]) else options.apps[0].rpartition(".")[2],
        "properties": [property_entry(text) for text in options.properties] or _default_properties(hosts),
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
    if options.timeouts:
        document["timeouts"] = {"expiries": options.timeouts}
    document["hosts"] = [{"name": name, **hosts[name]} for name in names if name in hosts]
    document["link_faults"], document["switch_faults"] = fault_tables(options)
    document["setup"] = [setup_table(text) for text in options.setup]
    document["externals"] = [external_table(text) for text in options.externals]
    return {key: value for key, value in document.items() if value != []}, topology


def _program(options: AppOptions) -> dict[str, Any]:
    program: dict[str, Any] = {"app": options.apps[0]} if len(options.apps) == 1 else {"apps": list(options.apps)}
    if options.path:
        program["path"] = list(options.path)
    program |= {key: value for key, value in (("hub", options.hub), ("threads", options.app_threads)) if value}
    config: dict[str, Any] = dict(config_setting(text) for text in options.config)
    if options.observe_links:
        config["observe_links"] = True
    if config:
        program["config"] = config
    if options.environment:
        program["environment"] = dict(environment_variable(text) for text in options.environment)
    return program


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


def _hosts(options: AppOptions) -> tuple[dict[str, dict[str, Any]], int]:
    """The tables of hosts that options name, and the highest port of a switch that one may move to."""
    hosts: dict[str, dict[str, Any]] = {}
    for ping in read_pings(options.pings, options.no_arp):
        _ping(hosts, options, *ping)
    moves, highest = read_moves(options.moves)
    for name, places in moves.items():
        hosts.setdefault(name, {})["move"] = {"to": places, **ONE_MOVE}
    return hosts, highest


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
    options: AppOptions, hosts: dict[str, dict[str, Any]], topology: Topology, given: dict[str, dict[str, Any]]
) -> None:
    """The pings if no option says who sends what: from the first host to those that move, or if none does to one.

    That is the first at another switch, because a ping that stays inside of one switch crosses no link.
    """
    if any({"to", "packets"} & keys.keys() for keys in given.values()):
        return
    switch_of = {host.name: host.switch_port.switch for host in topology.hosts}
    names = list(switch_of)
    moving = [name for name in names if "move" in hosts.get(name, {})]
    free = [name for name in names if given.get(name, {}).get("kind", "arp") in ("arp", "client")]
    source = next((name for name in free if name not in moving), free[0] if free else None)
    others = [name for name in names if name != source]
    if source is None or not others:
        return
    elsewhere = [name for name in others if switch_of[name] != switch_of[source]]
    targets = [name for name in moving if name != source] or (elsewhere or others)[:1]
    for target in targets:
        _ping(hosts, options, source, target, PINGS)
    if moving:
        hosts[source].update(sends=PINGS_TO_MOVING * len(targets), burst=1)
