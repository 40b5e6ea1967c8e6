"""Rewriting of code under test: constructs that CPython decides without asking a symbolic value become calls that ask.

`rewrite` turns source into code, `rewrite_tree` a module into a module. Laws: with plain values the rewritten code does
what the original does; every line keeps its number, so traces and tracebacks name the same places. Only bodies of
functions are rewritten: what runs at import has met no input yet.
"""

import ast
from functools import lru_cache
from types import CodeType
from typing import Final

from sdnloom.errors import SdnloomError
from sdnloom.symbolic.operations.calls import HOOKS_ALIAS
from sdnloom.symbolic.rewrite.expressions import ExpressionRewriter
from sdnloom.symbolic.rewrite.statements import StatementRewriter
from sdnloom.symbolic.rewrite.trail import add_trail

_FUTURE: Final = "__future__"


class RewriteError(SdnloomError):
    """Source that cannot be rewritten."""


class _Rewriter(StatementRewriter, ExpressionRewriter):
    """Both halves together."""


@lru_cache(maxsize=1_024)
def rewrite(source: str | bytes, filename: str, watched: bool = False) -> CodeType:
    """Return the code of a module, rewritten; SyntaxError as `compile` raises it.

    Functions of a module that is watched leave a trail. Code is rewritten once in a process.
    """
    try:
        tree = rewrite_tree(ast.parse(source, filename))
        if watched:
            add_trail(tree, filename)
        return compile(tree, filename, "exec", dont_inherit=True)
    except (RecursionError, MemoryError):  # the parser says the one or the other
        raise RewriteError(f"{filename}: the code is nested too deeply to be rewritten") from None


def rewrite_tree(tree: ast.Module) -> ast.Module:
    """Return the module, changed in place; it imports what its rewritten parts call under one name."""
    rewriter = _Rewriter(cache_names(tree))
    rewriter.visit(tree)
    place = _after_header(tree.body)
    line = tree.body[min(place, len(tree.body) - 1)] if tree.body else None
    used = ast.ImportFrom("sdnloom.symbolic.operations", [ast.alias("hooks", HOOKS_ALIAS)], 0)
    used.lineno = used.end_lineno = _first_line(line) if line is not None else 1
    used.col_offset = used.end_col_offset = 0
    tree.body.insert(place, used)
    return ast.fix_missing_locations(tree)


def _first_line(statement: ast.stmt) -> int:
    decorators: list[ast.expr] = getattr(statement, "decorator_list", [])
    return min([statement.lineno, *(each.lineno for each in decorators)])


def _after_header(body: list[ast.stmt]) -> int:
    """Return the place after the docstring and the imports that must come first."""
    place = 0
    if (
        body
        and isinstance(body[0], ast.Expr)
        and isinstance(body[0].value, ast.Constant)
        and isinstance(body[0].value.value, str)
    ):
        place = 1
    while place < len(body) and isinstance(found := body[place], ast.ImportFrom) and found.module == _FUTURE:
        place += 1
    return place


def cache_names(tree: ast.Module) -> frozenset[str]:
    """Return the expressions that name functools' caches in a module, as they are written there."""
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {
                f"{each.asname or each.name}.{cache}"
                for each in node.names
                if each.name == "functools"
                for cache in _CACHES
            }
        elif isinstance(node, ast.ImportFrom) and node.module == "functools" and not node.level:
            names |= {each.asname or each.name for each in node.names if each.name in _CACHES}
    return frozenset(names)


_CACHES: Final = ("lru_cache", "cache")
