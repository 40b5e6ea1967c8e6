"""Options about hosts over the `[[hosts]]` tables of a scenario file."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from sdnloom.check.options.fault_options import wrong_option
from sdnloom.check.options.option_text import ONE_MOVE, Ping, check_host_name
from sdnloom.network.topology import Topology
from sdnloom.network.topology.spec import is_node_name
from sdnloom.network.value import ip4_text
from sdnloom.scenario_file.document import ScenarioError

_SENDING = ("to", "packets", "sends", "order")  # keys that say what a client sends
_OF_ARP = ("asks", "answers")  # keys that only hosts with ARP have
_SENDERS = ("client", "arp")
_SILENT = ("sink", "replier")


class HostOptions(NamedTuple):
    """What options say about hosts: pings, ports to move to, keys of their tables, and that none asks with ARP."""

    pings: Sequence[Ping]
    moves: Mapping[str, list[str]]
    keys: Mapping[str, dict[str, Any]]
    no_arp: bool


def varied_hosts(
    tables: list[dict[str, Any]], topology: Topology, options: HostOptions, file: str
) -> list[dict[str, Any]]:
    """The tables with the options over them. A host that pings sends nothing else; other hosts send as before."""
    names = [host.name for host in topology.hosts]
    hosts = {str(table.get("name")): table for table in tables}
    for name in (*(ping.source for ping in options.pings), *options.moves, *options.keys):
        check_host_name(name, names)
    if options.no_arp:
        if not options.pings and all(table.get("kind") != "arp" for table in hosts.values()):
            raise ScenarioError(f"{file}: --no-arp is given, but no host asks by ARP; expected --ping as well")
        hosts = {name: _without_arp(table) for name, table in hosts.items()}
    asks = not options.no_arp and (not hosts or any(table.get("kind") == "arp" for table in hosts.values()))
    for name, keys in options.keys.items():
        hosts.setdefault(name, {"name": name}).update(keys)
    _check_pings(options, topology, hosts, file)
    for name in dict.fromkeys(ping.source for ping in options.pings):
        table = hosts.setdefault(name, {"name": name})
        for key in _SENDING:
            table.pop(key, None)
        if table.get("kind", "sink") in _SILENT:
            table["kind"] = "arp" if asks else "client"
        table.update(to=[], sends=0)
    for source, target, count in options.pings:
        hosts[source]["to"].append(target)
        hosts[source]["sends"] += count
        if is_node_name(target) and target in names:
            other = hosts.setdefault(target, {"name": target})
            if other.get("kind", "sink") == "sink":
                other["kind"] = "arp" if asks else "replier"
    for name, places in options.moves.items():
        table = hosts.setdefault(name, {"name": name})
        known = table.get("move")
        table["move"] = {**(known if isinstance(known, dict) else ONE_MOVE), "to": places}
    return list(hosts.values())


def _without_arp(table: dict[str, Any]) -> dict[str, Any]:
    if table.get("kind") != "arp":
        return table
    kind = "client" if "to" in table or "packets" in table else "replier"
    return {key: value for key, value in {**table, "kind": kind}.items() if key not in _OF_ARP}


def _check_pings(options: HostOptions, topology: Topology, hosts: Mapping[str, dict[str, Any]], file: str) -> None:
    """Refuse pings of hosts that send none, to hosts that there are not, and of a host to its own address."""
    own = {host.name: ip4_text(host.ip) for host in topology.hosts}
    for source, target, _ in options.pings:
        text, table = f"{source},{target}", hosts.get(source, {})
        if is_node_name(target):
            check_host_name(target, list(own))
        if target == str(table.get("ip", own[source])).partition("/")[0]:
            wrong_option("--ping", text, f"another address than that of {source} itself")
        kind = str(table.get("kind", "sink"))
        by_option = "kind" in options.keys.get(source, {})
        if kind not in _SENDERS and (by_option or kind not in _SILENT):
            where = "--host" if by_option else file
            wrong_option("--ping", text, f"a host that sends pings; {where} says that {source} is a {kind}")
