"""Suspicious places of a program: legal, decided exactly, and rarely meant."""

from dataclasses import dataclass

from sdnloom.netkat.decide import images_for, is_empty
from sdnloom.netkat.errors import SourcePosition
from sdnloom.netkat.policy_file import PolicyFile
from sdnloom.netkat.printer import literal_text, to_text
from sdnloom.netkat.syntax import DROP, Policy, Sum, Value, fields_of, value_key, values_of


@dataclass(frozen=True, slots=True)
class LintWarning:
    """What looks like a mistake, and where."""

    place: SourcePosition
    message: str


def lint_policy_file(program: PolicyFile) -> tuple[LintWarning, ...]:
    """Return what looks like a mistake, in the order of the file."""
    remarks = [*_unused_fields(program), *_mixed_values(program), *_dead_policies(program)]
    return tuple(sorted(remarks, key=lambda one: (one.place.line, one.place.column, one.message)))


def _roots(program: PolicyFile) -> list[Policy]:
    claims = [side for claim in program.claims for side in (claim.left, claim.right)]
    return [*program.policies.values(), *claims]


def _unused_fields(program: PolicyFile) -> list[LintWarning]:
    used = frozenset[str]().union(*map(fields_of, _roots(program)))
    declared = program.fields or {}
    return [
        LintWarning(place, f"field {name!r} is declared and never used")
        for name, place in declared.items()
        if name not in used
    ]


def _mixed_values(program: PolicyFile) -> list[LintWarning]:
    """A field with numbers in one place and words in another: `1` and `"1"` are different values."""
    kinds: dict[str, dict[type, Value]] = {}
    remarks: list[LintWarning] = []
    for name, policy in program.policies.items():
        for field, found in values_of(policy).items():
            seen = kinds.setdefault(field, {})
            before = len(seen)
            for value in sorted(found, key=value_key):
                seen.setdefault(type(value), value)
            if len(seen) == 2 and before < 2:
                shown = " and ".join(literal_text(value) for value in sorted(seen.values(), key=value_key))
                message = f"field {field!r} has numbers and words as values: {shown} are never equal"
                remarks.append(LintWarning(program.places[name], message))
    return remarks


def _dead_policies(program: PolicyFile) -> list[LintWarning]:
    remarks: list[LintWarning] = []
    images = images_for(program.policies.values())
    for name, policy in program.policies.items():
        place = program.places[name]
        if policy is DROP:
            continue
        if is_empty(policy, images):
            remarks.append(LintWarning(place, f"policy {name!r} drops every packet"))
        elif isinstance(policy, Sum):
            dead = [part for part in policy.parts if part is not DROP and is_empty(part, images)]
            remarks += [
                LintWarning(place, f"policy {name!r}: a part drops every packet: {_short(part)}") for part in dead
            ]
    return remarks


def _short(policy: Policy) -> str:
    text = to_text(policy, limit=80)
    return text if len(text) <= 80 else text[:77] + "..."
