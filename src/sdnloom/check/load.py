"""Scenarios from TOML files. Every mistake is one message with file, key, value and what was expected."""

import functools
import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar, Unpack, get_args

from sdnloom import properties as library
from sdnloom.check.discovery_table import read_discover
from sdnloom.check.options.app_options import COMMAND_LINE, AppOptions, app_document
from sdnloom.check.options.keywords import NetworkKeywords, given_options
from sdnloom.check.options.variation import varied_document
from sdnloom.check.program_factory import ProgramFactory
from sdnloom.check.run import Run
from sdnloom.check.scenario import Scenario
from sdnloom.engine.model import Property
from sdnloom.engine.result import Limits, ReduceOption, SearchOptions, SearchOrder
from sdnloom.network.build import Bindable
from sdnloom.network.hosts import ArpHost, Client, Host, HostView, MobileHost, Replier, TcpClient, TcpServer
from sdnloom.network.network import (
    SETTLE_TICKS,
    External,
    LinkFaults,
    Network,
    PortCounter,
    ProgramTimer,
    SwitchFaults,
    SwitchOptions,
    Timeouts,
)
from sdnloom.network.openflow import PortStats
from sdnloom.network.packet import Packet
from sdnloom.network.startup.setup_steps import MAX_TICKS, SetupCall, SetupReport, SetupStep, SetupTicks
from sdnloom.network.topology import Topology
from sdnloom.scenario_file.by_signature import read_call
from sdnloom.scenario_file.code_files import CodeFiles
from sdnloom.scenario_file.document import Entries, Entry, ScenarioError, as_document, parse_toml, read_document, shown
from sdnloom.scenario_file.fragment import refuse_fragment
from sdnloom.scenario_file.packet_text import ADDRESSES, packet_type
from sdnloom.scenario_file.plain_document import plain_document
from sdnloom.scenario_file.program import read_program
from sdnloom.scenario_file.strategies import read_strategies
from sdnloom.scenario_file.table import Table
from sdnloom.scenario_file.topology import read_hosts, read_topology

HOSTS: Mapping[str, Callable[..., Host]] = {
    "sink": Host,
    "client": Client,
    "replier": Replier,
    "arp": ArpHost,
    "tcp_client": TcpClient,
    "tcp_server": TcpServer,
}
MEBIBYTE = 1 << 20
F = TypeVar("F", LinkFaults, SwitchFaults)


def load_scenario(file: str | Path, build: bool = True, **options: Unpack[NetworkKeywords]) -> Scenario:
    """The scenario of a file and the files it includes, with options over it as `sdnloom check FILE` has them.

    Its system is built once so that every error shows now; without `build` some show only when it is used.
    """
    return varied_scenario(Path(file), given_options(options), build)


def varied_scenario(file: Path, given: Mapping[str, Any], build: bool = True) -> Scenario:
    """The scenario of a file with options over it; `given` are fields of AppOptions."""
    document, topology, named = _whole_document(file, given), None, file
    plain = None
    if given:
        document, named, topology = varied_document(document, file, given)
        plain = plain_document(document, file, Path())
    scenario = replace(_read(Table(document, named), topology), file=file, document=plain)
    return _built(scenario) if build else scenario


def scenario_document(file: Path, given: Mapping[str, Any]) -> dict[str, Any]:
    """The document of a file with options over it as one table, for a file in the current folder."""
    document = _whole_document(file, given)
    return plain_document(varied_document(document, file, given).document if given else document, file, Path())


def _whole_document(file: Path, given: Mapping[str, Any]) -> Entries:
    """The document of a file; raises ScenarioError for a fragment, unless the options give what it lacks."""
    document = read_document(file)
    more = {"program": "apps", "properties": "properties"}
    added = {key: Entry(None, file) for key, option in more.items() if option in given}
    refuse_fragment(Entries({**added, **document.entries}), file)
    return document


def read_scenario(text: str, file: str | Path, build: bool = True) -> Scenario:
    """The scenario of a text as a file of that name would hold it; other files are found from that file's folder."""
    file = Path(file)
    return _of_document(parse_toml(text, file), file, None, build)


