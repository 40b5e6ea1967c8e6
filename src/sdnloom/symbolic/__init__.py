"""Concolic execution of Python code: terms, path search, solvers, and values that carry terms. Knows no networks.

The names below are its public interface. They are imported when first used: most commands need few modules of it.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # the same list for type checkers and editors
    from sdnloom.symbolic.execution import Execution as Execution
    from sdnloom.symbolic.execution import Site as Site
    from sdnloom.symbolic.options import ExplorationOptions as ExplorationOptions
    from sdnloom.symbolic.path_search import explore as explore
    from sdnloom.symbolic.result import Exploration as Exploration
    from sdnloom.symbolic.rewrite.imports import RewrittenModules as RewrittenModules
    from sdnloom.symbolic.self_check import check_partition as check_partition
    from sdnloom.symbolic.self_check import check_purity as check_purity
    from sdnloom.symbolic.terms.constructors import const as const
    from sdnloom.symbolic.terms.constructors import eq as eq
    from sdnloom.symbolic.terms.constructors import var as var
    from sdnloom.symbolic.values.make import (
        symbolic_bytes as symbolic_bytes,
    )
    from sdnloom.symbolic.values.make import (
        symbolic_int as symbolic_int,
    )
    from sdnloom.symbolic.values.make import (
        symbolic_text as symbolic_text,
    )

_MODULE_OF = {
    "Execution": "execution",
    "Exploration": "result",
    "ExplorationOptions": "options",
    "RewrittenModules": "rewrite.imports",
    "Site": "execution",
    "check_partition": "self_check",
    "check_purity": "self_check",
    "const": "terms.constructors",
    "eq": "terms.constructors",
    "explore": "path_search",
    "symbolic_bytes": "values.make",
    "symbolic_int": "values.make",
    "symbolic_text": "values.make",
    "var": "terms.constructors",
}
__all__ = sorted(_MODULE_OF)


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(importlib.import_module(f"{__name__}.{_MODULE_OF[name]}"), name)
    return value
