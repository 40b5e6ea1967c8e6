"""A commented scenario file for a program, with the further possibilities as comments.

The program is loaded and started as `sdnloom check` does it, so that the file is known to work and mentions what the
program has: routes, timers, threads. In the text, `# ` begins an explanation and `#key` a setting that can be switched
on by removing the sign; all of them together are a valid scenario.
"""

import os
from dataclasses import dataclass
from pathlib import Path
from textwrap import shorten
from typing import Any

from sdnloom.check.load import read_scenario
from sdnloom.check.options.app_options import AppOptions, app_document
from sdnloom.check.run import Run
from sdnloom.check.starter.program_kind import ProgramKind
from sdnloom.network.program import DescribesRun, HasClock, Program, SpeaksOpenFlow, capability
from sdnloom.network.topology import SwitchPort, Topology
from sdnloom.scenario_file.document import ScenarioError
from sdnloom.scenario_file.program import names_file
from sdnloom.scenario_file.toml_text import toml_text

SCHEMA_FILE = "sdnloom-scenario.json"  # named in the first line for editors, if it lies beside the scenario
_MEANINGS = {
    "NoForwardingLoops": "no packet comes back to a port of a switch",
    "NoBlackHoles": "every packet reaches the host that it is sent to",
    "PingsAnswered": "every ping and every ARP request is answered",
    "NoForgottenPackets": "no packet stays in a buffer of a switch for ever",
    "NoHandlerException": "no exception leaves a handler",
}


@dataclass(frozen=True)
class StartedProgram:
    """What is known of a program after it has started."""

    name: str
    platform: str
    version: str = ""
    routes: tuple[str, ...] = ()
    timers: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        found = [f"{self.platform} program {self.name}"]
        if self.version:
            found.append(f"OpenFlow {self.version}")
        if self.routes:
            found.append("1 REST route" if len(self.routes) == 1 else f"{len(self.routes)} REST routes")
        if self.timers:
            found.append("timers")
        return ", ".join(found)


@dataclass(frozen=True)
class StarterScenario:
    """The text of a scenario file, and what it was made from."""

    text: str
    facts: StartedProgram


def starter_scenario(
    program: str, kind: ProgramKind, topology: str, target: Path, path: tuple[str, ...] = ()
) -> StarterScenario:
    """The scenario for a program, as it is written into the file `target`. Raises the loader's error if it cannot run.

    `program` is a file or, for os-ken, a module; `path` are folders in which modules are searched first.
    """
    place = _from(target, program) if names_file(program) else program
    folders = tuple(_from(target, each) for each in path)
    options = AppOptions((place,), folders, topology=topology, observe_links=kind.asks_for_links)
    document, network = app_document(options)
    if "file" in document["topology"]:
        document["topology"]["file"] = _from(target, document["topology"]["file"])
    if kind.platform == "NOX":
        document["program"] = {"nox": place}
    elif kind.platform == "plain Python":
        document["program"] = {"file": place, "class": kind.classes[0]}
    facts = _facts(_started_program(document, target), kind)
    text = _text(document, facts, kind, network, target)
    read_scenario(text, target, build=False)
    return StarterScenario(text, facts)


def _from(target: Path, file: str) -> str:
    """The name of a file as the scenario has it: relative to the scenario, unless it is absolute."""
    return file if Path(file).is_absolute() else Path(os.path.relpath(file, target.parent)).as_posix()


def _started_program(document: dict[str, Any], target: Path) -> Program:
    """The program after the start-up. Its errors do not name the file, which does not exist yet."""
    try:
        run = Run(read_scenario(toml_text(document), target, build=False))
        assert run.system
    except ScenarioError as error:
        message = str(error).removeprefix(f"{target}: ")
        key = next(iter(document["program"]))
        raise ScenarioError(message.removeprefix(f"program.{key}: ")) from error
    return run.program


def _facts(program: Program, kind: ProgramKind) -> StartedProgram:
    clock, speaks = capability(program, HasClock), capability(program, SpeaksOpenFlow)
    notes = capability(program, DescribesRun)
    return StartedProgram(
        program.name,
        kind.platform,
        speaks.version if speaks is not None else "",
        _routes(program) if kind.platform == "os-ken" else (),
        tuple(dict.fromkeys((*kind.timers, *(clock.timers_seen if clock is not None else ())))),
        notes.notes if notes is not None else (),
    )