def app_scenario(*apps: str | Path, build: bool = True, **options: Unpack[NetworkKeywords]) -> Scenario:
    """The scenario of os-ken or Ryu apps that run together, as `sdnloom check --app` makes it.

    The options are those of the command line: `app_scenario("switch.py", topology="ring,3", pings=["h1,h3,2"])`.
    """
    return scenario_of_apps(tuple(map(str, apps)), given_options(options), build)


def scenario_of_apps(apps: tuple[str, ...], given: Mapping[str, Any], build: bool = True) -> Scenario:
    """The scenario of apps; `given` are the other fields of AppOptions."""
    document, topology = app_document(AppOptions(apps, **given))
    return _of_document(document, COMMAND_LINE, topology, build)


def _of_document(document: dict[str, Any], file: Path, topology: Topology | None, build: bool) -> Scenario:
    scenario = replace(_read(Table(as_document(document, file), file), topology), document=document)
    return _built(scenario) if build else scenario


def _built(scenario: Scenario) -> Scenario:
    """The scenario, after its system was built once. The program that this took serves the first run."""
    run = Run(scenario)
    assert run.system
    if not run.restarts and isinstance(scenario.program, ProgramFactory):
        scenario.program.give_back(run.program)
    return scenario


def _read(table: Table, topology: Topology | None = None) -> Scenario:
    code = CodeFiles()
    context = functools.partial(_error_context, table, code)
    with context():
        return replace(_scenario(table, code, topology), error_context=context)


@contextmanager
def _error_context(table: Table, code: CodeFiles) -> Iterator[None]:
    """Name the scenario's file in errors of its parts, and the line in errors of user code."""
    try:
        with table.errors_at(""), code.errors_with_lines():
            yield
    except OSError as error:  # a name that no file can have; errors of user code have been named already
        raise ScenarioError(f"{table.file}: the file {shown(error.filename)}: {error.strerror}") from error


def _scenario(table: Table, code: CodeFiles, topology: Topology | None) -> Scenario:
    """The scenario of a table. A topology that has been read already is not read again."""
    host_tables, topology_table = table.tables("hosts"), table.table("topology")
    bare = read_topology(topology_table) if topology is None else topology
    topology = table.calling("hosts", lambda: read_hosts(bare, host_tables))
    switch_table = table.table("switches")
    switches = read_call(switch_table, SwitchOptions, {}, {})
    loaded = read_program(table.table("program"), code, switches.version if "version" in switch_table else None)
    if loaded.version is not None:
        switches = replace(switches, version=loaded.version)
    network = Network(
        topology,
        tuple(_host(table, topology, code) for table in host_tables),
        switches,
        tuple(_link_faults(table, topology) for table in table.tables("link_faults")),
        tuple(_switch_faults(table, topology) for table in table.tables("switch_faults")),
        read_call(table.table("timeouts"), Timeouts, {}, {}),
        tuple(_external(table) for table in table.tables("externals")),
        tuple(read_call(table, ProgramTimer, {}, {}) for table in table.tables("timers")),
        table.flag("joining", False),
        table.flag("identity", None),
        statistics=tuple(_counter(table, topology) for table in table.tables("statistics")),
        ticks=table.whole("ticks", 0, default=0),
        settle_ticks=table.whole("settle_ticks", 0, default=SETTLE_TICKS),
        warmup=_warmup(table),
        setup=tuple(_setup_step(table) for table in table.tables("setup")),
    )
    properties = _properties(table, topology, code)
    search = table.table("search")
    strategies, same_flow = read_strategies(search, code)
    options, seed = _options(search)
    name = table.text("name", table.file.stem)
    discovery, network = read_discover(table.table("discover"), network)
    table.close()
    return Scenario(
        network,
        ProgramFactory(loaded.make, loaded.program),
        properties,
        options,
        seed,
        name,
        code=loaded.files,
        strategies=strategies,
        same_flow=same_flow,
        discovery=discovery,
    )


def _host(table: Table, topology: Topology, code: CodeFiles) -> Host:
    for key in ("name", "at", "mac", "ip", "gateway"):
        table.text(key, None)
    spec = topology.host(table.text("name"))
    kind = _kind(table, code)
    own = {Packet: packet_type(topology, spec), tuple[int, int]: ADDRESSES}
    moving = table.table("move") if "move" in table else None
    host: Host = read_call(table, kind, {"name": spec.name}, own)
    if isinstance(host, Client | TcpClient):
        for name in [host.to] if isinstance(host.to, str) else host.to:
            if isinstance(name, str):
                table.calling("to", functools.partial(HostView(spec, topology).address_of, name))
    if moving is None:
        return host
    return read_call(moving, MobileHost, {"name": spec.name, "host": host}, own)  # type: ignore[no-any-return]


