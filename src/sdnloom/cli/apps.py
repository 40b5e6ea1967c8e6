"""Options that describe an app and its network without a scenario file; most commands have them."""

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from sdnloom.check.load import app_scenario, load_scenario
from sdnloom.check.scenario import Scenario
from sdnloom.network.openflow import VERSION_NUMBERS
from sdnloom.network.switch import PROFILES

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
        {"type": click.Choice(["native", "eventlet"]), "help": "os-ken hub to emulate (default: native)."},
    ),
    "threads": (
        "--threads",
        {
            "type": click.Choice(["settle", "explore"]),
            "help": "Run threads of the app within the reaction that starts them, or in every order (default: settle).",
        },
    ),
    "version": (
        "--openflow",
        {"type": click.Choice(list(VERSION_NUMBERS)), "help": "OpenFlow version, for an app that speaks several."},
    ),
    "topology": (
        "--topology",
        {"metavar": "SHAPE", "help": "Topology in Mininet's notation, or a file (default: linear,2)."},
    ),
    "profile": (
        "--switch-profile",
        {"type": click.Choice(list(PROFILES)), "help": "Kind of switch (default: openvswitch)."},
    ),
    "pings": (
        "--ping",
        {
            "multiple": True,
            "metavar": "A,B[,N]",
            "help": "Host A sends N pings to host B; may be repeated (default: 2 from the first host to the second).",
        },
    ),
    "moves": (
        "--move",
        {
            "multiple": True,
            "metavar": "HOST,PORT",
            "help": "HOST may move once, to PORT such as s1:3; may be repeated.",
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
    "ticks": (
        "--ticks",
        {"type": click.IntRange(0), "metavar": "N", "help": "How often timers of the app may fire (default: 0)."},
    ),
    "warmup": (
        "--warmup",
        {
            "type": click.IntRange(0),
            "metavar": "N",
            "help": "Before the search, deliver all packets and let timers fire N times, in one order.",
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
            "help": "Property to check; may be repeated (default: four generic ones).",
        },
    ),
}
# Headings of these options in `--help`.
APP_GROUPS = {
    "App": ("apps", "path", "environment", "hub", "threads", "version"),
    "Network": ("topology", "profile", "pings", "moves", "externals", "ticks", "warmup", "joining"),
    "Properties": ("properties",),
}


def describes_scenario(command: Callable[..., int]) -> Callable[..., int]:
    """Give a command the argument SCENARIO and the options that can replace it; it receives both as given."""

    @functools.wraps(command)
    def wrapped(scenario: Path | None, **given: Any) -> int:
        app_options = {name: value for name in _OPTIONS if (value := given.pop(name)) not in (None, ())}
        return command(scenario, app_options, **given)

    for name, (flag, details) in reversed(_OPTIONS.items()):
        click.option(flag, name, **details)(wrapped)
    return click.argument("scenario", type=click.Path(path_type=Path), required=False)(wrapped)


def takes_scenario(command: Callable[..., int]) -> Callable[..., int]:
    """Give a command the argument SCENARIO and the options that can replace it; it receives the scenario."""

    @functools.wraps(command)
    def wrapped(scenario: Path | None, app_options: dict[str, Any], **given: Any) -> int:
        return command(chosen_scenario(scenario, app_options), **given)

    return describes_scenario(wrapped)


def chosen_scenario(file: Path | None, app_options: dict[str, Any]) -> Scenario:
    """The scenario of a file, or of the options. Its system is built when it is used."""
    if file is not None:
        if app_options:
            flags = ", ".join(_OPTIONS[name][0] for name in app_options)
            raise click.UsageError(f"{flags} and the scenario {str(file)!r} are given; expected one or the other")
        return load_scenario(file, build=False)
    if "apps" not in app_options:
        raise click.UsageError("there is nothing to run; expected a scenario file, or an app: --app FILE.py")
    return app_scenario(
        *app_options["apps"], build=False, **{name: value for name, value in app_options.items() if name != "apps"}
    )
