"""Options over a scenario file: its document with the parts that a command line says instead or in addition.

An option that names one thing replaces what the file says of it: the topology, the properties, what one host sends,
where one host moves, the budget of one link. `--external` and `--setup` add to the file's, and everything else of the
file stays. `docs/check.md` has a table of it.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from sdnloom.check.options.app_options import COMMAND_LINE
from sdnloom.check.options.fault_options import (
    FAULTS_OF_LINKS,
    FAULTS_OF_SWITCHES,
    FaultOptions,
    fault_tables,
    turned,
    wrong_option,
)
from sdnloom.check.options.host_variation import HostOptions, varied_hosts
from sdnloom.check.options.keywords import NETWORK_FLAGS
from sdnloom.check.options.option_text import (
    SHAPE_SIZES,
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
from sdnloom.errors import did_you_mean
from sdnloom.network.topology import Topology
from sdnloom.properties import LIBRARY
from sdnloom.scenario_file.document import Entries, Entry, ScenarioError, as_document, shown
from sdnloom.scenario_file.plain_document import seen_from
from sdnloom.scenario_file.table import Table
from sdnloom.scenario_file.topology import read_hosts, read_topology

_OF_APPS = ("path", "environment", "config", "observe_links", "hub", "app_threads")
_OWN_KEYS = ("ticks", "settle_ticks", "warmup", "joining")  # of the top level, with the names of their options


class VariedDocument(NamedTuple):
    """A document, the name that its file has in messages, and its topology without the hosts of the document."""

    document: Entries
    file: Path
    topology: Topology


def varied_document(document: Entries, file: Path, given: Mapping[str, Any]) -> VariedDocument:
    """The document of a file with options over it; `given` are fields of AppOptions."""
    label = f" with {', '.join(NETWORK_FLAGS[name] for name in given)}"
    named = _relabelled(document, label)
    entries = dict(named.entries)
    file = file.with_name(file.name + label)
    _vary_program(entries, given, file)
    _vary_topology(entries, given, file)
    bare = read_topology(Table(Entries(entries), file).table("topology"))
    tables = Table(Entries(entries), file).tables("hosts")
    hosts = read_hosts(bare, tables)  # for the names; raises for hosts that the topology has not
    if {"pings", "moves", "host_keys", "no_arp"} & given.keys():
        beside = entries["hosts"].file if "hosts" in entries else COMMAND_LINE
        options = HostOptions(
            read_pings(given.get("pings", ()), "no_arp" in given),
            read_moves(given.get("moves", ()))[0],
            _keys_beside(given, beside),
            "no_arp" in given,
        )
        found = varied_hosts(_plain_tables(entries, "hosts"), hosts, options, str(file))
        entries["hosts"] = Entry(found, beside)
    _vary_properties(entries, given, file)
    _vary_faults(entries, given)
    _append(entries, "externals", map(external_table, given.get("externals", ())))
    _append(entries, "setup", map(setup_table, given.get("setup", ())))
    for key in _OWN_KEYS:
        if key in given:
            entries[key] = Entry(given[key], COMMAND_LINE)
    if given.get("observe_links") and "warmup" not in entries and "joining" not in entries:
        entries["warmup"] = Entry("links", COMMAND_LINE)
    _merge(entries, "timeouts", {"expiries": given["timeouts"]} if "timeouts" in given else {})
    switches = {key: given[key] for key in ("version", "profile") if key in given}
    _merge(entries, "switches", switches)
    return VariedDocument(Entries(entries), file, bare)


def _relabelled(document: Entries, label: str) -> Entries:
    """The document whose entries have files with a longer name: errors then name the options beside the file."""
    return Entries(
        {
            key: Entry(
                _relabelled(entry.value, label) if isinstance(entry.value, Entries) else entry.value,
                entry.file.with_name(entry.file.name + label),
            )
            for key, entry in document.entries.items()
        }
    )


def _merge(entries: dict[str, Entry], key: str, table: dict[str, Any]) -> None:
    """Put keys of the command line over those of a table of the file."""
    if not table:
        return
    known, own = entries.get(key), as_document(table, COMMAND_LINE)
    is_table = known is not None and isinstance(known.value, Entries)
    merged = known.value.merged(own) if known is not None and is_table else own
    entries[key] = Entry(merged, known.file if known is not None and is_table else COMMAND_LINE)


def _append(entries: dict[str, Entry], key: str, added: Iterable[dict[str, Any]]) -> None:
    tables = list(added)
    if tables:
        file = entries[key].file if key in entries else COMMAND_LINE
        entries[key] = Entry([*_plain_tables(entries, key), *tables], file)


def _plain_tables(entries: dict[str, Entry], key: str) -> list[dict[str, Any]]:
    """The tables of a list, as plain values; raises ScenarioError if it is no list of tables."""
    if key not in entries:
        return []
    Table(Entries({key: entries[key]}), entries[key].file).tables(key)
    return [dict(table) for table in entries[key].value]


def _vary_program(entries: dict[str, Entry], given: Mapping[str, Any], file: Path) -> None:
    program = entries.get("program")
    known = program.value.entries if program is not None and isinstance(program.value, Entries) else {}
    is_app = "app" in known or "apps" in known
    options = [NETWORK_FLAGS[name] for name in _OF_APPS if name in given]
    if options and not is_app and "apps" not in given:
        kind = "an app for NOX" if "nox" in known else "a class in plain Python"
        raise ScenarioError(f"{file}: {options[0]} is for os-ken and Ryu apps, but the program is {kind}")
    if "apps" in given:
        apps = list(given["apps"])
        named = {"app": apps[0]} if len(apps) == 1 else {"apps": apps}
        kept = {key: entry for key, entry in known.items() if is_app and key not in ("app", "apps")}
        known = {**kept, **as_document(named, COMMAND_LINE).entries}
        entries["program"] = Entry(Entries(known), COMMAND_LINE)
    keys = (("hub", "hub"), ("app_threads", "threads"))
    table: dict[str, Any] = {key: given[name] for name, key in keys if name in given}
    config: dict[str, Any] = dict(map(config_setting, given.get("config", ())))
    if given.get("observe_links"):
        config["observe_links"] = True
    if config:
        table["config"] = config
    if "environment" in given:
        table["environment"] = dict(map(environment_variable, given["environment"]))
    _merge(entries, "program", table)
    if "path" in given:
        _vary_path(entries, given["path"])


def _vary_path(entries: dict[str, Entry], folders: Iterable[str]) -> None:
    """Search the given folders before those of the file."""
    known = entries["program"].value.entries
    path = known.get("path", Entry([], COMMAND_LINE))
    own = [seen_from(path.file.parent, folder, COMMAND_LINE) for folder in folders]
    merged = [*own, *path.value] if isinstance(path.value, list) else path.value
    entries["program"] = Entry(Entries({**known, "path": Entry(merged, path.file)}), entries["program"].file)


def _vary_topology(entries: dict[str, Entry], given: Mapping[str, Any], file: Path) -> None:
    if "topology" in given:
        own = topology_table(given["topology"])
        if "hosts" in given and "hosts" in own and given["topology"] != "minimal":
            wrong_option("--topology", given["topology"], f"no number of hosts beside --hosts {given['hosts']}")
        entries["topology"] = Entry(as_document(own, COMMAND_LINE), COMMAND_LINE)
    if "hosts" in given:
        if any("at" in table for table in _plain_tables(entries, "hosts")):
            raise ScenarioError(
                f"{file}: --hosts is {given['hosts']}, but the hosts of the file have ports of their own (`at`)"
            )
        _merge(entries, "topology", {"hosts": given["hosts"]})
    _, highest = read_moves(given.get("moves", ()))
    table = entries.get("topology")
    keys = table.value.entries if table is not None and isinstance(table.value, Entries) else {}
    shape, ports = (keys[key].value if key in keys else None for key in ("shape", "ports"))
    if highest > (ports if isinstance(ports, int) else 0) and (shape in SHAPE_SIZES or shape == "custom"):
        _merge(entries, "topology", {"ports": highest})


def _vary_properties(entries: dict[str, Entry], given: Mapping[str, Any], file: Path) -> None:
    known = entries["properties"].value if "properties" in entries else []
    listed = known if isinstance(known, list) else []
    if "properties" in given:
        of_file = {name: item for item in listed if (name := _property_name(item))}
        chosen = []
        for text in given["properties"]:
            if text in of_file:
                chosen.append(of_file[text])
                continue
            if text.partition(",")[0] not in LIBRARY:
                names = [*of_file, *(name for name in LIBRARY if name not in of_file)]
                raise ScenarioError(
                    f"{file}: --property is {shown(text)}; expected NAME or NAME,KEY=VALUE,... with one of "
                    f"{', '.join(names)}{did_you_mean(text.partition(',')[0], names)}"
                )
            chosen.append(property_entry(text))
        entries["properties"] = Entry(chosen, entries["properties"].file if listed else COMMAND_LINE)
    elif "moves" in given and "properties" in entries and listed:
        # A packet on its way to the old port is lost whatever a program does.
        changed = [_mobile(item) for item in listed]
        entries["properties"] = Entry(changed, entries["properties"].file)


def _property_name(item: Any) -> str | None:
    if isinstance(item, dict):
        item = item.get("as", item.get("name"))
    return item if isinstance(item, str) else None


def _mobile(item: Any) -> Any:
    if item == "NoBlackHoles":
        return "NoBlackHolesMobile"
    if isinstance(item, dict) and item.get("name") == "NoBlackHoles" and "file" not in item:
        return {**item, "name": "NoBlackHolesMobile"}
    return item


def _vary_faults(entries: dict[str, Entry], given: Mapping[str, Any]) -> None:
    names = (*FAULTS_OF_LINKS, *FAULTS_OF_SWITCHES)
    options = FaultOptions(**{name: tuple(given[name]) for name in names if name in given})
    for key, what, own in zip(("link_faults", "switch_faults"), ("link", "switch"), fault_tables(options), strict=True):
        if not own:
            continue
        tables = _plain_tables(entries, key)
        for table in own:
            same = (table[what], turned(table[what]))
            known = next((each for each in tables if each.get(what) in same), None)
            if known is None:
                tables.append(table)
            else:
                known.update({name: value for name, value in table.items() if name != what})
        entries[key] = Entry(tables, entries[key].file if key in entries else COMMAND_LINE)


def _keys_beside(given: Mapping[str, Any], beside: Path) -> dict[str, dict[str, Any]]:
    """The keys of `--host` options; a kind that is in a Python file is named as seen from the list of hosts."""
    tables = host_tables(given.get("host_keys", ()))
    for table in tables.values():
        file, colon, name = str(table.get("kind", "")).rpartition(":")
        if colon:
            table["kind"] = f"{seen_from(beside.parent, file, COMMAND_LINE)}:{name}"
    return tables
