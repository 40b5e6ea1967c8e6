"""Concolic execution of Python code: terms, path search, solvers, and values that carry terms. Knows no networks."""

from sdnloom.symbolic.execution import Execution, Site
from sdnloom.symbolic.explore import explore
from sdnloom.symbolic.options import ExplorationOptions
from sdnloom.symbolic.result import Exploration
from sdnloom.symbolic.rewrite.imports import RewrittenModules
from sdnloom.symbolic.self_check import check_partition, check_purity
from sdnloom.symbolic.terms.constructors import const, eq, var
from sdnloom.symbolic.values.make import symbolic_bytes, symbolic_int, symbolic_text

__all__ = [
    "Execution",
    "Exploration",
    "ExplorationOptions",
    "RewrittenModules",
    "Site",
    "check_partition",
    "check_purity",
    "const",
    "eq",
    "explore",
    "symbolic_bytes",
    "symbolic_int",
    "symbolic_text",
    "var",
]
