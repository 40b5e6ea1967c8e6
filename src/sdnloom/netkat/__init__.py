"""NetKAT without `dup`: syntax, parser, printer, reference evaluator, packet sets and decisions with witnesses."""

from sdnloom.netkat.decide import Decision, Witness, contains, equivalent, is_empty
from sdnloom.netkat.errors import PolicyError, PolicySyntaxError
from sdnloom.netkat.evaluate import evaluate_policy
from sdnloom.netkat.image import Images
from sdnloom.netkat.packets import PacketSet, Space
from sdnloom.netkat.parser import parse_policy
from sdnloom.netkat.policy_file import PolicyFile, parse_policy_file, read_policy_file
from sdnloom.netkat.printer import to_text
from sdnloom.netkat.route import Hop, packet_route
from sdnloom.netkat.syntax import Assign, Drop, Not, Policy, Product, Skip, Star, Sum, Test, product_of, sum_of

__all__ = [
    "Assign",
    "Decision",
    "Drop",
    "Hop",
    "Images",
    "Not",
    "PacketSet",
    "Policy",
    "PolicyError",
    "PolicyFile",
    "PolicySyntaxError",
    "Product",
    "Skip",
    "Space",
    "Star",
    "Sum",
    "Test",
    "Witness",
    "contains",
    "equivalent",
    "evaluate_policy",
    "is_empty",
    "packet_route",
    "parse_policy",
    "parse_policy_file",
    "product_of",
    "read_policy_file",
    "sum_of",
    "to_text",
]
