"""Questions of `sdnloom netkat`, with answers that a report can print: claims of a file, equivalence, reachability."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from sdnloom.netkat.decide import Decision, Witness, contains, equivalent, images_for, is_empty, space_for
from sdnloom.netkat.image import Images
from sdnloom.netkat.lint import LintWarning, lint_policy_file
from sdnloom.netkat.policy_file import Claim, PolicyFile
from sdnloom.netkat.route import Hop, packet_route
from sdnloom.netkat.syntax import Policy, product_of

Question: TypeAlias = Literal["equivalent", "contained"]


@dataclass(frozen=True, slots=True)
class ClaimDecision:
    """The decision on a claim. A witness tells the two sides apart: it refutes `==` and `<=` and confirms `!==`."""

    claim: Claim
    holds: bool
    witness: Witness | None


@dataclass(frozen=True, slots=True)
class PolicyFileCheck:
    """The decisions on the claims of a file, and its lint warnings."""

    file: PolicyFile
    claims: tuple[ClaimDecision, ...]
    warnings: tuple[LintWarning, ...]

    @property
    def failed(self) -> int:
        """The number of claims that do not hold."""
        return sum(not decision.holds for decision in self.claims)


@dataclass(frozen=True, slots=True)
class PolicyComparison:
    """The decision whether one policy is equivalent to, or contained in, another."""

    question: Question
    decision: Decision


@dataclass(frozen=True, slots=True)
class Reachability:
    """A packet that gets through and the hops that change it; no witness if no packet does.

    `never` is set if no packet should get through.
    """

    never: bool
    witness: Witness | None
    hops: tuple[Hop, ...] = ()


def check_policy_file(file: PolicyFile) -> PolicyFileCheck:
    """Decide every claim of the file and look for mistakes."""
    images = images_for([side for claim in file.claims for side in (claim.left, claim.right)])
    decisions = tuple(_decide(claim, images) for claim in file.claims)
    return PolicyFileCheck(file, decisions, lint_policy_file(file))


def _decide(claim: Claim, images: Images | None) -> ClaimDecision:
    decide = contains if claim.relation == "<=" else equivalent
    decision = decide(claim.left, claim.right, images)
    return ClaimDecision(claim, bool(decision) == (claim.relation != "!=="), decision.witness)


def compare(left: Policy, right: Policy, question: Question = "equivalent") -> PolicyComparison:
    """Decide whether the policies are equivalent, or the left one is contained in the right one."""
    return PolicyComparison(question, (contains if question == "contained" else equivalent)(left, right))


def find_route(start: Policy, policy: Policy, goal: Policy, never: bool = False) -> Reachability:
    """Look for a packet that passes `start`, then the policy, then `goal`."""
    whole = product_of([start, policy, goal])
    images = Images(space_for(whole))
    witness = is_empty(whole, images).witness
    if witness is None:
        return Reachability(never, None)
    hops = packet_route(whole, witness.before, witness.after, images)
    return Reachability(never, witness, tuple(hop for hop in hops if hop.before != hop.after))
