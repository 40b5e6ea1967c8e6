"""`sdnloom netkat check / equiv / reach`: questions about NetKAT policies, answered with packets."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from sdnloom.netkat.decide import Decision, Witness, contains, equivalent, images_for, is_empty, space_for
from sdnloom.netkat.errors import PolicyError
from sdnloom.netkat.image import Images
from sdnloom.netkat.lint import Remark, lint
from sdnloom.netkat.parser import parse_policy
from sdnloom.netkat.printer import packet_text, to_text
from sdnloom.netkat.program import Claim, PolicyFile, read_program
from sdnloom.netkat.route import Hop, route
from sdnloom.netkat.syntax import Policy, fields, product_of

_SCHEMA = 1
# Shared parts are written out wherever they occur: a text may be exponentially larger than its policy.
_SHOWN = 100
_JSON_SHOWN = 100_000

_format = click.option(
    "--format", "style", type=click.Choice(["text", "json"]), default="text", show_default=True, help="How to answer."
)


@click.group()
def command() -> None:
    """Decide questions about NetKAT policies (without dup), each with a concrete packet.

    A policy is written as in the papers or in ASCII: `pt = 1 . pt <- 2 + ~(type = ssh) . pt <- 3`.
    """


@command.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--strict", is_flag=True, help="Exit 1 on remarks as well.")
@_format
def check(file: Path, strict: bool, style: str) -> int:
    """Parse FILE, decide its claims, and list fields, policies and what looks like a mistake.

    Exit 0 if every claim holds, 1 if one does not, 2 if the file is wrong.
    """
    program = read_program(file)
    images = images_for([side for claim in program.claims for side in (claim.left, claim.right)])
    verdicts = [(claim, _decide(claim, images)) for claim in program.claims]
    remarks = lint(program)
    failed = sum(1 for _, (holds, _) in verdicts if not holds)
    if style == "json":
        _print_json(_check_json(program, verdicts, remarks))
    else:
        _check_text(program, verdicts, remarks, failed)
    return 1 if failed or (strict and remarks) else 0


@command.command()
@click.argument("arguments", nargs=-1, required=True, metavar="[FILE] A B")
@click.option("--contained", is_flag=True, help="Ask for A <= B: everything that A does, B does.")
@_format
def equiv(arguments: tuple[str, ...], contained: bool, style: str) -> int:
    """Do the policies A and B make the same packets of every packet?

    A and B are expressions; with FILE, over the policies that it names. Exit 0 if so, 1 with a packet if not.
    """
    program, (left_text, right_text) = _operands(arguments, ("A", "B"))
    left, right = _parse(program, left_text, "A"), _parse(program, right_text, "B")
    verdict = contains(left, right) if contained else equivalent(left, right)
    if style == "json":
        question = "contained" if contained else "equivalent"
        _print_json({"command": "netkat equiv", "question": question, **_verdict_json(verdict)})
    elif verdict:
        click.echo("contained: B does all that A does" if contained else "equivalent: A and B do the same")
    else:
        click.echo("not contained:" if contained else "different:")
        _print_witness(verdict.witness, {"left": "made by A, not by B", "right": "made by B, not by A"})
    return 0 if verdict else 1


@command.command()
@click.argument("arguments", nargs=-1, required=True, metavar="[FILE] POLICY")
@click.option("--from", "start", default="one", show_default=True, help="Which packets enter, a predicate.")
@click.option("--to", "goal", default="one", show_default=True, help="Which packets count when they leave.")
@click.option("--never", is_flag=True, help="Ask for the opposite: exit 0 if no packet gets there.")
@_format
def reach(arguments: tuple[str, ...], start: str, goal: str, never: bool, style: str) -> int:
    """Can some packet of --from become one of --to through POLICY?

    Prints such a packet and the rules that move it. Exit 0 if it can and 1 if not; the other way round with --never.
    """
    program, (text,) = _operands(arguments, ("POLICY",))
    policy = product_of(
        [_predicate(program, start, "--from"), _parse(program, text, "POLICY"), _predicate(program, goal, "--to")]
    )
    images = Images(space_for(policy))
    witness = is_empty(policy, images).witness
    hops = () if witness is None else route(policy, witness.before, witness.after, images)
    moves = [hop for hop in hops if hop.before != hop.after]
    if style == "json":
        answer = {"command": "netkat reach", "never": never, "reachable": witness is not None}
        _print_json({**answer, "witness": _witness_json(witness), "hops": [_hop_json(hop) for hop in moves]})
    elif witness is None:
        click.echo("unreachable: no packet gets there")
    else:
        click.echo("reachable:")
        _print_witness(witness, {})
        for number, hop in enumerate(moves, 1):
            click.echo(f"  {number}. {_shown(hop.rule)}\n       {packet_text(hop.after)}")
    return int((witness is None) != never)


def _operands(arguments: tuple[str, ...], names: Sequence[str]) -> tuple[PolicyFile, tuple[str, ...]]:
    count = len(names)
    if len(arguments) not in (count, count + 1):
        wanted = " ".join(names)
        raise click.UsageError(f"expected [FILE] {wanted}, got {len(arguments)} arguments")
    if len(arguments) == count:
        return PolicyFile("<none>"), arguments
    return read_program(Path(arguments[0])), arguments[1:]


def _parse(program: PolicyFile, text: str, role: str) -> Policy:
    return parse_policy(text, names=program.policies, fields=program.fields, source=f"<{role}>")


def _predicate(program: PolicyFile, text: str, role: str) -> Policy:
    policy = _parse(program, text, role)
    if not policy.is_predicate:
        raise PolicyError(f"<{role}>: expected a predicate, without assignment and star: {_shown(policy)}")
    return policy


def _decide(claim: Claim, images: Images | None) -> tuple[bool, Witness | None]:
    if claim.relation == "<=":
        verdict = contains(claim.left, claim.right, images)
    else:
        verdict = equivalent(claim.left, claim.right, images)
    return bool(verdict) == (claim.relation != "!=="), verdict.witness


def _check_text(
    program: PolicyFile,
    verdicts: Sequence[tuple[Claim, tuple[bool, Witness | None]]],
    remarks: Sequence[Remark],
    failed: int,
) -> None:
    named = sorted(_all_fields(program))
    counts = f"policies: {len(program.policies)}; fields: {', '.join(named) or 'none'}"
    claims = f"claims: {len(verdicts) - failed} of {len(verdicts)} hold"
    click.echo(f"{'violated' if failed else 'ok'}: {program.source}: {counts}; {claims}")
    for claim, (holds, witness) in verdicts:
        if not holds:
            click.echo(f"{claim.place}: does not hold: {_cut(claim.text)}")
            _print_witness(witness, {"left": "made by the left side only", "right": "made by the right side only"})
    for remark in remarks:
        click.echo(f"{remark.place}: remark: {remark.message}")
    width = max(map(len, program.policies), default=0)
    for name, policy in program.policies.items():
        click.echo(f"  {name:{width}}  {_shown(policy)}")


def _check_json(
    program: PolicyFile, verdicts: Sequence[tuple[Claim, tuple[bool, Witness | None]]], remarks: Sequence[Remark]
) -> dict[str, Any]:
    return {
        "command": "netkat check",
        "file": program.source,
        "fields": sorted(_all_fields(program)),
        "policies": {
            name: {"fields": sorted(fields(policy)), "policy": to_text(policy, limit=_JSON_SHOWN)}
            for name, policy in program.policies.items()
        },
        "claims": [
            {
                "line": claim.place.line,
                "claim": claim.text,
                "holds": holds,
                "witness": _witness_json(witness),
            }
            for claim, (holds, witness) in verdicts
        ],
        "remarks": [
            {"line": remark.place.line, "column": remark.place.column, "message": remark.message} for remark in remarks
        ],
    }


def _all_fields(program: PolicyFile) -> frozenset[str]:
    return frozenset(program.fields or ()).union(*map(fields, program.policies.values()))


def _print_witness(witness: Witness | None, sides: Mapping[str, str]) -> None:
    if witness is not None:
        note = sides.get(witness.side)
        click.echo(f"  in   {packet_text(witness.before) or 'any packet'}")
        click.echo(f"  out  {packet_text(witness.after) or 'the same packet'}" + (f"    {note}" if note else ""))


def _verdict_json(verdict: Decision) -> dict[str, Any]:
    return {"holds": bool(verdict), "witness": _witness_json(verdict.witness)}


def _witness_json(witness: Witness | None) -> dict[str, Any] | None:
    if witness is None:
        return None
    return {"in": dict(witness.before), "out": dict(witness.after), "side": witness.side}


def _hop_json(hop: Hop) -> dict[str, Any]:
    return {"rule": to_text(hop.rule, limit=_JSON_SHOWN), "in": dict(hop.before), "out": dict(hop.after)}


def _print_json(answer: Mapping[str, Any]) -> None:
    click.echo(json.dumps({"schema": _SCHEMA, **answer}, indent=2))


def _shown(policy: Policy) -> str:
    return _cut(to_text(policy, limit=_SHOWN))


def _cut(text: str) -> str:
    text = text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "..."
    return text if text.isprintable() else ascii(text)