def _kind(table: Table, code: CodeFiles) -> Callable[..., Host]:
    """A host class of the library, or one of the user's as "file.py:Class"."""
    kind = table.text("kind", "sink")
    file, colon, name = kind.rpartition(":")
    if not colon:
        return HOSTS[table.choice("kind", HOSTS, "sink")]
    found = table.calling("kind", lambda: code.get(table.beside("kind", file), name))
    if not (isinstance(found, type) and issubclass(found, Host)):
        table.fail("kind", kind, "a subclass of sdnloom.Host")
    return found


def _link_faults(table: Table, topology: Topology) -> tuple[str, LinkFaults]:
    """Faults of one link: named "s1-s2", with ports "s1:2-s2:2", or by the host at its end."""
    names = {host.name: [host.name] for host in topology.hosts}
    for link in topology.links:
        one, other = link.ends
        for label in (f"{one}-{other}", f"{other}-{one}", f"{link.a}-{link.b}", f"{link.b}-{link.a}"):
            names.setdefault(label, []).append(link.name)
    listed = ", ".join(
        [f"{link.a}-{link.b}" for link in topology.links][:12] + [host.name for host in topology.hosts][:12]
    )
    label = table.text("link", expected=f"a link: {listed}")
    found = names.get(label, [])
    if len(found) != 1:
        table.fail("link", label, f"one of these, with ports: {', '.join(found)}" if found else f"a link: {listed}")
    return found[0], _faults(table, LinkFaults)


def _faults(table: Table, kind: Callable[..., F]) -> F:
    """The budgets of a table, which sets at least one."""
    faults: F = read_call(table, kind, {}, {})
    keys = inspect.signature(kind).parameters
    if not any(key in table for key in keys):
        raise ScenarioError(f"{table.file}: {table.where} sets no fault; expected one of {', '.join(keys)}")
    return faults


def _switch_faults(table: Table, topology: Topology) -> tuple[str, SwitchFaults]:
    switch = table.choice("switch", [switch.name for switch in topology.switches])
    return switch, _faults(table, SwitchFaults)


def _counter(table: Table, topology: Topology) -> PortCounter:
    counter: PortCounter = read_call(table, PortCounter, {}, {})
    table.calling("port", lambda: topology.check_port(counter.port))
    return counter


def _external(table: Table) -> External:
    return read_call(table, External, {"arguments": _arguments(table)}, {})  # type: ignore[no-any-return]


def _warmup(table: Table) -> Any:
    expected = 'a whole number of at least 0, or "links"'
    return table.get("warmup", expected, lambda v: v == "links" or (type(v) is int and 0 <= v <= MAX_TICKS), None)


def _setup_step(table: Table) -> SetupStep:
    """A call or request, a report of counters, or time that passes: one of them for each table."""
    kinds = [key for key in ("call", "report", "ticks") if key in table]
    if len(kinds) != 1:
        raise ScenarioError(f"{table.file}: {table.where} has {_listed(kinds)}; expected one of call, report and ticks")
    if kinds == ["report"]:
        return _report(table)
    if kinds == ["ticks"]:
        return read_call(table, SetupTicks, {}, {})  # type: ignore[no-any-return]
    arguments = _arguments(table)
    if "body" in table:
        body = table.plain("body")
        if arguments or not _is_plain(body):
            table.fail("body", body, "a string or a table, and no arguments beside it")
        arguments = (body,)
    status, contains = table.whole("status", 100, 599, None), table.text("contains", "")
    call = table.text("call", expected='a method of the program, or a request such as "POST /router/1"')
    table.close()
    return table.calling("", lambda: SetupCall(call, arguments, status, contains))


def _listed(names: Sequence[str]) -> str:
    return " and ".join(names) or "none"


def _report(table: Table) -> SetupReport:
    switch = table.text("report", expected="a switch")
    rows = []
    for row in table.tables("ports"):
        port = row.whole("port", 1)
        rows.append(read_call(row, PortStats, {"port_no": port}, {}))
    table.close()
    return table.calling("", lambda: SetupReport(switch, tuple(rows)))


