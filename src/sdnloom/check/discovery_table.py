"""Options of discovery, from `[discover]` tables and command lines."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from sdnloom.inputs.clients import with_packet_discovery
from sdnloom.inputs.domains import DomainError
from sdnloom.inputs.options import DiscoverOptions
from sdnloom.inputs.skeletons import DEFAULT_STACKS, SenderView, make_skeletons
from sdnloom.inputs.statistics import check_counter, with_statistics_discovery
from sdnloom.network.network import Network
from sdnloom.network.reply_counters import is_counter
from sdnloom.network.topology.spec import Topology
from sdnloom.scenario_file.table import Table


def read_discover(table: Table, network: Network) -> tuple[DiscoverOptions, Network]:
    """The options of a `[discover]` table, and the network with discovery switched on where the table says so."""
    stacks = table.texts("stacks", list(DEFAULT_STACKS))
    fields = _flat(table, table.plain("fields", {}))
    options = DiscoverOptions(tuple(stacks), fields, table.whole("paths", 1, default=DiscoverOptions.paths))
    clients = table.get("clients", 'true, false or "only"', lambda v: v == "only" or isinstance(v, bool), False)
    if clients:
        network = with_packet_discovery(network, clients == "only")
    if table.flag("statistics", False):
        network = with_statistics_discovery(network)
    table.close()
    table.calling("stacks", lambda: check_discover_options(options, network.topology))
    return options, network


def _flat(table: Table, fields: Any) -> tuple[tuple[str, str], ...]:
    """The fields of a table as pairs; TOML reads `eth.type` as a table in a table."""
    expected = 'values of a field such as "any", "h2,broadcast", 80 or [80, 443]'
    found: list[tuple[str, str]] = []
    if not isinstance(fields, dict):
        table.fail("fields", fields, 'a table of fields such as { eth.type = "any" }')

    for name, value in _pairs("", fields):
        items = value if isinstance(value, list) else [value]
        if not items or not all(type(item) in (str, int) for item in items):
            table.fail("fields", value, expected)
        if name in dict(found):
            table.fail("fields", name, 'each field once, as eth.type = ... or as "eth.type" = ...')
        found.append((name, _values_text(items)))
    return tuple(found)


def _pairs(prefix: str, value: Any) -> Iterator[tuple[str, Any]]:
    """The values inside of tables, by their full names."""
    if not isinstance(value, dict):
        yield prefix, value
        return
    for key, inner in value.items():
        yield from _pairs(f"{prefix}.{key}" if prefix else key, inner)


def _values_text(items: Sequence[Any]) -> str:
    return ",".join(map(str, items))


def flat_fields(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a `[discover]` table by their full names, with each list as one text, as `--field` has it."""
    pairs = _pairs("", dict(fields))
    return {name: _values_text(value) if isinstance(value, list) else value for name, value in pairs}


def read_field_options(texts: Iterable[str]) -> dict[str, str]:
    """The values of `--field` options, each `NAME=VALUES`, by field."""
    found: dict[str, str] = {}
    for text in texts:
        name, sign, values = text.partition("=")
        if not sign or not name or not values:
            raise DomainError(
                f"--field is {text[:80]!r}; expected NAME=VALUES such as eth.type=any or ipv4.dst=10.0.0.1"
            )
        name = name.strip()
        if name in found:
            raise DomainError(
                f"--field {name[:80]} is given twice, as {found[name][:80]!r} and as {values[:80]!r}; expected each "
                "field once, with all its values such as 80,443"
            )
        found[name] = values
    return found


def override_options(options: DiscoverOptions, stacks: tuple[str, ...], fields: Mapping[str, str]) -> DiscoverOptions:
    """The options with those of a command line over them."""
    merged = tuple((dict(options.fields) | dict(fields)).items())
    return replace(options, stacks=stacks or options.stacks, fields=merged)


def check_discover_options(options: DiscoverOptions, topology: Topology) -> None:
    """Raise SdnloomError for a stack, field or value that does not exist for the first host."""
    host = topology.hosts[0] if topology.hosts else None
    make_skeletons(options.stacks, SenderView(topology, host), options.packet_domains)
    for name, text in options.fields:
        if is_counter(name):
            check_counter(name, text)