def _routes(program: Program) -> tuple[str, ...]:
    from sdnloom.platforms.osken.program import OskenProgram  # here, because os-ken is an optional dependency

    routes = program.routes if isinstance(program, OskenProgram) else ()
    return tuple(dict.fromkeys(f"{route.method} {route.path}" for route in routes))


def _text(document: dict[str, Any], facts: StartedProgram, kind: ProgramKind, network: Topology, target: Path) -> str:
    schema = [f"#:schema ./{SCHEMA_FILE}"] if (target.parent / SCHEMA_FILE).is_file() else []
    sections = [
        [*schema, *_head(facts, target)],
        _properties(document, network),
        _time(document, facts),
        _program(document, facts, kind),
        _topology(document, network),
        *_hosts(document, network),
        _traffic(facts),
        _faults(network),
        _timeouts(kind),
        _search(),
    ]
    return "\n".join("\n".join([*lines, ""]) for lines in sections if lines)


def _head(facts: StartedProgram, target: Path) -> list[str]:
    return [
        f"# A scenario for the {_comment(str(facts))}. To check it: sdnloom check {_comment(target.name)}",
        "# `# ` begins an explanation; a setting after `#` can be switched on by removing the sign.",
    ]


def _properties(document: dict[str, Any], network: Topology) -> list[str]:
    lines = [
        "# What must hold in every order of events; `sdnloom schema scenario` and docs/properties.md list all.",
        "properties = [",
    ]
    for each in document["properties"]:
        value = _value(each)
        meaning = _MEANINGS.get(each) if isinstance(each, str) else "not violated, but reported if it never happens"
        lines.append(f"  {value},  # {meaning}" if meaning else f"  {value},")
    names = [host.name for host in network.hosts]
    if len(names) > 1:
        ends = {"source": names[0], "target": names[-1]}
        lines.append(
            f"  #{_value({'name': 'Reachable', **ends})},  # a ping sent now would arrive, in every state at rest"
        )
    lines.append('  #"DirectPaths",  # packets of a flow do not go to the controller again and again')
    lines.append('  #"NoAmbiguousMatch",  # entries of equal priority never disagree about a packet')
    return [*lines, "]"]


def _time(document: dict[str, Any], facts: StartedProgram) -> list[str]:
    lines = (
        [f"warmup = {_value(document['warmup'])}  # the app asks for links: wait until LLDP has crossed all"]
        if "warmup" in document
        else []
    )
    if facts.timers:
        lines += [f"# A timer of the program: {_comment(each)}" for each in facts.timers[:5]]
        lines.append("#ticks = 1  # such timers may fire once, at any moment, not only when nothing else happens")
    if "warmup" not in document:
        lines.append("#joining = true  # switches connect during the search, in any order, not before it")
    return lines


def _program(document: dict[str, Any], facts: StartedProgram, kind: ProgramKind) -> list[str]:
    lines = ["[program]", *_pairs({key: value for key, value in document["program"].items() if key != "config"})]
    lines += [f"# Note: {_comment(each)}" for each in facts.notes]
    if len(kind.classes) > 1:
        lines.append(f"# Other classes with handlers: {_comment(', '.join(kind.classes[1:]))}")
    if kind.platform == "os-ken":
        if "config" in document["program"]:
            lines.append(f"config = {_value(document['program']['config'])}")
        lines += ['#threads = "explore"  # turns of threads and timers in every order, not first come first served']
        lines += ['#environment = { MY_SETTING = "value" }  # environment variables that the app sees']
    if kind.platform != "plain Python":
        lines.append("#draws = 1  # explore the first random number of each reaction, instead of following a seed")
    return lines


def _topology(document: dict[str, Any], network: Topology) -> list[str]:
    lines = [
        "# Names, ports and addresses are Mininet's. Other shapes: single, linear, ring, mesh, tree, torus, custom,",
        "# mininet (a Topo in a file), graphml, topohub.",
    ]
    table = document["topology"]
    lines += ["[topology]", *_pairs(table)]
    if "ports" not in table and table["shape"] not in ("mininet", "graphml", "topohub"):
        lines.append(f"#ports = {_free_port(network).port}  # a free port at each switch, for hosts that move")
    return lines