def _arguments(table: Table) -> tuple[Any, ...]:
    """The arguments of a call."""
    expected = "a list of strings, numbers, booleans, lists and tables"
    return tuple(table.get("arguments", expected, lambda value: isinstance(value, list) and _is_plain(value), []))


def _is_plain(value: Any) -> bool:
    """Whether a value consists of strings, numbers, booleans, lists and tables: TOML has dates, too."""
    if isinstance(value, list | dict):
        return all(map(_is_plain, value.values() if isinstance(value, dict) else value))
    return isinstance(value, str | int | float | bool)


def _properties(table: Table, topology: Topology, code: CodeFiles) -> tuple[Bindable | Property, ...]:
    expected = 'a list of names such as "NoForwardingLoops", or tables with a name and its arguments'
    items = table.get("properties", expected, lambda value: isinstance(value, list) and value != [])
    results: list[Bindable | Property] = []
    for number, item in enumerate(items):
        entry = {"name": item} if isinstance(item, str) else item
        if not isinstance(entry, dict):
            table.fail_item("properties", number, item, expected)
        found = _property(table.item("properties", number, entry), topology, code)
        if (found.name, type(found)) in [(one.name, type(one)) for one in results if one.name]:
            table.fail_item("properties", number, item, 'each property once; give one another name: as = "..."')
        results.append(found)
    return tuple(results)


def _property(table: Table, topology: Topology, code: CodeFiles) -> Bindable | Property:
    """A property of the library, or one of the user's: a value, a class or a function that makes it."""
    label = table.text("as", None)
    if "file" in table:
        file, name = table.beside("file", table.text("file")), table.text("name")
        make = table.calling("name", lambda: code.get(file, name))
    else:
        make = library.LIBRARY[table.choice("name", library.LIBRARY)]
    fixed = {}
    if isinstance(make, type) and issubclass(make, library.NetworkProperty):
        fixed["name"] = label or inspect.signature(make).parameters["name"].default
    found = read_call(table, make, fixed, {}) if callable(make) else make
    if type(found) in library.LIBRARY.values():
        hosts, switches = ([one.name for one in each] for each in (topology.hosts, topology.switches))
        for key, known in (("source", hosts), ("target", hosts), ("via", switches)):
            if hasattr(found, key):
                table.choice(key, known)
    if not isinstance(found, Property) and not hasattr(found, "bind"):
        table.fail("name", table.text("name"), "a Property, or a class or function that makes one")
    return replace(found, name=label) if label and isinstance(found, Property) else found


def _reduce(table: Table) -> ReduceOption:
    """Whether to use a reduction; the search chooses if nothing is said."""
    found = table.get("reduce", 'true, false or "auto"', lambda v: v == "auto" or isinstance(v, bool), "auto")
    return True if found is True else False if found is False else "auto"


def _options(table: Table) -> tuple[SearchOptions, int]:
    memory = table.whole("memory_limit", 1, 1 << 30, None)
    order = table.choice("order", get_args(SearchOrder), "auto")
    engine = table.choice("engine", ("auto", "loop", "kernel"), "auto")
    if order == "dfs" and engine == "kernel":
        table.fail("engine", engine, "auto or loop, as order is 'dfs': the kernel engine searches breadth first")
    disk = table.text("disk", None)
    if disk is not None:
        if order == "dfs" or engine == "loop":
            given = f"order is {order!r}" if order == "dfs" else f"engine is {engine!r}"
            table.fail("disk", disk, f"no folder, as {given}: it needs the kernel engine, which searches breadth first")
        disk = str(table.beside("disk", disk))
    options = SearchOptions(
        engine=engine,
        order=order,
        reduce=_reduce(table),
        find_all=table.flag("all", False),
        limits=Limits(
            table.whole("max_states", 1, default=None),
            table.whole("max_depth", 1, default=None),
            table.number("time_limit", None),
            None if memory is None else memory * MEBIBYTE,
        ),
        disk=disk,
    )
    if disk is not None:
        options = replace(options, disk_place=f"{table.file_of('disk')}: {table.path('disk')}")
    seed = table.whole("seed", 0, default=0)
    table.close()
    return options, seed
