"""Options that describe an app and its network without a scenario file; most commands have them."""

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from sdnloom.check.load import scenario_document, scenario_of_apps, varied_scenario
from sdnloom.check.options.app_options import AppOptions, app_document
from sdnloom.check.options.fault_options import FAULTS_OF_LINKS, FAULTS_OF_SWITCHES
from sdnloom.check.scenario import Scenario
from sdnloom.cli.actors.program_choice import program_choice
from sdnloom.network.network import SETTLE_TICKS
from sdnloom.network.openflow import VERSION_NUMBERS
from sdnloom.network.switch import PROFILES


class _Warmup(click.ParamType[int | str]):
    """A whole number, or "links"."""

    name = "warmup"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int | str:
        """The number or the word."""
        if value == "links" or isinstance(value, int):
            return value  # type: ignore[no-any-return]
        if not (value.isascii() and value.isdigit() and len(value) < 6):
            self.fail(f"{value!r} is not a number of at least 0, nor 'links'.", param, ctx)
        return int(value)


# Field of AppOptions -> its option on the command line.
_OPTIONS: dict[str, tuple[str, dict[str, Any]]] = {
    "apps": (
        "--app",
        {"multiple": True, "metavar": "APP", "help": "os-ken or Ryu app: a file or a module; may be repeated."},
    ),
    "path": (
        "--path",
        {"multiple": True, "metavar": "FOLDER", "help": "Folder in which modules are searched first; may be repeated."},
    ),
    "environment": (
        "--env",
        {
            "multiple": True,
            "metavar": "NAME=VALUE",
            "help": "Environment variable that the app sees, a file perhaps; may be repeated.",
        },
    ),
    "hub": (
        "--hub",
        {
            "type": click.Choice(["auto", "native", "eventlet"]),
            "help": "Hub to emulate (default: auto: eventlet for apps that import Ryu, as there, else native).",
        },
    ),
    "app_threads": (
        "--app-threads",
        {
            "type": click.Choice(["settle", "explore"]),
            "help": "Run threads of the app within the reaction that starts them, or in every order (default: settle).",
        },
    ),
    "version": (
        "--openflow",
        {"type": click.Choice(list(VERSION_NUMBERS)), "help": "OpenFlow version, for an app that speaks several."},
    ),
    "config": (
        "--config",
        {
            "multiple": True,
            "metavar": "KEY=VALUE",
            "help": "Option of os-ken's configuration, as os-ken's own command line has it; may be repeated.",
        },
    ),
    "observe_links": (
        "--observe-links",
        {
            "is_flag": True,
            "default": None,
            "help": "Let os-ken discover links; before the search, wait until LLDP has crossed all (--warmup links).",
        },
    ),
    "topology": (
        "--topology",
        {"metavar": "SHAPE", "help": "Topology in Mininet's notation, or a file (default: linear,2)."},
    ),
    "profile": (
        "--switch-profile",
        {"type": click.Choice(list(PROFILES)), "help": "Kind of switch (default: openvswitch)."},
    ),
    "hosts": (
        "--hosts",
        {"type": click.IntRange(0), "metavar": "N", "help": "Hosts at each switch, for any topology."},
    ),
    "pings": (
        "--ping",
        {
            "multiple": True,
            "metavar": "A,B[,N]",
            "help": "Host A finds host B by ARP and sends N pings; may be repeated (default: 2, to another switch).",
        },
    ),
    "no_arp": (
        "--no-arp",
        {"is_flag": True, "default": None, "help": "Hosts know all addresses, as with mininet's --arp."},
    ),
    "host_keys": (
        "--host",
        {
            "multiple": True,
            "metavar": "HOST,KEY=VALUE",
            "help": "Keys of a host, such as h1,ip=10.1.0.10/24,gateway=10.1.0.1; may be repeated.",
        },
    ),
    "moves": (
        "--move",
        {
            "multiple": True,
            "metavar": "HOST,PORT",
            "help": "HOST may move once, to PORT such as s1:3, while it is pinged; may be repeated.",
        },
    ),
    "externals": (
        "--external",
        {
            "multiple": True,
            "metavar": "REQUEST",
            "help": "Request to the app's REST routes that may come once; may be repeated.",
        },
    ),
    "setup": (
        "--setup",
        {
            "multiple": True,
            "metavar": "REQUEST",
            "help": "Request that is made before the search, in this order, or 'ticks N'; may be repeated.",
        },
    ),
    "ticks": (
        "--ticks",
        {"type": click.IntRange(0), "metavar": "N", "help": "How often timers of the app may fire (default: 0)."},
    ),
    "settle_ticks": (
        "--settle-ticks",
        {
            "type": click.IntRange(0),
            "metavar": "N",
            "help": f"When nothing else happens, let timers fire N times before a violation (default: {SETTLE_TICKS}).",
        },
    ),
    "timeouts": (
        "--timeouts",
        {
            "type": click.IntRange(0),
            "metavar": "N",
            "help": "Timeouts of flow entries may expire at any moment, N times in each switch (default: 0).",
        },
    ),
    "warmup": (
        "--warmup",
        {
            "type": _Warmup(),
            "metavar": "N",
            "help": "Before the search, let timers fire N times, in one order; links: until LLDP has crossed all.",
        },
    ),
    "joining": (
        "--joining",
        {"is_flag": True, "default": None, "help": "Connect the switches during the search, not before it."},
    ),
    "properties": (
        "--property",
        {
            "multiple": True,
            "metavar": "NAME",
            "help": "Property to check; may be repeated (default: five generic ones).",
        },
    ),
}
_FAULTS = {
    "link_failures": "LINK, such as s1-s2 or a host, may fail and come back N times (once, if not given).",
    "drops": "LINK may drop N packets in each direction.",
    "duplicates": "LINK may duplicate N packets in each direction.",
    "reorders": "N packets may overtake another on LINK, in each direction.",
    "restarts": "SWITCH may lose its power and join again N times.",
    "disconnects": "SWITCH may lose its connection and join again N times.",
}
_FAULT_OPTIONS = {name: option for name, (option, _) in {**FAULTS_OF_LINKS, **FAULTS_OF_SWITCHES}.items()}
for _name, _help in _FAULTS.items():
    _metavar = "LINK[,N]" if _name in FAULTS_OF_LINKS else "SWITCH[,N]"
    _OPTIONS[_name] = (
        _FAULT_OPTIONS[_name],
        {"multiple": True, "metavar": _metavar, "help": f"{_help[:-1]}; may be repeated."},
    )
