"""`sdnloom crosscheck explore / compare / run / try / tests / agents`: where switch implementations disagree."""

import importlib
from typing import Final

import click

from sdnloom.cli.options.command_group import CommandGroup

# Command -> (module of this package with a click command named `command`, one line of help), imported on use.
SUBCOMMANDS: Final[dict[str, tuple[str, str]]] = {
    "run": ("run", "Explore two or more agents and compare them: both phases."),
    "explore": ("explore", "Phase 1: write what one agent does with every input of a test to a file."),
    "compare": ("compare", "Phase 2: compare two such files, without the agents."),
    "try": ("try_input", "Run the input of a witness file on one agent."),
    "tests": ("suite_list", "List the built-in tests."),
    "agents": ("agent_list", "List the agents that can be named."),
}


class _Subcommands(CommandGroup):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(SUBCOMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in SUBCOMMANDS:
            return None
        found: click.Command = importlib.import_module(f"{__name__}.{SUBCOMMANDS[cmd_name][0]}").command
        return found

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in SUBCOMMANDS.items()])


@click.group(cls=_Subcommands)
def command() -> None:
    """Find the messages to which switch implementations react differently.

    An agent is a built-in one (`sdnloom crosscheck agents` lists them), a Python class as module:Class or
    file.py:Class, or a switch on a socket of this machine as unix:PATH or tcp:PORT. A test is a built-in one
    (`sdnloom crosscheck tests` lists them) or a TOML file.
    """
