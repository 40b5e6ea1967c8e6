"""Answers about NetKAT policies as text, each with a packet as evidence."""

from collections.abc import Mapping

from sdnloom.netkat.decide import Witness
from sdnloom.netkat.policy_file import PolicyFile
from sdnloom.netkat.printer import packet_text, to_text
from sdnloom.netkat.questions import PolicyComparison, PolicyFileCheck, Reachability
from sdnloom.netkat.syntax import Policy, fields_of

# Shared parts are written out wherever they occur: a text may be exponentially larger than its policy.
_MAX_LENGTH = 100


def claims_text(check: PolicyFileCheck) -> str:
    """The verdict on the file, then each claim that does not hold, warnings, and the policies by name."""
    file = check.file
    counts = f"policies: {len(file.policies)}; fields: {', '.join(all_fields(file)) or 'none'}"
    claims = f"claims: {len(check.claims) - check.failed} of {len(check.claims)} hold"
    lines = [f"{'violated' if check.failed else 'ok'}: {file.source}: {counts}; {claims}"]
    for decision in check.claims:
        if not decision.holds:
            lines.append(f"{decision.claim.position}: does not hold: {shortened(decision.claim.text)}")
            sides = {"left": "made by the left side only", "right": "made by the right side only"}
            lines += _witness_lines(decision.witness, sides)
    lines += [f"{warning.position}: warning: {warning.message}" for warning in check.warnings]
    width = max(map(len, file.policies), default=0)
    lines += [f"  {name:{width}}  {short_policy(policy)}" for name, policy in file.policies.items()]
    return "\n".join(lines) + "\n"


def equivalence_text(comparison: PolicyComparison) -> str:
    """Whether A and B are equivalent, or A is contained in B; if not, the packet that tells them apart."""
    contained = comparison.question == "contained"
    if comparison.decision:
        return "contained: B does all that A does\n" if contained else "equivalent: A and B do the same\n"
    sides = {"left": "made by A, not by B", "right": "made by B, not by A"}
    lines = ["not contained:" if contained else "different:", *_witness_lines(comparison.decision.witness, sides)]
    return "\n".join(lines) + "\n"


def reachability_text(reachability: Reachability) -> str:
    """A packet that gets there and the rules that change it, or that there is none."""
    if reachability.witness is None:
        return "unreachable: no packet gets there\n"
    lines = ["reachable:", *_witness_lines(reachability.witness, {})]
    for number, hop in enumerate(reachability.hops, 1):
        lines += [f"  {number}. {short_policy(hop.rule)}", f"       {packet_text(hop.after)}"]
    return "\n".join(lines) + "\n"


def _witness_lines(witness: Witness | None, sides: Mapping[str, str]) -> list[str]:
    if witness is None:
        return []
    note = sides.get(witness.side)
    return [
        f"  in   {packet_text(witness.before) or 'any packet'}",
        f"  out  {packet_text(witness.after) or 'the same packet'}" + (f"    {note}" if note else ""),
    ]


def all_fields(file: PolicyFile) -> list[str]:
    """The fields that a file declares or uses, sorted."""
    return sorted(frozenset(file.fields or ()).union(*map(fields_of, file.policies.values())))


def short_policy(policy: Policy) -> str:
    """The policy as text, cut where it gets too long for a line."""
    return shortened(to_text(policy, limit=_MAX_LENGTH))


def shortened(text: str) -> str:
    """A text of printable characters that fits on a line."""
    text = text if len(text) <= _MAX_LENGTH else text[: _MAX_LENGTH - 3] + "..."
    return text if text.isprintable() else ascii(text)