# Headings of these options in `--help`.
APP_GROUPS = {
    "App": ("apps", "path", "environment", "config", "observe_links", "hub", "app_threads", "version"),
    "Network": (
        "topology",
        "profile",
        "hosts",
        "pings",
        "no_arp",
        "host_keys",
        "moves",
        "externals",
        "setup",
        "ticks",
        "settle_ticks",
        "timeouts",
        "warmup",
        "joining",
    ),
    "Faults": tuple(_FAULTS),
    "Properties": ("properties",),
}


def describes_scenario(command: Callable[..., int]) -> Callable[..., int]:
    """Give a command the argument SCENARIO and the options that vary or replace it; it receives both as given."""
    described = _with_app_options(command, "scenario")
    return click.argument("scenario", type=click.Path(path_type=Path), required=False)(described)


def describes_scenarios(command: Callable[..., int]) -> Callable[..., int]:
    """The same with any number of arguments, `scenarios`."""
    described = _with_app_options(command, "scenarios")
    given = click.argument("scenarios", type=click.Path(path_type=Path), nargs=-1, metavar="[SCENARIO]...")
    return given(described)


def _with_app_options(command: Callable[..., int], argument: str) -> Callable[..., int]:
    @functools.wraps(command)
    def wrapped(**given: Any) -> int:
        app_options = {name: value for name in _OPTIONS if (value := given.pop(name)) not in (None, ())}
        return command(given.pop(argument), app_options, **given)

    for name, (flag, details) in reversed(_OPTIONS.items()):
        click.option(flag, name, **details)(wrapped)
    return wrapped


def takes_scenario(command: Callable[..., int]) -> Callable[..., int]:
    """Give a command the argument SCENARIO and the options that can replace it; it receives the scenario."""

    @functools.wraps(command)
    def wrapped(scenario: Path | None, app_options: dict[str, Any], **given: Any) -> int:
        return command(chosen_scenario(scenario, app_options), **given)

    return describes_scenario(wrapped)


def chosen_scenario(file: Path | None, app_options: dict[str, Any]) -> Scenario:
    """The scenario of a file, with the options over it, or of the options. Its system is built when it is used."""
    if file is not None:
        refuse_program(file)
        return varied_scenario(file, app_options, build=False)
    apps, others = _apps_and_others(app_options)
    return scenario_of_apps(apps, others, build=False)


def chosen_document(file: Path | None, app_options: dict[str, Any]) -> dict[str, Any]:
    """The document of the scenario that `chosen_scenario` makes, for a file in the current folder."""
    if file is not None:
        refuse_program(file)
        return scenario_document(file, app_options)
    apps, others = _apps_and_others(app_options)
    return app_document(AppOptions(apps, **others))[0]


def refuse_program(file: Path) -> None:
    """Raise UsageError for a Python file where a scenario is expected."""
    if program_choice(file) is not None:
        raise click.UsageError(
            f"{str(file)!r} is a Python file; expected a scenario file, or an app: --app FILE.py (programs of "
            "actors are for check, replay, step, explore and walk)"
        )


def _apps_and_others(app_options: dict[str, Any]) -> tuple[tuple[str, ...], dict[str, Any]]:
    if "apps" not in app_options:
        raise click.UsageError("there is nothing to run; expected a scenario file, or an app: --app FILE.py")
    return app_options["apps"], {name: value for name, value in app_options.items() if name != "apps"}
