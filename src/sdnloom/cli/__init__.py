"""The entry point, `sdnloom`. Each command is a module of this package.

Exit codes: 0 holds, 1 violated, 2 usage or input error, 3 incomplete, 4 a real system differs from the model. Results
go to stdout, diagnostics to stderr.
"""

import errno
import importlib
import sys
from contextlib import suppress
from io import TextIOWrapper
from time import monotonic

import click

from sdnloom import __version__
from sdnloom.cli.options.command_group import CommandGroup
from sdnloom.errors import SdnloomError

# Command name -> (module with a click command named `command`, one line of help).
# Modules are imported on use: `sdnloom --help` and a small command stay fast.
COMMANDS: dict[str, tuple[str, str]] = {
    "check": ("sdnloom.cli.check", "Find an order of events in which a controller program violates a property."),
    "resume": ("sdnloom.cli.resume", "Go on with a search that `check --checkpoint` has kept."),
    "inputs": (
        "sdnloom.cli.inputs",
        "List the classes of packets that a program tells apart, with an example of each.",
    ),
    "replay": ("sdnloom.cli.replay", "Take the steps of a trace again and confirm its finding."),
    "confirm": ("sdnloom.cli.confirm", "Take a trace on a real controller and a real Open vSwitch, step by step."),
    "view": ("sdnloom.cli.pages.view", "Show a trace or a result as a page in the browser."),
    "export": ("sdnloom.cli.export", "Write a result or a trace in the formats of other tools."),
    "minimise": (
        "sdnloom.cli.counterexample.minimise",
        "Leave out every event of a trace that its violation does not need.",
    ),
    "explain": (
        "sdnloom.cli.counterexample.explain",
        "Say which orderings of a trace matter, and what would remove it.",
    ),
    "step": ("sdnloom.cli.step", "Step through a scenario by hand."),
    "explore": ("sdnloom.cli.pages.explore", "Walk through a scenario or a program of actors in a browser."),
    "walk": ("sdnloom.cli.walks.command", "Walk through a scenario at random."),
    "crosscheck": ("sdnloom.cli.crosscheck", "Find the messages to which switch implementations react differently."),
    "races": ("sdnloom.cli.races", "Find races between controllers and switches that change what is forwarded."),
    "netkat": ("sdnloom.cli.netkat", "Decide questions about NetKAT policies, with a packet as evidence."),
    "init": ("sdnloom.cli.init", "Write a first scenario file for an app, or a small example."),
    "doctor": ("sdnloom.cli.doctor", "Say what is missing on this machine, which command needs it, and how to get it."),
    "schema": ("sdnloom.cli.schema", "Print the JSON schema of scenario files or of a report."),
}


class _LazyGroup(CommandGroup):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = importlib.import_module(COMMANDS[cmd_name][0]).command
        return command

    def invoke(self, ctx: click.Context) -> object:
        """Run the command; a limit that ends it before there is a result is named, with exit code 3."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt as interrupt:
            reason = getattr(interrupt, "reason", None)  # that a limit has, and Ctrl-C has not
            if reason is None:
                raise
            click.echo(f"INCOMPLETE nothing was searched: {reason}", err=True)
            raise click.exceptions.Exit(3) from None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in COMMANDS.items()])


@click.group(cls=_LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="sdnloom")
def cli() -> None:
    """Find the inputs and event orderings that break a software-defined network."""


def main() -> None:
    """Run the command line; a user's mistake ends with one message and exit code 2."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # texts of a program may have characters that no encoding has
            stream.reconfigure(errors="backslashreplace")
    try:
        sys.exit(cli(prog_name="sdnloom", standalone_mode=False, obj=monotonic()) or 0)
    except click.exceptions.Exit as stop:
        sys.exit(stop.exit_code)
    except click.exceptions.NoArgsIsHelpError as usage:
        usage.show()
        sys.exit(2)
    except click.ClickException as error:
        context = getattr(error, "ctx", None)
        hint = f" ({context.command_path} --help says more)" if context is not None else ""
        click.echo(f"error: {error.format_message()}{hint}", err=True)
        sys.exit(2)
    except SdnloomError as error:
        click.echo(f"error: {error}", err=True)
        sys.exit(2)
    except OSError as error:
        if error.errno != errno.ENOSPC or error.filename is not None:
            raise
        with suppress(OSError):
            sys.stdout.close()  # or it is written again at the end
        click.echo(f"error: cannot write the report: {error.strerror}", err=True)
        sys.exit(2)
    except (click.Abort, KeyboardInterrupt):
        click.echo("interrupted", err=True)
        sys.exit(130)
