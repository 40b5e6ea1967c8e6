"""The options that describe an app and its network without a scenario file; `check`, `step` and `walk` share them."""

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from sdnloom.check.load import app_scenario, load_scenario
from sdnloom.check.scenario import Scenario
from sdnloom.network.openflow import VERSION_NUMBERS

# Field of AppOptions -> its option on the command line.
_OPTIONS: dict[str, tuple[str, dict[str, Any]]] = {
    "apps": ("--app", {"multiple": True, "metavar": "APP", "help": "An os-ken or Ryu app: a module or a file."}),
    "path": ("--path", {"multiple": True, "metavar": "FOLDER", "help": "Where modules of apps are looked for first."}),
    "topology": ("--topology", {"metavar": "SHAPE", "help": "As Mininet writes it; linear,2 if not given."}),
    "pings": (
        "--ping",
        {"multiple": True, "metavar": "A,B[,N]", "help": "A sends N pings to B; if not given, the first two hosts do."},
    ),
    "moves": (
        "--move",
        {"multiple": True, "metavar": "HOST,PORT", "help": "HOST may move once, to PORT such as s1:3."},
    ),
    "properties": (
        "--property",
        {"multiple": True, "metavar": "NAME", "help": "What must hold, instead of what any app should keep."},
    ),
    "externals": (
        "--external",
        {"multiple": True, "metavar": "REQUEST", "help": "A request to the app's REST routes that may come once."},
    ),
    "ticks": ("--ticks", {"type": click.IntRange(0), "metavar": "N", "help": "How often timers of the app may fire."}),
    "warmup": (
        "--warmup",
        {
            "type": click.IntRange(0),
            "metavar": "N",
            "help": "Let packets travel and timers fire N times before it starts.",
        },
    ),
    "hub": ("--hub", {"type": click.Choice(["native", "eventlet"]), "help": "Which of os-ken's hubs is meant."}),
    "threads": (
        "--threads",
        {"type": click.Choice(["settle", "explore"]), "help": "Threads run to their end at once, or in any order."},
    ),
    "version": (
        "--openflow",
        {"type": click.Choice(list(VERSION_NUMBERS)), "help": "The version to speak if the app speaks several."},
    ),
    "joining": ("--joining", {"is_flag": True, "default": None, "help": "Let the switches connect during the search."}),
}


def describes_scenario(command: Callable[..., int]) -> Callable[..., int]:
    """Give a command the argument SCENARIO and the options that can stand for it; it gets both as they were said."""

    @functools.wraps(command)
    def wrapped(scenario: Path | None, **given: Any) -> int:
        said = {name: value for name in _OPTIONS if (value := given.pop(name)) not in (None, ())}
        return command(scenario, said, **given)

    for name, (flag, details) in reversed(_OPTIONS.items()):
        click.option(flag, name, **details)(wrapped)
    return click.argument("scenario", type=click.Path(path_type=Path), required=False)(wrapped)


def takes_scenario(command: Callable[..., int]) -> Callable[..., int]:
    """Give a command the argument SCENARIO and the options that can stand for it; it gets the loaded scenario."""

    @functools.wraps(command)
    def wrapped(scenario: Path | None, said: dict[str, Any], **given: Any) -> int:
        return command(chosen_scenario(scenario, said), **given)

    return describes_scenario(wrapped)


def chosen_scenario(file: Path | None, said: dict[str, Any]) -> Scenario:
    """The scenario of a file, or of the options."""
    if file is not None:
        if said:
            flags = ", ".join(_OPTIONS[name][0] for name in said)
            raise click.UsageError(f"{flags} and the scenario {str(file)!r} are given; expected one or the other")
        return load_scenario(file, build=False)
    if "apps" not in said:
        raise click.UsageError("there is nothing to run; expected a scenario file, or an app: --app FILE.py")
    return app_scenario(*said["apps"], build=False, **{name: value for name, value in said.items() if name != "apps"})