def _free_port(network: Topology) -> SwitchPort:
    """The port of the first switch after its last one."""
    highest = max((port for switch in network.switches for port in switch.ports), default=0)
    return SwitchPort(network.switches[0].name, highest + 1)


def _hosts(document: dict[str, Any], network: Topology) -> list[list[str]]:
    sections: list[list[str]] = []
    for each in document.get("hosts", []):
        lines = ["[[hosts]]", *_pairs(each)]
        if not sections:
            lines[1:1] = ["# A host that asks for addresses by ARP, sends pings and answers them. Other kinds are"]
            lines[2:2] = ["# client, replier, tcp_client, tcp_server and sink, or a class of your own."]
            packet = {"kind": "tcp", "to": _other(network, each["name"]), "dst_port": 80}
            lines.append(f"#packets = [{_value(packet)}]  # packets beside the pings")
            lines.append("#burst = 1  # send the next packet only after an answer")
        sections.append(lines)
    if len(sections) > 1 and document["topology"]["shape"] not in ("mininet", "graphml", "topohub"):
        place = _value({"to": [str(_free_port(network))], "moves": 1, "announces": True})
        sections[-1].append(
            f"#move = {place}  # it may move there (with `ports` in [topology]); use NoBlackHolesMobile then"
        )
    return sections


def _other(network: Topology, name: str) -> str:
    return next((host.name for host in network.hosts if host.name != name), name)


def _traffic(facts: StartedProgram) -> list[str]:
    lines = [
        "# Also send packets that are found by symbolic execution of the program.",
        "#[discover]",
        "#clients = true",
    ]
    if not facts.routes:
        return lines
    shown = [*facts.routes[:12], *(["..."] if len(facts.routes) > 12 else [])]
    lines += ["", f"# Requests to the app's REST routes: {', '.join(map(_comment, shown))}."]
    lines += ["# [[setup]] makes one before the search, [[externals]] at any moment."]
    return [*lines, "#[[externals]]", f"#name = {_value(facts.routes[0])}", "#budget = 1"]


def _faults(network: Topology) -> list[str]:
    switch = network.switches[0].name if network.switches else None
    name = (
        f"{network.links[0].a}-{network.links[0].b}"
        if network.links
        else network.hosts[0].name
        if network.hosts
        else None
    )
    lines = []
    if name is not None:
        lines += [
            "# Faults have budgets: this link may fail and come back once, and drop one packet in each direction."
        ]
        lines += ["#[[link_faults]]", f"#link = {_value(name)}", "#fail = 1", "#drop = 1"]
    if switch is not None:
        lines += [
            "",
            "# This switch may lose its power, and its connection to the controller, once.",
            "#[[switch_faults]]",
        ]
        lines += [f"#switch = {_value(switch)}", "#fail = 1", "#disconnect = 1"]
    return lines


def _timeouts(kind: ProgramKind) -> list[str]:
    """Timeouts are on for a program that handles FlowRemoved messages: without them that handler never runs."""
    if kind.handles_expiry:
        return [
            "# The app handles FlowRemoved: timeouts of flow entries expire at any moment, once at each switch.",
            "[timeouts]",
            "expiries = 1",
        ]
    return ["# Timeouts of flow entries expire at any moment, once at each switch.", "#[timeouts]", "#expiries = 1"]


def _search() -> list[str]:
    return [
        "#[search]",
        "#reduce = true  # one of several orders that lead to the same result",
        "#all = true  # go on after the first violation",
        "#time_limit = 60  # seconds",
    ]


def _pairs(table: dict[str, Any]) -> list[str]:
    return [f"{key} = {_value(value)}" for key, value in table.items()]


def _value(value: Any) -> str:
    """A value in TOML's notation, in one line."""
    return toml_text({"x": [[value]]}).strip().removeprefix("x = [[").removesuffix("]]")


def _comment(text: str) -> str:
    """A text of the program for a comment: one line that is not too long, without characters that cannot be shown."""
    return shorten("".join(each if each.isprintable() else " " for each in text), 110, placeholder=" ...")
