"""Lint warnings for a policy file: legal, decided exactly, and rarely intended."""

from dataclasses import dataclass

from sdnloom.netkat.decide import images_for, is_empty
from sdnloom.netkat.errors import SourcePosition
from sdnloom.netkat.policy_file import PolicyFile
from sdnloom.netkat.printer import literal_text, to_text
from sdnloom.netkat.syntax import DROP_ALL, FieldValue, Policy, Sum, fields_of, value_key, values_of


@dataclass(frozen=True, slots=True)
class LintWarning:
    """A likely mistake and its position."""

    position: SourcePosition
    message: str


def lint_policy_file(file: PolicyFile) -> tuple[LintWarning, ...]:
    """Return the warnings in the order of the file."""
    warnings = [*_unused_fields(file), *_mixed_values(file), *_dead_policies(file)]
    return tuple(
        sorted(warnings, key=lambda warning: (warning.position.line, warning.position.column, warning.message))
    )


def _roots(file: PolicyFile) -> list[Policy]:
    claims = [side for claim in file.claims for side in (claim.left, claim.right)]
    return [*file.policies.values(), *claims]


def _unused_fields(file: PolicyFile) -> list[LintWarning]:
    used = frozenset[str]().union(*map(fields_of, _roots(file)))
    declared = file.fields or {}
    return [
        LintWarning(position, f"field {name!r} is declared and never used")
        for name, position in declared.items()
        if name not in used
    ]


def _mixed_values(file: PolicyFile) -> list[LintWarning]:
    """A field with numbers in one place and words in another: `1` and `"1"` are different values."""
    kinds: dict[str, dict[type, FieldValue]] = {}
    warnings: list[LintWarning] = []
    for name, policy in file.policies.items():
        for field, found in values_of(policy).items():
            seen = kinds.setdefault(field, {})
            before = len(seen)
            for value in sorted(found, key=value_key):
                seen.setdefault(type(value), value)
            if len(seen) == 2 and before < 2:
                shown = " and ".join(literal_text(value) for value in sorted(seen.values(), key=value_key))
                message = f"field {field!r} has numbers and words as values: {shown} are never equal"
                warnings.append(LintWarning(file.positions[name], message))
    return warnings


def _dead_policies(file: PolicyFile) -> list[LintWarning]:
    warnings: list[LintWarning] = []
    images = images_for(file.policies.values())
    for name, policy in file.policies.items():
        position = file.positions[name]
        if policy is DROP_ALL:
            continue
        if is_empty(policy, images):
            warnings.append(LintWarning(position, f"policy {name!r} drops every packet"))
        elif isinstance(policy, Sum):
            dead = [part for part in policy.parts if part is not DROP_ALL and is_empty(part, images)]
            warnings += [
                LintWarning(position, f"policy {name!r}: a part drops every packet: {_short(part)}") for part in dead
            ]
    return warnings


def _short(policy: Policy) -> str:
    text = to_text(policy, limit=80)
    return text if len(text) <= 80 else text[:77] + "..."
