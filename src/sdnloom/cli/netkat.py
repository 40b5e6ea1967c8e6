"""`sdnloom netkat check / equiv / reach`: questions about NetKAT policies, answered with packets."""

from collections.abc import Sequence
from pathlib import Path

import click

from sdnloom.cli.options.command_group import CommandGroup
from sdnloom.cli.options.format_option import format_option
from sdnloom.netkat.errors import PolicyError
from sdnloom.netkat.parser import parse_policy
from sdnloom.netkat.policy_file import PolicyFile, read_policy_file
from sdnloom.netkat.questions import check_policy_file, compare, find_route
from sdnloom.netkat.syntax import Policy
from sdnloom.report.formats import render
from sdnloom.report.netkat.text import short_policy


@click.group(cls=CommandGroup)
def command() -> None:
    """Decide questions about NetKAT policies (without dup), each with a concrete packet.

    A policy is written as in the papers or in ASCII: `pt = 1 . pt <- 2 + ~(type = ssh) . pt <- 3`.
    """


@command.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--strict", is_flag=True, help="Exit 1 on warnings as well.")
@format_option("netkat check")
def check(file: Path, strict: bool, form: str) -> int:
    """Decide the claims of FILE, and list its fields, policies and likely mistakes.

    Exit code: 0 every claim holds, 1 one does not, 2 bad input.
    """
    checked = check_policy_file(read_policy_file(file))
    click.echo(render("netkat check", form, checked), nl=False)
    return 1 if checked.failed or (strict and checked.warnings) else 0


@command.command()
@click.argument("arguments", nargs=-1, required=True, metavar="[FILE] A B")
@click.option("--contained", is_flag=True, help="Decide A <= B instead: B makes every packet that A makes.")
@format_option("netkat equiv")
def equiv(arguments: tuple[str, ...], contained: bool, form: str) -> int:
    """Decide whether the policies A and B make the same packets of every packet.

    A and B are expressions; with FILE, over the policies that it names. Exit code: 0 yes, 1 no (with a packet that
    shows it), 2 bad input.
    """
    file, (left, right) = _operands(arguments, ("A", "B"))
    comparison = compare(_parse(file, left, "A"), _parse(file, right, "B"), "contained" if contained else "equivalent")
    click.echo(render("netkat equiv", form, comparison), nl=False)
    return 0 if comparison.decision else 1


@command.command()
@click.argument("arguments", nargs=-1, required=True, metavar="[FILE] POLICY")
@click.option("--from", "start", default="one", show_default=True, help="Predicate on the packets that enter.")
@click.option("--to", "goal", default="one", show_default=True, help="Predicate on the packets that leave.")
@click.option("--never", is_flag=True, help="Swap the exit codes 0 and 1: no packet may get there.")
@format_option("netkat reach")
def reach(arguments: tuple[str, ...], start: str, goal: str, never: bool, form: str) -> int:
    """Look for a packet of --from that becomes one of --to through POLICY.

    Prints such a packet and the rules that change it. Exit code: 0 there is one, 1 there is none (the other way round
    with --never), 2 bad input.
    """
    file, (text,) = _operands(arguments, ("POLICY",))
    first, policy = _predicate(file, start, "--from"), _parse(file, text, "POLICY")
    reachability = find_route(first, policy, _predicate(file, goal, "--to"), never)
    click.echo(render("netkat reach", form, reachability), nl=False)
    return int((reachability.witness is None) != never)


def _operands(arguments: tuple[str, ...], names: Sequence[str]) -> tuple[PolicyFile, tuple[str, ...]]:
    """The file of the arguments, an empty one if there is none, and the expressions."""
    count = len(names)
    if len(arguments) not in (count, count + 1):
        raise click.UsageError(f"expected [FILE] {' '.join(names)}, got {len(arguments)} arguments")
    if len(arguments) == count:
        return PolicyFile("<none>"), arguments
    return read_policy_file(Path(arguments[0])), arguments[1:]


def _parse(file: PolicyFile, text: str, role: str) -> Policy:
    return parse_policy(text, names=file.policies, fields=file.fields, source=f"<{role}>")


def _predicate(file: PolicyFile, text: str, role: str) -> Policy:
    policy = _parse(file, text, role)
    if not policy.is_predicate:
        raise PolicyError(f"<{role}>: expected a predicate, without assignment and star: {short_policy(policy)}")
    return policy
